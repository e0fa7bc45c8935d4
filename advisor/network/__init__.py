"""Model files and bundled networks -> operators, by reading configuration only."""
