#!/usr/bin/env python3
"""The GitHub Action and the pre-commit hooks: what their scripts do in a repository made for it, and that the files that
describe them say what is there.

    ci_scripts.py --ptxscope PATH [NAME...]    all tests or those; exit status 1 when one fails
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import one_by_one
from one_by_one import Missing

SOURCE = pathlib.Path(__file__).resolve().parent.parent
SCRIPTS = SOURCE / "scripts"
GOOD = (SOURCE / "samples/vecadd/vecadd.ptx").read_text()
BAD = GOOD.replace("trap;", "wgmma.fence.sync.aligned;\n\ttrap;", 1)


class Repository:
    """A git repository with two commits, and ptxscope in PATH."""

    def __init__(self, program):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name, "repo")
        (self.path / "deep/er").mkdir(parents=True)
        bin_folder = pathlib.Path(self.folder.name, "bin")
        bin_folder.mkdir()
        (bin_folder / "ptxscope").symlink_to(program)
        self.bin = bin_folder
        self.environment = {**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}", "HOME": self.folder.name,
                            "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b",
                            "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
        self.environment.pop("GITHUB_OUTPUT", None)
        self.git("init", "-q", "-b", "main")
        self.write("kernel.ptx", GOOD)
        self.write("deep/er/other.ptx", GOOD)
        self.write("same.ptx", GOOD)
        self.write("gone.ptx", GOOD)
        self.commit()

    def write(self, name, text):
        (self.path / name).write_text(text)

    def git(self, *words):
        return subprocess.run(["git", *words], cwd=self.path, env=self.environment, check=True, capture_output=True,
                              text=True).stdout.strip()

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "x")
        return self.git("rev-parse", "HEAD")

    def run(self, *command, status=0, **environment):
        done = subprocess.run(command, cwd=self.path, env={**self.environment, **environment}, capture_output=True,
                              text=True, timeout=300)
        assert done.returncode == status, (command, done.returncode, done.stdout, done.stderr)
        return done.stdout


def check(program):
    repository = Repository(program)
    output = repository.path / "output"
    sarif = repository.path / "out.sarif"
    script = str(SCRIPTS / "ci-check.sh")
    said = repository.run(script, str(sarif), PTXSCOPE_FILES="*.ptx **/*.ptx", GITHUB_OUTPUT=str(output))
    assert "::error" not in said, said
    assert output.read_text() == f"sarif-file={sarif}\n"
    assert json.loads(sarif.read_text())["runs"][0]["results"] == []
    repository.write("deep/er/other.ptx", BAD)
    repository.write("with space.ptx", BAD)
    said = repository.run(script, str(sarif), status=1, PTXSCOPE_FILES="**/*.ptx\n kernel.ptx")
    assert "::error file=deep/er/other.ptx" in said, said
    files = {one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
             for one in json.loads(sarif.read_text())["runs"][0]["results"]}
    assert files == {"deep/er/other.ptx", "with%20space.ptx"}, files
    # With another target it fits; a word that is no option is the command's to refuse.
    repository.run(script, str(sarif), PTXSCOPE_FILES="deep", PTXSCOPE_ARGUMENTS="--target sm_90a --isa 8.0")
    repository.run(script, str(sarif), status=2, PTXSCOPE_FILES="deep", PTXSCOPE_ARGUMENTS="--frobnicate")
    assert "no file is named" in repository.run(script, str(sarif), PTXSCOPE_FILES="*.nothing")
    # Patterns are patterns and nothing else.
    repository.run(script, str(sarif), status=2, PTXSCOPE_FILES="$(touch made) `touch made` ;touch made")
    assert not (repository.path / "made").exists()


def diff(program):
    repository = Repository(program)
    base = repository.git("rev-parse", "HEAD")
    script = str(SCRIPTS / "ci-diff.sh")
    assert repository.run(script, base) == ""
    repository.write("kernel.ptx", GOOD.replace("add.f32", "sub.f32"))
    repository.write("same.ptx", GOOD.replace("%rd4", "%rd99").replace("%rd<17>", "%rd<100>"))
    repository.write("new & <b>.ptx", GOOD)
    repository.write("deep/er/other.ptx", GOOD.replace("ret;", "ret; // ```` </details>"))
    (repository.path / "gone.ptx").unlink()
    head = repository.commit()
    said = repository.run(script, base, head)
    assert said.startswith("<!-- ptxscope -->\n"), said
    for wanted in ["<code>kernel.ptx</code>: changed", "<code>same.ptx</code>: the code is the same",
                   "<code>new &amp; &lt;b>.ptx</code>: added", "<code>gone.ptx</code>: removed",
                   "<code>deep/er/other.ptx</code>", "sub.f32"]:
        assert wanted in said, (wanted, said)
    assert said.count("<details>") == said.count("</details>") == 5, said
    assert repository.run(script, base) == said  # the files as they are
    short = repository.run(script, base, head, PTXSCOPE_MOST="50")
    assert "cut: the rest is left out" in short and len(short) < len(said)
    repository.run(script, status=2)


def comment(program):
    """With a gh that keeps what it is told."""
    repository = Repository(program)
    log = repository.path.parent / "gh.log"
    gh = repository.bin / "gh"
    gh.write_text(f"""#!/bin/bash
