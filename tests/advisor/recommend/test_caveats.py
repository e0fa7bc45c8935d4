"""What the reader must know."""

import dataclasses

import pytest

from advisor.i18n import translator_for
from advisor.model.kernel import Direction, GemmShape
from advisor.model.machine import DeviceKind, Load, Memory, OsFamily, Power
from advisor.model.measurement import (
    BenchmarkRequest,
    FailedMeasurement,
    Measurement,
    MeasurementSet,
    Outcome,
    Runner,
    SoftwareStack,
    StabilityWarning,
)
from advisor.model.option import OptionKind
from advisor.model.quantity import Interval, Phase, Precision
from advisor.model.recommendation import Preferences, RankedOption
from advisor.model.trial import UntakenTrial
from advisor.recommend.caveats import advice_caveats, machine_caveats, trial_caveats
from advisor.recommend.recommend import recommend
from advisor.report.reasons import caveat_text
from tests.advisor.recommend.builders import (
    GIB,
    TODAY,
    a_cloud_option,
    a_cost,
    a_cpu,
    a_prediction,
    a_profile,
    a_spec,
    a_workload,
    an_environment,
    an_opencl,
    an_option,
    an_os,
    exactly,
    replace,
)
from tests.advisor.recommend.test_own_steps import KNOWLEDGE
from tests.advisor.recommend.test_tried import TRIALS, WORKLOAD
from tests.advisor.share.builders import machine

REQUEST = BenchmarkRequest(
    id="g", role="headline", runner=Runner.NUMPY, device_id="cpu",
    shape=GemmShape(m=8, n=8, k=8), direction=Direction.FORWARD, precision=Precision.FLOAT32,
)  # fmt: skip
TR = translator_for("en")
MEASURED = Measurement(
    request=REQUEST,
    stack=SoftwareStack(
        framework="numpy", framework_version=None, backend=None, backend_version=None
    ),
    warmups_s=(),
    values_s=(1.0,),
    loops=1,
    check="ok",
)
FAILED = FailedMeasurement(request=REQUEST, outcome=Outcome.CRASHED, message="it died")
SKIPPED = FailedMeasurement(request=REQUEST, outcome=Outcome.SKIPPED, message="no time left")
CANCELLED = FailedMeasurement(
    request=REQUEST, outcome=Outcome.CANCELLED, message="cancelled before its turn"
)


def a_set(*results, warnings=()):
    return MeasurementSet(measured_on=TODAY, duration_s=1.0, results=results, warnings=warnings)


def test_sizes_that_nobody_gave_are_told():
    work = dataclasses.replace(a_workload(), samples=500, epochs=3)
    assert "job_assumed" not in of_machine(workload=work)
    both = dataclasses.replace(work, assumed=("samples", "epochs"))
    assert of_machine(workload=both)["job_assumed"] == {"samples": 500.0, "epochs": 3.0}
    one = dataclasses.replace(work, assumed=("epochs",))
    assert of_machine(workload=one)["job_assumed"] == {"epochs": 3.0}


def of_machine(measurements=None, *, workload=None, **changes):
    found = machine_caveats(
        a_profile(**changes),
        measurements=measurements or a_set(MEASURED),
        workload=workload or a_workload(),
    )
    return {entry.code: {p.name: p.value for p in entry.parameters} for entry in found}


def a_row(option, *, date=None, spread=1.5, is_warned=False):
    total = Interval(low=3600.0 / spread, mid=3600.0, high=3600.0 * spread)
    return RankedOption(
        option=option,
        rank=1,
        prediction=replace(a_prediction(option.id), total_s=total, is_warned=is_warned),
        cost=replace(a_cost(1.0), price_date=date),
        speedup=exactly(1.0),
        score=1.0,
        score_parts=(),
        reasons=(),
        steps=(),
        is_pareto=False,
    )


def of_advice(*rows, baseline=None, **wishes):
    found = advice_caveats(
        rows,
        baseline=baseline or a_prediction(),
        preferences=Preferences(**wishes),
        today=TODAY,
    )
    return {entry.code: {p.name: p.value for p in entry.parameters} for entry in found}


