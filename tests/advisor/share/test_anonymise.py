"""Nothing but allow-listed values survives, whatever stands in a profile."""

import dataclasses
import enum
import functools
import json
import re
import types
import typing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from advisor.errors import InputError
from advisor.model.codec import load_document
from advisor.model.kernel import Direction
from advisor.model.machine import Cpu, DeviceKind, MachineProfile, OpenclDevice, OsFamily
from advisor.model.measurement import Measurement, MeasurementSet, StabilityWarning
from advisor.model.prediction import Prediction
from advisor.model.quantity import Basis, Interval, Phase, Precision
from advisor.share.anonymise import anonymise, memory_tier, short_version
from advisor.share.upload import canonical_bytes
from tests.advisor.predict.builders import measure, opencl_device
from tests.advisor.share.builders import GEMM, machine, measured, upload
from tests.helpers.bundled import bundled_knowledge

MACHINES = Path(__file__).parents[2] / "data" / "machines"
SECRETS = (
    "gandalf-laptop",
    "frodo",
    "/home/frodo/secret-project",
    "C:\\Users\\Frodo",
    "00:1b:44:11:3a:b7",
    "5CD1234XYZ",
    "frodo@shire.example",
    "192.168.17.23",
    "6.1.0-37-amd64",
    "d41d8cd9-8f00-b204-e980-0998ecf8427e",
)
ALLOWED_PATTERNS = (
    r"[0-9]{1,4}\.[0-9]{1,3}",
    r"unlisted (CPU|iGPU|GPU|NPU|device)(, [A-Za-z]+)?(, [a-z0-9_]+)?",
    r"gemm m[0-9]+ n[0-9]+ k[0-9]+ [NT][NT]",
    (
        r"conv w[0-9]+ h[0-9]+ c[0-9]+ n[0-9]+ k[0-9]+ s[0-9]+ r[0-9]+ "
        r"pad[0-9]+x[0-9]+ str[0-9]+x[0-9]+"
    ),
    r"lstm h[0-9]+ n[0-9]+ t[0-9]+ i[0-9]+",
)
TEXTS = st.one_of(
    st.sampled_from(SECRETS),
    st.sampled_from(
        (
            *("AMD Ryzen 5 5600G", "AMD", "Intel", "Microsoft Windows 11 Home", "Debian GNU/Linux"),
            *("zen3", "24.04", "535.183.01", "keras", "opencl", "rusticl", "NVIDIA CUDA", "12"),
            *("AMD Radeon frodo@shire.example", "AMD Ryzen 5 5600G 5CD1234XYZ", "headline"),
        )
    ),
    st.text(max_size=30),
)


def _values(annotation):
    """Return a strategy for any value of an annotation of the model."""
    origin = typing.get_origin(annotation)
    if origin in (typing.Union, types.UnionType):
        return st.one_of(*map(_values, typing.get_args(annotation)))
    if origin is tuple:
        return st.lists(_values(typing.get_args(annotation)[0]), max_size=3).map(tuple)
    if annotation is type(None):
        return st.none()
    if annotation is str:
        return TEXTS
    if annotation is bool:
        return st.booleans()
    if annotation is int:
        return st.integers(min_value=0, max_value=2**45)
    if annotation is float:
        return st.floats(min_value=1e-6, max_value=1e9)
    if issubclass(annotation, enum.Enum):
        return st.sampled_from(list(annotation))
    return _dataclass(annotation)


@functools.cache
def _dataclass(cls):
    hints = typing.get_type_hints(cls)
    return st.builds(
        cls, **{field.name: _values(hints[field.name]) for field in dataclasses.fields(cls)}
    )


