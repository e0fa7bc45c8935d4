"""Anonymous, opt-in sharing of results."""
