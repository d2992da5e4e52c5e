// __trap() in the shapes that nvcc makes of it.
#include <cstdint>

struct Span { float* data; uint64_t n; };
struct Job { int kind; Span input; Span output; uint32_t first; };

// A span inside a struct passed by value.
extern "C" __global__ void nested_span(Job job) {
  uint32_t i = job.first + blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= job.output.n) return;
  if (i >= job.input.n) __trap();
  job.output.data[i] = job.input.data[i] * (float)job.kind;
}

// A grid-stride loop with its check inside.
extern "C" __global__ void grid_stride(const int* index, float* out, int n, int capacity) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    if (i >= capacity) __trap();
    out[i] = (float)index[i];
  }
}

// The check at the loop's end.
extern "C" __global__ void do_while(const unsigned* steps, unsigned start, unsigned limit, unsigned* out) {
  unsigned at = start;
  do {
    at += steps[at & 15];
    if (at > limit) __trap();
  } while (at & 7);
  out[0] = at;
}

// A bound chosen by a flag, and one clamped.
extern "C" __global__ void chosen_bound(float* out, unsigned small, unsigned large, int wide) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned bound = wide ? large : small;
  if (i >= bound) __trap();
  out[i] = 1.0f;
}

extern "C" __global__ void clamped(float* out, int lo, int hi, int value) {
  int v = max(lo, min(value, hi));
  if (v != value) __trap();
  out[0] = (float)v;
}

// Alignment and null.
extern "C" __global__ void pointer_checks(const float4* x, float* out) {
  if (out == nullptr) __trap();
  if (reinterpret_cast<uintptr_t>(x) & 15) __trap();
  out[threadIdx.x] = x[threadIdx.x].x;
}

// Division, by zero and by the loaded value.
extern "C" __global__ void divide(const int* x, const int* y, int* out, int d) {
  int i = threadIdx.x;
  if (d == 0) __trap();
  int q = x[i] / d;
  if (y[i] == 0) __trap();
  out[i] = q / y[i];
}

// Three dimensions.
extern "C" __global__ void volume(float* v, unsigned nx, unsigned ny, unsigned nz, uint64_t total) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
           z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= nx || y >= ny || z >= nz) return;
  uint64_t at = ((uint64_t)z * ny + y) * nx + x;
  if (at >= total) __trap();
  v[at] = 0.f;
}
