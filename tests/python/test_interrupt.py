#!/usr/bin/env python3
"""Ctrl-C, and signals at large, while a call of the Python package takes long."""

import collections
import os
import pathlib
import signal
import tempfile
import threading
import time
import unittest

import support

import ptxscope
from ptxscope import _core

HEADER = ".version 8.0\n.target sm_80\n.address_size 64\n"
KERNEL = """
.visible .entry kernel{i}(.param .u64 kernel{i}_p, .param .u32 kernel{i}_n)
{{
  .reg .pred %p<9>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [kernel{i}_p];
  ld.param.u32 %r1, [kernel{i}_n];
  mov.u32 %r2, %tid.x;
{body}
  ret;
FAIL:
  trap;
}}
"""
STEP = """  add.s32 %r3, %r2, {k};
  setp.ge.u32 %p1, %r3, %r1;
  @%p1 bra FAIL;
  mul.wide.u32 %rd2, %r3, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r3;
"""


def kernels(count, steps, first=0):
    """A text of many kernels, each with that many checks."""
    return HEADER + "".join(KERNEL.format(i=i, body="".join(STEP.format(k=k + i % 7) for k in range(steps)))
                            for i in range(first, first + count))


def threads_of_this_process():
    return len(os.listdir("/proc/self/task"))


