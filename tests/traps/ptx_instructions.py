"""What the instructions do: one method for each opcode, mixed into the interpreter's frame."""

import math
import struct

from ptx_reader import WIDTH, Unsupported


def signed(value, bits):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def bits_to_float(value, bits):
    if bits == 16:
        return struct.unpack("<e", struct.pack("<H", value & 0xFFFF))[0]
    if bits == 32:
        return struct.unpack("<f", struct.pack("<I", value & 0xFFFFFFFF))[0]
    return struct.unpack("<d", struct.pack("<Q", value & (2**64 - 1)))[0]


def float_to_bits(value, bits):
    try:
        if bits == 16:
            return struct.unpack("<H", struct.pack("<e", value))[0]
        if bits == 32:
            return struct.unpack("<I", struct.pack("<f", value))[0]
    except OverflowError:
        sign = 1 if value < 0 else 0
        return (sign << (bits - 1)) | {16: 0x7C00, 32: 0x7F800000}[bits]
    return struct.unpack("<Q", struct.pack("<d", value))[0]


COMPARE = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}
UNSIGNED_COMPARE = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}
BOOLEAN = {"and": lambda a, b: a and b, "or": lambda a, b: a or b, "xor": lambda a, b: bool(a) != bool(b)}


def compare_floats(op, a, b):
    unordered = math.isnan(a) or math.isnan(b)
    if op in ("num", "nan"):
        return unordered == (op == "nan")
    if len(op) == 3:
        return unordered or COMPARE[op[:2]](a, b)
    return not unordered and COMPARE[op](a, b)


