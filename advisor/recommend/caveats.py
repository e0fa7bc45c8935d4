"""Sentences the reader must know before acting, as codes with parameters.

Leaves to others: their text (`advisor.report.reasons`).
"""

from collections.abc import Iterable, Sequence

from advisor.model.instructions import is_imitated
from advisor.model.machine import DeviceKind, MachineProfile, OsFamily
from advisor.model.measurement import MeasurementSet, Outcome
from advisor.model.option import ELSEWHERE, OptionKind
from advisor.model.prediction import Prediction
from advisor.model.quantity import Precision
from advisor.model.recommendation import Caveat, Preferences, RankedOption
from advisor.model.trial import TrialReport, UntakenTrial
from advisor.model.workload import Workload
from advisor.recommend.circumstances import is_intel_mac, is_onnx, is_x86, tensorflow_runs
from advisor.recommend.effort import changes_network, effort_of
from advisor.recommend.first_caveats import electricity_caveats, limit_caveats
from advisor.recommend.fitting import fits_light_runtime
from advisor.recommend.preferences import age_days
from advisor.recommend.reasons import caveat
from advisor.recommend.room import fits_here, fitting_batch, needed_bytes, usable_memory_bytes
from advisor.recommend.staying import is_as_it_is

# A list price may have changed after this many days, a spot price sooner.
OLD_PRICE_DAYS = 90
OLD_SPOT_PRICE_DAYS = 7
# An interval is wide when its ends differ by more than this factor.
WIDE_FACTOR = 4.0
# A job that computes longer than this is one that few people wait for: a month.
IMPATIENT_S = 30 * 86400.0
# What computes this much faster is worth a sentence where its work is not.
WORTH_SAYING = 1.2
# Share of CPU time used by others while it was looked at.
BUSY_FRACTION = 0.2
# Kernels that nobody tried: what stopped the run tells it, not each of them.
_NOT_TRIED = (Outcome.SKIPPED, Outcome.CANCELLED)


def machine_caveats(
    profile: MachineProfile,
    *,
    measurements: MeasurementSet | None,
    workload: Workload,
    is_tried: bool = False,
) -> tuple[Caveat, ...]:
    """Return what there is to know about the machine and what was measured on it.

    Args:
        profile: the machine.
        measurements: of its kernels.
        workload: the job.
        is_tried: real steps of the job were run here, and are taken in.
    """
    found = list(_measured(measurements, is_tried=is_tried))
    if workload.assumed:
        sizes = {"samples": float(workload.samples), "epochs": float(workload.epochs)}
        found.append(caveat("job_assumed", **{name: sizes[name] for name in workload.assumed}))
    load = profile.load
    if load.busy_fraction is not None and load.busy_fraction > BUSY_FRACTION:
        found.append(caveat("busy_machine", busy_percent=100.0 * load.busy_fraction))
    if profile.os.hypervisor:
        found.append(caveat("virtual_machine", hypervisor=profile.os.hypervisor))
    if profile.os.container:
        found.append(caveat("container", container=profile.os.container))
    if profile.cpu.quota_cpus is not None:
        found.append(caveat("cpu_limit", cpus=profile.cpu.quota_cpus))
    if profile.power.on_battery:
        found.append(caveat("on_battery"))
    found += [
        caveat("opencl_device_is_cpu", device=device.name)
        for device in profile.opencl
        if device.kind is DeviceKind.CPU
    ]
    if profile.overrides:
        found.append(caveat("overridden", names=", ".join(profile.overrides)))
    found += _framework(profile, workload)
    found += _memory(profile, workload)
    if workload.precision is Precision.INT8:
        found.append(caveat("int8_needs_quantising"))
    if is_imitated(workload.precision, profile=profile):
        found.append(caveat(f"{workload.precision.value}_is_imitated"))
    found += [caveat("workload_note", note=note) for note in workload.notes]
    return tuple(found)


def _framework(profile: MachineProfile, workload: Workload) -> Iterable[Caveat]:
    """Yield why TensorFlow, which the times are of, is not what runs the job."""
    if is_onnx(workload):
        yield caveat(f"onnx_file_{workload.phase.value}")
    runs = tensorflow_runs(profile)
    if runs is False:
        has_builds = not is_intel_mac(profile) and profile.os.family is not OsFamily.OTHER
        lacks_avx = is_x86(profile) and has_builds
        code = "tensorflow_needs_avx" if lacks_avx else "tensorflow_has_no_build"
        yield caveat(code, machine=f"{profile.os.name}, {profile.os.architecture}")


def _memory(profile: MachineProfile, workload: Workload) -> Iterable[Caveat]:
    """Yield that a job does not fit, with a batch that would where there is one."""
    size_bytes = usable_memory_bytes(profile)
    if size_bytes is None or fits_here(workload, profile):
        return
    values = {"needed_bytes": float(needed_bytes(workload, profile=profile))}
    batch_size = fitting_batch(workload, size_bytes=size_bytes, profile=profile)
    if batch_size is not None:
        values["batch"] = float(batch_size)
    # A light runtime may do what the framework has no room for: that no batch runs is not said.
    if batch_size is not None or not fits_light_runtime(workload, size_bytes=size_bytes):
        values["available_bytes"] = float(size_bytes)
    yield caveat("memory_too_small", **values)


