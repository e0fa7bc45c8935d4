"""Changes of the collector's tables, in order; run by `database.migrate`."""
