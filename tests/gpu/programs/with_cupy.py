"""CuPy: a RawModule (NVRTC), a RawKernel, an elementwise kernel. "trap": the RawModule's kernel traps."""
import hashlib
import sys

import cupy

SOURCE = r"""
extern "C" __global__ void gather(const float* a, unsigned a_len, const int* index, float* out, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (index[i] < 0 || index[i] >= a_len) __trap();
  out[i] = a[index[i]];
}
"""


def main():
    traps = "trap" in sys.argv
    n = 1 << 16
    module = cupy.RawModule(code=SOURCE)
    gather = module.get_function("gather")
    a = cupy.arange(n, dtype=cupy.float32) * cupy.float32(0.5)
    index = (cupy.arange(n, dtype=cupy.int32) * 31) % n
    if traps:
        index[54321] = n
    out = cupy.zeros(n, dtype=cupy.float32)
    gather((n // 256,), (256,), (a, cupy.uint32(n), index.astype(cupy.int32), out, cupy.uint32(n)))
    try:
        cupy.cuda.Device().synchronize()
    except Exception as error:
        print(type(error).__name__)
        sys.stdout.flush()
        import os
        os._exit(3)
    total = cupy.sqrt(out) + out.sum()
    print(hashlib.sha256(cupy.asnumpy(total).tobytes() + cupy.asnumpy(out).tobytes()).hexdigest())


main()
