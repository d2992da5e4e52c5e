#!/usr/bin/env python3
"""Properties of `ptxscope diff` over the corpus, by rewriting modules as text.

    diff_properties.py --ptxscope PATH [--shared DIR] [--all] [--seed N] [FILE...]

Each module against itself, and against itself with registers renumbered, labels renamed, blocks in another order
with branches mended, functions in another order, comments and .loc lines taken out, and all of that at once: the same
code. With k single edits planted (an opcode, an operand, an immediate, a statement taken out or put in, two registers
swapped), plain, after renumbering and after all of the above at once: exactly k edits in at least 95 of 100 cases, never
fewer.

With blocks in another order only edits that change something are counted, and two kinds of planted edits are left out:
those of statements that no path leads to, which move with nothing, and those that put in, take out or change an unguarded
branch (or what stands behind one), since the reordering itself puts branches in and takes them out. Sets of edits of which
one cuts another off from the start are not used at all.

Without --all a sample of the corpus is taken. Exit status 1 when a property does not hold, 77 without a corpus.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

TOKEN = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|[%$_A-Za-z][\w$%]*|\.?[0-9][\w.]*|::|\s+|.""", re.S)
WORD = re.compile(r"[%$_A-Za-z][\w$%]*\Z")
LARGEST = 3_000_000


def is_blank(token):
    return token.isspace() or token.startswith(("//", "/*"))


class Function:
    """Tokens [start, body) are the header, [body, end) the body without its braces."""

    def __init__(self, start, body, end):
        self.start, self.body, self.end = start, body, end


def functions_of(tokens):
    """Definitions, in order; None when the braces do not match."""
    found, i, n, depth = [], 0, len(tokens), 0
    statement = 0  # where the statement began
    while i < n:
        token = tokens[i]
        if token in ("entry", "func") and i > 0 and tokens[i - 1] == "." and depth == 0:
            start = statement
            while i < n and tokens[i] not in ("{", ";"):
                i += 1
            if i == n:
                return None
            if tokens[i] == ";":
                statement = i + 1
                i += 1
                continue
            body, level = i + 1, 0
            while i < n:
                level += {"{": 1, "}": -1}.get(tokens[i], 0)
                if level == 0:
                    break
                i += 1
            if i == n:
                return None
            found.append(Function(start, body, i))
            statement = i + 1
        elif token in (";", "}"):
            statement = i + 1
        elif token in ("version", "target", "address_size", "file", "loc") and i > 0 and tokens[i - 1] == ".":
            # These end with their line.
            while i < n and "\n" not in tokens[i]:
                i += 1
            statement = i + 1 if i < n and tokens[i].isspace() else i
            continue
        i += 1
    return found


class Statement:
    """Tokens without blanks around; `text` is what is written back. Kinds: label, scope, declaration, instruction, other."""

    def __init__(self, kind, tokens):
        self.kind, self.tokens = kind, tokens
        self.inserted = None  # planted behind it

    def words(self):
        return [t for t in self.tokens if not is_blank(t)]

    def text(self):
        return "".join(self.tokens) + ("\n" + self.inserted.text() if self.inserted else "")

    def opcode(self):
        words = self.words()
        if words[:1] == ["@"]:
            words = words[3:] if words[1] == "!" else words[2:]
        return words[0] if words else ""

    def is_guarded(self):
        return self.tokens[:1] == ["@"]

    def stops(self):
        return self.kind == "instruction" and not self.is_guarded() and self.opcode() in (
            "bra", "brx", "ret", "exit", "trap")


def reachable_in(statements):
    """By statement: whether a path leads there. Indirect branches and scopes with labels: all of them."""
    labels = {s.words()[0]: i for i, s in enumerate(statements) if s.kind == "label"}
    if any(s.opcode() == "brx" or (s.kind == "scope" and ":" in s.words()) for s in statements):
        return [True] * len(statements)
    seen, work = [False] * len(statements), [0]
    while work:
        i = work.pop()
        while i < len(statements) and not seen[i]:
            seen[i] = True
            ends = False
            for one in (statements[i], statements[i].inserted):
                if one is None or ends:
                    continue
                if one.kind == "instruction" and one.opcode() == "bra":
                    work += [labels[w] for w in one.words() if w in labels]
                ends = one.stops()
            if ends:
                break
            i += 1
    return seen


