"""Triton: hands machine code over, and keeps the PTX in its cache. "trap": a device_assert that fails."""
import hashlib
import os
import sys

import torch
import triton
import triton.language as tl


@triton.jit(debug=True)
def add(a, b, out, n, length, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.device_assert(i < length, "i is in range")
    tl.store(out + i, tl.load(a + i, mask=i < n) + tl.load(b + i, mask=i < n), mask=i < n)


def main():
    n = 1 << 16
    a = torch.arange(n, dtype=torch.float32, device="cuda")
    b = a * 0.5
    out = torch.zeros_like(a)
    add[(n // 256,)](a, b, out, n, 54321 if "trap" in sys.argv else n, BLOCK=256)
    try:
        torch.cuda.synchronize()
    except Exception as error:
        print(type(error).__name__)
        sys.stdout.flush()
        os._exit(3)
    print(hashlib.sha256(out.cpu().numpy().tobytes()).hexdigest())


main()
