"""GPU families for the tests: one that no software serves, one officially supported."""

from advisor.model.published import GpuFamily


def a_family(**changes):
    values = {
        "id": "amd-kaveri",
        "vendor": "AMD",
        "kind": "igpu",
        "architecture": "GCN 1.1",
        "pci_vendor_id": "1002",
        "pci_device_ids": ("1304-130f", "1310-1318"),
        "name_pattern": "Kaveri",
        "examples": "A10-7850K",
        "years": "2014-2015",
        "linux_training": "none",
        "linux_training_route": None,
        "linux_inference": "unofficial",
        "linux_inference_route": "ncnn Vulkan",
        "windows_training": "none",
        "windows_training_route": None,
        "windows_inference": "unofficial",
        "windows_inference_route": None,
        "opencl_linux": "rusticl",
        "advice": "train on the 4 CPU cores",
        "caveats": None,
        "source": "a list",
        "confidence": "high",
    }
    return GpuFamily(**{**values, **changes})


RDNA3 = a_family(
    id="amd-rdna3-dgpu",
    kind="dgpu",
    architecture="RDNA3",
    pci_device_ids=("744c",),
    name_pattern="RX 7900",
    linux_training="official",
    linux_training_route="PyTorch ROCm",
    linux_inference="official",
    windows_training="official",
    advice="PyTorch ROCm",
)
AMPERE = a_family(
    id="nvidia-turing-plus",
    vendor="NVIDIA",
    kind="dgpu",
    architecture="Turing and newer",
    pci_vendor_id="10de",
    pci_device_ids=(),
    name_pattern="RTX",
    linux_training="official",
    linux_training_route="PyTorch, TF, JAX CUDA",
    linux_inference="official",
    windows_training="official",
    windows_training_route="PyTorch; TF only in WSL2",
    windows_inference="official",
    advice="reference",
)
