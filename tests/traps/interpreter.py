"""Runs one thread of a PTX kernel: the oracle that explain-trap's answers are held against.

Independent of the C++ code on purpose: another reading of the manual, simple and slow. It knows the scalar integer,
predicate and memory instructions that decide control flow, and enough floating point to compare with. Memory that
nobody wrote is a function of (seed, address), so that a run can be repeated. What it does not know raises Unsupported.
"""
import math
import re
import struct


class Unsupported(Exception):
    pass


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


# --- reading -------------------------------------------------------------------------------------------------------

_WIDTH = {"pred": 1, "b128": 128}
for _letter in "busf":
    for _bits in (8, 16, 32, 64):
        _WIDTH[f"{_letter}{_bits}"] = _bits
_WIDTH.update({"f16x2": 32, "bf16": 16, "bf16x2": 32})


def without_comments(text):
    """The text with comments blanked; lines and columns stay."""
    text = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m.group(0)), text, flags=re.S)
    return re.sub(r"//[^\n]*", lambda m: " " * len(m.group(0)), text)


def split_list(text):
    """Comma-separated parts at nesting depth 0."""
    parts, depth, current = [], 0, ""
    for c in text:
        if c in "[{(":
            depth += 1
        elif c in "]})":
            depth -= 1
        if c == "," and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += c
    if current.strip():
        parts.append(current.strip())
    return parts


class Variable:
    def __init__(self, name, space, size, element, values):
        self.name, self.space, self.size, self.element, self.values = name, space, size, element, values
        self.register = False  # a parameter of a .func that is a register


def parse_variable(text):
    """`.global .align 8 .u64 x[3] = {…}` (without the semicolon), or None."""
    m = re.match(r"(?:\.(?:visible|extern|weak|common)\s+)*\.(global|const|shared|local|param)\b(.*)$", text, re.S)
    if not m:
        return None
    space, rest = m.groups()
    head, _, tail = rest.partition("=")
    kinds = re.findall(r"\.(b8|u8|s8|b16|u16|s16|f16|b32|u32|s32|f32|b64|u64|s64|f64)\b", head)
    if not kinds:
        return None
    element = _WIDTH[kinds[-1]] // 8
    if re.search(r"\.v2\b", head):
        element *= 2
    if re.search(r"\.v4\b", head):
        element *= 4
    d = re.search(r"([\w$%.]+)\s*((?:\[[^\]]*\]\s*)*)$", head.strip())
    name, dimensions = d.group(1), re.findall(r"\[\s*(\d*)\s*\]", d.group(2))
    values = [v.strip() for v in re.findall(r"[^{},]+", tail) if v.strip()]
    count = 1
    for n in dimensions:
        count *= int(n) if n else max(1, len(values))
    return Variable(name, space, element * count, element, values)


class Function:
    def __init__(self, name, kind, line):
        self.name, self.kind, self.line = name, kind, line
        self.params, self.returns, self.noreturn = [], [], False
        self.statements, self.labels, self.branch_targets, self.variables = None, {}, {}, []


class Statement:
    __slots__ = ("line", "guard", "negated", "opcode", "words", "operands")

    def __init__(self, line, guard, negated, opcode, operands):
        self.line, self.guard, self.negated, self.opcode = line, guard, negated, opcode
        self.words, self.operands = opcode.split("."), operands


