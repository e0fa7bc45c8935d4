"""Operations on matrices count as products with as many multiply-adds, and say so."""

import pytest

from advisor.errors import NetworkFileError
from advisor.model.kernel import UnknownShape
from tests.advisor.network.networks_data import operation


# Multiply-adds by the textbook: half of the flop of Golub and Van Loan's algorithms.
@pytest.mark.parametrize(
    ("op", "given", "made", "multiply_adds"),
    [
        ("Cholesky", [(60, 60)], (60, 60), 60**3 / 6),
        ("Det", [(4, 60, 60)], (4,), 4 * 60**3 / 3),
        ("Slogdet", [(60, 60)], (), 60**3 / 3),
        ("Inv", [(60, 60)], (60, 60), 60**3),
        ("LuFactor", [(60, 60)], (60, 60), 60**3 / 3),
        ("Eigh", [(60, 60)], (60,), 4.5 * 60**3),
        ("Qr", [(90, 60)], (90, 60), 2 * 90 * 60**2 - 60**3 * 2 / 3),
        ("SVD", [(90, 60)], (90, 90), 2 * 90 * 60**2 + 11 * 60**3),
        ("Pinv", [(90, 60)], (60, 90), 3 * 90 * 60**2 + 11 * 60**3),
        ("Solve", [(60, 60), (60, 30)], (60, 30), 60**3 / 3 + 60**2 * 30),
        ("Solve", [(60, 60), (60,)], (60,), 60**3 / 3 + 60**2),
        ("SolveTriangular", [(60, 60), (60, 30)], (60, 30), 60**2 * 15),
        ("Lstsq", [(90, 60), (90, 30)], (60, 30), 2 * 90 * 60**2 + 2 * 90 * 60 * 30),
    ],
)
def test_decompositions_count_as_the_textbook_says(op, given, made, multiply_adds):
    network = operation(op, *given)
    assert network.multiply_adds_per_sample == pytest.approx(multiply_adds, rel=0.03)
    assert network.outputs[0].shape == made
    (note,) = network.notes
    assert "counts as products of matrices" in note


def test_what_is_no_matrix_is_noted():
    assert isinstance(operation("Cholesky", (60,)).operators[0].shape, UnknownShape)
    assert isinstance(operation("Solve", (60, 60)).operators[0].shape, UnknownShape)


def test_an_oblong_matrix_has_no_inverse():
    with pytest.raises(NetworkFileError, match="needs a square matrix"):
        operation("Inv", (60, 30))
