#!/usr/bin/env python3
"""Modules, functions, instructions, operands, blocks and values of the Python package."""

import ctypes
import dataclasses
import gc
import os
import pathlib
import pickle
import random
import sys
import tempfile
import threading
import time
import unittest

import support

import ptxscope
from ptxscope._record import Record
from ptxscope.collection import iterate_scan

KERNEL = r"""
.version 8.0
.target sm_80
.address_size 64

.global .align 4 .b32 table[4];

.visible .entry scale(.param .u64 scale_out, .param .u32 scale_n, .param .f32 scale_by)
{
  .reg .pred %p<2>;
  .reg .b32 %r<6>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [scale_out];
  ld.param.u32 %r1, [scale_n];
  ld.param.f32 %f1, [scale_by];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra DONE;
  cvta.to.global.u64 %rd2, %rd1;
  mul.wide.u32 %rd3, %r5, 4;
  add.s64 %rd4, %rd2, %rd3;
  ld.global.f32 %f2, [%rd4+8];
  mul.f32 %f3, %f2, 0f40000000;
  st.global.v2.f32 [%rd4], {%f3, %f2};
DONE:
  ret;
}
.func helper;
"""


class ModuleTest(unittest.TestCase):
    def setUp(self):
        self.module = ptxscope.parse(KERNEL, name="scale.ptx")
        self.kernel = self.module["scale"]

    def instruction(self, opcode):
        return next(one for one in self.kernel.instructions if one.opcode == opcode)

    def test_what_a_module_says_of_itself(self):
        self.assertEqual(self.module.name, "scale.ptx")
        self.assertEqual(self.module.text, KERNEL)
        self.assertEqual((self.module.header.version, self.module.header.target), ("8.0", ("sm_80",)))
        self.assertTrue(self.module.ok)
        self.assertEqual([one.name for one in self.module], ["scale", "helper"])
        self.assertEqual([one.name for one in self.module.kernels], ["scale"])
        self.assertIn("scale", repr(self.module))

    def test_functions(self):
        self.assertEqual((self.kernel.kind, self.kernel.line, self.kernel.has_body), ("entry", 8, True))
        self.assertEqual([(one.name, one.type, one.role) for one in self.kernel.params],
                         [("scale_out", "u64", "pointer"), ("scale_n", "u32", "scalar"), ("scale_by", "f32", "scalar")])
        declared = self.module["helper"]
        self.assertFalse(declared.has_body)
        self.assertEqual((declared.instructions, declared.blocks, declared.edges, declared.flow), ((), (), (), None))
        with self.assertRaisesRegex(KeyError, "no function is called nothing; there are scale, helper"):
            self.module["nothing"]

    def test_instructions(self):
        self.assertEqual(len(self.kernel.instructions), 16)
        store = self.instruction("st.global.v2.f32")
        self.assertEqual((store.mnemonic, store.modifiers), ("st", ("global", "v2", "f32")))
        self.assertEqual(KERNEL.split("\n")[store.line - 1][store.column - 1:], store.text)
        branch = self.instruction("bra")
        self.assertEqual((branch.guard, branch.text), ("%p1", "@%p1 bra DONE;"))
        self.assertIs(branch.function, self.kernel)

    def test_operands(self):
        load = self.instruction("ld.global.f32")
        to, address = load.operands
        self.assertEqual((to.kind, to.name, str(to)), ("register", "%f2", "%f2"))
        self.assertEqual((address.kind, address.base.name, address.offset), ("address", "%rd4", 8))
        self.assertEqual(address.registers, ("%rd4",))
        _, values = self.instruction("st.global.v2.f32").operands
        self.assertEqual((values.kind, [one.name for one in values.operands]), ("vector", ["%f3", "%f2"]))
        self.assertEqual(self.instruction("mul.f32").operands[2].value, 2.0)
        self.assertEqual(self.instruction("mul.wide.u32").operands[2].value, 4)
        special = self.kernel.instructions[3].operands[1]
        self.assertEqual((special.kind, special.name, special.selector), ("name", "%ctaid", "x"))

    def test_blocks(self):
        first, body, done = self.kernel.blocks
        self.assertEqual([(edge.target.id, edge.kind, edge.guard) for edge in first.successors],
                         [(2, "taken", "%p1"), (1, "fallthrough", "!%p1")])
        self.assertEqual([edge.source.id for edge in done.predecessors], [0, 1])
        self.assertEqual((done.label, body.label), ("DONE", None))
        self.assertEqual([one.opcode for one in done.instructions], ["ret"])
        self.assertEqual(sum(len(block.instructions) for block in self.kernel.blocks), 16)
        self.assertIs(self.instruction("mul.f32").block, body)

    def test_values(self):
        store = self.instruction("st.global.v2.f32")
        self.assertEqual(store.value("%rd4"), "scale_out + 4*global.x".replace("scale_out", self.kernel.params[0].label))
        self.assertEqual(self.instruction("setp.ge.u32").value("%r5"), "global.x")
        self.assertEqual(self.instruction("mov.u32").value("%r5"), "?")
        with self.assertRaisesRegex(ptxscope.Error, r"scale.ptx: scale has no register %r99 at line \d+; expected"):
            store.value("%r99")

    def test_what_is_taken_lives_on(self):
        instruction = ptxscope.parse(KERNEL)["scale"].instructions[-2]
        edge = ptxscope.parse(KERNEL)["scale"].blocks[0].successors[0]
        gc.collect()
        self.assertEqual(instruction.text, "st.global.v2.f32 [%rd4], {%f3, %f2};")
        self.assertEqual(instruction.value("%f3")[:1], instruction.value("%f3")[:1])
        self.assertEqual(edge.target.instructions[0].opcode, "ret")

    def test_copies_in_other_processes(self):
        module, report = pickle.loads(pickle.dumps((self.module, ptxscope.explain_traps(self.module))))
        self.assertEqual((module.name, module.text), (self.module.name, KERNEL))
        self.assertEqual(report, ptxscope.explain_traps(self.module))

    def test_results(self):
        report = ptxscope.explain_traps(ptxscope.load(support.SAMPLE), grid=4, block=256, names=["a", "b", "c"],
                                        args={"a.len": 512, "b.len": 2048, "c.len": 1024})
        self.assertEqual([(trap.check, trap.given.fires) for trap in report.traps], [("bounds", True), ("bounds", False)])
        self.assertIs(report.fires, True)
        self.assertEqual(report.traps[0].ways[0].condition.text, "global.x >= a.len")
        self.assertEqual(report.traps[0].given.first.block, (2, 0, 0))
        self.assertEqual(ptxscope.stats(self.module).functions[0].memory["ld.param"], 3)
        self.assertTrue(ptxscope.check(self.module, target="sm_90", driver="595.97").ok)
        self.assertFalse(ptxscope.check(self.module, isa="1.0").ok)
        other = ptxscope.parse(KERNEL.replace("%rd4", "%rd0").replace("DONE", "END"))
        self.assertTrue(ptxscope.diff(self.module, other).same_code)
        changed = ptxscope.diff(self.module, ptxscope.parse(KERNEL.replace("mul.f32", "add.f32")))
        self.assertEqual([(edit.op, edit.a.line) for edit in changed.functions[0].edits], [("replace", 27)])
        self.assertEqual(len(ptxscope.cfg(self.module, live=True).functions[0].blocks), 3)

    def test_other_modules(self):
        lower, result = ptxscope.retarget(self.module, target="min", isa="min")
        self.assertTrue(result.ok)
        self.assertEqual(lower.header.target, (result.target,))
        self.assertEqual(lower.text.split("\n")[5:], KERNEL.split("\n")[5:])
        none, result = ptxscope.retarget(ptxscope.parse(KERNEL.replace("mul.f32 %f3, %f2, 0f40000000",
                                                                       "wgmma.fence.sync.aligned")), target="sm_80")
        self.assertIsNone(none)
        self.assertEqual(result.problems[0].rule, "PTX-TARGET")
        recording, result = ptxscope.instrument(ptxscope.load(support.SAMPLE))
        self.assertTrue(recording.ok and result.changed and len(result.sites) == 2)

    def test_files(self):
        self.assertEqual([one.name for one in ptxscope.load_all(support.SAMPLE)], [str(support.SAMPLE)])
        with tempfile.TemporaryDirectory() as folder:
            both = os.path.join(folder, "both.c")
            quoted = "\n".join(f'"{line}\\n"' for line in KERNEL.split("\n"))
            with open(both, "w", encoding="utf-8") as file:
                file.write(f"const char* a =\n{quoted};\nconst char* b =\n{quoted};\n")
            self.assertEqual(len(ptxscope.load_all(both)), 2)
            with self.assertRaisesRegex(ptxscope.Error, "holds 2 PTX modules; name one of"):
                ptxscope.load(both)


