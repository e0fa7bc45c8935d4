"""Machine code of x86-64 that tells the clock: a chain of operations of one cycle each.

`neg` and `not` take one cycle on every x86-64 core and none renames them away; a pair of them
takes one off a register, so the result tells whether the chain was run. Multiply-adds of whole
vectors stand between them, as many as leave the chain the longest path, or stand alone.
Leaves to others: running and timing it (`clock_chain`).
"""

import struct

# Operations of the chain in one turn of the loop.
CHAIN = 64
# Multiply-adds beside a chain: fewer than one for each cycle, which one vector unit can do.
_BESIDE = 56
# Accumulators: more than the latency of a multiply-add times two vector units.
_ACCUMULATORS = 12
# Multiply-adds of one turn of the loop that has no chain.
ALONE = 5 * _ACCUMULATORS
# Factors with digits everywhere: zeros draw less power, and the clock follows the power.
FACTORS = (1.2345678, 0.7654321)
START = 5
# Elements of one vector, by the flag that it needs.
LANES = {"avx512f": 16, "fma": 8}
_BYTE = 0xFF


def widest(flags):
    """Return the flag of the widest vectors that a processor multiplies and adds, or None."""
    if "avx512f" in flags:
        return "avx512f"
    return "fma" if {"fma", "avx2"} <= set(flags) else None


def _vex(opcode, reg, vvvv, rm, pp, maps, is_wide=True):
    """Return an instruction on 256-bit registers (or 128-bit ones)."""
    first = ((~reg >> 3 & 1) << 7) | (1 << 6) | ((~rm >> 3 & 1) << 5) | maps
    second = ((~vvvv & 15) << 3) | (4 if is_wide else 0) | pp
    return bytes([0xC4, first, second, opcode, 0xC0 | (reg & 7) << 3 | (rm & 7)])


def _evex(opcode, reg, vvvv, rm, pp, maps):
    """Return an instruction on 512-bit registers."""
    first = (
        ((~reg >> 3 & 1) << 7)
        | ((~rm >> 4 & 1) << 6)
        | ((~rm >> 3 & 1) << 5)
        | ((~reg >> 4 & 1) << 4)
        | maps
    )
    second = ((~vvvv & 15) << 3) | 4 | pp
    third = (2 << 5) | ((~vvvv >> 4 & 1) << 3)
    return bytes([0x62, first, second, third, opcode, 0xC0 | (reg & 7) << 3 | (rm & 7)])


class _Avx512:
    """Registers 16 to 31, which no calling convention keeps."""

    first, factors = 16, (30, 31)

    def begin(self):
        """Set the factors, clear the sums."""
        code = b""
        for register, factor in zip(self.factors, FACTORS):  # noqa: B905 - Python 3.8
            code += b"\xb8" + struct.pack("<f", factor)  # mov eax, factor
            code += _evex(0x7C, register, 0, 0, 1, 2)  # vpbroadcastd register, eax
        for index in range(_ACCUMULATORS):
            sum_ = self.first + index
            code += _evex(0xEF, sum_, sum_, sum_, 1, 1)  # vpxord
        return code

    def multiply_add(self, index):
        """Return one multiply-add."""
        return _evex(0xB8, self.first + index % _ACCUMULATORS, 30, 31, 1, 2)

    def store(self, index):
        """Return a store of a sum to where the second argument points."""
        reg = self.first + index
        plain = _evex(0x11, reg, 0, 0, 0, 1)
        # [rdx + 64 * index]: a short displacement counts in whole registers.
        return plain[:-1] + bytes([0x40 | (reg & 7) << 3 | 2, index])


class _Avx2:
    """Registers 0 to 15; those that Windows keeps are saved around."""

    factors = (14, 15)

    def begin(self):
        """Set the factors, clear the sums."""
        code = b""
        for register, factor in zip(self.factors, FACTORS):  # noqa: B905 - Python 3.8
            code += b"\xb8" + struct.pack("<f", factor)  # mov eax, factor
            code += _vex(0x6E, register, 0, 0, 1, 1, is_wide=False)  # vmovd register, eax
            code += _vex(0x18, register, 0, register, 1, 2)  # vbroadcastss
        for index in range(_ACCUMULATORS):
            code += _vex(0x57, index, index, index, 0, 1)  # vxorps
        return code

    def multiply_add(self, index):
        """Return one multiply-add."""
        return _vex(0xB8, index % _ACCUMULATORS, 14, 15, 1, 2)

    def store(self, index):
        """Return a store of a sum to where the second argument points."""
        plain = _vex(0x11, index, 0, 0, 0, 1)
        # [rdx + 64 * index]
        return plain[:-1] + bytes([0x80 | (index & 7) << 3 | 2]) + struct.pack("<i", 64 * index)


VECTORS = {"avx512f": _Avx512, "fma": _Avx2}


def _saved(is_store):
    """Return the code that puts registers 6 to 15 onto the stack, or takes them back."""
    code = b""
    for register in range(6, 16):
        prefix = b"\x44" if register > 7 else b""
        code += prefix + bytes([0x0F, 0x11 if is_store else 0x10])
        code += bytes([0x84 | (register & 7) << 3, 0x24]) + struct.pack("<i", 16 * (register - 6))
    return code


def _turn(vectors, has_chain):
    """Return the inside of the loop."""
    if not has_chain:
        return b"".join(vectors.multiply_add(index) for index in range(ALONE))
    code = b""
    for index in range(CHAIN):
        code += b"\x48\xf7\xd8" if index % 2 == 0 else b"\x48\xf7\xd0"  # neg rax, not rax
        if vectors is not None and index < _BESIDE:
            code += vectors.multiply_add(index)
    return code


def assemble(flag, has_chain, is_windows):
    """Return the code of a function of a number of turns and a pointer.

    It returns what the chain left in its register, and stores the sums.

    Args:
        flag: key of `VECTORS`, None for a chain without vectors.
        has_chain: whether the chain is run.
        is_windows: whether it is called as Windows calls functions.
    """
    vectors = None if flag is None else VECTORS[flag]()
    code = b"" if is_windows else b"\x48\x89\xf9\x48\x89\xf2"  # mov rcx, rdi; mov rdx, rsi
    code += b"\x48\x81\xec" + struct.pack("<i", 168) + _saved(True)  # sub rsp, 168
    if vectors is not None:
        code += vectors.begin()
    code += b"\x48\xc7\xc0" + struct.pack("<i", START)  # mov rax, START
    turn = _turn(vectors, has_chain) + b"\x48\xff\xc9"  # dec rcx
    code += turn + b"\x0f\x85" + struct.pack("<i", -(len(turn) + 6))  # jnz
    if vectors is not None:
        code += b"".join(vectors.store(index) for index in range(_ACCUMULATORS))
        code += b"\xc5\xf8\x77"  # vzeroupper
    return code + _saved(False) + b"\x48\x81\xc4" + struct.pack("<i", 168) + b"\xc3"


def expected_register(turns):
    """Return what the chain leaves after so many turns."""
    return START - turns * (CHAIN // 2)


def expected_sum(turns, has_chain, index):
    """Return what each element of a sum is after so many turns, before rounding."""
    each = _BESIDE if has_chain else ALONE
    count = len(range(index, each, _ACCUMULATORS))
    return turns * count * FACTORS[0] * FACTORS[1]


def n_sums():
    """Return how many sums are stored, 64 bytes apart."""
    return _ACCUMULATORS
