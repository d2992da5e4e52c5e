"""Modules, functions, instructions and blocks: PTX as it was read.

Each object keeps the module that it belongs to alive. Nothing here changes after it was made, so that several threads
may use one module.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _core
from .results import Diagnostic, FlowBlock, FlowEdge, FunctionFlow, Header, Param

if TYPE_CHECKING:
    from functools import cached_property
else:
    class cached_property(functools.cached_property):
        """As that of functools, but of several threads that ask at once all get the same object, and none waits."""

        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            known = instance.__dict__
            return known[self.attrname] if self.attrname in known else known.setdefault(self.attrname, self.func(instance))


@dataclass(frozen=True)
class Operand:
    """An operand as written.

    kind        "register", "name" (a variable, label, function or special register), "integer", "float", "sink" (_),
                "vector", "pair" (p|q), "address", "tuple_address", "list" (of a call), "expression" or "string"
    text        its bytes
    name        of a register or name
    value       of an integer or float
    negated     !p, or -r
    selector    "x" of %tid.x, "b0" of %r1.b0
    operands    what a vector, pair, tuple address or list holds; of [a+b] with two names, the second
    base        of an address: what stands before the offset
    offset      of an address: the constant added
    """

    kind: str
    text: str
    name: str | None
    value: int | float | None
    negated: bool
    selector: str | None
    operands: tuple[Operand, ...]
    base: Operand | None
    offset: int

    @property
    def registers(self) -> tuple[str, ...]:
        """The names of all registers in it."""
        here = (self.name,) if self.kind == "register" and self.name is not None else ()
        base = self.base.registers if self.base is not None else ()
        return here + base + tuple(name for one in self.operands for name in one.registers)

    @staticmethod
    def _of(parts: tuple[Any, ...]) -> Operand:
        kind, text, name, value, negated, selector, operands, base, offset = parts
        return Operand(kind, text, name, value, negated, selector, tuple([Operand._of(one) for one in operands]),
                       None if base is None else Operand._of(base), offset)

    def __str__(self) -> str:
        return self.text


class Instruction:
    """An instruction of a function."""

    __slots__ = ("_block", "_statement", "column", "function", "guard", "line", "mnemonic", "modifiers", "opcode")

    function: Function
    line: int
    column: int
    opcode: str  #: with all modifiers: "ld.global.f32"
    mnemonic: str  #: "ld"
    modifiers: tuple[str, ...]  #: ("global", "f32")
    guard: str | None  #: the register of its guard predicate, "%p1" or "!%p1"

    def __init__(self, function: Function, parts: tuple[int, int, int, str, str, tuple[str, ...], str | None, int | None]):
        self.function = function
        (self._statement, self.line, self.column, self.opcode, self.mnemonic, self.modifiers, self.guard,
         self._block) = parts

    @property
    def text(self) -> str:
        """As it is written, from the guard to the semicolon."""
        return self.function.module._core.statement_text(self._statement)

    @property
    def operands(self) -> tuple[Operand, ...]:
        """The operands as written, destination first; the guard is not among them."""
        parts = self.function.module._core.operands(self.function._index, self._statement)
        return tuple([Operand._of(one) for one in parts])

    @property
    def block(self) -> Block | None:
        """The basic block it stands in."""
        return None if self._block is None else self.function.blocks[self._block]

    def value(self, register: str) -> str:
        """What the register holds just before this instruction, in terms of parameters, special registers and memory:
        "a.ptr + 4*global.x". What is not known is "?". docs/explain-trap.md says how to read it."""
        return self.function.module._core.value(self.function._index, bytes_of(register), self._statement)

    def __repr__(self) -> str:
        return f"<Instruction {self.function.module.name}:{self.line}: {self.text}>"


@dataclass(frozen=True)
class Edge:
    """Control goes from one block to another; when `guard` ("%p1", "!%p1") holds, or always where it is None."""

    source: Block
    target: Block
    kind: str  #: "taken", "fallthrough" or "indirect"
    guard: str | None
    flow: FlowEdge  #: all that is known of it

    def __repr__(self) -> str:
        return f"<Edge {self.source.id} -> {self.target.id} {self.kind}{' if ' + self.guard if self.guard else ''}>"


class Block:
    """A basic block of a function."""

    __slots__ = ("flow", "function")

    function: Function
    flow: FlowBlock  #: dominators, loops, live registers, how it ends

    def __init__(self, function: Function, flow: FlowBlock):
        self.function = function
        self.flow = flow

    @property
    def id(self) -> int:
        """Its number, from 0, in the order of the text; 0 is the entry."""
        return self.flow.id

    @property
    def label(self) -> str | None:
        """The label that branches name."""
        return self.flow.label

    @property
    def instructions(self) -> tuple[Instruction, ...]:
        """Its instructions, in order."""
        return self.function._by_block.get(self.id, ())

    @property
    def successors(self) -> tuple[Edge, ...]:
        """The edges out of it."""
        return tuple([edge for edge in self.function.edges if edge.source is self])

    @property
    def predecessors(self) -> tuple[Edge, ...]:
        """The edges into it."""
        return tuple([edge for edge in self.function.edges if edge.target is self])

    def __repr__(self) -> str:
        return f"<Block {self.id}{' ' + self.label if self.label else ''} of {self.function.name}>"


class Function:
    """A kernel (.entry) or function (.func), or the declaration of one."""

    module: Module
    name: str
    demangled: str | None
    kind: str  #: "entry" or "func"
    line: int  #: of its header
    has_body: bool

    def __init__(self, module: Module, index: int, document: dict[str, Any]):
        self.module = module
        self._index = index
        self.name = document["name"]
        self.demangled = document["demangled"]
        self.kind = document["kind"]
        self.line = document["line"]
        self.has_body = document["has_body"]

    def _is_called(self, name: object) -> bool:
        return name is not None and name in (self.name, self.demangled)

    @cached_property
    def params(self) -> tuple[Param, ...]:
        """Its parameters, with their roles and labels as far as the code tells."""
        return tuple([Param.from_dict(one) for one in json.loads(self.module._core.params(self._index))])

    @cached_property
    def instructions(self) -> tuple[Instruction, ...]:
        """All its instructions, in the order of the text."""
        return tuple([Instruction(self, parts) for parts in self.module._core.instructions(self._index)])

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Its basic blocks, in the order of the text; blocks[0] is the entry."""
        return tuple([Block(self, block) for block in self.flow.blocks]) if self.flow is not None else ()

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """How control goes from block to block."""
        blocks = self.blocks
        return tuple([Edge(blocks[edge.from_], blocks[edge.to], edge.kind, edge.predicate, edge)
                      for edge in self.flow.edges]) if self.flow is not None else ()

    @cached_property
    def flow(self) -> FunctionFlow | None:
        """Its control flow as cfg() gives it: also loops, and whether all of it could be followed."""
        document = self.module._core.flow(self._index)
        return FunctionFlow.from_dict(json.loads(document)["functions"][0]) if document else None

    @cached_property
    def _by_block(self) -> dict[int, tuple[Instruction, ...]]:
        blocks: dict[int, list[Instruction]] = {}
        for one in self.instructions:
            if one._block is not None:
                blocks.setdefault(one._block, []).append(one)
        return {block: tuple(instructions) for block, instructions in blocks.items()}

    def __repr__(self) -> str:
        return f"<Function {self.kind} {self.demangled or self.name} {self.module.name}:{self.line}>"


