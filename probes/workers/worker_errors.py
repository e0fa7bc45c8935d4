"""The two ways in which a kernel can give no figure without anything being broken.

Imported by its plain name: workers are started as scripts and know nothing of the project.
"""


class UnsupportedKernel(Exception):  # noqa: N818 - it is a verdict, not a fault
    """The kernel cannot be run by this framework or device; the text says why."""


class WrongResult(Exception):  # noqa: N818 - it is a verdict, not a fault
    """The kernel ran, and what it computed is not what the reference gives."""
