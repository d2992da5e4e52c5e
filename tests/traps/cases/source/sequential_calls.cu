// Checks in functions called one after the other: what the first let through, the second may rely on.
__device__ __noinline__ void expect_less(unsigned i, unsigned n) {
  if (i >= n) __trap();
}

__device__ __noinline__ float load_checked(const float* x, unsigned i, unsigned n) {
  if (x == nullptr) __trap();
  expect_less(i, n);
  return x[i];
}

__device__ __noinline__ unsigned nonzero(unsigned d) {
  if (d == 0) __trap();
  return d;
}

extern "C" __global__ void sequence(const float* x, unsigned n, unsigned m, unsigned d, float* out) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  expect_less(i, m);
  float v = load_checked(x, i, n);
  out[i] = v / (float)nonzero(d);
  if (n > m) __trap();
}
