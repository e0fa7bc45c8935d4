"""The main window: navigation between the pages, dropped model files, a word before it closes.

Signals of `MainWindow`:
    closing: the window is about to close; whatever runs must stop now.
    model_dropped: path of a model file, as text.
    page_changed: name of the page that is seen now.
    prices_requested: the user wants to see how old the prices are, or newer ones.
    share_requested: the user wants to see what could be shared.
    settings_requested: the user wants to change what holds for the whole app.
Leaves to others: everything on the pages.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QMessageBox,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QWidget,
)

from advisor.i18n import N_, Translator
from ui.widgets.job_form import MODEL_SUFFIXES
from ui.widgets.navigation import Entry, NavigationRail

MINIMUM_SIZE = (1000, 640)
USUAL_SIZE = (1240, 800)
# What a desktop draws around a window: its title and its edges.
_FRAME = (8, 40)
_MESSAGE_MS = 15_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page: its name for programs, its title, and how it is made when it is first looked at."""

    name: str
    title: str
    make: Callable[[], QWidget]


def first_size(available: QSize) -> tuple[int, int]:
    """Return width and height of the window where none is remembered, so that it fits."""
    size = QSize(*USUAL_SIZE).boundedTo(available - QSize(*_FRAME))
    return size.width(), size.height()


def least_size(available: QSize) -> QSize:
    """Return how small the window may become: where the pages fit, never beyond the screen."""
    return QSize(*MINIMUM_SIZE).boundedTo(available - QSize(*_FRAME))


