#!/usr/bin/env python3
"""Completions of shells and manual pages, as the shells and man see them. A shell that is not there is left out, and said.

    completion_test.py --ptxscope PATH [NAME...]    all tests or those; exit status 1 when one fails
"""

import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import tempfile
import time

import one_by_one
from one_by_one import Missing

WAIT = 60  # seconds


def need(*programs):
    for program in programs:
        if shutil.which(program) is None:
            raise Missing(program)


def run(*command, status=0, **more):
    done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT, stdin=subprocess.DEVNULL, **more)
    assert done.returncode == status, (command, done.returncode, done.stdout[-500:], done.stderr[-2000:])
    return done.stdout


def commands_of(program):
    text = run(program, "--help")
    return re.findall(r"^  ([a-z-]+) ", text[text.index("\ncommands"):text.index("\noptions")], re.MULTILINE)


class Scratch:
    """A folder with files of several kinds, and the program in PATH."""

    def __init__(self, program):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        for name in ["kernel.ptx", "with space.ptx", "notes.txt", "bin/ptxscope"]:
            (self.path / name).parent.mkdir(exist_ok=True)
            (self.path / name).write_text("")
        (self.path / "bin/ptxscope").unlink()
        (self.path / "bin/ptxscope").symlink_to(program)
        (self.path / "sub").mkdir()
        self.environment = {**os.environ, "PATH": f"{self.path}/bin:{os.environ['PATH']}", "HOME": str(self.path),
                            "XDG_CONFIG_HOME": str(self.path), "XDG_DATA_HOME": str(self.path), "TERM": "dumb"}

    def script(self, program, shell):
        place = self.path / "bin" / f"completion.{shell}"
        place.write_text(run(program, "completion", shell))
        return str(place)


# What each line offers: all of `there`, none of `not_there`.
CASES = [
    ("ptxscope che", {"check"}, {"cfg"}),
    ("ptxscope ", {"check", "explain-trap", "lsp", "help"}, {"kernel.ptx"}),
    ("ptxscope help re", {"report", "retarget", "releases"}, {"check"}),
    ("ptxscope check --ta", {"--target"}, {"--format"}),
    ("ptxscope check --target sm_90", {"sm_90", "sm_90a"}, {"sm_80"}),
    ("ptxscope check --format ", {"text", "json", "sarif", "github"}, {"dot"}),
    ("ptxscope cfg --format ", {"text", "json", "dot", "svg"}, {"sarif"}),
    ("ptxscope check --color ", {"auto", "always", "never"}, {"kernel.ptx"}),
    ("ptxscope check --isa 8.", {"8.0", "8.7"}, {"7.0"}),
    ("ptxscope check k", {"kernel.ptx"}, {"notes.txt"}),
    ("ptxscope check --all ", {"kernel.ptx"}, {"notes.txt"}),
    ("ptxscope diff kernel.ptx w", {"with space.ptx"}, {"notes.txt"}),
    ("ptxscope check -o n", {"notes.txt"}, {"kernel.ptx"}),
    ("ptxscope explain wgmm", {"wgmma"}, {"kernel.ptx"}),
    ("ptxscope targets sm_12", {"sm_120", "sm_120a"}, {"sm_90"}),
    ("ptxscope completion ", {"bash", "zsh", "fish"}, {"kernel.ptx"}),
    ("ptxscope man exp", {"explain", "explain-trap"}, {"check"}),
]


def bash(program):
    need("bash")
    scratch = Scratch(program)
    script = scratch.script(program, "bash")
    run("bash", "-n", script)

    def offered(words):
        quoted = " ".join("'" + word + "'" for word in words)
        return set(run("bash", "--norc", "-c", f"source {script}; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; "
                       "_ptxscope; printf '%s\\n' \"${COMPREPLY[@]}\"", cwd=scratch.path,
                       env=scratch.environment).splitlines())

    for line, there, not_there in CASES:
        found = offered(line.split(" "))
        assert there <= found and not not_there & found, (line, found)
    # --format=js is three words for bash.
    assert offered(["ptxscope", "check", "--format", "=", "js"]) == {"json"}
    assert offered(["ptxscope", "check", "--format", "="]) >= {"text", "json"}
    assert "ls" in offered(["ptxscope", "run", "--", "l"])
    assert "notes.txt" in offered(["ptxscope", "run", "--", "cat", "no"])
    assert offered(["ptxscope", "nothing", "x"]) <= {""}
    assert offered(["ptxscope", "check", "notes"]) == {"notes.txt"}  # nothing else begins so
    return len(CASES)


def fish(program):
    need("fish")
    scratch = Scratch(program)
    script = scratch.script(program, "fish")
    run("fish", "-n", script)
    for line, there, not_there in CASES:
        said = run("fish", "--no-config", "-c", f'source {script}; complete -C "{line}"', cwd=scratch.path,
                   env=scratch.environment)
        found = {one.split("\t")[0].replace("\\ ", " ") for one in said.splitlines()}
        # fish offers other files, too, behind those that fit.
        left_out = {one for one in not_there if not one.startswith("notes")}
        assert there <= found and not left_out & found, (line, found)
    return len(CASES)


