"""JSON text that Python does not read."""

import pytest

from advisor.errors import NetworkFileError
from advisor.network.reading import parse_json


@pytest.mark.parametrize("text", ["9" * 5000, '{"units": -' + "9" * 5000 + "}"])
def test_a_number_of_thousands_of_digits_is_refused_in_our_words(text):
    with pytest.raises(NetworkFileError, match="whole number of thousands of digits") as caught:
        parse_json(text.encode())
    assert "int_max_str_digits" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_long_number_is_read():
    assert parse_json(b"9" * 4000) == 10**4000 - 1
