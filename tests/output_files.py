#!/usr/bin/env python3
"""What -o names is the old file or the new one, whole, and nothing lies beside it: after signals at any time, kill -9, a
limit on the size of files, a folder or a disk that takes nothing, a command that fails.

    tests/output_files.py --ptxscope BIN
"""
import argparse
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time

OLD = b"the old file\n"
COMMANDS = ["explain-trap", "explain-trap --format json", "cfg", "cfg --format json", "cfg --format dot", "stats",
            "stats --live --checks", "stats --format json", "stats --csv", "check", "check --format json",
            "check --format sarif", "retarget --target sm_80 --isa 8.1", "print", "print --normalize", "instrument",
            "report", "diff", "diff --format json", "diff --format html", "extract --force"]
LIMIT = 64 << 10  # of ulimit -f


def module(functions):
    body = "".join(f"setp.gt.u32 %p1, %r{i % 9}, {i};\n@%p1 bra L{i};\nadd.s32 %r{i % 9}, %r{i % 7}, {i};\nL{i}:\n" for i in range(60))
    return ".version 8.0\n.target sm_80\n.address_size 64\n" + "".join(
        f".visible .entry k{f}(.param .u32 n)\n{{\n.reg .pred %p<2>;\n.reg .b32 %r<9>;\nld.param.u32 %r1, [n];\n{body}"
        "@%p1 trap;\nret;\n}\n" for f in range(functions))


class Place:
    """A folder with a module, another one, and the old file."""
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.inputs = [os.path.join(folder, name) for name in ("a.ptx", "b.ptx")]
        self.out = os.path.join(folder, "out")
        os.mkdir(self.out)
        self.file = os.path.join(self.out, "result")
        for name, functions in zip(self.inputs, (40, 41)):
            with open(name, "w") as file:
                file.write(module(functions))

    def reset(self, exists=True):
        for name in os.listdir(self.out):
            os.unlink(os.path.join(self.out, name))
        if exists:
            with open(self.file, "wb") as file:
                file.write(OLD)

    def command(self, line, file=None):
        inputs = self.inputs if line.startswith("diff") else self.inputs[:1]
        return [self.program, *line.split(), "-o", file or self.file, *inputs]

    def left(self):
        return {name: open(os.path.join(self.out, name), "rb").read() for name in os.listdir(self.out)}


failures = []


def expect(condition, what):
    if not condition:
        failures.append(what)
        print(what, flush=True)


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)


def check_signals(place, line, whole, seconds, chance):
    """A signal at a random time: the old file or the new one. kill -9 may leave the new one unnamed at most."""
    for sent in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
        place.reset()
        child = subprocess.Popen(place.command(line), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(chance.random() * seconds * 1.1)
        child.send_signal(sent)
        status = child.wait()
        left = place.left()
        expect(left.get("result") in (OLD, whole), f"{line}: {sent.name}: neither the old file nor the new one")
        expect(list(left) == ["result"] or sent == signal.SIGKILL, f"{line}: {sent.name}: left {sorted(left)}")
        expect(status in (0, 1, -sent), f"{line}: {sent.name}: status {status}")


def check_limit(place, line, whole):
    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, LIMIT))
    for exists in (True, False):
        place.reset(exists)
        done = run(place.command(line), preexec_fn=limited)
        left = place.left()
        if len(whole) <= LIMIT:
            expect(left == {"result": whole}, f"{line}: a small file is written in spite of ulimit -f")
            continue
        expect(done.returncode == 2, f"{line}: ulimit -f: status {done.returncode}")
        expect(left == ({"result": OLD} if exists else {}), f"{line}: ulimit -f: left {sorted(left)}")
        expect(b"ulimit -f" in done.stderr and place.file.encode() in done.stderr, f"{line}: ulimit -f: {done.stderr[-200:]}")


def check_disk(place, line):
    """A disk that is full."""
    done = run(place.command(line, "/dev/full"))
    expect(done.returncode == 2 and b"make room" in done.stderr, f"{line}: full disk: {done.returncode} {done.stderr[-200:]}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--ptxscope", required=True)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--rounds", type=int, default=1)
    options = arguments.parse_args()
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        place = Place(os.path.abspath(options.ptxscope), folder)
        for line in COMMANDS:
            place.reset()
            begin = time.monotonic()
            done = run(place.command(line))
            seconds = time.monotonic() - begin
            expect(done.returncode in (0, 1), f"{line}: status {done.returncode}: {done.stderr[-200:]}")
            left = place.left()
            whole = left.get("result", b"")
            expect(list(left) == ["result"] and whole != OLD, f"{line}: left {sorted(left)}")
            for _ in range(options.rounds):
                check_signals(place, line, whole, seconds, chance)
            check_limit(place, line, whole)
            if line != "extract --force":
                check_disk(place, line)
            # A command that fails leaves the file; so does a folder that is not there.
            place.reset()
            wrong = [word if word != place.inputs[0] else word + ".missing" for word in place.command(line)]
            done = run(wrong)
            expect(done.returncode == 2 and place.left() == {"result": OLD}, f"{line}: a missing input: {done.returncode}")
            done = run(place.command(line, os.path.join(place.out, "none", "result")))
            expect(done.returncode == 2 and place.left() == {"result": OLD}, f"{line}: a missing folder: {done.returncode}")
        # Modes, links.
        place.reset()
        os.chmod(place.file, 0o640)
        run(place.command("stats"))
        expect(os.stat(place.file).st_mode & 0o777 == 0o640, "the mode of the old file")
        place.reset(False)
        os.symlink("behind", place.file)
        run(place.command("stats"))
        expect(os.path.islink(place.file) and sorted(place.left()) == ["behind", "result"], "through a link")
    print(f"{len(COMMANDS)} commands, {len(failures)} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
