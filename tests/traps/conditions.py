"""Evaluates the condition texts of explain-trap's JSON, to hold them against a run of the kernel.

Texts leave widths out, so a value is trusted only while no operation could have wrapped or been cut: where an operation
that is not a ring operation (division, shift right, min, comparison…) meets an operand outside [0, 2^31), or a
widening could have extended a sign, NotEvaluated is raised. So is it for `?`, calls, and values carried around loops.
"""

import re

from ptx_instructions import COMPARE, bits_to_float, compare_floats, signed
from ptx_reader import WIDTH


class NotEvaluated(Exception):
    pass


_TOKEN = re.compile(
    r"\s*(?:(0[xX][\da-fA-F]+|0[fFdD][\da-fA-F]+|\d+\.\d+(?:[eE][-+]?\d+)?|\d+)"
    r"|([A-Za-z_$%#][\w$%#]*(?:\.[\w$%#]+)*(?:\[[^\]]*\])?)"
    r"|(<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^~!<>()?:,\[\]]))"
)

_LEVELS = [
    ("or",),
    ("and",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!="),
    ("<", "<=", ">", ">="),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
]
_RELATION = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}


def tokens_of(text):
    found, at = [], 0
    while at < len(text.rstrip()):
        m = _TOKEN.match(text, at)
        if not m:
            raise NotEvaluated(f"unreadable at {text[at:at + 10]!r}")
        found.append(m.group(1) or m.group(2) or m.group(3))
        at = m.end()
    return found


class _Reader:
    """Recursive descent over the tokens, evaluating as it goes."""

    def __init__(self, text, state):
        self.tokens, self.at, self.state = tokens_of(text), 0, state

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def take(self, expected=None):
        token = self.peek()
        if token is None or (expected and token != expected):
            raise NotEvaluated(f"{expected} expected")
        self.at += 1
        return token

    def whole(self):
        value = self.choice()
        if self.peek() is not None:
            raise NotEvaluated(f"left over: {self.peek()}")
        return value

    def choice(self):
        value = self.level(0)
        if self.peek() == "if":
            self.take()
            chosen = self.level(0)
            self.take("else")
            other = self.choice()
            return value if chosen else other
        return value

    def level(self, depth):
        if depth == len(_LEVELS):
            return self.unary()
        value = self.level(depth + 1)
        while self.peek() in _LEVELS[depth]:
            op = self.take()
            value = self.apply(op, value, self.level(depth + 1))
        return value

    def small(self, *values):
        for value in values:
            if not 0 <= value < 2**31:
                raise NotEvaluated("wide operand")

    def apply(self, op, a, b):
        if op == "or":
            return bool(a) or bool(b)
        if op == "and":
            return bool(a) and bool(b)
        if op == "+":
            return a + b
        if op == "-":
            return a - b
        if op == "*":
            return a * b
        if op == "&":
            return a & b if isinstance(a, int) else bool(a) and bool(b)
        if op == "|":
            return a | b
        if op == "^":
            return a ^ b
        if op == "<<":
            self.small(b)
            return a << min(b, 64)
        if op == ">>" and self.state.wide(a):
            return a >> min(b, 64)
        if op in _RELATION and (isinstance(a, float) or isinstance(b, float)):
            if not (isinstance(a, float) and isinstance(b, float)):
                raise NotEvaluated("a word read as a float")
            return COMPARE[_RELATION[op]](a, b)
        self.small(int(a), int(b))
        if op in _RELATION:
            return COMPARE[_RELATION[op]](a, b)
        if b == 0:
            raise NotEvaluated("division by zero")
        return a // b if op == "/" else a % b

    def unary(self):
        token = self.peek()
        if token == "-":
            self.take()
            return -self.unary()
        if token == "not":
            self.take()
            return not self.unary()
        if token == "~":
            self.take()
            return ~self.unary()
        return self.primary()

    def primary(self):
        token = self.take()
        if token == "(":
            value = self.choice()
            self.take(")")
            return value
        if token == "?":
            raise NotEvaluated("unknown")
        if re.match(r"0[fFdD]", token):
            return int(token[2:], 16)
        if token[0].isdigit():
            return float(token) if "." in token else int(token, 0)
        if self.peek() == "(":
            self.take()
            arguments = []
            while self.peek() != ")":
                arguments.append(self.choice())
                if self.peek() == ",":
                    self.take()
            self.take(")")
            return self.function(token, arguments)
        return self.state.name(token)

    def function(self, name, arguments):
        if name.startswith("load."):
            kind = name.split(".")[-1]
            return self.state.load(arguments[0], kind)
        base = name.split(".")[0]
        if base in ("min", "max"):
            self.small(*arguments)
            return (min if base == "min" else max)(arguments)
        if base in ("u32", "u64", "u16", "u8", "zext", "b32", "b64"):
            if base in WIDTH:
                return int(arguments[0]) & ((1 << WIDTH[base]) - 1)
            return arguments[0]
        if base in ("s32", "s64", "s16", "s8"):
            return signed(int(arguments[0]), WIDTH[base])
        if base == "popc":
            self.small(arguments[0])
            return bin(arguments[0]).count("1")
        raise NotEvaluated(name)


