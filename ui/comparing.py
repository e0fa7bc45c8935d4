"""This machine among published results, for the command line and the window alike.

The time of a network is that of the advice, so that both say the same: what was tried, else what
is predicted.
Leaves to others: the advice (`ui.journey`), which figures are alike (`advisor.compare`), showing
them.
"""

import dataclasses

from advisor.compare.kernels import compare_kernels
from advisor.compare.networks import compare_network
from advisor.knowledge.store import Knowledge
from advisor.model.comparison import Comparison
from advisor.model.recommendation import Recommendation


def compare_network_of(advice: Recommendation, knowledge: Knowledge) -> Comparison:
    """Return the speed of the network of an advice among published ones of like work."""
    found = compare_network(advice.workload, advice.baseline, knowledge, profile=advice.profile)
    measured = advice.measurements
    return dataclasses.replace(found, measured_on=measured.measured_on if measured else None)


def compare_all(advice: Recommendation, knowledge: Knowledge) -> Comparison:
    """Return the network of an advice first, then every kernel."""
    kernels = compare_kernels(advice.profile, advice.measurements, knowledge)
    network = compare_network_of(advice, knowledge)
    return dataclasses.replace(kernels, groups=(*network.groups, *kernels.groups))
