"""Reads PTX for the interpreter: functions, statements and variables, with nested scopes already renamed apart."""

import re
import struct


class Unsupported(Exception):
    """Something that this reading of PTX does not know."""


WIDTH = {"pred": 1, "b128": 128}
for _letter in "busf":
    for _bits in (8, 16, 32, 64):
        WIDTH[f"{_letter}{_bits}"] = _bits
WIDTH.update({"f16x2": 32, "bf16": 16, "bf16x2": 32})


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
    element = WIDTH[kinds[-1]] // 8
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
                if (
                    depth == 0
                    and text[end - 1] == "\n"
                    and re.match(r"\.(version|target|address_size|file|loc)\b", text[at:end])
                ):
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
                    width = WIDTH[re.findall(r"\w+", m.group(1))[-1]]
                    for n in names:
                        scopes[-1][n] = ("reg", n if len(scopes) == 1 else f"{n}#{scopes[-1]['#']}", width)
            elif re.match(r"\.(local|shared|param|global|const)\b", body):
                variable = parse_variable(body)
                variable.name = variable.name if len(scopes) == 1 else f"{variable.name}#{scopes[-1]['#']}"
                scopes[-1][variable.name.split("#")[0]] = ("var", variable.name)
                function.variables.append(variable)
            elif body.startswith(".branchtargets"):
                function.branch_targets[raw[-1][1]] = (split_list(body[len(".branchtargets") :]), list(scopes))
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
            function.statements.append(Statement(self._line(offset), guard, negated, m.group(1), split_list(operands)))
        for label, (names, inside) in function.branch_targets.items():
            targets[label] = [resolve(n, inside)[1] for n in names]
        function.branch_targets = targets


_NUMBER = re.compile(
    r"-?(0[xX][\da-fA-F]+|0[bB][01]+|0[fF][\da-fA-F]{8}|0[dD][\da-fA-F]{16}|\d+\.\d*(?:[eE][-+]?\d+)?|\d+)U?$"
)


def parse_number(text):
    """The value of a literal, or None. Floats give their bit pattern (decimal ones that of an f64)."""
    if not _NUMBER.match(text):
        return None
    negative = text.startswith("-")
    digits = text.lstrip("-").rstrip("U")
    if digits[:2] in ("0f", "0F", "0d", "0D"):
        value = int(digits[2:], 16)
    elif "." in digits:
        return struct.unpack("<Q", struct.pack("<d", float(text)))[0]
    elif re.match(r"0[0-7]+$", digits):
        value = int(digits, 8)
    else:
        value = int(digits, 0)
    return -value if negative else value