class MainWindow(QMainWindow):
    """Navigation and nothing else; a page costs nothing until it is looked at."""

    closing = Signal()
    model_dropped = Signal(str)
    page_changed = Signal(str)
    prices_requested = Signal()
    share_requested = Signal()
    settings_requested = Signal()

    def __init__(
        self,
        pages: Sequence[Page],
        *,
        version: str,
        translator: Translator,
        parent: QWidget | None = None,
    ) -> None:
        """Show the first page."""
        super().__init__(parent)
        self._tr = translator
        self._refused = ""
        self._pages = {page.name: page for page in pages}
        self._made: dict[str, QWidget] = {}
        self.setWindowTitle("DL Advisor")
        # A screen that is drawn at twice the size may be smaller than the usual window.
        room = self.screen().availableSize()
        self.setMinimumSize(least_size(room))
        self.resize(*first_size(room))
        self.setAcceptDrops(True)
        entries = [Entry(name=page.name, title=translator(page.title)) for page in pages]
        self.rail = NavigationRail(entries, name=translator(N_("Pages")))
        self._stack = QStackedWidget()
        middle = QWidget()
        row = QHBoxLayout(middle)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.rail)
        row.addWidget(self._stack if least_size(room) == QSize(*MINIMUM_SIZE) else self._area(), 1)
        self.setCentralWidget(middle)
        self._add_about(version)
        self._add_shortcuts()
        self.rail.page_chosen.connect(self._show)
        self.rail.choose(pages[0].name)

    def _area(self) -> QScrollArea:
        """Return the pages in an area that scrolls, for a screen that is too small for them."""
        area = QScrollArea()
        area.setObjectName("small_screen")
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setWidget(self._stack)
        # Tab goes to what the pages hold.
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        return area

    def _add_about(self, version: str) -> None:
        tr = self._tr
        about = QLabel(
            tr(N_("DL Advisor {version} · Nothing leaves this machine"), version=version)
        )
        about.setObjectName("about")
        about.setToolTip(
            tr(
                N_(
                    "Prices and published results come with the app. No network is used, no"
                    " account is needed, nothing is uploaded."
                )
            )
        )
        self.settings_button = QPushButton(tr(N_("Settings…")))
        self.settings_button.clicked.connect(self.settings_requested)
        self.prices_button = QPushButton(tr(N_("Cloud prices…")))
        self.prices_button.clicked.connect(self.prices_requested)
        self.share_button = QPushButton(tr(N_("Share results…")))
        self.share_button.clicked.connect(self.share_requested)
        for button in (self.share_button, self.prices_button, self.settings_button):
            button.setFlat(True)
            self.statusBar().addPermanentWidget(button)
        self.statusBar().addPermanentWidget(about)

    def _add_shortcuts(self) -> None:
        QShortcut(QKeySequence(QKeySequence.StandardKey.Quit), self, self.close)
        for number, name in enumerate(self._pages, start=1):
            keys = QKeySequence(f"Ctrl+{number}")
            QShortcut(keys, self).activated.connect(lambda name=name: self.rail.choose(name))

    @property
    def page_name(self) -> str:
        """Name of the page that is seen."""
        widget = self._stack.currentWidget()
        return next(name for name, made in self._made.items() if made is widget)

    def has_page(self, name: str) -> bool:
        """Tell whether there is a page of this name."""
        return name in self._pages

    def page(self, name: str) -> QWidget:
        """Return a page; it is made now if it was not looked at before."""
        if name not in self._made:
            self._made[name] = self._pages[name].make()
            self._stack.addWidget(self._made[name])
        return self._made[name]

    def focusNextPrevChild(self, next: bool) -> bool:  # noqa: A002, FBT001, N802 - Qt's names
        """Follow the Tab key; pages are made, and filled anew, after the buttons at the foot."""
        self._lead_to_foot()
        return super().focusNextPrevChild(next)

    def _lead_to_foot(self) -> None:
        """Let the Tab key go through the page first, and then to the buttons at the foot."""
        foot = (self.share_button, self.prices_button, self.settings_button)
        last = self.previousInFocusChain()
        while last is not None and not (
            last.focusPolicy() & Qt.FocusPolicy.TabFocus and last not in foot
        ):
            last = last.previousInFocusChain()
        if last is None:
            return
        for before, button in pairwise((last, *foot)):
            self.setTabOrder(before, button)

    def make_page_ahead(self) -> bool:
        """Make one page that nobody has looked at yet; tell whether there was one."""
        name = next((name for name in self._pages if name not in self._made), None)
        if name is None:
            return False
        for widget in self.page(name).findChildren(QWidget):
            widget.ensurePolished()
        return True

    def show_page(self, name: str) -> None:
        """Open a page."""
        self.rail.choose(name)

    def _show(self, name: str) -> None:
        self._stack.setCurrentWidget(self.page(name))
        self.page_changed.emit(name)

    def show_saved(self, path: str) -> None:
        """Tell where a file was written."""
        self.statusBar().showMessage(self._tr(N_("Written: {path}"), path=path), _MESSAGE_MS)

    def show_copied(self) -> None:
        """Tell that the advice is on the clipboard."""
        text = self._tr(N_("It is on the clipboard."))
        self.statusBar().showMessage(text, _MESSAGE_MS)

    def show_refused(self, text: str) -> None:
        """Tell why a file was not written or not read."""
        self._refused = text
        self.statusBar().showMessage(text, _MESSAGE_MS)
        QMessageBox.warning(self, self._tr(N_("Not done")), text)

    def forget_refused(self) -> None:
        """Take a refusal off the window: the user does something else now."""
        if self._refused and self.statusBar().currentMessage() == self._refused:
            self.statusBar().clearMessage()
        self._refused = ""

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802 - Qt's name
        """Take model files."""
        if _model_of(event) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802 - Qt's name
        """Name the file that was dropped."""
        path = _model_of(event)
        if path is not None:
            event.acceptProposedAction()
            self.model_dropped.emit(str(path))

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802 - Qt's name
        """Go from the screen at once and tell whoever must stop."""
        self.closing.emit()
        super().closeEvent(event)


def _model_of(event: QDropEvent) -> Path | None:
    paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
    return next((path for path in paths if path.suffix.lower() in MODEL_SUFFIXES), None)
