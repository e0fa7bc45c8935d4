"""State and intent of the machine page: what the probe found, and what the user knows better.

Signals of `MachinePresenter`:
    state_changed: the new `MachineState`.
    refused: one line why a value was not taken.
    unexpected: an exception that is a fault of the app.
Leaves to others: probing (`ui.journey`), the words (`ui.models.machine_cards`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from PySide6.QtCore import QObject, Signal

from advisor.errors import AdvisorError
from advisor.model.machine import MachineProfile
from probes.machine.overrides import apply_overrides
from ui.background import BackgroundTask, error_line
from ui.journey import probe_machine
from ui.settings import keep_overrides, read_overrides


class MachineStage(StrEnum):
    """Where the page stands."""

    EMPTY = "empty"
    PROBING = "probing"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineState:
    """All that the page shows.

    Attributes:
        profile: with the user's own values in it; probed: without them.
        message: one line when failed, "" otherwise.
    """

    stage: MachineStage = MachineStage.EMPTY
    profile: MachineProfile | None = None
    probed: MachineProfile | None = None
    message: str = ""


class MachinePresenter(QObject):
    """Keeps the machine for its page, and the user's own values for all pages."""

    state_changed = Signal(object)
    refused = Signal(str)
    unexpected = Signal(object)

    def __init__(
        self,
        *,
        probe: Callable[[], MachineProfile] = lambda: probe_machine(overrides={}),
        read: Callable[[], Mapping[str, str]] = read_overrides,
        keep: Callable[[Mapping[str, str]], None] = keep_overrides,
        parent: QObject | None = None,
    ) -> None:
        """Take the functions that probe and that keep the user's own values."""
        super().__init__(parent)
        self._probe = probe
        self._keep = keep
        self._overrides = dict(read())
        self._state = MachineState()
        self._task: BackgroundTask | None = None

    @property
    def state(self) -> MachineState:
        """What is to be shown now."""
        return self._state

    def probe(self) -> None:
        """Look at the machine; what was found before stays to be seen until then."""
        if self._state.stage is MachineStage.PROBING:
            return
        self._replace(replace(self._state, stage=MachineStage.PROBING, message=""))
        self._task = BackgroundTask(lambda _send: self._probe(), parent=self)
        self._task.done.connect(self._take)
        self._task.failed.connect(self._on_failed)
        self._task.start()

    def probe_once(self) -> None:
        """Look at the machine unless that was done."""
        if self._state.profile is None:
            self.probe()

    def take_profile(self, profile: MachineProfile | None) -> None:
        """Take the profile that the main job has just collected, the user's values in it."""
        if profile is None or profile is self._state.profile or self._state.probed is not None:
            return
        if not profile.overrides:
            self._take(profile)

    def change(self, name: str, text: str) -> None:
        """Put the user's value in the place of a probed one, for this and all later runs."""
        self._settle({**self._overrides, name: text})

    def refusal(self, name: str, text: str) -> str:
        """Return why the user's value cannot be taken, without its dotted name; "" when it can."""
        if self._state.probed is not None:
            try:
                apply_overrides(self._state.probed, {**self._overrides, name: text})
            except AdvisorError as error:
                return str(error).removeprefix(f"{name}: ")
        return ""

    def reset(self, name: str) -> None:
        """Take what the probe found again."""
        self._settle({key: text for key, text in self._overrides.items() if key != name})

    def wait(self, timeout_s: float) -> bool:
        """Wait for the probe's thread to end; tell whether none is left."""
        return self._task is None or self._task.wait(timeout_s)

    def _settle(self, overrides: Mapping[str, str]) -> None:
        probed = self._state.probed
        if probed is None:
            return
        try:
            profile = apply_overrides(probed, overrides)
        except AdvisorError as error:
            self.refused.emit(error_line(error))
            return
        self._overrides = dict(overrides)
        self._keep(self._overrides)
        self._replace(replace(self._state, profile=profile))

    def _take(self, probed: MachineProfile) -> None:
        try:
            profile = apply_overrides(probed, self._overrides)
        except AdvisorError:
            profile = self._take_each(probed)
        self._replace(MachineState(stage=MachineStage.READY, profile=profile, probed=probed))

    def _take_each(self, probed: MachineProfile) -> MachineProfile:
        """Return the machine with those of the user's values that it can have."""
        profile = probed
        for name, text in list(self._overrides.items()):
            try:
                profile = apply_overrides(profile, {name: text})
            except AdvisorError:
                # A part that is not in this machine any more.
                del self._overrides[name]
        return profile

    def _on_failed(self, error: Exception) -> None:
        text = error_line(error)
        self._replace(replace(self._state, stage=MachineStage.FAILED, message=text))
        if not isinstance(error, AdvisorError | OSError):
            self.unexpected.emit(error)

    def _replace(self, state: MachineState) -> None:
        self._state = state
        self.state_changed.emit(state)
