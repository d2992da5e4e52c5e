#!/usr/bin/env python3
"""ptxscope run, with the driver of tests/fake_driver: what a program sees is the same with and without it, a trap is
told in words, and whatever becomes of the parent or of what is said to it, the program runs on.

  run_test.py --ptxscope BINARY --preload LIBRARY --driver FOLDER
"""
import argparse
import fcntl
import json
import os
import pathlib
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
VECADD = ROOT / "samples" / "vecadd" / "vecadd.ptx"
checks = 0
failures = []


def check(condition, what, shown=""):
    global checks
    checks += 1
    if not condition:
        failures.append(what)
        print(f"run_test: {what}\n{shown}", file=sys.stderr)


class Bench:
    def __init__(self, arguments):
        self.ptxscope = str(pathlib.Path(arguments.ptxscope).resolve())
        self.preload = str(pathlib.Path(arguments.preload).resolve())
        self.driver = str(pathlib.Path(arguments.driver).resolve())
        self.app = str(pathlib.Path(self.driver) / "fake_app")
        self.linked = str(pathlib.Path(self.driver) / "fake_app_linked")
        self.hostile = str(pathlib.Path(self.driver) / "fake_hostile")
        self.folder = tempfile.mkdtemp(prefix="run_test-")
        self.fat = os.path.join(self.folder, "vecadd.fatbin")
        pathlib.Path(self.fat).write_bytes(fat_binary((1, 80, 0, VECADD.read_bytes())))
        self.values = ""

    def environment(self, **more):
        known = dict(os.environ, LD_LIBRARY_PATH=self.driver, PTXSCOPE_PRELOAD=self.preload, TMPDIR=self.folder,
                     FAKE_CUDA_VALUES=self.values, **more)
        known.pop("XDG_RUNTIME_DIR", None)
        # In a build with sanitizers: our library comes before theirs, and the programs leave memory behind.
        known["ASAN_OPTIONS"] = known.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0:detect_leaks=0"
        known.pop("LD_PRELOAD", None)
        return known

    def alone(self, *command, **more):
        return subprocess.run(command, capture_output=True, text=True, env=self.environment(**more), timeout=60)

    def run(self, *command, options=(), **more):
        return subprocess.run([self.ptxscope, "run", *options, "--", *command], capture_output=True, text=True,
                              env=self.environment(**more), timeout=60)

    def report(self, *command, options=(), **more):
        path = os.path.join(self.folder, "report.json")
        done = self.run(*command, options=["--json", path, *options], **more)
        with open(path, encoding="utf-8") as file:
            return done, json.load(file)


def fat_binary(*entries):
    """Entries (kind, number, flags, bytes), not compressed; parser/container_fatbin.cpp says what stands where."""
    body = b""
    for kind, number, flags, payload in entries:
        payload += b"\0" * (8 - len(payload) % 8)
        body += struct.pack("<HHIQ", kind, 0x101, 0x40, len(payload))
        body += struct.pack("<IIHHI", 0, 0, 0, 7, number) + struct.pack("<IIQ", 0, 0, 1 | flags)
        body += struct.pack("<QQ", 0, 0) + payload
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def site_values(bench):
    """What the record's slots hold at the first site of vecadd with 512 elements: both sides of the check are 512."""
    text = subprocess.run([bench.ptxscope, "instrument", str(VECADD), "--format", "json"], capture_output=True, text=True,
                          timeout=60, check=True).stdout
    values = json.loads(text)["sites"][0]["values"]
    slots = {value["slot"]: value["text"] for value in values}
    known = {"global.x": 512}
    return ",".join(str(known.get(slots.get(slot), 512)) for slot in range(max(slots, default=-1) + 1))


def test_same_as_alone(bench):
    ways = [(bench.app, "dlsym"), (bench.app, "proc"), (bench.linked, "linked")]
    for program, via in ways:
        for load in ("data", "dataex", "file", "library", "early", "link", "fat", "objects", "nvrtc"):
            for length in ("1024", "512"):
                command = [program, "--via", via, "--load", load, "--len", length,
                           bench.fat if load in ("fat", "objects") else str(VECADD)]
                plain, watched = bench.alone(*command), bench.run(*command)
                what = f"{via}, {load}, length {length}"
                check(watched.stdout == plain.stdout, f"{what}: another output", watched.stdout + watched.stderr)
                check(watched.returncode == plain.returncode, f"{what}: another exit code", watched.stderr)
                has_trap = "vecadd trapped: index out of bounds" in watched.stderr
                check(has_trap == (length == "512"), f"{what}: trap {'not ' if not has_trap else ''}told",
                      watched.stderr)


def test_words(bench):
    done = bench.run(bench.app, "--len", "512", str(VECADD))
    lines = done.stderr.splitlines()
    check(done.returncode == 3, "the command's exit code", done.stderr)
    for piece in ("vecadd trapped: index out of bounds: global.x = 512, arg0.len = 512", "src/main.rs",
                  "block (2,0,0) thread (0,0,0)", "512 of 1024 threads would trap", "grid (4,1,1) block (256,1,1)",
                  "arg0.len=512"):
        check(any(piece in line for line in lines), f"not said: {piece}", done.stderr)
    check(bench.run(bench.app, "--len", "512", str(VECADD), options=["--quiet"]).stderr == "", "--quiet says something")


def test_json(bench):
    done, report = bench.report(bench.app, "--len", "512", str(VECADD))
    check(report["schema"] == "ptxscope.run/1", "schema")
    check(len(report["modules"]) == 1 and report["modules"][0]["outcome"] == "instrumented", "modules",
          json.dumps(report, indent=1))
    check(len(report["traps"]) == 1, "traps", json.dumps(report, indent=1))
    check([kernel["name"] for kernel in report["kernels"]] == ["vecadd"], "kernels", json.dumps(report, indent=1))
    check(report["kernels"][0]["trapped"], "the kernel that trapped", json.dumps(report["kernels"]))
    check(done.returncode == 3, "exit code with --json")


def test_calls(bench):
    log = os.path.join(bench.folder, "calls")
    bench.alone(bench.app, str(VECADD), FAKE_CUDA_LOG=log)
    plain = pathlib.Path(log).read_text(encoding="utf-8")
    os.remove(log)
    bench.run(bench.app, str(VECADD), FAKE_CUDA_LOG=log)
    watched = pathlib.Path(log).read_text(encoding="utf-8")
    os.remove(log)
    check("original" in plain and "instrumented" not in plain, "calls without run", plain)
    check("instrumented" in watched and "original" not in watched, "calls with run", watched)
    bench.run(bench.app, str(VECADD), options=["--no-record"], FAKE_CUDA_LOG=log)
    observed = pathlib.Path(log).read_text(encoding="utf-8")
    check("instrumented" not in observed, "calls with --no-record", observed)


