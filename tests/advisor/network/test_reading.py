"""JSON text that Python does not read."""

import pytest

from advisor.errors import NetworkFileError
from advisor.model.workload import Job
from advisor.network.load import workload_from_bytes
from advisor.network.reading import parse_json


@pytest.mark.parametrize("text", ["9" * 5000, '{"units": -' + "9" * 5000 + "}"])
def test_a_number_of_thousands_of_digits_is_refused_in_our_words(text):
    with pytest.raises(NetworkFileError, match="whole number of thousands of digits") as caught:
        parse_json(text.encode())
    assert "int_max_str_digits" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_long_number_is_read():
    assert parse_json(b"9" * 4000) == 10**4000 - 1


def test_an_old_file_is_known_by_its_content():
    with pytest.raises(NetworkFileError, match=r"^m\.keras: old Keras HDF5 files are not read"):
        workload_from_bytes(b"\x89HDF\r\n\x1a\n" + bytes(99), name="m.keras", job=Job())
