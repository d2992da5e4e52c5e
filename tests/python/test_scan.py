#!/usr/bin/env python3
"""ptxscope scan: rows, bad files, going on where a run ended, the order, Parquet."""

import argparse
import fcntl
import hashlib
import importlib.util
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import support

PROGRAM = ""
KERNEL = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry {name}()\n{{\n{body}  ret;\n}}\n"


def scan(*words, status=0, **more):
    """(rows as text, what it said)"""
    done = subprocess.run([PROGRAM, "scan", *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False, timeout=300, **more)
    assert status is None or done.returncode == status, (words, done.returncode, done.stderr)
    return done.stdout, done.stderr


def rows(text):
    return [json.loads(line) for line in text.splitlines()]


def large(lines, name="large"):
    """A module that takes a while."""
    body = ".reg .b32 %r<99>;\n" + "".join(f"  add.s32 %r{i % 90}, %r{i % 89 + 1}, {i};\n" for i in range(lines))
    return KERNEL.format(name=name, body=body)


class ScanTest(unittest.TestCase):
    maxDiff = 3000

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.ptx = self.root / "ptx"
        self.out = self.root / "out.jsonl"
        (self.ptx / "sub").mkdir(parents=True)
        for i in range(12):
            self.write(f"k{i:02}.ptx", KERNEL.format(name=f"kernel{i}", body="  bar.sync 0;\n" * i))
        shutil.copy(support.SAMPLE, self.ptx / "sub" / "vecadd.ptx")

    def write(self, name, text):
        path = self.ptx / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def fresh(self):
        """The rows of a scan that knows nothing."""
        return scan(self.ptx)[0]

    def test_a_row_says_what_the_commands_say(self):
        sample = self.ptx / "sub" / "vecadd.ptx"
        [row] = rows(scan(sample)[0])
        [function] = support.document(PROGRAM, "stats", sample)["functions"]
        for key in ("instructions", "branches", "conditional_branches", "calls", "barriers", "memory", "shared_bytes",
                    "local_bytes", "dynamic_shared", "blocks", "loops", "max_loop_depth", "unknown_instructions", "line",
                    "demangled"):
            self.assertEqual(row[key], function[key], key)
        self.assertEqual((row["kernel"], row["max_live"], row["trap_instructions"]),
                         (function["name"], function["registers"]["max_live"], function["traps"]))
        self.assertEqual({key: count for key, count in row["registers"].items() if count},
                         {key: count for key, count in function["registers"]["used"].items() if count})
        [traps] = support.document(PROGRAM, "explain-trap", sample)["functions"]
        self.assertEqual((row["traps"], row["checks"]["bounds"], row["params"]),
                         (len(traps["traps"]), 2, len(traps["params"])))
        self.assertEqual(row["safety_instructions"], traps["cost"]["instructions"])
        check = support.document(PROGRAM, "check", sample)
        self.assertEqual((row["requires_isa"], row["requires_target"], row["fits_header"]),
                         (check["requires"]["isa"], check["requires"]["target"], check["declared"]["ok"]))
        for key in ("version", "target", "address_size", "producer"):
            self.assertEqual(row[key], check["module"][key])
        digest = hashlib.sha256(sample.read_bytes()).hexdigest()
        self.assertEqual((row["sha256"], row["file_sha256"], row["bytes"]), (digest, digest, sample.stat().st_size))
        self.assertEqual((row["file_size"], row["file_mtime_ns"]), (row["bytes"], sample.stat().st_mtime_ns))
        for length in (*range(50, 70), 119, 120, 127, 128):
            path = self.write("n.ptx", "/" * length)
            self.assertEqual(rows(scan(path)[0])[0]["file_sha256"], hashlib.sha256(b"/" * length).hexdigest())

    def test_jobs_change_nothing(self):
        one = scan("--jobs", 1, self.ptx)[0]
        self.assertEqual([row["kernel"] for row in rows(one)], [f"kernel{i}" for i in range(12)] + ["vecadd"])
        for jobs in (2, 5, 40):
            self.assertEqual(scan("--jobs", jobs, self.ptx)[0], one)
        listed = "".join(f"{path}\n" for path in sorted(self.ptx.rglob("*.ptx")))
        done = subprocess.run([PROGRAM, "scan", "--files-from", "-"], input=listed, capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, one)
        scan(self.ptx, "-o", self.out)
        self.assertEqual(self.out.read_text(), one)

    def test_ptx_inside_files(self):
        text = KERNEL.format(name="inside", body="")
        quoted = "".join(f'"{line}\\n"\n' for line in text.splitlines())
        self.write("host.c", f"int main() {{ return 0; }}\nconst char* a =\n{quoted};\nconst char* b =\n{quoted};\n")
        self.write("notes.txt", "no code here\n")
        self.write("data.bin", bytes(range(256)) * 40)
        self.write("empty", b"")
        found = [row for row in rows(self.fresh()) if not row["file"].endswith(".ptx")]
        self.assertEqual([(pathlib.Path(row["file"]).name, row["kernel"], row["file_rows"], row["sha256"]) for row in found],
                         [("host.c", "inside", 2, found[0]["sha256"])] * 2)
        self.assertEqual([row["module"].rsplit(":", 1)[1] for row in found], ["1", "2"])

    def test_bad_files_are_rows(self):
        self.write("a-binary.ptx", bytes(range(32)) * 9)
        self.write("b-empty.ptx", b"")
        self.write("c-faulty.ptx", ".version 8.0\n.target sm_80\n.entry k() {\n  add.s32 %r1 %r2;\n}\n")
        self.write("d-declares.ptx", ".version 8.0\n.target sm_80\n.extern .func f;\n")
        named = self.root / "named.txt"
        named.write_text("no code")
        text, said = scan(self.ptx, self.root / "nothing.ptx", named)
        by_name = {pathlib.Path(row["file"]).name: row for row in rows(text)}
        self.assertEqual({name: by_name[name]["status"] for name in by_name if not name.startswith(("k", "vec"))},
                         {"a-binary.ptx": "unreadable", "b-empty.ptx": "unreadable", "c-faulty.ptx": "ok",
                          "d-declares.ptx": "no-kernel", "nothing.ptx": "unreadable", "named.txt": "unreadable"})
        self.assertEqual(by_name["nothing.ptx"]["error"], "no such file")
        self.assertIn("binary file", by_name["a-binary.ptx"]["error"])
        self.assertGreater(by_name["c-faulty.ptx"]["errors"], 0)
        self.assertEqual(sum(row["status"] == "ok" for row in rows(text)), 14)
        self.assertIn("19 files", said)

    def blocker(self):
        """A pipe that nobody writes to: who reads it waits for ever."""
        path = self.root / "pipe.ptx"
        os.mkfifo(path)
        return path

    def test_limits_are_rows(self):
        text, said = scan("--seconds", 2, self.blocker(), self.ptx)
        self.assertEqual([(row["status"], row["error"]) for row in rows(text)[:1]],
                         [("timeout", "not done after 2 s; --seconds gives it more")])
        self.assertEqual(len(rows(text)), 14)
        self.assertRegex(said, r"\d given up")

    @unittest.skipIf("PTXSCOPE_SANITIZED" in os.environ, "with sanitizers memory is not limited")
    def test_memory_is_limited(self):
        self.write("j-large.ptx", large(1_500_000))
        text, _ = scan("--memory", 150, self.ptx)
        self.assertEqual([row["status"] for row in rows(text) if row["status"] != "ok"], ["out-of-memory"])
        self.assertEqual(len(rows(text)), 14)

    def start(self, *words):
        process = subprocess.Popen([PROGRAM, "scan", *map(str, words)], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def wait_for_rows(self, process, count):
        while not self.out.exists() or self.out.read_text().count("\n") < count:
            self.assertIsNone(process.poll(), "it ended too early")
            time.sleep(0.01)

    def test_a_crash_is_a_row(self):
        process = self.start("--jobs", 1, self.ptx, self.blocker(), self.root / "nothing.ptx", "-o", self.out)
        self.wait_for_rows(process, 13)
        [worker] = map(int, pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split())
        os.kill(worker, signal.SIGKILL)
        self.assertEqual(process.wait(timeout=60), 0)
        self.assertEqual([(row["status"], row["error"]) for row in rows(self.out.read_text()) if row["status"] != "ok"],
                         [("crashed", "the process that read it ended by signal 9 (Killed)"),
                          ("unreadable", "no such file")])
        self.assertEqual(self.out.read_text().count("\n"), 15)

    def test_what_was_given_up_is_not_tried_again(self):
        scan(self.ptx, "-o", self.out)
        good = self.out.read_text()
        bad = good.replace('"status":"ok"', '"status":"crashed"', 1)
        self.out.write_text(bad)
        self.assertIn("13 as before", scan(self.ptx, "-o", self.out)[1])
        self.assertEqual(self.out.read_text(), bad)
        self.assertIn("12 as before", scan("--retry", self.ptx, "-o", self.out)[1])
        self.assertEqual(self.out.read_text(), good)

    def test_goes_on_where_it_ended(self):
        for i in range(60):
            self.write(f"n{i:03}.ptx", large(100, f"more{i}"))
        # It gets to the pipe, and to what is behind, of which it writes nothing before that.
        process = self.start("--jobs", 3, self.ptx, self.blocker(), support.SAMPLE, "-o", self.out)
        self.wait_for_rows(process, 73)
        process.kill()
        process.wait()
        left = self.out.read_text()
        self.assertEqual(left, self.fresh())
        # As if it had been killed in the middle of a row, and before others.
        lines = left.splitlines(keepends=True)
        self.out.write_text("".join(lines[:40]) + lines[40][:100])
        _, said = scan(self.ptx, support.SAMPLE, "-o", self.out)
        self.assertIn("74 files, 40 as before", said)
        self.assertEqual(self.out.read_text(), scan(self.ptx, support.SAMPLE)[0])
        self.assertFalse(list(self.root.glob("*.part")))

    def test_changes_are_found(self):
        scan(self.ptx, "-o", self.out)
        before = self.out.read_text()
        self.assertIn("13 as before", scan(self.ptx, "-o", self.out)[1])
        self.assertEqual(self.out.read_text(), before)
        os.utime(self.ptx / "k03.ptx")  # the same bytes
        self.write("k04.ptx", KERNEL.format(name="another", body=""))
        (self.ptx / "k05.ptx").unlink()
        self.write("a.ptx", KERNEL.format(name="first", body="") + KERNEL.format(name="second", body="").split("64\n")[1])
        _, said = scan(self.ptx, "-o", self.out)
        self.assertIn("11 as before", said)
        self.assertEqual(self.out.read_text(), self.fresh())
        # The same size and time, other bytes: --hash looks at those.
        path = self.ptx / "k06.ptx"
        times = path.stat().st_atime_ns, path.stat().st_mtime_ns
        path.write_text(path.read_text().replace("kernel6", "kernel_"))
        os.utime(path, ns=times)
        self.assertIn("13 as before", scan(self.ptx, "-o", self.out)[1])
        self.assertIn("12 as before", scan("--hash", self.ptx, "-o", self.out)[1])
        self.assertEqual(self.out.read_text(), self.fresh())

    def test_rows_of_other_programs_are_not_believed(self):
        scan(self.ptx, "-o", self.out)
        text = self.out.read_text()
        lines = text.splitlines(keepends=True)
        self.out.write_text("".join([lines[0].replace('"ptxscope":"', '"ptxscope":"0.0.'), "{}\n", *lines[1:5], lines[3],
                                     "garbage\n", *lines[7:]]))
        scan(self.ptx, "-o", self.out)
        self.assertEqual(self.out.read_text(), text)

    def test_other_files_are_left_alone(self):
        other = self.root / "report.html"
        other.write_text("<html>")
        _, said = scan(self.ptx, "-o", other, status=2)
        self.assertIn("holds no rows of a scan; remove it, or choose another name", said)
        self.assertEqual(other.read_text(), "<html>")
        notes = self.root / "notes.txt"  # with a row that somebody kept
        notes.write_text("Look at this:\n" + self.fresh())
        before = notes.read_text()
        self.assertIn("holds no rows of a scan", scan(self.ptx, "-o", notes, status=2)[1])
        self.assertEqual(notes.read_text(), before)
        for where, words in [(self.root / "no" / "out.jsonl", "the folder must exist"), ("/dev/null", "no regular file")]:
            self.assertIn(words, scan(self.ptx, "-o", where, status=2)[1])
        self.assertIn("name a file, not a folder", scan(self.ptx, "-o", self.ptx, status=2)[1])
        inside = self.ptx / "rows.jsonl"  # is not read itself
        scan(self.ptx, "-o", inside)
        self.assertIn("13 as before", scan(self.ptx, "-o", inside)[1])
        (self.ptx / "again.jsonl").symlink_to(inside)
        os.link(inside, self.ptx / "once more.jsonl")
        self.assertIn("13 files, 13 as before", scan(self.ptx, "-o", inside)[1])

    def test_a_first_row_may_be_torn(self):
        for length in (1, 20, 30, 200):
            self.out.write_text(self.fresh()[:length])
            scan(self.ptx, "-o", self.out)
            self.assertEqual(self.out.read_text(), self.fresh())

    def test_the_output_stays_where_and_what_it_is(self):
        """A link stays one, and the mode is kept, when the rows are written anew."""
        real = self.root / "real" / "rows.jsonl"
        real.parent.mkdir()
        self.out.symlink_to(real)
        scan(self.ptx, "-o", self.out)
        real.chmod(0o640)
        (self.ptx / "k03.ptx").unlink()
        scan(self.ptx, "-o", self.out)
        self.assertTrue(self.out.is_symlink())
        self.assertEqual(real.read_text(), self.fresh())
        self.assertEqual(real.stat().st_mode & 0o777, 0o640)

    def user_time(self, *words):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        scan(*words)
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before

    def test_many_kernels_take_linear_time(self):
        def seconds(count):
            kernels = "".join(f".visible .entry k{i}() {{ ret; }}\n" for i in range(count))
            return self.user_time(self.write("many.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n" + kernels))

        self.assertLess(seconds(40_000), 8 * seconds(10_000))

    def test_rows_of_many_files_are_read_in_linear_time(self):
        [row] = rows(scan(self.ptx / "k00.ptx")[0])
        nothing = self.root / "nothing.txt"
        nothing.write_text("")

        def seconds(count):
            one = json.dumps({key: row[key] for key in list(row)[:8]}, separators=(",", ":"))
            # Each of the files twice, as two outputs in one have them.
            self.out.write_text("".join(one.replace("k00.ptx", f"{i % (count // 2)}.ptx") + "\n" for i in range(count)))
            taken = self.user_time("--files-from", nothing, "-o", self.out)
            self.assertEqual(self.out.read_text(), "")
            return taken

        self.assertLess(seconds(80_000), 10 * seconds(20_000) + 0.2)

    def test_lists_of_paths(self):
        strange = self.write("a\nnew line.ptx", KERNEL.format(name="strange", body=""))
        listed = self.root / "list"
        for separator, first in [("\0", strange), ("\n", self.ptx / "k01.ptx")]:
            paths = [first, self.ptx / "k00.ptx"]
            for end in ("", separator):
                listed.write_text(separator.join(map(str, paths)) + end)
                self.assertEqual([row["file"] for row in rows(scan("--files-from", listed)[0])], list(map(str, paths)))
        self.assertIn("cannot be read; name a file", scan("--files-from", self.ptx, status=2)[1])

    def test_folders_that_cannot_be_read_are_told_of(self):
        self.root.chmod(0o755)
        closed = self.ptx / "sub" / "closed"
        closed.mkdir()
        shutil.copy(support.SAMPLE, closed)
        closed.chmod(0)
        self.addCleanup(closed.chmod, 0o700)
        more = {"user": 65534} if os.geteuid() == 0 else {}  # root reads all
        try:
            text, said = scan(self.ptx, **more)
        except PermissionError:
            self.skipTest("the program lies where others cannot run it")
        self.assertEqual(len(rows(text)), 13)
        self.assertIn(f"{closed}: cannot be listed: Permission denied; what is in it has no rows", said)
        self.assertIn(f"{closed}: cannot be listed", scan(closed, **more)[1])

    def test_one_scan_at_a_time(self):
        with self.out.open("a", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self.assertIn("another scan is writing it", scan(self.ptx, "-o", self.out, status=2)[1])

    def test_usage(self):
        self.assertIn("say where to look", scan(status=2)[1])
        self.assertIn("--memory 99999999999: more than there can be", scan("--memory", 99999999999, self.ptx, status=2)[1])
        self.assertIn("--files-from /nowhere: cannot be read", scan("--files-from", "/nowhere", status=2)[1])
        self.assertEqual(scan(self.root / "out")[0].count('"status":"unreadable"'), 1)

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full")
    def test_no_room(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([PROGRAM, "scan", str(self.ptx)], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertTrue(done.stderr.endswith("No space left on device; make room, or choose another place\n"), done.stderr)

    def test_a_reader_that_goes_away(self):
        process = subprocess.Popen([PROGRAM, "scan", str(self.ptx)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.close()
        self.assertEqual(process.stderr.read(), b"")
        process.stderr.close()
        self.assertEqual(process.wait(timeout=60), 2)

    @unittest.skipUnless(importlib.util.find_spec("pyarrow"), "there is no pyarrow: pip install pyarrow")
    def test_parquet(self):
        import pyarrow.parquet as pq
        self.write("k-bad.ptx", bytes(range(32)) * 9)
        out = self.root / "out.parquet"
        environment = {**os.environ, "PTXSCOPE_PYTHON": sys.executable}
        scan(self.ptx, "-o", out, env=environment)
        expected = rows(self.fresh())
        self.assertEqual(rows((self.root / "out.parquet.jsonl").read_text()), expected)
        table = pq.read_table(out)
        found = table.to_pylist()
        self.assertEqual(len(found), len(expected))
        for mine, row in zip(found, expected):
            mine["memory"] = None if mine["memory"] is None else dict(mine["memory"])
            self.assertEqual({key: mine[key] for key in row}, row)
            self.assertEqual({mine[key] for key in mine if key not in row} - {None}, set())
        good = next(row for row in expected if row["status"] == "ok")
        self.assertEqual(list(good), table.schema.names)
        scan(self.ptx, "-o", out, env=environment)
        self.assertEqual(pq.read_table(out).to_pylist(), table.to_pylist())

    @unittest.skipUnless(importlib.util.find_spec("pyarrow"), "there is no pyarrow: pip install pyarrow")
    def test_parquet_that_cannot_be_written(self):
        environment = {**os.environ, "PTXSCOPE_PYTHON": sys.executable}
        folder = self.root / "folder.parquet"
        folder.mkdir()
        _, said = scan(self.ptx, "-o", folder, status=2, env=environment)
        self.assertIn(f"{folder}: cannot be written: Is a directory; name a file, not a folder", said)
        self.assertFalse((self.root / "folder.parquet.jsonl").exists(), "after all the work")
        bad = self.root / "bad.jsonl"
        bad.write_text("{\n")
        for words, sentence in [((bad, self.root / "out.parquet"), f"{bad}: not rows of ptxscope scan: "),
                                ((self.root / "none", self.root / "out.parquet"), f"{self.root}/none: No such file"),
                                ((os.devnull, folder), "Is a directory")]:
            done = subprocess.run([sys.executable, "-m", "ptxscope.parquet", *map(str, words)], capture_output=True,
                                  text=True, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn(sentence, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertEqual(list(self.root.glob("*.part")), [])

    def test_parquet_without_python_says_how(self):
        out = self.root / "out.parquet"
        _, said = scan(self.ptx, "-o", out, status=2, env={**os.environ, "PTXSCOPE_PYTHON": "/nowhere/python3"})
        self.assertIn("pip install pyarrow, and in a clone of ptxscope pip install .; or let -o name a .jsonl file", said)
        self.assertEqual(list(self.root.glob("out*")), [])


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--ptxscope", required=True)
    options, sys.argv[1:] = arguments.parse_known_args()
    PROGRAM = options.ptxscope
    support.main()
