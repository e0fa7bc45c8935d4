"""The networks of the live accuracy, with the families that a change of the model may look at."""

import dataclasses
import functools
import gzip
import json
from dataclasses import dataclass
from pathlib import Path

from advisor.model.quantity import Phase, Precision
from advisor.model.workload import Job, Workload
from advisor.network.bundled import bundled_config_text
from advisor.network.load import bundled_workload, workload_from_bytes
from tests.helpers.bundled import bundled_knowledge

FOLDER = Path(__file__).with_name("networks")
# Run for a moment in every child: when it has become slower, so has all else.
REFERENCE = "conv-colour"
REFERENCE_BATCH = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveNetwork:
    """A network, its family, and what is run of it.

    Attributes:
        role: "fitted" families may shape the model, "held_out" ones may not; "unseen" networks
            are of any family, were made after the model and are measured apart.
        batches: each in training and in inference.
        variant_batch: also run in bfloat16 and on one thread; None: not.
    """

    name: str
    family: str
    role: str
    optimizer: str
    batches: tuple[int, ...]
    variant_batch: int | None
    is_bundled: bool = False

    @property
    def is_unseen(self) -> bool:
        """Whether it is measured apart, in a recording of its own."""
        return self.role == "unseen"

    def config_text(self) -> str:
        """Return the Keras configuration."""
        if self.is_bundled:
            return bundled_config_text(self.name)
        plain = FOLDER / f"{self.name}.json"
        if plain.exists():
            return plain.read_text(encoding="utf-8")
        return gzip.decompress((FOLDER / f"{self.name}.json.gz").read_bytes()).decode("utf-8")

    def workload(
        self, *, phase: Phase, batch: int, precision: Precision = Precision.FLOAT32
    ) -> Workload:
        """Return what the product makes of it."""
        return _workload(self, phase, batch, precision)


@functools.lru_cache(maxsize=512)
def _workload(network: LiveNetwork, phase: Phase, batch: int, precision: Precision) -> Workload:
    # Steps are trained with the mean square (`live_steps`), whatever the file says.
    return dataclasses.replace(_as_filed(network, phase, batch, precision), loss="mse")


def _as_filed(network: LiveNetwork, phase: Phase, batch: int, precision: Precision) -> Workload:
    job = Job(phase=phase, batch_size=batch, precision=precision, optimizer=network.optimizer)
    if network.is_bundled:
        return bundled_workload(network.name, job=job, networks=bundled_knowledge().networks)
    data = network.config_text().encode("utf-8")
    return workload_from_bytes(data, name=f"{network.name}.json", job=job)


def live_networks() -> tuple[LiveNetwork, ...]:
    """Return all networks: fitted and held-out families in turns, then the unseen ones."""
    index = json.loads((FOLDER / "index.json").read_text(encoding="utf-8"))
    return tuple(
        LiveNetwork(**{**entry, "batches": tuple(entry["batches"])}) for entry in index["networks"]
    )
