// Checks in functions that stay functions: two levels, recursion, a table of functions.
#include <cstdint>

struct View { const float* data; unsigned n; };

__device__ __noinline__ float get(View v, unsigned i) {
  if (i >= v.n) __trap();
  return v.data[i];
}

__device__ __noinline__ float middle(View v, unsigned i) { return get(v, i) + get(v, i + 1); }

extern "C" __global__ void two_levels(View a, float* out) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = middle(a, i);
}

extern "C" __global__ void one_level(const float* data, unsigned n, unsigned shift, float* out) {
  unsigned i = threadIdx.x;
  out[i] = get(View{data, n}, i ^ shift);
}

__device__ __noinline__ unsigned descend(const unsigned* next, unsigned at, unsigned depth) {
  if (depth == 0) __trap();
  unsigned n = next[at];
  return n == 0 ? at : descend(next, n & 63, depth - 1) + 1;
}

extern "C" __global__ void recursive(const unsigned* next, unsigned depth, unsigned* out) {
  out[threadIdx.x] = descend(next, threadIdx.x, depth);
}
