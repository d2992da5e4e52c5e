#!/usr/bin/env bash
# Rebuilds the PTX of the samples with the tools that are installed: nvcc 13.0, rustc with opt and llc 22.
# What cannot be rebuilt here is left as it is. Where ptxas is installed, each result is checked with it.
set -euo pipefail
cd "$(dirname "$0")"

# A fixed place: what nvcc -G writes names the folder it ran in.
scratch=/var/tmp/ptxscope-samples
mkdir -p "$scratch"
trap 'rm -rf "$scratch"' EXIT

have() { command -v "$1" >/dev/null; }

built=0 kept=0
keep() { echo "kept     $1 ($2 is not installed)"; kept=$((kept + 1)); }
done_with() { echo "rebuilt  $1"; built=$((built + 1)); }

# cuda_as FOLDER SOURCE NAME FLAGS…: the PTX names the source by its bare name.
cuda_as() {
  local folder=$1 source=$2 name=$3
  shift 3
  have nvcc || { keep "$folder/$name.ptx" nvcc; return; }
  cp "$folder/$source.cu" "$scratch/"
  (cd "$scratch" && nvcc -ptx "$@" "$source.cu" -o "$name.ptx")
  sed "s#\"$scratch/#\"#" "$scratch/$name.ptx" >"$folder/$name.ptx"
  done_with "$folder/$name.ptx"
}

# cuda FOLDER NAME FLAGS…
cuda() {
  local folder=$1 name=$2
  shift 2
  cuda_as "$folder" "$name" "$name" "$@"
}

# rust SOURCE OUTPUT FLAGS…
rust() {
  have rustc && have llc-22 || { keep "$2" "rustc or llc-22"; return; }
  python3 rust_to_ptx.py "$@"
  done_with "$2"
}

# llvm FOLDER NAME TARGET ISA
llvm() {
  have llc-22 || { keep "$1/$2.ptx" llc-22; return; }
  opt-22 -passes='default<O2>' -S "$1/$2.ll" | llc-22 "-mcpu=$3" "-mattr=+$4" -o "$1/$2.ptx"
  done_with "$1/$2.ptx"
}

rust vecadd/src/main.rs vecadd/vecadd.ptx
rust vecadd/src/main.rs vecadd/vecadd_sm_120a.ptx --target sm_120a --isa +ptx87
cuda vecadd_cuda vecadd -arch=sm_90 -lineinfo
if have nvcc; then  # PTX and machine code for two targets, as they are in an executable
  cp vecadd_cuda/vecadd.cu "$scratch/"
  (cd "$scratch" && nvcc --compress-mode=size -gencode 'arch=compute_80,code=[sm_80,compute_80]' \
    -gencode 'arch=compute_90,code=[sm_90,compute_90]' -fatbin vecadd.cu -o vecadd.fatbin)
  cp "$scratch/vecadd.fatbin" vecadd_cuda/
  done_with vecadd_cuda/vecadd.fatbin
else
  keep vecadd_cuda/vecadd.fatbin nvcc
fi
cuda assert assert -arch=sm_80
cuda debug checked -arch=sm_86 -G
rust panic/panic.rs panic/panic.ptx --panic call --no-lines --target sm_90 --isa +ptx78
cuda span span -arch=sm_90
cuda_as targets targets sm_80 -arch=compute_80
cuda_as targets targets sm_90 -arch=compute_90
cuda gather gather -arch=sm_80
cuda_as gather gather gather_checked -arch=sm_80 -DCHECKED
llvm switch switch sm_90 ptx83
rust hoisted/hoisted.rs hoisted/hoisted.ptx --panic asm --target sm_90 --isa +ptx83
llvm julia julia sm_80 ptx70
llvm numba numba sm_80 ptx70
rust divide/divide.rs divide/divide.ptx --target sm_120a --isa +ptx87

if have ptxas; then
  for ptx in */*.ptx; do
    target=$(grep -o '^\.target sm_[0-9]*[af]\?' "$ptx" | cut -d' ' -f2)
    ptxas -c "-arch=$target" "$ptx" -o "$scratch/out.cubin" || echo "ptxas rejects $ptx"
  done
fi
echo "$built rebuilt, $kept kept"