class BadInputTest(unittest.TestCase):
    def test_what_cannot_be_done_says_why(self):
        module = ptxscope.load(support.SAMPLE)
        for call, words in [
            (lambda: ptxscope.load("/nowhere.ptx"), "^/nowhere.ptx: no such file"),
            (lambda: ptxscope.load(os.devnull), "empty"),
            (lambda: ptxscope.check(module, target="sm_91"), r"^target sm_91: there is no such .target; did you mean"),
            (lambda: ptxscope.check(module, isa="9.99"), "^isa 9.99: there is no such PTX ISA version"),
            (lambda: ptxscope.check(module, device="x"), "^device=x: no device"),
            (lambda: ptxscope.explain_traps(module, grid=1), "^a launch needs both grid and block"),
            (lambda: ptxscope.explain_traps(module, grid=1, block=(1, 2, 3, 4)), "one to three whole numbers"),
            (lambda: ptxscope.explain_traps(module, grid=1, block=4096), "no GPU launches this"),
            (lambda: ptxscope.explain_traps(module, grid=1, block=1, args={"z": 1}), "args: no parameter is called z"),
            (lambda: ptxscope.explain_traps(module, kernels=["nothing*"]), r"nothing is called nothing\*; the functions"),
            (lambda: ptxscope.explain_traps(module, names=["a", "a"]), "would be called a"),
            (lambda: ptxscope.stats(module, kernels=["x"]), "nothing is called x"),
            (lambda: ptxscope.retarget(module), "say which header is wanted"),
            (lambda: ptxscope.retarget(module, target="sm_9000"), "there is no such target"),
        ]:
            with self.subTest(words=words), self.assertRaisesRegex(ptxscope.Error, words):
                call()
        for text in (12, None, ["text"]):
            with self.assertRaisesRegex(TypeError, "^expected PTX as str or bytes, not .*; load.. reads a file"):
                ptxscope.parse(text)
        with self.assertRaises(KeyError):
            module[None]
        for call in (ptxscope.load, ptxscope.load_all, lambda path: ptxscope.scan([path])):
            with self.assertRaisesRegex(ptxscope.Error, "^'': an empty path names nothing"):
                call("")
            with self.assertRaisesRegex(ValueError, "embedded null byte"):
                call(f"{support.SAMPLE}\0more")
        with self.assertRaisesRegex(TypeError, "expected a ptxscope.Module, not str; parse.. makes one of a text"):
            ptxscope.stats("text")

    def test_faulty_text_is_told_of(self):
        module = ptxscope.parse(".version 8.0\n.target sm_80\n.entry k() {\n  add.s32 %r1 %r2;\n  ret;\n}\n", name="k.ptx")
        self.assertFalse(module.ok)
        error = module.diagnostics[0]
        self.assertEqual((error.level, error.rule, error.line), ("error", "PTX-SYNTAX", 4))
        self.assertEqual([one.opcode for one in module["k"].instructions][-1], "ret")

    def everything(self, text):
        module = ptxscope.parse(text)
        for function in module:
            for instruction in function.instructions:
                for operand in instruction.operands:
                    for name in operand.registers[:1]:
                        instruction.value(name)
            _ = function.params, function.edges
        ptxscope.explain_traps(module)
        ptxscope.stats(module, checks=True, live=True)
        ptxscope.check(module)
        ptxscope.diff(module, module)
        ptxscope.cfg(module, live=True)
        ptxscope.instrument(module)

    def test_any_bytes_can_be_parsed(self):
        for text in ["", "\0", "{" * 5000, b"\xff\xfe\x00", "\ud800", ".version 9.9\n.target sm_999", "@@@", '"']:
            self.everything(text)
        chance = random.Random(7)
        for _ in range(60):
            data = bytearray(KERNEL.encode())
            for _ in range(chance.randrange(1, 12)):
                place = chance.randrange(len(data))
                data[place:place + chance.randrange(9)] = chance.randbytes(chance.randrange(4))
            self.everything(bytes(data))
        text = ptxscope.parse(b".version 8.0 // \xff\n").text
        self.assertEqual(text.encode("utf-8", "surrogateescape"), b".version 8.0 // \xff\n")


    def test_names_that_are_no_utf8(self):
        """Names of files may hold any byte; Python keeps those that are no UTF-8 as surrogates."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, os.fsdecode(b"caf\xe9.ptx"))
            with self.assertRaisesRegex(ptxscope.Error, "caf\udce9.ptx: no such file"):
                ptxscope.load(path)
            with open(path, "w", encoding="utf-8") as file:
                file.write(KERNEL)
            for module in (ptxscope.load(path), ptxscope.load(os.fsencode(path)), ptxscope.load_all(path)[0],
                           ptxscope.parse(KERNEL, name=path)):
                self.assertEqual(module.name, path)
                self.assertEqual(pickle.loads(pickle.dumps(module)).name, path)
                with self.assertRaisesRegex(ptxscope.Error, "caf\udce9.ptx: nothing is called \udcff"):
                    ptxscope.stats(module, kernels=["\udcff"])
                with self.assertRaisesRegex(ptxscope.Error, "has no register %\udcff at"):
                    module["scale"].instructions[0].value("%\udcff")
                for call in (ptxscope.stats, ptxscope.check, ptxscope.cfg, ptxscope.explain_traps, ptxscope.instrument):
                    call(module)

    def test_one_text_is_no_list(self):
        """Python would take it letter by letter."""
        module = ptxscope.parse(KERNEL)
        for call in [lambda: ptxscope.scan("samples"), lambda: ptxscope.partitions("samples", 2),
                     lambda: ptxscope.scan(pathlib.Path("samples")), lambda: ptxscope.stats(module, kernels="scale"),
                     lambda: ptxscope.explain_traps(module, names="out")]:
            with self.assertRaisesRegex(TypeError, "expected a list, "):
                call()
        for call in [lambda: ptxscope.parse(KERNEL, name=None), lambda: ptxscope.stats(module, kernels=[b"scale"])]:
            with self.assertRaisesRegex(TypeError, "expected a str, not "):
                call()

    def test_collections(self):
        with tempfile.TemporaryDirectory() as folder:
            pipe = os.path.join(folder, "pipe.ptx")  # who reads it waits for ever
            os.mkfifo(pipe)
            strange = os.path.join(folder, "a\nnew line.ptx")
            with open(strange, "w", encoding="utf-8") as file:
                file.write(KERNEL)
            self.assertEqual(ptxscope.files_in(folder), [strange])
            self.assertEqual([row["kernel"] for row in ptxscope.scan([strange])], ["scale"])
            several_rows = iterate_scan([strange, pipe], seconds=60)
            self.assertEqual(next(several_rows)["kernel"], "scale")
            before = time.monotonic()
            several_rows.close()
            self.assertLess(time.monotonic() - before, 30, "the rest was waited for")
            with self.assertRaisesRegex(ptxscope.Error, "nowhere: cannot be listed: No such file or directory; name a"):
                ptxscope.files_in(os.path.join(folder, "nowhere"))
        with self.assertRaisesRegex(ValueError, "size=0: a list holds at least one path"):
            ptxscope.partitions(["a"], 0)

    def test_what_counts_as_a_number(self):
        class Number:  # as NumPy's
            def __index__(self):
                return 4

        module = ptxscope.load(support.SAMPLE)
        self.assertEqual(ptxscope.explain_traps(module, grid=Number(), block=[Number(), 2]),
                         ptxscope.explain_traps(module, grid=4, block=(4, 2)))
        for grid in (1.5, "4", (1, None), ()):
            with self.assertRaisesRegex(ptxscope.Error, "must be one to three whole numbers"):
                ptxscope.explain_traps(module, grid=grid, block=1)

    def test_a_module_holds_functions(self):
        module = ptxscope.parse(KERNEL)
        self.assertTrue("scale" in module and "helper" in module and module["scale"] in module)
        self.assertFalse("nothing" in module or None in module or ptxscope.parse(KERNEL)["scale"] in module)


class ThreadTest(unittest.TestCase):
    def at_once(self, work):
        """What it returns in several threads."""
        self.addCleanup(sys.setswitchinterval, sys.getswitchinterval())
        sys.setswitchinterval(1e-6)
        barrier = threading.Barrier(6)
        found = []

        def run():
            barrier.wait()
            found.append(work())

        threads = [threading.Thread(target=run) for _ in range(barrier.parties)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(found), barrier.parties, "a thread ended with an exception")
        return found

    def test_the_first_documents_of_a_kind(self):
        fields = [f"field{i}" for i in range(60)]
        for i in range(100):
            kind = dataclasses.make_dataclass(f"Kind{i}", [(one, int) for one in fields], bases=(Record,), frozen=True)
            self.at_once(lambda kind=kind: kind.from_dict(dict.fromkeys(fields, 1)))

    def test_all_threads_see_the_same_blocks(self):
        """Edges lead to the blocks that everybody has."""
        for _ in range(50):
            kernel = ptxscope.parse(KERNEL)["scale"]
            self.assertEqual(len({id(one) for one in self.at_once(lambda kernel=kernel: kernel.blocks)}), 1)
            self.assertEqual([len(block.successors) for block in kernel.blocks], [2, 1, 0])

    def test_several_threads_use_one_module(self):
        module = ptxscope.load(support.SAMPLE)
        expected = ptxscope.explain_traps(module), ptxscope.stats(module)
        problems = []

        def work():
            for _ in range(5):
                if (ptxscope.explain_traps(module), ptxscope.stats(module)) != expected:
                    problems.append("another answer")
                for instruction in module["vecadd"].instructions:
                    for operand in instruction.operands:
                        for name in operand.registers:
                            instruction.value(name)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(problems, [])

    def test_the_lock_is_released(self):
        """While one thread parses, this one goes on: it counts. With the lock held it would get to two or three."""
        text = (".version 8.0\n.target sm_80\n.entry k() {\n.reg .b32 %r<9>;\n" + "add.s32 %r1, %r2, %r3;\n" * 1_000_000 +
                "ret;\n}\n")
        for name, call in [("parse", lambda: ptxscope.parse(text)), ("stats", lambda: ptxscope.stats(module))]:
            module = ptxscope.parse(text)
            ended = threading.Event()

            def work(call=call, ended=ended):
                call()
                ended.set()

            thread = threading.Thread(target=work)
            before = time.thread_time()
            counted = 0
            thread.start()
            while not ended.is_set():
                counted += 1
                time.sleep(0)
            thread.join()
            with self.subTest(name):
                self.assertGreater(counted, 20, f"only {counted} rounds in {time.thread_time() - before} s")

    def test_linked_libraries_stay_inside(self):
        """What the module shows to others is its own entry alone: they may have brought another Zstandard."""
        library = ctypes.CDLL(sys.modules["ptxscope._core"].__file__)
        for name in ("ZSTD_versionNumber", "LZ4_versionNumber", "cplus_demangle", "sodium_init"):
            self.assertFalse(hasattr(library, name), name)


if __name__ == "__main__":
    support.main()
