#!/usr/bin/env python3
"""The results as Python objects are the documents that the program writes: field by field, nothing lost, nothing added."""

import argparse
import dataclasses
import functools
import json
import shutil
import sys
import typing
import unittest

import support

import ptxscope
from ptxscope import results
from ptxscope._record import Record, key_of

PROGRAM = ""
CORPUS_STEP = 29
SCHEMAS = support.ROOT / "docs" / "schemas"


def records():
    """All classes of results."""
    return [one for one in vars(results).values() if isinstance(one, type) and issubclass(one, Record) and one is not Record]


class ResultsTest(unittest.TestCase):
    maxDiff = 4000

    def compare(self, result, *words):
        """The object as a document is what the program writes."""
        document = support.document(PROGRAM, *words, status=None)
        self.assertEqual(without_nulls(result.to_dict()), without_nulls(document), words)
        self.assertEqual(type(result).from_dict(document), result, words)
        self.assertEqual(missing_nulls(result.to_dict(), document), [], words)

    def modules(self):
        for path in [*support.modules_of_the_tree(), *support.corpus(CORPUS_STEP)]:
            # The program may see several modules in a file, or none.
            module = ptxscope.load_all(path)
            if len(module) == 1 and path.stat().st_size < 400_000:
                yield path, module[0]

    def test_documents(self):
        seen = 0
        for path, module in self.modules():
            seen += 1
            with self.subTest(path):
                self.compare(ptxscope.explain_traps(module), "explain-trap", path)
                self.compare(ptxscope.stats(module, checks=True, live=True), "stats", "--checks", "--live", path)
                self.compare(ptxscope.check(module), "check", path)
                self.compare(ptxscope.check(module, target="sm_90", driver="595.97"), "check", "--target", "sm_90",
                             "--driver", "595.97", path)
                self.compare(ptxscope.instrument(module)[1], "instrument", path)
                self.compare(ptxscope.retarget(module, isa="min")[1], "retarget", "--isa", "min", path)
        self.assertGreater(seen, 30)

    def test_cfg(self):
        """cfg tells also of what building the graphs found, on the command line: diagnostics apart."""
        for path, module in list(self.modules())[::3]:
            with self.subTest(path):
                result = dataclasses.replace(ptxscope.cfg(module, live=True), diagnostics=())
                document = support.document(PROGRAM, "cfg", "--live", path, status=None)
                document["diagnostics"] = []
                self.assertEqual(without_nulls(result.to_dict()), without_nulls(document))

    def test_diff(self):
        golden = support.ROOT / "tests" / "golden"
        pairs = [(one, one.with_name(one.name.replace("old", "new"))) for one in sorted(golden.glob("diff_*old*.ptx"))]
        pairs += [(support.SAMPLE, support.ROOT / "samples" / "vecadd_cuda" / "vecadd.ptx")]
        for a, b in pairs:
            if b.exists():
                with self.subTest(a):
                    self.compare(ptxscope.diff(ptxscope.load(a), ptxscope.load(b)), "diff", a, b)

    def test_launch(self):
        module = ptxscope.load(support.SAMPLE)
        for size in (1, 100, 5000):
            self.compare(ptxscope.explain_traps(module, grid=4, block=(32, 8), args={"arg0.len": size}), "explain-trap",
                         "--grid", "4", "--block", "32,8", "--arg", f"arg0.len={size}", support.SAMPLE)

    @unittest.skipUnless(shutil.which("ptxas"), "there is no ptxas in PATH")
    def test_what_ptxas_says(self):
        document = support.document(PROGRAM, "stats", "--ptxas", support.SAMPLE)
        stats = results.Stats.from_dict(document)
        self.assertGreater(stats.functions[0].ptxas[0].registers, 0)
        self.assertEqual(without_nulls(stats.to_dict()), without_nulls(document))

    def test_answer(self):
        """Check.ok is the program's exit status."""
        for path, module in list(self.modules())[::4]:
            for options in ({}, {"target": "sm_75"}, {"cuda": "12.0"}, {"device": "8.0"}):
                words = [f"--{key}={value}" for key, value in options.items()]
                support.run(PROGRAM, "check", *words, path, status=0 if ptxscope.check(module, **options).ok else 1)

    @unittest.skipUnless(SCHEMAS.is_dir(), "there are no schemas")
    def test_schemas(self):
        """Each class has the fields that docs/schemas asks of its part of a document, and none that they do not know."""
        seen = set()
        for name, record in [("explain-trap", results.TrapReport), ("stats", results.Stats), ("check", results.Check),
                             ("diff", results.Diff), ("cfg", results.Cfg), ("retarget", results.Retarget),
                             ("instrument", results.Instrument)]:
            schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))
            root = schema["$defs"]["document"] if "document" in schema.get("$defs", {}) else schema
            self.compare_schema(record, root, schema, f"{name}: {record.__name__}", seen)
        self.assertEqual({one for one in records() if one not in seen}, set())

    def compare_schema(self, record, schema, root, place, seen):
        schema, root = object_of(schema, root)
        fields = {key_of(field): field for field in dataclasses.fields(record)}
        self.assertLessEqual(set(schema["required"]), set(fields), place)
        self.assertLessEqual(set(fields), set(schema["properties"]), place)
        seen.add(record)
        hints = typing.get_type_hints(record)
        for key, field in fields.items():
            inner = record_in(hints[field.name])
            if inner is not None and inner not in seen:
                self.compare_schema(inner, schema["properties"][key], root, f"{place}.{key}", seen)

    def test_all_is_documented(self):
        for one in records():
            self.assertTrue((one.__doc__ or "").rstrip().endswith((".", "\"", "known.")), one)
            self.assertEqual(typing.get_type_hints(one).keys(), {field.name for field in dataclasses.fields(one)})
        for name in ptxscope.__all__:
            self.assertTrue(getattr(ptxscope, name).__doc__, name)
        for of in (ptxscope.Module, ptxscope.Function, ptxscope.Instruction, ptxscope.Block, ptxscope.Edge):
            for name, member in vars(of).items():
                if not name.startswith("_") and hasattr(member, "__get__"):
                    self.assertTrue(getattr(member, "__doc__", None) or name in getattr(of, "__slots__", ()), f"{of}.{name}")

    def test_records_do_not_change(self):
        check = ptxscope.check(ptxscope.load(support.SAMPLE))
        with self.assertRaises(dataclasses.FrozenInstanceError):
            check.complete = False
        with self.assertRaisesRegex(KeyError, "Check: the document has no requires"):
            results.Check.from_json('{"schema": "ptxscope.check/1", "file": "", "module": %s}' %
                                    json.dumps(check.module.to_dict()))
        self.assertEqual([key_of(field) for field in dataclasses.fields(results.FlowEdge)][:2], ["from", "to"])