printf '%s\\n' "$*" >> {log}
case "$*" in
  *--paginate*) [[ -z ${{OLD:-}} ]] || echo "$OLD" ;;
  *) for word in "$@"; do [[ $word != body=@* ]] || cat "${{word#body=@}}" >> {log}; done ;;
esac
""")
    gh.chmod(0o755)
    script = str(SCRIPTS / "ci-comment.sh")
    text = repository.path / "text.md"

    def told(content, **environment):
        text.write_text(content)
        log.write_text("")
        repository.run(script, "7", str(text), GH_REPO="o/r", **environment)
        return log.read_text()

    said = told("<!-- ptxscope -->\nhello\n")
    assert "--method POST repos/o/r/issues/7/comments" in said and "hello" in said, said
    said = told("<!-- ptxscope -->\nhello\n", OLD="123")
    assert "--method PATCH repos/o/r/issues/comments/123" in said and "POST" not in said, said
    assert "--method" not in told("")
    assert "No PTX file differs any more." in told("", OLD="123")


def key(program):
    """The same sources, the same key; whatever is built of them."""
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder, "tree")
        (tree / "scripts").mkdir(parents=True)
        shutil.copy(SCRIPTS / "ci-key.sh", tree / "scripts")
        (tree / "parser").mkdir()
        source = tree / "parser" / "a file.cpp"
        source.write_text("one")

        def said():
            out = subprocess.run([str(tree / "scripts/ci-key.sh")], capture_output=True, text=True, check=True, cwd=folder).stdout
            assert re.fullmatch(r"[A-Za-z0-9._-]+\n", out), out
            return out

        first = said()
        for made in ("build/action/x.o", "build-2/y.o", "out/z", ".cache/antlr4.jar", ".git/HEAD", "scripts/__pycache__/p.pyc"):
            (tree / made).parent.mkdir(parents=True, exist_ok=True)
            (tree / made).write_text(made)
        assert said() == first
        source.write_text("two")
        assert said() != first
        source.write_text("one")
        assert said() == first
        source.rename(tree / "parser" / "b.cpp")
        assert said() != first


def descriptions(program):
    try:
        import yaml
    except ImportError as error:
        raise Missing("PyYAML (package python3-yaml)") from error
    action = yaml.safe_load((SOURCE / "action.yml").read_text())
    assert action["runs"]["using"] == "composite"
    text = (SOURCE / "action.yml").read_text()
    for step in action["runs"]["steps"]:
        assert "uses" in step or (step["shell"] == "bash" and step["run"]), step
        # What another person may write must not become part of a script.
        assert "${{" not in step.get("run", ""), step
        # One that runs after a failed check does not run after a failed build.
        assert "always()" not in step.get("if", "") or "steps.check.out" in step["if"], step
        # Neither sees an action that another repository uses.
        assert not re.search("hashFiles|action_ref", str(step.get("with", ""))), step

    for name in set(re.findall(r"scripts/[a-z-]+\.sh", text)):
        assert os.access(SOURCE / name, os.X_OK), name
    for name in set(re.findall(r"inputs\.([a-z-]+)", text)):
        assert name in action["inputs"], name
    hooks = yaml.safe_load((SOURCE / ".pre-commit-hooks.yaml").read_text())
    assert {hook["id"] for hook in hooks} == {"ptxscope-check", "ptxscope-parse"}
    for script in SCRIPTS.glob("ci-*.sh"):
        subprocess.run(["bash", "-n", str(script)], check=True)


def pre_commit(program):
    """The hooks, by pre-commit itself."""
    if shutil.which("pre-commit") is None:
        raise Missing("pre-commit (pip install pre-commit)")
    repository = Repository(program)
    hooks = pathlib.Path(repository.folder.name, "hooks")
    hooks.mkdir()
    shutil.copy(SOURCE / ".pre-commit-hooks.yaml", hooks)
    for words in [("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-q", "-m", "x")]:
        subprocess.run(["git", *words], cwd=hooks, env=repository.environment, check=True)
    environment = {"PRE_COMMIT_HOME": f"{repository.folder.name}/cache"}
    repository.write("-o.ptx", GOOD)
    repository.git("add", "-A")
    said = repository.run("pre-commit", "try-repo", str(hooks), "--all-files", **environment)
    assert said.count("Passed") == 2, said
    repository.write("bad.ptx", BAD)
    repository.git("add", "-A")
    said = repository.run("pre-commit", "try-repo", str(hooks), "--all-files", status=1, **environment)
    assert "sm_90a" in said and said.count("Passed") == 1 and said.count("Failed") == 1, said


TESTS = [check, diff, comment, key, descriptions, pre_commit]

if __name__ == "__main__":
    one_by_one.run(TESTS, __doc__)
