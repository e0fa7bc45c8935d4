"""What disturbed a run makes intervals wider, never narrower; a quiet run leaves them alone."""

import dataclasses
import math
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.model.kernel import ClockShape
from advisor.model.machine import DeviceKind
from advisor.model.measurement import Runner, Setting, StabilityWarning
from advisor.model.option import Option, OptionKind
from advisor.model.quantity import Basis
from advisor.predict.disturbed import (
    FEWEST_BOUT_VALUES,
    FEWEST_KERNELS,
    FEWEST_VALUES,
    KERNEL_SHARE,
    LEAST_BUSY_CPUS,
    LEAST_BUSY_SHARE,
    LEAST_FALL,
    LEAST_STEAL,
    QUIET_KERNEL_SD,
    QUIET_SD,
    Disturbance,
    disturbance,
    kernels_sd,
    reference_sd,
)
from advisor.predict.predict import predict, predict_baseline
from advisor.predict.workload_time import Z_80
from advisor.report.sentences import SENTENCES
from probes.bench import stability
from tests.accuracy.live_file import Recording
from tests.advisor.predict.builders import (
    calibration,
    gemm,
    knowledge,
    measure,
    measurement_set,
    offer,
    opencl_device,
    prediction_context,
    profile,
)

RECORDED = Path(__file__).resolve().parents[2] / "accuracy" / "recorded"
FACTS = knowledge()
TABLE = calibration()
PRODUCT = gemm(512, 512, 512)
N_VALUES = 120
CHANCE = random.Random(20261122)
# What a quiet machine does to the logarithms of values.
JITTER = [CHANCE.gauss(0.0, 1.0) for _ in range(N_VALUES)]
QUIET = [0.04 * each for each in JITTER]
# Another program holds one of two cores for a third of the run: the product waits for its half.
ONE_CORE = [each + math.log(2.0) * (n % 3 == 0) for n, each in enumerate(QUIET)]


def reference(logs, **more):
    values = tuple(1e-3 * math.exp(log) for log in logs)
    return measure(PRODUCT, values, role="reference", **more)


def run(logs=None, *, warnings=(), more=()):
    looks = () if logs is None else (reference(logs),)
    return dataclasses.replace(measurement_set(*TABLE, *looks, *more), warnings=tuple(warnings))


def context(measurements, *, machine=None):
    return prediction_context(measurements, machine=machine, facts=FACTS)


def told(measurements):
    return predict_baseline(context(measurements))


def width(prediction):
    return math.log(prediction.step_s.high / prediction.step_s.low)


def found_in(measurements, n_cpus=4):
    return disturbance(measurements, n_cpus=n_cpus)


PLAIN = told(run())


def test_a_quiet_run_is_exactly_as_it_was():
    assert found_in(None) == found_in(run()) == found_in(run(QUIET)) == Disturbance()
    quiet = told(run(QUIET))
    assert dataclasses.replace(quiet, evidence=PLAIN.evidence) == PLAIN


@pytest.mark.parametrize("day", [2, 3])
@pytest.mark.parametrize("unit", ["start", "end"])
def test_recorded_quiet_runs_are_quiet(day, unit):
    recording = Recording(RECORDED / f"linux-sapphirerapids-{day}.json.gz")
    measured = recording.measurements(f"calibration/{unit}")
    assert 0.0 < reference_sd(measured.measured) <= QUIET_SD
    unwarned = dataclasses.replace(measured, warnings=())
    assert disturbance(unwarned, n_cpus=2) == Disturbance()


def test_one_core_eaten_for_a_part_of_the_run_widens_the_interval():
    found = told(run(ONE_CORE))
    spread = reference_sd([reference(ONE_CORE)])
    assert spread > 2 * QUIET_SD
    beyond = 2.0 * Z_80 * math.sqrt(spread**2 - QUIET_SD**2)
    assert width(found) == pytest.approx(math.hypot(width(PLAIN), beyond))
    assert found.step_s.mid == PLAIN.step_s.mid
    (note,) = set(found.assumptions) - set(PLAIN.assumptions)
    assert note.startswith("A product timed throughout the run varied by ")