@st.composite
def measurement_sets(draw):
    drawn = draw(
        st.lists(
            st.sampled_from(["cpu", "opencl0", "headline-device"]).flatmap(
                lambda device: st.tuples(st.just(device), TEXTS, TEXTS, TEXTS, TEXTS, TEXTS)
            ),
            max_size=3,
        )
    )
    results = [measure(GEMM, 0.01, role="headline")]
    for device, role, framework, framework_version, backend, backend_version in drawn:
        made = measure(GEMM, 0.01, role=role, device_id=device)
        stack = dataclasses.replace(
            made.stack, framework=framework, framework_version=framework_version,
            backend=backend, backend_version=backend_version,
        )  # fmt: skip
        results.append(dataclasses.replace(made, stack=stack))
    return MeasurementSet(measured_on="2026-11-21", duration_s=1.0, results=tuple(results))


def _strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for entry in value.values():
            yield from _strings(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from _strings(entry)


@functools.cache
def _listed():
    tables = bundled_knowledge()
    enums = (OsFamily, DeviceKind, Direction, Precision, Phase, Basis)
    return frozenset(
        {spec.device for spec in tables.devices}
        | {spec.vendor for spec in tables.devices}
        | {facts.name for facts in tables.networks}
        | {member.value for cls in enums for member in cls}
        | {"ARM", "numpy", "keras", "torch", "jax", "onnxruntime", "openvino", "opencl"}
        | {"tensorflow", "rusticl", "NVIDIA CUDA", "Debian GNU/Linux", "macOS", "Windows"}
        | {"flop/s", "B/s", "1.2.3", "2026-11"}
    )


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(profile=_dataclass(MachineProfile), measurements=measurement_sets())
def test_only_listed_values_survive_whatever_a_profile_holds(profile, measurements):
    made = anonymise(
        profile, measurements, knowledge=bundled_knowledge(), app_version="1.2.3", month="2026-11"
    )
    data = canonical_bytes(made)
    for text in _strings(json.loads(data)):
        is_allowed = text in _listed() or any(re.fullmatch(p, text) for p in ALLOWED_PATTERNS)
        assert is_allowed, text
    for secret in SECRETS:
        assert secret.encode() not in data


def planted(value):
    """Return a value of the model with all secrets appended to each of its texts but ids."""
    if isinstance(value, str) and not isinstance(value, enum.Enum):
        return f"{value} {' '.join(SECRETS)}"
    if isinstance(value, tuple):
        return tuple(planted(entry) for entry in value)
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value) if field.name != "id"]
        return dataclasses.replace(value, **{n: planted(getattr(value, n)) for n in names})
    return value


def test_secrets_planted_in_every_text_leave_no_trace(knowledge):
    """A machine whose every text holds all the secrets, beside what makes it a known one."""
    clean = machine(opencl=(opencl_device(),))
    data = canonical_bytes(
        anonymise(
            planted(clean), measured(), knowledge=knowledge, app_version="1.2.3", month="2026-11"
        )
    )
    for part in " ".join(SECRETS).split():
        assert part.encode() not in data


def test_a_known_machine_keeps_what_others_want_to_know(knowledge):
    made = upload(knowledge)
    assert made.memory_gib == 16
    assert made.system.name == "Debian GNU/Linux" or made.system.name is None
    assert made.devices[0].name == "AMD Ryzen 5 5600G"
    assert not made.devices[0].is_rare
    assert [f.kernel for f in made.figures] == ["gemm m1024 n1024 k1024 NN", "stream triad"]
    assert made.figures[0].value == pytest.approx(301.5e9, rel=1e-3)
    assert made.figures[0].framework_version == "3.15"


def test_every_recorded_profile_can_be_shared(knowledge):
    text = (MACHINES / "a10-7850k" / "profile.json").read_text(encoding="utf-8")
    made = anonymise(
        load_document(text, MachineProfile), measured(), knowledge=knowledge,
        app_version="1.2.3.dev4", month="2026-11",
    )  # fmt: skip
    assert made.devices[0].name == "AMD A10-7850K"
    assert made.system.name == "Debian GNU/Linux"
    assert made.system.major == 12