class Module:
    def __init__(self, text):
        self.functions, self.variables = {}, {}
        self._text = without_comments(text)
        self._read()

    def _line(self, offset):
        return self._text.count("\n", 0, offset) + 1

    def _read(self):
        text, at = self._text, 0
        while True:
            m = re.compile(r"\s*").match(text, at)
            at = m.end()
            if at >= len(text):
                return
            end = at
            depth = 0
            while end < len(text) and not (depth == 0 and text[end] in ";{"):
                depth += {"(": 1, ")": -1}.get(text[end], 0)
                end += 1
                if depth == 0 and text[end - 1] == "\n" and re.match(
                        r"\.(version|target|address_size|file|loc)\b", text[at:end]):
                    break
            head = text[at:end]
            if re.match(r"@@|\.(version|target|address_size|file|loc|pragma)\b", head.strip()):
                newline = text.find("\n", at)
                at = (newline if newline >= 0 else len(text)) + (0 if "{" in head else 1)
                continue
            if head.lstrip().startswith(".section"):
                at = text.index("}", end) + 1
                continue
            if re.search(r"\.(entry|func)\b", head):
                function = self._read_signature(head, self._line(at + re.search(r"\.(entry|func)\b", head).start()))
                if end < len(text) and text[end] == "{":
                    close = self._closing(end)
                    self._read_body(function, end + 1, close)
                    at = close + 1
                else:
                    at = end + 1
                known = self.functions.get(function.name)
                if known is None or function.statements is not None:
                    function.noreturn |= bool(known and known.noreturn)
                    self.functions[function.name] = function
                continue
            if end < len(text) and text[end] == "{":  # an initialiser
                end = text.index(";", self._closing(end))
                head = text[at:end]
            variable = parse_variable(head.strip())
            if variable:
                self.variables.setdefault(variable.name, variable)
            at = end + 1

    def _closing(self, opening):
        depth = 0
        for i in range(opening, len(self._text)):
            depth += {"{": 1, "}": -1}.get(self._text[i], 0)
            if depth == 0:
                return i
        raise Unsupported("unbalanced braces")

    def _read_signature(self, head, line):
        m = re.search(r"\.(entry|func)\b\s*(\(.*?\))?\s*([\w$%.]+)\s*(\(.*?\))?(.*)$", head, re.S)
        function = Function(m.group(3), m.group(1), line)
        for listed, found in ((m.group(2), function.returns), (m.group(4), function.params)):
            for p in split_list((listed or "()")[1:-1]):
                p = re.sub(r"\.ptr\b(\s*\.(global|const|shared|local))?", "", p)
                variable = parse_variable(".param" + p.replace(".param", "").replace(".reg", ""))
                variable.register = ".reg" in p
                found.append(variable)
        function.noreturn = ".noreturn" in head
        return function

    def _read_body(self, function, start, end):
        """Statements with registers and labels renamed so that nested scopes need no further thought."""
        function.statements = []
        text = self._text
        scopes, counter = [{}], 0
        raw = []
        at = start
        while at < end:
            at = re.compile(r"\s*").match(text, at, end).end()
            if at >= end:
                break
            c = text[at]
            if c == "{":
                counter += 1
                scopes.append({"#": counter})
                raw.append(("open", dict(), at, None))
                at += 1
                continue
            if c == "}":
                scopes.pop()
                raw.append(("close", None, at, None))
                at += 1
                continue
            if c == ";":
                at += 1
                continue
            m = re.compile(r"([\w$]+)\s*:(?!:)").match(text, at, end)
            if m:
                scopes[-1][m.group(1)] = ("label", m.group(1) + f"#{len(scopes)}.{scopes[-1].get('#', 0)}")
                raw.append(("label", scopes[-1][m.group(1)][1], at, list(scopes)))
                at = m.end()
                continue
            if re.compile(r"\.(loc|file)\b").match(text, at, end) or text.startswith("@@", at):
                newline = text.find("\n", at)
                at = newline + 1 if newline >= 0 else end
                continue
            stop, depth = at, 0
            while not (depth == 0 and text[stop] in ";"):
                depth += {"{": 1, "}": -1, "(": 1, ")": -1, "[": 1, "]": -1}.get(text[stop], 0)
                stop += 1
            body = text[at:stop].strip()
            if body.startswith(".reg"):
                m = re.match(r"\.reg\s*((?:\.\w+\s*)+)(.*)$", body, re.S)
                for name in split_list(m.group(2)):
                    r = re.match(r"([\w$%]+)\s*<\s*(\d+)\s*>$", name)
                    names = [r.group(1) + str(i) for i in range(int(r.group(2)))] if r else [name]
                    width = _WIDTH[re.findall(r"\w+", m.group(1))[-1]]
                    for n in names:
                        scopes[-1][n] = ("reg", n if len(scopes) == 1 else f"{n}#{scopes[-1]['#']}", width)
            elif re.match(r"\.(local|shared|param|global|const)\b", body):
                variable = parse_variable(body)
                variable.name = variable.name if len(scopes) == 1 else f"{variable.name}#{scopes[-1]['#']}"
                scopes[-1][variable.name.split("#")[0]] = ("var", variable.name)
                function.variables.append(variable)
            elif body.startswith(".branchtargets"):
                function.branch_targets[raw[-1][1]] = (split_list(body[len(".branchtargets"):]), list(scopes))
            elif body.startswith("."):
                pass
            else:
                raw.append(("instruction", body, at, list(scopes)))
            at = stop + 1
        function.registers = {}
        targets = {}

        def resolve(name, inside):
            for scope in reversed(inside):
                if name in scope and name != "#":
                    return scope[name]
            return None

        def rename(match_inside):
            def replace(match):
                found = resolve(match.group(0), match_inside)
                if not found:
                    return match.group(0)
                if found[0] == "reg":
                    function.registers[found[1]] = found[2]
                return found[1]
            return replace

        for kind, body, offset, inside in raw:
            if kind == "label":
                function.labels[body] = len(function.statements)
            if kind != "instruction":
                continue
            guard, negated = None, False
            g = re.match(r"@\s*(!?)\s*([\w$%]+)\s+(.*)$", body, re.S)
            if g:
                negated, body = bool(g.group(1)), g.group(3)
                guard = re.sub(r"[\w$%]+", rename(inside), g.group(2))
            m = re.match(r"([\w.:]+)\s*(.*)$", body, re.S)
            operands = re.sub(r"(?<![\w$%.])[A-Za-z_$%][\w$%]*", rename(inside), m.group(2))
            operands = " ".join(operands.split())
            function.statements.append(
                Statement(self._line(offset), guard, negated, m.group(1), split_list(operands)))
        for label, (names, inside) in function.branch_targets.items():
            targets[label] = [resolve(n, inside)[1] for n in names]
        function.branch_targets = targets


