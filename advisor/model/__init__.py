"""The frozen values that every step of the product takes and returns."""
