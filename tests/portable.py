#!/usr/bin/env python3
"""Is the executable one file that runs on another Linux machine? It may need the C library, and nothing else."""

import re
import subprocess
import sys

# glibc's parts; the loader and the vDSO are not files of a package. GLIBC_2.36 is Debian 12's.
ALLOWED = re.compile(r"^(linux-vdso|linux-gate|ld-linux[-a-z0-9_]*|libc|libm|libdl|libpthread|librt)\.so")


def main():
    listing = subprocess.run(["ldd", sys.argv[1]], capture_output=True, text=True, check=True).stdout
    needed = [line.split()[0].rsplit("/", 1)[-1] for line in listing.splitlines() if line.strip()]
    others = [name for name in needed if not ALLOWED.match(name)]
    if others:
        sys.exit(f"{sys.argv[1]} needs {', '.join(others)}; all but the C library should be linked statically")
    print("needs only:", ", ".join(needed))


if __name__ == "__main__":
    main()
