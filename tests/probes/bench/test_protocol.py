"""Lines and messages."""

import pytest

from probes.bench import protocol
from probes.bench.protocol import LineSplitter, ProtocolError, encode_message, parse_message


def test_a_message_comes_back_from_its_line():
    message = {"type": "run", "text": "é\n", "sizes": [1, 2.5], "none": None}
    line = encode_message(message)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert parse_message(line) == message
    with pytest.raises(ValueError, match="JSON compliant"):
        encode_message({"type": "run", "x": float("inf")})


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"[]",
        b"{}",
        b'{"type": 1}',
        b'{"type": "x"',
        b'{"type": "x", "v": NaN}',
        b'{"type": "x", "v": -Infinity}',
        b'{"type": "x", "v": 1e400}',
        b'{"type": "\xff"}',
        b"[" * 100_000,
        b"library: starting",
    ],
)
def test_what_is_no_message_is_refused(line):
    with pytest.raises(ProtocolError, match="the worker wrote a line"):
        parse_message(line)


def test_lines_are_cut_wherever_the_pieces_end():
    text = b'{"a":1}\n\n  \n{"b":2}\r\n{"c"'
    for size in (1, 2, 3, 7, 100):
        splitter = LineSplitter()
        lines = []
        for first in range(0, len(text), size):
            lines += splitter.feed(text[first : first + size])
        assert [line.strip() for line in lines] == [b'{"a":1}', b'{"b":2}']
        assert splitter.has_rest


def test_a_line_without_end_is_refused_also_when_its_end_comes(monkeypatch):
    monkeypatch.setattr(protocol, "MAX_LINE_BYTES", 10)
    assert list(LineSplitter().feed(b"x" * 10 + b"\n")) == [b"x" * 10]
    for text in (b"x" * 11, b"x" * 11 + b"\n"):
        with pytest.raises(ProtocolError, match="over 10 bytes"):
            list(LineSplitter().feed(text))


def test_what_an_interpreter_greets_with_is_told():
    with pytest.raises(ProtocolError, match=r"no message: 'Activating \[1m base, yours'"):
        parse_message(b"Activating \x1b[1m base, yours")
    with pytest.raises(ProtocolError, match=r"no message: 'x{70,90}'"):
        parse_message(b"x" * 100_000)
    with pytest.raises(ProtocolError, match="no message: NaN is not a number"):
        parse_message(b'{"type": "x", "v": NaN}')
