"""Step time: sums, overlap, fixed costs, intervals, and the laws that must hold."""

import dataclasses
import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.model.instructions import Library
from advisor.model.kernel import (
    Cell,
    ConvShape,
    ElementwiseShape,
    GemmShape,
    OperatorKind,
    OptimizerShape,
    RecurrentShape,
    UnknownShape,
)
from advisor.model.machine import CPU_DEVICE_ID, DeviceKind
from advisor.model.measurement import Runner
from advisor.model.quantity import Basis, Phase, Precision
from advisor.predict.ceilings import fit_ceilings
from advisor.predict.work import step_calls
from advisor.predict.workload_time import interval_of, predict_step, step_on
from advisor.report.sentences import SENTENCES
from probes.bench.plan_opencl import opencl_rows
from tests.advisor.predict.builders import (
    calibration,
    conv,
    gemm,
    knowledge,
    measure,
    measurement_set,
    opencl_device,
    operator,
    profile,
    small_cnn,
    workload,
)


def ceilings(*measurements):
    return fit_ceilings(profile(), measurement_set(*measurements), knowledge())


CALIBRATED = ceilings(*calibration())


def step(work, found=CALIBRATED, **how):
    estimate = predict_step(work, ceilings=found, device_id=CPU_DEVICE_ID, **how)
    assert estimate is not None
    return estimate


def test_step_is_the_sum_of_its_parts():
    found = step(small_cnn())
    assert sum(part.time_s for part in found.breakdown) == pytest.approx(found.step_s.mid)
    times = [part.time_s for part in found.breakdown]
    assert times == sorted(times, reverse=True)
    assert found.basis is Basis.SCALED_FROM_MEASUREMENT


def test_unknown_device_or_setting_has_no_step():
    assert predict_step(small_cnn(), ceilings=CALIBRATED, device_id="opencl7") is None
    assert (
        predict_step(small_cnn(), ceilings=CALIBRATED, device_id=CPU_DEVICE_ID, threads=3) is None
    )


def test_fixed_cost_decides_an_empty_network():
    nothing = {"input_elements_per_sample": 0}
    training = step(dataclasses.replace(workload(), **nothing))
    assert training.step_s.mid == pytest.approx(500e-6)
    inference = step(dataclasses.replace(workload(phase=Phase.INFERENCE), **nothing))
    assert inference.step_s.mid == pytest.approx(200e-6)


def test_what_is_given_from_python_is_copied():
    few = workload(phase=Phase.INFERENCE)
    many = dataclasses.replace(few, input_elements_per_sample=1_000_000)
    moved = 4e6 * many.batch_size
    rate = CALIBRATED.cpu.bandwidth_byte_per_s
    more_s = step(many).step_s.mid - step(few).step_s.mid
    # Slower than memory, but not by more than ten times.
    assert moved / rate < more_s < 10 * moved / rate


def test_training_costs_more_than_inference():
    assert step(small_cnn()).step_s.mid > 2 * step(small_cnn(phase=Phase.INFERENCE)).step_s.mid


def test_the_kind_of_processor_scales_a_training_step_and_nothing_else():
    slower = dataclasses.replace(CALIBRATED.cpu, training_step_factor=1.1)
    for phase, factor in ((Phase.TRAINING, 1.1), (Phase.INFERENCE, 1.0)):
        work = small_cnn(phase=phase)
        plain, scaled = (
            step_on(work, device=device, precision=Precision.FLOAT32)
            for device in (CALIBRATED.cpu, slower)
        )
        assert scaled.step_s.mid == pytest.approx(factor * plain.step_s.mid)
        assert sum(p.time_s for p in scaled.breakdown) == pytest.approx(scaled.step_s.mid)


def test_what_was_not_timed_widens_the_interval_and_says_so():
    few = [m for m in calibration() if not isinstance(m.request.shape, ConvShape)]
    far = ceilings(*few, measure(conv(1, 512, 4, 2), 1e-3))
    told, known = step(small_cnn(), far), step(small_cnn())
    assert told.log_sd > known.log_sd
    words = "Little was timed that is like"
    assert any(words in note for note in told.notes)
    assert not any(words in note for note in known.notes)


