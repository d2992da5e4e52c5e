#!/usr/bin/env python3
"""Modules made to break readers: more of one thing than any compiler writes.

    tests/adversarial/make.py --list
    tests/adversarial/make.py CASE [-n COUNT] [-o FILE]
    tests/adversarial/make.py --all FOLDER [--part N]

A case has a count of its own, for a file of a few dozen MB at the most; --part takes that count divided by N. The text
goes to standard output without -o.
"""
import argparse
import os
import sys

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
START = HEAD + ".visible .entry k(.param .u64 a, .param .u64 a_len, .param .u32 n)\n{\n"
REGISTERS = ".reg .pred %p<9>;\n.reg .b32 %r<99>;\n.reg .b64 %rd<99>;\n"
BODY = START + REGISTERS
END = "ret;\n}\n"

CASES = {}  # name: (what makes it, its count)


def case(count):
    def add(function):
        CASES[function.__name__.removeprefix("make_")] = (function, count)
        return function
    return add


# Labels, scopes, lines.

@case(1_000_000)
def make_labels(n):
    """Labels that nobody jumps to."""
    yield BODY
    yield from (f"L{i}:\n" for i in range(n))
    yield END


@case(1_000_000)
def make_labels_used(n):
    """As many blocks, each left by a branch to a far one."""
    yield BODY
    yield from (f"L{i}: @%p{i % 9} bra L{i * 7919 % n};\n" for i in range(n))
    yield END


@case(100_000)
def make_braces(n):
    yield BODY
    yield "{\n" * n + "add.s32 %r1, %r1, 1;\n" + "}\n" * n
    yield END


@case(100_000)
def make_braces_open(n):
    """None of them closed."""
    yield BODY
    yield "{ .reg .b32 x;\n" * n


@case(100_000)
def make_braces_with_registers(n):
    """A register of the same name in each scope."""
    yield BODY
    yield from ("{ .reg .b32 x; mov.u32 x, %r1;\n" for _ in range(n))
    yield "}" * n + "\n"
    yield END


@case(5_000_000)
def make_line_of_one_statement(n):
    yield BODY + "add.s32 "
    yield from ("%r1, " for _ in range(2 * n))
    yield "%r1;\n" + END


@case(2_000_000)
def make_line_of_statements(n):
    """The whole body on one line."""
    yield BODY
    yield from ("add.s32 %r1, %r2, %r3; " for _ in range(n))
    yield END


