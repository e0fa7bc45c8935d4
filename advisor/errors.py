"""The few errors of the product. Each is also a builtin and carries the offending value.

The text of each is one line: what is wrong and, where known, what to do.
"""


def why_unreadable(error: OSError) -> str:
    """Return why a file could not be read, as a line goes on after its name."""
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    return f"cannot be read: {error.strerror or error}"


class AdvisorError(Exception):
    """Base of all errors that an edge (command line, window) shows to the user."""


class FormatError(AdvisorError, ValueError):
    """A file or a message does not have the form it must have."""


class InputError(AdvisorError, ValueError):
    """The user asked for something that cannot be: a bad argument, name or combination."""


class DataError(AdvisorError, ValueError):
    """A row of the bundled or the user's own dataset is wrong; names file, line and field."""


class NetworkFileError(FormatError):
    """A model file cannot be read, or is refused."""
