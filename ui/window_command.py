"""The command without a name: opens the window.

Apart from the other commands, because their libraries would keep the window waiting.
Leaves to others: the window (`ui.app`).
"""

import argparse
import importlib
import os
import sys

from advisor.errors import InputError

# Pages of the window, in their order; named here because the command line must not load Qt.
PAGES = ("start", "machine", "workload", "measure", "compare", "advice", "history")


def window(options: argparse.Namespace) -> int:
    """Open the window; without a display say what to do instead."""
    if options.page is not None and options.page not in PAGES:
        raise InputError(f"no page is called {options.page!r}; there is: {', '.join(PAGES)}")
    displays = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    is_desktop = sys.platform in ("win32", "darwin")
    if not is_desktop and not any(map(os.environ.get, displays)):
        raise InputError("there is no display for the window: use `dl-advisor advise`")
    app = importlib.import_module("ui.app")
    return int(app.run(page=options.page, saved=options.open))
