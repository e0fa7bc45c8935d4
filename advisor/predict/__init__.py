"""Times of workloads: operators and measured ceilings to seconds, with interval and basis."""