def test_refused(bench):
    for load in ("data", "dataex", "library", "file"):
        command = [bench.app, "--load", load, str(VECADD)]
        done, report = bench.report(*command, FAKE_CUDA_REFUSE="ours")
        check(done.returncode == 0 and done.stdout == bench.alone(*command).stdout, f"{load}: ours refused", done.stderr)
        module = report["modules"][0]
        check(module["outcome"] == "fell-back" and "refuses the instrumented text" in json.dumps(module),
              f"{load}: fallback told", json.dumps(module))
        plain = bench.alone(*command, FAKE_CUDA_REFUSE="all")
        done, report = bench.report(*command, FAKE_CUDA_REFUSE="all")
        check(done.stdout == plain.stdout and done.returncode == plain.returncode, f"{load}: all refused",
              done.stdout + done.stderr)
        check(report["modules"][0]["outcome"] == "refused", f"{load}: refusal told", json.dumps(report["modules"]))
        done, report = bench.report(*command, FAKE_CUDA_TIGHT="1")
        module = report["modules"][0]
        check(done.returncode == 0 and module["outcome"] == "fell-back" and "registers" in json.dumps(module),
              f"{load}: a kernel that would no longer fit", json.dumps(module))
    for load in ("library", "early"):
        command = [bench.app, "--load", load, str(VECADD)]
        done, report = bench.report(*command, FAKE_CUDA_REFUSE="late")
        check(done.returncode == 0 and done.stdout == "sum 524288.0\n" and report["modules"][0]["outcome"] == "fell-back",
              f"{load}: refused when it is used first", done.stdout + done.stderr)
    done = bench.run(bench.app, "--load", "link", str(VECADD), FAKE_CUDA_REFUSE="link")
    check(done.returncode == 0 and done.stdout == "sum 524288.0\n", "linked again with the originals",
          done.stdout + done.stderr)


def test_machine_code(bench):
    """No PTX: loaded as it is, and said."""
    path = os.path.join(bench.folder, "code.fatbin")
    pathlib.Path(path).write_bytes(fat_binary((2, 80, 0, VECADD.read_bytes())))  # our driver takes anything for code
    done, report = bench.report(bench.app, "--load", "fat", path)
    check(done.returncode == 0 and done.stdout == "sum 524288.0\n", "machine code", done.stderr)
    check(report["modules"][0]["outcome"] == "no-ptx", "machine code told", json.dumps(report["modules"]))
    other, report = bench.report(bench.app, "--load", "fat", bench.fat, FAKE_CUDA_CAPABILITY="75")
    check(other.returncode == 0 and report["modules"][0]["outcome"] == "untouched" and
          "sm_80" in report["modules"][0]["reason"], "PTX for newer devices only", json.dumps(report["modules"]))


def test_choice(bench):
    """Of several PTX the one for the highest target that runs on the device; sm_90a on no other than 9.0."""
    path = os.path.join(bench.folder, "several.fatbin")
    text = VECADD.read_text(encoding="utf-8")
    only_for_one = 0x100000
    pathlib.Path(path).write_bytes(fat_binary(*(
        (1, number, flags, text.replace("7.0", "8.7").replace("sm_80", name).encode()) for number, flags, name in (
            (75, 0, "sm_75"), (90, 0, "sm_90"), (90, only_for_one, "sm_90a"), (100, 0, "sm_100"), (80, 0, "sm_80")))))
    for capability, target in (("75", "sm_75"), ("86", "sm_80"), ("90", "sm_90a"), ("89", "sm_80"), ("103", "sm_100"),
                               ("120", "sm_100"), ("70", None)):
        done, report = bench.report(bench.app, "--load", "fat", "--len", "512", path, FAKE_CUDA_CAPABILITY=capability)
        module = report["modules"][0]
        check(module["target"] == target and module["outcome"] == ("instrumented" if target else "untouched"),
              f"chosen for {capability}", json.dumps(module))
        check(bool(report["traps"]) == bool(target), f"record for {capability}", done.stderr)


def test_nvrtc(bench):
    """Machine code that NVRTC made: its PTX is asked for, and loaded."""
    for program, via in ((bench.app, "dlsym"), (bench.linked, "linked")):
        log = os.path.join(bench.folder, "calls")
        done, report = bench.report(program, "--via", via, "--load", "nvrtc", "--len", "512", str(VECADD),
                                    FAKE_CUDA_LOG=log)
        calls = pathlib.Path(log).read_text(encoding="utf-8")
        os.remove(log)
        module = report["modules"][0]
        check(module["outcome"] == "instrumented" and "NVRTC made its PTX, too" in module["reason"] and
              module["had_machine_code"] and len(report["traps"]) == 1, f"{via}: NVRTC", json.dumps(module))
        check("instrumented" in calls, f"{via}: NVRTC, what is loaded", calls)
    done, report = bench.report(bench.app, "--load", "nvrtc", "--len", "512", str(VECADD), options=["--no-record"])
    check(report["modules"][0]["outcome"] == "no-ptx" and not report["traps"], "NVRTC with --no-record", done.stderr)
    done, report = bench.report(bench.app, "--load", "nvrtc", str(VECADD), FAKE_CUDA_REFUSE="ours")
    check(done.stdout == "sum 524288.0\n" and report["modules"][0]["outcome"] == "fell-back",
          "NVRTC, ours refused", json.dumps(report["modules"]))


def test_triton(bench):
    """A cubin that lies in Triton's cache: the PTX beside it, when asked for; else what to say is told."""
    cache = pathlib.Path(bench.folder) / "triton"
    (cache / "ABCDEF").mkdir(parents=True)
    (cache / "OTHER").mkdir()
    text = VECADD.read_bytes()
    code = (b"\x7fELF\2\1\1".ljust(0x28, b"\0") + struct.pack("<Q", 64 + len(text))).ljust(64, b"\0") + text
    (cache / "OTHER" / "add.cubin").write_bytes(code[:-1] + b" ")
    (cache / "OTHER" / "add.ptx").write_text("of another kernel", encoding="utf-8")
    (cache / "ABCDEF" / "add.cubin").write_bytes(code)
    (cache / "ABCDEF" / "add.ptx").write_bytes(text)
    loaded = pathlib.Path(bench.folder) / "loaded.cubin"
    loaded.write_bytes(code)
    command = [bench.app, "--load", "data", "--len", "512", str(loaded)]
    for found in ({"TRITON_CACHE_DIR": str(cache)}, {"TRITON_HOME": bench.folder}):
        if "TRITON_HOME" in found:
            (pathlib.Path(bench.folder) / ".triton").mkdir()
            cache.rename(pathlib.Path(bench.folder) / ".triton" / "cache")
        done, report = bench.report(*command, options=["--triton-cache"], **found)
        module = report["modules"][0]
        check(module["outcome"] == "instrumented" and "Triton's cache" in module["reason"] and len(report["traps"]) == 1,
              "--triton-cache", json.dumps(module) + done.stderr)
        check(done.returncode == 3, "--triton-cache: exit code")
        done, report = bench.report(*command, **found)
        module = report["modules"][0]
        check(module["outcome"] == "no-ptx" and not report["traps"] and "--triton-cache" in done.stderr,
              "Triton's cache is not used unless asked for", json.dumps(module) + done.stderr)
    done, report = bench.report(*command, options=["--triton-cache"], TRITON_CACHE_DIR=bench.folder)
    check(report["modules"][0]["outcome"] == "no-ptx" and "--triton-cache" not in report["modules"][0]["remedy"],
          "a cubin that is not in the cache", json.dumps(report["modules"]))


def test_names(bench):
    vecadd = [bench.app, "--len", "512", str(VECADD)]
    done = bench.run(bench.app, "--len", "512", str(VECADD), options=["--names", "a,b,c"])
    for piece in ("vecadd trapped: index out of bounds: global.x = 512, a.len = 512", "a.len=512, b.ptr="):
        check(piece in done.stderr, f"--names: {piece}", done.stderr)
    done = bench.run(bench.app, "--len", "512", str(VECADD), options=["--names", "a,b,a"])
    check(done.returncode == 2 and "two arguments would be called a" in done.stderr, "--names a,b,a", done.stderr)
    check("fits no argument" not in bench.run(*vecadd, options=["--names", "a,,c"]).stderr, "names that fit")
    for length in ("512", "1024"):
        vecadd[2] = length
        done = bench.run(*vecadd, options=["--names", "a,b,c,d,,e"])
        check("--names: d and e: no kernel with checks has so many arguments (vecadd: a, b, c)" in done.stderr,
              "names that fit nothing", done.stderr)


