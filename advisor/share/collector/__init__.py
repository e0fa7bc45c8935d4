"""The server that receives shared results: imported by its own command only."""