def test_a_quiet_measured_machine_has_no_caveat():
    assert of_machine() == {}


@pytest.mark.parametrize("measurements", [a_set(), a_set(FAILED)])
def test_nothing_measured(measurements):
    assert "not_measured" in of_machine(measurements)


def test_no_measurements_at_all():
    found = machine_caveats(a_profile(), measurements=None, workload=a_workload())
    assert [entry.code for entry in found] == ["not_measured"]


@pytest.mark.parametrize("phase", list(Phase))
def test_whose_times_are_given_for_an_onnx_file(phase):
    job = a_workload(network="net.onnx", phase=phase)
    found = machine_caveats(a_profile(), measurements=None, workload=job)
    assert f"onnx_file_{phase.value}" in [entry.code for entry in found]
    other = machine_caveats(a_profile(), measurements=None, workload=a_workload(phase=phase))
    assert not any(entry.code.startswith("onnx") for entry in other)


def test_what_was_tried_is_something_that_was_measured():
    found = machine_caveats(a_profile(), measurements=None, workload=a_workload(), is_tried=True)
    assert [entry.code for entry in found] == ["only_tried"]


def test_a_cancelled_run_says_so_first_and_how_much_it_has():
    found = of_machine(a_set(MEASURED, FAILED, SKIPPED, CANCELLED, CANCELLED))
    assert list(found) == ["run_cancelled", "some_failed"]
    assert found["run_cancelled"] == {"n_measured": 1.0, "n_asked": 5.0}
    assert found["some_failed"] == {"n_failed": 1.0}


def test_a_run_cancelled_before_its_first_figure_has_measured_nothing():
    found = of_machine(a_set(CANCELLED))
    assert found == {"run_cancelled": {"n_measured": 0.0, "n_asked": 1.0}, "not_measured": {}}


def test_what_was_left_out_for_want_of_time_is_no_cancelled_run():
    assert of_machine(a_set(MEASURED, SKIPPED)) == {}


def test_some_failed_and_unsteady():
    found = of_machine(a_set(MEASURED, FAILED, warnings=(StabilityWarning.NOISY,)))
    assert found == {
        "some_failed": {"n_failed": 1.0},
        "unsteady_measurements": {"warning": "noisy"},
    }


@pytest.mark.parametrize(
    ("changes", "code", "values"),
    [
        (
            {"load": Load(load_average_1m=3.0, busy_fraction=0.5, steal_fraction=None)},
            "busy_machine",
            {"busy_percent": 50.0},
        ),
        ({"os": an_os(hypervisor="kvm")}, "virtual_machine", {"hypervisor": "kvm"}),
        ({"os": an_os(container="docker")}, "container", {"container": "docker"}),
        ({"cpu": a_cpu(quota_cpus=2.0)}, "cpu_limit", {"cpus": 2.0}),
        ({"power": Power(on_battery=True, governor=None)}, "on_battery", {}),
        (
            {"opencl": (an_opencl(kind=DeviceKind.CPU, name="pocl"),)},
            "opencl_device_is_cpu",
            {"device": "pocl"},
        ),
        ({"overrides": ("cpu.brand",)}, "overridden", {"names": "cpu.brand"}),
        (
            {"memory": Memory(total_bytes=GIB, available_bytes=None, limit_bytes=None)},
            "memory_too_small",
            {"needed_bytes": GIB + 200.0 * 1024**2, "available_bytes": float(GIB)},
        ),
        (
            {"memory": Memory(total_bytes=GIB + 2**27, available_bytes=None, limit_bytes=None)},
            "memory_too_small",
            {
                "needed_bytes": GIB + 200.0 * 1024**2,
                "available_bytes": GIB + 2.0**27,
                "batch": 17.0,
            },
        ),
        (
            {"cpu": a_cpu(isa_features=("sse4_2",))},
            "tensorflow_needs_avx",
            {"machine": "Debian GNU/Linux, x86_64"},
        ),
        (
            {"os": an_os(family=OsFamily.WINDOWS, name="Windows 11", architecture="arm64")},
            "tensorflow_has_no_build",
            {"machine": "Windows 11, arm64"},
        ),
        (
            {"os": an_os(name="Raspbian", architecture="armv7l")},
            "tensorflow_has_no_build",
            {"machine": "Raspbian, armv7l"},
        ),
        (
            {"os": an_os(family=OsFamily.MACOS, name="macOS")},
            "tensorflow_has_no_build",
            {"machine": "macOS, x86_64"},
        ),
        (
            {
                "os": an_os(family=OsFamily.OTHER, name="FreeBSD", architecture="amd64"),
                "environments": (),
            },
            "tensorflow_has_no_build",
            {"machine": "FreeBSD, amd64"},
        ),
    ],
)
def test_caveats_of_the_machine(changes, code, values):
    assert of_machine(**changes) == {code: values}


