"""A recommendation as a report: text, PDF, charts."""
