"""`python -m tests.accuracy across`: networks of one recorded machine predicted from another.

As a person would who has measured the one and thinks of renting the other: the other is an offer
with as many cores of the same microarchitecture, and goes through `advisor.predict.transfer`.
`--write` renews the baseline. The recordings differ in how quiet their hosts were, too: between
two of one microarchitecture the same steps differ by up to a third.
"""

import dataclasses
import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from advisor.knowledge.store import Knowledge, load_knowledge
from advisor.model.machine import MissingFact
from advisor.model.offer import Offer
from advisor.model.option import Option, OptionKind
from advisor.model.quantity import Precision
from advisor.predict.context import PredictionContext
from advisor.predict.index import knowledge_index
from advisor.predict.transfer import transfer
from advisor.predict.workload_time import Z_80
from tests.accuracy.live_file import Recording
from tests.accuracy.live_judge import truths
from tests.accuracy.offline import Case, summarise

BASELINE = Path(__file__).with_name("across.baseline.json")
FOLDER = Path(__file__).with_name("recorded")
# Quiet recordings of either microarchitecture.
QUIET = ("linux-sapphirerapids-3", "linux-zen5-1")
# What can be rented with such cores.
FAMILIES = {"sapphirerapids": ("aws", "c7i"), "zen5": ("aws", "c8a"), "zen4": ("aws", "c7a")}
_CALIBRATION = "calibration/start"
_GIB = 2**30


def rented_like(recording: Recording, knowledge: Knowledge) -> Offer:
    """Return an offer with as many cores of the microarchitecture as a recorded machine has."""
    cpu = recording.profile.cpu
    vendor, family = FAMILIES[cpu.microarchitecture or ""]
    offer = next(o for o in knowledge.offers if (o.vendor, o.family) == (vendor, family))
    platform = next(p for p in knowledge.cpu_platforms if (p.vendor, p.family) == (vendor, family))
    vcpus = float((cpu.n_physical_cores or 1) * (platform.vcpus_per_core or 1))
    return dataclasses.replace(
        offer, vcpus=vcpus, instance_type="as recorded", memory_bytes=64 * _GIB
    )


def across_cases(
    names: Sequence[str], knowledge: Knowledge, *, has_all: bool = True
) -> Iterator[Case]:
    """Yield the error of each step of each machine, predicted from each other microarchitecture.

    Args:
        names: of the recordings.
        knowledge: facts.
        has_all: whether each batch of a network counts, else its largest.
    """
    index = knowledge_index(knowledge)
    machines = {name: Recording(FOLDER / f"{name}.json.gz") for name in names}
    for here_name, here in machines.items():
        for there_name, there in machines.items():
            profile = here.profile
            if profile.cpu.microarchitecture == there.profile.cpu.microarchitecture:
                continue
            offer = rented_like(there, knowledge)
            option = Option(id="there", title="there", kind=OptionKind.CLOUD, offer=offer)
            for truth in truths(there).values():
                is_wanted = has_all or truth.batch == max(truth.network.batches)
                if truth.precision is not Precision.FLOAT32 or not is_wanted:
                    continue
                context = PredictionContext(
                    profile=profile,
                    measurements=here.measurements(_CALIBRATION),
                    workload=truth.workload(),
                    knowledge=knowledge,
                    index=index,
                )
                found = transfer(option, context=context)
                assert not isinstance(found, MissingFact), found
                step = found.step_s
                yield Case(
                    question=f"across/{truth.phase.value}",
                    name=f"{truth.name} on {there_name} from {here_name}",
                    log_error=math.log(step.mid / truth.step_s),
                    log_sd=max(math.log(step.high / step.mid) / Z_80, 1e-3),
                    is_warned=found.is_warned,
                    device=there_name,
                )


def across_summary(
    names: Sequence[str] = QUIET, *, has_all: bool = False
) -> dict[str, dict[str, object]]:
    """Return the errors of training and of inference."""
    found = summarise(across_cases(names, load_knowledge(), has_all=has_all))
    return {question: dataclasses.asdict(summary) for question, summary in found.items()}


def run_across(arguments: Sequence[str]) -> int:
    """Print the errors; `--all` of all recordings and batches, `--write` keeps the others."""
    names: Sequence[str] = QUIET
    has_all = "--all" in arguments
    if has_all:
        files = sorted(FOLDER.glob("*.json.gz"))
        names = [path.name.partition(".")[0] for path in files if "settings" not in path.name]
    text = json.dumps(across_summary(names, has_all=has_all), indent=1) + "\n"
    print(text, end="")
    if "--write" in arguments and not has_all:
        BASELINE.write_text(text, encoding="utf-8")
    return 0
