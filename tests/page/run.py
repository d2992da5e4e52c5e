#!/usr/bin/env python3
"""Opens pages of `ptxscope report` in a headless Chromium: each must be without a console error and ask for nothing but
itself; what is clicked, pressed and pointed at must do what it says.

    run.py --ptxscope PATH [NAME...]      only these tests
    run.py --ptxscope PATH --pictures DIR also writes pictures to look at

Exit status 77 (skipped) without a Chromium; PTXSCOPE_CHROMIUM names one.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

import chromium

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = SOURCE / "samples"
LIMIT = 10  # seconds until something must have happened

TESTS = []


def test(function):
    TESTS.append(function)
    return function


class Bench:
    """One browser, and the folder where pages are written."""

    def __init__(self, browser, ptxscope, folder):
        self.browser, self.ptxscope, self.folder = browser, ptxscope, pathlib.Path(folder)

    def page(self, *files, options=(), place="", status=0, environment=None):
        """Writes the page of these files and opens it."""
        path = self.folder / "page.html"
        path.unlink(missing_ok=True)
        done = subprocess.run([self.ptxscope, "report", *map(str, files), *options, "-o", str(path)],
                              capture_output=True, env=environment, timeout=120)
        assert done.returncode == status, f"exit {done.returncode}: {done.stderr.decode()}"
        self.browser.problems.clear()
        self.browser.requests.clear()
        self.browser.open(path, place)
        self.wait("document.documentElement.dataset.ready === 'yes'")
        return path

    def wait(self, condition):
        end = time.monotonic() + LIMIT
        while not self.browser.run(condition):
            assert time.monotonic() < end, f"did not come true in {LIMIT} s: {condition}"
            time.sleep(0.02)

    def lines(self, name):
        """Numbers of the lines of the shown function that are of this class."""
        return self.browser.run(f"""return [...document.querySelectorAll('section.function:not([hidden]) .line.{name}')]
            .map((node) => Number(node.dataset.line));""")

    def text(self, selector):
        return self.browser.run(f"return document.querySelector({selector!r}).textContent;")

    def is_quiet(self):
        """Nothing was wrong, and nothing was asked for but the page."""
        assert not self.browser.problems, self.browser.problems
        others = [one for one in self.browser.requests if not re.match(r"file://.*/page\.html|about:blank|data:", one)]
        assert not others, f"asked for {others}"


@test
def trap_shows_its_guard(bench):
    browser = bench.browser
    bench.page(SAMPLES / "vecadd/vecadd.ptx")
    assert "2 traps can fire" in bench.text("#overview .lead"), bench.text("#overview .lead")
    assert browser.run("return document.querySelectorAll('section.function').length;") == 0, "drawn before it is asked for"
    assert bench.text("#contents .badge.bad") == "2", "the function's traps beside its name"
    browser.click("#overview .trap-table tbody tr:nth-child(2) a")
    bench.wait("document.querySelector('#at-f0-t2.selected') !== null")
    assert bench.lines("found-guard") == [62, 63], bench.lines("found-guard")
    browser.click("#at-f0-t1 .trap-head")
    bench.wait("document.querySelector('#at-f0-t1.selected') !== null")
    assert bench.lines("found-guard") == [55, 56], bench.lines("found-guard")
    assert bench.lines("found-trap") == [85]
    assert browser.run("""const box = document.querySelector('.line.found-guard').getBoundingClientRect();
        return box.top > 0 && box.bottom < innerHeight;"""), "the guard is out of sight"
    assert browser.run("return [...document.querySelectorAll('.parameter-chip.behind strong')].map((one) => one.textContent);") \
        == ["arg0.len"]
    assert "line 35, 40" in bench.text("#status")
    assert browser.run("return location.hash;") == "#f0-t1"
    if browser.run("return document.querySelector('.graph svg') !== null;"):
        assert browser.run("return document.querySelectorAll('.graph g.found-edge').length;") == 2
        assert browser.run("return document.querySelectorAll('.graph g.found-block').length;") == 3


@test
def panics_are_traps(bench):
    """A trap may stand in another function, or in none of the module."""
    bench.page(SAMPLES / "panic/panic.ptx")
    assert bench.text("#contents .badge.bad") == "3"
    assert bench.browser.run("return document.querySelectorAll('.trap-table tbody tr').length;") == 3
    bench.browser.press("j")
    bench.wait("location.hash === '#f0-t1'")
    assert "core::option::expect_failed" in bench.text(".trap.selected")
    assert "n past the end" in bench.text(".trap.selected .message")


@test
def what_is_pointed_at(bench):
    browser = bench.browser
    bench.page(SAMPLES / "vecadd/vecadd.ptx", place="#f0")
    browser.hover(".line[data-line='60'] .opcode")
    bench.wait("document.querySelector('.line[data-line=\"60\"].point-hover') !== null")
    has_picture = browser.run("return document.querySelector('.graph svg') !== null;")
    if has_picture:
        assert browser.run("return [...document.querySelectorAll('g.point-block')].map((one) => one.dataset.block);") == ["3"]
        browser.hover("g.node[data-block='5'] text:not([data-line])")
        bench.wait("document.querySelectorAll('.line.point-hover').length === 11")
        browser.click("g.node[data-block='5'] text[data-line='70']")
        bench.wait("document.querySelector('.line[data-line=\"70\"].line-chosen') !== null")
    browser.hover(".parameter-chip")
    bench.wait("document.querySelectorAll('.line.point-hover').length === 2")  # the declaration and its ld.param
    browser.click("li:nth-child(2) > .parameter-chip")
    bench.wait("document.querySelectorAll('.line.pinned-parameter').length === 4")
    assert bench.lines("pinned-parameter") == [13, 53, 55, 56], bench.lines("pinned-parameter")
    browser.hover(".line[data-line='68'] .register")
    bench.wait("[...document.querySelectorAll('.register.same')].every((one) => one.textContent === '%rd5')")
    assert browser.run("return document.querySelectorAll('.register.same').length;") == 2
    browser.click(".line[data-line='49'] .label")
    bench.wait("document.querySelector('.line[data-line=\"81\"].line-chosen') !== null")


@test
def keys(bench):
    browser = bench.browser
    bench.page(SAMPLES / "vecadd/vecadd.ptx")
    browser.press("Tab")
    assert browser.run("return document.activeElement.className;") == "skip"
    for key, place in (("j", "#f0-t1"), ("j", "#f0-t2"), ("j", "#f0-t2"), ("k", "#f0-t1")):
        browser.press(key)
        bench.wait(f"location.hash === '{place}'")
    assert browser.run("return document.activeElement.className;") == "trap-head", "the trap has the focus"
    browser.press("Enter")
    assert bench.lines("found-guard") == [55, 56]
    browser.press("Escape")
    bench.wait("document.querySelectorAll('.line.found-guard, .trap.selected').length === 0")
    browser.press("/")
    assert browser.run("return document.activeElement.id;") == "search"
    for letter in "st.global":
        browser.press(letter)
    bench.wait("document.querySelectorAll('#results [role=option]').length === 1")
    browser.press("Enter")
    bench.wait("location.hash === '#f0-L77'")
    browser.run("document.querySelector('.code').focus()")
    browser.press("ArrowDown")
    bench.wait("document.querySelector('.code').getAttribute('aria-activedescendant') === 'at-f0-L78'")
    browser.press("?")
    bench.wait("document.getElementById('help').open")
    browser.press("Escape")
    bench.wait("!document.getElementById('help').open")
    before = browser.run("document.documentElement.dataset.theme")
    browser.press("t")
    bench.wait(f"document.documentElement.dataset.theme !== '{before}'")
    browser.press("t")
    browser.press("r")
    bench.wait("!document.getElementById('needs').hidden")
    browser.press("o")
    bench.wait("!document.getElementById('overview').hidden")


@test
def hostile_names(bench):
    """Markup in file names, comments, strings, messages and source files stays text."""
    attack = "</script><img src=x onerror=window.taken=1><script>window.taken=1</script><!--<script>"
    folder = bench.folder / "x<"
    folder.mkdir(exist_ok=True)
    path = folder / "script><img src=x onerror=window.taken=1>.ptx"
    text = (SAMPLES / "assert/assert.ptx").read_text()
    text = text.replace('.version', f"// {attack}\n.version", 1)
    text = text.replace("ret;", f"ret; // {attack} '\"&lt;\n .pragma \"{attack}\";", 1)
    text += f"\n.file 7 \"{attack}\"\n{attack};\n.visible .entry {attack}() {{ ret; }}\n.entry _Z1fIXadL_Z1gILi1EEvvEEEvv() {{ trap; }}\n"
    path.write_text(text)
    bench.page(path, status=1)
    for place in ("needs", "f0", "f1", "overview"):
        bench.browser.run(f"go_to('#{place}')")
    bench.browser.run("document.querySelectorAll('#contents a').forEach((one) => one.click())")
    bench.page(path, SAMPLES / "assert/assert.ptx", status=1, place="#diff")
    assert bench.browser.run("return window.taken === undefined && document.querySelectorAll('img').length === 0;")
    assert "<img" in bench.browser.run("document.title")
    assert "onerror" in bench.text("#diff")


@test
def two_files(bench):
    browser = bench.browser
    bench.page(SAMPLES / "vecadd/vecadd.ptx", SAMPLES / "vecadd_cuda/vecadd.ptx")
    assert "different" in bench.text("#overview .verdict")
    assert browser.run("return document.querySelectorAll('#contents a[href^=\"#f\"]').length;") == 2
    browser.press("d")
    bench.wait("!document.getElementById('diff').hidden")
    assert browser.run("return document.querySelectorAll('#diff .diff-code tbody tr').length;") > 10
    browser.click("#diff .diff-code td:nth-child(3) a")
    bench.wait("/^#f1-L\\d+$/.test(location.hash)")
    bench.page(SAMPLES / "vecadd/vecadd.ptx", SAMPLES / "vecadd/vecadd.ptx")
    assert "identical" in bench.text("#overview .verdict") or "same" in bench.text("#overview .verdict")


@test
def without_graphviz(bench):
    bench.page(SAMPLES / "vecadd/vecadd.ptx", place="#f0", environment={"PATH": "/nonexistent"})
    assert "Graphviz" in bench.text(".graph-part .notice")
    assert bench.browser.run("return document.querySelectorAll('.block-list li').length;") == 11
    bench.browser.click(".block-list li:nth-child(4) button")
    bench.wait("location.hash === '#f0-L60'")


@test
def many_functions(bench):
    """A large module: the page says what it leaves out, and draws only what is looked at."""
    browser = bench.browser
    path = bench.folder / "many.ptx"
    body = "".join(f"  add.u32 %r{i % 7}, %r{(i + 1) % 7}, {i};\n" for i in range(120))
    path.write_text(".version 8.0\n.target sm_80\n.address_size 64\n" + "".join(
        f".visible .entry kernel_{i}()\n{{\n  .reg .b32 %r<8>;\n{body}  {'trap' if i == 2345 else 'ret'};\n}}\n" for i in range(2500)))
    bench.page(path)
    assert "2,500" in bench.text("#overview .tile dd")
    note = bench.text("#overview .notice")
    assert "are only counted here" in note, note
    assert browser.run("return document.querySelectorAll('.functions tbody tr').length;") == 200
    assert browser.run("return document.querySelector('#contents a[href=\"#f0\"] .entry').textContent;") == "kernel_2345"
    browser.run("document.querySelector('.filter').value = '2345'; document.querySelector('.filter').dispatchEvent(new Event('input'))")
    assert browser.run("return document.querySelectorAll('.functions tbody tr').length;") == 1
    browser.press("j")
    bench.wait("location.hash === '#f0-t1'")
    bench.page(path, options=["--kernel", "kernel_7"])
    assert browser.run("return document.querySelectorAll('#contents a[href^=\"#f\"]').length;") == 1


@test
def names_have_room(bench):
    """In the table beside many columns, and on paper."""
    bench.page(SAMPLES / "targets/sm_80.ptx", SAMPLES / "targets/sm_90.ptx")
    cut = """return [...document.querySelectorAll('.functions .clamp')].filter((one) => one.getClientRects().length === 0 ||
        one.getBoundingClientRect().height > 30 || one.getBoundingClientRect().width < 15).map((one) => one.textContent);"""
    assert bench.browser.run("return document.querySelectorAll('.functions .clamp').length;") == 6
    assert bench.browser.run(cut) == []
    path = bench.folder / "names.pdf"
    bench.browser.print(path)
    if shutil.which("pdftotext"):
        text = subprocess.run(["pdftotext", "-layout", path, "-"], capture_output=True, timeout=60).stdout.decode()
        for name in ("axpy", "scale", "sum"):
            assert len(re.findall(rf"^\s*{name} +0 ", text, re.M)) == 2, f"{name} is not in the printed table"


@test
def unread_text_is_no_verdict(bench):
    whole = (SAMPLES / "vecadd/vecadd.ptx").read_text()
    for text in (whole[:700], "\x7fjunk { ] ;\n" * 20):
        path = bench.folder / "cut.ptx"
        path.write_text(text)
        bench.page(path, status=1)
        lead = bench.text("#overview .lead")
        assert "cannot tell whether anything traps" in lead and "nothing traps" not in lead, lead
        assert bench.browser.run("return document.querySelectorAll('#overview .lead .good').length;") == 0
        bench.browser.run("go_to('#needs')")
        assert bench.browser.run("return document.querySelectorAll('#needs .lead .good').length;") == 0


@test
def prints_all(bench):
    bench.page(SAMPLES / "vecadd/vecadd.ptx", SAMPLES / "vecadd_cuda/vecadd.ptx")
    path = bench.folder / "page.pdf"
    bench.browser.print(path)
    assert path.stat().st_size > 20_000
    assert bench.browser.run("return document.querySelectorAll('section.function.printed .line').length;") > 150
    assert bench.browser.run("return document.querySelectorAll('details[data-for-print]').length;") == 0


@test
def fits_narrow_screens(bench):
    try:
        bench.browser.resize(400, 800)
        for place in ("#overview", "#needs", "#f0-t1"):
            bench.page(SAMPLES / "panic/panic.ptx", place=place)
            wide = bench.browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth;")
            assert wide <= 0, f"{place} is {wide} pixels too wide"
    finally:
        bench.browser.resize(1440, 1000)


# Contrast of text with what lies under it (WCAG 2.1, 1.4.3).
CONTRAST = """
const parse = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
  .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const ground = (node) => {
  for (let at = node; at; at = at.parentElement) {
    const color = parse(getComputedStyle(at).backgroundColor);
    if (color.length === 3 || color[3] > 0.5) return color;
  }
  return [255, 255, 255];
};
const poor = new Set();
const walker = document.createTreeWalker(document.getElementById('main'), NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const node = walker.currentNode.parentElement;
  if (!walker.currentNode.textContent.trim() || node.closest('svg, .quiet, [hidden], details:not([open])')) continue;
  const a = light(parse(getComputedStyle(node).color)), b = light(ground(node));
  const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (contrast < 4.5) poor.add(node.className + ' ' + walker.currentNode.textContent.slice(0, 20) + ' ' + contrast.toFixed(2));
}
return [...poor];
"""


@test
def readable_in_both_colors(bench):
    for scheme in ("light", "dark"):
        bench.browser.run("localStorage.clear()")  # what another page was switched to
        bench.browser.color(scheme)
        bench.page(SAMPLES / "vecadd/vecadd.ptx", SAMPLES / "panic/panic.ptx", place="#f0-t1")
        assert bench.browser.run("document.documentElement.dataset.theme") == scheme
        poor = []
        for place in ("#f0-t1", "#overview", "#needs", "#diff"):
            bench.browser.run(f"go_to('{place}')")
            poor += bench.browser.run(CONTRAST)
        assert not poor, f"{scheme}: {poor[:8]}"
    bench.browser.color("light")


@test
def everything_has_a_name(bench):
    bench.page(SAMPLES / "vecadd/vecadd.ptx")
    for place in ("#overview", "#needs", "#f0-t1"):
        bench.browser.run(f"go_to('{place}')")
        nameless = [node["role"]["value"] for node in bench.browser.call("Accessibility.getFullAXTree")["nodes"]
                    if not node.get("ignored") and node["role"]["value"] in
                    ("button", "link", "searchbox", "textbox", "combobox", "listbox", "checkbox", "navigation", "dialog")
                    and not node.get("name", {}).get("value")]
        assert not nameless, f"{place}: without a name: {nameless}"


def pictures(bench, folder):
    """What to look at after a change of the style."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    vecadd, cuda, panic = SAMPLES / "vecadd/vecadd.ptx", SAMPLES / "vecadd_cuda/vecadd.ptx", SAMPLES / "panic/panic.ptx"
    for name, files, place, scheme, size in (
            ("overview", [vecadd], "", "light", (1440, 1000)), ("function", [vecadd], "#f0-t1", "light", (1440, 1000)),
            ("dark", [vecadd], "#f0-t2", "dark", (1440, 1000)), ("panic", [panic], "#f0-t1", "light", (1440, 1000)),
            ("needs", [panic], "#needs", "dark", (1440, 1000)), ("diff", [vecadd, cuda], "#diff", "light", (1440, 1000)),
            ("narrow", [panic], "#f0-t1", "light", (420, 900))):
        bench.browser.color(scheme)
        bench.browser.resize(*size)
        bench.page(*files, place=place)
        time.sleep(0.3)
        bench.browser.picture(folder / f"{name}.png")
    bench.page(vecadd, place="#f0-t1")
    bench.browser.print(folder / "print.pdf")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--ptxscope", required=True, help="the executable")
    arguments.add_argument("--pictures", help="a folder for pictures; no tests")
    arguments.add_argument("names", nargs="*")
    options = arguments.parse_args()
    path = chromium.find()
    if path is None:
        print("skipped: no Chromium in PATH (Debian: apt-get install chromium; PTXSCOPE_CHROMIUM names one elsewhere)")
        sys.exit(77)
    failed = 0
    with tempfile.TemporaryDirectory() as folder, chromium.Browser(path) as browser:
        bench = Bench(browser, os.path.abspath(options.ptxscope), folder)
        if options.pictures:
            return pictures(bench, options.pictures)
        for one in TESTS:
            if options.names and one.__name__ not in options.names:
                continue
            try:
                one(bench)
                bench.is_quiet()
                print(f"ok      {one.__name__}")
            except (AssertionError, RuntimeError, TimeoutError) as error:
                failed += 1
                line = traceback.extract_tb(error.__traceback__)[1].lineno
                print(f"FAILED  {one.__name__}, line {line}: {error}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
