import pytest

from probes.machine import text as parse


@pytest.mark.parametrize(
    ("text", "size"),
    [("32K", 32768), ("1024 KB", 1 << 20), ("8 GiB", 8 << 30), ("512", 512), ("x", None)],
)
def test_sizes(text, size):
    assert parse.parse_size(text) == size


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("0-2,5", (0, 1, 2, 5)), ("3", (3,)), ("", None), ("2-1", None), ("0-99999999", None)],
)
def test_cpu_lists(text, numbers):
    assert parse.parse_cpu_list(text) == numbers


@pytest.mark.parametrize(("text", "value"), [("0x130F\n", "130f"), ("0x10000", None), ("", None)])
def test_pci_identities(text, value):
    assert parse.parse_hex_id(text) == value


@pytest.mark.parametrize("value", ["nan", "inf", "1e999", "x" * 100, True, None, [1]])
def test_what_is_no_finite_number_is_none(value):
    assert parse.parse_float(value) is None


@pytest.mark.parametrize("value", ["1.5", True, None, float("inf"), "9" * 100])
def test_what_is_no_integer_is_none(value):
    assert parse.parse_int(value) is None


def test_names_are_printable_and_short():
    assert parse.clean_name("  AMD\x00 Ryzen\n 5 ") == "AMD Ryzen 5"
    assert parse.clean_name("\x00 ") is None
    assert len(parse.clean_name("x" * 5000) or "") == 200


def test_the_first_pair_of_a_key_holds_and_quotes_go():
    assert parse.parse_key_values('A="1"\nA=2\n=3\nB') == {"A": "1"}


@pytest.mark.parametrize("text", [None, "", "[1]", "{", "x {", '{"a": NaNN}'])
def test_text_without_a_json_object_gives_an_empty_one(text):
    assert parse.parse_json_object(text) == {}


def test_an_object_stands_for_a_list_of_one():
    assert parse.objects({"a": 1}) == ({"a": 1},)
    assert parse.objects([{"a": 1}, 2, None]) == ({"a": 1},)
    assert parse.objects("x") == ()