def test_what_eigen_computes_is_told_with_more_doubt_but_not_what_was_timed_itself():
    table = {m.request.shape for m in calibration()}
    own = [measure(call.shape, 1e-3, direction=call.direction)
           for call in step_calls(small_cnn()) if call.shape not in table]  # fmt: skip
    for found, ratio in ((CALIBRATED, 1.4), (ceilings(*calibration(), *own), 1.0)):
        onednn, eigen = (
            step_on(
                small_cnn(),
                device=dataclasses.replace(found.cpu, library=library),
                precision=Precision.FLOAT32,
            )
            for library in (Library.ONEDNN, Library.EIGEN)
        )
        assert eigen.log_sd / onednn.log_sd == pytest.approx(ratio, rel=0.02)


def test_beside_layers_that_were_timed_themselves_the_rest_is_what_is_remote():
    work = small_cnn()
    shapes = {call.shape for call in step_calls(work)}
    few = [
        each
        for each in calibration()
        if not isinstance(each.request.shape, ConvShape) and each.request.shape not in shapes
    ]
    far = [*few, measure(conv(1, 512, 4, 2), 1e-3)]
    first = next(call for call in step_calls(work) if isinstance(call.shape, ConvShape))
    own = measure(first.shape, 1e-5, direction=first.direction, role="replay")
    notes = [step(work, ceilings(*each)).notes for each in (far, [*far, own])]
    of_all, of_rest = (
        [note for note in each if "Little was timed that is like" in note] for each in notes
    )
    assert of_all == ["Little was timed that is like the layers of this network."]
    assert of_rest == [
        "Little was timed that is like those layers of this network that were not timed themselves."
    ]
    assert {*of_all, *of_rest} <= set(SENTENCES)


def test_replayed_shapes_narrow_the_interval():
    work = small_cnn()
    rough = step(work)
    replay = [
        measure(call.shape, 5e-3, direction=call.direction, role="replay")
        for call in step_calls(work)
        if not isinstance(call.shape, OptimizerShape) and hasattr(call.shape, "n")
    ]
    exact = step(work, ceilings(*calibration(), *replay))
    assert exact.exact_share > 0.9
    assert exact.log_sd < rough.log_sd


def silent(op):
    """Return the operator without results: an output has a loss of its own in training."""
    return dataclasses.replace(op, output_elements=0)


def branches(n, elements=4096):
    relu = ElementwiseShape(op="relu", elements=elements)
    return [silent(operator(relu)) for _ in range(n)]


def chain(n, elements=4096):
    relu = ElementwiseShape(op="relu", elements=elements)
    return [silent(operator(relu, inputs=(i - 1,) if i else ())) for i in range(n)]


@pytest.mark.parametrize(("phase", "saved"), [(Phase.INFERENCE, 0.55), (Phase.TRAINING, 0.25)])
def test_small_branches_run_beside_each_other_in_part(phase, saved):
    # On four threads three quarters could be saved. An empty step is the fixed cost of both.
    def told(operators):
        return step(dataclasses.replace(workload(*operators, phase=phase), **nothing_given))

    nothing_given = {"input_elements_per_sample": 0}
    in_line, side_by_side = told(chain(40)), told(branches(40))
    fixed_s = told([]).step_s.mid
    kernels_s = in_line.step_s.mid - fixed_s
    assert side_by_side.step_s.mid - fixed_s == pytest.approx((1 - 0.75 * saved) * kernels_s)
    words = "side by side"
    assert any(words in note for note in side_by_side.notes)
    assert not any(words in note for note in in_line.notes)


def test_large_branches_do_not():
    # Each keeps all threads busy by itself.
    layer = silent(operator(conv(32, 64, 32, 64), parameters=1))
    side_by_side = [layer for _ in range(4)]
    in_line = [dataclasses.replace(layer, inputs=(i - 1,) if i else ()) for i in range(4)]
    assert step(workload(*side_by_side)).step_s.mid == pytest.approx(
        step(workload(*in_line)).step_s.mid
    )


def test_activation_folds_into_the_product_before_it_only_in_inference():
    product = operator(gemm(32, 512, 512), parameters=1)
    relu = ElementwiseShape(op="relu", elements=262_144)
    behind = workload(product, operator(relu, inputs=(0,)), phase=Phase.INFERENCE)
    first = operator(gemm(32, 512, 512), inputs=(0,), parameters=1)
    alone = workload(operator(relu), first, phase=Phase.INFERENCE)
    share = {p.operator_kind: p.time_s for p in step(behind).breakdown}["elementwise"]
    whole = {p.operator_kind: p.time_s for p in step(alone).breakdown}["elementwise"]
    assert share == pytest.approx(whole / 2, rel=0.01)


