"""Bundled data, schemas, icons, fonts and translations."""
