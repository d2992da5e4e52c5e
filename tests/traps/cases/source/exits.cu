// Failing sides that end the thread without a trap, and floating-point checks.
extern "C" __global__ void silent_exit(const float* x, float* out, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) asm volatile("exit;");
  out[i] = x[i];
}

extern "C" __global__ void not_a_number(const float* x, const double* y, float* out, float limit) {
  unsigned i = threadIdx.x;
  float v = x[i];
  if (!(v <= limit)) __trap();
  if (y[i] != y[i]) __trap();
  out[i] = v + (float)y[i];
}

// Inline assembly with the predicate in it.
extern "C" __global__ void predicated(unsigned n, unsigned m, float* out) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("{ .reg .pred bad; setp.ge.u32 bad, %0, %1; @bad trap; }" ::"r"(i), "r"(n));
  asm volatile("{ .reg .pred good; setp.lt.u32 good, %0, %1; @!good trap; }" ::"r"(i), "r"(m));
  out[i] = 1.f;
}
