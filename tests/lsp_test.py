#!/usr/bin/env python3
"""The language server, by a client that knows what it should answer.

    lsp_test.py --ptxscope PATH [NAME...]    all tests or those; exit status 1 when one fails
"""

import json
import os
import pathlib
import queue
import random
import re
import subprocess
import threading
import time

import one_by_one

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "samples"
URI = "file:///kernel.ptx"
WAIT = 300  # seconds for one answer; machines under load are slow


class Client:
    """Speaks with one server."""

    def __init__(self, program, capabilities=None, start=True):
        self.process = subprocess.Popen([program, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.messages = queue.Queue()
        self.kept = []  # what came while something else was waited for
        self.number = 0
        threading.Thread(target=self.read, daemon=True).start()
        if start:
            self.hello = self.ask("initialize", {"processId": None, "rootUri": None,
                                                 "capabilities": capabilities or FULL})["result"]
            self.tell("initialized", {})

    def read(self):
        stream = self.process.stdout
        while True:
            header = {}
            while (line := stream.readline()) not in (b"\r\n", b""):
                name, _, value = line.decode().partition(":")
                header[name.lower()] = value.strip()
            if not header:
                self.messages.put(None)
                return
            self.messages.put(json.loads(stream.read(int(header["content-length"]))))

    def send_bytes(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send_text(self, text):
        data = text.encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n" % len(data) + data)

    def tell(self, method, params):
        self.send_text(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}))

    def start(self, method, params):
        self.number += 1
        self.send_text(json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}))
        return self.number

    def wait(self, wanted):
        """The first message of which `wanted` holds."""
        for one in self.kept:
            if wanted(one):
                self.kept.remove(one)
                return one
        end = time.monotonic() + WAIT
        while True:
            one = self.messages.get(timeout=max(0.01, end - time.monotonic()))
            assert one is not None, "the server closed its output"
            if wanted(one):
                return one
            self.kept.append(one)

    def answer(self, number):
        return self.wait(lambda one: one.get("id") == number and "method" not in one)

    def ask(self, method, params):
        return self.answer(self.start(method, params))

    def result(self, method, params):
        answer = self.ask(method, params)
        assert "error" not in answer, answer
        return answer["result"]

    def open(self, text, uri=URI, version=1):
        self.tell("textDocument/didOpen",
                  {"textDocument": {"uri": uri, "languageId": "ptx", "version": version, "text": text}})

    def change(self, changes, version, uri=URI):
        self.tell("textDocument/didChange", {"textDocument": {"uri": uri, "version": version},
                                             "contentChanges": changes})

    def at(self, method, place, more=None):
        line, character = place
        return self.result(f"textDocument/{method}", {"textDocument": {"uri": URI},
                                                      "position": {"line": line, "character": character},
                                                      **(more or {})})

    def diagnostics(self, version, uri=URI):
        """Those of that version of the document."""
        return self.wait(lambda one: one.get("method") == "textDocument/publishDiagnostics" and
                         one["params"]["uri"] == uri and one["params"].get("version") == version)["params"]["diagnostics"]

    def refusal(self):
        return self.wait(lambda one: "error" in one and one.get("id") is None)["error"]["code"]

    def end(self):
        self.ask("shutdown", None)
        self.tell("exit", None)
        return self.process.wait(WAIT)


FULL = {"general": {"positionEncodings": ["utf-16"]},
        "textDocument": {"hover": {"contentFormat": ["markdown", "plaintext"]},
                         "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
                         "publishDiagnostics": {"relatedInformation": True}}}


def sample(name):
    return (SAMPLES / name).read_text()


def many_kernels(size):
    """A module of at least so many bytes, of one kernel under many names; and how many there are."""
    text = sample("vecadd/vecadd.ptx")
    begin = text.index(".visible")
    kernel = text[begin:text.index("}\n", begin) + 2]
    pieces = [text[:begin]]
    number = 0
    while number * len(kernel) < size:
        pieces.append(kernel.replace("vecadd", f"v{number}").replace("BB0", f"BB{number}").replace("tmp", f"t{number}_")
                      .replace("__func_begin0", f"__fb{number}").replace("__func_end0", f"__fe{number}"))
        number += 1
    return "\n".join(pieces), number


def units(text):
    """Length in UTF-16 code units."""
    return len(text.encode("utf-16-le")) // 2


