"""Lists the devices that one framework of this interpreter can compute on.

The request has "framework": "torch", "jax", "onnxruntime" or "openvino". The result has
"version" and "devices", each with "id" (as a runner's option "device_id" takes it) and "name".
The CPU is always there and not listed.
Leaves to others: timing anything on them (`torch_kernels`, ...).
"""

import importlib

_NOT_OURS = ("CPUExecutionProvider", "AzureExecutionProvider")


def _torch_devices(torch):
    found = []
    for kind in ("cuda", "xpu"):
        module = getattr(torch, kind, None)
        if module is None or not module.is_available():
            continue
        found += [
            ("{}:{}".format(kind, index), module.get_device_name(index))
            for index in range(module.device_count())
        ]
    mps = getattr(torch.backends, "mps", None)
    if mps is not None and mps.is_available():
        found.append(("mps:0", "Apple GPU"))
    return found


def _jax_devices(jax):
    return [
        ("{}:{}".format(device.platform, device.id), device.device_kind)
        for device in jax.local_devices()
        if device.platform != "cpu"
    ]


def _onnxruntime_devices(onnxruntime):
    names = [name for name in onnxruntime.get_available_providers() if name not in _NOT_OURS]
    return [(name, name.replace("ExecutionProvider", "")) for name in names]


def _openvino_devices(openvino):
    core = openvino.Core()
    return [
        (name, str(core.get_property(name, "FULL_DEVICE_NAME")))
        for name in core.available_devices
        if name != "CPU"
    ]


FRAMEWORKS = {
    "torch": _torch_devices,
    "jax": _jax_devices,
    "onnxruntime": _onnxruntime_devices,
    "openvino": _openvino_devices,
}


def list_devices(name, module):
    """Return the devices of an imported framework."""
    return [
        {"id": "{}:{}".format(name, device), "name": text}
        for device, text in FRAMEWORKS[name](module)
    ]


def run(request, channel):
    """Return the fields of the result."""
    name = request["framework"]
    channel.send("stage", stage="import")
    module = importlib.import_module(name)
    version = str(getattr(module, "__version__", "")) or None
    return {"version": version, "devices": list_devices(name, module)}
