"""Entry of the installed program: a worker, the command line, or the window.

Imports as little as possible before it knows which: a worker must not load Qt, and the command
line must run where Qt cannot.
"""

import sys

from ui.exits import EXIT_CANCELLED


def main() -> int:
    """Run what the arguments ask for and return the exit code."""
    if getattr(sys, "frozen", False):
        # A network of the user's own may start processes: each is this program called again.
        import multiprocessing

        multiprocessing.freeze_support()
    arguments = sys.argv[1:]
    if arguments[:1] == ["--worker"]:
        from probes.bench.commands import run_worker_here

        run_worker_here(arguments[1] if len(arguments) > 1 else "", arguments=arguments[2:])
        return 0
    try:
        from ui.cli import run

        return run(arguments)
    except KeyboardInterrupt:
        # Before there is a translator, or on the way out: Ctrl-C is no fault at any moment.
        return EXIT_CANCELLED


if __name__ == "__main__":
    sys.exit(main())