def test_optimizer_grows_with_parameters_and_variables():
    few = step(workload(operator(gemm(32, 10, 10), parameters=1_000)))
    many = step(workload(operator(gemm(32, 10, 10), parameters=50_000_000)))
    assert many.step_s.mid > few.step_s.mid + 0.02


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        (UnknownShape(layer_type="Odd", elements=1 << 22), "not known"),
        (
            RecurrentShape(cell=Cell.LSTM, batch=1, timesteps=500, input=64, hidden=64),
            "small batch",
        ),
    ],
)
def test_doubt_is_told_and_widens(shape, words):
    found = step(workload(operator(shape, parameters=1)))
    assert any(words in note for note in found.notes)
    assert found.log_sd > step(small_cnn()).log_sd


def test_short_steps_are_less_sure():
    short = step(workload(operator(gemm(64, 64, 64), parameters=1)))
    assert any("short" in note for note in short.notes)


def test_data_sheet_alone_is_wide():
    found = step(small_cnn(), fit_ceilings(profile(), None, knowledge()))
    assert found.basis is Basis.MODEL_ONLY
    assert found.step_s.high / found.step_s.low > 4
    assert any("data sheet" in note for note in found.notes)


def on_processor(*, is_asked):
    """Return the step on a processor of which a quick run measured this part through OpenCL."""
    device = dataclasses.replace(opencl_device(), kind=DeviceKind.CPU)
    rows = [want.row for want in opencl_rows(device, is_thorough=False, is_asked=is_asked)]
    found = fit_ceilings(
        dataclasses.replace(profile(), opencl=(device,)),
        measurement_set(
            *(
                measure(row.shape, 1e-3, runner=Runner.OPENCL, device_id=device.id, direction=each)
                for row in rows
                for each in row.directions
            )
        ),
        knowledge(),
    )
    return predict_step(small_cnn(), ceilings=found, device_id=device.id)


def test_a_device_measured_in_short_is_predicted_with_a_wider_interval():
    short, full = on_processor(is_asked=False), on_processor(is_asked=True)
    assert short.basis is full.basis is Basis.SCALED_FROM_MEASUREMENT
    assert short.log_sd > 1.2 * full.log_sd
    assert "Some operators have no measured relative: a usual efficiency is assumed." in short.notes
    assert short.step_s.low < short.step_s.mid < short.step_s.high


def test_a_device_whose_time_ended_before_the_product_has_no_step():
    device = dataclasses.replace(opencl_device(), kind=DeviceKind.CPU)
    rows = [want.row for want in opencl_rows(device, is_thorough=False, is_asked=False)]
    for n_measured in range(len(rows) + 1):
        measured = [
            measure(row.shape, 1e-3, runner=Runner.OPENCL, device_id=device.id)
            for row in rows[:n_measured]
        ]
        found = fit_ceilings(profile(), measurement_set(*measured), knowledge())
        step_ = predict_step(small_cnn(), ceilings=found, device_id=device.id)
        has_product = any(isinstance(row.shape, GemmShape) for row in rows[:n_measured])
        assert (step_ is not None) is has_product


def test_interval_is_symmetric_in_the_logarithm():
    interval = interval_of(2.0, log_sd=0.3)
    assert interval.low * interval.high == pytest.approx(4.0)
    assert math.log(interval.high / 2.0) == pytest.approx(0.3 * 1.2816)


def test_half_precision_uses_its_own_points():
    half = calibration(factor=0.4, precision=Precision.BFLOAT16)
    both = ceilings(*calibration(), *half)
    single = step(small_cnn(), both).step_s.mid
    narrow = step(small_cnn(), both, precision=Precision.BFLOAT16).step_s.mid
    assert narrow < 0.7 * single


