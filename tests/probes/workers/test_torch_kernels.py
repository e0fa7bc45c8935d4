"""What PyTorch is told; its kernels are tested in `test_frameworks`."""

from types import SimpleNamespace

from torch_kernels import use_whole_float32


def test_float32_is_not_shortened():
    matmul, cudnn = SimpleNamespace(allow_tf32=True), SimpleNamespace(allow_tf32=True)
    backends = SimpleNamespace(cuda=SimpleNamespace(matmul=matmul), cudnn=cudnn)
    use_whole_float32(SimpleNamespace(backends=backends))
    assert (matmul.allow_tf32, cudnn.allow_tf32) == (False, False)
