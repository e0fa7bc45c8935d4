"""Qt item models over plain rows."""
