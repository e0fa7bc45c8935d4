"""The arithmetic peak: multiply-add chains in every vector width.

One execution is `PEAK_FLOP` operations in the precision, whatever the device; the work is made as
large as the device needs and its time scaled to that.
"""

import math
import time

import numpy as np
import opencl_choices
import opencl_device
import opencl_fastest
import opencl_work
import worker_check
import worker_errors

# Operations of one execution of a `PeakShape`: 1 s is 1 Gop/s.
PEAK_FLOP = 1e9
WIDTHS = (1, 2, 4, 8, 16)
_STEPS_PER_LOOP = 4
_CONSTANT = -0.3
# Submissions are made about this long.
_SUBMISSION_S = 0.02
_TRIAL_S = 0.01
_MAX_STEPS = 1 << 24
# Work-items of a unit: enough to hide latency on a GPU, a few for each core on a CPU.
_ITEMS_PER_UNIT = {False: 2048, True: 16}
_GROUPS = {False: (256, 64), True: (64, 1)}
_CHAINS = {False: (4, 8), True: (8, 16)}
# Scalars held in chains by one work-item; beyond that registers spill everywhere.
_MAX_CHAIN_VALUES = {False: 64, True: 384}
_FORMS = ("((a)*(b)+(c))", "mad(a,b,c)")
_CHECK_STEPS = 5
# By how much bytes move from one product to the next.
_BYTE_STEP = 5


def reference(chains, width, item, steps):
    """Return what one work-item gives, in double precision."""
    starts = (np.arange(chains) + (item & 15)).astype(np.float32) * np.float32(0.01)
    x = starts.astype(np.float64)
    for _ in range(steps * _STEPS_PER_LOOP):
        x = x * x + _CONSTANT
    return np.full(width, x.sum())


class _Chains:
    """One variant of the kernel over the whole device."""

    def __init__(self, device, precision, width, chains, group, form):
        self._device = device
        self._precision = precision
        self.width, self.chains = width, chains
        self._workspace = opencl_device.Workspace(device)
        try:
            kernel, self._dtype, constant = self._kernel(form)
            self._items = opencl_work.round_up(
                device.units * max(_ITEMS_PER_UNIT[device.is_cpu], group), group
            )
            self._result = self._workspace.empty(self._items * width, self._dtype)
            self._launch = opencl_work.Launch(
                device,
                kernel,
                (self._items,),
                (group,),
                [self._result, constant, 1],
            )
        except BaseException:
            self._workspace.release()
            raise
        self._steps = 1

    def _kernel(self, form):
        """Return the kernel, the type of its results, and the number that comes from outside."""
        macros = self._device.numbers(self._precision)
        macros["MAD(a,b,c)"] = form
        kernel = self._device.kernel("peak", "peak", VW=self.width, CHAINS=self.chains, **macros)
        return kernel, opencl_device.dtype_of(self._precision), np.float32(_CONSTANT)

    def _expected(self, item, steps):
        return reference(self.chains, self.width, item, steps)

    @property
    def _flop_per_step(self):
        return 2.0 * _STEPS_PER_LOOP * self._items * self.width * self.chains

    def _seconds(self, steps, count, clock=time.perf_counter):
        self._launch.set_argument(2, steps)
        queue = self._device.queue
        started = clock()
        for _ in range(count):
            self._launch.enqueue()
            self._device.note_submission(_SUBMISSION_S)
        queue.finish()
        return clock() - started

    def calibrate(self):
        """Find how many steps make a submission long enough, and return the flop per second."""
        self._seconds(1, 1)
        steps = 1
        seconds = self._seconds(steps, 1)
        while seconds < _TRIAL_S and steps < _MAX_STEPS:
            steps *= 2 if seconds > _TRIAL_S / 16 else 8
            seconds = self._seconds(steps, 1)
        seconds = min(seconds, self._seconds(steps, 1), self._seconds(steps, 1))
        self._steps = max(1, min(_MAX_STEPS, int(steps * _SUBMISSION_S / seconds)))
        return steps * self._flop_per_step / seconds

    def settle(self):
        """Nothing is left to be found out by `calibrate`."""

    def check(self):
        """Compare work-items from both ends with the chain in double precision."""
        self._seconds(_CHECK_STEPS, 1)
        items = sorted({0, 1, min(7, self._items - 1), self._items - 1})
        found = [
            self._workspace.read(self._result, item * self.width, self.width, self._dtype)
            for item in items
        ]
        expected = [self._expected(item, _CHECK_STEPS) for item in items]
        text = worker_check.compare(found, expected, self._precision, "the chains")
        return "{}; width {}, {} chains".format(text, self.width, self.chains)

    def run(self, loops):
        """Execute about `loops` times `PEAK_FLOP` operations, return the seconds of just those."""
        wanted = loops * PEAK_FLOP / self._flop_per_step
        count = max(1, round(wanted / self._steps))
        steps = max(1, round(wanted / count))
        return self._seconds(steps, count) * wanted / (count * steps)

    def close(self):
        """Give the memory back."""
        self._workspace.release()


class _ByteChains(_Chains):
    """The same for products of bytes, summed in 32 bits: what any device does without extension."""

    def _kernel(self, _form):
        macros = {"VW": self.width, "CHAINS": self.chains}
        return self._device.kernel("peak_int8", "peak_int8", **macros), np.int32, _BYTE_STEP

    def _expected(self, item, steps):
        return byte_reference(self.chains, self.width, item, steps)


