"""A network at a batch size, as operators, and the job to be done with it.

Leaves to others: reading model files (`advisor.network`), times (`advisor.predict`).
"""

import dataclasses
from dataclasses import dataclass, field

from advisor.model.kernel import KernelShape
from advisor.model.quantity import Phase, Precision

# The largest batch of a job.
MAX_BATCH_SIZE = 65_536


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """One computation of a network's forward pass at the workload's batch size.

    Attributes:
        layer: name of the layer it belongs to; layer_type: its class ("Conv2D").
        inputs: positions, in the operator tuple, of the operators whose results it reads;
            empty for those that read the network's input.
        parameters: values of its weights, 0 for a later call of a layer that shares them.
        variables: those of its weight tensors that training updates; 0 with parameters means
            frozen: no weight gradient, no update.
        needs_input_gradient: False for the first layers of a network.
        output_elements: values it produces for the whole batch (activations kept for training),
            those of all its repeats together.
        shared_parameters: values of its weights that an earlier call of the layer counts;
            shared_variables: those of these tensors that training updates.
        kept_elements: values that training keeps of it beside them, where its shape does not tell;
            less than 0 where it keeps fewer.
        repeats: times that it is run in a step, one after the other: moments of a sequence.
        has_one_gradient: of a product without weights, whether one factor has none: a constant of
            the file, or data that nothing trained comes before.
    """

    layer: str
    layer_type: str
    shape: KernelShape
    inputs: tuple[int, ...]
    parameters: int
    variables: int
    output_elements: int
    needs_input_gradient: bool = True
    shared_parameters: int = 0
    shared_variables: int = 0
    kept_elements: int = 0
    repeats: int = 1
    has_one_gradient: bool = False

    @property
    def used_parameters(self) -> int:
        """Values of its weights, whichever call counts them; a product of two inputs has none."""
        return self.parameters + self.shared_parameters

    @property
    def used_variables(self) -> int:
        """Weight tensors to which this call gives a gradient."""
        return self.variables + self.shared_variables


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """The user's job: a network, its batch, and how much of it is to be run.

    Attributes:
        network: bundled name or file name; title: for people.
        multiply_adds_per_sample: of one forward pass, the published convention.
        samples, epochs: size of the job (inference: samples in all, epochs 1).
        n_inputs: arrays that a step is given.
        loss: of training, as Keras names it; None: chosen from the last layer.
        laid_out_bytes: what training takes besides on a processor without oneDNN, for the windows
            of its convolutions.
        notes: what could not be modelled, one sentence each.
        assumed: of "samples" and "epochs" those that nobody gave; the same job with them given.
    """

    network: str
    title: str
    phase: Phase
    batch_size: int
    precision: Precision
    samples: int
    epochs: int
    optimizer: str
    operators: tuple[Operator, ...]
    parameters: int
    trainable_parameters: int
    variables: int
    multiply_adds_per_sample: int
    input_elements_per_sample: int
    memory_training_bytes: int
    memory_inference_bytes: int
    notes: tuple[str, ...] = ()
    n_inputs: int = 1
    loss: str | None = None
    laid_out_bytes: int = 0
    assumed: tuple[str, ...] = field(default=(), compare=False)

    def with_epochs(self, epochs: int) -> "Workload":
        """Return the same job with another number of epochs, which is given then."""
        if epochs == self.epochs:
            return self
        assumed = tuple(name for name in self.assumed if name != "epochs")
        return dataclasses.replace(self, epochs=epochs, assumed=assumed)

    @property
    def output_positions(self) -> tuple[int, ...]:
        """Positions of the operators whose results no other reads."""
        read = {index for operator in self.operators for index in operator.inputs}
        return tuple(index for index in range(len(self.operators)) if index not in read)

    @property
    def outputs(self) -> tuple[Operator, ...]:
        """Operators whose results no other reads."""
        return tuple(self.operators[index] for index in self.output_positions)

    @property
    def steps_per_epoch(self) -> int:
        """Mini-batches in one pass over the samples, the last one rounded up."""
        return -(-self.samples // self.batch_size)

    @property
    def total_steps(self) -> int:
        """Mini-batches of the whole job."""
        return self.steps_per_epoch * self.epochs

    @property
    def memory_bytes(self) -> int:
        """Memory that the phase of this workload needs."""
        if self.phase is Phase.TRAINING:
            return self.memory_training_bytes
        return self.memory_inference_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What is asked about a network; None takes the network's usual value."""

    phase: Phase = Phase.TRAINING
    batch_size: int | None = None
    precision: Precision = Precision.FLOAT32
    samples: int | None = None
    epochs: int | None = None
    optimizer: str | None = None