def place_of(text, wanted, within=0):
    """Line and column, in UTF-16 code units, of a piece of text."""
    at = text.index(wanted) + within
    before = text[:at]
    return before.count("\n"), units(before[before.rfind("\n") + 1:])


def cut(text, span):
    """The text of a range of the protocol."""
    lines = text.split("\n")
    begin, end = span["start"], span["end"]
    assert begin["line"] == end["line"], span
    line = lines[begin["line"]].encode("utf-16-le")
    return line[2 * begin["character"]:2 * end["character"]].decode("utf-16-le")


def starts_and_ends(program):
    client = Client(program)
    assert client.hello["serverInfo"]["name"] == "ptxscope"
    assert client.hello["capabilities"]["positionEncoding"] == "utf-16"
    assert client.hello["capabilities"]["textDocumentSync"]["change"] == 2
    assert client.ask("initialize", {})["error"]["code"] == -32600
    number = client.start("shutdown", None)
    assert client.answer(number)["result"] is None
    assert client.ask("textDocument/hover", {})["error"]["code"] == -32600
    client.tell("exit", None)
    assert client.process.wait(WAIT) == 0
    # Without shutdown, and when the other side is gone.
    client = Client(program)
    client.tell("exit", None)
    assert client.process.wait(WAIT) == 1
    client = Client(program)
    client.process.stdin.close()
    assert client.process.wait(WAIT) == 1


def refuses_what_is_no_request(program):
    client = Client(program, start=False)
    assert client.ask("textDocument/hover", {})["error"]["code"] == -32002
    client.open("ret;")  # too early, and not an error
    client.ask("initialize", {"capabilities": {}})
    assert client.ask("textDocument/frobnicate", {})["error"]["code"] == -32601
    client.tell("$/unknown", {})
    client.tell("workspace/didChangeConfiguration", {"settings": None})
    assert client.ask("textDocument/hover", {})["error"]["code"] == -32602
    assert client.ask("textDocument/hover", [1, 2])["error"]["code"] == -32602
    document = {"textDocument": {"uri": URI}}
    assert client.ask("textDocument/hover", document)["error"]["code"] == -32602  # not open
    client.open("ret;")
    assert client.ask("textDocument/hover", document)["error"]["code"] == -32602  # no position
    for position in [None, 3, {}, {"line": -1, "character": 0}, {"line": "x", "character": 0}, {"line": 0.5, "character": 0}]:
        assert client.ask("textDocument/hover", {**document, "position": position})["error"]["code"] == -32602
    for position in [{"line": 10**18, "character": 10**18}, {"line": 0, "character": 2**63}]:
        assert client.ask("textDocument/hover", {**document, "position": position}).get("result") is None
    assert client.end() == 0