class Zsh:
    """An interactive zsh in a terminal."""

    def __init__(self, scratch, script):
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            os.chdir(scratch.path)
            os.execvpe("zsh", ["zsh", "-f", "-i"], scratch.environment)
        self.text = ""
        self.send("PS1='READY> '; unsetopt zle_bracketed_paste; LISTMAX=100000; setopt no_list_beep no_auto_menu; "
                  f"autoload -Uz compinit && compinit -u -D; source {script}; zstyle ':completion:*' list-prompt ''; "
                  "stty columns 200 rows 1000; print LOADED\\ NOW\n")
        # Only behind its prompt does the shell read key by key: before, the terminal would take Control-D for itself.
        self.read_until(lambda text: "READY> " in text.replace("\r", "").partition("\nLOADED NOW\n")[2])
        self.read_quiet()

    def send(self, text):
        os.write(self.terminal, text.encode())

    def read_until(self, holds):
        end = time.monotonic() + WAIT
        while not holds(self.text):
            assert time.monotonic() < end, self.text[-2000:]
            ready, _, _ = select.select([self.terminal], [], [], 0.5)
            if ready:
                self.text += os.read(self.terminal, 65536).decode(errors="replace")

    def offered(self, line, wanted):
        """The words shown for Control-D behind the line, the list without completing: as soon as the wanted ones are
        there, and what comes right behind them."""
        def words():  # what was typed is shown, too: only what stands behind it counts
            return set(re.split(r"[\s\x1b\[\]]+", self.text.split(line, 1)[-1]))

        self.text = ""
        self.send(line + "\x04")
        self.read_until(lambda text: wanted <= words())
        self.read_quiet()
        shown = words()
        self.send("\x15")  # the line is deleted
        self.read_quiet()
        return shown

    def read_quiet(self):
        quiet = time.monotonic() + 1.5
        while time.monotonic() < quiet:
            ready, _, _ = select.select([self.terminal], [], [], 0.2)
            if ready:
                self.text += os.read(self.terminal, 65536).decode(errors="replace")
                quiet = time.monotonic() + 0.8

    def end(self):
        os.close(self.terminal)
        os.waitpid(self.child, 0)


def zsh(program):
    need("zsh")
    scratch = Scratch(program)
    script = scratch.script(program, "zsh")
    run("zsh", "-n", script)
    shell = Zsh(scratch, script)
    for line, there, not_there in CASES:
        # A space in a name has a backslash before it.
        shown = shell.offered(line, {one.replace(" ", "\\ ").split(" ")[0] for one in there})
        assert not set(not_there) & shown, (line, shown)
    shell.end()
    return len(CASES)


def manual(program):
    need("man", "groff")
    commands = commands_of(program)
    with tempfile.TemporaryDirectory() as folder:
        run(program, "man", "--folder", f"{folder}/man1")
        pages = sorted(pathlib.Path(folder, "man1").iterdir())
        assert {page.name for page in pages} == {"ptxscope.1"} | {f"ptxscope-{one}.1" for one in commands}
        for page in pages:
            done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", str(page)],
                                  capture_output=True, text=True, timeout=WAIT,
                                  env={**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "80"})
            assert done.returncode == 0 and not done.stderr, (page.name, done.stderr)
            if shutil.which("mandoc"):
                linted = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", str(page)], capture_output=True,
                                        text=True, timeout=WAIT)
                assert linted.returncode == 0, (page.name, linted.stdout)
        shown = subprocess.run(["man", "-l", str(pathlib.Path(folder, "man1", "ptxscope-check.1"))], capture_output=True,
                               text=True, env={**os.environ, "LC_ALL": "C.UTF-8", "MANPAGER": "cat", "MAN_KEEP_FORMATTING": "",
                                               "MANWIDTH": "80"}).stdout
        shown = re.sub(".\b", "", shown)
        for wanted in ["--target TARGET", "EXIT STATUS", "ptxscope check --target sm_120a kernel.ptx"]:
            assert wanted in shown, (wanted, shown)
        # Every option that --help names is on the page.
        for command in commands:
            page = run(program, "man", command).replace("\\-", "-").replace("\\fR", "").replace("\\fB", "")
            for option in set(re.findall(r"^  +(?:-\w, )?(--[a-z-]+)", run(program, "help", command), re.MULTILINE)):
                assert option in page, (command, option)
    run(program, "man", "nothing", status=2)
    run(program, "man", "--folder", "/dev/null/x", status=2)
    run(program, "completion", "tcsh", status=2)
    run(program, "completion", status=2)
    return len(pages)


TESTS = [bash, zsh, fish, manual]

if __name__ == "__main__":
    one_by_one.run(TESTS, __doc__)
