"""Goes through the kernels of a request, one after the other, and reports each.

A kernel that fails is reported and the next one is run. Whatever still stands when the time of
the request is used up is reported as skipped.
Leaves to others: preparing, checking and running a kernel (the runners).
"""

import time
import traceback

import worker_bouts
import worker_errors
import worker_protocol
import worker_threads
import worker_timing

# Values that last longer are reported as they come, so that the parent hears from us.
_LONG_VALUE_S = 0.5
# TensorFlow without oneDNN says so of convolutions with dilation, as of an invalid argument.
_LACKS = "do not yet support"
# OpenCL's name of a device that was taken away, or whose driver has given up.
_GONE = "DEVICE_NOT_AVAILABLE"


def _lack_of(error):
    """Return the line in which a framework says that it does not have a kernel, else ""."""
    lines = [line.strip() for line in str(error).splitlines()]
    found = next((line for line in lines if _LACKS in line), "")
    # TensorFlow puts the node in front of it and the operation behind.
    return found.rpartition("}} ")[2].partition(" [Op:")[0]


def outcome_of(error):
    """Return the name of the verdict that an exception stands for."""
    if isinstance(error, worker_errors.UnsupportedKernel) or _lack_of(error):
        return "unsupported"
    if isinstance(error, worker_errors.WrongResult):
        return "wrong_result"
    # Frameworks have memory errors of their own, which all have one of these names.
    names = [cls.__name__ for cls in type(error).__mro__]
    if "MemoryError" in names or "ResourceExhaustedError" in names:
        return "out_of_memory"
    return "failed"


def sentence_of(error):
    """Return what an exception says in one line."""
    lines = str(error).strip().splitlines()
    text = lines[0].strip() if lines else ""
    if isinstance(error, (worker_errors.UnsupportedKernel, worker_errors.WrongResult)) and text:
        return text
    text = _lack_of(error) or text
    if _GONE in text:
        return "the device is not available any more: {}".format(text)
    return "{}: {}".format(type(error).__name__, text) if text else type(error).__name__


def _measure(runner, kernel, channel):
    name = kernel["id"]
    channel.send("stage", id=name, stage="prepare")
    prepared = runner.prepare(kernel)
    try:
        check = prepared.check()
        worker_threads.wait_after_check()
        channel.send("stage", id=name, stage="warm_up", check=check)
        duration_s = kernel.get("duration_s")

        def on_value(seconds, loops):
            if duration_s is not None:
                # Each value is told at once: when it is cancelled, what there is counts.
                channel.send("progress", id=name, value_s=seconds / loops, loops=loops)
            elif seconds > _LONG_VALUE_S:
                channel.send("progress", id=name)
            channel.check_cancelled()

        timing = worker_timing.time_kernel(
            prepared.run,
            kernel["min_value_s"],
            kernel["n_values"],
            on_value=on_value,
            first_loops=getattr(prepared, "loops_per_call", 1),
            duration_s=duration_s,
        )
    finally:
        prepared.close()
    _report(runner, name, prepared, timing, check, channel)


def _report(runner, name, prepared, timing, check, channel):
    # Told with each kernel: a child that dies at a later one must not take it along.
    learned = runner.learned() if hasattr(runner, "learned") else {}
    channel.send(
        "value",
        id=name,
        warmups_s=timing.warmups_s,
        values_s=timing.values_s,
        loops=timing.loops,
        lasted_s=timing.lasted_s,
        check=check,
        is_difference=bool(getattr(prepared, "is_difference", False)),
        n_dropped=timing.n_dropped,
        **({"learned": learned} if learned else {}),
    )


def _skip(kernels, budget_s, channel):
    for kernel in kernels:
        channel.send(
            "kernel_failed",
            id=kernel["id"],
            outcome="skipped",
            message="the time set aside ({:.3g} s) was used up".format(budget_s),
        )


def run_kernels(runner, request, channel, started=None, clock=time.monotonic):
    """Run the kernels of a request.

    Args:
        runner: has `prepare(kernel)`, which returns an object with `check()`, `run(loops)` and
            `close()`.
        request: its "kernels", "budget_s" (None or absent: no limit), and "bout": how many are
            timed in turn (see `worker_bouts`), 1 or absent for one after the other.
        channel: where each result is reported.
        started: from when the budget counts, by the clock; None: from now.
        clock: seconds, for the budget.

    Raises:
        worker_protocol.Cancelled: when the parent asks to stop.
    """
    budget_s = request.get("budget_s")
    started = clock() if started is None else started

    def fail(kernel, error):
        channel.send(
            "kernel_failed",
            id=kernel["id"],
            outcome=outcome_of(error),
            message=sentence_of(error),
        )

    if request.get("bout", 1) > 1:

        def skip(rest):
            _skip(rest, budget_s, channel)

        worker_bouts.run_in_bouts(runner, request, channel, fail, skip, started, clock)
    else:
        _run_in_order(runner, request, channel, fail, started, clock)


def _run_in_order(runner, request, channel, fail, started, clock):
    """Run the kernels one after the other."""
    kernels, budget_s = request["kernels"], request.get("budget_s")
    left = worker_timing.TimeLeft(budget_s, started, clock)
    channel.on_resume = left.grant
    for index, kernel in enumerate(kernels):
        channel.check_cancelled()
        if not left.has(0.0):
            _skip(kernels[index:], budget_s, channel)
            return
        try:
            _measure(runner, kernel, channel)
        except worker_protocol.Cancelled:
            raise
        except Exception as error:
            traceback.print_exc()
            fail(kernel, error)
