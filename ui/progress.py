"""Live progress of the journey on a terminal's standard error, and cancelling by Ctrl-C.

On a terminal one line is rewritten; elsewhere (a file, a log) what stays is a line, and so is
what passes when nothing was said for some seconds.
Leaves to others: what happens (`ui.journey`), the final text (`advisor.report`).
"""

import contextlib
import shutil
import sys
import time
from types import FrameType, TracebackType
from typing import TextIO

from advisor.format import format_duration, format_duration_interval, format_rate
from advisor.i18n import N_
from advisor.model.machine import MachineProfile
from advisor.model.measurement import FailedMeasurement, Measurement, Outcome
from advisor.predict.work import flop, rate
from advisor.report.job_line import job_sentence
from advisor.report.names import OUTCOMES, request_name
from advisor.report.said import said_deed, said_line
from probes.bench.events import KernelFinished, KernelProgress, KernelStarted
from probes.bench.process import CancelToken
from ui import journey
from ui.ending import answered_by
from ui.journey import JourneyEvent, PlanReady, ProfileReady, ProvisionalReady
from ui.terminal import user_translator

# Whoever reads a file or a pipe hears at least this often that something is done.
_QUIET_S = 10.0


class TerminalProgress:
    """Shows events as they come; inside `with`, Ctrl-C cancels in order, and what there is is kept.

    So do being asked to end and a terminal that is closed. Twice: the worker is not waited for;
    once more, or where nothing is being measured: nothing is kept.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self.cancel = CancelToken()
        self._stream = stream or sys.stderr
        self._is_terminal = self._stream.isatty()
        self._tr = user_translator()
        self._began = time.monotonic()
        self._has_line = False
        self._said_s = self._began
        self._n_skipped = 0
        self._told: set[str] = set()
        self._open = contextlib.ExitStack()

    def __enter__(self) -> "TerminalProgress":
        """Take over Ctrl-C and the like where that is possible (the main thread)."""
        self._open.enter_context(answered_by(self._interrupt))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Give them back and end the rewritten line."""
        self._open.close()
        self.clear()
        if self._n_skipped:
            text = N_("{n} kernels of less weight were left out, as the time set aside was used up")
            self._line(self._tr(text, n=self._n_skipped))

    def _interrupt(self, _number: int, _frame: FrameType | None) -> None:
        if not self.cancel.is_cancelled:
            self.cancel.cancel()
            self._line(self._tr(N_("cancelling: what was measured is kept")))
        elif not self.cancel.hurry():
            raise KeyboardInterrupt

    def ask_machine(self) -> None:
        """Tell that the machine is asked what it is: a driver may take half a minute to answer."""
        self._rewrite(self._tr(N_("Asking this machine and its drivers what they are …")))

    def show(self, event: JourneyEvent) -> None:
        """Tell one event."""
        tr = self._tr
        if isinstance(event, ProfileReady):
            self._line(tr(N_("This machine: {cpu}"), cpu=event.profile.cpu.brand))
        elif isinstance(event, ProvisionalReady):
            advised = event.recommendation
            # A short name may mean another network than its user had in mind.
            job = job_sentence(advised.workload, advised.preferences, tr)
            self._line(tr(N_("This job: {job}"), job=job))
            if not advised.ranked:
                return
            first = advised.ranked[0]
            guess = {
                "title": said_deed(first.option, tr),
                "time": format_duration_interval(first.prediction.total_s, tr),
            }
            if advised.measurements is None:
                text = tr(N_("First guess, nothing measured yet: {title}, {time}"), **guess)
            else:
                date = advised.measurements.measured_on
                text = N_("First guess, by what was measured on {date}: {title}, {time}")
                text = tr(text, date=date, **guess)
            self._line(text)
        elif isinstance(event, PlanReady):
            text = N_("Measuring up to {n} kernels, what weighs most first; Ctrl-C stops")
            self._line(tr(text, n=event.n_kernels))
        elif isinstance(event, KernelStarted):
            self._rewrite(f"{request_name(event.request, tr)} …")
        elif isinstance(event, KernelProgress):
            self._sustained(event)
        elif isinstance(event, KernelFinished):
            self._finished(event)

    def _sustained(self, event: KernelProgress) -> None:
        request = event.request
        operations = flop(request.shape, direction=request.direction)
        value = format_rate(operations / event.value_s, "flop/s")
        name = f"{request.device_id}: {request_name(request, self._tr)}"
        self._rewrite(f"{name}: {format_duration(event.at_s, self._tr)}: {value}")

    def _finished(self, event: KernelFinished) -> None:
        result = event.result
        count = f"[{event.n_done:3}/{event.n_total}] {time.monotonic() - self._began:4.0f} s"
        name = f"{result.request.device_id}: {request_name(result.request, self._tr)}"
        if isinstance(result, FailedMeasurement) and result.outcome is Outcome.SKIPPED:
            self._n_skipped += 1
            return
        if isinstance(result, FailedMeasurement):
            why = said_line(result.message, self._tr)
            reason = f"{self._tr(OUTCOMES[result.outcome])}: {why}"
            # A framework that cannot load fails a hundred kernels: one line says it.
            tell = self._rewrite if reason in self._told else self._line
            self._told.add(reason)
            tell(f"{count}  {name}: {reason}")
            return
        text = f"{count}  {name}: {_figure(result)}"
        if result.request.role == "headline":
            self._line(text)
        else:
            self._rewrite(text)

    def _line(self, text: str) -> None:
        # A terminal that was closed has nobody to tell; the figures are kept all the same.
        self._said_s = time.monotonic()
        with contextlib.suppress(OSError):
            self.clear()
            self._stream.write(text + "\n")
            self._stream.flush()

    def _rewrite(self, text: str) -> None:
        """Show a passing state: on terminals in place, elsewhere now and then."""
        if not self._is_terminal:
            if time.monotonic() - self._said_s >= _QUIET_S:
                self._line(text)
            return
        width = shutil.get_terminal_size().columns - 1
        with contextlib.suppress(OSError):
            self._stream.write("\r\x1b[K" + text[:width])
            self._stream.flush()
        self._has_line = True

    def clear(self) -> None:
        """End the rewritten line: nothing of it stays."""
        if self._has_line:
            self._has_line = False
            with contextlib.suppress(OSError):
                self._stream.write("\r\x1b[K")


def probed_machine() -> MachineProfile:
    """Return the facts about this machine; until they are there a terminal says what is done."""
    progress = TerminalProgress()
    progress.ask_machine()
    try:
        return journey.probe_machine()
    finally:
        progress.clear()


def _figure(result: Measurement) -> str:
    value, unit = rate(result)
    return format_rate(value, unit)
