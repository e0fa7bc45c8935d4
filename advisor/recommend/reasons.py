"""Short ways to make reasons and caveats with their parameters.

Leaves to others: when a reason applies (the other modules here), its text (`advisor.report`).
"""

from advisor.model.recommendation import Caveat, Parameter, Reason, ReasonCode


def parameters(values: dict[str, str | float]) -> tuple[Parameter, ...]:
    """Return named parameters in the order given; a number's unit stands in its name."""
    return tuple(Parameter(name=name, value=value) for name, value in values.items())


def reason(code: ReasonCode, **values: str | float) -> Reason:
    """Return a reason with its parameters, e.g. `reason(code, hours=2.0, usd=1.5)`."""
    return Reason(code=code, parameters=parameters(values))


def caveat(code: str, **values: str | float) -> Caveat:
    """Return a caveat with its parameters."""
    return Caveat(code=code, parameters=parameters(values))


def parameter_of(given: Reason | Caveat, name: str) -> str | float | None:
    """Return the value of a parameter, or None when the reason does not carry it."""
    for parameter in given.parameters:
        if parameter.name == name:
            return parameter.value
    return None