@pytest.mark.parametrize(
    ("features", "is_told"),
    [
        (("avx2", "fma"), True),
        (("avx2", "avx512_bf16"), False),
        (("asimd", "bf16"), False),
        ((), False),
    ],
)
def test_imitated_bfloat16_is_told(features, is_told):
    work = dataclasses.replace(a_workload(), precision=Precision.BFLOAT16)
    found = of_machine(workload=work, cpu=a_cpu(isa_features=features))
    assert ("bfloat16_is_imitated" in found) is is_told
    assert "bfloat16_is_imitated" not in of_machine(cpu=a_cpu(isa_features=features))


def test_where_a_light_runtime_has_room_it_is_not_said_that_no_batch_runs():
    memory = Memory(total_bytes=400 << 20, available_bytes=None, limit_bytes=None)
    inference = a_workload(phase=Phase.INFERENCE)
    found = of_machine(workload=inference, memory=memory)["memory_too_small"]
    assert "available_bytes" not in found
    assert "available_bytes" in of_machine(memory=memory)["memory_too_small"]


def test_notes_of_the_workload_are_passed_on():
    found = of_machine(workload=a_workload(notes=("a layer is unknown",)))
    assert found == {"workload_note": {"note": "a layer is unknown"}}


def test_nothing_within_the_limits():
    assert "nothing_within_limits" in of_advice(max_usd=1.0)
    assert "nothing_within_limits" in of_advice(allows_cloud=False)


def test_limits_that_nobody_set_are_not_blamed():
    found = of_advice()
    assert "nothing_fits" in found
    assert "nothing_within_limits" not in found


def test_that_only_smaller_jobs_are_left_is_told():
    smaller = a_row(an_option("a", kind=OptionKind.CHANGE_NETWORK))
    same = a_row(an_option("b"))
    assert "only_other_jobs" in of_advice(smaller)
    assert "only_other_jobs" not in of_advice(same, smaller)
    assert "only_other_jobs" not in of_advice()


def test_a_wide_interval_of_the_baseline_is_told():
    wide = replace(a_prediction(), total_s=Interval(low=1.0, mid=2.0, high=5.0))
    assert of_advice(a_row(an_option()), baseline=wide)["interval_wide"] == {"factor_x": 5.0}
    assert "interval_wide" not in of_advice(a_row(an_option()))


def test_an_uncertain_first_is_told():
    first, second = a_row(an_option("a")), a_row(an_option("b"), is_warned=True)
    assert "first_uncertain" not in of_advice(first, second)
    assert of_advice(second, first)["first_uncertain"] == {"option": "b"}


def test_what_computes_faster_but_takes_more_work_than_it_saves_is_told():
    def row(name, kind, *, low, mid):
        faster = Interval(low=low, mid=mid, high=2.0 * mid)
        return dataclasses.replace(a_row(an_option(name, kind=kind)), speedup=faster)

    stay = row("stay", OptionKind.STAY, low=1.0, mid=1.0)
    format_ = row("bf16", OptionKind.PRECISION, low=1.5, mid=1.8)
    threads = row("threads", OptionKind.RUNTIME_SETTINGS, low=1.1, mid=1.3)
    smaller = row("small", OptionKind.CHANGE_NETWORK, low=4.0, mid=5.0)
    unsure = row("unsure", OptionKind.RUNTIME_SETTINGS, low=0.9, mid=3.0)
    found = of_advice(stay, smaller, threads, unsure, format_)["pays_in_longer_jobs"]
    assert (found["option"], found["factor_x"]) == ("bf16", 1.8)
    assert found["minutes"] > 0.0
    assert "pays_in_longer_jobs" not in of_advice(stay, smaller, unsure)
    assert "pays_in_longer_jobs" not in of_advice(format_, stay)