def test_without_dashes(bench):
    """The command starts at the first word that is no option."""
    for words in (["--names", "a,b,c", bench.app, "--len", "512", str(VECADD)],
                  ["-v", "--names=a,b,c", bench.app, "--len", "512", str(VECADD)],
                  ["--require-launch", "--names", "a,b,c", "--", bench.app, "--len", "512", str(VECADD)]):
        done = subprocess.run([bench.ptxscope, "run", *words], capture_output=True, text=True, timeout=60,
                              env=bench.environment())
        check(done.returncode == 3 and "a.len = 512" in done.stderr, f"run {words}", done.stderr)
    done = subprocess.run([bench.ptxscope, "run", "--jason", "x", bench.app], capture_output=True, text=True,
                          timeout=60, env=bench.environment())
    check(done.returncode == 2 and "did you mean --json" in done.stderr, "an unknown option of run", done.stderr)


def test_odd_programs(bench):
    """Descriptors closed and taken again, no room for files, an end in a signal handler: as without us."""
    for option in ("--close", "--limit", "--exit"):
        for load in ("data", "library"):
            command = [bench.app, option, "--load", load, str(VECADD)]
            plain, watched = bench.alone(*command), bench.run(*command)
            check(watched.stdout == plain.stdout and watched.returncode == plain.returncode == (5 if option == "--exit" else 0),
                  f"{option}, {load}", f"{plain.returncode} {plain.stdout} | {watched.returncode} {watched.stdout}"
                  f"{watched.stderr}")


def test_records(bench):
    done = bench.run(bench.app, "--len", "512", str(VECADD), FAKE_CUDA_NO_REGISTER="1")
    check("vecadd trapped: index out of bounds" in done.stderr, "memory that cannot be pinned", done.stderr)
    done = bench.run(bench.app, "--len", "512", "--kill", str(VECADD))
    check(done.returncode == 128 + signal.SIGKILL, "exit code of a killed command", str(done.returncode))
    check("vecadd trapped: index out of bounds" in done.stderr, "the record of a killed command", done.stderr)
    done = bench.run(bench.app, "--len", "512", "--threads", "8", "--load", "library", str(VECADD))
    check(done.stderr.count("vecadd trapped") == 1, "one record for a context", done.stderr)
    done, report = bench.report(bench.app, "--len", "512", "--fork", str(VECADD))
    check(len({trap["pid"] for trap in report["traps"]}) == 2, "both processes of a fork", done.stderr)
    for load in ("data", "library"):
        command = [bench.app, "--via", "proc", "--load", load, "--len", "512", "--contexts", str(VECADD)]
        plain, (done, report) = bench.alone(*command), bench.report(*command)
        check(done.stdout == plain.stdout and done.returncode == plain.returncode == 3, f"contexts, {load}", done.stdout)
        check(len(report["traps"]) == 1 and len(report["modules"]) == 4, f"one of four contexts, {load}", done.stderr)
    done, report = bench.report(bench.app, "--twice", str(VECADD))
    check(len(report["modules"]) == 2 and done.returncode == 0, "a module unloaded again", done.stderr)


def test_exit_codes(bench):
    for command, code in ((["sh", "-c", "exit 7"], 7), (["sh", "-c", "kill -SEGV $$"], 128 + signal.SIGSEGV),
                          (["true"], 0), (["no-such-program"], 127), (["/etc/passwd"], 126)):
        done = bench.run(*command)
        check(done.returncode == code, f"{command}: exit code", f"{done.returncode}\n{done.stderr}")
    check(bench.run("true", options=["--require-launch"]).returncode == 1, "--require-launch without a launch")
    check(bench.run("sh", "-c", "exit 7", options=["--require-launch"]).returncode == 7,
          "--require-launch with an error of the command")
    check(bench.run(bench.app, str(VECADD), options=["--require-launch"]).returncode == 0,
          "--require-launch with a launch")
    done = bench.run("true")
    check("driver" in done.stderr, "a driver that was never opened is not told", done.stderr)
    done = bench.run(bench.app, str(VECADD), options=[])
    check(done.stderr == "", "a run without anything to tell says something", done.stderr)
    done = subprocess.run([bench.ptxscope, "run"], capture_output=True, text=True, env=bench.environment(), timeout=60)
    check(done.returncode == 2 and "--" in done.stderr, "no command")
    done = subprocess.run([bench.ptxscope, "run", "--", "true"], capture_output=True, text=True, timeout=60,
                          env=dict(bench.environment(), PTXSCOPE_PRELOAD="/nowhere.so"))
    check(done.returncode == 2 and "PTXSCOPE_PRELOAD" in done.stderr, "no library to preload", done.stderr)


def test_static(bench):
    for path in ("/sbin/ldconfig", "/usr/sbin/ldconfig", "/sbin/ldconfig.real"):
        if os.path.exists(path):
            with open(path, "rb") as file:
                if file.read(4) != b"\x7fELF":
                    continue
            done = bench.run(path, "--version")
            check("linked statically" in done.stderr, f"{path}: is static, not told", done.stderr)
            return


def test_interrupt(bench):
    started = subprocess.Popen([bench.ptxscope, "run", "--", "sleep", "30"], env=bench.environment(),
                               stderr=subprocess.PIPE, text=True)
    time.sleep(0.5)
    started.send_signal(signal.SIGTERM)
    try:
        started.wait(10)
        check(started.returncode == 128 + signal.SIGTERM, "SIGTERM is passed on", str(started.returncode))
    except subprocess.TimeoutExpired:
        started.kill()
        check(False, "SIGTERM does not end the run")
    started.stderr.close()


def shell(bench, line, **more):
    """A line of bash, with the tool as $PTXSCOPE; exit status 124 where it does not end."""
    return subprocess.run(["timeout", "30", "bash", "-c", line], capture_output=True, text=True, timeout=60,
                          env=dict(bench.environment(**more), PTXSCOPE=bench.ptxscope))


def test_dispositions(bench):
    """What the command was to find of signals, it finds: an ignored SIGCHLD, a SIGPIPE that ends it."""
    done = shell(bench, "trap '' CHLD; exec \"$PTXSCOPE\" run -q -- true")
    check(done.returncode == 0, "SIGCHLD is ignored: the end is not seen", f"{done.returncode} {done.stderr}")
    done = shell(bench, "trap '' CHLD; exec \"$PTXSCOPE\" run -q -- sh -c 'exit 7'")
    check(done.returncode == 7, "SIGCHLD is ignored: the exit status", f"{done.returncode} {done.stderr}")
    for command in ("yes", "\"$PTXSCOPE\" run -q -- yes"):
        done = shell(bench, f"{command} | head -1; echo ${{PIPESTATUS[0]}}")
        check(done.stdout == "y\n141\n", f"a pipe that is closed: {command}", done.stdout + done.stderr)
    state = "grep -E 'Sig(Ign|Blk|Cgt)' /proc/self/status"
    for before in ("", "trap '' INT QUIT HUP USR1; ", "trap '' CHLD PIPE XFSZ; "):
        done = shell(bench, f"{before}{state}; echo; \"$PTXSCOPE\" run -q -- {state}")
        plain, _, watched = done.stdout.partition("\n\n")
        check(plain.split() == watched.split() != [], f"signals of the command after {before!r}",
              f"{plain}\n{watched}\n{done.stderr}")