class _State:
    def __init__(self, special, labels, thread):
        self.special, self.labels, self.thread = special, labels, thread
        self.memory_used = False

    def wide(self, value):
        return 0 <= value < 2**64

    def name(self, token):
        if token in self.labels:
            if self.labels[token] is None:
                raise NotEvaluated("a narrow value with its top bit set")
            return self.labels[token]
        m = re.match(r"global\.([xyz])$", token)
        if m:
            axis = m.group(1)
            return self.special["ctaid." + axis] * self.special["ntid." + axis] + self.special["tid." + axis]
        if token in self.special:
            return self.special[token]
        if token in ("true", "false"):
            return token == "true"
        raise NotEvaluated(token)

    def load(self, address, kind):
        """Only memory that the thread has not written: the text speaks of the value at the load."""
        size = WIDTH[kind] // 8
        address &= 2**64 - 1
        if any(address + i in self.thread.memory for i in range(size)):
            raise NotEvaluated("written memory")
        value = self.thread.peek(address, size)
        if kind in ("f32", "f64"):
            return bits_to_float(value, 8 * size)
        return signed(value, 8 * size) if kind[0] == "s" else value


class Condition:
    def __init__(self, condition, parameters):
        self.text, self.op, self.kind = condition["text"], condition.get("op"), condition.get("type")
        self.lhs, self.rhs = condition.get("lhs"), condition.get("rhs")
        self.parameters = parameters
        tokens_of(self.text)

    def text_holds(self, special, arguments, thread):
        """The text alone evaluated, as a person would read it."""
        return bool(_Reader(self.text, _State(special, self._labels(arguments), thread)).whole())

    def _labels(self, arguments):
        labels = {}
        for parameter, data in zip(self.parameters, arguments):
            for field in parameter.get("fields") or []:
                size = field.get("bytes") or field.get("size") or 8
                labels[field["label"]] = int.from_bytes(data[field["offset"] : field["offset"] + size], "little")
            if len(data) <= 8:
                kind, value = parameter["type"], int.from_bytes(data, "little")
                if kind in ("f32", "f64"):
                    value = bits_to_float(value, 8 * len(data))
                elif len(data) < 4:
                    # The load says whether it is widened with its sign, not the declaration.
                    value = value if value < 1 << (8 * len(data) - 1) else None
                labels[parameter["label"]] = value
        return labels

    def holds(self, special, arguments, thread):
        state = _State(special, self._labels(arguments), thread)
        if self.op in COMPARE or self.op in ("equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"):
            if self.lhs is not None and self.rhs is not None and self.kind in WIDTH:
                sides = [_Reader(text, state).whole() for text in (self.lhs, self.rhs)]
                for text, value in zip((self.lhs, self.rhs), sides):
                    # A sum or product may have been cut to 32 bits before it was widened.
                    if WIDTH[self.kind] == 64 and re.search(r"[-+*]", text) and not 0 <= value < 2**31:
                        raise NotEvaluated("width")
                return self._compare(*sides)
        return bool(_Reader(self.text, state).whole())

    def _compare(self, a, b):
        bits = WIDTH[self.kind]
        if self.kind[0] == "f":
            a, b = (x if isinstance(x, float) else bits_to_float(x, bits) for x in (a, b))
            return compare_floats(self.op, a, b)
        for x in (a, b):
            # A 32-bit value with its top bit set may have been widened either way.
            if bits == 64 and 2**31 <= x < 2**32:
                raise NotEvaluated("width")
        if self.kind[0] == "s":
            a, b = signed(int(a), bits), signed(int(b), bits)
        else:
            a, b = int(a) & ((1 << bits) - 1), int(b) & ((1 << bits) - 1)
        return COMPARE[self.op](a, b)