def test_old_prices_are_told_with_the_oldest_age():
    found = of_advice(
        a_row(a_cloud_option(), date="2026-08-01"),
        a_row(a_cloud_option(), date="2026-08-20"),
        a_row(a_cloud_option(is_spot=True), date="2026-11-11"),
    )
    assert found["prices_older_than_90_days"] == {"days": 112.0}
    assert found["spot_prices_older_than_7_days"] == {"days": 10.0}
    assert "price_is_not_availability" in found


def test_fresh_prices_are_not_called_old():
    found = of_advice(
        a_row(a_cloud_option(), date="2026-11-01"),
        a_row(a_cloud_option(is_spot=True), date="2026-11-20"),
    )
    assert "prices_older_than_90_days" not in found
    assert "spot_prices_older_than_7_days" not in found


def test_electricity_and_purchases():
    row = a_row(an_option("b", OptionKind.BUY, purchase=a_spec()))
    assert {"electricity_not_counted", "purchase_price_not_of_today"} <= set(of_advice(row))
    assert "electricity_not_counted" not in of_advice(row, electricity_usd_per_kwh=0.3)


def codes_and_values(found):
    return [(c.code, {p.name: p.value for p in c.parameters}) for c in found]


def test_an_earlier_trial_is_told_with_its_day_whether_it_is_taken_in_or_not():
    assert trial_caveats(None, untaken=None) == ()
    taken = codes_and_values(trial_caveats(TRIALS, untaken=None))
    assert taken == [("trial_taken", {"date": TRIALS.measured_on})]
    other = UntakenTrial(tried_on="2026-11-01", then="keras 3.0", now="keras 3.1")
    (named,) = trial_caveats(None, untaken=other)
    assert "on 2026-11-01 with keras 3.0, here is keras 3.1 now" in caveat_text(named, TR)
    (plain,) = trial_caveats(None, untaken=UntakenTrial(tried_on="2026-11-01"))
    assert "with other data, training settings or software" in caveat_text(plain, TR)


def test_a_trial_of_another_job_is_not_said_to_be_taken_in():
    words = {"today": "2026-11-22", "app_version": "0"}
    for batch, wanted in ((WORKLOAD.batch_size, 1), (WORKLOAD.batch_size + 1, 0)):
        work = dataclasses.replace(WORKLOAD, batch_size=batch)
        advice = recommend(
            machine(),
            None,
            work,
            Preferences(allows_cloud=False),
            KNOWLEDGE,
            trials=TRIALS,
            **words,
        )
        assert [c.code for c in advice.caveats].count("trial_taken") == wanted


def test_a_first_that_takes_months_is_told():
    row = a_row(an_option("a"))
    total = Interval(low=5e6, mid=6e6, high=7e6)
    slow = replace(row, prediction=replace(row.prediction, total_s=total))
    assert of_advice(slow)["first_takes_long"] == {"hours": pytest.approx(6e6 / 3600.0)}
    assert "first_takes_long" not in of_advice(row, slow)


@pytest.mark.parametrize(
    ("features", "is_told"), [(("avx2", "f16c"), True), (("avx512_fp16",), False), ((), False)]
)
def test_imitated_float16_is_told(features, is_told):
    work = dataclasses.replace(a_workload(), precision=Precision.FLOAT16)
    found = of_machine(workload=work, cpu=a_cpu(isa_features=features))
    assert ("float16_is_imitated" in found) is is_told


def test_where_somebody_has_built_tensorflow_for_another_system_it_runs():
    built = an_environment(("tensorflow", "2.15"))
    system = an_os(family=OsFamily.OTHER, name="FreeBSD", architecture="amd64")
    assert of_machine(os=system, environments=(built,)) == {}
