"""What the analyses answer: the documents of docs/json.md as frozen dataclasses.

Lines and columns count from 1, columns in bytes. None means: there is none, or it is not known. Every record has
to_dict() and from_dict(), so that what `ptxscope COMMAND --format json` wrote can be read as well:

    Stats.from_json(pathlib.Path("stats.json").read_text())
"""

from __future__ import annotations

from dataclasses import dataclass

from ._record import Record

# ── Shared ──


@dataclass(frozen=True)
class Header(Record):
    """What the module says of itself: .version, .target, .address_size, and which compiler wrote it."""

    version: str | None
    target: tuple[str, ...]
    target_options: tuple[str, ...]
    address_size: int
    producer: str | None


@dataclass(frozen=True)
class Note(Record):
    """A further place that explains a diagnostic."""

    line: int
    column: int
    message: str


@dataclass(frozen=True)
class Diagnostic(Record):
    """One message about a place of the text. `rule` is a stable id; `remedy` says what to change."""

    level: str
    rule: str
    line: int
    column: int
    end_column: int
    message: str
    remedy: str | None
    notes: tuple[Note, ...]


@dataclass(frozen=True)
class ParamField(Record):
    """A part of an aggregate that the kernel reads."""

    offset: int
    bytes: int
    role: str
    slice: int | None
    label: str


@dataclass(frozen=True)
class Param(Record):
    """A parameter of a function. `label` is what people are shown, and what `args` of explain_traps() takes."""

    index: int
    name: str
    type: str
    bytes: int
    role: str
    slice: int | None
    label: str
    fields: tuple[ParamField, ...]


# ── explain_traps ──


@dataclass(frozen=True)
class Place(Record):
    """A line of source. Where it was inlined, the outermost call, and `inlined_at` leads inwards."""

    file: str
    line: int
    column: int | None
    text: str | None
    inlined_at: tuple[Place, ...] | None = None


@dataclass(frozen=True)
class Condition(Record):
    """Holds exactly when a way is taken; `text` says the same as op, lhs and rhs together."""

    op: str
    type: str | None
    lhs: str | None
    rhs: str | None
    text: str


@dataclass(frozen=True)
class Way(Record):
    """One edge into a trap, with what must hold to take it."""

    branch_line: int | None
    setp_line: int | None
    predicate: str | None
    negated: bool
    condition: Condition
    check: str
    params: tuple[int, ...]
    via: tuple[str, ...]
    source: Place | None
    message: str | None
    after: tuple[str, ...]
    path: str
    dead: bool
    call_line: int | None
    evidence: tuple[int, ...]
    after_omitted: int | None = None


@dataclass(frozen=True)
class FirstThread(Record):
    """The first thread that traps: x, y, z of its block and of itself."""

    block: tuple[int, ...]
    thread: tuple[int, ...]


@dataclass(frozen=True)
class Sides(Record):
    """Both sides of the condition in that thread; NaN and infinities are strings."""

    lhs: int | float | str | None
    rhs: int | float | str | None


@dataclass(frozen=True)
class Given(Record):
    """A trap under the launch that was given. `fires` None: a needed value is not known."""

    fires: bool | None
    threads: int
    first: FirstThread | None
    values: Sides | None
    way: int | None
    undecided: int
    missing: tuple[str, ...]
    reasons: tuple[str, ...]
    assumed_not_null: tuple[str, ...]
    if_reached: tuple[str, ...]
    gave_up: bool


@dataclass(frozen=True)
class Trap(Record):
    """A place where a failing check ends the thread."""

    id: int
    function: str
    line: int | None
    column: int | None
    block: str | None
    kind: str
    callee: str | None
    source: Place | None
    message: str | None
    check: str
    dead: bool | None
    ways: tuple[Way, ...]
    params: tuple[int, ...]
    via: tuple[str, ...]
    given: Given | None
    notes: tuple[str, ...]


@dataclass(frozen=True)
class SafetyCost(Record):
    """Instructions and branches that exist only to decide the traps, of how many in all."""

    instructions: int
    branches: int
    of_instructions: int
    of_branches: int


@dataclass(frozen=True)
class FunctionTraps(Record):
    """The traps of a kernel, or of a function that no kernel of the module calls."""

    name: str
    demangled: str | None
    kind: str
    line: int
    params: tuple[Param, ...]
    traps: tuple[Trap, ...]
    soft_failures: tuple[Trap, ...]
    cost: SafetyCost
    complete: bool
    notes: tuple[str, ...]


