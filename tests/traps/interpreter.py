"""Runs one thread of a PTX kernel: the oracle that explain-trap's answers are held against.

Independent of the C++ code on purpose: another reading of the manual, simple and slow. It knows the scalar integer,
predicate and memory instructions that decide control flow, and enough floating point to compare with. Memory that
nobody wrote is a function of (seed, address), so that a run can be repeated. What it does not know raises Unsupported.
"""

import re

from ptx_instructions import Instructions, float_to_bits
from ptx_reader import Unsupported, parse_number, split_list

_PANIC = re.compile(r"panicking|unwrap_failed|expect_failed|len_mismatch|slice_\w*fail|panic")


class Outcome:
    """How a thread ended: kind is "trap", "assert", "noreturn-call", "exit", "falls-off-end", "return" or "fuel"."""

    def __init__(self, kind, function, line, calls=()):
        self.kind, self.function, self.line, self.calls = kind, function, line, tuple(calls)

    def key(self):
        return (self.kind, self.function, self.line)

    def __repr__(self):
        return f"{self.kind}@{self.function}:{self.line}"


class _End(Exception):
    def __init__(self, outcome):
        super().__init__()
        self.outcome = outcome


class Thread:
    """One thread: special registers by name ("tid.x"), a memory seed, answers for what other lanes would say."""

    FUEL = 50000

    def __init__(self, module, special, seed=0, peek=None, read_only=None):
        self.module, self.special, self.seed = module, special, seed
        self.peek = peek or self._noise
        self.memory = {}
        self.addresses, self.by_address = {}, {}
        self.branches = []  # (function, line, taken) of every conditional branch and guarded trap
        self.external = False  # a value was used that only memory, or other lanes, know
        self.lanes = False  # a vote, shuffle or active mask was asked
        self.calls = []
        self.fuel = self.FUEL
        self.frames = 0
        for i, name in enumerate(module.functions):
            self.addresses[name] = 0x4000_0000_0000 + 16 * i
            self.by_address[self.addresses[name]] = name
        at = 0x5000_0000_0000
        for name, variable in module.variables.items():
            self.addresses[name] = at
            at += (variable.size + 0xFFF) & ~0xFFF or 0x1000
        for name, variable in module.variables.items():
            if variable.values:
                self._initialise(variable)

    def _initialise(self, variable):
        base, size = self.addresses[variable.name], variable.element
        self.store(base, 0, 1)
        for i in range(variable.size):
            self.memory[base + i] = 0
        for i, text in enumerate(variable.values):
            value = parse_number(text)
            if value is None:
                m = re.match(r"(?:generic\()?\s*([\w$.%]+)\s*\)?\s*(?:\+\s*(\d+))?$", text)
                value = self.addresses.get(m.group(1), 0) + int(m.group(2) or 0) if m else 0
            self.store(base + i * size, value, size)

    def _noise(self, address, size):
        # Most loaded values are small, to meet the lengths they are compared with; some are -1 or not a number.
        h = (address * 0x9E3779B97F4A7C15 + self.seed * 0xD1B54A32D192ED03 + 1) & (2**64 - 1)
        h ^= h >> 29
        h = h * 0xBF58476D1CE4E5B9 & (2**64 - 1)
        h ^= h >> 32
        choice = h & 15
        value = (h >> 8) % 100 if choice < 12 else {14: 0x8000000080000000, 15: 2**64 - 1}.get(choice, h)
        return value & ((1 << (8 * size)) - 1)

    def load(self, address, size):
        known = [address + i in self.memory for i in range(size)]
        if all(known):
            return int.from_bytes(bytes(self.memory[address + i] for i in range(size)), "little")
        self.external = True
        value = self.peek(address, size).to_bytes(size, "little")
        return int.from_bytes(bytes(self.memory.get(address + i, value[i]) for i in range(size)), "little")

    def store(self, address, value, size):
        for i, byte in enumerate((value & ((1 << (8 * size)) - 1)).to_bytes(size, "little")):
            self.memory[address + i] = byte

    def run(self, kernel, arguments):
        """arguments: for each parameter, its bytes. Gives the Outcome."""
        try:
            self._call(self.module.functions[kernel], arguments)
            return Outcome("return", kernel, 0)
        except _End as end:
            return end.outcome

    def _end(self, kind, function, line):
        raise _End(Outcome(kind, function.name, line, self.calls))

    def _call(self, function, arguments):
        if self.frames > 60:
            self._end("fuel", function, 0)
        self.frames += 1
        frame = _Frame(self, function, arguments)
        frame.run()
        self.frames -= 1
        return [frame.bytes_of(v) for v in function.returns]


