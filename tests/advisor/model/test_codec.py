"""Every value round-trips through JSON, and what does not fit is refused with its path."""

import dataclasses
import json
import random
import types
import typing
from enum import Enum

import pytest

from advisor.errors import FormatError
from advisor.model import (
    kernel,
    machine,
    measurement,
    offer,
    option,
    prediction,
    published,
    recommendation,
    report,
    workload,
)
from advisor.model.codec import decode, dump_document, encode, load_document
from advisor.model.kernel import ConvShape, Direction, GemmShape, StreamShape
from advisor.model.measurement import (
    BenchmarkRequest,
    FailedMeasurement,
    Measurement,
    MeasurementSet,
    Outcome,
    Runner,
    SoftwareStack,
)
from advisor.model.quantity import Interval, Precision

MODULES = (
    kernel,
    machine,
    measurement,
    offer,
    option,
    prediction,
    published,
    recommendation,
    report,
    workload,
)
CLASSES = sorted(
    {
        value
        for module in MODULES
        for value in vars(module).values()
        if isinstance(value, type) and dataclasses.is_dataclass(value)
    },
    key=lambda cls: cls.__name__,
)


PLAIN = {
    str: lambda rng: rng.choice(["", "x", "Ünï 中文", 'quote " and \\', "line\nline"]),
    int: lambda rng: rng.choice([0, 1, 2**60]),
    float: lambda rng: rng.choice([0.0, 1e-300, 3.5, 1e300]),
    bool: lambda rng: rng.random() < 0.5,
    type(None): lambda rng: None,
}


def make(annotation, rng):
    """Return some value of an annotated type."""
    if annotation is Interval:
        low, mid, high = sorted(rng.random() for _ in range(3))
        return Interval(low=low, mid=mid, high=high)
    if annotation in PLAIN:
        return PLAIN[annotation](rng)
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        return make(rng.choice(arguments), rng)
    if origin is tuple:
        if arguments[-1] is Ellipsis:
            return tuple(make(arguments[0], rng) for _ in range(rng.randrange(3)))
        return tuple(make(argument, rng) for argument in arguments)
    if issubclass(annotation, Enum):
        return rng.choice(list(annotation))
    return annotation(**{k: make(v, rng) for k, v in typing.get_type_hints(annotation).items()})


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_any_value_of_any_class_round_trips(cls, seed):
    value = make(cls, random.Random(seed))
    assert load_document(dump_document(value), cls) == value


def _request(shape) -> BenchmarkRequest:
    return BenchmarkRequest(
        id="a",
        role="headline",
        runner=Runner.NUMPY,
        device_id="cpu",
        shape=shape,
        direction=Direction.FORWARD,
        precision=Precision.FLOAT32,
    )


def test_union_members_carry_their_class_name():
    first = Measurement(
        request=_request(GemmShape(m=1, n=2, k=3)),
        stack=SoftwareStack(
            framework="numpy", framework_version="2", backend=None, backend_version=None
        ),
        warmups_s=(1.0,),
        values_s=(2.0, 3.0),
        loops=4,
        check="first row",
    )
    second = FailedMeasurement(
        request=_request(StreamShape(op="copy", elements=9)),
        outcome=Outcome.CRASHED,
        message="signal 11",
    )
    value = MeasurementSet(measured_on="2026-01-01", duration_s=1.5, results=(first, second))
    body = encode(value)
    assert [entry["type"] for entry in body["results"]] == ["Measurement", "FailedMeasurement"]
    assert body["results"][0]["request"]["shape"]["type"] == "GemmShape"
    assert load_document(dump_document(value), MeasurementSet) == value


@pytest.mark.parametrize(
    ("data", "path"),
    [
        ({"low": 1, "mid": 2}, r"\$"),
        ({"low": 3, "mid": 2, "high": 4}, "not an interval"),
        ({"low": 1, "mid": 2, "high": "4"}, r"\$\.high: expected float, found '4'"),
        ({"low": True, "mid": 2, "high": 4}, r"\$\.low: expected float, found True"),
        ({"low": 1, "mid": 2, "high": 4, "unit": "s"}, "unknown field 'unit'"),
        ([1, 2, 4], "expected an object"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_path(data, path):
    with pytest.raises(FormatError, match=path):
        decode(data, Interval)


def test_nested_path_and_enum_and_tuple_are_named():
    body = encode(_request(GemmShape(m=1, n=2, k=3)))
    with pytest.raises(FormatError, match=r"\$\.runner: 'magic' is not one of numpy, keras"):
        decode({**body, "runner": "magic"}, BenchmarkRequest)
    with pytest.raises(FormatError, match=r"\$\.shape: unknown type 'Nothing'"):
        decode({**body, "shape": {"type": "Nothing"}}, BenchmarkRequest)
    shape = encode(
        ConvShape(
            n=1,
            c=2,
            spatial=(3, 4),
            k=5,
            kernel=(1, 1),
            strides=(1, 1),
            output=(3, 4),
            dilation=(1, 1),
        )
    )
    with pytest.raises(FormatError, match=r"\$\.spatial\[1\]: expected int, found 'x'"):
        decode({**shape, "spatial": [3, "x"]}, ConvShape)


def test_missing_field_with_default_is_an_older_file():
    body = encode(_request(GemmShape(m=1, n=2, k=3)))
    del body["threads"]
    assert decode(body, BenchmarkRequest).threads is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("{}", "no schema_version"),
        ('{"schema_version": 99, "kind": "Interval", "value": {}}', "newer DL Advisor"),
        ('{"schema_version": "1", "kind": "Interval", "value": {}}', "is no version"),
        ('{"schema_version": true, "kind": "Interval", "value": {}}', "is no version"),
        ('{"schema_version": -5, "kind": "Interval", "value": {}}', "is no version"),
        ('{"schema_version": 1, "kind": "Offer", "value": {}}', "expected a Interval"),
        ('{"schema_version": 1, "kind": "Interval"}', "expected an object"),
        (
            '{"schema_version": 1, "kind": "Interval", "value": {"low": 1, "mid": 2, "high": NaN}}',
            "not a finite number",
        ),
        (
            '{"schema_version": 1, "kind": "Interval", "value": {"low": 1' + "0" * 400 + "}}",
            "not a finite number",
        ),
    ],
)
def test_files_that_are_not_ours(text, message):
    with pytest.raises(FormatError, match=message):
        load_document(text, Interval)


def test_document_is_plain_json_with_version_and_kind():
    body = json.loads(dump_document(Interval(low=1, mid=2, high=3)))
    assert body["schema_version"] == 1
    assert body["kind"] == "Interval"