class Module:
    """A PTX module. parse() and load() make one; reading never fails: `diagnostics` has what is wrong with the text."""

    def __init__(self, core: _core.Module):
        self._core = core

    @property
    def name(self) -> str:
        """What messages call it: the file's name."""
        return self._core.name

    @property
    def text(self) -> str:
        """The text, byte for byte; a byte that is no UTF-8 stands as a surrogate (PEP 383)."""
        return self._core.text().decode("utf-8", "surrogateescape")

    @cached_property
    def _overview(self) -> dict[str, Any]:
        overview: dict[str, Any] = json.loads(self._core.overview())
        return overview

    @cached_property
    def header(self) -> Header:
        """.version, .target, .address_size, and the compiler that wrote it."""
        return Header.from_dict(self._overview["module"])

    @cached_property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What reading the text and the checks of `ptxscope print` had to say, in order of place."""
        return tuple([Diagnostic.from_dict(one) for one in self._overview["diagnostics"]])

    @property
    def ok(self) -> bool:
        """No diagnostic is an error."""
        return not any(one.level == "error" for one in self.diagnostics)

    @cached_property
    def functions(self) -> tuple[Function, ...]:
        """Kernels, functions, and declarations of functions, in the order of the text."""
        return tuple([Function(self, i, one) for i, one in enumerate(self._overview["functions"])])

    @property
    def kernels(self) -> tuple[Function, ...]:
        """The functions that are kernels and have a body."""
        return tuple([one for one in self.functions if one.kind == "entry" and one.has_body])

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled, it is its text: another process reads it again."""
        return _read_again, (self._core.text(), bytes_of(self.name))

    def __getitem__(self, name: str) -> Function:
        """The function of that name, mangled or demangled; one with a body before a declaration."""
        found = [one for one in self.functions if one._is_called(name)]
        if not found:
            raise KeyError(f"{self.name}: no function is called {name}; there are "
                           f"{', '.join(one.name for one in self.functions[:20]) or 'none'}")
        return next((one for one in found if one.has_body), found[0])

    def __contains__(self, name: object) -> bool:
        """There is a function of that name; or that function is one of its own."""
        return any(one is name or one._is_called(name) for one in self.functions)

    def __iter__(self) -> Iterator[Function]:
        return iter(self.functions)

    def __len__(self) -> int:
        return len(self.functions)

    def __repr__(self) -> str:
        return f"<Module {self.name}: {', '.join(one.name for one in self.kernels) or 'no kernel'}>"


def _read_again(text: bytes, name: bytes) -> Module:
    return Module(_core.parse(text, name))


def bytes_of(text: str) -> bytes:
    """A text as the compiled part takes it, with bytes for the surrogates that stand for them (PEP 383)."""
    if not isinstance(text, str):
        raise TypeError(f"expected a str, not {type(text).__name__}: {text!r}")
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # surrogates that stand for no byte
        return text.encode("utf-8", "surrogatepass")