def survives_malformed_messages(program):
    client = Client(program)

    def goes_on():
        assert client.ask("textDocument/frobnicate", {})["error"]["code"] == -32601

    for content, code in [("{", -32700), ("", -32700), ("\x00", -32700), ('"\\ud800"', -32700), ("[]", -32600),
                          ("3", -32600), ('{"jsonrpc":"2.0","id":7}', None), ('{"id":[1],"method":"x"}', -32600),
                          ('{"id":{},"method":"x"}', -32600), ('{"id":1.5,"method":"x"}', -32600),
                          ('{"method":3}', -32600), ("[" * 100_000, -32600), ('{"a":' * 70 + "1" + "}" * 70, -32600),
                          ("[" + "1," * 1_100_000 + "1]", -32600)]:
        client.send_text(content)
        if code is None:
            assert client.wait(lambda one: one.get("id") == 7)["error"]["code"] == -32600
        else:
            assert client.refusal() == code, content[:40]
        goes_on()
    client.send_bytes(b"Content-Length: 2\r\n\r\n\xff\xfe")  # not UTF-8
    assert client.refusal() == -32700
    goes_on()
    client.send_text('{"jsonrpc":"2.0","id":99,"result":null}')  # an answer to no question
    goes_on()
    for header in [b"hello\r\n\r\n", b"Content-Length: many\r\n\r\n", b"Content-Length: -5\r\n\r\n",
                   b"Content-Length: 99999999999999999999999\r\n\r\n", b"Content-Type: x\r\n\r\n",
                   b"x" * 100_000 + b"\r\n\r\n", b"\x00\x01\x02\n\n", b"Content-Length\r\n\r\n"]:
        client.send_bytes(header)
        assert client.refusal() == -32700, header[:40]
        goes_on()
    client.send_bytes(b"\r\n\r\n")  # nothing at all
    goes_on()
    # A header in lower case, with more fields, in pieces.
    text = b'{"jsonrpc":"2.0","id":"s","method":"none"}'
    for piece in [b"content-type: utf-8\r\ncontent-", b"length:%d\n" % len(text), b"\r", b"\n", text[:9], text[9:]]:
        client.send_bytes(piece)
        time.sleep(0.01)
    assert client.wait(lambda one: one.get("id") == "s")["error"]["code"] == -32601
    # Larger than is taken: skipped, not kept.
    size = 300 << 20
    client.send_bytes(b"Content-Length: %d\r\n\r\n" % size)
    for _ in range(300):
        client.send_bytes(b" " * (1 << 20))
    assert client.refusal() == -32700
    goes_on()
    # Changes that cannot be applied: the document counts as closed.
    for changes in [None, 3, [3], [{}], [{"text": 3}], [{"text": "", "range": 3}],
                    [{"text": "", "range": {"start": {"line": 0}, "end": {}}}]]:
        client.open("ret;")
        client.change(changes, 2)
        client.wait(lambda one: one.get("method") == "window/logMessage")
        assert client.ask("textDocument/documentSymbol", {"textDocument": {"uri": URI}})["error"]["code"] == -32602
    client.tell("textDocument/didOpen", {"textDocument": 3})
    client.change([{"text": ""}], 2, "file:///never-opened.ptx")
    goes_on()
    assert client.end() == 0


BROKEN = """.version 7.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [p];
  /* 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 */ add.s64 %rd2, %rd1, %rd9;
  wgmma.fence.sync.aligned;
  add.s64 %rd2, %rd1 %rd1;
  ret;
}
"""


CALLED = """.version 7.0
.target sm_80
.address_size 64
.func check(.param .b32 x)
{
  .reg .pred %p<2>;
  .reg .b32 %r<2>;
  ld.param.u32 %r1, [x];
  setp.gt.u32 %p1, %r1, 7;
  @%p1 trap;
  ret;
}
.visible .entry k(.param .u32 n)
{
  .reg .b32 %r<2>;
  ld.param.u32 %r1, [n];
  {
    .param .b32 argument;
    st.param.b32 [argument], %r1;
    call.uni check, (argument);
  }
  ret;
}
"""


def publishes_diagnostics(program):
    client = Client(program)
    client.open(BROKEN)
    found = client.diagnostics(1)
    by_rule = {one["code"]: one for one in found}
    undeclared = by_rule["PTX-UNDECLARED"]
    assert cut(BROKEN, undeclared["range"]) == "%rd9", undeclared
    assert undeclared["severity"] == 1 and undeclared["source"] == "ptxscope"
    target = by_rule["PTX-TARGET"]
    assert target["range"]["start"]["line"] == 8 and "sm_90a" in target["message"], target
    assert by_rule["PTX-SYNTAX"]["range"]["start"]["line"] == 9
    # One mended by an edit behind characters of two code units.
    line, character = place_of(BROKEN, "%rd9")
    client.change([{"range": {"start": {"line": line, "character": character + 3},
                              "end": {"line": line, "character": character + 4}}, "text": "1"}], 2)
    assert "PTX-UNDECLARED" not in {one["code"] for one in client.diagnostics(2)}
    # All of it, whole.
    good = sample("vecadd/vecadd.ptx")
    client.change([{"text": good}], 3)
    assert client.diagnostics(3) == []
    client.change([{"text": BROKEN}], 4)
    client.tell("textDocument/didSave", {"textDocument": {"uri": URI}})
    assert len(client.diagnostics(4)) == len(found)
    client.tell("textDocument/didClose", {"textDocument": {"uri": URI}})
    assert client.diagnostics(None) == []
    assert client.end() == 0