# --- values --------------------------------------------------------------------------------------------------------

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


_NUMBER = re.compile(r"-?(0[xX][\da-fA-F]+|0[bB][01]+|0[fF][\da-fA-F]{8}|0[dD][\da-fA-F]{16}|\d+\.\d*(?:[eE][-+]?\d+)?|\d+)U?$")


def parse_number(text):
    """The value of a literal, or None. Floats give their bit pattern (decimal ones that of an f64)."""
    if not _NUMBER.match(text):
        return None
    negative = text.startswith("-")
    digits = text.lstrip("-").rstrip("U")
    if digits[:2] in ("0f", "0F", "0d", "0D"):
        value = int(digits[2:], 16)
    elif "." in digits:
        return float_to_bits(float(text), 64)
    elif re.match(r"0[0-7]+$", digits):
        value = int(digits, 8)
    else:
        value = int(digits, 0)
    return -value if negative else value


COMPARE = {"eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b,
           "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b}
UNSIGNED_COMPARE = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}
BOOLEAN = {"and": lambda a, b: a and b, "or": lambda a, b: a or b, "xor": lambda a, b: bool(a) != bool(b)}


def compare_floats(op, a, b):
    unordered = math.isnan(a) or math.isnan(b)
    if op in ("num", "nan"):
        return unordered == (op == "nan")
    if len(op) == 3:
        return unordered or COMPARE[op[:2]](a, b)
    return not unordered and COMPARE[op](a, b)


_PANIC = re.compile(r"panicking|unwrap_failed|expect_failed|len_mismatch|slice_\w*fail|panic")


# --- running -------------------------------------------------------------------------------------------------------

class Thread:
    """One thread: special registers by name ("tid.x"), a memory seed, answers for what other lanes would say."""

    FUEL = 50000

    def __init__(self, module, special, seed=0, peek=None, read_only=None):
        self.module, self.special, self.seed = module, special, seed
        self.peek = peek or self._noise
        self.memory = {}
        self.addresses, self.by_address = {}, {}
        self.branches = []          # (function, line, taken) of every conditional branch and guarded trap
        self.external = False       # a value was used that only memory, or other lanes, know
        self.lanes = False          # a vote, shuffle or active mask was asked
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


