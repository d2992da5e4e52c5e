"""Parquet out of the rows of `ptxscope scan`: python3 -m ptxscope.parquet ROWS.jsonl OUT.parquet

Needs pyarrow. The columns are those of docs/scan.md, in SCHEMA.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import sys
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

_CHECKS = ("bounds", "null", "divide-by-zero", "overflow", "alignment", "assert", "unconditional", "other", "unknown")
_REGISTERS = ("pred", "b8", "b16", "b32", "b64", "b128", "other")
_COUNTS = {name: pa.int64() for name in (
    "instructions", "branches", "conditional_branches", "calls", "barriers", "trap_instructions", "unknown_instructions",
    "blocks", "loops", "max_loop_depth")}

#: The columns of a table of rows.
SCHEMA = pa.schema({
    "schema": pa.string(), "ptxscope": pa.string(),
    "file": pa.string(), "file_size": pa.int64(), "file_mtime_ns": pa.int64(), "file_sha256": pa.string(),
    "file_rows": pa.int64(),
    "status": pa.string(), "error": pa.string(),
    "module": pa.string(), "sha256": pa.string(), "bytes": pa.int64(), "version": pa.string(),
    "target": pa.list_(pa.string()), "address_size": pa.int64(), "producer": pa.string(), "errors": pa.int64(),
    "warnings": pa.int64(), "requires_isa": pa.string(), "requires_target": pa.string(), "fits_header": pa.bool_(),
    "features": pa.list_(pa.string()),
    "kernel": pa.string(), "demangled": pa.string(), "line": pa.int64(),
    **_COUNTS,
    "registers": pa.struct([(name, pa.int64()) for name in _REGISTERS]),
    "max_live": pa.int64(), "max_live_predicates": pa.int64(), "memory": pa.map_(pa.string(), pa.int64()),
    "shared_bytes": pa.int64(), "dynamic_shared": pa.bool_(), "local_bytes": pa.int64(),
    "params": pa.int64(), "traps": pa.int64(), "checks": pa.struct([(name, pa.int64()) for name in _CHECKS]),
    "soft_failures": pa.int64(), "safety_instructions": pa.int64(), "safety_branches": pa.int64(),
    "traps_complete": pa.bool_(),
})


def table(rows: Iterable[dict[str, Any]]) -> pa.Table:
    """A table of rows, as scan() gives them."""
    return pa.Table.from_pylist([_for_arrow(row) for row in rows], schema=SCHEMA)


def write(rows: Iterable[dict[str, Any]], path: str | os.PathLike[str]) -> int:
    """Writes rows to a Parquet file, whole or not at all; how many they were."""
    part = f"{os.fspath(path)}.part"
    count = 0
    iterator = iter(rows)
    try:
        with pq.ParquetWriter(part, SCHEMA, compression="zstd") as writer:
            while batch := list(itertools.islice(iterator, 50_000)):
                writer.write_table(table(batch))
                count += len(batch)
        os.replace(part, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)
        raise
    return count


def _for_arrow(row: dict[str, Any]) -> dict[str, Any]:
    memory = row.get("memory")
    return row if memory is None else {**row, "memory": list(memory.items())}


def _lines(path: str) -> Iterator[dict[str, Any]]:
    with open(path, encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def main() -> None:
    """The command of this module."""
    if sys.argv[1:] == ["--check"]:  # of `ptxscope scan -o x.parquet`: all that it needs is here
        return
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    rows, parquet = sys.argv[1:]
    try:
        write(_lines(rows), parquet)
    except OSError as error:
        # What pyarrow raises has its own words, and no name.
        sys.exit(f"{error.filename or parquet}: {error.strerror or error}")
    except (ValueError, pa.ArrowException) as error:
        sys.exit(f"{rows}: not rows of ptxscope scan: {error}")


if __name__ == "__main__":
    main()