def test_descriptors_of_command(bench):
    """A standard stream that is closed is closed for the command, too, and nothing else is open for it."""
    listed = os.path.join(bench.folder, "descriptors")
    for closed in ("", "<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        done = [shell(bench, f"{start} sh -c 'ls -l /proc/self/fd > {listed}.{i}; exit 6' {closed}")
                for i, start in enumerate(("", "\"$PTXSCOPE\" run -q --"))]
        texts = [pathlib.Path(f"{listed}.{i}").read_text(encoding="utf-8") for i in range(2)]
        numbers = [[line.split()[8] for line in text.splitlines()[1:]] for text in texts]
        check(numbers[0] == numbers[1] != [] and done[0].returncode == done[1].returncode == 6,
              f"descriptors of the command with {closed!r}", f"{texts} {[one.stderr for one in done]}")


SIGNALS = """
import os, signal, sys, time
def say(number, frame):
    print(signal.Signals(number).name, flush=True)
    if number == signal.SIGTERM:
        sys.exit(9)
for one in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM,
            signal.SIGWINCH, signal.SIGABRT, signal.SIGCONT, signal.SIGRTMIN):
    signal.signal(one, say)
os.kill(os.getppid(), signal.SIGUSR1)
print("ready", flush=True)
while True:
    time.sleep(0.05)
"""


def wait_for(condition, seconds=15):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.02)
    return False


def line_of(stream, seconds=15):
    """What was said; "" where nothing comes."""
    return stream.readline() if select.select([stream], [], [], seconds)[0] else ""


def state_of(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0]
    except OSError:
        return None


def child_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
        return int(file.read().split()[0])


def test_signals(bench):
    """Sent to ptxscope alone, each comes to the command, once; what the command itself sends does not come back."""
    # In a process group of its own: SIGTSTP stops nothing in one that has no parent in another group to continue it.
    started = subprocess.Popen([bench.ptxscope, "run", "-q", "--", sys.executable, "-c", SIGNALS], text=True,
                               env=bench.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               preexec_fn=lambda: os.setpgid(0, 0))
    check(line_of(started.stdout) == "ready\n", "a command that handles signals")
    for one in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM,
                signal.SIGWINCH, signal.SIGABRT, signal.SIGRTMIN):
        started.send_signal(one)
        said = line_of(started.stdout)
        check(said == f"{one.name}\n", f"{one.name} is passed on", said)
    command = child_of(started.pid)
    started.send_signal(signal.SIGTSTP)
    check(wait_for(lambda: state_of(started.pid) == "T" and state_of(command) == "T"), "SIGTSTP stops both",
          f"{state_of(started.pid)} {state_of(command)}")
    started.send_signal(signal.SIGCONT)
    said = line_of(started.stdout)
    check(said == "SIGCONT\n" and wait_for(lambda: state_of(started.pid) in "SR"), "SIGCONT continues both", said)
    started.send_signal(signal.SIGTERM)
    rest, words = started.communicate(timeout=20)
    check(rest == "SIGTERM\n" and started.returncode == 9, "SIGTERM, and the exit status of the handler",
          f"{started.returncode} {rest} {words}")


def test_terminal(bench):
    """A shell with job control: a command that stops itself gives the prompt back, and goes on by fg; Ctrl-C comes once."""
    session = """set -m
"$PTXSCOPE" run -q -- %s -c 'import os, signal; os.kill(os.getpid(), signal.SIGTSTP); print("on")'
echo "stopped $?"
fg >/dev/null
echo "ended $?"
exit
"""
    read_end, write_end = os.openpty()
    script = os.path.join(bench.folder, "session.sh")
    pathlib.Path(script).write_text(session % sys.executable, encoding="utf-8")
    started = subprocess.Popen(["bash", script], stdin=write_end, stdout=write_end, stderr=write_end,
                               start_new_session=True, env=dict(bench.environment(), PTXSCOPE=bench.ptxscope),
                               preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
    os.close(write_end)
    said = ""
    try:
        until = time.monotonic() + 20
        while time.monotonic() < until and "ended" not in said:
            if select.select([read_end], [], [], 0.2)[0]:
                said += os.read(read_end, 4096).decode()
    except OSError:
        pass  # the terminal is closed
    check(all(word in said for word in ("stopped 148", "on\r\n", "ended 0")), "stopping and fg at a terminal", said)
    if started.poll() is None:
        os.killpg(started.pid, signal.SIGKILL)
    started.wait()
    os.close(read_end)


def test_output(bench):
    """--json and -o: what cannot be written is said before the command runs; at the end its exit status stays."""
    sign = os.path.join(bench.folder, "sign")
    nowhere = os.path.join(bench.folder, "none", "file")
    for options, words in ((["--json", nowhere], "folder must exist"), (["-o", nowhere], "folder must exist"),
                           (["--json", bench.folder], "Is a directory"), (["--json", ""], "empty word"),
                           (["-o", ""], "empty word"), (["--json", "/dev/fd/77"], "not open for writing"),
                           (["-o", "x", "--quiet"], "leave one of them out"),
                           (["-o", "x", "--json", "x"], "a file of its own")):
        done = bench.run("touch", sign, options=options)
        check(done.returncode == 2 and words in done.stderr and not os.path.exists(sign), f"{options}",
              f"{done.returncode} {done.stderr}")
    folder = os.path.join(bench.folder, "goes")
    for option in ("--json", "-o"):
        os.mkdir(folder)
        done = bench.run("sh", "-c", f"rmdir {folder}; exit 7", options=[option, os.path.join(folder, "file")])
        check(done.returncode == 7 and "cannot be written" in done.stderr, f"{option}: the folder goes meanwhile",
              f"{done.returncode} {done.stderr}")
    done = bench.run("sh", "-c", "exit 7", options=["--json", "/dev/full"])
    check(done.returncode == 7 and "make room" in done.stderr, "--json /dev/full", f"{done.returncode} {done.stderr}")
    path = os.path.join(bench.folder, "report.txt")
    command = [bench.app, "--len", "512", str(VECADD)]
    plain, done = bench.run(*command), bench.run(*command, options=["-o", path])
    text = pathlib.Path(path).read_text(encoding="utf-8")
    # Addresses are those of each process.
    first = [lines.splitlines()[:1] for lines in (plain.stderr, text)]
    check(done.returncode == 3 and done.stderr == "" and first[0] == first[1] != [[]], "-o FILE", done.stderr + text)
    done = bench.run("sh", "-c", "exit 2", options=["-o", path])
    check(done.returncode == 2 and done.stderr == "" and "driver" in pathlib.Path(path).read_text(encoding="utf-8"),
          "-o, and a command that ends with 2", done.stderr)
    for target in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "-"):
        done = shell(bench, f"\"$PTXSCOPE\" run -q --json {target} -- true | cat")
        check(done.stdout.startswith("{") and json.loads(done.stdout)["schema"] == "ptxscope.run/1",
              f"--json {target} into a pipe", done.stdout + done.stderr)
        done = shell(bench, f"(echo before; \"$PTXSCOPE\" run -q --json {target} -- echo said; echo after) > {path}")
        text = pathlib.Path(path).read_text(encoding="utf-8")
        check(text.startswith("before\nsaid\n{") and text.endswith("}\nafter\n"), f"--json {target} into a file",
              text[:200] + done.stderr)
    done = shell(bench, "exec 3> >(cat); \"$PTXSCOPE\" run -q --json /dev/fd/3 -- true; exec 3>&-; wait $!")
    check(done.stdout.startswith("{"), "--json /dev/fd/3", done.stdout + done.stderr)
    fifo = os.path.join(bench.folder, "fifo")
    os.mkfifo(fifo)
    done = shell(bench, f"cat {fifo} & \"$PTXSCOPE\" run -q --json {fifo} -- true; wait")
    check(done.stdout.startswith("{"), "--json into a pipe with a name", done.stdout + done.stderr)
    os.remove(fifo)


