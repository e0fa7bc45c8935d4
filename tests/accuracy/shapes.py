"""Random shapes of every class, none of them a network's: what they are, and timing them.

Each shape is timed as the product times its table, a calibration before and after.
Leaves to others: which shapes (`shapes_drawn`), what follows from the times (`shapes_fit`).
"""

import dataclasses
from collections.abc import Iterator

from advisor.model.instructions import Library, library_under, other_onednn
from advisor.model.machine import MachineProfile
from advisor.model.measurement import BenchmarkRequest, Runner, Setting
from probes.bench.plan import CALIBRATION, Budget
from probes.bench.plan_builder import PlanBuilder
from tests.accuracy.live_file import Recording
from tests.accuracy.live_units import FIRST, LAST, measured, quick_suite
from tests.accuracy.shapes_drawn import random_shapes

_SHAPES_OF_UNIT = 80
UNITS = "shapes/"


def settings_for(library: Library, profile: MachineProfile) -> tuple[Setting, ...]:
    """Return what makes TensorFlow take a library; nothing where it does so by itself."""
    other = other_onednn(profile)
    return () if other is None or library is library_under(profile, ()) else (other,)


def record_shapes(recording: Recording, *, library: Library, draw: str) -> Iterator[str]:
    """Time what the recording lacks of a draw; yields the name of each unit when it is done."""
    profile = recording.profile
    settings = settings_for(library, profile)
    table = tuple(_under(request, settings) for request in quick_suite(profile))
    units = {FIRST: table}
    shapes = random_shapes(draw)
    for at in range(0, len(shapes), _SHAPES_OF_UNIT):
        plan = PlanBuilder(budget=Budget.QUICK)
        for shape, directions in shapes[at : at + _SHAPES_OF_UNIT]:
            for direction in directions:
                plan.add(shape, direction=direction, runner=Runner.KERAS, role=CALIBRATION,
                         settings=settings)  # fmt: skip
        units[f"{UNITS}{at // _SHAPES_OF_UNIT}"] = plan.requests()
    units[LAST] = table
    for name, requests in units.items():
        if name not in recording.units:
            recording.put(name, measured(profile, requests, budget_s=None))
            yield name


def _under(request: BenchmarkRequest, settings: tuple[Setting, ...]) -> BenchmarkRequest:
    if request.runner is not Runner.KERAS or not settings:
        return request
    return dataclasses.replace(request, id=f"{request.id}/set", settings=settings)
