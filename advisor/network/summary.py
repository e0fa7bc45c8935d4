"""A network as a table for people: one row for each layer, and the sums.

Leaves to others: drawing the table in the window (`ui`), the report (`advisor.report`).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from advisor.model.published import NetworkFacts
from advisor.network.builder import Layer, Network
from advisor.network.call import Shape
from advisor.network.load import bundled_network, network_from_file


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerRow:
    """One call of a layer.

    Attributes:
        output: shape of its first result without the batch, "56 x 56 x 64".
        parameters: all weights; 0 for a later call of a layer that stands above.
        multiply_adds: of one forward pass of one sample.
        is_repeated: whether the layer stands above already and shares its weights.
    """

    name: str
    layer_type: str
    output: str
    parameters: int
    trainable_parameters: int
    multiply_adds: int
    is_repeated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkSummary:
    """The rows of a network and their sums; `notes` say what could not be modelled."""

    name: str
    inputs: tuple[str, ...]
    rows: tuple[LayerRow, ...]
    parameters: int
    trainable_parameters: int
    multiply_adds_per_sample: int
    notes: tuple[str, ...]


def shape_text(shape: Shape) -> str:
    """Return a shape as text: "56 x 56 x 64", "scalar" without dimensions."""
    return " x ".join(str(size) for size in shape) or "scalar"


def _row(layer: Layer) -> LayerRow:
    return LayerRow(
        name=layer.name,
        layer_type=layer.class_name,
        output=shape_text(layer.outputs[0]),
        parameters=layer.parameters,
        trainable_parameters=layer.trainable_parameters,
        multiply_adds=layer.multiply_adds,
        is_repeated=layer.is_repeated,
    )


def summarise(network: Network) -> NetworkSummary:
    """Return the layer table of a network."""
    return NetworkSummary(
        name=network.name,
        inputs=tuple(shape_text(shape) for shape in network.inputs),
        rows=tuple(_row(layer) for layer in network.layers),
        parameters=network.parameters,
        trainable_parameters=network.trainable_parameters,
        multiply_adds_per_sample=network.multiply_adds_per_sample,
        notes=network.notes,
    )


_HEADS = ("Layer", "Type", "Output", "Parameters", "Multiply-adds")


def format_summary(summary: NetworkSummary) -> str:
    """Return the table as lines of text: names left, numbers right."""
    cells = [
        (
            row.name,
            row.layer_type,
            row.output,
            "(shared)" if row.is_repeated else f"{row.parameters:,}",
            f"{row.multiply_adds:,}",
        )
        for row in summary.rows
    ]
    totals = ("Total", "", "", f"{summary.parameters:,}", f"{summary.multiply_adds_per_sample:,}")
    table = [_HEADS, *cells, totals]
    widths = [max(len(row[column]) for row in table) for column in range(len(_HEADS))]
    lines = [
        "  ".join(
            cell.ljust(width) if column < 3 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    ]
    rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
    head = f"{summary.name}: input {', '.join(summary.inputs)}"
    return "\n".join([head, lines[0], rule, *lines[1:-1], rule, lines[-1], *summary.notes])


def network_table(name: str | Path, *, networks: Iterable[NetworkFacts]) -> str:
    """Return the layer table of a bundled network, or of the model file at a path, as text.

    Raises:
        InputError: when there is none of that name, or the file is refused.
    """
    if isinstance(name, Path):
        return format_summary(summarise(network_from_file(name)))
    return format_summary(summarise(bundled_network(name, networks=networks)))