def test_not_started(bench):
    """As env says it, with the reason and a way out."""
    folder = pathlib.Path(bench.folder) / "programs"
    folder.mkdir()
    (folder / "plain").write_text("#!/bin/sh\nexit 5\n", encoding="utf-8")
    (folder / "lost").write_text("#!/no/such/interpreter\n", encoding="utf-8")
    (folder / "lost").chmod(0o755)
    (folder / "folder").mkdir()
    (folder / "here").write_text("#!/bin/sh\nexit 5\n", encoding="utf-8")
    (folder / "here").chmod(0o755)
    path = {"PATH": f"{folder}:{os.environ['PATH']}"}
    for command, words, more in (
            ("", "an empty word", {}), (".", "it is a folder", {}), ("..", "it is a folder", {}),
            (str(folder), "it is a folder", {}), ("no-such-program", "no such program in PATH", {}),
            (str(folder / "none"), "No such file", {}), (str(folder / "plain"), "chmod +x", {}),
            ("plain", "chmod +x", path), (str(folder / "lost"), "/no/such/interpreter", {}),
            ("folder", "it is a folder", path), (str(folder / "plain" / "below"), "Not a directory", {}),
            ("a\x1b[31mb", "\\x1b", {})):
        plain = bench.alone("env", command, **more) if command else None
        done = bench.run(command, **more)
        expected = plain.returncode if plain else 127
        check(done.returncode == expected and words in done.stderr and "\x1b" not in done.stderr, f"not started: {command!r}",
              f"{done.returncode}, not {expected}\n{done.stderr}")
    for name, words in (("here", "./here"), ("folder", "./folder is a folder")):
        done = subprocess.run([bench.ptxscope, "run", name], cwd=folder, capture_output=True, text=True, timeout=60,
                              env=bench.environment())
        check(done.returncode == 127 and words in done.stderr, f"{name} in this folder", done.stderr)


def test_what_it_is(bench):
    """A text that is no PTX is not called machine code; which GPU it was is said where there are two."""
    path = pathlib.Path(bench.folder) / "text"
    for text in (".", "no PTX", "// nothing"):
        path.write_text(text, encoding="utf-8")
        done, report = bench.report(bench.app, str(path))
        module = report["modules"][0]
        check(module["outcome"] == "untouched" and "it is no PTX" in module["reason"] and "no PTX" in done.stderr and
              "machine code" not in done.stderr, f"a module that is {text!r}", json.dumps(module) + done.stderr)
    done = bench.run(bench.app, "--devices", "--len", "512", str(VECADD), options=["-v"], FAKE_CUDA_DEVICES="2")
    for words in ("thread (0,0,0) on GPU 1, ", "block (256,1,1) on GPU 0, "):
        check(words in done.stderr, f"two GPUs, not said: {words}", done.stderr)
    done = bench.run(bench.app, "--len", "512", str(VECADD), options=["-v"])
    check("on GPU" not in done.stderr, "one GPU, and which it was", done.stderr)