@dataclass(frozen=True)
class LaunchShape(Record):
    """Blocks and threads of a block: x, y, z."""

    grid: tuple[int, ...]
    block: tuple[int, ...]


@dataclass(frozen=True)
class TrapReport(Record):
    """The answer of explain_traps()."""

    schema: str
    file: str
    module: Header
    launch: LaunchShape | None
    functions: tuple[FunctionTraps, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def traps(self) -> tuple[Trap, ...]:
        """The traps of all functions, one after another."""
        return tuple(trap for function in self.functions for trap in function.traps)

    @property
    def fires(self) -> bool | None:
        """Whether a trap fires under the launch; None: nothing is known to, and something may."""
        given = [trap.given.fires for trap in self.traps if trap.given is not None]
        return True if True in given else None if None in given else False


# ── stats ──


@dataclass(frozen=True)
class Registers(Record):
    """Registers by class (pred, b16, b32, b64, …). `max_live` counts 32-bit registers, predicates apart."""

    declared: dict[str, int]
    used: dict[str, int]
    max_live: int | None
    max_live_line: int | None
    max_live_predicates: int | None
    max_live_function: str | None = None


@dataclass(frozen=True)
class Peak(Record):
    """Lines in a row at which most registers are live."""

    first_line: int
    last_line: int


@dataclass(frozen=True)
class LongLived(Record):
    """A register that is live at the first peak, and what it holds there."""

    register: str
    class_: str
    instructions: int
    first_line: int
    last_line: int
    value: str | None


@dataclass(frozen=True)
class Pressure(Record):
    """Registers live at the instruction of a line."""

    line: int
    registers: int
    predicates: int


@dataclass(frozen=True)
class LiveRegisters(Record):
    """What stats(live=True) adds to a function."""

    complete: bool
    max_live: int
    max_live_predicates: int
    peaks: tuple[Peak, ...]
    longest: tuple[LongLived, ...]
    instructions: tuple[Pressure, ...]


@dataclass(frozen=True)
class CheckPlace(Record):
    """A branch, and what it is for."""

    line: int
    function: str | None
    is_branch: bool
    purpose: str
    trap: int | None
    check: str | None
    params: tuple[int, ...]
    condition: str | None
    text: str


@dataclass(frozen=True)
class Checks(Record):
    """What stats(checks=True) adds to a function."""

    instructions: int
    branches: int
    of_instructions: int
    of_branches: int
    places: tuple[CheckPlace, ...]


@dataclass(frozen=True)
class Compiled(Record):
    """What ptxas made of a kernel, or of all, for a target: in documents of `ptxscope stats --ptxas`."""

    target: str
    accepted: bool
    refusal: str | None = None
    registers: int | None = None
    spill_stores: int | None = None
    spill_loads: int | None = None
    stack: int | None = None
    shared: int | None = None
    constant: int | None = None
    barriers: int | None = None


@dataclass(frozen=True)
class Counts(Record):
    """Counts of a function, or of all of them."""

    instructions: int
    branches: int
    conditional_branches: int
    calls: int
    traps: int
    barriers: int
    registers: Registers
    memory: dict[str, int]
    memory_by_bytes: dict[str, dict[str, int]]
    shared_bytes: int
    dynamic_shared: bool
    local_bytes: int
    by_category: dict[str, int]
    by_opcode: dict[str, int]
    blocks: int
    loops: int
    max_loop_depth: int
    unknown_instructions: int


@dataclass(frozen=True)
class FunctionStats(Counts):
    """Counts of a function."""

    name: str
    demangled: str | None
    kind: str
    line: int
    live: LiveRegisters | None = None
    checks: Checks | None = None
    ptxas: tuple[Compiled, ...] | None = None


@dataclass(frozen=True)
class Stats(Record):
    """The answer of stats()."""

    schema: str
    file: str
    module: Header
    functions: tuple[FunctionStats, ...]
    totals: Counts
    diagnostics: tuple[Diagnostic, ...]
    ptxas: tuple[Compiled, ...] | None = None


# ── check ──


@dataclass(frozen=True)
class Requires(Record):
    """What the code needs, whatever its header says. `by_target`: the lowest .version on each."""

    isa: str | None
    targets: tuple[str, ...]
    target: str | None
    by_target: dict[str, str]


@dataclass(frozen=True)
class Mismatch(Diagnostic):
    """What does not fit, or is not recommended: of its first place, with the lines of all."""

    count: int
    lines: tuple[int, ...]


@dataclass(frozen=True)
class Declared(Record):
    """Whether the code fits its own header."""

    isa: str | None
    target: str | None
    ok: bool
    explanations: tuple[str, ...]
    problems: tuple[Mismatch, ...]
    advice: tuple[Mismatch, ...]


@dataclass(frozen=True)
class Against(Declared):
    """Whether it fits what was asked."""

    cuda: str | None
    driver: str | None
    devices: tuple[str, ...]
    remarks: tuple[str, ...]


@dataclass(frozen=True)
class Reason(Record):
    """One need of the code. `decides`: no other need covers it."""

    line: int
    column: int
    feature: str
    isa: str | None
    target: str | None
    targets: tuple[str, ...] | None
    rule: str
    note: str | None
    decides: bool
    count: int
    lines: tuple[int, ...]


@dataclass(frozen=True)
class LoadsOn(Record):
    """The first CUDA release and drivers that take the module's .version."""

    driver: str | None
    driver_windows: str | None
    cuda: str | None


@dataclass(frozen=True)
class Check(Record):
    """The answer of check()."""

    schema: str
    file: str
    module: Header
    requires: Requires
    declared: Declared
    reasons: tuple[Reason, ...]
    features: tuple[str, ...]
    loads_on: tuple[LoadsOn, ...]
    against: Against | None
    complete: bool
    unknown: tuple[Diagnostic, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def ok(self) -> bool:
        """It fits what was asked (or its own header), all of it is known, and the text has no errors."""
        fits = self.declared.ok if self.against is None else self.against.ok
        return fits and self.complete and not any(one.level == "error" for one in self.diagnostics)


# ── diff ──


@dataclass(frozen=True)
class ComparedFile(Record):
    """One side of a comparison."""

    file: str
    module: Header


@dataclass(frozen=True)
class HeaderChange(Record):
    """A field of the header that differs."""

    field: str
    a: str | None
    b: str | None


@dataclass(frozen=True)
class DeclarationSide(Record):
    """A statement outside functions."""

    name: str | None
    line: int
    text: str


@dataclass(frozen=True)
class DeclarationDiff(Record):
    """What stands outside functions and is not the same."""

    status: str
    effect: str
    a: DeclarationSide | None
    b: DeclarationSide | None


@dataclass(frozen=True)
class EditSide(Record):
    """One side of an edit; `text` None: a stretch up to `last_line` that was not compared statement by statement."""

    line: int
    text: str | None
    column: int | None = None
    last_line: int | None = None
    instructions: int | None = None


@dataclass(frozen=True)
class Edit(Record):
    """One difference. `effect` other than "changes" says why it changes nothing."""

    op: str
    part: str
    effect: str
    a: EditSide | None
    b: EditSide | None
    opcode_differs: bool | None = None
    guard_differs: bool | None = None
    operands_differ: tuple[int, ...] | None = None
    continues_elsewhere: bool | None = None


@dataclass(frozen=True)
class Move(Record):
    """Statements that stand at another place: first and last line."""

    a: tuple[int, ...]
    b: tuple[int, ...]
    instructions: int


@dataclass(frozen=True)
class FunctionPlace(Record):
    """A function of one side."""

    name: str
    line: int


@dataclass(frozen=True)
class FunctionDiff(Record):
    """A function of either side. `registers`, `blocks` and `locals` hold the names that differ, A's first."""

    name: str
    demangled: str | None
    kind: str
    status: str
    same_code: bool
    matched_by: str | None
    a: FunctionPlace | None
    b: FunctionPlace | None
    too_different: bool
    respelled: int
    edits: tuple[Edit, ...]
    moves: tuple[Move, ...]
    registers: dict[str, str | tuple[str, ...]]
    blocks: dict[str, str | tuple[str, ...]]
    locals: dict[str, str | tuple[str, ...]]
    counts: dict[str, tuple[int | None, ...]]


@dataclass(frozen=True)
class Diff(Record):
    """The answer of diff(). `same_code`: nothing but header, names, comments and debug lines differs."""

    schema: str
    a: ComparedFile
    b: ComparedFile
    verdict: str
    identical: bool
    same_code: bool
    functions_reordered: bool
    header: tuple[HeaderChange, ...]
    declarations: tuple[DeclarationDiff, ...]
    counts: dict[str, tuple[int, ...]]
    opcodes: dict[str, tuple[int, ...]]
    functions: tuple[FunctionDiff, ...]


# ── cfg ──


@dataclass(frozen=True)
class FlowBlock(Record):
    """A basic block: its lines, how many instructions, what dominates it, how it ends."""

    id: int
    label: str | None
    first_line: int
    last_line: int
    instructions: int
    immediate_dominator: int | None
    immediate_post_dominator: int | None
    loop_depth: int
    loop: int | None
    ends_in: str
    conditional_end: bool
    falls_off_end: bool
    reachable: bool
    live_in: int | None = None
    max_live: int | None = None
    live_in_predicates: int | None = None
    max_live_predicates: int | None = None
    pressure: tuple[Pressure, ...] | None = None


@dataclass(frozen=True)
class FlowEdge(Record):
    """An edge between blocks. `predicate` must hold for it to be taken; None: unconditional."""

    from_: int
    to: int
    kind: str
    predicate: str | None
    line: int | None
    setp_line: int | None
    back: bool
    cases: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Loop(Record):
    """A natural loop: its header's id, the index of the loop around it, its blocks."""

    header: int
    parent: int | None
    depth: int
    blocks: tuple[int, ...]


@dataclass(frozen=True)
class FunctionFlow(Record):
    """Control flow of a function."""

    name: str
    demangled: str | None
    kind: str
    line: int
    complete: bool
    incomplete_reasons: tuple[str, ...]
    blocks: tuple[FlowBlock, ...]
    edges: tuple[FlowEdge, ...]
    loops: tuple[Loop, ...]
    irreducible_headers: tuple[int, ...]
    max_live: int | None = None
    max_live_predicates: int | None = None
    max_live_line: int | None = None


@dataclass(frozen=True)
class Cfg(Record):
    """The answer of cfg()."""

    schema: str
    file: str
    module: Header
    functions: tuple[FunctionFlow, ...]
    diagnostics: tuple[Diagnostic, ...]


# ── retarget, instrument ──


@dataclass(frozen=True)
class TextChange(Record):
    """A change of the text."""

    kind: str
    line: int
    column: int
    end_column: int
    from_: str
    to: str


@dataclass(frozen=True)
class Retarget(Record):
    """What retarget() changed, or why the code does not fit."""

    schema: str
    file: str
    module: Header
    ok: bool
    isa: str | None
    target: str | None
    changes: tuple[TextChange, ...]
    problems: tuple[Diagnostic, ...]
    rewrite_would_help: bool
    output: str | None


@dataclass(frozen=True)
class SiteTrap(Record):
    """Which trap of explain_traps() a site is."""

    kernel: str
    trap: int
    check: str


@dataclass(frozen=True)
class SiteWay(Record):
    """An edge into a site."""

    branch_line: int | None
    condition: str


@dataclass(frozen=True)
class SiteValue(Record):
    """What a site records."""

    slot: int
    bits: int
    type: str | None
    text: str


@dataclass(frozen=True)
class Site(Record):
    """A place that records what happened in front of a trap."""

    site: int
    function: str
    line: int
    column: int
    kind: str
    callee: str | None
    traps: tuple[SiteTrap, ...]
    ways: tuple[SiteWay, ...]
    values: tuple[SiteValue, ...]
    parameters: bool
    notes: tuple[str, ...]


@dataclass(frozen=True)
class LeftAlone(Record):
    """What was left as it was, and why."""

    function: str | None
    line: int | None
    reason: str


@dataclass(frozen=True)
class InsertedText(Record):
    """Bytes of the module's text that were replaced, and by how many."""

    begin: int
    end: int
    bytes: int
    site: int


@dataclass(frozen=True)
class Instrument(Record):
    """What instrument() put into a module."""

    schema: str
    file: str
    module: Header
    changed: bool
    record: str | None
    claim: str | None
    tag: int
    sites: tuple[Site, ...]
    left_alone: tuple[LeftAlone, ...]
    edits: tuple[InsertedText, ...]
    output: str | None
