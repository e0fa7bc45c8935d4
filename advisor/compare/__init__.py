"""This machine among published results, and what became of what old advice names."""
