"""The bytes are the instructions that they are meant to be."""

import shutil
import subprocess

import clock_code
import pytest


def disassembled(code, tmp_path):
    program = shutil.which("objdump")
    if program is None:
        pytest.skip("there is no disassembler")
    path = tmp_path / "code.bin"
    path.write_bytes(code)
    text = subprocess.run(
        [program, "-D", "-b", "binary", "-mi386:x86-64", "-M", "intel", str(path)],
        check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    lines = [line.split("\t") for line in text.splitlines() if line.count("\t") >= 2]
    return [parts[2].split() for parts in lines]


@pytest.mark.parametrize("is_windows", [False, True])
@pytest.mark.parametrize(("flag", "register"), [(None, ""), ("fma", "ymm"), ("avx512f", "zmm")])
def test_a_chain_with_vectors_beside_it(flag, register, is_windows, tmp_path):
    found = disassembled(clock_code.assemble(flag, True, is_windows), tmp_path)
    names = [words[0] for words in found]
    assert "(bad)" not in names
    assert names.count("neg") == names.count("not") == clock_code.CHAIN // 2
    adds = [words for words in found if words[0] == "vfmadd231ps"]
    assert len(adds) == (0 if flag is None else 56)
    assert all(words[1].count(register) == 3 for words in adds)
    assert len({words[1].split(",")[0] for words in adds}) == (0 if flag is None else 12)
    assert names[-1] == "ret"
    # Registers that Windows keeps for the caller come back as they were.
    saved = [words for words in found if words[0] == "movups"]
    assert len(saved) == 20
    assert (["mov", "rcx,rdi"] in found) is not is_windows


def test_the_jump_goes_back_to_the_first_operation_of_the_turn(tmp_path):
    code = clock_code.assemble("fma", False, False)
    at = code.index(b"\x0f\x85")
    distance = int.from_bytes(code[at + 2 : at + 6], "little", signed=True)
    target = at + 6 + distance
    assert code[target : target + 2] == b"\xc4\xc2"
    assert disassembled(code[target:], tmp_path)[0][0] == "vfmadd231ps"
    # mov rax, START stands right before it and is not repeated
    assert code[target - 7 : target - 4] == b"\x48\xc7\xc0"


def test_what_is_expected():
    assert clock_code.expected_register(10) == 5 - 320
    total = sum(clock_code.expected_sum(3, True, index) for index in range(clock_code.n_sums()))
    assert total == pytest.approx(3 * 56 * 1.2345678 * 0.7654321)
    alone = [clock_code.expected_sum(1, False, index) for index in range(clock_code.n_sums())]
    assert alone == pytest.approx([5 * 1.2345678 * 0.7654321] * 12)


@pytest.mark.parametrize(
    ("flags", "expected"),
    [(("avx512f", "fma"), "avx512f"), (("avx2", "fma"), "fma"), (("fma",), None), ((), None)],
)
def test_the_widest_vectors(flags, expected):
    assert clock_code.widest(flags) == expected