def object_of(schema, root):
    """The object that a schema is about, through references, lists and "or null"; and the file it stands in."""
    while "properties" not in schema:
        if "$ref" in schema:
            file, _, path = schema["$ref"].partition("#/")
            root = json.loads((SCHEMAS / file).read_text(encoding="utf-8")) if file else root
            schema = functools.reduce(lambda part, key: part[key], path.split("/"), root)
        else:
            schema = schema["anyOf"][0] if "anyOf" in schema else schema["items"]
    return schema, root


def record_in(hint):
    """The class of results that a type is made of, if it is one of ours."""
    if isinstance(hint, type) and issubclass(hint, Record):
        return hint
    return next(filter(None, map(record_in, typing.get_args(hint))), None)


def without_nulls(value):
    """What is null may as well be left out of a document."""
    if isinstance(value, dict):
        return {key: without_nulls(one) for key, one in value.items() if one is not None}
    return [without_nulls(one) for one in value] if isinstance(value, list) else value


def missing_nulls(mine, theirs, place=""):
    """Nulls of the one that are not in the other."""
    if isinstance(mine, dict) and isinstance(theirs, dict):
        found = [f"{place}.{key}" for key in mine if mine[key] is None and key not in theirs]
        return found + [one for key in mine for one in missing_nulls(mine[key], theirs.get(key), f"{place}.{key}")]
    if isinstance(mine, list) and isinstance(theirs, list):
        return [one for a, b in zip(mine, theirs) for one in missing_nulls(a, b, place + "[]")]
    return []


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--ptxscope", required=True)
    options, sys.argv[1:] = arguments.parse_known_args()
    PROGRAM = options.ptxscope
    support.main()
