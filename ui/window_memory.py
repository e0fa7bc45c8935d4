"""What the window remembers from one start to the next: its size and the last job.

Kept in the user's configuration folder, never sent anywhere.
Leaves to others: results (`ui.settings`).
"""

from pathlib import Path

import platformdirs
from PySide6.QtCore import QByteArray, QSettings
from PySide6.QtWidgets import QWidget

from ui.settings import APP_NAME
from ui.widgets.job_form import JobForm


def config_file() -> Path:
    """Return where the window's memory is kept."""
    return Path(platformdirs.user_config_dir(APP_NAME, appauthor=False)) / "window.ini"


class WindowMemory:
    """Reads and writes one file; a file that cannot be read or written is like none."""

    def __init__(self, path: Path) -> None:
        self._settings = QSettings(str(path), QSettings.Format.IniFormat)

    def restore(self, window: QWidget, form: JobForm) -> None:
        """Give the window its size and the form the last job."""
        geometry = self._settings.value("window/geometry")
        if isinstance(geometry, QByteArray):
            window.restoreGeometry(geometry)
        self._settings.beginGroup("job")
        names = self._settings.childKeys()
        answers = {name: str(self._settings.value(name)) for name in names}
        self._settings.endGroup()
        if answers:
            form.show_answers(answers)

    def keep(self, window: QWidget, form: JobForm) -> None:
        """Write the size and the job down."""
        self._settings.setValue("window/geometry", window.saveGeometry())
        for name, value in form.answers().items():
            self._settings.setValue(f"job/{name}", value)
        self._settings.sync()