def agrees_with_check(program):
    """What is published is what `check` says."""
    client = Client(program)
    compared = 0
    for name in ["vecadd/vecadd.ptx", "assert/assert.ptx"]:
        for text in [sample(name), sample(name).replace("sm_", "sm_1"), sample(name).replace(".reg", ".rag"), BROKEN,
                     "", "x", ".version 99.9\n", sample(name)[:2000]]:
            said = subprocess.run([program, "check", "--format", "sarif", "-"], input=text.encode(), capture_output=True)
            if said.returncode == 2:
                continue  # no PTX, for a command
            compared += 1
            results = json.loads(said.stdout)["runs"][0]["results"]
            wanted = [(one["ruleId"], one["locations"][0]["physicalLocation"]["region"]["startLine"] - 1,
                       one["locations"][0]["physicalLocation"]["region"]["startColumn"] - 1) for one in results]
            client.open(text, "file:///x.ptx", 5)
            found = client.diagnostics(5, "file:///x.ptx")
            assert [(one["code"], one["range"]["start"]["line"], one["range"]["start"]["character"])
                    for one in found] == wanted, (found, wanted)
            client.tell("textDocument/didClose", {"textDocument": {"uri": "file:///x.ptx"}})
    assert client.end() == 0
    assert compared >= 8, compared


def keeps_text_through_edits(program):
    """Edits at random, with characters of one to four bytes and all ends of lines: what is asked next is answered as for
    a document opened with the text that came out."""
    random.seed(7)
    alphabet = ["a", "%r1", ";", "\n", "\r\n", "\r", "é", "€", "😀", "add.s64 %rd2, %rd1, %rd9;", "}", "{", " ", '"', "//"]
    client = Client(program)
    plain = Client(program, {"general": {"positionEncodings": ["utf-8", "utf-16"]}})
    assert plain.hello["capabilities"]["positionEncoding"] == "utf-8"
    text = BROKEN

    def lines_of(text):
        out, begin, at = [], 0, 0
        while at < len(text):
            if text[at] in "\r\n":
                end = at
                if text[at:at + 2] == "\r\n":
                    at += 1
                out.append((begin, end))
                begin = at + 1
            at += 1
        return out + [(begin, len(text))]

    def position(text, at, size):
        lines = lines_of(text)
        line = max(i for i, (begin, _) in enumerate(lines) if begin <= at)
        at = min(at, lines[line][1])
        return {"line": line, "character": size(text[lines[line][0]:at])}, at

    for one, size in [(client, units), (plain, lambda piece: len(piece.encode()))]:
        text = BROKEN
        one.open(text, "file:///edited.ptx")
        for version in range(2, 60):
            changes = []
            for _ in range(random.randint(1, 4)):
                begin = random.randint(0, len(text))
                end = min(len(text), begin + random.choice([0, 0, 1, 5, 30]))
                by = "".join(random.choice(alphabet) for _ in range(random.randint(0, 4)))
                start, begin = position(text, begin, size)
                finish, end = position(text, max(begin, end), size)
                end = max(begin, end)
                changes.append({"range": {"start": start, "end": finish}, "text": by})
                text = text[:begin] + by + text[end:]
            one.change(changes, version, "file:///edited.ptx")
            if version % 6 == 0:
                one.open(text, "file:///whole.ptx", version)
                for method in ["documentSymbol", "foldingRange", "semanticTokens/full"]:
                    edited, whole = (one.result(f"textDocument/{method}", {"textDocument": {"uri": uri}})
                                     for uri in ["file:///edited.ptx", "file:///whole.ptx"])
                    edited = json.loads(json.dumps(edited).replace("edited.ptx", "whole.ptx"))
                    assert edited == whole, (method, version, text)
        assert one.end() == 0


def takes_a_range_that_is_null(program):
    client = Client(program)
    client.open("x")
    client.change([{"range": None, "text": ".version 8.0\n.target sm_80\n"}], 2)
    assert client.diagnostics(2) == []
    assert client.end() == 0


