#!/usr/bin/env python3
"""Is what `ptxscope check --format sarif` writes SARIF 2.1.0? By the parts of the standard that our log uses; and by its
JSON schema as well, where PTXSCOPE_SARIF_SCHEMA names the file (sarif-schema-2.1.0.json of OASIS) and Python's jsonschema
is installed."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import urllib.parse

GOLDEN = pathlib.Path(__file__).resolve().parent / "golden"


def expect(condition, what):
    if not condition:
        sys.exit(f"sarif.py: {what}")


def check_location(location, files):
    physical = location["physicalLocation"]
    uri = physical["artifactLocation"]["uri"]
    expect(not set(uri) & set(' <>"{}|\\^`') and uri.isascii(), f"{uri!r}: not escaped")
    name = urllib.parse.unquote(uri.removeprefix("file://"))
    expect(name in files, f"{name!r}: not a file that was given")
    region = physical["region"]
    lines = files[name]
    first, last = region["startLine"], region.get("endLine", region["startLine"])
    expect(1 <= first <= last <= len(lines), f"{name}:{first}: no such line")
    width = len(lines[first - 1].encode("utf-16-le")) // 2
    expect(1 <= region["startColumn"] <= width + 1, f"{name}:{first}:{region['startColumn']}: outside of the line")
    if "endColumn" in region and last == first:
        expect(region["startColumn"] < region["endColumn"] <= width + 1, f"{name}:{first}: endColumn {region['endColumn']}")


def check_log(log, files):
    expect(log["version"] == "2.1.0" and log["$schema"].endswith("sarif-schema-2.1.0.json"), "version or $schema")
    expect(len(log["runs"]) == 1, "one run")
    run = log["runs"][0]
    driver = run["tool"]["driver"]
    expect(driver["name"] == "ptxscope" and driver["version"], "name and version of the tool")
    expect(run["columnKind"] == "utf16CodeUnits", "columnKind")
    rules = driver["rules"]
    expect(len({rule["id"] for rule in rules}) == len(rules), "ids of rules are distinct")
    for rule in rules:
        expect(rule["shortDescription"]["text"] and rule["help"]["text"], f"{rule['id']}: texts")
        expect(rule["defaultConfiguration"]["level"] in ("note", "warning", "error"), f"{rule['id']}: level")
    expect(run["results"], "results")
    for result in run["results"]:
        expect(rules[result["ruleIndex"]]["id"] == result["ruleId"], f"{result['ruleId']}: ruleIndex")
        expect(result["level"] in ("note", "warning", "error"), "level")
        expect(result["message"]["text"], "message")
        expect(len(result["locations"]) == 1, "one location")
        for location in result["locations"] + result.get("relatedLocations", []):
            check_location(location, files)


def check_schema(log):
    schema = os.environ.get("PTXSCOPE_SARIF_SCHEMA")
    if not schema:
        print("sarif.py: without the schema (PTXSCOPE_SARIF_SCHEMA)")
        return
    import jsonschema  # only where it is asked for
    schema = json.loads(pathlib.Path(schema).read_text())
    validator = jsonschema.validators.validator_for(schema)(schema)
    errors = [f"{'/'.join(map(str, error.path))}: {error.message}" for error in validator.iter_errors(log)]
    expect(not errors, "\n".join(errors[:20]))
    print("sarif.py: valid by", os.environ["PTXSCOPE_SARIF_SCHEMA"])


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        text = (GOLDEN / "check_wgmma.ptx").read_text()
        (folder / "a b%,:é#?.ptx").write_text(text)
        # A line whose columns are not its bytes: beyond the first plane of Unicode, a character counts twice.
        (folder / "wide.ptx").write_text(text.replace("  wgmma.fence", "/*é😀*/ wgmma.fence"))
        (folder / "sub").mkdir()
        (folder / "sub" / "broken.ptx").write_bytes(b".version 8.0\n.target sm_90\n\xff\xfe .entry k( { ret }\n")
        (folder / "fits.ptx").write_text(text.replace(".target sm_90", ".target sm_90a"))
        names = ["a b%,:é#?.ptx", "./wide.ptx", "sub/../sub/broken.ptx", "fits.ptx"]
        done = subprocess.run([str(pathlib.Path(sys.argv[1]).resolve()), "check", "--format", "sarif", *names], cwd=folder,
                              capture_output=True)
        expect(done.returncode == 1, f"exit status {done.returncode}: {done.stderr!r}")
        log = json.loads(done.stdout)
        files = {path: (folder / path).read_bytes().decode("utf-8", "replace").split("\n")
                 for path in ("a b%,:é#?.ptx", "wide.ptx", "sub/broken.ptx", "fits.ptx")}
    check_log(log, files)
    wide = [r for r in log["runs"][0]["results"] if "wide" in r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
            and r["ruleId"] == "PTX-TARGET"]
    expect(wide[0]["locations"][0]["physicalLocation"]["region"]["startColumn"] == 9, "columns count UTF-16 code units")
    check_schema(log)


main()
