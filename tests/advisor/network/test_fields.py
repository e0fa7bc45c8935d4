import pytest

from advisor.errors import NetworkFileError
from advisor.network.fields import MAX_DIMENSION, Fields, describe


def fields(**config):
    return Fields(config=config, where="layer 'x' (Dense)")


def test_integers_are_read_alone_and_in_rows():
    given = fields(one=3, row=[4, 5])
    assert given.integer("one") == 3
    assert given.integers("one", length=2) == (3, 3)
    assert given.integers("row", length=2) == (4, 5)
    assert given.integers("none", length=3, default=1) == (1, 1, 1)
    assert given.optional_integer("none") is None


@pytest.mark.parametrize("value", [0, -1, True, 2.5, "3", None, [], MAX_DIMENSION + 1])
def test_what_is_no_size_is_refused_with_its_place(value):
    with pytest.raises(NetworkFileError, match=r"layer 'x' \(Dense\): 'units'"):
        fields(units=value).integer("units")


@pytest.mark.parametrize("value", [[1], [1, 2, 3], [1, "2"], [0, 1], "ab", {"a": 1}, [[1], [2]]])
def test_rows_of_another_form_are_refused(value):
    with pytest.raises(NetworkFileError, match="kernel"):
        fields(kernel=value).integers("kernel", length=2)


def test_a_missing_entry_is_named():
    with pytest.raises(NetworkFileError, match="has no 'units'"):
        fields().integer("units")


def test_flags_and_texts():
    assert fields(a=False).flag("a", default=True) is False
    assert fields(a=None).flag("a", default=True) is True
    assert fields(p="SAME").choice("p", default="valid", allowed=("valid", "same")) == "same"
    with pytest.raises(NetworkFileError, match="true or false"):
        fields(a=1).flag("a", default=True)
    with pytest.raises(NetworkFileError, match="not one of valid, same"):
        fields(p="odd").choice("p", default="valid", allowed=("valid", "same"))
    with pytest.raises(NetworkFileError, match="must be a text"):
        fields(p=3).text("p")


def test_a_layer_inside_must_be_one():
    inner = {"class_name": "LSTM", "config": {}}
    assert fields(layer=inner).child("layer") == inner
    for value in (None, [], {"class_name": 3}):
        with pytest.raises(NetworkFileError, match="must be a layer"):
            fields(layer=value).child("layer")


def test_long_values_are_cut_in_messages():
    assert len(describe("x" * 1000)) == 40
