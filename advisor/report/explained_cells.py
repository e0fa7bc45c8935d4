"""Short cells of the tables that `explain` shows, which no rule tells from a name or a command.

Sentences of these tables are taken from the tables themselves (`tools/translations.py`).
Leaves to others: looking them up (`advisor.report.said`).
"""

from advisor.i18n import N_

STATES = (
    N_("active"),
    N_("deprecated"),
    N_("dormant"),
    N_("merged"),
    N_("retired"),
    N_("superseded"),
    N_("renamed Spot VMs"),
    N_("active; {name}"),
    N_("ncnn 1.0 of 2026-10"),
    N_("about 2018"),
    N_("about 2019"),
    N_("about 2020"),
    N_("before 2020"),
    N_("Android 12 (2021)"),
    N_("Kepler with CUDA 12 (2022); Maxwell, Pascal and Volta with CUDA 13 and PyTorch 2.15 "
       "(2026)"),
)  # fmt: skip
ROLES = (
    N_("Caffe for AMD GPUs"),
    N_("TensorFlow for AMD GPUs"),
    N_("framework: Berkeley CNN framework"),
    N_("framework: Lua framework"),
    N_("Keras on OpenCL and Metal"),
    N_("TensorFlow on DirectML"),
    N_("PyTorch on DirectML"),
    N_("ONNX Runtime on AMD GPUs"),
    N_("PyTorch on Intel GPUs"),
    N_("Linux inside Windows"),
)  # fmt: skip
ADVICE = (
    N_("Take PyTorch"),
    N_("Take Apache TVM, IREE or ExecuTorch"),
    N_("Take OpenVINO GenAI or llama.cpp"),
    N_("Take MLX or PyTorch (mps)"),
    N_("Install ai-edge-litert"),
    N_("Uninstall it"),
    N_("For inference"),
    N_("Works with OpenVINO 2022.3 only"),
)  # fmt: skip
SUCCESSORS = (
    N_("PyTorch XPU (Intel Arc), PyTorch ROCm (Radeon), OpenVINO (Intel iGPU inference), "
       "tinygrad DEV=CL (any OpenCL 2.0 GPU) (on Intel Arc/Core Ultra; Radeon RDNA; any "
       "OpenCL GPU)"),
    N_("Intel oneAPI DPC++ / AdaptiveCpp (on Intel, NVIDIA, AMD GPUs)"),
    N_("in-kernel amdgpu/KFD (/dev/kfd) or amdgpu-dkms (on AMD GPUs)"),
    N_("HIP-Clang / amdclang++ (on AMD GPUs)"),
    N_("PyTorch ROCm (on Radeon/Instinct)"),
    N_("ExecuTorch 1.5.1 (mobile/edge) (on ARM CPU, NPUs, Apple)"),
    N_("PyTorch/TensorFlow with oneDNN (on Intel CPU)"),
    N_("XNNPACK, oneDNN (on ARM, x86)"),
    N_("NNCF 3.4.0 (OpenVINO), torchao 0.18, LiteRT converter (on CPU/iGPU/NPU)"),
    N_("INT8 through VNNI/AMX/dotprod (on x86 with VNNI, ARM with dotprod/i8mm)"),
    N_("Vulkan compute, LiteRT GPU/NPU delegates (on Android)"),
    N_("Keras with KERAS_BACKEND=torch on PyTorch for ROCm"),
    N_("JAX for ROCm"),
    N_("OpenVINO GenAI 2026.4.1, llama.cpp SYCL/Vulkan (on Intel iGPU/NPU)"),
    N_("OpenVINO NPU plugin 2026.4.1 (on Core Ultra)"),
    N_("WSL2 + PyTorch ROCm, or PyTorch XPU (on Windows)"),
    N_("PyTorch ROCm for Windows, PyTorch XPU (on Windows)"),
    N_("MLX, PyTorch MPS (on Apple silicon)"),
    N_("ai-edge-litert 2.3.0 (2026-10) on Arm and x86 processors, GPUs and NPUs"),
    N_("MIGraphX on Linux"),
    N_("Windows ML on Windows"),
    N_("OpenVINO (on x86-64, ARM64, Intel GPU and NPU)"),
)  # fmt: skip
OPTIONS = (
    N_("leave fp32"),
    N_("try 1,4,16,32"),
    N_("buy AI HAT+"),
    N_("skip"),
    N_("hybrid Intel: taskset -c <P-core list> or OpenVINO SCHEDULING_CORE_TYPE=PCORE_ONLY"),
    N_("tuned: "
       "MALLOC_CONF=oversize_threshold:1,background_thread:true,metadata_thp:auto,dirty_decay_ms:-1,muzzy_decay_ms:-1"),
    N_("new (2026-09)"),
    N_("accuracy"),
    N_("1 core Zen 5: CNN 1.73, MLP 1.63, ResNet50 1.20, LSTM 0.74 (slower)"),
    N_("torch ResNet18 train 1.07; TF ResNet50 1.03; LSTM 0.98"),
    N_("ncnn 4 against 1 thread: resnet50 1.94, mobilenet 2.25, resnet18 1.49, vgg16 1.48"),
    N_("Raspberry Pi 5, 4 threads: mobilenet_v3 7.3 ms, resnet18 19.8, resnet50 45.9, vgg16 127.8"),
    N_("Raspberry Pi 5, 4 threads: resnet50 1.14, vgg16 1.20, resnet18 1.19, squeezenet "
       "0.97; 1 thread: mobilenet 1.41, resnet18 0.81, vgg16 0.69; Apple M1 1 thread: "
       "mobilenet 1.95, resnet50 1.43, vgg16 0.71"),
)  # fmt: skip
HARDWARE = (
    N_("SSE4.2, no AVX"),
    N_("AVX (Ivy: +F16C), no FMA"),
    N_("AVX2 + AVX-VNNI (AVX-512 fused off)"),
    N_("as SPR + AMX-FP16"),
    N_("AVX, FMA4, XOP, no FMA3"),
    N_("AVX, FMA3, FMA4, F16C, no AVX2"),
    N_("AVX, no FMA"),
    N_("AVX2+FMA on 128-bit units"),
    N_("AVX-512 on 256-bit units + VNNI + BF16"),
    N_("AVX-512 full width + VNNI + BF16 + AVX-VNNI"),
    N_("NEON 64-bit pipes (A55: dotprod)"),
    N_("NEON 4x128, fp16, dotprod; AMX coprocessor through Accelerate"),
    N_("Pascal and Volta, sm_60-72"),
    N_("Turing and newer, sm_75+"),
    N_("Radeon Pro in Intel Macs, metal"),
    N_("Apple10 GPU with neural accelerators"),
    N_("Xe-LPG (no XMX on MTL, XMX on ARL-H)"),
)  # fmt: skip
CELLS = (*STATES, *ROLES, *ADVICE, *SUCCESSORS, *OPTIONS, *HARDWARE)