class _Frame:
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

    # Data movement.
    def do_ld(self, words, operands):
        kind, size = words[-1], _WIDTH[words[-1]] // 8
        address = self.address(operands[1])
        for i, target in enumerate(self.spread(operands[0])):
            value = self.thread.load(address + i * size, size)
            self.set(target, signed(value, 8 * size) if kind[0] == "s" else value)

    do_ldu = do_ld

    def do_st(self, words, operands):
        size = _WIDTH[words[-1]] // 8
        address = self.address(operands[0])
        for i, source in enumerate(self.spread(operands[1])):
            self.thread.store(address + i * size, int(self.value(source, words[-1])), size)

    def do_atom(self, words, operands):
        size = _WIDTH[words[-1]] // 8
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
        bits = _WIDTH[kind]
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
        to_bits, from_bits = _WIDTH[to], _WIDTH[source]
        if source[0] in "us":
            value = signed(value, from_bits) if source[0] == "s" else value & ((1 << from_bits) - 1)
            if to[0] == "f":
                value = float_to_bits(float(value), to_bits)
            elif "sat" in words:
                low, high = (-(1 << (to_bits - 1)), (1 << (to_bits - 1)) - 1) if to[0] == "s" else (0, (1 << to_bits) - 1)
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
                    next((w for w in words if w in ("rzi", "rni", "rmi", "rpi")), ""), lambda x: x)(number)
            self.set(operands[0], float_to_bits(float(rounded), to_bits))
            return
        if math.isnan(number):
            self.set(operands[0], 0)
            return
        low, high = (-(1 << (to_bits - 1)), (1 << (to_bits - 1)) - 1) if to[0] == "s" else (0, (1 << to_bits) - 1)
        rounding = next((w for w in words if w in ("rzi", "rni", "rmi", "rpi")), "rzi")
        whole = number if math.isinf(number) else {"rzi": math.trunc, "rni": round, "rmi": math.floor,
                                                   "rpi": math.ceil}[rounding](number)
        self.set(operands[0], int(min(max(whole, low), high)))

    # Integers.
    def _integers(self, words, operands, count):
        kind = words[-1]
        bits = _WIDTH[kind]
        convert = (lambda v: signed(v, bits)) if kind[0] == "s" else (lambda v: v & ((1 << bits) - 1))
        return kind, bits, [convert(int(self.value(o, kind))) for o in operands[1:1 + count]]

    def _floats(self, words, operands):
        bits = _WIDTH[words[-1]]
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
            self.set(operands[0], -self.value(operands[1]) & ((1 << _WIDTH[words[-1]]) - 1))

    def do_abs(self, words, operands):
        if words[-1][0] == "f":
            self._float(words, operands, abs)
        else:
            bits = _WIDTH[words[-1]]
            self.set(operands[0], abs(signed(self.value(operands[1]), bits)) & ((1 << bits) - 1))

    def _bitwise(self, words, operands, combine):
        if words[-1] == "pred":
            self.registers[operands[0]] = bool(combine(bool(self.value(operands[1])), bool(self.value(operands[2]))))
        else:
            self.set(operands[0], combine(self.value(operands[1]), self.value(operands[2])) & ((1 << _WIDTH[words[-1]]) - 1))

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
            self.set(operands[0], ~self.value(operands[1]) & ((1 << _WIDTH[words[-1]]) - 1))

    def do_cnot(self, words, operands):
        self.set(operands[0], 1 if self.value(operands[1]) & ((1 << _WIDTH[words[-1]]) - 1) == 0 else 0)

    def do_shl(self, words, operands):
        bits = _WIDTH[words[-1]]
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
        self.set(operands[0], bin(self.value(operands[1]) & ((1 << _WIDTH[words[-1]]) - 1)).count("1"))

    def do_clz(self, words, operands):
        bits = _WIDTH[words[-1]]
        self.set(operands[0], bits - (self.value(operands[1]) & ((1 << bits) - 1)).bit_length())

    def do_brev(self, words, operands):
        bits = _WIDTH[words[-1]]
        self.set(operands[0], int(format(self.value(operands[1]) & ((1 << bits) - 1), f"0{bits}b")[::-1], 2))

    def do_bfind(self, words, operands):
        bits = _WIDTH[words[-1]]
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
        bits = _WIDTH[words[-1]]
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
        self.set(operands[0], self.value(operands[1] if self.value(operands[3]) else operands[2], words[-1])
                 & ((1 << _WIDTH[words[-1]]) - 1))

    def do_slct(self, words, operands):
        chosen = signed(self.value(operands[3]), 32) >= 0
        self.set(operands[0], self.value(operands[1] if chosen else operands[2]))

    def _compare(self, op, kind, left, right):
        a, b, bits = self.value(left, kind), self.value(right, kind), _WIDTH[kind]
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
            self.set(operands[0], float_to_bits(1.0 if result else 0.0, _WIDTH[words[-2]]))
        else:
            self.set(operands[0], 0xFFFFFFFF if result else 0)

    def do_testp(self, words, operands):
        bits = _WIDTH[words[-1]]
        x = bits_to_float(self.value(operands[1]), bits)
        smallest = {32: 2.0**-126, 64: 2.0**-1022}[bits]
        self.registers[operands[0]] = {
            "finite": math.isfinite(x), "infinite": math.isinf(x), "number": not math.isnan(x),
            "notanumber": math.isnan(x), "normal": math.isfinite(x) and abs(x) >= smallest,
            "subnormal": x != 0 and abs(x) < smallest}[words[1]]

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
