"""numba-cuda: NVVM's PTX, linked."""
import hashlib

import numpy

if not hasattr(numpy, "row_stack"):
    numpy.row_stack = numpy.vstack  # NumPy 2.5 took the old name away, which numba-cuda still looks up when it starts

from numba import cuda


@cuda.jit
def add(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] + b[i]


def main():
    n = 1 << 16
    a = numpy.arange(n, dtype=numpy.float32)
    out = cuda.device_array(n, dtype=numpy.float32)
    add[n // 256, 256](cuda.to_device(a), cuda.to_device(a * numpy.float32(0.5)), out)
    cuda.synchronize()
    print(hashlib.sha256(out.copy_to_host().tobytes()).hexdigest())


main()
