"""Facts about this machine; `collect.collect_profile` gives them all."""
