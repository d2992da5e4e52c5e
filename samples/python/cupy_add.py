"""PTX of CUDA C++ as CuPy compiles it."""

from cupy.cuda import nvrtc

import ptxscope

SOURCE = r"""
extern "C" __global__ void add(const float* a, const float* b, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) __trap();
  out[i] = a[i] + b[i];
}
"""


def compiled():
    # As cupy.RawKernel does with its source, but for an architecture that is named: no GPU is asked.
    program = nvrtc.createProgram(SOURCE, "add.cu", [], [])
    nvrtc.compileProgram(program, ["--gpu-architecture=compute_80"])
    return nvrtc.getPTX(program)


def main():
    module = ptxscope.parse(compiled(), name="add")
    for trap in ptxscope.explain_traps(module, names=["a", "b", "out", "n"]).traps:
        print(trap.check, [way.condition.text for way in trap.ways])


if __name__ == "__main__":
    main()