def test_one_core_eaten_all_the_time_leaves_no_spread_but_a_verdict():
    found = told(run([log + math.log(2.0) for log in QUIET], warnings=[StabilityWarning.BUSY]))
    # Of one CPU a quarter was gone at the least: the interval reaches that far by this alone.
    lost = 2.0 * math.log(1.0 / (1.0 - 0.25))
    assert width(found) == pytest.approx(math.hypot(width(PLAIN), lost))
    assert set(found.assumptions) - set(PLAIN.assumptions) == {
        "Measured while other programs used the processor: repeat on a quiet machine."
    }


def test_one_core_of_one_is_lost_by_its_tenth():
    busy = run(warnings=[StabilityWarning.BUSY])
    assert found_in(busy, 1).log_sd == pytest.approx(-math.log(0.9) / Z_80)
    assert found_in(busy, 1).log_sd < found_in(busy, 2).log_sd < found_in(busy, 64).log_sd


@pytest.mark.parametrize("warning", StabilityWarning)
def test_no_warning_narrows_and_each_widening_has_its_reason(warning):
    found = told(run(QUIET, warnings=[warning]))
    assert width(found) >= width(PLAIN)
    is_wider = width(found) > width(PLAIN)
    has_reason = found.assumptions != PLAIN.assumptions
    assert has_reason or not is_wider
    assert is_wider == (
        warning in (StabilityWarning.BUSY, StabilityWarning.STEAL, StabilityWarning.THROTTLED)
    )
    assert has_reason == (is_wider or warning is StabilityWarning.ON_BATTERY)


def test_every_reason_is_translated():
    notes = found_in(run(warnings=list(StabilityWarning))).notes
    assert len(notes) == 4
    assert set(notes) <= set(SENTENCES)


@given(
    logs=st.lists(st.floats(min_value=-1.0, max_value=1.0), min_size=1, max_size=60),
    factor=st.floats(min_value=1.0, max_value=3.0),
    warnings=st.sets(st.sampled_from(StabilityWarning)),
)
def test_more_spread_is_never_narrower(logs, factor, warnings):
    less = found_in(run(logs, warnings=warnings))
    more = found_in(run([factor * log for log in logs], warnings=warnings))
    assert more.log_sd >= less.log_sd - 1e-9


@settings(max_examples=25, deadline=None)
@given(shares=st.tuples(*[st.floats(min_value=0.0, max_value=0.6)] * 2))
def test_more_spread_never_makes_an_interval_narrower(shares):
    less, more = (told(run([share * each for each in JITTER])) for share in sorted(shares))
    assert width(PLAIN) <= width(less) <= width(more) + 1e-9


def test_few_values_the_clock_and_other_devices_tell_nothing():
    wild = [n * 0.5 for n in range(FEWEST_VALUES)]
    assert reference_sd([reference(wild)]) > QUIET_SD
    assert reference_sd([reference(wild[1:])]) == 0.0
    clock = measure(
        ClockShape(load="vector"), (1.0, 2.0) * 6, role="reference", runner=Runner.CLOCK
    )
    elsewhere = reference(ONE_CORE, device_id="opencl0")
    headline = measure(PRODUCT, (1.0, 2.0) * 6, role="headline")
    assert reference_sd([clock, elsewhere, headline]) == 0.0


def kernels(logs, *, n=FEWEST_KERNELS, **more):
    """Return so many kernels whose values lie about their time like these logarithms."""
    return [
        measure(gemm(16 * (at + 1), 64, 64), tuple(1e-4 * math.exp(x) for x in logs), **more)
        for at in range(n)
    ]


