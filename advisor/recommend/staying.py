"""Staying with this machine's processor, called by what it takes to run the job there at all.

Most often that is nothing. Where TensorFlow has no build for the machine, or the job is in a
format that a network must be brought to first, "leave everything as it is" would be no advice.
Leaves to others: what the reader must know besides (`advisor.recommend.caveats`).
"""

from collections.abc import Iterable

from advisor.model.instructions import is_imitated
from advisor.model.machine import CPU_DEVICE_ID, MachineProfile
from advisor.model.option import Option, OptionFact, OptionKind
from advisor.model.quantity import Phase, Precision
from advisor.model.recommendation import Step
from advisor.model.workload import Workload
from advisor.recommend.circumstances import Circumstances, has_other_frameworks, tensorflow_runs
from advisor.recommend.requirements import check
from advisor.recommend.steps import steps_for

STAY_ID = "stay"
_AS_IT_IS = "Leave everything as it is"
_OTHER_FRAMEWORK = {
    Phase.TRAINING: "This machine, with PyTorch in place of TensorFlow",
    Phase.INFERENCE: "This machine, with PyTorch or ONNX Runtime in place of TensorFlow",
}
_ANY_FRAMEWORK = "This machine, with a framework that has a build for it"
_QUANTISED = "This machine, once the network is quantised"
_IN_FLOAT32 = "This machine, computing in float32"
# Rows of the options table that say how; the first that applies here, else the first.
_QUANTISING = ("ort-int8", "openvino-int8", "int8-arm-ncnn")
# The kind of option that asks for as much work. Quantising counts as nothing: a job in int8 needs
# it wherever it runs.
_WORK = {
    **dict.fromkeys((*_OTHER_FRAMEWORK.values(), _ANY_FRAMEWORK), OptionKind.CHANGE_FRAMEWORK),
    _IN_FLOAT32: OptionKind.RUNTIME_SETTINGS,
    _QUANTISED: OptionKind.STAY,
}


def stay_option(profile: MachineProfile, workload: Workload) -> Option:
    """Return the option of staying on the processor for a job."""
    title = _AS_IT_IS
    if tensorflow_runs(profile) is False:
        is_known = has_other_frameworks(profile)
        title = _OTHER_FRAMEWORK[workload.phase] if is_known else _ANY_FRAMEWORK
    elif workload.precision is Precision.INT8:
        title = _QUANTISED
    elif is_imitated(workload.precision, profile=profile):
        title = _IN_FLOAT32
    return Option(id=STAY_ID, title=title, kind=OptionKind.STAY, device_id=CPU_DEVICE_ID)


def is_as_it_is(option: Option) -> bool:
    """Return whether an option is to change nothing at all."""
    return option.kind is OptionKind.STAY and option.title not in _WORK


def asks_work_of(option: Option) -> OptionKind:
    """Return the kind of option whose work an option asks of a person: its own, but for staying."""
    return _WORK.get(option.title, option.kind)


def steps_of_staying(*, given: Circumstances, facts: Iterable[OptionFact]) -> tuple[Step, ...]:
    """Return how a network is quantised for a job in int8; other jobs need nothing.

    Args:
        given: the machine and the job.
        facts: the options table.
    """
    if given.workload.precision is not Precision.INT8:
        return ()
    rows = {fact.id: fact for fact in facts}
    ways = [rows[name] for name in _QUANTISING if name in rows]
    fitting = [way for way in ways if check(way, given=given, families={}).applies]
    for fact in (fitting or ways)[:1]:
        way = Option(id=fact.id, title=fact.title, kind=fact.kind, fact=fact)
        return steps_for(way, profile=given.profile, hours=0.0)
    return ()