def statements_of(tokens):
    """Of a body. A nested scope is one statement."""
    out, i, n, current = [], 0, len(tokens), []

    def flush(kind):
        nonlocal current
        if current:
            out.append(Statement(kind, current))
        current = []

    while i < n:
        token = tokens[i]
        if is_blank(token):
            if current:
                current.append(token)
            i += 1
            continue
        if not current and token == "{":
            level = 0
            while i < n:
                level += {"{": 1, "}": -1}.get(tokens[i], 0)
                current.append(tokens[i])
                i += 1
                if level == 0:
                    break
            flush("scope")
            continue
        if not current and token == "." and i + 1 < n and tokens[i + 1] == "loc":
            while i < n and "\n" not in tokens[i]:
                current.append(tokens[i])
                i += 1
            flush("other")
            continue
        current.append(token)
        i += 1
        if token == ";":
            words = [t for t in current if not is_blank(t)]
            is_declaration = words[0] == "." and words[1] in ("reg", "local", "shared", "param", "global", "const")
            flush("declaration" if is_declaration else "other" if words[0] in (".", ";") else "instruction")
        elif token == ":" and len([t for t in current if not is_blank(t)]) == 2:
            flush("label")
    flush("other")
    return out


def rebuilt(tokens, functions, bodies):
    out, at = [], 0
    for function, body in zip(functions, bodies):
        out.append("".join(tokens[at:function.body]))
        out.append(body)
        at = function.end
    out.append("".join(tokens[at:]))
    return "".join(out)


def families_of(body):
    """{prefix: count} of `.reg … %r<n>` declared once."""
    found = collections.Counter()
    counts = {}
    text = "".join(t for t in body if not t.startswith(("//", "/*")))
    for declaration in re.finditer(r"\.reg\s+((?:\.\w+\s+)+)([^;]*);", text):
        for name, count in re.findall(r"([%$_A-Za-z][\w$%]*)\s*(?:<\s*(\d+)\s*>)?", declaration.group(2)):
            found[name] += 1
            if count:
                counts[name] = int(count)
    return {name: count for name, count in counts.items() if found[name] == 1 and count < 100000}