def test_kernels_that_vary_widen_the_interval_though_the_reference_is_quiet():
    loud = kernels([-0.2, 0.0, 0.2], n=2 * len(TABLE))
    spread = kernels_sd([*TABLE, *loud])
    assert spread == pytest.approx(0.16 / Z_80)  # tenths of three values lie 0.8 of the way out
    found = found_in(run(QUIET, more=loud))
    beyond = KERNEL_SHARE * math.sqrt(spread**2 - QUIET_KERNEL_SD**2)
    assert found.log_sd == pytest.approx(beyond)
    (note,) = found.notes
    assert note.startswith("Half of the kernels varied by more than 17 %, ")


def test_few_loud_kernels_among_many_and_kernels_of_others_tell_nothing():
    wild = [-0.5, 0.0, 0.5]
    loud = kernels(wild)
    assert kernels_sd(loud) > QUIET_KERNEL_SD
    assert kernels_sd(loud[1:]) == 0.0
    assert kernels_sd(kernels(wild[: FEWEST_BOUT_VALUES - 1])) == 0.0
    assert kernels_sd(kernels(wild, runner=Runner.NUMPY)) == 0.0
    assert kernels_sd(kernels(wild, device_id="opencl0")) == 0.0
    assert kernels_sd(kernels(wild, role="reference")) == 0.0
    some = run(QUIET, more=kernels(wild, n=len(TABLE) // 2))
    assert found_in(some) == Disturbance()


@pytest.mark.parametrize(
    ("host", "is_loud"), [("zen5-1", True), ("zen5-3", True), ("zen5-4", False)]
)
def test_recorded_loud_hosts_are_told_by_their_kernels(host, is_loud):
    recording = Recording(RECORDED / f"linux-{host}.json.gz")
    for unit in ("start", "end"):
        found = kernels_sd(recording.measurements(f"calibration/{unit}").measured)
        assert (found > QUIET_KERNEL_SD) is is_loud


def test_a_data_sheet_is_not_disturbed():
    nothing = dataclasses.replace(measurement_set(), warnings=(StabilityWarning.BUSY,))
    assert context(nothing).baseline_step.basis is Basis.MODEL_ONLY
    assert told(nothing) == told(measurement_set())


def test_steps_under_a_setting_on_its_opencl_device_and_elsewhere_are_disturbed_too():
    one_thread = Setting(name="OMP_NUM_THREADS", value="1")
    device = dataclasses.replace(opencl_device(), kind=DeviceKind.CPU)
    more = [
        *(
            dataclasses.replace(
                m, request=dataclasses.replace(m.request, role="setting", settings=(one_thread,))
            )
            for m in TABLE
        ),
        *(
            dataclasses.replace(
                m,
                request=dataclasses.replace(m.request, runner=Runner.OPENCL, device_id=device.id),
            )
            for m in TABLE
        ),
    ]
    options = [
        Option(id="one-thread", title="", kind=OptionKind.RUNTIME_SETTINGS, settings=(one_thread,)),
        Option(id="opencl", title="", kind=OptionKind.LOCAL_DEVICE, device_id=device.id),
        Option(id="cloud", title="", kind=OptionKind.CLOUD, offer=offer()),
    ]
    machine = profile(opencl=(device,))
    quiet = context(run(QUIET, more=more), machine=machine)
    busy = context(run(QUIET, more=more, warnings=[StabilityWarning.BUSY]), machine=machine)
    for option in options:
        before = predict(option, quiet, predict_baseline(quiet))
        after = predict(option, busy, predict_baseline(busy))
        assert width(after) > width(before), option.id
        assert busy.disturbance.notes[0] in after.assumptions, option.id
        assert busy.disturbance.notes[0] not in before.assumptions, option.id


def test_the_least_of_a_verdict_is_where_it_is_given():
    assert (LEAST_BUSY_SHARE, LEAST_BUSY_CPUS) == (stability.BUSY_SHARE, stability.BUSY_CORES)
    assert (LEAST_STEAL, LEAST_FALL) == (stability.STEAL_SHARE, stability.CLOCK_DRIFT)
