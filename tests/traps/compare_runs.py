"""Holds explain-trap's JSON against what interpreter.py does: endings, conditions, whole paths and launches."""

import json
import math
import os
import random
import subprocess

import conditions
import interpreter
import ptx_reader

SOFT = {"exit", "falls-off-end", "error-code"}


def run_tool(binary, path, *arguments):
    """The JSON document, or a sentence saying why there is none."""
    command = [binary, "explain-trap", "--format", "json", *arguments, path]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return None, str(error)
    if done.returncode not in (0, 1):
        return None, f"exit status {done.returncode}: {done.stderr.strip()[:200]}"
    try:
        return json.loads(done.stdout), None
    except ValueError as error:
        return None, f"no JSON: {error}"


def case_without_answers(path, module):
    """What judge_* need to know of a file that nobody worked out."""
    entries = []
    for function in module.functions.values():
        if function.kind == "entry" and function.statements:
            params = [
                {"index": i, "name": v.name, "bytes": v.size, "meaning": ".ptr" if i in pointers_of(function) else ""}
                for i, v in enumerate(function.params)
            ]
            entries.append({"name": function.name, "line": function.line, "params": params})
    return {"case": os.path.basename(path), "entries": entries, "traps": [], "note": None}


def pointers_of(function):
    """Parameters of 8 bytes whose loaded register goes through cvta.to or is an address's base."""
    loaded = {}
    pointers = set()
    names = {v.name: i for i, v in enumerate(function.params)}
    for s in function.statements:
        if s.words[0] == "ld" and "param" in s.words and len(s.operands) == 2:
            base = s.operands[1].strip("[] ").split("+")[0].strip()
            if base in names and function.params[names[base]].size == 8:
                loaded[s.operands[0]] = names[base]
        elif s.words[0] == "cvta" and s.operands[1] in loaded:
            pointers.add(loaded[s.operands[1]])
        elif s.words[0] in ("ld", "st", "atom"):
            for o in s.operands:
                base = o.strip("[] ").split("+")[0].strip()
                if o.startswith("[") and base in loaded:
                    pointers.add(loaded[base])
    return pointers


def judge_reported(case, module, document, tally, runs):
    """Every place where a thread was seen to end badly must be in the report, for that kernel."""
    for entry in case["entries"]:
        function = next((f for f in document["functions"] if f["name"] == entry["name"] and f["kind"] == "entry"), None)
        if not function:
            tally.add("answers", "wrong", f"{case['case']}: kernel {entry['name']} is not in the report")
            continue
        known = {(t["kind"], t["function"], t["line"]): t for t in function["traps"]}
        missed, dead, seen = {}, {}, set()
        for run in range(runs):
            rng = random.Random(f"{case['case']} reported {run}")
            values, arguments, thread = random_thread(rng, module, entry, run)
            try:
                outcome = thread.run(entry["name"], arguments)
            except (ptx_reader.Unsupported, RecursionError) as reason:
                tally.add(
                    "answers", "unknown", f"{case['case']} {entry['name']}: the interpreter does not know {reason}"
                )
                break
            if outcome.kind in ("return", "fuel"):
                continue
            key = outcome.key()
            if key not in known:
                if outcome.kind not in SOFT:
                    missed[key] = arguments
            elif known[key]["dead"]:
                dead[key] = arguments
            else:
                seen.add(key)
        for what, found in (("is not reported", missed), ("is called dead", dead)):
            for key, arguments in found.items():
                tally.add(
                    "answers",
                    "wrong",
                    f"{case['case']} {entry['name']}: {key} {what}, arguments "
                    f"{[int.from_bytes(a, 'little') for a in arguments]}",
                )
        for key in seen:
            tally.add("answers", "right", f"{case['case']} {entry['name']}: {key} is reported")


SIZES = (0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 65, 90, 128, 1000, 2**31 - 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1)


