"""The server that receives shared results: an optional extra, imported by its own command only."""