class Rewriter:
    def __init__(self, text, seed):
        self.tokens = TOKEN.findall(text)
        self.functions = functions_of(self.tokens)
        self.random = random.Random(seed)

    def bodies(self):
        return [self.tokens[f.body:f.end] for f in self.functions]

    def with_bodies(self, rewrite):
        return rebuilt(self.tokens, self.functions, [rewrite(body) for body in self.bodies()])

    def renumbered(self):
        def rewrite(body):
            families = families_of(body)
            names = {}
            for prefix, count in families.items():
                numbers = list(range(count))
                self.random.shuffle(numbers)
                new = f"{prefix}z"
                if any(t.startswith(new) for t in body):
                    new = prefix
                names.update({f"{prefix}{i}": f"{new}{numbers[i]}" for i in range(count)})
                names[prefix] = new
            # `%r` alone is the prefix in its declaration only.
            out = []
            for i, token in enumerate(body):
                if token in families and next((t for t in body[i + 1:i + 3] if not is_blank(t)), "") != "<":
                    out.append(token)
                else:
                    out.append(names.get(token, token))
            return "".join(out)

        return self.with_bodies(rewrite)

    def relabelled(self):
        def rewrite(body):
            labels = [s.words()[0] for s in statements_of(body) if s.kind == "label"]
            for scope in (s for s in statements_of(body) if s.kind == "scope"):
                words = scope.words()
                labels += [words[i] for i in range(1, len(words) - 1) if words[i + 1] == ":" and words[i - 1] in ";:{}"
                           and WORD.match(words[i])]
            order = list(dict.fromkeys(labels))
            numbers = list(range(len(order)))
            self.random.shuffle(numbers)
            names = {label: f"$LZ_{number}" for label, number in zip(order, numbers)}
            return "".join(names.get(token, token) for token in body)

        return self.with_bodies(rewrite)

    def blocks_reordered(self):
        changed = False

        def rewrite(body):
            nonlocal changed
            statements = statements_of(body)
            declarations = [s for s in statements if s.kind == "declaration"]
            rest = [s for s in statements if s.kind != "declaration" and s.words() != [";"]]
            scopes = [s for s in rest if s.kind == "scope"]
            if any(":" in s.words() for s in scopes):
                return "".join(body)
            blocks = [[]]
            for i, statement in enumerate(rest):
                # The table of a branch stays with its label.
                starts = statement.kind == "label" and not (blocks[-1] and blocks[-1][-1].kind == "label")
                if starts and blocks[-1]:
                    blocks.append([])
                blocks[-1].append(statement)
                words = statement.words()
                if statement.kind == "instruction" and words[0] != "@" and words[0] in ("bra", "ret", "exit", "trap", "brx"):
                    blocks.append([])
            if not blocks[-1]:
                blocks.pop()
            if len(blocks) < 3:
                return "".join(body)

            def ends(block):
                words = block[-1].words()
                return block[-1].kind == "instruction" and words[0] in ("bra", "ret", "exit", "trap", "brx")

            fixed_last = [] if ends(blocks[-1]) else [len(blocks) - 1]
            names = [f"$LB_{i}" for i in range(len(blocks))]
            order = list(range(1, len(blocks) - len(fixed_last)))
            self.random.shuffle(order)
            order = [0] + order + fixed_last
            changed = True
            out = [s.text() + "\n" for s in declarations]
            for place, index in enumerate(order):
                out.append(f"{names[index]}:\n")
                out += [s.text() + "\n" for s in blocks[index]]
                if not ends(blocks[index]) and index + 1 < len(blocks) and order[place + 1:place + 2] != [index + 1]:
                    out.append(f"bra {names[index + 1]};\n")
            return "\n" + "".join(out)

        text = self.with_bodies(rewrite)
        return text if changed else None

    def functions_reordered(self):
        if len(self.functions) < 2:
            return None
        pieces, at, gaps = [], 0, []
        for function in self.functions:
            gaps.append("".join(self.tokens[at:function.start]))
            pieces.append("".join(self.tokens[function.start:function.end + 1]))
            at = function.end + 1
        self.random.shuffle(pieces)
        return "".join(gaps) + "\n" + "\n".join(pieces) + "\n" + "".join(self.tokens[at:])

    def stripped(self):
        out = []
        for line in "".join("" if t.startswith("//") else " " if t.startswith("/*") else t
                            for t in self.tokens).split("\n"):
            if not re.match(r"\s*\.loc\s", line):
                out.append(line)
        return "\n".join(out)

    # ---- planted edits

    def with_edits(self, count):
        """The text with that many edits, and what they are; None when there is no room."""
        places = []
        all_statements = []
        for f, body in enumerate(self.bodies()):
            statements = statements_of(body)
            all_statements.append(statements)
            places += [(f, i) for i, s in enumerate(statements) if s.kind == "instruction"]
        if len(places) < 4 * count:
            return None
        bodies = self.bodies()
        originals = [list(statements) for statements in all_statements]
        self.random.shuffle(places)
        taken, log = set(), []
        for f, i in places:
            if len(log) == count:
                break
            # Two edits side by side may well be one: a statement that was replaced.
            if any((f, j) in taken for j in range(i - 8, i + 9)):
                continue
            edit = self.plant(all_statements[f], i, originals[f], bodies[f], count == 1)
            if edit is None:
                continue
            taken.add((f, i))
            log.append(edit)
        if len(log) < count:
            return None
        survives = all(self.survives_reordering(originals[f], all_statements[f], i) for f, i in taken)
        # An edit may cut others off from the start: whether a branch there is turned over is nobody's concern.
        if any(reachable_in(originals[f])[i] and not reachable_in(all_statements[f])[i] for f, i in taken):
            return None
        written = ["\n" + "".join(s.text() + "\n" for s in statements) for statements in all_statements]
        return rebuilt(self.tokens, self.functions, written), log, survives

    @staticmethod
    def survives_reordering(before, after, i):
        """Whether the edit of statement i can be told once blocks are in another order: see the top of the file."""
        if before[i].stops() and after[i].inserted:
            return False
        # What was put in has to be reached as the code is now; another edit may have cut it off.
        sides = (after,) if after[i].inserted else (before, after)
        if not any(reachable_in(side)[i] for side in sides if side[i].kind != "gone"):
            return False
        touched = (after[i].inserted,) if after[i].inserted else (before[i], after[i])
        return not any(one.kind == "instruction" and one.opcode() == "bra" and not one.is_guarded() for one in touched)

    OPCODES = {"add": "sub", "sub": "add", "and": "or", "or": "xor", "xor": "and", "shl": "shr", "shr": "shl",
               "min": "max", "max": "min", "mul": "div", "div": "mul", "ret": "exit", "exit": "ret"}
    COMPARISONS = {"lt": "ge", "ge": "lt", "le": "gt", "gt": "le", "eq": "ne", "ne": "eq"}

    def plant(self, statements, i, originals, body, is_alone):
        statement = statements[i]
        tokens = list(statement.tokens)
        before = statement.text()
        first = next((k for k, t in enumerate(tokens) if WORD.match(t) and not t.startswith("%")
                      and (k == 0 or tokens[0] != "@" or k > 1)), None)
        kind = self.random.choice(["opcode", "register", "immediate", "delete", "insert", "swap", "guard"])
        families = families_of(body)

        def family(token):
            match = re.fullmatch(r"(.*?)(\d+)", token)
            return match.group(1) if match and match.group(1) in families else None

        registers = [k for k, t in enumerate(tokens) if family(t)]
        if kind == "delete":
            statements[i] = Statement("gone", [])
            return ("delete", before)
        if kind == "insert":
            others = [s for s in originals if s.kind == "instruction"]
            other = self.random.choice(others)
            statements[i] = Statement("instruction", tokens)
            statements[i].inserted = other
            return ("insert", other.text())
        if kind == "opcode":
            word = tokens[first] if first is not None else ""
            if word in self.OPCODES:
                tokens[first] = self.OPCODES[word]
            elif word == "setp":
                k = next((k for k in range(first, len(tokens)) if tokens[k] in self.COMPARISONS), None)
                if k is None:
                    return None
                tokens[k] = self.COMPARISONS[tokens[k]]
            else:
                return None
        elif kind == "register":
            if not registers:
                return None
            k = self.random.choice(registers)
            # A result that nobody uses may have any name: it must be the only one there is for a later use, which no
            # other edit may take out.
            if k == registers[0] and not is_alone:
                return None
            results = [next((t for t in s.tokens if family(t)), "") for s in originals if s.kind == "instruction"]
            if k == registers[0] and (sum(t == tokens[k] for t in body) < 2 or results.count(tokens[k]) > 1):
                return None
            same = sorted({t for t in body if family(t) == family(tokens[k])} - {tokens[k]})
            if not same:
                return None
            tokens[k] = self.random.choice(same)
        elif kind == "immediate":
            numbers = [k for k, t in enumerate(tokens) if re.fullmatch(r"\d+", t) and k > (first or 0) + 1
                       and tokens[k - 1].isspace()]
            if not numbers:
                return None
            k = self.random.choice(numbers)
            tokens[k] = str(int(tokens[k]) + self.random.randint(1, 9))
        elif kind == "swap":
            others = registers if is_alone else registers[1:]
            pairs = [(x, y) for x in others for y in others
                     if x < y and family(tokens[x]) == family(tokens[y]) and tokens[x] != tokens[y]
                     and all(body.count(tokens[k]) > 1 for k in (x, y))]
            if not pairs:
                return None
            x, y = self.random.choice(pairs)
            tokens[x], tokens[y] = tokens[y], tokens[x]
        else:
            if tokens[0] != "@":
                return None
            if "!" in tokens[:3]:
                tokens.remove("!")
            else:
                tokens.insert(1, "!")
        statements[i] = Statement("instruction", tokens)
        return (kind, before + "  =>  " + statements[i].text())


