"""What published results say: seconds for one sample, the right rows, and how threads scale.

Leaves to others: predictions from them (`advisor.predict.transfer`, `advisor.predict.predict`).
"""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

from advisor.format import format_number
from advisor.knowledge.store import Knowledge
from advisor.model.machine import DeviceKind
from advisor.model.prediction import Evidence
from advisor.model.published import Comparability, NetworkFacts, PublishedResult, ResultPhase
from advisor.model.quantity import Phase, Precision, Source
from advisor.model.workload import Workload

_PHASES = {Phase.TRAINING: ResultPhase.TRAINING, Phase.INFERENCE: ResultPhase.INFERENCE}
_STEP_METRICS = frozenset({"step_time", "latency"})

# Batches within this ratio of each other count as similar.
SIMILAR_BATCH = 2.0


def spelled(text: str) -> str:
    """Return letters and digits in lower case, to compare names whatever their spelling."""
    return re.sub(r"[^a-z0-9]", "", text.lower())


def network_facts(knowledge: Knowledge, *, name: str) -> NetworkFacts | None:
    """Return the bundled network of a name or one of its aliases."""
    wanted = spelled(name)
    for facts in knowledge.networks:
        if wanted in (spelled(facts.name), *(spelled(alias) for alias in facts.aliases)):
            return facts
    return None


def is_phase(row: PublishedResult, phase: Phase) -> bool:
    """Whether a row timed this phase of a network."""
    return row.phase is _PHASES[phase]


def is_comparable(row: PublishedResult) -> bool:
    """Whether the row's work is that of its workload name, on one device."""
    return row.comparability is not Comparability.NOT_COMPARABLE and (row.n_devices or 1) == 1


def seconds_per_sample(row: PublishedResult, *, facts: NetworkFacts | None) -> float | None:
    """Return the published time of one sample; None when the row cannot tell.

    Args:
        row: a time of a step or an epoch, or a throughput.
        facts: of the row's network, for the samples of an epoch; None when it is not bundled.
    """
    if row.value <= 0.0:
        return None
    if row.metric == "throughput" and row.unit == "1/s":
        return 1.0 / row.value
    if row.unit != "s":
        return None
    if row.metric in _STEP_METRICS:
        if row.batch_size:
            return row.value / row.batch_size
        return row.value if row.metric == "latency" else None
    if row.metric == "epoch_time" and facts is not None and facts.samples:
        return row.value / facts.samples
    return None


def multiply_adds(row: PublishedResult, *, facts: NetworkFacts | None) -> int | None:
    """Return the multiply-adds of one sample that the row's network had; None when unknown."""
    if row.multiply_adds_per_sample:
        return row.multiply_adds_per_sample
    return facts.multiply_adds_per_sample if facts else None


def network_names(workload: Workload, *, knowledge: Knowledge) -> frozenset[str]:
    """Return all spellings of a workload's network, as `spelled` gives them."""
    names = {spelled(workload.network), spelled(workload.title)}
    facts = network_facts(knowledge, name=workload.network)
    if facts is not None:
        names |= {spelled(facts.name), *(spelled(alias) for alias in facts.aliases)}
    return frozenset(names)


def rows_of_network(
    workload: Workload, *, knowledge: Knowledge
) -> tuple[tuple[PublishedResult, float], ...]:
    """Return published results of this network and phase, each with seconds for one sample.

    Only comparable ones on a single device, at the precision of the workload.
    """
    names = network_names(workload, knowledge=knowledge)
    facts = network_facts(knowledge, name=workload.network)
    return tuple(
        (row, per_sample)
        for row in knowledge.published
        if is_phase(row, workload.phase)
        and _precision(row) is workload.precision
        and is_comparable(row)
        and spelled(row.workload) in names
        and (per_sample := seconds_per_sample(row, facts=facts)) is not None
    )


def _precision(row: PublishedResult) -> Precision | None:
    """Return the number format of a row; training that states none is of float32.

    Inference that states none is mostly of an engine that takes int8 or float16 by itself.
    """
    if row.precision is None and row.phase is ResultPhase.TRAINING:
        return Precision.FLOAT32
    return row.precision


def is_similar_batch(row: PublishedResult, batch_size: int) -> bool:
    """Whether a row's batch is known and within a factor of 2."""
    if not row.batch_size:
        return False
    ratio = row.batch_size / batch_size
    return 1.0 / SIMILAR_BATCH <= ratio <= SIMILAR_BATCH