class Instructions:
    """Needs of its frame: value, set, address, spread, registers, places, carry, thread."""

    # Data movement.
    def do_ld(self, words, operands):
        kind, size = words[-1], WIDTH[words[-1]] // 8
        address = self.address(operands[1])
        for i, target in enumerate(self.spread(operands[0])):
            value = self.thread.load(address + i * size, size)
            self.set(target, signed(value, 8 * size) if kind[0] == "s" else value)

    do_ldu = do_ld

    def do_st(self, words, operands):
        size = WIDTH[words[-1]] // 8
        address = self.address(operands[0])
        for i, source in enumerate(self.spread(operands[1])):
            self.thread.store(address + i * size, int(self.value(source, words[-1])), size)

    def do_atom(self, words, operands):
        size = WIDTH[words[-1]] // 8
        address = self.address(operands[1])
        old = self.thread.load(address, size)
        given = self.value(operands[2])
        if "cas" in words:
            new = self.value(operands[3]) if old == given & ((1 << 8 * size) - 1) else old
        elif "add" in words:
            new = old + given
        elif "exch" in words:
            new = given
        elif "or" in words:
            new = old | given
        elif "and" in words:
            new = old & given
        elif "inc" in words:
            new = 0 if old >= given else old + 1
        elif "min" in words:
            new = min(old, given)
        elif "max" in words:
            new = max(old, given)
        else:
            raise Unsupported(".".join(words))
        self.thread.store(address, new, size)
        self.thread.external = True
        self.set(operands[0], old)

    def do_red(self, words, operands):
        self.do_atom(words, ["_"] + operands)

    def do_mov(self, words, operands):
        kind = words[-1]
        target, source = operands
        bits = WIDTH[kind]
        if kind == "pred":
            self.registers[target] = bool(self.value(source))
        elif source.startswith("{"):
            parts = self.spread(source)
            each = bits // len(parts)
            self.set(target, sum((self.value(p) & ((1 << each) - 1)) << (each * i) for i, p in enumerate(parts)))
        elif target.startswith("{"):
            parts = self.spread(target)
            each, value = bits // len(parts), self.value(source)
            for i, p in enumerate(parts):
                self.set(p, (value >> (each * i)) & ((1 << each) - 1))
        else:
            self.set(target, self.value(source, kind) & ((1 << bits) - 1))

    def do_cvta(self, words, operands):
        self.set(operands[0], self.value(operands[1]))

    def do_isspacep(self, words, operands):
        self.thread.external = True
        self.set(operands[0], True)

    def do_cvt(self, words, operands):
        to, source = words[-2], words[-1]
        value = self.value(operands[1], source)
        to_bits, from_bits = WIDTH[to], WIDTH[source]
        if source[0] in "us":
            value = signed(value, from_bits) if source[0] == "s" else value & ((1 << from_bits) - 1)
            if to[0] == "f":
                value = float_to_bits(float(value), to_bits)
            elif "sat" in words:
                low, high = (
                    (-(1 << (to_bits - 1)), (1 << (to_bits - 1)) - 1) if to[0] == "s" else (0, (1 << to_bits) - 1)
                )
                value = min(max(value, low), high)
            value &= (1 << to_bits) - 1
            if to[0] == "s":
                value = signed(value, to_bits)
            self.set(operands[0], value)
            return
        number = bits_to_float(value, from_bits)
        if to[0] == "f":
            rounded = number
            if not (math.isnan(number) or math.isinf(number)):
                rounded = {"rzi": math.trunc, "rni": round, "rmi": math.floor, "rpi": math.ceil}.get(
                    next((w for w in words if w in ("rzi", "rni", "rmi", "rpi")), ""), lambda x: x
                )(number)
            self.set(operands[0], float_to_bits(float(rounded), to_bits))
            return
        if math.isnan(number):
            self.set(operands[0], 0)
            return
        low, high = (-(1 << (to_bits - 1)), (1 << (to_bits - 1)) - 1) if to[0] == "s" else (0, (1 << to_bits) - 1)
        rounding = next((w for w in words if w in ("rzi", "rni", "rmi", "rpi")), "rzi")
        whole = (
            number
            if math.isinf(number)
            else {"rzi": math.trunc, "rni": round, "rmi": math.floor, "rpi": math.ceil}[rounding](number)
        )
        self.set(operands[0], int(min(max(whole, low), high)))

    # Integers.
    def _integers(self, words, operands, count):
        kind = words[-1]
        bits = WIDTH[kind]
        convert = (lambda v: signed(v, bits)) if kind[0] == "s" else (lambda v: v & ((1 << bits) - 1))
        return kind, bits, [convert(int(self.value(o, kind))) for o in operands[1 : 1 + count]]

    def _floats(self, words, operands):
        bits = WIDTH[words[-1]]
        return bits, [bits_to_float(int(self.value(o, words[-1])), bits) for o in operands[1:]]

    def _float(self, words, operands, compute):
        bits, values = self._floats(words, operands)
        try:
            result = compute(*values)
        except (ArithmeticError, ValueError):
            result = math.nan
        self.set(operands[0], float_to_bits(float(result), bits))

    def _two(self, words, operands, integer, number):
        if words[-1][0] == "f":
            self._float(words, operands, number)
            return
        _, bits, (a, b) = self._integers(words, operands, 2)
        self.set(operands[0], integer(a, b) & ((1 << bits) - 1))

    def do_add(self, words, operands):
        if "cc" in words:
            _, bits, (a, b) = self._integers(words, operands, 2)
            total = (a & ((1 << bits) - 1)) + (b & ((1 << bits) - 1))
            self.carry = total >> bits
            self.set(operands[0], total & ((1 << bits) - 1))
            return
        self._two(words, operands, lambda a, b: a + b, lambda a, b: a + b)

    def do_addc(self, words, operands):
        _, bits, (a, b) = self._integers(words, operands, 2)
        total = (a & ((1 << bits) - 1)) + (b & ((1 << bits) - 1)) + self.carry
        self.carry = total >> bits
        self.set(operands[0], total & ((1 << bits) - 1))

    def do_sub(self, words, operands):
        if "cc" in words:
            raise Unsupported("sub.cc")
        self._two(words, operands, lambda a, b: a - b, lambda a, b: a - b)

    def do_min(self, words, operands):
        self._two(words, operands, min, min)

    def do_max(self, words, operands):
        self._two(words, operands, max, max)

    def do_mul(self, words, operands):
        if words[-1][0] == "f":
            self._float(words, operands, lambda a, b: a * b)
            return
        _, bits, (a, b) = self._integers(words, operands, 2)
        product = a * b
        if "wide" in words:
            self.set(operands[0], product & ((1 << (2 * bits)) - 1))
        elif "hi" in words:
            self.set(operands[0], (product >> bits) & ((1 << bits) - 1))
        else:
            self.set(operands[0], product & ((1 << bits) - 1))

    def do_mad(self, words, operands):
        if words[-1][0] == "f":
            self._float(words, operands, lambda a, b, c: a * b + c)
            return
        _, bits, (a, b) = self._integers(words, operands, 2)
        c = int(self.value(operands[3]))
        product = a * b
        if "wide" in words:
            self.set(operands[0], (product + c) & ((1 << (2 * bits)) - 1))
        elif "hi" in words:
            self.set(operands[0], ((product >> bits) + c) & ((1 << bits) - 1))
        else:
            self.set(operands[0], (product + c) & ((1 << bits) - 1))

    do_fma = do_mad

    def do_div(self, words, operands):
        def divide(a, b):
            if b == 0:
                return -1
            return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)

        self._two(words, operands, divide, lambda a, b: a / b)

    def do_rem(self, words, operands):
        def remainder(a, b):
            if b == 0:
                return a
            return a - b * (abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1))

        self._two(words, operands, remainder, math.fmod)

    def do_neg(self, words, operands):
        if words[-1][0] == "f":
            self._float(words, operands, lambda a: -a)
        else:
            self.set(operands[0], -self.value(operands[1]) & ((1 << WIDTH[words[-1]]) - 1))

    def do_abs(self, words, operands):
        if words[-1][0] == "f":
            self._float(words, operands, abs)
        else:
            bits = WIDTH[words[-1]]
            self.set(operands[0], abs(signed(self.value(operands[1]), bits)) & ((1 << bits) - 1))

    def _bitwise(self, words, operands, combine):
        if words[-1] == "pred":
            self.registers[operands[0]] = bool(combine(bool(self.value(operands[1])), bool(self.value(operands[2]))))
        else:
            self.set(
                operands[0], combine(self.value(operands[1]), self.value(operands[2])) & ((1 << WIDTH[words[-1]]) - 1)
            )

    def do_and(self, words, operands):
        self._bitwise(words, operands, lambda a, b: a & b)

    def do_or(self, words, operands):
        self._bitwise(words, operands, lambda a, b: a | b)

    def do_xor(self, words, operands):
        self._bitwise(words, operands, lambda a, b: a ^ b)

    def do_not(self, words, operands):
        if words[-1] == "pred":
            self.registers[operands[0]] = not self.value(operands[1])
        else:
            self.set(operands[0], ~self.value(operands[1]) & ((1 << WIDTH[words[-1]]) - 1))

    def do_cnot(self, words, operands):
        self.set(operands[0], 1 if self.value(operands[1]) & ((1 << WIDTH[words[-1]]) - 1) == 0 else 0)

    def do_shl(self, words, operands):
        bits = WIDTH[words[-1]]
        amount = min(self.value(operands[2]) & 0xFFFFFFFF, bits)
        self.set(operands[0], (self.value(operands[1]) << amount) & ((1 << bits) - 1))

    def do_shr(self, words, operands):
        _, bits, (a,) = self._integers(words, operands, 1)
        self.set(operands[0], (a >> min(self.value(operands[2]) & 0xFFFFFFFF, bits)) & ((1 << bits) - 1))

    def do_shf(self, words, operands):
        low, high, amount = (self.value(o) & 0xFFFFFFFF for o in operands[1:4])
        amount = amount & 31 if "wrap" in words else min(amount, 32)
        both = high << 32 | low
        self.set(operands[0], (both << amount >> 32 if words[1] == "l" else both >> amount) & 0xFFFFFFFF)

    def do_popc(self, words, operands):
        self.set(operands[0], bin(self.value(operands[1]) & ((1 << WIDTH[words[-1]]) - 1)).count("1"))

    def do_clz(self, words, operands):
        bits = WIDTH[words[-1]]
        self.set(operands[0], bits - (self.value(operands[1]) & ((1 << bits) - 1)).bit_length())

    def do_brev(self, words, operands):
        bits = WIDTH[words[-1]]
        self.set(operands[0], int(format(self.value(operands[1]) & ((1 << bits) - 1), f"0{bits}b")[::-1], 2))

    def do_bfind(self, words, operands):
        bits = WIDTH[words[-1]]
        value = self.value(operands[1]) & ((1 << bits) - 1)
        if words[-1][0] == "s" and value >> (bits - 1):
            value ^= (1 << bits) - 1
        found = value.bit_length() - 1
        self.set(operands[0], (bits - 1 - found if "shiftamt" in words and found >= 0 else found) & 0xFFFFFFFF)

    def do_bfe(self, words, operands):
        kind, bits, (a,) = self._integers(words, operands, 1)
        position, length = self.value(operands[2]) & 0xFF, self.value(operands[3]) & 0xFF
        value = (a & ((1 << bits) - 1)) >> position & ((1 << length) - 1)
        if kind[0] == "s" and length:
            top = min(position + length - 1, bits - 1)
            if a >> top & 1:
                value |= -1 << min(length, max(0, bits - position))
        self.set(operands[0], value & ((1 << bits) - 1))

    def do_bfi(self, words, operands):
        bits = WIDTH[words[-1]]
        insert, into = self.value(operands[1]), self.value(operands[2])
        position, length = self.value(operands[3]) & 0xFF, self.value(operands[4]) & 0xFF
        mask = ((1 << length) - 1) << position & ((1 << bits) - 1)
        self.set(operands[0], (into & ~mask | (insert << position) & mask) & ((1 << bits) - 1))

    def do_prmt(self, words, operands):
        both = (self.value(operands[2]) & 0xFFFFFFFF) << 32 | self.value(operands[1]) & 0xFFFFFFFF
        selector, result = self.value(operands[3]), 0
        for i in range(4):
            nibble = selector >> (4 * i) & 15
            byte = both >> (8 * (nibble & 7)) & 0xFF
            if nibble & 8:
                byte = 0xFF if byte & 0x80 else 0
            result |= byte << (8 * i)
        self.set(operands[0], result)

    def do_lop3(self, words, operands):
        table = self.value(operands[4])
        a, b, c = (self.value(o) & 0xFFFFFFFF for o in operands[1:4])
        result = 0
        for i in range(32):
            index = (a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1)
            result |= (table >> index & 1) << i
        target = operands[0].split("|")
        self.set(target[0].strip(), result)
        if len(target) > 1:
            other = bool(self.value(operands[5]))
            self.registers[target[1].strip()] = bool(BOOLEAN[words[1]](result != 0, other))

    def do_sad(self, words, operands):
        _, bits, (a, b) = self._integers(words, operands, 2)
        self.set(operands[0], (self.value(operands[3]) + abs(a - b)) & ((1 << bits) - 1))

    # Choice and comparison.
    def do_selp(self, words, operands):
        self.set(
            operands[0],
            self.value(operands[1] if self.value(operands[3]) else operands[2], words[-1])
            & ((1 << WIDTH[words[-1]]) - 1),
        )

    def do_slct(self, words, operands):
        chosen = signed(self.value(operands[3]), 32) >= 0
        self.set(operands[0], self.value(operands[1] if chosen else operands[2]))

    def _compare(self, op, kind, left, right):
        a, b, bits = self.value(left, kind), self.value(right, kind), WIDTH[kind]
        if kind[0] == "f":
            return compare_floats(op, bits_to_float(int(a), bits), bits_to_float(int(b), bits))
        if kind[0] == "s":
            a, b = signed(int(a), bits), signed(int(b), bits)
        else:
            a, b = int(a) & ((1 << bits) - 1), int(b) & ((1 << bits) - 1)
        return COMPARE[UNSIGNED_COMPARE.get(op, op)](a, b)

    def do_setp(self, words, operands):
        result = self._compare(words[1], words[-1], operands[1], operands[2])
        first, second = result, not result
        if words[2] in BOOLEAN:
            other = bool(self.value(operands[3]))
            first, second = BOOLEAN[words[2]](result, other), BOOLEAN[words[2]](not result, other)
        targets = [t.strip() for t in operands[0].split("|")]
        for target, value in zip(targets, (first, second)):
            if target != "_":
                self.registers[target] = bool(value)

    def do_set(self, words, operands):
        result = self._compare(words[1], words[-1], operands[1], operands[2])
        if words[2] in BOOLEAN:
            result = BOOLEAN[words[2]](result, bool(self.value(operands[3])))
        if words[-2][0] == "f":
            self.set(operands[0], float_to_bits(1.0 if result else 0.0, WIDTH[words[-2]]))
        else:
            self.set(operands[0], 0xFFFFFFFF if result else 0)

    def do_testp(self, words, operands):
        bits = WIDTH[words[-1]]
        x = bits_to_float(self.value(operands[1]), bits)
        smallest = {32: 2.0**-126, 64: 2.0**-1022}[bits]
        self.registers[operands[0]] = {
            "finite": math.isfinite(x),
            "infinite": math.isinf(x),
            "number": not math.isnan(x),
            "notanumber": math.isnan(x),
            "normal": math.isfinite(x) and abs(x) >= smallest,
            "subnormal": x != 0 and abs(x) < smallest,
        }[words[1]]

    # Floating point beyond the four operations.
    def do_sqrt(self, words, operands):
        self._float(words, operands, math.sqrt)

    def do_rcp(self, words, operands):
        self._float(words, operands, lambda a: 1 / a)

    def do_rsqrt(self, words, operands):
        self._float(words, operands, lambda a: 1 / math.sqrt(a))

    def do_ex2(self, words, operands):
        self._float(words, operands, lambda a: 2.0**a)

    def do_lg2(self, words, operands):
        self._float(words, operands, math.log2)

    def do_sin(self, words, operands):
        self._float(words, operands, math.sin)

    def do_cos(self, words, operands):
        self._float(words, operands, math.cos)

    # Other lanes: answered as if the thread were alone.
    def do_vote(self, words, operands):
        self.thread.lanes = self.thread.external = True
        value = bool(self.value(operands[1]))
        if "ballot" in words:
            self.set(operands[0], 1 << (self.thread.special.get("laneid", 0)) if value else 0)
        else:
            self.registers[operands[0]] = True if "uni" in words else value

    def do_activemask(self, words, operands):
        self.thread.lanes = self.thread.external = True
        self.set(operands[0], 0xFFFFFFFF)

    def do_shfl(self, words, operands):
        self.thread.lanes = self.thread.external = True
        targets = [t.strip() for t in operands[0].split("|")]
        self.set(targets[0], self.value(operands[1]))
        if len(targets) > 1:
            self.registers[targets[1]] = True

    def do_match(self, words, operands):
        self.thread.lanes = self.thread.external = True
        self.set(operands[0].split("|")[0].strip(), 0xFFFFFFFF)

    def do_redux(self, words, operands):
        self.thread.lanes = self.thread.external = True
        self.set(operands[0], self.value(operands[1]))

    def _nothing(self, words, operands):
        pass

    do_bar = do_barrier = do_membar = do_fence = do_nanosleep = do_pragma = do_prefetch = do_brkpt = _nothing
    do_discard = do_applypriority = do_griddepcontrol = _nothing
