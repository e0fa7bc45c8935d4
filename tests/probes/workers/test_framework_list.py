"""Devices that frameworks see."""

from types import SimpleNamespace

import pytest
from framework_list import list_devices


def gpu(*names, available=True):
    return SimpleNamespace(
        is_available=lambda: available,
        device_count=lambda: len(names),
        get_device_name=lambda index: names[index],
    )


def test_pytorch_with_everything():
    torch = SimpleNamespace(
        cuda=gpu("Radeon 780M"),
        xpu=gpu("Arc A770", "Iris Xe"),
        backends=SimpleNamespace(mps=SimpleNamespace(is_available=lambda: True)),
    )
    assert list_devices("torch", torch) == [
        {"id": "torch:cuda:0", "name": "Radeon 780M"},
        {"id": "torch:xpu:0", "name": "Arc A770"},
        {"id": "torch:xpu:1", "name": "Iris Xe"},
        {"id": "torch:mps:0", "name": "Apple GPU"},
    ]


def test_an_old_pytorch_for_cpus():
    torch = SimpleNamespace(cuda=gpu("x", available=False), backends=SimpleNamespace())
    assert list_devices("torch", torch) == []


def test_jax():
    devices = [
        SimpleNamespace(platform="cpu", id=0, device_kind="cpu"),
        SimpleNamespace(platform="gpu", id=1, device_kind="gfx1103"),
    ]
    jax = SimpleNamespace(local_devices=lambda: devices)
    assert list_devices("jax", jax) == [{"id": "jax:gpu:1", "name": "gfx1103"}]


def test_onnx_runtime():
    names = ["DmlExecutionProvider", "AzureExecutionProvider", "CPUExecutionProvider"]
    module = SimpleNamespace(get_available_providers=lambda: names)
    expected = [{"id": "onnxruntime:DmlExecutionProvider", "name": "Dml"}]
    assert list_devices("onnxruntime", module) == expected


def test_openvino():
    class Core:
        available_devices = ("CPU", "GPU", "NPU")

        def get_property(self, device, name):
            assert name == "FULL_DEVICE_NAME"
            return f"Intel {device}"

    found = list_devices("openvino", SimpleNamespace(Core=Core))
    assert found == [
        {"id": "openvino:GPU", "name": "Intel GPU"},
        {"id": "openvino:NPU", "name": "Intel NPU"},
    ]


def test_an_unknown_framework_is_an_error():
    with pytest.raises(KeyError):
        list_devices("abacus", None)