def random_special(rng):
    """A launch of at most 96 threads, so that running each of them in Python stays quick."""
    special = {}
    for axis in "xyz":
        special["ntid." + axis] = rng.choice((1, 4, 32)) if axis == "x" else rng.choice((1, 1, 1, 3))
        special["nctaid." + axis] = rng.choice((1, 2, 3)) if axis == "x" else rng.choice((1, 1, 1, 2))
    if math.prod(special.values()) > 96:
        return random_special(rng)
    return special


def random_thread(rng, module, entry, seed):
    """One thread of a random launch: its special registers, the kernel's arguments, and the thread, ready to run."""
    special = random_special(rng)
    block = [rng.randrange(special["nctaid." + axis]) for axis in "xyz"]
    place = [rng.randrange(special["ntid." + axis]) for axis in "xyz"]
    values = at(special, block, place)
    arguments = [random_argument(rng, param, i) for i, param in enumerate(entry["params"])]
    return values, arguments, interpreter.Thread(module, values, seed=seed)


def at(special, block, thread):
    values = dict(special)
    for i, axis in enumerate("xyz"):
        values["ctaid." + axis], values["tid." + axis] = block[i], thread[i]
    linear = (thread[2] * special["ntid.y"] + thread[1]) * special["ntid.x"] + thread[0]
    values.update(
        {
            "laneid": linear % 32,
            "warpid": linear // 32,
            "WARP_SZ": 32,
            "clock": 1,
            "clock64": 1,
            "smid": 0,
            "nsmid": 100,
            "nwarpid": 64,
            "lanemask_eq": 1 << linear % 32,
            "lanemask_lt": (1 << linear % 32) - 1,
            "dynamic_smem_size": 0,
            "total_smem_size": 0,
            "globaltimer": 1,
            "gridid": 0,
        }
    )
    return values


def random_argument(rng, parameter, index):
    """Bytes for one parameter. Pointers mostly look like pointers."""
    size = parameter["bytes"]
    if parameter.get("values"):  # the case limits what may be passed
        return rng.choice(parameter["values"]).to_bytes(size, "little", signed=False)
    data = b""
    while len(data) < size:
        chunk = min(8, size - len(data))
        meaning = parameter["meaning"]
        if chunk == 8 and (".ptr" in meaning or "ptr" in meaning.split("{")[0]) and len(data) == 0:
            value = rng.choice(
                (0x10_0000_0000 * (index + 1), 0x10_0000_0000 * (index + 1) + 4, 0, 0x10_0000_0000 * (index + 1))
            )
        else:
            value = rng.choice(SIZES + (rng.randrange(100),) * 12)
        data += (value & ((1 << 8 * chunk) - 1)).to_bytes(chunk, "little")
    return data


def judge_conditions(case, module, document, tally, runs):
    """Every way's condition against what the branch did, whenever the interpreter came past it."""
    name = case["case"]
    for function in document["functions"]:
        entry = next((e for e in case["entries"] if e["name"] == function["name"]), None)
        if not entry or function["kind"] != "entry":
            continue
        ways = [
            (t, w)
            for t in function["traps"]
            for w in t["ways"]
            if w["branch_line"] and w.get("condition") and not w["via"]
        ]
        texts, skipped = [], 0
        for trap, way in ways:
            try:
                texts.append((trap, way, conditions.Condition(way["condition"], function["params"])))
            except conditions.NotEvaluated:
                skipped += 1
        outcomes = {id(w): [0, None] for _, w, _ in texts}
        for run in range(runs):
            rng = random.Random(f"{name} {run}")
            values, arguments, thread = random_thread(rng, module, entry, run)
            try:
                outcome = thread.run(function["name"], arguments)
            except ptx_reader.Unsupported:
                return
            if thread.lanes:
                continue
            for trap, way, condition in texts:
                # A branch passed more than once (a loop) speaks of values that the text cannot tell apart.
                passed = [t for f, line, t in thread.branches if f == function["name"] and line == way["branch_line"]]
                if len(passed) != 1 or isinstance(passed[0], int) and not isinstance(passed[0], bool):
                    continue
                hit = outcome.key() == (trap["kind"], trap["function"], trap["line"])
                try:
                    holds = condition.holds(values, arguments, thread)
                except conditions.NotEvaluated:
                    continue
                outcomes[id(way)][0] += 1
                # The way leads to the trap: where it traps there, the last branch went this way.
                last = [b for b in thread.branches if b[0] == function["name"]][-1]
                if hit and last[1] == way["branch_line"] and not holds:
                    outcomes[id(way)][
                        1
                    ] = f"false where it trapped, arguments {[int.from_bytes(a, 'little') for a in arguments]}"
                if not hit and holds and outcome.kind in ("return", "exit"):
                    outcomes[id(way)][
                        1
                    ] = f"true where it went on, arguments {[int.from_bytes(a, 'little') for a in arguments]}"
        for trap, way, condition in texts:
            count, complaint = outcomes[id(way)]
            if complaint:
                tally.add("conditions", "wrong", f"{name} line {way['branch_line']}: {condition.text!r} {complaint}")
            elif count:
                tally.add(
                    "conditions", "right", f"{name} line {way['branch_line']}: {condition.text!r} held {count} times"
                )


