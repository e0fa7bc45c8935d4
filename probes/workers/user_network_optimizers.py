"""Optimizers for PyTorch that step by the formulas of Keras, so that losses can be compared.

Adam and RMSprop of PyTorch add their epsilon elsewhere, which shows in the loss after a few steps
where gradients are small. Tensors are gone through as often as PyTorch itself does.
Leaves to others: the steps (`user_network_torch`).
"""

import math

import worker_errors

_EPSILON = 1e-7


class _Adaptive:
    """What Adam and RMSprop share: a state for each parameter, made at the first step."""

    n_states = 1

    def __init__(self, torch, parameters):
        self._torch = torch
        self._parameters = list(parameters)
        self._states = None
        self._n_steps = 0

    def zero_grad(self):
        """Forget the gradients."""
        for parameter in self._parameters:
            parameter.grad = None

    def step(self):
        """Change the parameters by their gradients."""
        torch = self._torch
        if self._states is None:
            self._states = [
                [torch.zeros_like(parameter) for _ in range(self.n_states)]
                for parameter in self._parameters
            ]
        self._n_steps += 1
        with torch.no_grad():
            for at, parameter in enumerate(self._parameters):
                if parameter.grad is not None:
                    self._change(parameter, parameter.grad, *self._states[at])


class Adam(_Adaptive):
    """Adam with the defaults of Keras: epsilon beside the uncorrected root."""

    n_states = 2

    def _change(self, parameter, gradient, mean, square):
        mean.lerp_(gradient, 0.1)
        square.mul_(0.999).addcmul_(gradient, gradient, value=0.001)
        correction = math.sqrt(1.0 - 0.999**self._n_steps) / (1.0 - 0.9**self._n_steps)
        parameter.addcdiv_(mean, square.sqrt().add_(_EPSILON), value=-0.001 * correction)


class RMSprop(_Adaptive):
    """RMSprop with the defaults of Keras: epsilon below the root."""

    def _change(self, parameter, gradient, square):
        square.mul_(0.9).addcmul_(gradient, gradient, value=0.1)
        parameter.addcdiv_(gradient, (square + _EPSILON).sqrt_(), value=-0.001)


def optimizer_of(torch, name, parameters):
    """Return an optimizer with what Keras has as its defaults.

    Raises:
        worker_errors.UnsupportedKernel: for another one.
    """
    makers = {
        "sgd": lambda: torch.optim.SGD(parameters, lr=0.01),
        "momentum": lambda: torch.optim.SGD(parameters, lr=0.01, momentum=0.9),
        "adam": lambda: Adam(torch, parameters),
        "rmsprop": lambda: RMSprop(torch, parameters),
        "adadelta": lambda: torch.optim.Adadelta(parameters, lr=0.001, rho=0.95, eps=_EPSILON),
    }
    if name not in makers:
        raise worker_errors.UnsupportedKernel("without Keras {} is not tried".format(name))
    return makers[name]()