@settings(max_examples=25, deadline=None)
@given(factor=st.floats(min_value=0.01, max_value=100.0), phase=st.sampled_from(Phase))
def test_machine_that_is_slower_in_everything_is_predicted_so(factor, phase):
    work = small_cnn(phase=phase)
    slower = step(work, ceilings(*calibration(factor=factor)))
    expected = step(work).step_s
    for name in ("low", "mid", "high"):
        assert getattr(slower.step_s, name) == pytest.approx(factor * getattr(expected, name))


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 1000))
def test_order_of_measurements_does_not_matter(seed):
    shuffled = list(calibration())
    random.Random(seed).shuffle(shuffled)
    assert step(small_cnn(), ceilings(*shuffled)) == step(small_cnn())


@settings(max_examples=60, deadline=None)
@given(batch=st.integers(1, 256), factor=st.integers(2, 4), phase=st.sampled_from(Phase))
def test_larger_batch_is_never_faster(batch, factor, phase):
    small = step(small_cnn(batch, phase=phase)).step_s.mid
    assert step(small_cnn(batch * factor, phase=phase)).step_s.mid >= small


layers = st.sampled_from(
    [conv(16, 8, 16, 8), gemm(64, 64, 64), ElementwiseShape(op="relu", elements=100_000)]
)


@settings(max_examples=60, deadline=None)
@given(shapes=st.lists(layers, min_size=1, max_size=8), more=layers, is_chained=st.booleans())
def test_further_layer_is_never_faster(shapes, more, is_chained):
    operators = [
        operator(shape, inputs=(i - 1,) if is_chained and i else (), parameters=10)
        for i, shape in enumerate(shapes)
    ]
    longer = [*operators, operator(more, inputs=(len(operators) - 1,), parameters=10)]
    assert step(workload(*longer)).step_s.mid >= step(workload(*operators)).step_s.mid * 0.999999


@settings(max_examples=30, deadline=None)
@given(batch=st.integers(1, 512), phase=st.sampled_from(Phase), is_measured=st.booleans())
def test_middle_lies_in_its_interval(batch, phase, is_measured):
    found = CALIBRATED if is_measured else fit_ceilings(profile(), None, knowledge())
    interval = step(small_cnn(batch, phase=phase), found).step_s
    assert 0 < interval.low < interval.mid < interval.high


def test_every_operator_class_of_a_breakdown_is_named():
    kinds = {part.operator_kind for part in step(small_cnn()).breakdown}
    assert kinds <= {kind.value for kind in OperatorKind}
    assert dataclasses.is_dataclass(step(small_cnn()))


def test_weights_beyond_the_caches_widen_the_interval_and_say_so():
    shape = gemm(32, 5000, 5000)
    few = workload(operator(shape, parameters=1), phase=Phase.INFERENCE)
    many = workload(operator(shape, parameters=25_000_000), phase=Phase.INFERENCE)
    narrow, wide = step(few), step(many)
    # Up to a whole reading of 100 MB at 20 GB/s.
    assert narrow.step_s.mid + 1e-3 < wide.step_s.mid < narrow.step_s.mid + 5e-3
    assert wide.log_sd == pytest.approx(math.hypot(narrow.log_sd, 0.12))
    assert any("caches" in note for note in wide.notes)
    unmeasured = step(many, fit_ceilings(profile(), None, knowledge()))
    assert not any("caches" in note for note in unmeasured.notes)


@pytest.mark.parametrize("phase", list(Phase))
@pytest.mark.parametrize("parameters", [640_000, 25_000_000])
def test_an_operator_that_is_run_again_and_again_takes_as_long_as_a_row_of_them(phase, parameters):
    # With a bias over several places, and weights that a cache holds or does not.
    shape = gemm(640, 800, 800)
    first = silent(operator(shape, parameters=parameters))
    again = dataclasses.replace(first, parameters=0, variables=0, shared_parameters=parameters,
                                shared_variables=2)  # fmt: skip
    row = [first, *(dataclasses.replace(again, inputs=(i,)) for i in range(4))]
    told = dataclasses.replace(first, repeats=5)
    apart, once = (
        step(dataclasses.replace(workload(*ops, phase=phase), parameters=parameters))
        for ops in (row, [told])
    )
    kinds = {part.operator_kind: part.time_s for part in apart.breakdown}
    for part in once.breakdown:
        assert part.time_s == pytest.approx(kinds[part.operator_kind], rel=0.02)
    assert once.step_s.mid > step(workload(first, phase=phase)).step_s.mid
