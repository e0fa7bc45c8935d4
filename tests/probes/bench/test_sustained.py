"""One product for minutes, with real children."""

import sys
from pathlib import Path

import pytest

from advisor.errors import InputError
from advisor.model.measurement import Outcome, Runner, Setting
from probes.bench import sustained
from probes.bench.commands import WorkerCommand, worker_script
from probes.bench.events import KernelProgress
from probes.bench.process import CancelToken
from probes.bench.session import wire_kernel
from probes.bench.sustained import measure_sustained, plan_sustained

DRILL = Path(__file__).parents[2] / "data" / "workers" / "drill.py"


def drill(log, **settings):
    """Return a maker of commands for the drill worker."""

    def command(_name, **_more):
        argv = (sys.executable, "-S", str(DRILL), str(worker_script("main").parent))
        pairs = (("DL_TEST_LOG", str(log)), *settings.items())
        environment = tuple(Setting(name=name, value=value) for name, value in pairs)
        return WorkerCommand(argv=argv, environment=environment)

    return command


def test_the_product_lasts_for_the_minutes_in_short_values(profile):
    request = plan_sustained(profile, minutes=10)
    assert request.role == "sustained"
    assert request.runner is Runner.KERAS
    assert request.min_value_s * request.n_values == pytest.approx(600.0)
    assert wire_kernel(request)["duration_s"] == pytest.approx(600.0)
    assert request.shape.m == 2048


def test_a_slow_processor_gets_a_smaller_product(with_cpu):
    slow = with_cpu(isa_features=("neon",), n_physical_cores=4, n_logical_cpus=4, max_mhz=1500.0)
    assert plan_sustained(slow, minutes=1).shape.m == 1024


def test_an_opencl_device_is_kept_busy_by_its_own_kernels(profile):
    request = plan_sustained(profile, minutes=1, device_id="opencl:0:0")
    assert (request.runner, request.device_id) == (Runner.OPENCL, "opencl:0:0")


@pytest.mark.parametrize("minutes", [0.0, -1.0, 1e6, float("nan")])
def test_minutes_that_make_no_sense_are_refused(profile, minutes):
    with pytest.raises(InputError, match="minutes: give more than 0"):
        plan_sustained(profile, minutes=minutes)


def test_an_unknown_device_is_refused(profile):
    with pytest.raises(InputError, match="'gpu'; there is: cpu, opencl:0:0"):
        plan_sustained(profile, minutes=1, device_id="gpu")


def test_values_come_as_they_are_taken_and_all_of_them_count(profile, tmp_path, monkeypatch):
    monkeypatch.setattr(sustained, "VALUE_S", 0.05)
    events = []
    found = measure_sustained(
        profile, minutes=0.005, command=drill(tmp_path / "log"), on_event=events.append
    )
    (measured,) = found.measured
    told = [event.value_s for event in events if isinstance(event, KernelProgress)]
    assert tuple(told) == measured.values_s
    assert 0.25 <= sum(measured.values_s) * measured.loops < 1.0


def test_cancelling_keeps_what_there_is(profile, tmp_path, monkeypatch):
    monkeypatch.setattr(sustained, "VALUE_S", 0.05)
    token = CancelToken()
    seen = []

    def on_event(event):
        if isinstance(event, KernelProgress):
            seen.append(event.value_s)
            if len(seen) == 3:
                token.cancel()

    found = measure_sustained(
        profile, minutes=10, command=drill(tmp_path / "log"), on_event=on_event, cancel=token
    )
    (measured,) = found.measured
    assert len(measured.values_s) >= 3
    assert measured.check == "fine"
    assert found.failed == ()


def test_cancelling_before_the_first_value_gives_no_figure_and_no_second_try(profile, tmp_path):
    token = CancelToken()
    token.cancel()
    found = measure_sustained(profile, minutes=1, command=drill(tmp_path / "log"), cancel=token)
    assert [f.outcome for f in found.failed] == [Outcome.CANCELLED]


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_where_keras_is_impossible_numpy_keeps_the_processor_busy(profile, tmp_path, monkeypatch):
    monkeypatch.setattr(sustained, "VALUE_S", 0.05)
    log = tmp_path / "log"
    commands = iter([drill(log, DL_DRILL="abort@import"), drill(log)])
    found = measure_sustained(
        profile, minutes=0.003, command=lambda *words, **more: next(commands)(*words, **more)
    )
    assert [(f.request.runner, f.outcome) for f in found.failed] == [
        (Runner.KERAS, Outcome.CRASHED)
    ]
    assert [m.request.runner for m in found.measured] == [Runner.NUMPY]
