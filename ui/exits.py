"""How a command of the command line may end."""

EXIT_DONE = 0
EXIT_FAULT = 1
EXIT_BAD_INPUT = 2
EXIT_INCOMPLETE = 3
EXIT_CANCELLED = 130
