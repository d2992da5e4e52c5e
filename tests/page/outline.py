#!/usr/bin/env python3
"""What a page of `ptxscope report`, read from standard input, holds: for goldens, which must not change with its style.

    outline.py --pictures    also whether there are any, which depends on the machine
"""

import json
import re
import sys

page = sys.stdin.buffer.read().decode()
print("title:", re.search("<title>(.*?)</title>", page)[1])
print("policy:", re.sub("sha256-[^']*", "sha256-…", re.search('Content-Security-Policy" content="(.*?)"', page)[1]))
held = {name: json.loads(text) for name, text in
        re.findall('<script type="application/json" id="(.*?)">(.*?)</script>', page, re.DOTALL)}
data = held.pop("data")
print("schema:", data["schema"], "verdict:", data["verdict"] and re.split("[:;]", data["verdict"])[0])
for file in data["files"]:
    print(f"file: {file['file']}: {file['kernel_count']} kernels, {file['trap_count']} traps, {file['never_count']} never, "
          f"{file['failure_count']} other failures, {file['not_detailed']} functions only counted")
    for values in file["functions"]:
        row = dict(zip(file["columns"], values))
        print("  row:", *(f"{key}={row[key]}" for key in ("name", "kind", "line", "document", "traps", "never", "failures",
                                                            "instructions", "max_live")))
for name, one in held.items():
    print(f"{name}: {one['name']}, file {one['file']}, lines {one['first_line']}-{one['first_line'] + one['code'].count(chr(10))}, "
          f"{len(one['flow']['blocks'])} blocks, {len(one['live']['along']) // 3} instructions followed"
          + (f", picture: {'yes' if one['svg'] else one['svg_missing']}" if "--pictures" in sys.argv else ""))
    for trap in one.get("traps", []):
        for way in trap["ways"]:
            print(f"  trap {trap['id']}: {way['condition']['text']}, lines {way['setp_line']} {way['branch_line']} {trap['line']}")