class _Frame(Instructions):
    def __init__(self, thread, function, arguments):
        self.thread, self.function = thread, function
        self.registers, self.places = {}, {}
        self.carry = 0
        base = 0x6000_0000_0000 + thread.frames * 0x1_0000_0000
        self.variables = {v.name: v for v in list(function.params) + list(function.returns) + function.variables}
        for i, (name, variable) in enumerate(self.variables.items()):
            self.places[name] = base + 0x10000 * i
            for a in range(max(16, variable.size)):
                thread.memory.pop(self.places[name] + a, None)
        for variable, value in zip(function.params, arguments):
            if variable.register:
                self.registers[variable.name] = int.from_bytes(value, "little")
            for i, byte in enumerate(value):
                thread.memory[self.places[variable.name] + i] = byte

    def bytes_of(self, variable):
        if variable.register:
            return self.registers.get(variable.name, 0).to_bytes(variable.size, "little")
        base = self.places[variable.name]
        return bytes(self.thread.memory.get(base + i, 0) for i in range(variable.size))

    # Operands.
    def base(self, name):
        if name in self.registers:
            return self.registers[name]
        if name in self.places:
            return self.places[name]
        if name in self.thread.addresses:
            return self.thread.addresses[name]
        number = parse_number(name)
        if number is not None:
            return number
        if name in self.function.registers:
            return 0  # read before written: some value
        raise Unsupported(f"operand {name}")

    def address(self, operand):
        m = re.match(r"\[\s*([\w$%.#]+)\s*(?:([+-])\s*(-?\w+))?\s*\]$", operand)
        if not m:
            raise Unsupported(f"address {operand}")
        offset = parse_number(m.group(3)) if m.group(3) else 0
        return (self.base(m.group(1)) + (-offset if m.group(2) == "-" else offset)) & (2**64 - 1)

    def value(self, operand, kind="b64"):
        if operand.startswith("!"):
            return not self.value(operand[1:], kind)
        if operand in self.registers:
            return self.registers[operand]
        number = parse_number(operand)
        if number is not None:
            if "." in operand and kind == "f32":
                return float_to_bits(float(operand), 32)
            return number
        if operand.startswith("%") and operand not in self.function.registers:
            name = operand[1:]
            if name not in self.thread.special:
                raise Unsupported(f"special register {operand}")
            if name.startswith(("lanemask", "clock", "smid", "warpid", "globaltimer")):
                self.thread.external = True
            return self.thread.special[name]
        if operand.startswith("-") and operand[1:] in self.registers:
            return -self.registers[operand[1:]]
        m = re.match(r"([\w$.#]+)\s*\+\s*(\d+)$", operand)
        if m:
            return self.base(m.group(1)) + int(m.group(2))
        return self.base(operand)

    def set(self, operand, value):
        if operand == "_":
            return
        if isinstance(value, bool):
            self.registers[operand] = value
            return
        self.registers[operand] = value & ((1 << self.function.registers.get(operand, 64)) - 1)

    def spread(self, operand):
        return split_list(operand[1:-1]) if operand.startswith("{") else [operand]

    # The main loop.
    def run(self):
        thread, function = self.thread, self.function
        statements, at = function.statements, 0
        while True:
            if at >= len(statements):
                thread._end("falls-off-end", function, statements[-1].line if statements else function.line)
            thread.fuel -= 1
            if thread.fuel < 0:
                thread._end("fuel", function, 0)
            s = statements[at]
            at += 1
            taken = True
            if s.guard is not None:
                taken = bool(self.value(s.guard)) != s.negated
                if s.words[0] in ("bra", "trap", "ret", "exit", "brx", "call"):
                    thread.branches.append((function.name, s.line, taken))
            if not taken:
                continue
            name = s.words[0]
            if name == "bra":
                at = function.labels[self.label(s.operands[0])]
            elif name == "brx":
                targets = function.branch_targets[self.label(s.operands[1])]
                index = self.value(s.operands[0]) & 0xFFFFFFFF
                if index >= len(targets):
                    thread._end("fuel", function, 0)  # undefined behaviour
                thread.branches.append((function.name, s.line, index))
                at = function.labels[targets[index]]
            elif name == "ret":
                return
            elif name in ("exit", "trap"):
                thread._end(name, function, s.line)
            elif name == "call":
                self.call(s)
            else:
                try:
                    handler = getattr(self, "do_" + name)
                except AttributeError:
                    raise Unsupported(s.opcode) from None
                handler(s.words, s.operands)

    def label(self, name):
        if name in self.function.labels or name in self.function.branch_targets:
            return name
        raise Unsupported(f"label {name}")

    def call(self, s):
        thread = self.thread
        operands = list(s.operands)
        returned = []
        if operands and operands[0].startswith("("):
            returned = split_list(operands.pop(0)[1:-1])
        target = operands.pop(0)
        arguments = split_list(operands.pop(0)[1:-1]) if operands and operands[0].startswith("(") else []
        if target in self.function.registers:
            address = self.value(target)
            if address not in thread.by_address:
                thread._end("fuel", self.function, 0)  # undefined behaviour
            target = thread.by_address[address]
        callee = thread.module.functions[target]
        if callee.statements is None:
            if target == "__assertfail":
                thread._end("assert", self.function, s.line)
            if _PANIC.search(target) or (callee.noreturn and not returned):
                thread._end("noreturn-call", self.function, s.line)
            thread.external = True
            for name in returned:
                if name in self.function.registers:
                    self.set(name, 0)
                else:
                    for i in range(16):
                        thread.memory[self.places[name] + i] = 0
            return
        values = []
        for variable, argument in zip(callee.params, arguments):
            if argument in self.places:
                base = self.places[argument]
                values.append(bytes(thread.memory.get(base + i, 0) for i in range(variable.size)))
            else:
                values.append((self.value(argument) & ((1 << 8 * variable.size) - 1)).to_bytes(variable.size, "little"))
        thread.calls.append((self.function.name, s.line))
        results = thread._call(callee, values)
        thread.calls.pop()
        for name, value in zip(returned, results):
            if name in self.function.registers:
                self.set(name, int.from_bytes(value, "little"))
            else:
                for i, byte in enumerate(value):
                    thread.memory[self.places[name] + i] = byte
