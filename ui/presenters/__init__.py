"""State and intent of the pages, without widgets."""
