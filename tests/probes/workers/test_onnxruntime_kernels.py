"""Where ONNX Runtime keeps operands; its kernels are tested in `test_frameworks`."""

import numpy as np
import pytest
from onnxruntime_kernels import place


class Ort:
    """Memory of some kinds, as ONNX Runtime hands it out."""

    def __init__(self, *kinds):
        class OrtValue:
            @staticmethod
            def ortvalue_from_numpy(array, kind, _index):
                if kind not in kinds:
                    raise RuntimeError(f"{kind} is not built in")
                return kind, array.shape

            @staticmethod
            def ortvalue_from_shape_and_type(shape, _dtype, kind):
                return kind, tuple(shape)

        self.OrtValue = OrtValue


ARRAY = np.zeros((2, 3), np.float32)


@pytest.mark.parametrize(
    ("kinds", "wanted", "expected"),
    [(("cpu", "cuda"), "cuda", "cuda"), (("cpu",), "cuda", "cpu"), (("cpu",), "cpu", "cpu")],
)
def test_operand_and_result_lie_where_the_device_computes_or_with_the_host(kinds, wanted, expected):
    found = place(Ort(*kinds), wanted, ARRAY, [2, 4], np.float32)
    assert found == (expected, (expected, (2, 3)), (expected, (2, 4)))


def test_without_any_memory_the_reason_is_told():
    with pytest.raises(RuntimeError, match="cpu is not built in"):
        place(Ort(), "cuda", ARRAY, [1], np.float32)