class Checker:
    def __init__(self, executable, folder, verbose):
        self.executable, self.folder, self.verbose = executable, folder, verbose

    def diff(self, a, b):
        done = subprocess.run([self.executable, "diff", "--format", "json", str(a), str(b)], capture_output=True,
                              timeout=300)
        if done.returncode not in (0, 1):
            return None, done
        return json.loads(done.stdout.decode("utf-8", "replace")), done


def edits_in(result, only_changes):
    edits = [e for f in result["functions"] for e in f["edits"] if not only_changes or e["effect"] == "changes"]
    return len(edits) + len(result["declarations"])


def check_file(path, relative, checker, seed):
    """Complaints; planted cases not met exactly, as text; numbers of planted cases, exact ones, rewritten modules."""
    text = path.read_bytes().decode("latin-1")
    problems, missed, cases, exact, properties = [], [], 0, 0, 0
    if len(text) > LARGEST:
        return problems, missed, cases, exact, properties
    rewriter = Rewriter(text, seed)
    if not rewriter.functions:
        return problems, missed, cases, exact, properties
    with tempfile.TemporaryDirectory(dir=checker.folder) as folder:
        original = pathlib.Path(folder, "a.ptx")
        original.write_bytes(text.encode("latin-1"))

        def written(name, content):
            file = pathlib.Path(folder, name + ".ptx")
            file.write_bytes(content.encode("latin-1"))
            return file

        def all_at_once(now):
            for step in ("stripped", "blocks_reordered", "relabelled", "renumbered", "functions_reordered"):
                now = getattr(Rewriter(now, seed), step)() or now
            return now

        rewritten = {"self": text + "\n"}
        for name in ("renumbered", "relabelled", "blocks_reordered", "functions_reordered", "stripped"):
            rewritten[name] = getattr(rewriter, name)()
        rewritten["all_at_once"] = all_at_once(text)
        for name, content in rewritten.items():
            if content is None:
                continue
            properties += 1
            result, done = checker.diff(original, written(name, content))
            if result is None:
                problems.append(f"{relative}: {name}: exit status {done.returncode}: {done.stderr[-300:]!r}")
            elif not result["same_code"]:
                edits = [e for f in result["functions"] for e in f["edits"] if e["effect"] == "changes"][:3]
                shown = [f"{(e['a'] or {}).get('text')} => {(e['b'] or {}).get('text')}" for e in edits]
                problems.append(f"{relative}: {name}: {result['verdict'][:120]}: {shown}")
        for count in (1, 1, 3, 8):
            planter = Rewriter(text, seed * 31 + cases)
            planted = planter.with_edits(count)
            if planted is None:
                continue
            changed, log, survives = planted
            versions = [("planted", changed), ("planted_renumbered", Rewriter(changed, seed).renumbered())]
            if survives and rewritten["blocks_reordered"] is not None:
                versions.append(("planted_and_all_at_once", all_at_once(changed)))
            for name, content in versions:
                cases += 1
                result, done = checker.diff(original, written(name, content))
                if result is None:
                    problems.append(f"{relative}: {name}: exit status {done.returncode}: {done.stderr[-300:]!r}")
                    continue
                found = edits_in(result, name == "planted_and_all_at_once")
                if found == count:
                    exact += 1
                elif found < count:
                    problems.append(f"{relative}: {name} {count}: only {found} found: {log}")
                if found != count and checker.verbose:
                    shown = [f"{(e['a'] or {}).get('text')} => {(e['b'] or {}).get('text')}"
                             for f in result["functions"] for e in f["edits"]][:12]
                    missed.append(f"{relative}: {name} {count}: {found} found\n    planted {log}\n    found {shown}")
    return problems, missed, cases, exact, properties


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--ptxscope", required=True)
    arguments.add_argument("--shared", default=os.environ.get("PTXSCOPE_SHARED", "../shared"))
    arguments.add_argument("--all", action="store_true", help="every file of the corpus")
    arguments.add_argument("--sample", type=int, default=60, help="files without --all")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--verbose", action="store_true", help="show each planted case that was not met exactly")
    arguments.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments.add_argument("files", nargs="*")
    options = arguments.parse_args()
    corpus = pathlib.Path(options.shared, "corpus")
    if options.files:
        files = [(pathlib.Path(f), f) for f in options.files]
    else:
        index = corpus / "INDEX.tsv"
        if not index.is_file():
            print(f"diff_properties: no corpus at {corpus}; name it with --shared or PTXSCOPE_SHARED")
            return 77
        rows = [line.split("\t") for line in index.read_text(errors="replace").splitlines()[1:]]
        # What ptxas refuses may have labels or names twice, and then nothing can be said.
        names = [row[0] for row in rows if row[1] == "ok"]
        if not options.all:
            names = random.Random(options.seed).sample(names, min(options.sample, len(names)))
        files = [(corpus / name, name) for name in names]
    cases = exact = properties = 0
    problems = []
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        checker = Checker(options.ptxscope, folder, options.verbose)
        jobs = [pool.submit(check_file, path, name, checker, options.seed) for path, name in files]
        for job in jobs:
            found, missed, c, e, p = job.result()
            problems += found
            for one in missed:
                print(one)
            cases += c
            exact += e
            properties += p
    for problem in problems:
        print(problem)
    share = 100 * exact / cases if cases else 100
    print(f"{len(files)} files: {properties} rewritten modules, {cases} with planted edits of which {exact} "
          f"({share:.1f} %) were found exactly; {len(problems)} problems")
    return 1 if problems or share < 95 else 0


if __name__ == "__main__":
    sys.exit(main())
