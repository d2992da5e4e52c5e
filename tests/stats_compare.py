#!/usr/bin/env python3
"""Compares the counts of `ptxscope stats` with a counter of its own that knows nothing but text.

    stats_compare.py --ptxscope PATH [FILE...]

Without files: the samples, and what ptxas accepts of the corpus in $PTXSCOPE_SHARED/corpus when it is there. The counter here takes
comments away, cuts the text at braces and semicolons, and looks at the first words of each statement. It counts per
function: instructions, branches, guarded branches, calls, traps, opcodes, loads and stores by state space, and
declared registers. Exit status 1 when a number differs.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TYPES = {kind + bits: "b" + bits for kind in "busf" for bits in ("8", "16", "32", "64", "128")}
TYPES |= {"pred": "pred", "f16x2": "b32", "bf16": "b16", "bf16x2": "b32", "texref": "other", "samplerref": "other",
          "surfref": "other"}


def without_comments(text):
    # A string may hold what looks like a comment; its contents are of no interest here.
    pattern = re.compile(r'"[^"\n]*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
    return pattern.sub(lambda match: '""' if match[0].startswith('"') else " ", text)


def bodies(text):
    """Name, parameters and body of each function that has one."""
    header = re.compile(r"\.(entry|func)\b")
    at = 0
    while True:
        match = header.search(text, at)
        if match is None:
            return
        # The header ends at the first { or ; outside parentheses.
        depth, end = 0, match.end()
        while end < len(text) and not (depth == 0 and text[end] in "{;"):
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        if end == len(text):
            return
        # Old prototypes end without a semicolon, before the next function.
        following = header.search(text, match.end(), end)
        if text[end] == ";" or following:
            at = following.start() if following else end
            continue
        words = re.sub(r"^\s*\([^)]*\)", "", text[match.end():end])
        name = re.match(r"\s*([A-Za-z_$%][\w$]*)", words)
        depth, close = 1, end + 1
        while close < len(text) and depth:
            depth += {"{": 1, "}": -1}.get(text[close], 0)
            close += 1
        yield (name[1] if name else "?"), text[match.end():end], text[end + 1:close - 1]
        at = close


def statements(body):
    """Cut at ; and at braces that open or close a scope; braces of vectors stay."""
    current = ""
    nested = 0
    for piece in re.split(r"([;{}])", body):
        if piece == "{":
            # A scope opens where a statement could begin (perhaps behind labels).
            rest = re.sub(r"[\w$%.]+\s*:(?!:)", "", current).strip()
            if rest == "" and nested == 0:
                current = ""
            else:
                nested += 1
                current += piece
        elif piece == "}":
            if nested:
                nested -= 1
                current += piece
            else:
                current = ""
        elif piece == ";":
            if current.strip():
                yield current.strip()
            current = ""
            nested = 0
        else:
            current += piece


LABEL = re.compile(r"^\s*[A-Za-z_$%][\w$]*\s*:(?!:)\s*")
LINE_DIRECTIVE = re.compile(r"^\s*\.(?:loc|file)\b[^\n]*\n?|^\s*\.section\b[^\n]*\n?|^\s*@@[^\n]*\n?|^\s*#[^\n]*\n?")
GUARD = re.compile(r"^@\s*!?\s*[\w$%.]+\s*")
OPCODE = re.compile(r"^([a-z][\w]*(?:\s*(?:\.|::)\s*\w+)*)")


def add_registers(declared, words, names):
    """`.reg` with the words before its names."""
    type_words = re.findall(r"\.(\w+)", words)
    type_word = next(word for word in reversed(type_words) if word in TYPES)
    elements = {"v2": 2, "v4": 4}.get(next((word for word in type_words if word in ("v2", "v4")), ""), 1)
    for one in names.split(","):
        many = re.search(r"<\s*(\w+)\s*>", one)
        declared[TYPES[type_word]] += (int(many[1], 0) if many else 1) * elements


def count(header, body):
    found = collections.Counter()
    opcodes = collections.Counter()
    memory = collections.Counter()
    declared = collections.Counter()
    # Parameters may be registers, where there is no ABI.
    for words in re.findall(r"\.reg\s*((?:\.\w+\s*)+)", header):
        add_registers(declared, words, "x")
    # `.loc` and `.file` end with their line, not with a semicolon.
    body = re.sub(r"^[ \t]*\.(?:loc|file)\b[^\n]*$", "", body, flags=re.MULTILINE)
    for statement in statements(body):
        while True:
            shorter = LINE_DIRECTIVE.sub("", LABEL.sub("", statement, count=1), count=1)
            if shorter == statement:
                break
            statement = shorter
        statement = statement.strip()
        register = re.match(r"\.reg\s*((?:\.\w+\s*)+)(.*)$", statement, re.DOTALL)
        if register:
            add_registers(declared, register[1], register[2])
            continue
        guard = GUARD.match(statement)
        if guard:
            statement = statement[guard.end():]
        opcode = OPCODE.match(statement)
        if opcode is None:
            continue  # a directive
        text = re.sub(r"\s+", "", opcode[1])
        words = text.split(".")
        found["instructions"] += 1
        opcodes[text] += 1
        if words[0] in ("bra", "brx"):
            found["branches"] += 1
            found["conditional_branches"] += 1 if guard else 0
        found["calls"] += words[0] == "call"
        found["traps"] += words[0] == "trap"
        if words[0] in ("ld", "st"):
            space = [w for w in words[1:] if w.split("::")[0] in ("global", "local", "shared", "param", "const")]
            if "async" not in words and "bulk" not in words:
                name = space[0] if space else "generic"
                memory[f"{words[0]}.{name if name == 'shared::cluster' else name.split('::')[0]}"] += 1
    return found, opcodes, memory, declared


def compare(path, ptxscope):
    done = subprocess.run([ptxscope, "stats", "--format", "json", str(path)], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, timeout=300)
    if done.returncode not in (0, 1):
        return [f"exit status {done.returncode}"], 0
    functions = json.loads(done.stdout)["functions"]
    text = without_comments(path.read_text(encoding="latin-1"))
    expected = list(bodies(text))
    problems = []
    names = [name for name, _, _ in expected]
    if names != [one["name"] for one in functions]:
        return [f"functions: {[one['name'] for one in functions]}, counted {names}"], 0
    for (name, header, body), one in zip(expected, functions):
        found, opcodes, memory, declared = count(header, body)
        for key in ("instructions", "branches", "conditional_branches", "calls", "traps"):
            if found[key] != one[key]:
                problems.append(f"{name}: {key}: {one[key]}, counted {found[key]}")
        if dict(opcodes) != one["by_opcode"]:
            theirs = collections.Counter(one["by_opcode"])
            problems.append(f"{name}: opcodes: more {theirs - opcodes}, fewer {opcodes - theirs}")
        theirs = {key: number for key, number in one["memory"].items()
                  if re.fullmatch(r"(ld|st)\.(global|local|shared|shared::cluster|param|const|generic)", key)}
        if dict(memory) != theirs:
            problems.append(f"{name}: memory: {theirs}, counted {dict(memory)}")
        theirs = {key: number for key, number in one["registers"]["declared"].items() if number}
        if dict(declared) != theirs:
            problems.append(f"{name}: declared: {theirs}, counted {dict(declared)}")
        if sum(one["by_category"].values()) != one["instructions"]:
            problems.append(f"{name}: categories add up to {sum(one['by_category'].values())}")
    return problems, len(functions)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--ptxscope", required=True)
    arguments.add_argument("files", nargs="*", type=pathlib.Path)
    options = arguments.parse_args()
    files = options.files
    if not files:
        files = sorted((ROOT / "samples").glob("*/*.ptx"))
        corpus = pathlib.Path(os.environ.get("PTXSCOPE_SHARED", ROOT.parent / "shared")) / "corpus"
        if (corpus / "INDEX.tsv").is_file():
            # What ptxas does not read may mean anything.
            rows = [row.split("\t") for row in (corpus / "INDEX.tsv").read_text(encoding="utf-8").splitlines()[1:]]
            files += [corpus / row[0] for row in rows if row[1] == "ok"]
        else:
            print(f"{corpus}: no such folder; only the samples are compared (PTXSCOPE_SHARED says where it is)")
    differing = functions = 0
    for path in files:
        problems, compared = compare(path, options.ptxscope)
        functions += compared
        differing += bool(problems)
        for problem in problems[:5]:
            print(f"{path.name}: {problem}")
    print(f"stats: {functions} functions of {len(files)} files counted twice, {differing} files differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