def hovers(program):
    text = sample("vecadd/vecadd.ptx")
    client = Client(program)
    client.open(text)

    def hover(wanted, within=0):
        told = client.at("hover", place_of(text, wanted, within))
        return told["contents"]["value"] if told else ""

    assert "global.x" in hover("%rd4, %rd11") and "u64" not in hover("%p1 bra").split("\n")[0]
    assert "arg2.len" in hover("%rd11;")
    assert "arg2.len" in hover("%rd11, [")  # written here: what it holds afterwards
    told = hover("setp.ge.u64", 6)
    assert "compare" in told and "%rd4 = global.x" in told, told
    assert "special register" in hover("%tid.x")
    assert "line 17" in hover("vecadd_param_5]"), hover("vecadd_param_5]")
    assert "directive" in hover(".target")
    told = hover("trap;")
    assert "fires when" in told and "arg0.len" in told, told
    assert client.at("hover", (0, 0)) is None
    told = client.at("hover", place_of(text, "setp.ge.u64", 2))
    assert told["contents"]["kind"] == "markdown" and told["contents"]["value"].startswith("```text\n")
    assert cut(text, told["range"]) == "setp.ge.u64"
    assert client.end() == 0
    # In a function that kernels call, in terms of its own parameters.
    client = Client(program)
    client.open(CALLED)
    told = client.at("hover", place_of(CALLED, "trap;"))["contents"]["value"]
    assert "trap 1 fires when arg0 > 7" in told, told
    assert client.end() == 0
    # Hostile text: nothing in it ends the fence, or reaches a reader as markup.
    hostile = BROKEN.replace("ld.param.u64 %rd1, [p];", "mov.u64 %rd1, 0; /* ```` */ add.s64 %rd2 /* ``` <b> */, %rd1, 1;")
    client = Client(program)
    client.open(hostile)
    told = client.at("hover", place_of(hostile, "add.s64 %rd2 /*", 2))["contents"]["value"]
    assert "<b>" not in told.split("```")[0], told
    assert client.end() == 0
    client = Client(program, {"textDocument": {}})
    client.open(text)
    assert client.at("hover", place_of(text, "%tid.x"))["contents"]["kind"] == "plaintext"
    assert client.end() == 0


def finds_names(program):
    text = sample("vecadd/vecadd.ptx")
    client = Client(program)
    client.open(text)
    found = client.at("definition", place_of(text, "$L__BB0_4;"))
    assert cut(text, found["range"]) == "$L__BB0_4" and found["range"]["start"]["line"] == place_of(text, "$L__BB0_4:")[0]
    found = client.at("definition", place_of(text, "%rd4, %rd11"))
    assert found["range"]["start"]["line"] == place_of(text, "add.s64 \t%rd4")[0]
    found = client.at("declaration", place_of(text, "%rd4, %rd11"))
    assert cut(text, found["range"]) == "%rd<17>", found
    found = client.at("definition", place_of(text, "vecadd_param_5]"))
    assert found["range"]["start"]["line"] == place_of(text, "vecadd_param_5\n")[0]
    assert client.at("definition", place_of(text, "%tid")) is None
    with_declaration = client.at("references", place_of(text, "vecadd_param_5]"), {"context": {"includeDeclaration": True}})
    without = client.at("references", place_of(text, "vecadd_param_5]"), {"context": {"includeDeclaration": False}})
    assert len(with_declaration) == text.count("vecadd_param_5") and len(without) == len(with_declaration) - 1
    for one in with_declaration:
        assert cut(text, one["range"]) == "vecadd_param_5" and one["uri"] == URI
    marks = client.at("documentHighlight", place_of(text, "%rd4, %rd11"))
    assert all(cut(text, one["range"]) == "%rd4" for one in marks)
    assert len(marks) == len(re.findall(r"%rd4\b", text))
    written = [one for one in marks if one["kind"] == 3]
    assert [one["range"]["start"]["line"] for one in written] == [place_of(text, "add.s64 \t%rd4")[0]]
    assert client.end() == 0


def lists_symbols(program):
    text = sample("vecadd/vecadd.ptx")
    client = Client(program)
    client.open(text)
    document = {"textDocument": {"uri": URI}}
    functions = [one for one in client.result("textDocument/documentSymbol", document) if one["kind"] == 12]
    assert [one["name"] for one in functions] == ["vecadd"], functions
    names = [one["name"] for one in functions[0]["children"]]
    assert names[:6] == [f"vecadd_param_{i}" for i in range(6)] and "$L__BB0_4" in names, names
    assert cut(text, functions[0]["selectionRange"]) == "vecadd"
    for one in functions[0]["children"]:
        assert cut(text, one["selectionRange"]).startswith(one["name"]) or one["name"] in cut(text, one["range"]), one
    folds = client.result("textDocument/foldingRange", document)
    first = place_of(text, ".visible .entry")[0]
    assert any(one["startLine"] == first for one in folds), folds
    assert all(one["startLine"] < one["endLine"] for one in folds)
    assert client.end() == 0
    client = Client(program, {"textDocument": {}})  # an older client
    client.open(text)
    flat = client.result("textDocument/documentSymbol", document)
    assert {"vecadd", "vecadd_param_0", "$L__BB0_4"} <= {one["name"] for one in flat}
    assert all(one["location"]["uri"] == URI for one in flat)
    assert client.end() == 0


