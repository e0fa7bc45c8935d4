"""Bundled facts as typed values: read, checked and found."""