def test_left_behind(bench):
    """Folders of killed runs go at the next one; what is another's, or held, or not ours to judge, stays."""
    parent = pathlib.Path(bench.folder) / "temporary"
    parent.mkdir()
    old = time.time() - 3600

    def folder(name, mode=0o700):
        path = parent / name
        path.mkdir()
        (path / "socket").write_text("", encoding="utf-8")
        path.chmod(mode)
        os.utime(path, (old, old))
        return path

    gone, held, open_to_all = folder("ptxscope-run-gone00"), folder("ptxscope-run-held00"), folder("ptxscope-run-mode00", 0o755)
    other, young = folder("something-else"), folder("ptxscope-run-young0")
    os.utime(young)
    nested = folder("ptxscope-run-nested")
    (nested / "below").mkdir()
    os.utime(nested, (old, old))
    target = folder("target")
    link = parent / "ptxscope-run-link00"
    link.symlink_to(target)
    lock = os.open(held, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    environment = dict(bench.environment(), TMPDIR=str(parent))
    started = subprocess.Popen([bench.ptxscope, "run", "-q", "--", "sleep", "30"], env=environment)
    mine = lambda: [path for path in parent.glob("ptxscope-run-*") if (path / "socket").is_socket()]
    check(wait_for(lambda: len(mine()) == 1), "a folder with a socket")
    os.utime(mine()[0], (old, old))
    check(not gone.exists(), "what a killed run left is still there")
    for path in (held, open_to_all, other, young, nested / "below", target / "socket", link):
        check(path.exists(), f"{path.name} was taken away")
    done = subprocess.run([bench.ptxscope, "run", "-q", "--", "true"], env=environment, timeout=60, check=False)
    check(done.returncode == 0 and len(mine()) == 1, "the folder of another run was taken away")
    command = child_of(started.pid)
    started.kill()
    started.wait()
    os.kill(command, signal.SIGKILL)
    left = mine()[0]
    os.utime(left, (old, old))
    subprocess.run([bench.ptxscope, "run", "-q", "--", "true"], env=environment, timeout=60, check=False)
    check(not left.exists(), "the folder of a run that was killed")
    os.close(lock)
    subprocess.run(["rm", "-r", str(parent)], check=True)


def test_parent_dies(bench):
    """Before the driver is opened, and after the module was loaded."""
    for delay, command in ((0.3, f"sleep 1; exec {bench.app} {VECADD}"), (0.8, f"exec {bench.app} --linger {VECADD}")):
        output = os.path.join(bench.folder, "output")
        with open(output, "w", encoding="utf-8") as file:
            started = subprocess.Popen([bench.ptxscope, "run", "--", "sh", "-c", f"{command}; echo status $?"],
                                       stdout=file, stderr=subprocess.DEVNULL, env=bench.environment())
            time.sleep(delay)
            started.kill()
            started.wait()
        until = time.monotonic() + 15
        while time.monotonic() < until and "sum" not in pathlib.Path(output).read_text(encoding="utf-8"):
            time.sleep(0.1)
        check("sum 524288.0" in pathlib.Path(output).read_text(encoding="utf-8"),
              f"the program goes on when the parent dies after {delay} s",
              pathlib.Path(output).read_text(encoding="utf-8"))
    for left in pathlib.Path(bench.folder).glob("ptxscope-*"):
        subprocess.run(["rm", "-r", str(left)], check=True)


def serve_badly(listener, how, stop):
    kept = []
    listener.settimeout(0.2)
    while not stop.is_set():
        try:
            connection, _ = listener.accept()
        except OSError:
            continue
        kept.append(connection)
        if how == "closes":
            connection.close()
        elif how == "noise":
            try:
                for size in (1, 12, 12, 400):
                    connection.send(os.urandom(size))
            except BrokenPipeError:  # it said something, and was not interested in more
                pass


def test_bad_server(bench):
    plain = bench.alone(bench.app, str(VECADD))
    for how in ("silent", "closes", "noise", "absent"):
        folder = tempfile.mkdtemp(dir=bench.folder)
        stop = threading.Event()
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        if how != "absent":
            listener.bind(os.path.join(folder, "socket"))
            listener.listen(8)
        server = threading.Thread(target=serve_badly, args=(listener, how, stop))
        if how != "absent":
            server.start()
        begin = time.monotonic()
        done = subprocess.run(
            [bench.app, str(VECADD)], capture_output=True, text=True, timeout=60,
            env=dict(bench.environment(), LD_PRELOAD=bench.preload, PTXSCOPE_RUN_FOLDER=folder,
                     PTXSCOPE_RUN_SECONDS="1"))
        taken = time.monotonic() - begin
        stop.set()
        if how != "absent":
            server.join()
        listener.close()
        check(done.stdout == plain.stdout and done.returncode == plain.returncode, f"a server that is {how}",
              done.stdout + done.stderr)
        check(taken < 20, f"a server that is {how}: {taken:.1f} s")


def test_no_memory(bench):
    """A limit on memory that leaves us nothing, after the driver was opened: as without us."""
    if b"__asan_init" in pathlib.Path(bench.app).read_bytes():
        return  # the sanitizer ends a program that has no memory left
    for via, load in (("dlsym", "data"), ("dlsym", "link"), ("proc", "library"), ("dlsym", "dataex")):
        command = [bench.app, "--no-memory", "--via", via, "--load", load, str(VECADD)]
        plain, (watched, report) = bench.alone(*command), bench.report(*command, options=["--require-launch"])
        check(watched.stdout == plain.stdout and watched.returncode == plain.returncode == 0, f"no memory, {via}, {load}",
              f"{plain.returncode} {plain.stdout} | {watched.returncode} {watched.stdout}{watched.stderr}")
        check("ulimit -v" in json.dumps(report["unwatched"]) and report["kernels"][0]["launches"] >= 6,
              f"no memory, {via}, {load}: told", json.dumps(report))
    for kilobytes in (30000, 60000, 120000):
        limited = ["sh", "-c", f"ulimit -v {kilobytes}; exec {bench.app} {VECADD}"]
        plain, (watched, report) = bench.alone(*limited), bench.report(*limited)
        if plain.returncode != 0:
            continue
        check(watched.stdout == plain.stdout and watched.returncode == 0, f"ulimit -v {kilobytes}", watched.stderr)
        check(report["verdict"] == "launched", f"ulimit -v {kilobytes}: verdict", json.dumps(report))


def test_descriptors(bench):
    """The program has the descriptors that it would have alone, and all of them may be taken."""
    for load in ("data", "library"):
        command = [bench.app, "--descriptors", "--load", load, str(VECADD)]
        plain, watched = bench.alone(*command), bench.run(*command)
        check(plain.stdout.startswith("descriptors") and watched.stdout == plain.stdout, f"descriptors, {load}",
              f"{plain.stdout} | {watched.stdout}")
    command = ["sh", "-c", "ls /proc/self/fd"]
    check(bench.run(*command).stdout == bench.alone(*command).stdout, "descriptors of ls")
    for program, via in ((bench.app, "dlsym"), (bench.linked, "linked")):
        command = [program, "--via", via, "--no-descriptors", str(VECADD)]
        plain, (watched, report) = bench.alone(*command), bench.report(*command, options=["--require-launch", "-v"])
        check(watched.stdout == plain.stdout and watched.returncode == plain.returncode == 0, f"{via}: no descriptor left",
              watched.stdout + watched.stderr)
        check(report["verdict"] == "launched" and "ulimit -n" in watched.stderr, f"{via}: no descriptor left: told",
              watched.stderr + json.dumps(report))
    limited = ["sh", "-c", f"ulimit -f 0; exec {bench.app} {VECADD}"]
    plain, watched = bench.alone(*limited), bench.run(*limited, options=["--require-launch"])
    check(watched.stdout == plain.stdout and watched.returncode == 0, "ulimit -f 0", watched.stderr)


def test_verdict(bench):
    """Whether a kernel ran is said only where it is known."""
    path = str(VECADD)
    kept = {name: bench.environment()[name] for name in ("LD_LIBRARY_PATH", "ASAN_OPTIONS")}
    keep = [f"{name}={value}" for name, value in kept.items()]
    cases = [
        ("a launch", [bench.app, path], "launched", 0),
        ("a launch by a child", ["sh", "-c", f"{bench.app} {path}; true"], "launched", 0),
        ("no driver", ["true"], "nothing-launched", 1),
        ("shells and pipes", ["sh", "-c", "(echo a; exit 3) | cat >/dev/null; x=$(echo b); exec true"],
         "nothing-launched", 1),
        ("bash", ["bash", "-c", "(exit 3); echo a | cat >/dev/null; true"], "nothing-launched", 1),
        ("Python", [sys.executable, "-c", "import os, subprocess; subprocess.run(['true']); os.system('true')\n"
                    "os.fork() or os._exit(0); os.wait(); os.posix_spawnp('true', ['true'], os.environ); os.wait()"],
         "nothing-launched", 1),
        ("a program that is not there", ["sh", "-c", "no-such-program; exec true"], "nothing-launched", 1),
        ("env -i", ["env", "-i", *keep, bench.app, path], "cannot-tell", 2),
        ("env -u LD_PRELOAD", ["env", "-u", "LD_PRELOAD", bench.app, path], "cannot-tell", 2),
        ("env -i in a child", ["sh", "-c", f"env -i {' '.join(keep)} {bench.app} {path}; true"], "cannot-tell", 2),
        ("an empty environment in a child", [sys.executable, "-c", "import subprocess, sys\n"
         f"subprocess.run([sys.argv[1], sys.argv[2]], env={kept!r})", bench.app, path],
         "cannot-tell", 2),
        ("a spawned one with an empty environment", [sys.executable, "-c", "import os, sys\n"
         f"os.posix_spawn(sys.argv[1], sys.argv[1:], {kept!r}); os.wait()", bench.app, path],
         "cannot-tell", 2),
        ("a daemon", [bench.app, "--daemon", path], "cannot-tell", 2),
        ("the driver's own table", [bench.app, "--via", "by-hand", path], "cannot-tell", 2),
        ("dlvsym", [bench.app, "--via", "dlvsym", path], "launched", 0),
        ("a child that is killed", ["sh", "-c", "sh -c 'kill -9 $$'; exec true"], "nothing-launched", 1),
        ("no launch", [bench.app, "--load", "link", "/dev/null"], "nothing-launched", 2),
    ]
    for what, command, verdict, status in cases:
        done, report = bench.report(*command, options=["--require-launch"])
        check(report["verdict"] == verdict and done.returncode == status, f"verdict: {what}",
              f"{done.returncode} {json.dumps(report.get('verdict'), indent=1)} {done.stderr}")
        says_nothing = verdict == "nothing-launched"
        check(not says_nothing or "no kernel ran" in done.stderr, f"verdict: {what}: not told", done.stderr)


def test_confined(bench):
    """A program that ends where one system call more would be its end by a signal."""
    if b"__asan_init" in pathlib.Path(bench.app).read_bytes():
        return  # the sanitizer asks the system at the end
    for how in ("return", "_exit", "quick_exit"):
        for load, verdict in (("data", "launched"), ("library", "launched"), ("none", "nothing-launched")):
            command = [bench.app, "--confine", how, "--load", load, "--len", "512", str(VECADD)]
            plain, (done, report) = bench.alone(*command), bench.report(*command)
            check(done.stdout == plain.stdout and done.returncode == plain.returncode == (6 if load == "none" else 3),
                  f"confined, {how}, {load}", f"{plain.returncode} {plain.stdout} | {done.returncode} {done.stdout}{done.stderr}")
            check(report["verdict"] == verdict and not report["unwatched"], f"confined, {how}, {load}: told",
                  json.dumps(report))
    command = [bench.app, "--confine", "_exit", "--via", "by-hand", str(VECADD)]
    done, report = bench.report(*command)
    check(report["verdict"] == "cannot-tell" and done.returncode == 0, "confined, by hand", json.dumps(report))


def test_places(bench):
    """The library and the folder for temporary files where the loader's variable cannot name them, or nothing fits."""
    command = [bench.ptxscope, "run", "--", bench.app, "--len", "512", str(VECADD)]
    for name in ("a folder", "a:b", "a$LIB", "a'b"):
        place = pathlib.Path(bench.folder) / name
        place.mkdir()
        library = place / "library.so"
        library.write_bytes(pathlib.Path(bench.preload).read_bytes())
        for more, is_refused in (({"PTXSCOPE_PRELOAD": str(library)}, False), ({"TMPDIR": str(place)}, False),
                                 ({"PTXSCOPE_PRELOAD": str(library), "TMPDIR": str(place)}, name != "a'b")):
            done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=dict(bench.environment(), **more))
            if is_refused:
                check(done.returncode == 2 and done.stdout == "" and "set TMPDIR to a folder without" in done.stderr,
                      f"{more}", done.stdout + done.stderr)
            else:
                check(done.returncode == 3 and done.stderr.startswith("vecadd trapped"), f"{more}", done.stderr)
        check([one.name for one in place.iterdir()] == ["library.so"], f"left in {name}")
    app = f"{bench.app} --len 512 {VECADD}"
    plain = shell(bench, f"ulimit -f 0; {app}")
    for blocks in (0, 10):
        done = shell(bench, f"ulimit -f {blocks}; \"$PTXSCOPE\" run -- {app}")
        check(done.stdout == plain.stdout and done.returncode == 3 and "raise ulimit -f" in done.stderr and
              "without the library" not in done.stderr, f"ulimit -f {blocks} of ptxscope itself",
              f"{done.returncode} {done.stdout} {done.stderr}")
    done, report = bench.report("sh", "-c", f"rm -r $PTXSCOPE_RUN_FOLDER; exec {app}")
    check(done.returncode == 3 and report["verdict"] == "cannot-tell" and "cannot reach" in report["unwatched"][0]["reason"],
          "the folder of the run goes meanwhile", json.dumps(report))
    done, report = bench.report("sh", "-c", "rm -r $PTXSCOPE_RUN_FOLDER")
    check(report["verdict"] == "nothing-launched", "the folder goes after all had started", json.dumps(report))


