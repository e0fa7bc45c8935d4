"""Newer cloud prices, on the user's command only: fetch, parse, check, keep, apply."""
