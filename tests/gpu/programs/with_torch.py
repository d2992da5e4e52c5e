"""PyTorch: a kernel of torch.cuda._compile_kernel (NVRTC, PTX), and operators of its own. "trap": that kernel traps."""
import hashlib
import os
import sys

import torch

SOURCE = r"""
extern "C" __global__ void add_checked(const float* a, const float* b, float* out, int n, int length) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (i >= length) __trap();
  out[i] = a[i] + b[i];
}
"""


def main():
    n = 1 << 16
    torch.manual_seed(1)
    a = torch.arange(n, dtype=torch.float32, device="cuda") * 0.25
    b = torch.arange(n, dtype=torch.float32, device="cuda").flip(0).contiguous()
    out = torch.zeros(n, dtype=torch.float32, device="cuda")
    compiled = torch.cuda._compile_kernel(SOURCE, "add_checked")
    compiled(grid=(n // 256, 1, 1), block=(256, 1, 1), args=(a, b, out, n, 100 if "trap" in sys.argv else n))
    try:
        torch.cuda.synchronize()
    except Exception as error:
        print(type(error).__name__)
        sys.stdout.flush()
        os._exit(3)
    product = (a[:4096].view(64, 64) @ out[:4096].view(64, 64)).relu()
    print(hashlib.sha256(out.cpu().numpy().tobytes() + product.cpu().numpy().tobytes()).hexdigest())


main()
