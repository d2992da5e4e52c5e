"""Reads NVIDIA PTX and says what it does.

    import ptxscope

    module = ptxscope.parse(kernel.asm["ptx"], name="add_kernel")
    for trap in ptxscope.explain_traps(module).traps:
        print(trap.line, trap.check, trap.ways[0].condition.text)

No GPU and no CUDA installation is needed. What takes time runs without the interpreter's lock, and several threads may
use one module. Nothing that is in a PTX text raises: its faults are the module's `diagnostics`. What cannot be done (a
file that cannot be read, a target that does not exist) raises Error, with the place, the reason and a way out.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Mapping, Sequence

from . import _core, results
from ._core import Error
from .collection import files_in, partitions, path_bytes, program, scan, several
from .model import Block, Edge, Function, Instruction, Module, Operand, bytes_of
from .results import Cfg, Check, Diff, Instrument, Retarget, Stats, TrapReport

__version__ = _core.version

__all__ = ["Block", "Cfg", "Check", "Diff", "Edge", "Error", "Function", "Instruction", "Instrument", "Module",
           "Operand", "Retarget", "Stats", "TrapReport", "cfg", "check", "diff", "explain_traps", "instrument", "load",
           "files_in", "load_all", "parse", "partitions", "program", "results", "retarget", "scan", "stats"]


def parse(text: str | bytes | bytearray | memoryview, name: str = "<string>") -> Module:
    """The module of a PTX text. `name` is what messages call it.

    Never fails on what the text holds: what does not parse is left out and told of in the module's `diagnostics`.
    """
    if isinstance(text, str):
        return Module(_core.parse(bytes_of(text), bytes_of(name)))
    try:
        view = memoryview(text)
    except TypeError:
        raise TypeError(f"expected PTX as str or bytes, not {type(text).__name__}; load() reads a file") from None
    return Module(_core.parse(view, bytes_of(name)))


def load(path: str | os.PathLike[str]) -> Module:
    """The module in a file: PTX, or an executable, object, fat binary, archive or text with one PTX module in it.

    `app:sm_90:2` is the second of a file's modules for sm_90, as `ptxscope extract --list` names them. Raises Error
    where there is none or there are several.
    """
    return Module(_core.load(path_bytes(path)))


def load_all(path: str | os.PathLike[str]) -> list[Module]:
    """All modules in a file, or in the .ptx files of a folder."""
    return [Module(one) for one in _core.load_all(path_bytes(path))]


def explain_traps(module: Module, *, kernels: Iterable[str] = (), names: Sequence[str] = (),
                  grid: int | Sequence[int] | None = None, block: int | Sequence[int] | None = None,
                  args: Mapping[str, int | float | str] | None = None) -> TrapReport:
    """Every way into every trap, assert and failing check, in terms of kernel parameters.

    kernels   only these: names, mangled or not; * stands for any characters
    names     for the arguments, in their order; "" leaves one as it is
    grid, block   a launch to evaluate the checks for, in every thread: 4, or (4, 2)
    args      what that launch passes, by label: {"a.len": 512}; "#1" and the name in the PTX do, too
    """
    shape = _launch(grid, block, args)
    arguments = [bytes_of(f"{label}={value}") for label, value in (args or {}).items()]
    return TrapReport.from_json(_core.explain_traps(_core_of(module), _words("kernels", kernels), _words("names", names),
                                                    *shape, arguments))


def stats(module: Module, *, kernels: Iterable[str] = (), checks: bool = False, live: bool = False) -> Stats:
    """Counts of each function and in total: instructions, branches, registers, live registers, memory operations.

    checks    also what each branch is for: which bounds check, or none
    live      also the registers live at each instruction
    """
    return Stats.from_json(_core.stats(_core_of(module), _words("kernels", kernels), checks, live))


def check(module: Module, *, target: str | None = None, isa: str | None = None, cuda: str | None = None,
          driver: str | None = None, device: str | None = None, all: bool = False) -> Check:
    """What the module needs, and whether it fits its own header or what is asked; `ok` is the answer.

    target    would the code be taken if its header said this .target? "sm_120a"
    isa       the same for .version: "8.7"
    cuda      does ptxas of this CUDA release take it? "12.8"
    driver    does this driver load it? "595.97"
    device    does it run on a GPU of this compute capability? "12.0"; "this": on this machine's
    all       each need with all its lines, not the first 1000
    """
    return Check.from_json(_core.check(_core_of(module), _word(target), _word(isa), _word(cuda), _word(driver),
                                       _word(device), all))


def diff(a: Module, b: Module, *, kernels: Iterable[str] = ()) -> Diff:
    """What is different between two modules. Renumbered registers, renamed labels and moved blocks are not."""
    return Diff.from_json(_core.diff(_core_of(a), _core_of(b), _words("kernels", kernels)))


def cfg(module: Module, *, kernels: Iterable[str] = (), live: bool = False) -> Cfg:
    """Blocks, edges and loops of each function; Function.blocks has the same as objects that know each other.

    live      also the registers live at each instruction (FlowBlock.pressure)
    """
    return Cfg.from_json(_core.cfg(_core_of(module), _words("kernels", kernels), live))


def retarget(module: Module, *, target: str | None = None, isa: str | None = None,
             rewrite: bool = False) -> tuple[Module | None, Retarget]:
    """The module with another .version and .target, all else byte for byte; None where its code does not fit.

    target, isa   what its header is to say; "min": the lowest that does
    rewrite       older spellings of the same meaning may be taken, where that helps
    """
    if not target and not isa:
        raise Error('say which header is wanted: target="sm_80", isa="8.0", or "min" for the lowest that does')
    document, text = _core.retarget(_core_of(module), _word(target), _word(isa), rewrite)
    result = Retarget.from_json(document)
    return (parse(text, module.name) if result.ok else None), result


def instrument(module: Module, *, names: Sequence[str] = ()) -> tuple[Module, Instrument]:
    """The module with code that notes what happened in front of each trap, as `ptxscope run` loads it."""
    document, text = _core.instrument(_core_of(module), _words("names", names))
    return parse(text, module.name), Instrument.from_json(document)


def _word(value: str | None) -> bytes:
    return b"" if value is None else bytes_of(value)


def _words(what: str, values: Iterable[str]) -> list[bytes]:
    return [bytes_of(one) for one in several(what, values)]


def _core_of(module: Module) -> _core.Module:
    if not isinstance(module, Module):
        raise TypeError(f"expected a ptxscope.Module, not {type(module).__name__}; parse() makes one of a text, load() of "
                        "a file")
    return module._core


def _launch(grid: int | Sequence[int] | None, block: int | Sequence[int] | None,
            args: Mapping[str, int | float | str] | None
            ) -> tuple[tuple[int, int, int] | None, tuple[int, int, int] | None]:
    if grid is None and block is None and not args:
        return None, None
    if grid is None or block is None:
        raise Error("a launch needs both grid and block, for example grid=4, block=256")
    return _extents("grid", grid), _extents("block", block)


def _extents(what: str, size: int | Sequence[int]) -> tuple[int, int, int]:
    try:  # whatever counts as a whole number, NumPy's as well
        axes = [operator.index(one) for one in (size if isinstance(size, Iterable) else [size])]
    except TypeError:
        axes = []
    if not 1 <= len(axes) <= 3 or not all(0 <= one < 2**32 for one in axes):
        raise Error(f"{what}={size!r}: must be one to three whole numbers, like 4 or (4, 2)")
    x, y, z = (*axes, 1, 1)[:3]
    return x, y, z