def test_not_seen(bench):
    """What was not seen of a process is said as that, and not as something that it did."""
    done, report = bench.report("bash", "-c", "ulimit -n 3; :")
    check(report["verdict"] == "cannot-tell" and "no descriptor left" in report["unwatched"][0]["reason"],
          "no descriptor at the end", json.dumps(report["unwatched"]))
    killed = "import os, signal\nfor i in range(200):\n  child = os.fork()\n  if child == 0: signal.pause()\n" \
             "  os.kill(child, signal.SIGKILL)\n  os.wait()"
    done, report = bench.report(sys.executable, "-c", killed)
    check(report["verdict"] == "nothing-launched", "children that are killed at once", json.dumps(report["unwatched"]))
    pool = os.path.join(bench.folder, "pool.py")
    pathlib.Path(pool).write_text("import multiprocessing\nif __name__ == '__main__':\n"
                                  "  for how in ('fork', 'spawn', 'forkserver'):\n"
                                  "    with multiprocessing.get_context(how).Pool(2) as pool: print(pool.map(abs, [-1, 2]))\n",
                                  encoding="utf-8")
    plain, (done, report) = bench.alone(sys.executable, pool), bench.report(sys.executable, pool)
    check(done.stdout == plain.stdout and report["verdict"] == "nothing-launched", "processes that end a moment later",
          done.stdout + done.stderr)
    limited = f"ulimit -v 20000; exec {bench.app} --len 512 {VECADD}"
    plain, done = bench.alone("sh", "-c", limited), bench.run("sh", "-c", limited)
    check(done.stdout == plain.stdout and done.returncode == plain.returncode and
          (plain.returncode != 3 or "ulimit -v" in done.stderr), "a trap where no memory was left", done.stderr)


def test_parent_without_memory(bench):
    """No memory to read a large module again: the command's exit status is its own, and that is said."""
    if b"__asan_init" in pathlib.Path(bench.app).read_bytes():
        return
    path = pathlib.Path(bench.folder) / "large.ptx"
    path.write_text(VECADD.read_text(encoding="utf-8") + "\n.visible .entry other(.param .u32 a)\n{\n  .reg .b32 %r;\n" +
                    "  ld.param.u32 %r, [a];\n" + "  add.s32 %r, %r, 7;\n" * 700000 + "  ret;\n}\n", encoding="utf-8")
    app = f"ulimit -Sv unlimited; exec {bench.app} --len 512 {path}"
    done = shell(bench, f"ulimit -Sv 90000; \"$PTXSCOPE\" run -v -- sh -c '{app}'")
    check(done.returncode == 3 and done.stdout == "synchronize: 719\nsum 0.0\n" and "module 1 trapped" in done.stderr and
          "Raise ulimit -v" in done.stderr and "0 places" not in done.stderr, "no memory for a large module", f"{done.returncode} {done.stdout} {done.stderr}")


def test_other_width(bench):
    """A program of 32 bits starts as it is; the loader says nothing about our library."""
    source, program = (os.path.join(bench.folder, name) for name in ("narrow.c", "narrow"))
    pathlib.Path(source).write_text("int main(void) { return 3; }\n", encoding="utf-8")
    compiler = shutil.which("cc")
    if compiler is None or subprocess.run([compiler, "-m32", "-o", program, source], capture_output=True).returncode != 0:
        print("run: no compiler for 32 bits: that a program of 32 bits starts as it is was not tried", file=sys.stderr)
        return
    done, report = bench.report(program)
    check(done.returncode == 3 and "ld.so" not in done.stderr and "no 64-bit program" in done.stderr and
          report["verdict"] == "cannot-tell", "a program of 32 bits", done.stderr)


def test_loader(bench):
    """Older C libraries do for the preloaded library: what libgcc asks of a newer one is its own."""
    needed = subprocess.run(["nm", "-D", "--undefined-only", bench.preload], capture_output=True, text=True, check=True).stdout
    check("dlopen" in needed and "_dl_find_object" not in needed, "functions of the C library", needed)


def test_starts(bench):
    """Each way to start a program: it is watched then, or known not to be."""
    for how in ("execl", "execlp", "execle", "execv", "execve", "execvp", "execvpe", "fexecve", "posix_spawn",
                "posix_spawnp", "vfork"):
        command = [bench.app, "--again", how, str(VECADD)]
        plain, (done, report) = bench.alone(*command), bench.report(*command)
        check(done.stdout == plain.stdout == "sum 524288.0\n" and done.returncode == plain.returncode == 0, f"by {how}",
              done.stdout + done.stderr)
        check(report["verdict"] == "launched" and not report["unwatched"], f"by {how}: seen", json.dumps(report))
        command = ["sh", "-c", f"unset PTXSCOPE_RUN_FOLDER; exec {bench.app} --again {how} {VECADD}"]
        done, report = bench.report(*command)
        check(report["verdict"] == "cannot-tell" and done.stdout == plain.stdout, f"by {how}: not seen", json.dumps(report))