def tokens_of(text, hello, data):
    legend = hello["capabilities"]["semanticTokensProvider"]["legend"]
    line = character = 0
    lines = text.split("\n")
    for i in range(0, len(data), 5):
        line += data[i]
        character = data[i + 1] + (character if data[i] == 0 else 0)
        piece = lines[line].encode("utf-16-le")[2 * character:2 * (character + data[i + 2])].decode("utf-16-le")
        modifiers = {name for bit, name in enumerate(legend["tokenModifiers"]) if data[i + 4] >> bit & 1}
        yield line, piece, legend["tokenTypes"][data[i + 3]], modifiers


def colours(program):
    text = "/* 😀\n two lines 😀 */ .version 7.0\n" + sample("vecadd/vecadd.ptx").split("\n", 4)[4]
    client = Client(program)
    client.open(text)
    document = {"textDocument": {"uri": URI}}
    data = client.result("textDocument/semanticTokens/full", document)["data"]
    assert len(data) % 5 == 0 and len(data) > 500
    tokens = list(tokens_of(text, client.hello, data))
    said = {(piece, kind) for _, piece, kind, _ in tokens}
    for wanted in [("/* 😀", "comment"), (" two lines 😀 */", "comment"), (".version", "macro"), ("setp", "keyword"),
                   (".ge.u64", "type"), ("%rd4", "variable"), ("%tid.x", "variable"), ("vecadd", "function"),
                   ("vecadd_param_5", "parameter"), ("$L__BB0_4:", "label"), ("2", "number")]:
        assert wanted in said, (wanted, sorted(said)[:50])
    assert ("trap", "keyword", {"trap"}) in [(piece, kind, more) for _, piece, kind, more in tokens]
    assert {"readonly", "defaultLibrary"} in [more for _, piece, _, more in tokens if piece == "%tid.x"]
    # A part of it is that part.
    part = client.result("textDocument/semanticTokens/range", {**document, "range": {
        "start": {"line": 20, "character": 0}, "end": {"line": 40, "character": 0}}})["data"]
    assert list(tokens_of(text, client.hello, part)) == [one for one in tokens if 20 <= one[0] <= 40]
    assert client.end() == 0


def completes(program):
    text = sample("vecadd/vecadd.ptx")
    client = Client(program)

    def offered(typed, before="$L__BB0_4:"):
        changed = text.replace(before, f"\t{typed}\n{before}", 1)
        client.open(changed)
        line, character = place_of(changed, f"\t{typed}\n{before}")
        items = client.at("completion", (line, character + 1 + len(typed)))["items"]
        for one in items:
            assert one["textEdit"]["range"]["end"] == {"line": line, "character": character + 1 + len(typed)}
        return {one["label"] for one in items}

    assert {"setp", "set"} <= offered("se") and "add" not in offered("se")
    assert {"setp.eq", "setp.lt"} <= offered("setp.") and "setp.f8" not in offered("setp.")
    assert {"cp.async.bulk", "cp.async.ca"} <= offered("cp.async.")
    assert {"%tid.x", "%tid.y"} <= offered("mov.u32 %r1, %ti")
    assert {"%rd10", "%rd16"} <= offered("mov.b64 %rd1") and "%rd17" not in offered("mov.b64 %rd1")
    assert {"$L__BB0_2", "$L__BB0_6"} <= offered("bra $L__BB")
    assert {"%p1", "%p3"} <= offered("@%p") and "%pm0" not in offered("@%p")
    assert {".reg", ".local"} <= offered(".")
    assert {"vecadd_param_0"} <= offered("ld.param.u64 %rd1, [vecadd_p")
    # Not in a comment, but behind one.
    for prose in ["// the end.", "// %", "/* se", "ret; // mov.", '.file 1 "/tmp/.']:
        assert not offered(prose), prose
    assert "%tid.x" in offered("/* a comment */ mov.u32 %r1, %ti")
    assert client.end() == 0


