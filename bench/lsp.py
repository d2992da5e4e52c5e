#!/usr/bin/env python3
"""What the language server costs on a large module: CPU time of its process for each step, and its memory.

    bench/lsp.py --build build/release [--megabytes 50]
"""
import argparse
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests"))
from lsp_test import Client, URI, many_kernels  # noqa: E402


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--build", required=True, help="a release build")
    arguments.add_argument("--megabytes", type=int, default=50)
    options = arguments.parse_args()
    text, kernels = many_kernels(options.megabytes * 1_000_000)
    client = Client(os.path.join(options.build, "ptxscope"))
    process = f"/proc/{client.process.pid}"
    line = text.count("\n", 0, text.rindex("trap;"))
    document = {"textDocument": {"uri": URI}}

    def cpu():
        fields = pathlib.Path(process, "stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def step(name, run):
        before = cpu()
        run()
        memory = next(one.split()[1] for one in pathlib.Path(process, "status").read_text().splitlines()
                      if one.startswith("VmRSS"))
        print(f"{name:<44} {cpu() - before:6.2f} s {int(memory) / 1000:6.0f} MB")

    print(f"{len(text) / 1e6:.1f} MB, {kernels} kernels")
    step("opened, read, checked, diagnostics", lambda: (client.open(text), client.diagnostics(1)))
    step("hover on a trap", lambda: client.at("hover", (line, 2)))
    step("hover on an instruction, definition", lambda: (client.at("hover", (line - 20, 3)),
                                                         client.at("definition", (line - 20, 14))))
    start = {"line": 8, "character": 0}
    step("one edit, text alone", lambda: (client.change([{"range": {"start": start, "end": start}, "text": "// x\n"}], 2),
                                          client.ask("none", {})))
    step("the same until its diagnostics", lambda: client.diagnostics(2))
    shown = {"start": {"line": line - 60, "character": 0}, "end": {"line": line, "character": 0}}
    step("semantic tokens of what a window shows",
         lambda: client.result("textDocument/semanticTokens/range", {**document, "range": shown}))
    step("the list of symbols", lambda: client.result("textDocument/documentSymbol", document))
    client.end()


main()