def test_an_unknown_processor_becomes_general_and_is_flagged(knowledge):
    made = anonymise(
        machine(brand="Hygon C86 7185 frodo@shire.example"), measured(), knowledge=knowledge,
        app_version="1.2.3", month="2026-11",
    )  # fmt: skip
    assert made.devices[0].name == "unlisted CPU, AMD, zen3"
    assert made.devices[0].is_rare


def test_an_unknown_gpu_is_general_too(knowledge):
    device = dataclasses.replace(opencl_device(), name="GPU of frodo@shire.example", vendor="Frodo")
    made = anonymise(
        machine(brand="nothing known", opencl=(device,)), measured(), knowledge=knowledge,
        app_version="1.2.3", month="2026-11",
    )  # fmt: skip
    assert made.devices[1].name == "unlisted iGPU"
    assert made.devices[1].vendor is None
    assert made.devices[1].driver is None


def test_kernels_of_the_users_network_and_settings_are_left_out(knowledge):
    results = measured().results
    only_replay = MeasurementSet(measured_on="2026-11-21", duration_s=1.0, results=results[2:])
    with pytest.raises(InputError, match="nothing to share"):
        anonymise(machine(), only_replay, knowledge=knowledge, app_version="1.2.3", month="2026-11")


def test_a_disturbed_figure_says_so(knowledge):
    first, *rest = measured().results
    noisy = dataclasses.replace(first, warnings=(StabilityWarning.NOISY,))
    results = dataclasses.replace(measured(), results=(noisy, *rest))
    made = anonymise(machine(), results, knowledge=knowledge, app_version="1.2.3", month="2026-11")
    assert [figure.is_steady for figure in made.figures] == [False, True]


@pytest.mark.parametrize(
    ("network", "n_steps"), [("resnet-50", 1), ("secret-project-of-frodo.keras", 0)]
)
def test_only_a_bundled_network_is_named(knowledge, network, n_steps):
    from advisor.model.workload import Job
    from advisor.network.load import bundled_workload

    workload = bundled_workload("resnet-50", job=Job(), networks=knowledge.networks)
    workload = dataclasses.replace(workload, network=network)
    step = Interval(low=1.0, mid=1.23456, high=2.0)
    baseline = Prediction(
        option_id="stay", step_s=step, epoch_s=step, total_s=step, basis=Basis.MODEL_ONLY,
        evidence=(), assumptions=("frodo",),
    )  # fmt: skip
    made = anonymise(
        machine(), measured(), knowledge=knowledge, app_version="1.2.3", month="2026-11",
        workload=workload, baseline=baseline, measured_step_s=1.5,
    )  # fmt: skip
    assert len(made.steps) == n_steps
    if n_steps:
        assert (made.steps[0].mid_s, made.steps[0].measured_s) == (1.235, 1.5)


@pytest.mark.parametrize(
    ("total", "tier"),
    [(None, None), (0, None), (925 << 20, 1), (15 << 30, 16), (16 << 30, 16), (17 << 30, 16)],
)
def test_memory_is_told_by_tier(total, tier):
    assert memory_tier(total) == tier


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("2.21.0", "2.21"),
        ("2.5.1+cu121", "2.5"),
        ("535.183.01", "535.183"),
        ("24.0.3-1ubuntu1", "24.0"),
        ("31.0.101.4502", "31.0"),
        ("192.168.17.23", None),
        ("10.1.2.3 of frodo", None),
        ("frodo 1.2", None),
        ("20231103", None),
        ("12345.1", None),
        (None, None),
        ("", None),
    ],
)
def test_a_version_is_two_numbers(text, short):
    assert short_version(text) == short


def test_the_annotations_of_the_model_hold_no_text_that_the_strategy_missed():
    """The property test fills every text field: were one renamed, it would be filled too."""
    texts = [f.name for f in dataclasses.fields(Cpu) if typing.get_type_hints(Cpu)[f.name] is str]
    assert texts == ["brand"]
    assert "driver_version" in {field.name for field in dataclasses.fields(OpenclDevice)}
    assert dataclasses.is_dataclass(Measurement)
