#!/usr/bin/env python3
"""Does time grow with the text, and no faster? CPU seconds of every command on texts of 1, 2, 4 … MB.

    bench/scaling.py --build BUILD [FILE.ptx] [--most MB] [--command WORD]... [--rounds N] [--no-function]

The texts are the beginnings of FILE (real output of a compiler, cut behind a function), and one function as large, made up:
blocks, loops, guarded traps, loads and stores. Doubling a text may take 2.2 times as long, from 2 MB and 0.1 s on; more
makes the exit status 1.
"""
import argparse
import os
import sys
import tempfile

from limits import COMMANDS, run, write_changed

MOST_RATIO = 2.2
LEFT_OUT = ("svg",)  # Graphviz, which has limits of its own


def one_function(size):
    """Its text, at least `size` bytes."""
    yield (".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 a_len, .param .u32 n)\n"
           "{\n.reg .pred %p<9>;\n.reg .b32 %r<99>;\n.reg .b64 %rd<99>;\nld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [a_len];\n"
           "ld.param.u32 %r1, [n];\nmov.u32 %r2, %tid.x;\n")
    written, i = 0, 0
    while written < size:
        a, b, c = 3 + i % 90, 3 + i * 7 % 90, 3 + i * 13 % 90
        text = (f"L{i}:\nadd.s32 %r{a}, %r{b}, {i};\nmul.wide.u32 %rd{a}, %r{a}, 4;\nadd.s64 %rd{b}, %rd1, %rd{a};\n"
                f"ld.global.u32 %r{c}, [%rd{b}];\nsetp.ge.u32 %p1, %r{c}, %r1;\n@%p1 bra E{i};\n"
                f"st.global.u32 [%rd{b}+4], %r{c};\nsetp.lt.u32 %p2, %r{a}, 9;\n@%p2 bra L{i};\nE{i}:\n")
        if i % 50 == 0:
            text += f"cvt.u64.u32 %rd3, %r{c};\nsetp.ge.u64 %p3, %rd3, %rd2;\n@%p3 trap;\n"
        written += len(text)
        i += 1
        yield text
    yield "ret;\n}\n"


def write(path, pieces):
    """By another process: what this one holds would count as the memory of those it starts."""
    child = os.fork()
    if child == 0:
        with open(path, "w", encoding="latin-1", newline="") as file:
            file.writelines(pieces())
        os._exit(0)
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0:
        sys.exit("no place for the files")


def beginning(path, size):
    with open(path, encoding="latin-1", newline="") as file:
        text = file.read(size)
    return text[: text.rindex("\n}\n") + 3]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("file", nargs="?")
    arguments.add_argument("--build", default="build/release", help="the build folder")
    arguments.add_argument("--most", type=int, default=64, help="MB of the largest text (default: 64)")
    arguments.add_argument("--command", action="append", default=[], help="only those with this word in them")
    arguments.add_argument("--rounds", type=int, default=1, help="the least of so many runs")
    arguments.add_argument("--no-function", action="store_true", help="only the beginnings of FILE")
    options = arguments.parse_args()
    program = os.path.abspath(os.path.join(options.build, "ptxscope"))
    commands = [line for line in COMMANDS
                if all(word in line for word in options.command) and not any(word in line for word in LEFT_OUT)]
    sizes = [1 << i for i in range(options.most.bit_length())]
    slow = 0
    shapes = [] if options.no_function else [("one function", one_function)]
    if options.file:
        sizes_of_file = os.path.getsize(options.file)
        shapes.insert(0, (os.path.basename(options.file), lambda size: [beginning(options.file, size)]))
    for shape, text in shapes:
        largest = sizes_of_file if options.file and shape != "one function" else options.most * 1_000_000
        here = [size for size in sizes if size * 1_000_000 <= largest]
        print(f"| {shape}: | " + " | ".join(f"{size} MB" for size in here) + " | worst doubling |")
        print("|---|" + "---|" * (len(here) + 1))
        with tempfile.TemporaryDirectory() as folder:
            times = {line: [] for line in commands}
            for size in here:
                words = {word: os.path.join(folder, word + ".ptx") for word in ("FILE", "OTHER")}
                write(words["FILE"], lambda: text(size * 1_000_000))
                child = os.fork()
                if child == 0:
                    write_changed(words["FILE"], words["OTHER"])
                    os._exit(0)
                os.waitpid(child, 0)
                for line in commands:
                    # A command that takes far too long is not asked for more.
                    if times[line] and (times[line][-1] is None or times[line][-1] > 100):
                        times[line].append(None)
                        continue
                    command = [program] + [words.get(word, word) for word in line.split()]
                    results = [run(command) for _ in range(options.rounds)]
                    status = results[0][0]
                    times[line].append(min(result[1] for result in results) if status in (0, 1, 2) else None)
            for line, seconds in times.items():
                ratios = [b / a for a, b in zip(seconds[1:], seconds[2:]) if a and b and a > 0.1]
                worst = max(ratios, default=0)
                slow += worst > MOST_RATIO or None in seconds
                print(f"| `{line.removesuffix(' FILE')}` | " +
                      " | ".join("-" if one is None else f"{one:.2f}" for one in seconds) +
                      f" | {worst:.2f} |", flush=True)
        print()
    sys.exit(1 if slow else 0)


if __name__ == "__main__":
    main()
