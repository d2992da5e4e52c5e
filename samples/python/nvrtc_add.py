"""PTX of CUDA C++ by NVRTC, with NVIDIA's Python bindings."""

from cuda.bindings import nvrtc

import ptxscope

SOURCE = rb"""
extern "C" __global__ void add(const float* a, const float* b, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) __trap();
  out[i] = a[i] + b[i];
}
"""


def succeed(status, *values):
    if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        raise RuntimeError(nvrtc.nvrtcGetErrorString(status)[1].decode())
    return values[0] if values else None


def compiled():
    program = succeed(*nvrtc.nvrtcCreateProgram(SOURCE, b"add.cu", 0, [], []))
    succeed(*nvrtc.nvrtcCompileProgram(program, 1, [b"--gpu-architecture=compute_80"]))
    text = b" " * succeed(*nvrtc.nvrtcGetPTXSize(program))
    succeed(*nvrtc.nvrtcGetPTX(program, text))
    return text.rstrip(b"\0")


def main():
    module = ptxscope.parse(compiled(), name="add")
    for trap in ptxscope.explain_traps(module, names=["a", "b", "out", "n"]).traps:
        print(trap.check, [way.condition.text for way in trap.ways])


if __name__ == "__main__":
    main()
