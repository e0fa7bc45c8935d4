"""Is this normal? Measured figures against what the hardware could do, and the likely cause."""
