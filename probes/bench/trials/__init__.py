"""Trials of settings on the user's own network: one process each, watched."""