@case(2_000_000)
def make_line_of_wrong_statements(n):
    """The same, and each is an error."""
    yield BODY
    yield from ("add.s32 %r1 %r2, %q3; " for _ in range(n // 20))
    yield END


@case(50_000_000)
def make_line_of_comment(n):
    yield BODY + "// " + "x" * n + "\n" + END


@case(50_000_000)
def make_comment_open(n):
    yield BODY + "/*" + "x" * n


@case(50_000_000)
def make_line_of_string(n):
    yield HEAD + '.file 1 "' + "x" * n + '"\n' + BODY[len(HEAD):] + ".loc 1 1 1\n" + END


@case(10_000_000)
def make_line_of_list(n):
    yield HEAD + f".global .align 4 .u32 table[{n}] = {{"
    yield from (f"{i % 900}, " for i in range(n - 1))
    yield "0};\n" + BODY[len(HEAD):] + END


@case(50_000_000)
def make_line_of_blanks(n):
    yield BODY + " " * n + "\n" + END


@case(50_000_000)
def make_line_of_one_name(n):
    yield BODY + "mov.u32 %r1, " + "x" * n + ";\n" + END


@case(4_000_000)
def make_lines_empty(n):
    yield BODY + "\n" * n * 10 + END


@case(30_000_000)
def make_function_name(n):
    """A name of 30 MB, called often."""
    name = "f" * n
    yield HEAD + f".func {name}\n{{\nret;\n}}\n.entry k()\n{{\ncall {name};\ntrap;\nret;\n}}\n"


# Branches and graphs.

@case(100_000)
def make_brx(n):
    yield BODY + "T: .branchtargets\n"
    yield ",\n".join(f"L{i}" for i in range(n)) + ";\nbrx.idx %r1, T;\n"
    yield from (f"L{i}: add.s32 %r1, %r1, {i};\n" for i in range(n))
    yield END


@case(100_000)
def make_brx_one_target(n):
    """One label named 100,000 times."""
    yield BODY + "T: .branchtargets\n" + ",\n".join(["L"] * n) + ";\nbrx.idx %r1, T;\nL:\n" + END


@case(3_000)
def make_brx_square(n):
    """Every block may go to every other by a list of its own."""
    yield BODY
    targets = ",".join(f"L{i}" for i in range(n))
    yield f"T: .branchtargets {targets};\n"
    yield from (f"L{i}: add.s32 %r1, %r1, {i};\nbrx.idx %r1, T;\n" for i in range(n))
    yield END


@case(1_000_000)
def make_blocks(n):
    """A function of a million blocks in a row."""
    yield BODY
    yield from (f"@%p1 bra L{i};\nadd.s32 %r1, %r1, 1;\nL{i}:\n" for i in range(n // 2))
    yield END


@case(200_000)
def make_ladder(n):
    """Two rails with rungs both ways: each round of a simple dominator search mends one block only."""
    yield BODY
    for i in range(n):
        yield f"A{i}: @%p{i % 9} bra B{i};\nbra A{i + 1};\nB{i}: @%p{i % 8} bra A{i};\nbra B{i + 1};\n"
    yield f"A{n}:\nB{n}:\n" + END


@case(200_000)
def make_irreducible(n):
    """Back edges into the middle of everything."""
    yield BODY + "@%p1 bra M0;\n"
    for i in range(n):
        yield f"L{i}: add.s32 %r1, %r1, 1;\nM{i}: @%p{i % 9} bra L{max(0, i - 1)};\n@%p{(i + 1) % 9} bra M{min(n - 1, i + 2)};\n"
    yield END


@case(200_000)
def make_reverse_chain(n):
    """Each block jumps to the one written before it."""
    yield BODY + f"bra L{n - 1};\nL0: ret;\n"
    yield from (f"L{i}: @%p1 bra L{i - 1};\nbra L{i // 2};\n" for i in range(1, n))
    yield END


@case(10_000)
def make_loops(n):
    """Loops in loops."""
    yield BODY
    yield from (f"L{i}: add.s32 %r{i % 90}, %r{i % 90}, 1;\n" for i in range(n))
    yield from (f"setp.lt.u32 %p{i % 9}, %r{i % 90}, 10;\n@%p{i % 9} bra L{n - 1 - i};\n" for i in range(n))
    yield END


@case(5_000)
def make_loops_around_traps(n):
    """Loops in loops with a guarded trap in each."""
    yield BODY
    yield from (f"L{i}: add.s32 %r{i % 90}, %r{i % 90}, 1;\nsetp.gt.u32 %p1, %r{i % 90}, {i};\n@%p1 trap;\n"
                for i in range(n))
    yield from (f"setp.lt.u32 %p{i % 9}, %r{i % 90}, 10;\n@%p{i % 9} bra L{n - 1 - i};\n" for i in range(n))
    yield END


# Registers, values.

@case(1_000_000)
def make_registers_range(n):
    yield START + f".reg .b32 %r<{n}>;\n"
    yield from (f"add.s32 %r{i}, %r{i - 1}, 1;\n" for i in range(1, n))
    yield END


@case(1_000_000)
def make_registers_named(n):
    yield START
    yield from (f".reg .b32 r{i};\n" for i in range(n))
    yield from (f"mov.u32 r{i}, {i};\n" for i in range(0, n, 100))
    yield END


@case(1_000_000)
def make_registers_unused(n):
    yield START + f".reg .b32 %r<{n}>;\nmov.u32 %r7, %r{n - 1};\n" + END


@case(200_000)
def make_registers_live(n):
    """All of them live at once."""
    yield START + f".reg .b32 %r<{n}>;\n"
    yield from (f"ld.param.u32 %r{i}, [n];\n" for i in range(n))
    yield from (f"add.s32 %r0, %r0, %r{i};\n" for i in range(1, n))
    yield END


@case(3_000)
def make_registers_live_over_blocks(n):
    """All of them live through as many blocks."""
    yield START + f".reg .pred %p<2>;\n.reg .b32 %r<{n}>;\n"
    yield from (f"ld.param.u32 %r{i}, [n];\n" for i in range(n))
    yield from (f"@%p1 bra L{i};\nxor.b32 %r{i}, %r{i}, 1;\nL{i}:\n" for i in range(n))
    yield from (f"add.s32 %r0, %r0, %r{i};\n" for i in range(1, n))
    yield END


@case(300_000)
def make_expression(n):
    """A value that is a chain of operations, behind a trap."""
    yield BODY + "ld.param.u32 %r1, [n];\n"
    yield from (f"xor.b32 %r2, %r1, {i};\nadd.s32 %r1, %r2, %r1;\n" for i in range(n))
    yield "setp.gt.u32 %p1, %r1, 7;\n@%p1 trap;\n" + END


@case(100_000)
def make_expression_tree(n):
    """Joins upon joins: each value is one of two."""
    yield BODY + "ld.param.u32 %r1, [n];\nsetp.gt.u32 %p1, %r1, 5;\n"
    yield from (f"@%p1 bra L{i};\nadd.s32 %r1, %r1, %r1;\nL{i}: setp.ne.u32 %p1, %r1, {i};\n" for i in range(n))
    yield "@%p1 trap;\n" + END


@case(300_000)
def make_predicates(n):
    """A predicate of a predicate of a predicate."""
    yield BODY + "ld.param.u32 %r1, [n];\nsetp.gt.u32 %p1, %r1, 5;\n"
    yield from (f"setp.lt.and.u32 %p{2 - i % 2}, %r1, {i + 9}, %p{i % 2 + 1};\n" for i in range(n))
    yield "@%p1 trap;\n@%p2 trap;\n" + END


@case(200_000)
def make_spills(n):
    """Slots of local memory, stored and read back."""
    yield START + REGISTERS + f".local .align 4 .b8 depot[{4 * n}];\nmov.u64 %rd1, depot;\n"
    yield from (f"st.local.u32 [%rd1+{4 * i}], %r{i % 90};\n" for i in range(n))
    yield from (f"ld.local.u32 %r{i % 90}, [%rd1+{4 * (i * 7919 % n)}];\n" for i in range(n))
    yield "setp.gt.u32 %p1, %r1, 7;\n@%p1 trap;\n" + END


@case(100_000)
def make_traps(n):
    yield BODY + "ld.param.u32 %r1, [n];\n"
    yield from (f"setp.gt.u32 %p1, %r1, {i};\n@%p1 trap;\n" for i in range(n))
    yield END


@case(100_000)
def make_ways(n):
    """As many checks that lead to one trap."""
    yield BODY + "ld.param.u32 %r1, [n];\n"
    yield from (f"setp.gt.u32 %p1, %r1, {i};\n@%p1 bra T;\n" for i in range(n))
    yield "ret;\nT: trap;\n}\n"


@case(1_000_000)
def make_stores(n):
    yield BODY + "ld.param.u64 %rd1, [a];\n"
    yield from (f"st.global.u32 [%rd1+{4 * i}], %r{i % 90};\n" for i in range(n))
    yield END


# Functions.

@case(100_000)
def make_ring(n):
    """Functions that call each other in a ring."""
    yield HEAD
    yield from (f".func f{i};\n" for i in range(n))
    yield from (f".func f{i}\n{{\ncall f{(i + 1) % n};\nret;\n}}\n" for i in range(n))
    yield ".entry k()\n{\ncall f0;\ntrap;\nret;\n}\n"


@case(100_000)
def make_call_chain(n):
    """A trap behind as many calls."""
    yield HEAD + ".func f0\n{\ntrap;\n}\n"
    yield from (f".func f{i}\n{{\ncall f{i - 1};\nret;\n}}\n" for i in range(1, n))
    yield f".entry k()\n{{\ncall f{n - 1};\nret;\n}}\n"


@case(2_000)
def make_call_fans(n):
    """Each function calls the next one twice: paths without number."""
    yield HEAD + ".func f0(.param .u32 x)\n{\n.reg .b32 %r<2>;\n.reg .pred %p<2>;\nld.param.u32 %r1, [x];\n"
    yield "setp.gt.u32 %p1, %r1, 7;\n@%p1 trap;\nret;\n}\n"
    for i in range(1, n):
        yield f".func f{i}(.param .u32 x)\n{{\n.reg .b32 %r<2>;\nld.param.u32 %r1, [x];\n"
        for step in (1, 2):
            yield f"{{\n.param .u32 o;\nadd.s32 %r1, %r1, {step};\nst.param.u32 [o], %r1;\ncall f{i - 1}, (o);\n}}\n"
        yield "ret;\n}\n"
    yield f".entry k(.param .u32 n)\n{{\n.reg .b32 %r<2>;\n{{\n.param .u32 o;\nld.param.u32 %r1, [n];\nst.param.u32 [o], %r1;\n"
    yield f"call f{n - 1}, (o);\n}}\nret;\n}}\n"


@case(50_000)
def make_callers(n):
    """Kernels that call one function, which traps."""
    yield HEAD + ".func f(.param .u32 x)\n{\n.reg .b32 %r<2>;\n.reg .pred %p<2>;\nld.param.u32 %r1, [x];\n"
    yield "setp.gt.u32 %p1, %r1, 7;\n@%p1 trap;\nret;\n}\n"
    for i in range(n):
        yield f".entry k{i}(.param .u32 n)\n{{\n.reg .b32 %r<2>;\nld.param.u32 %r1, [n];\n{{\n.param .u32 o;\n"
        yield "st.param.u32 [o], %r1;\ncall f, (o);\n}\nret;\n}\n"


@case(200_000)
def make_functions(n):
    """Kernels of one instruction."""
    yield HEAD
    yield from (f".entry k{i}()\n{{\nret;\n}}\n" for i in range(n))


@case(200_000)
def make_functions_same_name(n):
    yield HEAD
    yield from (".entry k()\n{\nret;\n}\n" for i in range(n))


@case(100_000)
def make_parameters(n):
    yield HEAD + ".entry k(\n" + ",\n".join(f".param .u32 p{i}" for i in range(n)) + ")\n{\n" + REGISTERS
    yield from (f"ld.param.u32 %r{i % 90}, [p{i}];\n" for i in range(0, n, 10))
    yield "setp.gt.u32 %p1, %r1, 7;\n@%p1 trap;\n" + END


@case(20_000)
def make_arguments(n):
    """A call with 20,000 arguments."""
    yield HEAD + ".extern .func f(" + ", ".join(f".param .u32 p{i}" for i in range(n)) + ");\n"
    yield BODY[len(HEAD):] + "{\n"
    yield from (f".param .u32 a{i};\nst.param.u32 [a{i}], %r1;\n" for i in range(n))
    yield "call f, (" + ", ".join(f"a{i}" for i in range(n)) + ");\n}\n" + END


@case(100_000)
def make_alias_cycle(n):
    """Names that stand for each other in a ring."""
    yield HEAD + ".func f\n{\nret;\n}\n"
    yield from (f".func a{i};\n.alias a{i}, a{(i + 1) % n};\n" for i in range(n))
    yield ".entry k()\n{\ncall a0;\nret;\n}\n"


@case(100_000)
def make_alias_chain(n):
    yield HEAD + ".func a0\n{\ntrap;\n}\n"
    yield from (f".func a{i};\n.alias a{i}, a{i - 1};\n" for i in range(1, n))
    yield f".entry k()\n{{\ncall a{n - 1};\nret;\n}}\n"


# Lists, numbers, constants.

@case(2_000_000)
def make_vector(n):
    yield BODY + "mov.b64 %rd1, {" + "%r1, " * n + "%r1};\n" + END


@case(1_000_000)
def make_parentheses(n):
    yield HEAD + ".global .u32 x = " + "(" * n + "1" + ")" * n + ";\n" + BODY[len(HEAD):] + END


@case(1_000_000)
def make_operators(n):
    yield HEAD + ".global .u32 x = " + "1+" * n + "1;\n" + BODY[len(HEAD):] + END


@case(50_000)
def make_expressions_nested(n):
    """As many initialisers as deep as one may be."""
    deep = "(" * 60 + "1" + "+1)" * 60
    yield HEAD
    yield from (f".global .u32 x{i} = {deep};\n" for i in range(n // 5))
    yield BODY[len(HEAD):] + END


@case(1_000_000)
def make_list_nested(n):
    yield HEAD + ".global .u32 x[1] = " + "{" * n + "1" + "}" * n + ";\n" + BODY[len(HEAD):] + END


@case(200_000)
def make_numbers(n):
    """At the edges of 64 bits and beyond."""
    edges = [2**63 - 1, 2**63, -2**63, 2**64 - 1, 2**64, 10**40, 0]
    yield BODY
    for i in range(n):
        edge = edges[i % len(edges)]
        yield f"mov.u64 %rd{i % 90}, {edge};\nld.global.u32 %r1, [%rd1+{edge}];\nadd.s64 %rd1, %rd1, {edge};\n"
    yield "setp.gt.s64 %p1, %rd1, 9223372036854775807;\n@%p1 trap;\n" + END


@case(1_000)
def make_numbers_of_registers(n):
    """Ranges of registers, arrays, alignments as large as can be written."""
    yield HEAD
    yield from (f".global .align 9223372036854775808 .b8 x{i}[18446744073709551615];\n" for i in range(n))
    yield START[len(HEAD):]
    yield from (f".reg .b32 %r{chr(97 + i % 26)}{i}_<4294967295>;\n" for i in range(n))
    yield from (f".local .b8 l{i}[18446744073709551615][9223372036854775807];\n" for i in range(n))
    yield END


@case(200_000)
def make_variables(n):
    yield HEAD
    yield from (f".global .align 4 .u32 x{i} = {i};\n.shared .align 4 .b8 s{i}[16];\n" for i in range(n))
    yield BODY[len(HEAD):] + "mov.u64 %rd1, x7;\n" + END


@case(1_000_000)
def make_variables_list(n):
    """One statement, as many variables."""
    yield HEAD + ".global .u32 " + ", ".join(f"x{i}" for i in range(n)) + ";\n" + BODY[len(HEAD):] + END


# Debug information and directives.

@case(1_000_000)
def make_locs(n):
    yield HEAD + '.file 1 "a.cu"\n' + BODY[len(HEAD):]
    yield from (f".loc 1 {i} {i % 80}\n" for i in range(n))
    yield "trap;\n" + END


@case(300_000)
def make_locs_inlined(n):
    """Each inlined at the one before it."""
    yield HEAD + '.file 1 "a.cu"\n' + BODY[len(HEAD):] + "L0: .loc 1 1 1\n"
    yield from (f".loc 1 {i} 1, function_name F, inlined_at 1 {i - 1} 1\nadd.s32 %r1, %r1, 1;\n" for i in range(1, n))
    yield "trap;\n" + END + ".section .debug_str\n{\nF:\n.b8 102, 0\n}\n"


@case(100_000)
def make_files(n):
    yield HEAD
    yield from (f'.file {i} "a{i}.cu", 1, 2\n' for i in range(1, n))
    yield BODY[len(HEAD):]
    yield from (f".loc {i} 1 1\nadd.s32 %r1, %r1, 1;\n" for i in range(1, n))
    yield "trap;\n" + END


@case(10_000_000)
def make_dwarf(n):
    """A section of 10 million bytes that stand for nothing."""
    yield BODY + "trap;\n" + END + ".section .debug_info\n{\n"
    yield from (".b8 " + ",".join(str((i * 7 + j) % 256) for j in range(20)) + "\n" for i in range(n // 20))
    yield "}\n.section .debug_abbrev\n{\n"
    yield from (".b8 " + ",".join(str((i * 5 + j) % 128) for j in range(20)) + "\n" for i in range(n // 100))
    yield "}\n"


@case(1_000_000)
def make_dwarf_labels(n):
    """A section made of labels and their differences."""
    yield BODY + "trap;\n" + END + ".section .debug_loc\n{\n"
    yield from (f"D{i}:\n.b64 D{i}-D{i // 2}\n" for i in range(n))
    yield "}\n"


@case(100_000)
def make_sections(n):
    yield BODY + END
    yield from (f".section .debug_x{i}\n{{\n.b8 1,2,3\nS{i}:\n.b32 S{i}\n}}\n" for i in range(n))


@case(100_000)
def make_pragmas(n):
    yield HEAD
    yield BODY[len(HEAD):]
    yield from (f'.pragma "nounroll";\n.pragma "unknown{i}";\n' for i in range(n))
    yield END


@case(200_000)
def make_strings(n):
    yield HEAD
    yield from (f".global .align 1 .b8 s{i}[12] = {{97, 115, 115, 101, 114, 116, 10, 0}};\n" for i in range(n))
    yield BODY[len(HEAD):] + "trap;\n" + END


# Everything wrong.

@case(300_000)
def make_errors(n):
    """An error in each line."""
    yield BODY
    yield from (f"add.s32 %r1, %r1 {i};\n" for i in range(n))
    yield END


@case(300_000)
def make_unknown(n):
    """Opcodes, registers and labels that do not exist."""
    yield BODY
    yield from (f"frobnicate{i}.s32 %q{i}, %r1;\n@%z{i} bra N{i};\n" for i in range(n))
    yield END


@case(20_000)
def make_shapes(n):
    """Statements no two of which are alike in form."""
    yield BODY
    for i in range(1, n):
        yield "x " + "".join("a," if i >> bit & 1 else "1," for bit in range(i.bit_length())) + "1;\n"
    yield END


@case(300_000)
def make_unsupported(n):
    """Instructions that the target does not have."""
    yield BODY
    yield from ("wgmma.fence.sync.aligned;\ntcgen05.wait::ld.sync.aligned;\n" for _ in range(n))
    yield END


@case(50_000_000)
def make_bytes(n):
    """Not PTX at all, but no byte that a text may not hold."""
    yield from ("".join(chr(33 + (i * 31 + j * j) % 94) for j in range(100)) + "\n" for i in range(n // 500))


def write(name, count, path):
    with open(path, "w", encoding="latin-1", newline="\n") if path else sys.stdout as file:
        for piece in CASES[name][0](count):
            file.write(piece)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("case", nargs="?", choices=CASES, metavar="CASE")
    arguments.add_argument("-n", type=int, help="how many (default: the count of the case)")
    arguments.add_argument("-o", metavar="FILE")
    arguments.add_argument("--all", metavar="FOLDER", help="all cases, each a file")
    arguments.add_argument("--part", type=int, default=1, help="the count of the case divided by this")
    arguments.add_argument("--list", action="store_true")
    options = arguments.parse_args()
    if options.list:
        for name, (function, count) in CASES.items():
            print(f"{name:32} {count:>12,}  {(function.__doc__ or '').strip()}")
    elif options.all:
        os.makedirs(options.all, exist_ok=True)
        for name, (_, count) in CASES.items():
            write(name, max(count // options.part, 10), os.path.join(options.all, name + ".ptx"))
    elif options.case:
        write(options.case, options.n or max(CASES[options.case][1] // options.part, 10), options.o)
    else:
        arguments.error("name a case, or --list, or --all FOLDER")


if __name__ == "__main__":
    main()
