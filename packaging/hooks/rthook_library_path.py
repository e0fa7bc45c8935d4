"""Runs first in the frozen program: whatever it starts gets the user's own library path.

The starter of the frozen program puts our libraries first for this process. The loader has read
that by now, so that taking it back changes nothing here; other programs (a Python of the user,
`nvidia-smi`, a browser) would load our libraries instead of theirs.
"""

import os

for _name in ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"):
    _before = os.environ.get(f"{_name}_ORIG")
    if _before:
        os.environ[_name] = _before
    else:
        os.environ.pop(_name, None)