class InterruptTest(unittest.TestCase):
    """Each call is made again and again by map(), which runs no Python between two of them, so that no signal is noticed
    there: what ends the row early was noticed inside of a call. The row would take minutes."""

    @classmethod
    def setUpClass(cls):
        cls.text = kernels(2500, 20).encode()
        cls.module = ptxscope.parse(cls.text)
        cls.other = ptxscope.parse(kernels(2500, 20, first=1))
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = os.path.join(cls.folder.name, "big.ptx")
        pathlib.Path(cls.path).write_bytes(cls.text)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def calls(self):
        core, other = self.module._core, self.other._core
        none = (None, None, [])
        return {
            "parse": (_core.parse, self.text, b"big.ptx"),
            "load": (_core.load, os.fsencode(self.path)),
            "load_all": (_core.load_all, os.fsencode(self.path)),
            "explain_traps": (_core.explain_traps, core, [], [], *none),
            "explain_traps of a launch": (_core.explain_traps, core, [], [], (4096, 64, 1), (256, 1, 1), []),
            "stats": (_core.stats, core, [], False, False),
            "stats with checks": (_core.stats, core, [], True, False),
            "stats with live registers": (_core.stats, core, [], False, True),
            "check": (_core.check, core, b"", b"", b"", b"", b"", True),
            "diff": (_core.diff, core, other, []),
            "cfg": (_core.cfg, core, [], False),
            "cfg with live registers": (_core.cfg, core, [], True),
            "retarget": (_core.retarget, core, b"min", b"min", True),
            "instrument": (_core.instrument, core, []),
        }

    @staticmethod
    def row_of(call, arguments, times):
        """A row of calls, and the list that their results are put into."""
        results = []
        return results, map(results.append, map(call, *([one] * times for one in arguments)))

    def test_control_c_ends_a_call(self):
        times = 10_000
        for name, (call, *arguments) in self.calls().items():
            with self.subTest(name):
                results, row = self.row_of(call, arguments, times)
                threads = threads_of_this_process()
                press = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
                with self.assertRaises(KeyboardInterrupt):
                    press.start()
                    collections.deque(row, maxlen=0)
                press.join()
                self.assertLess(len(results), times, "the signal was noticed when all calls had ended")
                # A thread that was waited for may still be listed for a moment.
                end = time.monotonic() + 10
                while threads_of_this_process() > threads and time.monotonic() < end:
                    time.sleep(0.01)
                self.assertEqual(threads_of_this_process(), threads, "what was begun has not ended")

    def test_an_interrupted_module_is_whole(self):
        """What was interrupted left nothing behind: asked again, the module says the same as another that never was."""
        fresh = ptxscope.parse(self.text)
        for ask in (ptxscope.stats, ptxscope.check, lambda module: ptxscope.diff(module, self.other)):
            with self.subTest(ask):
                press = threading.Timer(0.01, os.kill, (os.getpid(), signal.SIGINT))
                with self.assertRaises(KeyboardInterrupt):
                    press.start()
                    while True:
                        ask(self.module)
                press.join()
                self.assertEqual(ask(self.module).to_dict(), ask(fresh).to_dict())

    def test_a_handler_that_raises_nothing_ends_nothing(self):
        """It runs while the call does, and the call gives what it would have given."""
        expected = _core.stats(self.module._core, [], False, False)
        results, row = self.row_of(_core.stats, (self.module._core, [], False, False), 20)
        seen = []
        before = signal.signal(signal.SIGALRM, lambda *_: seen.append(len(results)))
        signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
        try:
            collections.deque(row, maxlen=0)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        self.assertTrue(all(one == expected for one in results))
        self.assertEqual(len(results), 20)
        self.assertLess(seen[0], 20, "the handler ran behind the calls only")

    def test_any_handler_that_raises(self):
        """A time limit, as people set it with signal.alarm()."""
        class TooLong(Exception):
            pass

        def handler(*_):
            raise TooLong

        before = signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        try:
            results, row = self.row_of(_core.stats, (self.module._core, [], True, True), 1000)
            with self.assertRaises(TooLong):
                collections.deque(row, maxlen=0)
        finally:
            signal.signal(signal.SIGALRM, before)
        self.assertLess(len(results), 1000)

    def test_errors_come_through(self):
        """What a call raises by itself is the same on all threads."""
        def messages():
            with self.assertRaisesRegex(ptxscope.Error, "there is no such .target"):
                ptxscope.check(self.module, target="sm_91")
            with self.assertRaisesRegex(ptxscope.Error, "nothing is called nobody"):
                ptxscope.stats(self.module, kernels=["nobody"])
            with self.assertRaisesRegex(ptxscope.Error, "no such file"):
                ptxscope.load(self.path + ".not")
            done.append(True)

        done = []
        messages()
        thread = threading.Thread(target=messages)
        thread.start()
        thread.join()
        self.assertEqual(len(done), 2)

    def test_other_threads_go_on(self):
        """Signals are the main thread's: what others do goes on when that is interrupted."""
        expected = _core.stats(self.module._core, [], False, False)
        results = []
        begun = threading.Event()

        def work():
            for _ in range(8):
                begun.set()
                results.append(_core.stats(self.module._core, [], False, False))

        thread = threading.Thread(target=work)
        thread.start()
        begun.wait()
        press = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
        with self.assertRaises(KeyboardInterrupt):
            press.start()
            while True:
                _core.parse(self.text, b"big.ptx")
        thread.join()
        self.assertEqual(len(results), 8)
        self.assertTrue(all(one == expected for one in results))


class PipeTest(unittest.TestCase):
    """What is read may never come."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "pipe")
        os.mkfifo(self.path)

    def interrupted(self):
        threads = threads_of_this_process()
        press = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
        press.start()
        with self.assertRaises(KeyboardInterrupt):
            ptxscope.load(self.path)
        press.join()
        self.assertEqual(threads_of_this_process(), threads)

    def test_a_pipe_that_nobody_writes(self):
        self.interrupted()

    def test_a_pipe_that_nobody_closes(self):
        with open(os.open(self.path, os.O_RDWR), "wb") as pipe:
            pipe.write(HEADER.encode())
            pipe.flush()
            self.interrupted()

    def test_a_pipe_is_read_to_its_end(self):
        text = kernels(200, 20)

        def write():
            with open(self.path, "w", encoding="ascii") as pipe:
                for begin in range(0, len(text), 50_000):
                    pipe.write(text[begin:begin + 50_000])
                    pipe.flush()
                    time.sleep(0.02)

        for load in (ptxscope.load, lambda path: ptxscope.load_all(path)[0]):
            writer = threading.Thread(target=write)
            writer.start()
            module = load(self.path)
            writer.join()
            self.assertEqual(module.text, text)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever started this may have it ignored
    support.main()