def byte_reference(chains, width, item, steps):
    """Return what one work-item of the chains of bytes gives: the sums, joined bit by bit."""
    x = (np.arange(chains) + (item & 15)).astype(np.int8)
    sums = np.zeros(chains, np.int32)
    for _ in range(steps * _STEPS_PER_LOOP):
        sums += x.astype(np.int32) * (3 + 2 * _BYTE_STEP)
        x = (x.view(np.uint8) + np.uint8(_BYTE_STEP)).view(np.int8)
    return np.full(width, np.bitwise_xor.reduce(sums))


def _make(device, precision, variant):
    return (_ByteChains if precision == "int8" else _Chains)(device, precision, *variant)


def _variants(device, precision, widths):
    """Return every variant: width, chains, group and form, the likeliest first.

    Time may end before all were tried: the device's own vectors come before wider and narrower.
    """
    own = _own_width(device, precision)
    widths = sorted(widths, key=lambda width: abs(math.log2(width / own)))
    return [
        (width, chains, group, form)
        for group in _GROUPS[device.is_cpu]
        for form in (_FORMS[:1] if precision == "int8" else _FORMS)
        for width in widths
        for chains in _CHAINS[device.is_cpu]
        if width * chains <= _MAX_CHAIN_VALUES[device.is_cpu]
    ]


def _own_width(device, precision):
    """Return how many values a vector of the device has; drivers may say 0."""
    if precision == "int8":
        return max(1, device.device.native_vector_width_char)
    return device.vector_width


def _seconds(device, precision, variant):
    """Return the seconds of `PEAK_FLOP` operations in a variant."""
    work = _make(device, precision, variant)
    try:
        return PEAK_FLOP / work.calibrate()
    finally:
        work.close()


def _try(device, precision, variants):
    """Return variants and their seconds, the best first, and whether there was time for all."""
    found, failure, is_complete = [], None, True
    for variant in variants:
        if found and device.patience.is_over():
            is_complete = False
            break
        try:
            found.append((variant, _seconds(device, precision, variant)))
        except (device.cl.Error, worker_errors.UnsupportedKernel) as error:
            failure = error
    if not found:
        raise failure
    return sorted(found, key=lambda pair: pair[1]), is_complete


def _try_all(device, precision, variants):
    """Try widths and chains first, then group and form of the best."""
    usual = (_GROUPS[device.is_cpu][0], _FORMS[0])
    first, is_complete = _try(device, precision, [v for v in variants if v[2:] == usual])
    best = first[0][0]
    others = [v for v in variants if v[:2] == best[:2] and v[2:] != usual]
    refined, is_refined = _try(device, precision, [best, *others])
    seconds = {}
    for variant, found_s in [*first, *refined]:
        seconds[variant] = min(found_s, seconds.get(variant, found_s))
    ranking = [(variants.index(v), seconds[v]) for v in sorted(seconds, key=seconds.__getitem__)]
    return opencl_choices.Tried(ranking, 1, is_complete and is_refined)


def _prepare(device, precision, variant):
    work = _make(device, precision, variant)
    try:
        work.calibrate()
    except BaseException:
        work.close()
        raise
    return work


def prepare(device, shape, precision):
    """Return the two fastest chains of a width, or of any width when it is 0, as one."""
    width = shape["width"]
    if precision != "int8":
        device.numbers(precision)
    if width not in (0, *WIDTHS):
        raise worker_errors.UnsupportedKernel("OpenCL has no vectors of {}".format(width))
    variants = _variants(device, precision, WIDTHS if width == 0 else (width,))

    found = []

    def try_all():
        found.append(_try_all(device, precision, variants))
        return found[-1]

    def chosen(name, indices, rank):
        def try_one(place, _trial):
            try:
                return _seconds(device, precision, variants[indices[place]])
            except (device.cl.Error, worker_errors.UnsupportedKernel):
                return None

        builders = [lambda i=i: _prepare(device, precision, variants[i]) for i in indices]
        return opencl_fastest.Chosen(device, name, builders, try_one, rank)

    key = ("peak", precision, width)
    best = chosen(key, range(len(variants)), try_all)
    others = [index for index in range(len(variants)) if index != best.index]

    def rank_others():
        tried = found[-1] if found else try_all()
        places = [(others.index(i), seconds) for i, seconds in tried.ranking if i != best.index]
        return tried._replace(ranking=places)

    try:
        second = chosen((*key, "beside", best.index), others, rank_others)
    except worker_errors.WrongResult:
        return best  # no other can be run
    except BaseException:
        best.close()
        raise
    return opencl_fastest.Faster(best, second)


def warm_clock(device, seconds, clock=time.monotonic):
    """Keep a device busy for so long: a GPU that was idle raises its clock only then."""
    width, chains, group = (
        4,
        _CHAINS[device.is_cpu][0],
        min(_GROUPS[device.is_cpu][-1], device.max_group),
    )
    work = _prepare(device, "float32", (width, chains, group, _FORMS[0]))
    try:
        ends_at = clock() + seconds
        while clock() < ends_at:
            work.run(1)
    finally:
        work.close()
