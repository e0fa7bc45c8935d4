"""Small widgets, one per module."""
