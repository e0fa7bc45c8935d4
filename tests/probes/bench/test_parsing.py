"""Fields of messages."""

import pytest

from probes.bench.parsing import parse_stack, parse_times


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ([1, 0.5], (1.0, 0.5)),
        ([], ()),
        (None, ()),
        ("12", ()),
        ([1.0, -2.0], ()),
        ([0.0], ()),
        ([1.0, "2"], ()),
        ([True], ()),
    ],
)
def test_times(data, expected):
    assert parse_times(data) == expected


def test_stacks():
    stack = parse_stack({"framework": "keras", "framework_version": "3", "backend": 7})
    assert (stack.framework, stack.framework_version, stack.backend) == ("keras", "3", None)
    assert parse_stack({"framework_version": "3"}) is None
    assert parse_stack(None) is None


def test_names_of_software_are_short_and_steer_no_terminal():
    told = {"framework": "keras\x1b[31m", "framework_version": "3\n" * 9999}
    stack = parse_stack(told)
    assert stack.framework == "keras[31m"
    assert len(stack.framework_version) < 1000
    assert stack.framework_version.isprintable()
