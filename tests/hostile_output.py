#!/usr/bin/env python3
"""No writer passes on what a terminal, a browser, a spreadsheet or a CI system would act on: all commands and formats, on a
module and a file name made of escape sequences, quotes, markup, marks that turn the direction of writing, bytes that are
no UTF-8, workflow commands and formulas.

    tests/hostile_output.py --ptxscope BIN
"""
import argparse
import csv
import html.parser
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

ACTIVE = ["\x1b[31m", "\x1b]0;title\x07", "\x08", "\x85", "\u009b2J", "\u202e", "\u2066", "\u200f", "\u061c", "\u200b", "\u200d",
          "\u2060", "\ufeff", "\u2028"]
MARKUP = ["</script><img src=x onerror=alert(1)>", "<!--", "-->", "]]>", "&lt;", "\"", "'", "\\", "\\\"", "`", "${x}", "%0A::error::x",
          "::error file=a::x", "|,;"]
HOSTILE = ("=cmd()|' /C calc'!A0" + "".join(ACTIVE) + "".join(MARKUP)).encode() + b"\xff\xc3(\x9b"
# The same without what ends a string or a line of PTX.
IN_STRING = HOSTILE.replace(b'"', b"").replace("\x85".encode(), b"")

# What must not reach a terminal: controls but the newline, C1, marks of direction, what has no width.
FORBIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")


def bytes_of(text):
    return ", ".join(str(byte) for byte in text) + ", 0"


def module(change=""):
    """Every place of a module that can hold a text of one's own; names that are demangled into markup."""
    return b"\n".join([
        b"// " + IN_STRING,
        b".version 8.0", b".target sm_80", b".address_size 64",
        b'.file 1 "' + IN_STRING + b'"',
        b'.file 2 "plain.cu"',
        f".global .align 1 .b8 message[{len(HOSTILE) + 1}] = {{{bytes_of(HOSTILE)}}};".encode(),
        f".global .align 1 .b8 place[{len(HOSTILE) + 1}] = {{{bytes_of(HOSTILE)}}};".encode(),
        b".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e) .noreturn;",
        b".visible .entry _ZN4evil1AIXadL_ZltRKS_S1_EEEC1Ev(.param .u64 $3C$script$3E$, .param .u32 n)",
        b"{", b".reg .pred %p<9>;", b".reg .b32 %r<9>;", b".reg .b64 %rd<9>;",
        b'.pragma "' + IN_STRING + b'";',
        b"ld.param.u32 %r1, [n];", b"ld.param.u64 %rd1, [$3C$script$3E$];",
        b".loc 1 7 3", b"setp.gt.u32 %p1, %r1, 7;", b"@%p1 bra FAIL;",
        b"add.s32 %r2, %r1, 1;" + change.encode(), b"st.global.u32 [%rd1], %r2;", b"ret;",
        b"FAIL:", b"{", b".param .b64 a;", b".param .b64 b;", b".param .b32 c;", b".param .b64 d;", b".param .b64 e;",
        b"mov.u64 %rd2, message;", b"cvta.global.u64 %rd2, %rd2;", b"st.param.b64 [a], %rd2;",
        b"mov.u64 %rd3, place;", b"cvta.global.u64 %rd3, %rd3;", b"st.param.b64 [b], %rd3;", b"st.param.b32 [c], 7;",
        b"st.param.b64 [d], %rd3;", b"st.param.b64 [e], 1;",
        b"call __assertfail, (a, b, c, d, e);", b"}", b"trap;", b"}",
        # What cannot be read is shown, too.
        b".visible .entry broken()", b"{", b"frobnicate.\xe2\x80\xae %r1, " + HOSTILE.replace(b"\n", b"") + b";",
        b"wgmma.fence.sync.aligned; // " + IN_STRING, b"bra <nowhere>;", b"ret;", b"}",
        b".section .debug_str", b"{", f".b8 {bytes_of(HOSTILE[:40])}".encode(), b"}", b""])


class Failure(Exception):
    pass


def expect(condition, what):
    if not condition:
        raise Failure(what)


def text_of(output):
    try:
        text = output.decode()
    except UnicodeDecodeError as error:
        raise Failure(f"no UTF-8: {error}") from None
    found = FORBIDDEN.search(text)
    expect(found is None, f"{found and found.group()!r} in {found and text[max(0, found.start() - 40):found.end() + 20]!r}")
    return text


class Page(html.parser.HTMLParser):
    """Elements with attributes that do something."""
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found.append(tag)
        for name, value in attrs:
            if name.startswith("on") or (value or "").strip().lower().startswith("javascript:"):
                self.found.append(f"{tag} {name}")

    handle_startendtag = handle_starttag


def check_html(text):
    page = Page()
    page.feed(text)
    for wrong in ("img", "iframe", "object", "embed"):
        expect(wrong not in page.found, f"<{wrong}> in a page")
    active = [one for one in page.found if " " in one]
    expect(not active, f"attributes: {active}")
    expect(text.count("<script") == len(re.findall(r"<script[^>]*>", text)) == text.count("</script>"), "scripts begun and ended")


def check_svg(text):
    root = xml.etree.ElementTree.fromstring(text)
    for element in root.iter():
        tag = element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
        expect(tag not in ("script", "img", "foreignObject", "image"), f"<{tag}> in a drawing")
        for name in element.attrib:
            expect(not name.startswith("on"), f"{name} in a drawing")


def check_dot(text):
    if shutil.which("dot"):
        done = subprocess.run(["dot", "-Tplain"], input=text.encode(), capture_output=True)
        expect(done.returncode == 0 and b"syntax" not in done.stderr, f"dot: {done.stderr!r}")


