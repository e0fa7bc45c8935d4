"""Facts about this machine and measurements on it."""