def _quantity(row: PublishedResult) -> str:
    value = format_number(row.value, digits=4)
    wordings = {
        ("epoch_time", "s"): f"{value} s per epoch",
        ("step_time", "s"): f"{value} s per step",
        ("latency", "s"): f"{value} s per call",
        ("throughput", "1/s"): f"{value} samples per second",
        ("time_ratio", "1"): f"{value} times the time",
    }
    return wordings.get((row.metric, row.unit), f"{row.metric} {value} {row.unit}")


def row_evidence(row: PublishedResult) -> Evidence:
    """Return a published row as evidence, in words."""
    details = [row.workload]
    if row.batch_size:
        details.append(f"batch {row.batch_size}")
    if row.threads:
        details.append(f"{row.threads} threads")
    software = " ".join(part for part in (row.framework, row.framework_version) if part)
    if software:
        details.append(software)
    if row.build:
        details.append(f"build: {row.build}")
    statement = f"published: {_quantity(row)} on {row.device} ({', '.join(details)})"
    source = Source(title=row.study, reference=row.source, date=str(row.year) if row.year else None)
    return Evidence(statement=statement, source=source)


def model_number(name: str) -> str | None:
    """Return the longest word of a device name that has a digit: "A10-7850K"."""
    words = [word for word in re.findall(r"[\w-]+", name) if any(c.isdigit() for c in word)]
    return max(words, key=len, default=None)


def rows_of_product(
    knowledge: Knowledge, *, device: str, workload: Workload
) -> tuple[PublishedResult, ...]:
    """Return rows timed on a product (CPU or its iGPU) with this network or its data set.

    Fastest first. The networks need not be equal: such rows are cited, not computed with.
    """
    number = model_number(device)
    if number is None or len(number) < 4:
        return ()
    facts = network_facts(knowledge, name=workload.network)
    names = network_names(workload, knowledge=knowledge)
    data = {re.split(r"[-_]", workload.network.lower(), maxsplit=1)[0]}
    if facts is not None and facts.dataset:
        data.add(spelled(facts.dataset))
    rows = [
        row
        for row in knowledge.published
        if number.lower() in row.device.lower()
        and is_phase(row, workload.phase)
        and (
            spelled(row.workload) in names
            or any(len(word) > 3 and spelled(row.workload).startswith(word) for word in data)
        )
    ]
    return tuple(sorted(rows, key=lambda row: (row.metric, row.value, row.id)))


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadLaw:
    """How a framework uses cores: n threads are n / (1 + a (n - 1) + b n (n - 1)) times one.

    `contention` a is the share that does not run in parallel, `crosstalk` b what every pair of
    threads costs: with it, more threads may be slower.
    """

    contention: float
    crosstalk: float
    n_sweeps: int

    def speedup(self, cores: float) -> float:
        """Return how many times one core some cores are; below one core, the fraction."""
        if cores <= 1.0:
            return cores
        waiting = self.contention * (cores - 1.0) + self.crosstalk * cores * (cores - 1.0)
        return cores / (1.0 + waiting)


# Logarithm of flop over which a sweep is still telling, and the weight of one that is far.
_WORK_LENGTH = 1.5
_FAR_WEIGHT = 0.002

_SWEPT_METRICS = frozenset({"step_time", "epoch_time", "throughput"})
_ONEDNN_NAMES = ("mkl-dnn", "mkldnn", "onednn", "dnnl")