def check_csv(text):
    rows = list(csv.reader(io.StringIO(text)))
    expect(len({len(row) for row in rows}) == 1, "rows of different length")
    for cell in (cell for row in rows for cell in row):
        expect(not re.match(r"[=+@\t\r]|-(?!\d+(\.\d+)?$)", cell), f"a formula: {cell[:30]!r}")


def check_github(text):
    for line in text.splitlines():
        found = re.match(r"::(error|warning|notice) ([^\n]*?)::", line)
        expect(found, f"no command: {line[:60]!r}")
        for one in found.group(2).split(","):
            expect(re.match(r"(file|line|col|endColumn|endLine|title)=[^:,]*$", one), f"property {one!r}")


CHECKS = {"json": json.loads, "sarif": json.loads, "html": check_html, "svg": check_svg, "dot": check_dot, "csv": check_csv,
          "github": check_github}

# Command lines, and the format of what they write; FILE, OTHER: two modules.
RUNS = [
    *((f"{command} --format {format} FILE", format) for command, formats in {
        "explain-trap": ["text", "json"], "explain-trap --grid 4 --block 256 --arg n=9": ["text", "json"],
        "cfg": ["text", "json", "dot", "svg"], "cfg --live --lines 9": ["text", "json"],
        "stats --opcodes": ["text", "json", "csv"], "stats --live --checks": ["text", "json"], "stats --live=table": ["text"],
        "check": ["text", "json", "sarif", "github"], "check --all --target sm_75": ["text", "json", "sarif", "github"],
    }.items() for format in formats),
    ("stats FILE OTHER", "text"), ("stats --csv FILE OTHER", "csv"), ("stats --format json FILE OTHER", "json"),
    ("cfg FILE OTHER", "text"), ("explain-trap FILE OTHER", "text"), ("explain-trap --format json FILE OTHER", "json"),
    ("diff FILE OTHER", "text"), ("diff --side-by-side --word --registers FILE OTHER", "text"),
    ("diff --format json FILE OTHER", "json"), ("diff --format html FILE OTHER", "html"),
    ("report FILE", "html"), ("report FILE OTHER", "html"),
    ("retarget --target sm_75 --isa min FILE", "text"), ("retarget --target sm_80 --isa 8.1 --format json FILE", "json"),
    ("instrument --format json FILE", "json"), ("extract --list FILE", "text"), ("extract --list --format json FILE", "json"),
    ("cfg --kernel HOSTILE FILE", "text"), ("check --target HOSTILE FILE", "text"), ("retarget --isa HOSTILE FILE", "text"),
    ("stats --sort HOSTILE FILE", "text"), ("explain-trap --names HOSTILE FILE", "text"),
    ("explain-trap --names HOSTILE --format json FILE", "json"), ("explain-trap --grid HOSTILE --block 1 FILE", "text"),
    ("explain-trap --grid 1 --block 1 --arg HOSTILE=1 FILE", "text"), ("explain HOSTILE", "text"), ("HOSTILE FILE", "text"),
    ("cfg --HOSTILE FILE", "text"), ("cfg --format HOSTILE FILE", "text"), ("cfg MISSING", "text"), ("cfg -o MISSING/x FILE", "text"),
]
# Those give PTX back as it is: only what they say on standard error is looked at.
AS_IS = ["print FILE", "print --normalize FILE", "instrument FILE", "retarget --target sm_80 --isa 8.1 FILE", "extract FILE"]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--ptxscope", required=True)
    options = arguments.parse_args()
    program = os.path.abspath(options.ptxscope)
    has_dot = shutil.which("dot") is not None
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        # `/` is the one sign that a name cannot hold: `</script>` is a folder and a file.
        name = HOSTILE.replace(b"/", b"") + b"\n::error::x\n"
        where = name[:100] + b"<"
        os.mkdir(where)
        words = {"FILE": where + b"/script>" + name[100:230] + b".ptx", "OTHER": where + b"/other.ptx",
                 "HOSTILE": b"=" + HOSTILE.replace(b"=", b"")}
        for word, change in (("FILE", ""), ("OTHER", "\nsub.s32 %r2, %r2, 3;")):
            with open(words[word], "wb") as file:
                file.write(module(change))
        words["MISSING"] = where + b"/missing" + name[:90]
        words["MISSING/x"] = words["MISSING"] + b"/x"
        words["--HOSTILE"] = b"--" + HOSTILE
        words["HOSTILE=1"] = HOSTILE.replace(b"=", b"") + b"=1"
        runs = RUNS + [(line, None) for line in AS_IS]
        for line, format in runs:
            if format == "svg" and not has_dot:
                continue
            done = subprocess.run([program.encode()] + [words.get(word, word.encode()) for word in line.split()],
                                  capture_output=True, env=os.environ | {"NO_COLOR": "1"})
            try:
                expect(done.returncode in (0, 1, 2), f"status {done.returncode}")
                text_of(done.stderr)
                if format is not None:
                    # RFC 4180 ends lines with two signs.
                    text = text_of(done.stdout.replace(b"\r\n", b"\n") if format == "csv" else done.stdout)
                    may_be_silent = line.startswith(("retarget", "explain "))
                    expect(done.returncode == 2 or text or may_be_silent, "no output")
                    if text and format in CHECKS:
                        CHECKS[format](text)
            except (Failure, ValueError, xml.etree.ElementTree.ParseError) as error:
                failures += 1
                print(f"{line}: {error}")
    print(f"{len(runs)} runs, {failures} failed" + ("" if has_dot else "; no Graphviz: no drawings"))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
