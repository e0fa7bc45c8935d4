"""The networks of the proof, what is tried on them here, and the files of its results.

Leaves to others: running (`all_settings`, `tries`, `kills`), comparing (`verdicts`).
"""

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from advisor.model.codec import decode, encode
from advisor.model.machine import Environment, MachineProfile
from advisor.model.trial import TrialRun, TrialSetup, TrialSource
from probes.bench.trials.facts import memory_limit_bytes
from probes.bench.trials.run import RunLimits
from ui import cli, commands, dataset, journey, try_source
from ui.try_plan import named_environment, setups_for

NETWORKS = ("mnist-cnn", "cifar10-deep-cnn", "alexnet-s", "lstm-ptb")
ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What a proof is made with: networks, another Python or None, minutes, where files go."""

    networks: tuple[str, ...]
    python: str | None
    out: Path
    minutes: float

    def words(self, network: str) -> list[str]:
        """Return the words that name a job to the app."""
        return [network, *(("--python", self.python) if self.python else ())]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A network in training as the app itself would try it."""

    source: TrialSource
    profile: MachineProfile
    environment: Environment | None
    setups: tuple[TrialSetup, ...]

    @property
    def limits(self) -> RunLimits:
        """Return the limits of a run that is not in a hurry."""
        memory = memory_limit_bytes(self.profile)
        return RunLimits(memory_bytes=memory, min_time_s=2.0, max_time_s=30.0)


def job_of(proof: Proof, network: str) -> Job:
    """Return the job of a network with every setting of the options table for it."""
    options = cli.build_parser().parse_args(["try", *proof.words(network)])
    workload = commands.workload_of(options)
    knowledge = dataset.bundled_knowledge()
    source = try_source.source_of_workload(workload, path=None, data=None, knowledge=knowledge)
    profile = journey.probe_machine(with_opencl=False)
    environment = named_environment(proof.python)
    setups = setups_for(profile, source, environment=environment, with_batches=True)
    return Job(source=source, profile=profile, environment=environment, setups=setups)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """All runs of all settings of a network so far."""

    setups: tuple[TrialSetup, ...]
    runs: tuple[TrialRun, ...] = ()

    def with_run(self, run: TrialRun) -> "Measured":
        """Return it with one more run."""
        return dataclasses.replace(self, runs=(*self.runs, run))


def measured_file(proof: Proof, network: str) -> Path:
    """Return where the long measurement of a network is kept."""
    return proof.out / f"measured-{network}.json"


def read_measured(path: Path) -> Measured | None:
    """Return a long measurement so far, None when there is none."""
    if not path.exists():
        return None
    found = decode(json.loads(path.read_text(encoding="utf-8")), Measured)
    assert isinstance(found, Measured)
    return found


def write_json(path: Path, value: Any) -> None:
    """Write a value, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    data = encode(value) if dataclasses.is_dataclass(value) else value
    part.write_text(json.dumps(data, indent=1), encoding="utf-8")
    part.replace(path)
