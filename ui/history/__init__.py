"""What was tried before: on disk, one row for each finished run."""