def judge_paths(case, module, document, tally, runs):
    """Every trap's whole condition, its ways' paths together, against whether a thread ended there."""
    for function in document["functions"]:
        entry = next((e for e in case["entries"] if e["name"] == function["name"]), None)
        if not entry or function["kind"] != "entry":
            continue
        traps = []
        for trap in function["traps"]:
            try:
                traps.append(
                    (
                        trap,
                        [
                            conditions.Condition({"text": w["path"]}, function["params"])
                            for w in trap["ways"]
                            if not w["dead"]
                        ],
                        [0, None],
                    )
                )
            except (KeyError, TypeError, conditions.NotEvaluated):
                continue
        for run in range(runs):
            rng = random.Random(f"{case['case']} path {run}")
            values, arguments, thread = random_thread(rng, module, entry, run)
            try:
                outcome = thread.run(function["name"], arguments)
            except ptx_reader.Unsupported:
                return
            if thread.lanes or outcome.kind == "fuel":
                continue
            for trap, paths, found in traps:
                try:
                    holds = any([p.text_holds(values, arguments, thread) for p in paths])
                except conditions.NotEvaluated:
                    continue
                found[0] += 1
                if holds != (outcome.key() == (trap["kind"], trap["function"], trap["line"])):
                    found[1] = (
                        f"{'holds' if holds else 'does not hold'} but the thread ended at {outcome}, arguments "
                        f"{[int.from_bytes(a, 'little') for a in arguments]}, tid {values['tid.x']}"
                    )
        for trap, paths, (count, complaint) in traps:
            text = " OR ".join(p.text for p in paths)
            if complaint:
                tally.add("paths", "wrong", f"{case['case']} line {trap['line']}: {text!r} {complaint}")
            elif count:
                tally.add("paths", "right", f"{case['case']} line {trap['line']}: {text!r} held against {count} runs")


def settable(function, entry, arguments):
    """--arg flags for these argument bytes; aggregates by their fields, where those are named."""
    flags = []
    for parameter, data in zip(function["params"], arguments):
        if parameter.get("fields"):
            for field in parameter["fields"]:
                size = field.get("bytes") or field.get("size") or 8
                value = int.from_bytes(data[field["offset"] : field["offset"] + size], "little")
                flags += ["--arg", f"{field['label']}={value}"]
        elif len(data) <= 8:
            value = int.from_bytes(data, "little")  # hexadecimal: the bits of a float
            flags += ["--arg", f"#{parameter['index']}={hex(value) if parameter['type'] in ('f32', 'f64') else value}"]
    return flags


def threads_of(grid, block):
    for bz in range(grid[2]):
        for by in range(grid[1]):
            for bx in range(grid[0]):
                for tz in range(block[2]):
                    for ty in range(block[1]):
                        for tx in range(block[0]):
                            yield (bx, by, bz), (tx, ty, tz)