def test_many_children(bench):
    """More processes than the parent has descriptors: each trap is told, or that it is not."""
    count = 120
    command = ["sh", "-c", f"ulimit -n 64; exec {bench.ptxscope} run --json {bench.folder}/many.json -- "
               f"{bench.app} --children {count} --len 512 {VECADD}"]
    done = subprocess.run(command, capture_output=True, text=True, env=bench.environment(), timeout=120)
    report = json.loads(pathlib.Path(bench.folder, "many.json").read_text(encoding="utf-8"))
    check(done.stdout.count("synchronize: 719") == count, "children", done.stdout[:300])
    check(len(report["traps"]) == count, f"traps of {count} children", f"{len(report['traps'])} {report['notes']}")


def test_many_modules(bench):
    """Slots of modules that were unloaded are used again; where none is left, that is said once, and nothing else."""
    done, report = bench.report(bench.app, "--modules", "1500", "--len", "512", str(VECADD))
    check(len(report["traps"]) == 1 and not any(module["unrecorded"] for module in report["modules"]),
          "1,500 modules at once", done.stderr[:2000])
    done, report = bench.report(bench.app, "--reload", "1200", "--len", "512", str(VECADD), options=["-v"])
    check(len(report["traps"]) == 1 and len(report["modules"]) == 1201, "a module loaded 1,200 times", done.stderr[-2000:])
    done, report = bench.report(bench.app, "--modules", "4100", str(VECADD))
    check(any("4,096" in note for note in report["notes"]), "more modules than there is room for", str(report["notes"]))


def test_same_text_once(bench):
    """What was made of a text is kept for the next load of it; one that differs in a byte is another."""
    # One text with the name that it is kept by, and that of each load.
    command = f"{bench.app} --reload 5 {VECADD}; {bench.app} {VECADD}; stat -c %h $PTXSCOPE_RUN_FOLDER/kept-*.ptx"
    done, report = bench.report("sh", "-c", command)
    check(done.stdout.splitlines()[-1] == "8" and len(report["modules"]) == 7 and
          all(module["outcome"] == "instrumented" for module in report["modules"]), "the same text again",
          done.stdout + done.stderr + json.dumps(report["modules"]))
    other = os.path.join(bench.folder, "other.ptx")
    text = VECADD.read_text(encoding="utf-8")
    pathlib.Path(other).write_text(text.replace("src/main.rs", "src/mine.rs"), encoding="utf-8")
    command = f"{bench.app} --len 512 {VECADD}; {bench.app} --len 512 {other}; {bench.app} --len 512 {other}"
    done, report = bench.report("sh", "-c", command)
    told = [trap["source"]["file"].rsplit("/", 1)[-1] for trap in report["traps"]]
    check(told == ["main.rs", "mine.rs", "mine.rs"], "texts that differ in a byte", str(told))


def test_too_many_places(bench):
    """The limit on places is said, with a way out."""
    path = os.path.join(bench.folder, "places.ptx")
    guards = "\n".join(f"  setp.eq.s32 %p, %r, {i};\n  @%p trap;" for i in range(4100))
    pathlib.Path(path).write_text(VECADD.read_text(encoding="utf-8") +
                                  "\n.visible .entry many(.param .u32 a)\n{\n  .reg .pred %p;\n  .reg .b32 %r;\n"
                                  f"  ld.param.u32 %r, [a];\n{guards}\n  ret;\n}}\n", encoding="utf-8")
    done = bench.run(bench.app, path)
    check("4,096 places" in done.stderr and done.stdout == "sum 524288.0\n", "4,096 places", done.stdout + done.stderr)


def test_devices(bench):
    """Contexts on two devices; the second one traps."""
    for load in ("data", "library"):
        command = [bench.app, "--devices", "--load", load, "--len", "512", str(VECADD)]
        plain = bench.alone(*command, FAKE_CUDA_DEVICES="2")
        done, report = bench.report(*command, FAKE_CUDA_DEVICES="2")
        check(done.stdout == plain.stdout and done.returncode == plain.returncode == 3, f"devices, {load}", done.stdout)
        check(len(report["devices"]) == 2 and [trap["device"] for trap in report["traps"]] == [1], f"devices, {load}: trap",
              done.stderr + json.dumps(report["devices"]))
        check(sorted(device for kernel in report["kernels"] for device in kernel["devices"]) == [0, 0, 1],
              f"devices, {load}: kernels", json.dumps(report["kernels"]))
        check([kernel["devices"] for kernel in report["kernels"] if kernel["trapped"]] == [[1]],
              f"devices, {load}: the kernel that trapped", json.dumps(report["kernels"]))


def test_interposer(bench):
    """Another preloaded library that stands before the driver by RTLD_NEXT."""
    other = str(pathlib.Path(bench.driver) / "libfake_interposer.so")
    for length in ("1024", "512"):
        command = ["sh", "-c", f"LD_PRELOAD=\"{other} $LD_PRELOAD\" exec {bench.linked} --via linked --len {length} {VECADD}"]
        plain, (done, report) = bench.alone(*command), bench.report(*command)
        check(done.stdout == plain.stdout and done.stdout.startswith("on the way"), f"another library, {length}",
              done.stdout + done.stderr)
        check(bool(report["traps"]) == (length == "512") and report["kernels"], f"another library, {length}: seen",
              done.stderr)


def test_stopped_parent(bench):
    """A parent that is stopped holds a load for seconds, not for its whole patience."""
    output = os.path.join(bench.folder, "stopped")
    command = f"kill -STOP $PPID; exec {bench.app} {VECADD} > {output}"
    begin = time.monotonic()
    started = subprocess.Popen([bench.ptxscope, "run", "--", "sh", "-c", command], env=bench.environment(),
                               stderr=subprocess.PIPE, text=True)
    while time.monotonic() - begin < 25 and not (os.path.exists(output) and os.path.getsize(output)):
        time.sleep(0.1)
    taken = time.monotonic() - begin
    started.send_signal(signal.SIGCONT)
    error = started.communicate(timeout=30)[1]
    check(taken < 15 and pathlib.Path(output).read_text(encoding="utf-8") == "sum 524288.0\n", "a stopped parent",
          f"{taken:.1f} s {error}")


def test_hostile(bench):
    for seed in range(1, 6):
        begin = time.monotonic()
        done, _ = bench.report(bench.hostile, str(seed))
        check(done.returncode == 0 and done.stdout == "said\n", f"nonsense {seed}", f"{done.returncode} {done.stderr[:3000]}")
        check(time.monotonic() - begin < 20, f"nonsense {seed}: time")


def test_clean_up(bench):
    left = [path.name for path in pathlib.Path(bench.folder).glob("ptxscope-*")]
    check(not left, f"folders left behind: {left}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ptxscope", required=True)
    parser.add_argument("--preload", required=True)
    parser.add_argument("--driver", required=True)
    parser.add_argument("--only", default="")
    bench = Bench(parser.parse_args())
    only = parser.parse_args().only
    bench.values = site_values(bench)
    tests = [test_same_as_alone, test_words, test_json, test_calls, test_refused, test_machine_code, test_choice,
             test_nvrtc, test_triton, test_names, test_without_dashes, test_odd_programs, test_records,
             test_exit_codes, test_static, test_interrupt, test_dispositions, test_descriptors_of_command,
             test_signals, test_terminal, test_output, test_not_started, test_what_it_is, test_left_behind, test_parent_dies,
             test_bad_server, test_no_memory, test_descriptors, test_verdict, test_confined, test_places, test_not_seen,
             test_parent_without_memory, test_other_width, test_loader, test_starts, test_many_children,
             test_many_modules, test_same_text_once, test_too_many_places, test_devices, test_interposer,
             test_stopped_parent, test_hostile, test_clean_up]
    for test in tests:
        if only in test.__name__:
            test(bench)
    subprocess.run(["rm", "-r", bench.folder], check=True)
    print(f"run: {checks} checks, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