def trial_caveats(taken: TrialReport | None, *, untaken: UntakenTrial | None) -> tuple[Caveat, ...]:
    """Return from which day the times of what was tried are, or why they are not used."""
    found = []
    if taken is not None:
        found.append(caveat("trial_taken", date=taken.measured_on))
    if untaken is not None:
        changed = {"then": untaken.then, "now": untaken.now} if untaken.then else {}
        found.append(caveat("trial_not_taken", date=untaken.tried_on, **changed))
    return tuple(found)


def _measured(measurements: MeasurementSet | None, *, is_tried: bool) -> Iterable[Caveat]:
    if measurements is not None and measurements.is_cancelled:
        n_measured, n_asked = len(measurements.measured), len(measurements.results)
        yield caveat("run_cancelled", n_measured=float(n_measured), n_asked=float(n_asked))
    if measurements is None or not measurements.measured:
        yield caveat("only_tried" if is_tried else "not_measured")
        return
    failed = [f for f in measurements.failed if f.outcome not in _NOT_TRIED]
    if failed:
        yield caveat("some_failed", n_failed=float(len(failed)))
    for warning in measurements.warnings:
        yield caveat("unsteady_measurements", warning=warning.value)


def advice_caveats(
    ranked: Sequence[RankedOption],
    *,
    baseline: Prediction,
    preferences: Preferences,
    today: str,
    first_w: float | None = None,
) -> tuple[Caveat, ...]:
    """Return what there is to know about the advice itself.

    Args:
        ranked: options, best first.
        baseline: staying.
        preferences: what the user wants and refuses.
        today: ISO date.
        first_w: watts that the first option takes on this machine; None: not known.
    """
    found = []
    if not ranked:
        found.append(caveat("nothing_within_limits" if preferences.has_limits else "nothing_fits"))
    elif all(changes_network(entry.option) for entry in ranked):
        found.append(caveat("only_other_jobs"))
    spread = baseline.total_s.high / baseline.total_s.low if baseline.total_s.low > 0.0 else 1.0
    if spread > WIDE_FACTOR:
        found.append(caveat("interval_wide", factor_x=spread))
    if ranked and ranked[0].prediction.total_s.mid > IMPATIENT_S:
        hours = ranked[0].prediction.total_s.mid / 3600.0
        found.append(caveat("first_takes_long", hours=hours))
    if any(entry.prediction.is_warned for entry in ranked[:1]):
        found.append(caveat("first_uncertain", option=ranked[0].option.title))
    found += limit_caveats(ranked, preferences=preferences)
    found += _pays_in_longer_jobs(ranked)
    found += _price_ages(ranked, today)
    if any(entry.option.kind is OptionKind.CLOUD for entry in ranked):
        found.append(caveat("price_is_not_availability"))
    found += electricity_caveats(ranked, preferences=preferences, first_w=first_w)
    if any(entry.option.purchase is not None for entry in ranked):
        found.append(caveat("purchase_price_not_of_today"))
    return tuple(found)


def _pays_in_longer_jobs(ranked: Sequence[RankedOption]) -> list[Caveat]:
    """Return what computes faster than the first, which is to change nothing, but takes work."""
    if not ranked or not is_as_it_is(ranked[0].option):
        return []
    faster = [
        entry
        for entry in ranked[1:]
        if entry.option.kind not in ELSEWHERE
        and not changes_network(entry.option)
        and entry.speedup.low > 1.0
        and entry.speedup.mid >= WORTH_SAYING
    ]
    if not faster:
        return []
    best = max(faster, key=lambda entry: entry.speedup.mid)
    # Without what is installed already.
    work_s = effort_of(best.option).work_s
    if best.done_s is not None:
        work_s = best.done_s - best.prediction.total_s.mid
    minutes = work_s / 60.0
    return [
        caveat(
            "pays_in_longer_jobs", option=best.option.title, factor_x=best.speedup.mid,
            minutes=minutes,
        )
    ]  # fmt: skip


def _price_ages(ranked: Sequence[RankedOption], today: str) -> list[Caveat]:
    """Return one caveat for list prices and one for spot prices, with the oldest of each."""
    oldest = {False: 0, True: 0}
    for entry in ranked:
        date = entry.cost.price_date
        if entry.option.kind is OptionKind.CLOUD and date is not None:
            days = age_days(date, today=today) or 0
            oldest[entry.option.is_spot] = max(oldest[entry.option.is_spot], days)
    found = []
    if oldest[False] > OLD_PRICE_DAYS:
        found.append(caveat("prices_older_than_90_days", days=float(oldest[False])))
    if oldest[True] > OLD_SPOT_PRICE_DAYS:
        found.append(caveat("spot_prices_older_than_7_days", days=float(oldest[True])))
    return found