def simulate(module, kernel, arguments, special, grid, block, seed):
    """Where each thread ended, in order; and whether anything but the arguments decided it."""
    ends, external, lanes = [], False, False
    for b, t in threads_of(grid, block):
        thread = interpreter.Thread(module, at(special, b, t), seed=seed)
        outcome = thread.run(kernel, arguments)
        external |= thread.external
        lanes |= thread.lanes
        ends.append((b, t, outcome))
    return ends, external, lanes


def judge_given(trap, given, runs, external):
    """None when right; otherwise (verdict, what is the matter)."""
    key = (trap["kind"], trap["function"], trap["line"])
    hits = [[(b, t) for b, t, outcome in ends if outcome.key() == key] for ends in runs]
    settled = all(h == hits[0] for h in hits)
    if given is None:
        return "wrong", "no `given`"
    if given["fires"] is None:
        return None if external else ("unknown", f"said it cannot tell; {len(hits[0])} threads trap")
    if given["fires"] is False:
        return (
            None
            if not any(hits)
            else (
                "wrong",
                f"said it does not fire; {max(map(len, hits))} threads trap, first {next(h for h in hits if h)[0]}",
            )
        )
    if not all(hits):
        return "wrong", "said it fires; no thread traps"
    if given.get("undecided"):
        if given["threads"] > min(map(len, hits)):
            return "wrong", f"{given['threads']} threads for sure, but {min(map(len, hits))} trap"
        return None if external else ("unknown", f"could not decide {given['undecided']} threads; {len(hits[0])} trap")
    if settled and not external:
        if given["threads"] != len(hits[0]):
            return "wrong", f"{given['threads']} threads, not {len(hits[0])}"
        first = (tuple(given["first"]["block"]), tuple(given["first"]["thread"]))
        if first != hits[0][0]:
            return "wrong", f"first at {first}, not {hits[0][0]}"
    elif given["threads"] > min(map(len, hits)):
        return "wrong", f"{given['threads']} threads; {min(map(len, hits))} with other memory"
    return None


def judge_launches(case, path, binary, module, document, tally, launches):
    name = case["case"]
    for function in document["functions"]:
        entry = next((e for e in case["entries"] if e["name"] == function["name"]), None)
        if not entry or function["kind"] != "entry" or not any(t["kind"] != "error-code" for t in function["traps"]):
            continue
        for number in range(launches):
            rng = random.Random(f"{name} {function['name']} launch {number}")
            special = random_special(rng)
            if "reqntid" in entry:
                special.update(zip(("ntid.x", "ntid.y", "ntid.z"), entry["reqntid"]))
            grid = [special["nctaid." + a] for a in "xyz"]
            block = [special["ntid." + a] for a in "xyz"]
            arguments = [random_argument(rng, p, i) for i, p in enumerate(entry["params"])]
            try:
                first, external, lanes = simulate(module, function["name"], arguments, special, grid, block, 1)
                runs = [first]
                if external:
                    runs += [simulate(module, function["name"], arguments, special, grid, block, s)[0] for s in (2, 3)]
            except ptx_reader.Unsupported as reason:
                tally.add("launches", "unknown", f"{name}: the interpreter does not know {reason}")
                break
            if lanes or any(o.kind == "fuel" for ends in runs for _, _, o in ends):
                continue
            flags = ["--grid", ",".join(map(str, grid)), "--block", ",".join(map(str, block))]
            flags += settable(function, entry, arguments)
            answer, problem = run_tool(binary, path, "--kernel", function["name"], *flags)
            label = f"{name} {function['name']} {' '.join(flags)}"
            if problem:
                tally.add("launches", "wrong", f"{label}: {problem}")
                continue
            for again in (f for f in answer["functions"] if f["name"] == function["name"]):
                for trap in (t for t in again["traps"] if t["kind"] != "error-code"):
                    found = judge_given(trap, trap["given"], runs, external)
                    tally.add(
                        "launches",
                        found[0] if found else "right",
                        f"{label}: line {trap['line']}: {found[1] if found else 'as it ran'}",
                    )
