// Checks that say something first.
#include <cassert>
#include <cstdio>

__device__ __forceinline__ float at(const float* x, int i, int n) {
  assert(i < n);
  return x[i];
}

extern "C" __global__ void inlined_assert(const float* x, const float* y, float* out, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = at(x, i, n) + at(y, i, m);
}

extern "C" __global__ void says_and_traps(float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {
    printf("index %d of %d\n", i, n);
    __trap();
  }
  out[i] = 1.f;
}

extern "C" __global__ void says_and_returns(float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {
    printf("index %d of %d\n", i, n);
    return;
  }
  out[i] = 1.f;
}

extern "C" __global__ void three_asserts(float* out, const float* x, unsigned n, unsigned k) {
  assert(out != nullptr && "no output");
  assert(n % 32 == 0);
  unsigned i = threadIdx.x * k;
  assert(i < n);
  out[i] = x[i];
}
