"""Dialogs, each with `ask`."""
