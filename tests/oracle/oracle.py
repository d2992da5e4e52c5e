"""Asks a ptxas which of many instruction forms it accepts: hundreds go into one module, an entry each, and errors are
told apart by their lines. An answer that was not expected is asked for again with the form alone in its module, because
some errors of ptxas are hidden behind others."""
import concurrent.futures
import os
import re
import subprocess
import tempfile

ERROR = re.compile(r"line (\d+); (error|fatal) *: (.*)")
ENTRY_NAME = "k"
BATCH = 400


def architecture_for(target):
    """The virtual architecture to check a .target with: ptxas only parses then."""
    number = re.match(r"sm_(\d+)([af]?)", target)
    value, suffix = int(number[1]), number[2]
    value = 75 if value < 75 else {82: 86, 101: 110}.get(value, value)
    return f"compute_{value}{suffix}"


class Ptxas:
    def __init__(self, path, jobs=2):
        self.path = path
        self.jobs = jobs
        self.runs = 0
        listed = subprocess.run([path, "--list-version"], capture_output=True, text=True, check=True).stdout
        self.versions = re.findall(r"\d+\.\d+", listed)
        about = subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout
        self.name = "ptxas " + (re.search(r"V([\d.]+)", about) or re.search(r"(.*)", about))[1]

    def run(self, text, target):
        """(exit status, [(line, message)])"""
        self.runs += 1
        with tempfile.NamedTemporaryFile("w", suffix=".ptx", delete=False) as file:
            file.write(text)
        try:
            done = subprocess.run([self.path, f"-arch={architecture_for(target)}", file.name, "-o", "/dev/null"],
                                  capture_output=True, text=True, errors="replace", timeout=120)
            messages = [(int(m[1]), m[3]) for m in map(ERROR.search, done.stderr.splitlines()) if m]
            if done.returncode != 0 and not messages:
                messages = [(0, done.stderr.strip().splitlines()[0] if done.stderr.strip() else "ptxas crashed")]
            return done.returncode, messages
        except subprocess.TimeoutExpired:
            return 1, [(0, "ptxas did not end")]
        finally:
            os.unlink(file.name)

    def alone(self, form, version, target):
        status, messages = self.run(form["module"].replace("@VERSION@", version).replace("@TARGET@", target), target)
        return status == 0, messages[0][1] if messages else ""

    def accepts(self, forms, version, target, expected):
        """{id: (accepted, message)} for each form."""
        answers = {}
        batches, single = [], []
        current = []
        for form in forms:
            parts = split_module(form["module"])
            if parts is None:
                single.append(form)
            else:
                current.append((form, parts))
                if len(current) == BATCH:
                    batches.append(current)
                    current = []
        if current:
            batches.append(current)
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for found in pool.map(lambda batch: self.batch(batch, version, target), batches):
                answers.update(found)
            again = single + [f for f in forms if f["id"] in answers and answers[f["id"]][0] != expected]
            for form, answer in zip(again, pool.map(lambda form: self.alone(form, version, target), again)):
                answers[form["id"]] = answer
        return answers

    def batch(self, entries, version, target):
        answers = {}
        left = list(entries)
        while left:
            text, owners = join(left, version, target)
            status, messages = self.run(text, target)
            if status == 0:
                answers.update({form["id"]: (True, "") for form, _ in left})
                return answers
            blamed = {}
            for line, message in messages:
                owner = owners.get(line)
                if owner is not None:
                    blamed.setdefault(owner, message)
            if not blamed:
                for form, _ in left:
                    answers[form["id"]] = self.alone(form, version, target)
                return answers
            answers.update({identity: (False, message) for identity, message in blamed.items()})
            # Some errors hide others (an unknown modifier all that are found after parsing): the rest is asked again.
            left = [(form, parts) for form, parts in left if form["id"] not in blamed]
        return answers


def split_module(text):
    """(lines before the entry, entry and what follows), when the form can stand beside others; None when it cannot."""
    lines = text.split("\n")
    if lines[:2] != [".version @VERSION@", ".target @TARGET@"]:
        return None
    head = []
    for number, line in enumerate(lines[2:], 2):
        if line.startswith(".visible .entry k()"):
            body = lines[number:]
            return (head, body) if sum(l.startswith((".entry", ".visible", ".func")) for l in body) == 1 else None
        if not re.match(r"(\.global \.(texref|samplerref|surfref) \w+;|\.global \.align 16 \.b8 glob0|\.shared \.align 16 \.b8 shar0|\.func f0 )", line):
            return None
        head.append(line)
    return None


def join(entries, version, target):
    """The module's text, and which form each of its lines belongs to."""
    lines = [f".version {version}", f".target {target}"]
    seen = set()
    for _, (head, _) in entries:
        for line in head:
            if line not in seen:
                seen.add(line)
                lines.append(line)
    owners = {}
    for number, (form, (_, body)) in enumerate(entries):
        for line in body:
            lines.append(line.replace(".entry k()", f".entry k{number}()") if ".entry k()" in line else line)
            owners[len(lines)] = form["id"]
    return "\n".join(lines) + "\n", owners
