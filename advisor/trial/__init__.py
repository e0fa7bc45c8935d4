"""Trials on the user's own network: what to try, in which order, what the figures say."""
