"""This machine among published results, for the command line and the window alike.

Leaves to others: which figures are alike (`advisor.compare`), showing them.
"""

import dataclasses

from advisor.compare.kernels import compare_kernels
from advisor.compare.networks import compare_network
from advisor.knowledge.store import Knowledge
from advisor.model.comparison import Comparison
from advisor.model.machine import MachineProfile
from advisor.model.measurement import MeasurementSet
from advisor.model.prediction import Prediction
from advisor.model.workload import Workload
from advisor.predict.predict import PredictionContext, predict_baseline


def baseline_here(
    profile: MachineProfile,
    measurements: MeasurementSet | None,
    workload: Workload,
    knowledge: Knowledge,
) -> Prediction:
    """Return the time of a job on a machine as it is, from what was measured on it."""
    context = PredictionContext(
        profile=profile,
        measurements=measurements,
        workload=workload,
        knowledge=knowledge,
    )
    return predict_baseline(context)


def compare_network_here(
    profile: MachineProfile,
    measurements: MeasurementSet | None,
    workload: Workload,
    knowledge: Knowledge,
) -> Comparison:
    """Return the predicted speed of a network here among published ones of like work."""
    baseline = baseline_here(profile, measurements, workload, knowledge)
    found = compare_network(workload, baseline, knowledge, profile=profile)
    measured_on = None if measurements is None else measurements.measured_on
    return dataclasses.replace(found, measured_on=measured_on)


def compare_all(
    profile: MachineProfile,
    measurements: MeasurementSet | None,
    workload: Workload | None,
    knowledge: Knowledge,
) -> Comparison:
    """Return the network first, where there is one, then every kernel."""
    kernels = compare_kernels(profile, measurements, knowledge)
    if workload is None:
        return kernels
    network = compare_network_here(profile, measurements, workload, knowledge)
    return dataclasses.replace(kernels, groups=(*network.groups, *kernels.groups))
