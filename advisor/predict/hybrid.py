"""Processors with fast and slow cores: how many are slow, and how much one of them does.

Leaves to others: limits of processors (`advisor.predict.hardware`), bounds of what was measured
(`advisor.normal.peaks`).
"""

from dataclasses import dataclass

from advisor.model.published import DeviceSpec

# Intel's processors whose fast cores alone run two threads each, by the names of the probe and of
# the data sheets. Later ones (Arrow Lake, Lunar Lake) have slow cores with as wide vectors.
_TWO_THREADS_ON_FAST = frozenset(
    {"alderlake", "alder lake", "raptorlake", "raptor lake", "meteorlake", "meteor lake"}
)
# A slow core has half the vector width (16 against 32 flop per cycle, hardware/cpu_isa.csv) at
# about three quarters of the clock (4.3 of 5.8 GHz in a Core i9-13900K, 3.3 of 4.4 in a Core
# i5-1235U): by data sheets it does so much of a fast one.
SLOW_WIDTH = 0.5
SLOW_PEAK = SLOW_WIDTH * 0.75
# What it does in a network, where the width is not all and all cores together do not hold the
# highest clock. Of 0.38, 0.55, 0.75 and 1 this is nearest to the published times (`python -m
# tests.accuracy`, processors from other processors and from data sheets).
SLOW_RATE = 0.55
# A data sheet whose peak is less than so much of cores x clock x flop per cycle counts slow cores.
_LEAST_SHARE_OF_EQUALS = 0.98


@dataclass(frozen=True, slots=True)
class CoreMix:
    """The cores of a processor.

    Attributes:
        cores: all of them; slow: those of the slower kind, 0 where all are alike.
    """

    cores: float
    slow: float = 0.0

    def worth(self, cores: float | None = None, *, slow_rate: float = SLOW_RATE) -> float:
        """Return as how many fast cores some cores count, the fast ones first.

        Args:
            cores: how many are used; None: all.
            slow_rate: what a slow one does of a fast one: `SLOW_PEAK` of the peak at the highest
                clock, `SLOW_WIDTH` of that at a clock that is the mean of all cores.
        """
        used = self.cores if cores is None else min(cores, self.cores)
        fast = self.cores - self.slow
        return min(used, fast) + slow_rate * max(0.0, used - fast)

    def limited_to(self, cores: float) -> "CoreMix":
        """Return the mix of which only some cores may be used, the fast ones first."""
        if cores >= self.cores:
            return self
        return CoreMix(cores, max(0.0, cores - (self.cores - self.slow)))


def core_mix(
    cores: int, *, threads: int | None, architecture: str | None, spec: DeviceSpec | None = None
) -> CoreMix:
    """Return which cores a processor has, by its threads or by the peak of its data sheet.

    Args:
        cores: physical ones, of all kinds.
        threads: that it runs at once, None unknown.
        architecture: as the probe or a data sheet names it.
        spec: the data sheet, where there is one.
    """
    if threads is not None and (architecture or "").lower() in _TWO_THREADS_ON_FAST:
        fast = threads - cores
        if 0 < fast < cores:
            return CoreMix(float(cores), float(cores - fast))
    return CoreMix(float(cores), _slow_by_peak(cores, spec))


def _slow_by_peak(cores: int, spec: DeviceSpec | None) -> float:
    if spec is None or spec.cores != cores:
        return 0.0
    peak, clock = spec.peak_fp32_flop_per_s, spec.boost_ghz
    per_cycle = spec.fp32_flop_per_cycle_per_core
    if not peak or not clock or not per_cycle:
        return 0.0
    share = peak / (cores * clock * 1e9 * per_cycle)
    if share >= _LEAST_SHARE_OF_EQUALS:
        return 0.0
    return min(float(cores), round(cores * (1.0 - share) / (1.0 - SLOW_PEAK)))