# TensorFlow on a dense network of 14 million parameters at batch 1024, 1 to 32 threads.
DEFAULT_LAW = ThreadLaw(contention=0.09, crosstalk=0.0003, n_sweeps=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadSweep:
    """The law of one published sweep, and the flop of a step that it ran (None: unknown)."""

    law: ThreadLaw
    step_flop: float | None


def thread_sweeps(knowledge: Knowledge, *, framework: str) -> tuple[ThreadSweep, ...]:
    """Return the law of each published sweep over threads of a framework.

    A sweep is one study, network, phase and build on one type of machine at three or more thread
    counts. vCPUs of a cloud instance are threads, two to a core. TensorFlow computes with oneDNN
    today: sweeps of other frameworks over that library count for it.
    """
    sweeps: dict[tuple[object, ...], dict[float, float]] = {}
    work: dict[tuple[object, ...], float | None] = {}
    networks = {spelled(facts.name): facts for facts in knowledge.networks}
    for row in knowledge.published:
        if not (row.threads and row.device_kind is DeviceKind.CPU and _is_of(row, framework)):
            continue
        if row.metric not in _SWEPT_METRICS or row.value <= 0.0:
            continue
        is_instance = f"-{row.threads} " in f"{row.device} "
        cores = row.threads / 2 if is_instance else float(row.threads)
        machine = re.sub(r"\(.*\)", "", row.device.replace(f"-{row.threads}", "-n"))
        key = (
            row.study, row.workload, row.phase, row.build, row.framework_version, row.backend,
            machine, row.batch_size, row.metric, row.precision,
        )  # fmt: skip
        seconds = 1.0 / row.value if row.metric == "throughput" else row.value
        sweeps.setdefault(key, {})[cores] = seconds
        per_sample = multiply_adds(row, facts=networks.get(spelled(row.workload)))
        factor = 6 if row.phase is ResultPhase.TRAINING else 2
        batch = row.batch_size
        work[key] = float(factor * per_sample * batch) if per_sample and batch else None
    laws = _candidate_laws()
    # Most sweeps are over the same few numbers of cores.
    counts = {tuple(times) for times in sweeps.values() if len(times) >= 3}
    shapes = {numbers: [_law_shape(law, numbers) for law in laws] for numbers in counts}
    return tuple(
        ThreadSweep(law=laws[_nearest(times, shapes[tuple(times)])], step_flop=work[key])
        for key, times in sweeps.items()
        if tuple(times) in shapes
    )


def _is_of(row: PublishedResult, framework: str) -> bool:
    if (row.framework or "").lower() == framework.lower():
        return True
    library = (row.backend or "").lower()
    return framework == "TensorFlow" and any(name in library for name in _ONEDNN_NAMES)


def thread_law(sweeps: Iterable[ThreadSweep], *, step_flop: float) -> ThreadLaw:
    """Return the law for steps of some size: that of sweeps over similar work weighs most.

    Large steps keep more threads busy than small ones. Without sweeps, `DEFAULT_LAW`.
    """
    total = contention = crosstalk = 0.0
    count = 0
    known = tuple(sweeps)
    sizes = [sweep.step_flop for sweep in known if sweep.step_flop]
    if sizes:
        step_flop = min(max(step_flop, min(sizes)), max(sizes))
    for sweep in known:
        weight = _FAR_WEIGHT
        if sweep.step_flop and step_flop > 0.0:
            distance = math.log(step_flop / sweep.step_flop) / _WORK_LENGTH
            weight += math.exp(-0.5 * distance**2)
        total += weight
        contention += weight * sweep.law.contention
        crosstalk += weight * sweep.law.crosstalk
        count += 1
    if not count:
        return DEFAULT_LAW
    return ThreadLaw(contention=contention / total, crosstalk=crosstalk / total, n_sweeps=count)


# Errors closer than this are equal; the first law counts then.
_EQUAL_ERROR = 1e-12


def _candidate_laws() -> tuple[ThreadLaw, ...]:
    """Return the laws that a sweep is compared with.

    Contention and crosstalk go in steps of a twentieth and a tenth of a decade, none first.
    """
    return tuple(
        ThreadLaw(contention=contention, crosstalk=crosstalk, n_sweeps=1)
        for contention in (0.0, *(10 ** (-3.0 + step / 20.0) for step in range(1, 61)))
        for crosstalk in (0.0, *(10 ** (-5.0 + step / 10.0) for step in range(1, 41)))
    )


def _shape(logs: list[float]) -> tuple[float, ...]:
    """Return logarithms without their mean: the shape of a curve, whatever its scale."""
    middle = sum(logs) / len(logs)
    return tuple(log - middle for log in logs)


def _law_shape(law: ThreadLaw, cores: tuple[float, ...]) -> tuple[float, ...]:
    return _shape([-math.log(law.speedup(n)) for n in cores])


def _nearest(times: dict[float, float], shapes: list[tuple[float, ...]]) -> int:
    """Return the position of the shape with the least relative squared error from a sweep."""
    measured = _shape([math.log(seconds) for seconds in times.values()])
    distances = [math.dist(measured, shape) for shape in shapes]
    least = min(distances) ** 2 + _EQUAL_ERROR
    return next(place for place, distance in enumerate(distances) if distance**2 <= least)
