"""The job as cards and its layers as rows: size, work, memory against what each device has.

Leaves to others: reading the network (`ui.presenters.workload`), drawing (`ui.widgets.card`).
"""

from dataclasses import dataclass

from advisor.format import format_bytes, format_count, format_percent
from advisor.i18n import N_, Translator
from advisor.model.device_names import opencl_name
from advisor.model.kernel import UnknownShape
from advisor.model.machine import DeviceKind, MachineProfile
from advisor.model.workload import Operator, Workload
from advisor.network.macs import count_multiply_adds
from advisor.recommend.room import laid_out_here
from advisor.report.names import shape_name
from advisor.report.said import said
from ui.models.cards import Card, CardFact, Remedy
from ui.models.rows import Cell

LAYER_HEADS = (
    N_("Layer"), N_("Type"), N_("Share of flop"), N_("Parameters"), N_("Multiply-adds"),
)  # fmt: skip
LAYER_TIPS = (
    "",
    N_("Its class, and the size of what it computes for a whole batch."),
    N_(
        "Its share of the multiply-adds of one forward pass. What only moves data, as a"
        " normalisation does, has none and takes its time all the same."
    ),
    N_("Weights that it holds; a later use of shared weights counts 0."),
    N_("Of one sample, forward."),
)
_LEAST_SHARE = 5e-4
_MULTIPLY_ADD = N_("One forward pass of one sample; training takes about three times as much.")
_TRAINING_MEMORY = N_("Weights, their gradients, the optimizer's state, and all activations.")


@dataclass(frozen=True, slots=True)
class _Layer:
    """The operators of one layer together."""

    name: str
    layer_type: str
    shapes: tuple[str, ...]
    parameters: int
    multiply_adds: float


def workload_cards(
    workload: Workload, profile: MachineProfile | None, tr: Translator
) -> tuple[Card, ...]:
    """Return what the network is, what it needs and where it fits."""
    return (_size(workload, tr), _memory(workload, profile, tr))


def _size(workload: Workload, tr: Translator) -> Card:
    frozen = workload.parameters - workload.trainable_parameters
    parameters = format_count(workload.parameters)
    if frozen:
        parameters = tr(
            N_("{count} ({n} of them are not trained)"), count=parameters, n=format_count(frozen)
        )
    facts = (
        CardFact(
            label=tr(N_("Layers that compute")), value=format_count(len(layers(workload, tr)))
        ),
        CardFact(label=tr(N_("Parameters")), value=parameters),
        CardFact(
            label=tr(N_("Multiply-adds per sample")),
            value=format_count(workload.multiply_adds_per_sample),
            tip=tr(_MULTIPLY_ADD),
        ),
        CardFact(label=tr(N_("Steps in an epoch")), value=format_count(workload.steps_per_epoch)),
        CardFact(label=tr(N_("Steps in all")), value=format_count(workload.total_steps)),
        CardFact(label=tr(N_("Optimizer")), value=workload.optimizer),
    )
    remedies = tuple(Remedy(text=said(note, tr)) for note in workload.notes)
    return Card(title=tr(N_("Network")), subtitle=workload.title, facts=facts, remedies=remedies)


def _memory(workload: Workload, profile: MachineProfile | None, tr: Translator) -> Card:
    needed = workload.memory_bytes
    facts = [
        CardFact(
            label=tr(N_("Needed for training")),
            value=format_bytes(workload.memory_training_bytes),
            tip=tr(_TRAINING_MEMORY),
        ),
        CardFact(
            label=tr(N_("Needed for inference")),
            value=format_bytes(workload.memory_inference_bytes),
        ),
    ]
    if profile is not None:
        memory, here = profile.memory, needed + laid_out_here(workload, profile)
        facts.append(_room(tr(N_("This machine")), memory.limit_bytes or memory.total_bytes,
                           here, tr))  # fmt: skip
        facts += [
            _room(opencl_name(device, profile), device.global_mem_bytes, needed, tr)
            for device in profile.opencl
            if device.kind is not DeviceKind.CPU
        ]
    return Card(title=tr(N_("Memory at this batch size")), facts=tuple(facts))


def _room(name: str, have: int | None, needed: int, tr: Translator) -> CardFact:
    if have is None:
        return CardFact(label=name, value=tr(N_("size not known")))
    if needed <= have:
        text = tr(N_("{size}: fits, {share} of it"), size=format_bytes(have),
                  share=format_percent(needed / have))  # fmt: skip
    else:
        text = tr(N_("{size}: does not fit"), size=format_bytes(have))
    return CardFact(label=name, value=text, is_bad=needed > have)


def layers(workload: Workload, tr: Translator) -> tuple[_Layer, ...]:
    """Return the operators put together by layer, in the order of the network."""
    found: dict[str, list[Operator]] = {}
    for operator in workload.operators:
        found.setdefault(operator.layer, []).append(operator)
    return tuple(_layer(name, same, workload, tr) for name, same in found.items())


def _layer(name: str, same: list[Operator], workload: Workload, tr: Translator) -> _Layer:
    work = sum(operator.repeats * count_multiply_adds(operator.shape) for operator in same)
    shapes = tuple(
        "?" if isinstance(each.shape, UnknownShape) else shape_name(each.shape, tr) for each in same
    )
    return _Layer(
        name,
        same[0].layer_type,
        shapes,
        sum(operator.parameters for operator in same),
        work / workload.batch_size,
    )


def layer_rows(workload: Workload, tr: Translator) -> tuple[tuple[Cell, ...], ...]:
    """Return a row for each layer."""
    found = layers(workload, tr)
    whole = sum(layer.multiply_adds for layer in found) or 1.0
    return tuple(_layer_row(layer, whole, tr) for layer in found)


def _layer_row(layer: _Layer, whole: float, tr: Translator) -> tuple[Cell, ...]:
    share = layer.multiply_adds / whole
    shapes = "\n".join(dict.fromkeys(layer.shapes))
    return (
        Cell(text=layer.name, value=layer.name, explanation=shapes),
        Cell(text=layer.layer_type, value=layer.layer_type, explanation=shapes),
        Cell(text=_share(share, tr), value=share, is_number=True),
        Cell(text=format_count(layer.parameters), value=float(layer.parameters), is_number=True),
        Cell(text=format_count(round(layer.multiply_adds)), value=layer.multiply_adds,
             is_number=True),
    )  # fmt: skip


def _share(share: float, tr: Translator) -> str:
    return tr(N_("little")) if 0.0 < share < _LEAST_SHARE else format_percent(share)