def takes_many_edits_at_once(program):
    """A name that is replaced everywhere: from the end to the begin, or from the begin to the end."""
    text, _ = many_kernels(3_000_000)
    lines = text.split("\n")

    def seconds(step, backwards):
        client = Client(program)
        client.open(text)
        places = range(0, len(lines), step)
        before = time.monotonic()
        client.change([{"range": {"start": {"line": line, "character": 0}, "end": {"line": line, "character": 1}},
                        "text": "/* a */ ."} for line in (reversed(places) if backwards else places)], 2)
        assert client.ask("textDocument/frobnicate", {})["error"]["code"] == -32601
        taken = time.monotonic() - before
        changed = "\n".join("/* a */ ." + line[1:] if i % step == 0 else line for i, line in enumerate(lines))
        client.open(changed, "file:///changed.ptx")
        last = {"start": {"line": len(lines) - 300, "character": 0}, "end": {"line": len(lines), "character": 0}}
        edited, whole = (client.result("textDocument/semanticTokens/range", {"textDocument": {"uri": uri}, "range": last})
                         for uri in [URI, "file:///changed.ptx"])
        assert edited == whole and edited["data"]
        assert client.end() == 0
        return taken

    for backwards in (True, False):
        few, many = seconds(len(lines) // 100, backwards), seconds(len(lines) // 8000, backwards)
        assert many < 10 * few + 1, (backwards, few, many)


def cancels(program):
    """A request that waits behind a long one."""
    large, _ = many_kernels(3_500_000)
    client = Client(program)
    client.open(large)
    document = {"textDocument": {"uri": URI}}
    first = client.start("textDocument/documentSymbol", document)
    second = client.start("textDocument/semanticTokens/full", document)
    client.tell("$/cancelRequest", {"id": second})
    client.tell("$/cancelRequest", {"id": 12345})
    client.tell("$/cancelRequest", None)
    assert client.answer(second)["error"]["code"] == -32800
    assert len(client.answer(first)["result"]) >= 900
    assert client.end() == 0


def takes_a_large_file(program):
    """50 MB: nobody waits while it is read; edits arrive; answers fit the text that was there when they were asked for."""
    # With the thread sanitizer each of the readings takes minutes.
    large, number = many_kernels(5_000_000 if "TSAN_OPTIONS" in os.environ else 50_000_000)
    client = Client(program)
    client.open(large)
    # Answered by the reading thread, whatever the others do.
    start = time.monotonic()
    assert client.ask("textDocument/frobnicate", {})["error"]["code"] == -32601
    quick = time.monotonic() - start
    last = f"v{number - 1}_param_5]"
    line = large.count("\n", 0, large.rindex(last))
    column = large.rindex(last) - large.rindex("\n", 0, large.rindex(last)) - 1
    told = client.at("hover", (line, column))
    assert "u64" in told["contents"]["value"]
    # Many edits, one after the other, the last of which leaves an undeclared name.
    for version in range(2, 12):
        client.change([{"range": {"start": {"line": 8, "character": 0}, "end": {"line": 8, "character": 0}},
                        "text": "// typed\n"}], version)
    client.change([{"range": {"start": {"line": line + 10, "character": 0}, "end": {"line": line + 10, "character": 0}},
                    "text": "\tmov.b64 %rd1, %nowhere;\n"}], 12)
    found = client.diagnostics(12)
    assert [one["range"]["start"]["line"] for one in found] == [line + 10], found[:3]
    assert not [one for one in client.kept if one.get("params", {}).get("version") in range(2, 12)], "stale diagnostics"
    assert client.end() == 0
    print(f"  {len(large) / 1e6:.0f} MB; an unrelated request meanwhile took {quick:.3f} s")


TESTS = [starts_and_ends, refuses_what_is_no_request, survives_malformed_messages, publishes_diagnostics,
         agrees_with_check, keeps_text_through_edits, takes_a_range_that_is_null, hovers, finds_names, lists_symbols,
         colours, completes, takes_many_edits_at_once, cancels, takes_a_large_file]

if __name__ == "__main__":
    one_by_one.run(TESTS, __doc__)
