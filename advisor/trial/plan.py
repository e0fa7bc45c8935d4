"""What is worth trying here: from the machine, the job, the environments and the options table.

Leaves to others: other frameworks (`advisor.trial.frameworks`), running (`probes.bench.trials`),
the order (`advisor.trial.schedule`).
"""

import dataclasses
import functools
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from advisor.errors import InputError
from advisor.i18n import N_
from advisor.model.instructions import has_onednn_by_default, has_short_format, other_onednn
from advisor.model.machine import Environment, MachineProfile
from advisor.model.measurement import Setting
from advisor.model.option import OptionFact
from advisor.model.quantity import Phase, Precision
from advisor.model.trial import (
    Jit,
    Pipeline,
    TrialResult,
    TrialSetup,
    TrialSource,
    TrialVerdict,
)
from advisor.network.reading import layer_classes, parse_json
from advisor.network.rules_recurrent import RECURRENT_CLASSES
from advisor.recommend.instructions import pieces_of
from advisor.recommend.steps import usable_cores
from advisor.trial.frameworks import TENSORFLOW, list_frameworks

BASELINE_ID = "now"
_WORTH_IT = 1.05
_FEW_CORES = 4
_GROWTH = (0.5, 2.0, 4.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialFacts:
    """Facts about this machine that only trials need.

    Attributes:
        core_cpus: one logical CPU of each physical core that the process may use; empty: unknown.
        allocators: other allocators that are installed: option id and path of the library.
        has_huge_pages: the system gives huge pages to those who ask (or to all).
        has_glibc: programs read the settings of the GNU C library.
        gpu_backends: backends of Keras that drive a GPU here, with their interpreter.
    """

    core_cpus: tuple[int, ...] = ()
    allocators: tuple[Setting, ...] = ()
    has_huge_pages: bool = False
    has_glibc: bool = False
    gpu_backends: tuple[str, ...] = ()


def baseline_setup(*, python: str | None = None, backend: str = TENSORFLOW) -> TrialSetup:
    """Return the setup that changes nothing."""
    return TrialSetup(
        id=BASELINE_ID, title=N_("As it is now"), option_id="stay", python=python, backend=backend
    )


def list_trials(
    profile: MachineProfile,
    source: TrialSource,
    *,
    facts: TrialFacts,
    options: Iterable[OptionFact] = (),
    environment: Environment | None = None,
    with_batches: bool = False,
) -> tuple[TrialSetup, ...]:
    """Return the baseline, then what is worth trying, the most promising first.

    Args:
        profile: the machine.
        source: the network and the job.
        facts: what else must be known of the machine.
        options: the options table, for the titles and the recipes of number formats.
        environment: another Python whose frameworks are tried too.
        with_batches: try other batch sizes as well.
    """
    is_recurrent = _is_recurrent(source)
    found = [
        *_precision(profile, source),
        *_memory(facts),
        *_threads(profile, facts),
        *_kernels(profile),
        *_pipelines(source),
        _xla(is_recurrent=is_recurrent),
        *list_frameworks(profile, source, environment=environment, gpu_backends=facts.gpu_backends),
    ]
    place = functools.partial(
        _place, source=source, is_recurrent=is_recurrent, n_cores=usable_cores(profile)
    )
    found.sort(key=place)
    found += _batches(source) if with_batches else ()
    facts_by_id = {fact.id: fact for fact in options}
    known = (_with_fact(setup, facts_by_id.get(setup.option_id or "")) for setup in found)
    return (baseline_setup(), *known)


def _place(
    setup: TrialSetup, *, source: TrialSource, is_recurrent: bool, n_cores: int | None
) -> int:
    """Return how early a setup has its turn: 0 is what most often gains much, 2 what seldom does.

    A search may end before all had a turn. Fewer numbers to compute with and to move gain most,
    in any framework; so do kernels made for the processor where TensorFlow leaves them off; XLA
    gains on networks that go through time, whose many small operators it joins. Kernels that are
    not made for the processor gain nothing on x86-64, nor does Keras on PyTorch where PyTorch
    alone is tried, nor an idle core where there are few.
    """
    if setup.precision not in (None, source.precision) or setup.id == "onednn-on":
        return 0
    if setup.id == "xla" and is_recurrent:
        return 0
    has_few = n_cores is not None and n_cores <= _FEW_CORES
    seldom = {"onednn-off", "backend-torch", *(("threads-half",) if has_few else ())}
    return 2 if setup.id in seldom else 1


def _is_recurrent(source: TrialSource) -> bool:
    """Whether the network goes through time step by step, as far as its configuration is known."""
    if source.model_json is None:
        return False
    return bool(layer_classes(parse_json(source.model_json.encode())) & RECURRENT_CLASSES)


def _xla(*, is_recurrent: bool) -> TrialSetup:
    option_id = "xla-recurrent" if is_recurrent else "xla-cpu"
    return TrialSetup(id="xla", title=N_("Compile with XLA"), option_id=option_id, jit=Jit.ON)


def _with_fact(setup: TrialSetup, fact: OptionFact | None) -> TrialSetup:
    """Return a setup with what the options table says of it."""
    if fact is None:
        return setup
    if setup.id in ("tcmalloc", "jemalloc"):
        return dataclasses.replace(setup, title=fact.title)
    if setup.precision in (Precision.BFLOAT16, Precision.FLOAT16):
        return dataclasses.replace(setup, recipe=tuple(pieces_of(fact.how)))
    return setup


def choose_trials(setups: Sequence[TrialSetup], wanted: Iterable[str]) -> tuple[TrialSetup, ...]:
    """Return the baseline and the setups that are named by their id or their option's.

    Raises:
        InputError: when a name is unknown or does not apply here; lists those that do.
    """
    chosen: dict[str, TrialSetup] = {setups[0].id: setups[0]}
    for name in wanted:
        matching = [s for s in setups[1:] if name in (s.id, s.option_id)]
        if not matching:
            known = ", ".join(s.id for s in setups[1:])
            raise InputError(f"{name!r} cannot be tried here: choose among {known}")
        chosen.update({setup.id: setup for setup in matching})
    return tuple(chosen.values())


def _precision(profile: MachineProfile, source: TrialSource) -> list[TrialSetup]:
    if source.precision is not Precision.FLOAT32 or not has_short_format(
        profile, precision=Precision.BFLOAT16
    ):
        return []
    mixed = TrialSetup(
        id="bfloat16",
        title=N_("Mixed precision with bfloat16"),
        option_id="bf16-cpu-tf",
        precision=Precision.BFLOAT16,
    )
    inside = TrialSetup(
        id="fpmath-bf16",
        title=N_("float32 outside, bfloat16 inside the kernels"),
        option_id="fpmath-bf16" if source.phase is Phase.INFERENCE else None,
        settings=(Setting(name="ONEDNN_DEFAULT_FPMATH_MODE", value="BF16"),),
        precision=None,
    )
    return [mixed, inside]


def _memory(facts: TrialFacts) -> list[TrialSetup]:
    found = []
    if facts.has_glibc:
        keep = (
            Setting(name="MALLOC_MMAP_MAX_", value="0"),
            # Other heaps than the first have no room for results of more than 64 MiB.
            Setting(name="MALLOC_ARENA_MAX", value="1"),
            Setting(name="MALLOC_TRIM_THRESHOLD_", value=str(1 << 34)),
            Setting(name="MALLOC_TOP_PAD_", value=str(1 << 26)),
        )
        title = N_("Keep freed memory instead of giving it back")
        found.append(
            TrialSetup(id="malloc-keep", title=title, option_id="malloc-keep", settings=keep)
        )
    if facts.has_glibc and facts.has_huge_pages:
        huge = (Setting(name="GLIBC_TUNABLES", value="glibc.malloc.hugetlb=1"),)
        found.append(
            TrialSetup(
                id="huge-pages",
                title=N_("Huge pages for the memory of the program"),
                option_id="thp",
                settings=huge,
            )
        )
    for allocator in facts.allocators:
        preload = (Setting(name="LD_PRELOAD", value=allocator.value),)
        found.append(
            TrialSetup(
                id=allocator.name, title=allocator.name, option_id=allocator.name, settings=preload
            )
        )
    return found


def _threads(profile: MachineProfile, facts: TrialFacts) -> list[TrialSetup]:
    cpu = profile.cpu
    logical = cpu.usable_cpus or cpu.n_logical_cpus
    physical = usable_cores(profile)
    found = []
    if physical is not None and physical != logical:
        found.append(
            TrialSetup(
                id="threads-physical",
                title=N_("One thread for each physical core"),
                option_id="threads-physical",
                intra_threads=physical,
                inter_threads=1,
            )
        )
    if logical > 1:
        found.append(
            TrialSetup(
                id="one-pool",
                title=N_("All threads, one operator at a time"),
                intra_threads=logical,
                inter_threads=1,
            )
        )
    half = max(1, (physical or logical) // 2)
    if half < (physical or logical):
        title = N_("Half as many threads as cores")
        found.append(
            TrialSetup(id="threads-half", title=title, intra_threads=half, inter_threads=1)
        )
    if 1 < len(facts.core_cpus) < logical:
        found.append(
            TrialSetup(
                id="pin-cores",
                title=N_("Only one hardware thread of each core"),
                option_id="pin-affinity",
                cpus=facts.core_cpus,
            )
        )
    return found


def _kernels(profile: MachineProfile) -> list[TrialSetup]:
    other = other_onednn(profile)
    if other is None:
        return []
    if has_onednn_by_default(profile):
        title = N_("oneDNN kernels off")
        return [TrialSetup(id="onednn-off", title=title, option_id=None, settings=(other,))]
    title = N_("oneDNN kernels on")
    return [TrialSetup(id="onednn-on", title=title, option_id="tf-onednn-avx2", settings=(other,))]


def _pipelines(source: TrialSource) -> list[TrialSetup]:
    if source.data is None:
        return []
    titles = {
        Pipeline.CACHE: N_("Keep the prepared data in memory"),
        Pipeline.PREFETCH: N_("Prepare the next batch meanwhile"),
        Pipeline.CACHE_PREFETCH: N_("Keep the prepared data and prepare the next batch meanwhile"),
    }
    return [
        TrialSetup(
            id=f"data-{kind.value.replace('_', '-')}",
            title=title,
            option_id="input-pipeline",
            pipeline=kind,
        )
        for kind, title in titles.items()
    ]


def _batches(source: TrialSource) -> list[TrialSetup]:
    sizes = dict.fromkeys(max(1, round(source.batch_size * factor)) for factor in _GROWTH)
    return [
        TrialSetup(
            id=f"batch-{size}",
            title=N_("Another batch size"),
            option_id="batch-size",
            batch_size=size,
        )
        for size in sizes
        if size != source.batch_size
    ]


# A field that both parts change cannot be combined.
_FIELDS = ("intra_threads", "inter_threads", "cpus", "precision", "jit", "pipeline", "runner",
           "backend", "python", "device")  # fmt: skip


def combine(first: TrialSetup, second: TrialSetup) -> TrialSetup | None:
    """Return both setups as one, None when that makes no sense.

    It makes none when both set the same thing, when one is a batch size, or when one does nothing
    beside the other.
    """
    if first.batch_size is not None or second.batch_size is not None:
        return None
    default = baseline_setup()
    changes = {}
    for name in _FIELDS:
        values = [v for v in (getattr(first, name), getattr(second, name))
                  if v != getattr(default, name)]  # fmt: skip
        if len(values) > 1:
            return None
        if values:
            changes[name] = values[0]
    if "jit" in changes and "runner" in changes:
        return None  # XLA compiles what Keras runs
    names = [setting.name for setting in (*first.settings, *second.settings)]
    if len(set(names)) < len(names):
        return None
    return TrialSetup(
        id=f"{first.id}+{second.id}",
        title=f"{first.title} + {second.title}",
        settings=(*first.settings, *second.settings),
        parts=(*(first.parts or (first.id,)), *(second.parts or (second.id,))),
        recipe=(*first.recipe, *second.recipe),
        **changes,
    )


def list_pairs(results: Sequence[TrialResult], *, most: int = 4) -> tuple[TrialSetup, ...]:
    """Return combinations of setups that are each faster alone, the most promising first.

    Each is run itself, so "not clear" is good enough where the figure is above 5 %.

    Args:
        results: of single setups.
        most: how many at the most.
    """
    sure = (TrialVerdict.FASTER, TrialVerdict.UNSTABLE)
    good = [r for r in results if r.verdict in sure and r.speedup and r.speedup.mid > _WORTH_IT]
    good.sort(key=lambda r: -(r.speedup.mid if r.speedup else 0.0))
    pairs: list[TrialSetup] = []
    known = [_effect(r.setup) for r in results]
    for one, other in itertools.combinations(good, 2):
        both = combine(one.setup, other.setup)
        if both is None or set(one.setup.parts) & set(other.setup.parts):
            continue
        if _effect(both) not in known:
            pairs.append(both)
    return tuple(pairs[:most])


def _effect(setup: TrialSetup) -> TrialSetup:
    """Return what a setup does, without its names: bfloat16 with PyTorch is PyTorch in bfloat16."""
    return dataclasses.replace(setup, id="", title="", option_id=None, parts=(), recipe=())
