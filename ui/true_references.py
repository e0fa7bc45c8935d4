"""Keeps `True` alive while Qt's signals are emitted.

WORKAROUND: in PySide6 6.12.0 `SignalInstance.emit` returns `True` without taking a reference to
it. Up to Python 3.11, where `True` is counted like any object, each signal emitted takes one
reference away, and after some hundred of them the process aborts ("deallocating True or False").
PySide6 6.11.3 counts properly; from Python 3.12 on `True` is never freed.
Leaves to others: everything else.
"""

import ctypes
import functools
import sys

# Emits that are paid for: days of them. Takes eight bytes each.
SPARE_REFERENCES = 1_000_000
_FIRST_WITH_ETERNAL_TRUE = (3, 12)


@functools.cache
def spare_references_of_true() -> None:
    """Take references to `True` that are never given back; calling it again does nothing."""
    if sys.version_info >= _FIRST_WITH_ETERNAL_TRUE or sys.implementation.name != "cpython":
        return
    spare = [True] * SPARE_REFERENCES
    # Never freed: at the end of the process its references would be missing again.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(spare))
