#!/bin/sh
# Stands in for ptxas: says what `ptxas -v` says of tests/golden/cfg.ptx, so that the tests need no CUDA.
for word in "$@"; do
  case "$word" in
    -arch=*) target="${word#-arch=}" ;;
    *.ptx) input="$word" ;;
  esac
done
case "$target" in
  sm_50)
    echo "ptxas $input, line 25; error   : Feature 'x' requires .target sm_80 or higher"
    echo "ptxas fatal   : Ptx assembly aborted due to errors"
    exit 255 ;;
  sm_75)
    sleep 60 ;;
esac
cat >&2 <<END
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z4fillPjj' for '$target'
ptxas info    : Function properties for die
    0 bytes stack frame, 64 bytes spill stores, 64 bytes spill loads
ptxas info    : Function properties for _Z4fillPjj
    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 14 registers, used 1 barriers, 16 bytes cumulative stack size, 256 bytes smem, 364 bytes cmem[0], 8 bytes cmem[2]
ptxas info    : Compiling entry function 'select' for '$target'
ptxas info    : Function properties for select
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 6 registers, used 0 barriers
END
