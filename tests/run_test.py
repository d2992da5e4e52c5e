#!/usr/bin/env python3
"""ptxscope run, with the driver of tests/fake_driver: what a program sees is the same with and without it, a trap is
told in words, and whatever becomes of the parent or of what is said to it, the program runs on.

  run_test.py --ptxscope BINARY --preload LIBRARY --driver FOLDER
"""
import argparse
import json
import os
import pathlib
import signal
import socket
import struct
import subprocess
import sys
import tempfile
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
    done = bench.run(bench.app, "--len", "512", str(VECADD), options=["--names", "a,b,c"])
    for piece in ("vecadd trapped: index out of bounds: global.x = 512, a.len = 512", "a.len=512, b.ptr="):
        check(piece in done.stderr, f"--names: {piece}", done.stderr)
    done = bench.run(bench.app, "--len", "512", str(VECADD), options=["--names", "a,b,a"])
    check(done.returncode == 2 and "two arguments would be called a" in done.stderr, "--names a,b,a", done.stderr)


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
            for size in (1, 12, 12, 400):
                connection.send(os.urandom(size))


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
             test_nvrtc, test_triton, test_names, test_without_dashes, test_odd_programs, test_records, test_exit_codes, test_static, test_interrupt, test_parent_dies, test_bad_server, test_hostile, test_clean_up]
    for test in tests:
        if only in test.__name__:
            test(bench)
    subprocess.run(["rm", "-r", bench.folder], check=True)
    print(f"run: {checks} checks, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
