#!/usr/bin/env bash
# Builds the Debian packages, installs them into a clean Debian and runs what is in them there.
#
#     PTXSCOPE_TEST_DEB=1 tests/package/deb.sh BUILD-FOLDER [SCRATCH-FOLDER]
#
# Needs root, debootstrap and a mirror: the first one of this machine's apt, or PTXSCOPE_DEB_MIRROR. A clean system that
# is there already is named by PTXSCOPE_DEB_ROOT; it is changed. Skipped (77) without PTXSCOPE_TEST_DEB.
set -euo pipefail

skip() { echo "skipped: $*"; exit 77; }
fail() { echo "FAIL: $*" >&2; exit 1; }

[[ -n ${PTXSCOPE_TEST_DEB:-} ]] || skip "set PTXSCOPE_TEST_DEB=1 (needs root, debootstrap and a Debian mirror)"
((EUID == 0)) || skip "chroot needs root"
build=$(realpath "$1")
source=$(realpath "$(dirname "$0")/../..")
scratch=$(realpath -m "${2:-$(mktemp -d)}")
mkdir -p "$scratch"
root=${PTXSCOPE_DEB_ROOT:-$scratch/root}

echo "== packages"
rm -rf "$scratch/packages"
cpack -G DEB --config "$build/CPackConfig.cmake" -B "$scratch/packages"
shopt -s nullglob
command_package=("$scratch"/packages/ptxscope_*.deb)
viewer_package=("$scratch"/packages/ptxscope-gui_*.deb)
((${#command_package[@]} == 1)) || fail "expected one package ptxscope, there are ${#command_package[@]}"

depends=$(dpkg-deb -f "${command_package[0]}" Depends)
echo "ptxscope depends on: $depends"
[[ $depends == *libc6* ]] || fail "no dependence on the C library"
listing=$(dpkg-deb -c "${command_package[0]}")
for path in usr/bin/ptxscope usr/lib/ptxscope/ usr/share/man/man1/ptxscope.1.gz usr/share/man/man1/ptxscope-check.1.gz \
            usr/share/bash-completion/completions/ptxscope usr/share/zsh/vendor-completions/_ptxscope \
            usr/share/fish/vendor_completions.d/ptxscope.fish usr/share/doc/ptxscope/copyright; do
  grep -q "\./$path" <<<"$listing" || fail "$path is not in the package"
done
copyright=$(dpkg-deb --fsys-tarfile "${command_package[0]}" | tar -xO ./usr/share/doc/ptxscope/copyright)
[[ $copyright == *"==== libsodium"* ]] || fail "the licences of the libraries are not in its copyright file"
if grep -qE '\./usr/(include|lib/.*\.a$)' <<<"$listing"; then fail "libraries and headers are not for this package"; fi

echo "== a clean system"
if [[ ! -e $root/etc/debian_version ]]; then
  command -v debootstrap >/dev/null || skip "there is no debootstrap"
  mirror=${PTXSCOPE_DEB_MIRROR:-$(cat /etc/apt/sources.list.d/*.sources 2>/dev/null | awk '/^URIs:/ {print $2; exit}')}
  debootstrap --variant=minbase bookworm "$root" ${mirror:+"$mirror"} >"$scratch/debootstrap.log"
fi
mkdir -p "$root/packages"
cp "${command_package[@]}" "${viewer_package[@]}" "$root/packages/"
cp "$source/samples/vecadd/vecadd.ptx" "$root/packages/"

echo "== what it does there"
chroot "$root" sh -c 'dpkg -i /packages/ptxscope_*.deb'
answer=$(chroot "$root" ptxscope explain-trap /packages/vecadd.ptx)
grep -q "fires when" <<<"$answer" || fail "explain-trap said: $answer"
chroot "$root" ptxscope check /packages/vecadd.ptx | grep -q "loads with" || fail "check"
chroot "$root" bash -c 'source /usr/share/bash-completion/completions/ptxscope; complete -p ptxscope' >/dev/null ||
  fail "the completion of bash cannot be read"
if chroot "$root" ldd /usr/bin/ptxscope | grep "not found"; then fail "a library is missing"; fi

if ((${#viewer_package[@]} == 1)); then
  echo "== the viewer"
  echo "ptxscope-gui depends on: $(dpkg-deb -f "${viewer_package[0]}" Depends)"
  if chroot "$root" sh -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends /packages/ptxscope-gui_*.deb' \
       >"$scratch/apt.log" 2>&1; then
    chroot "$root" env QT_QPA_PLATFORM=offscreen ptxscope-gui --version
  else
    tail -5 "$scratch/apt.log"
    echo "the viewer was not installed: its libraries could not be had"
    [[ -n ${PTXSCOPE_DEB_OFFLINE:-} ]] || fail "ptxscope-gui cannot be installed"
  fi
fi

chroot "$root" dpkg -r ptxscope-gui ptxscope >/dev/null 2>&1 || chroot "$root" dpkg -r ptxscope
[[ ! -e $root/usr/bin/ptxscope ]] || fail "removing it leaves files"
echo "installed, ran and was removed: ${command_package[0]##*/}"
