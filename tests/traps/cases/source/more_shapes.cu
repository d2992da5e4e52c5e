// Many small checks, of the kinds that people write. Nobody worked out answers: the kernels are run instead.
#include <cstdint>
struct Span { float* data; uint64_t n; };
struct Many { Span s[4]; int count; };
extern "C" __global__ void many(Many m, int which, float* out) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (which < 0 || which >= m.count) __trap();
  Span s = m.s[which];
  if (i >= s.n) __trap();
  out[i] = s.data[i];
}
extern "C" __global__ void iterators(const float* begin, const float* end, float* out) {
  const float* p = begin + blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= end) __trap();
  *out = *p;
}
extern "C" __global__ void difference(const float* begin, const float* end, float* out) {
  unsigned i = threadIdx.x;
  if (i >= end - begin) __trap();
  *out = begin[i];
}
extern "C" __global__ void ceil_div(float* out, unsigned n, unsigned per) {
  unsigned b = blockIdx.x;
  if (b >= (n + per - 1) / per) __trap();
  out[b] = 1;
}
extern "C" __global__ void modulo(float* out, unsigned n, unsigned k) {
  unsigned i = threadIdx.x + blockIdx.x * blockDim.x;
  if (n % 4 != 0) __trap();
  if (i % 8 >= k) __trap();
  out[i] = 1;
}
extern "C" __global__ void flags(float* out, bool a, char level, short limit, unsigned char kind, int i) {
  if (a && i > limit) __trap();
  if (level < 0) __trap();
  if (kind > 3 || (kind == 2 && !a)) __trap();
  out[i] = 1;
}
extern "C" __global__ void three(float* out, unsigned a, unsigned b, unsigned c) {
  unsigned i = threadIdx.x;
  if (i >= min(a, min(b, c))) __trap();
  out[i] = 1;
}
extern "C" __global__ void absolute(float* out, int x, int lim) {
  if (abs(x) > lim) __trap();
  out[threadIdx.x] = x;
}
extern "C" __global__ void longs(long long i, long long n, double d, double e, float* out) {
  if (i < 0 || i >= n) __trap();
  if (d > e) __trap();
  out[i] = (float)d;
}
extern "C" __global__ void early(const int* x, float* out, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool ok = true;
  if (i >= n) ok = false;
  else if (x[i] >= m) ok = false;
  if (!ok) __trap();
  out[i] = 1;
}
extern "C" __global__ void unrolled(const float* x, float* out, int n) {
  int i = threadIdx.x * 4; float s = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) { if (i + k >= n) __trap(); s += x[i + k]; }
  out[threadIdx.x] = s;
}
extern "C" __global__ void atomic_slot(unsigned* counter, float* out, unsigned capacity) {
  unsigned s = atomicAdd(counter, 1u);
  if (s >= capacity) __trap();
  out[s] = 1;
}
extern "C" __global__ void warp_sum(const int* x, int* out, int limit) {
  int v = x[threadIdx.x];
  for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
  if (v > limit) __trap();
  out[threadIdx.x] = v;
}
__constant__ unsigned c_size = 128;
__device__ unsigned g_sizes[8];
extern "C" __global__ void tables(float* out, unsigned k) {
  unsigned i = threadIdx.x;
  if (i >= c_size) __trap();
  if (i >= g_sizes[k & 7]) __trap();
  out[i] = 1;
}
extern "C" __global__ void bits(uint64_t mask, float* out) {
  unsigned i = threadIdx.x;
  if (!(mask >> i & 1)) __trap();
  if (__popcll(mask) > 40) __trap();
  if (__clzll(mask) < 2) __trap();
  out[i] = 1;
}
extern "C" __global__ void two_d(float* m, int rows, int cols, int ld, long long size) {
  int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows || c >= cols) return;
  if (ld < cols) __trap();
  if ((long long)r * ld + c >= size) __trap();
  m[r * ld + c] = 0;
}
struct Shape { virtual __device__ float area(int i) const = 0; };
struct Box : Shape { float w; int n; __device__ float area(int i) const override { if (i >= n) __trap(); return w; } };
extern "C" __global__ void virtual_call(const Shape* s, float* out) { out[threadIdx.x] = s->area(threadIdx.x); }
extern "C" __global__ void local_virtual(float* out, float w, int n) { Box b; b.w = w; b.n = n; const Shape* s = &b; out[threadIdx.x] = s->area(threadIdx.x); }
extern "C" __global__ void search(const int* sorted, int n, int key, int* out) {
  int lo = 0, hi = n;
  while (lo < hi) { int mid = (lo + hi) / 2; if (mid >= n) __trap(); if (sorted[mid] < key) lo = mid + 1; else hi = mid; }
  if (lo == n) __trap();
  *out = lo;
}
extern "C" __global__ void state_machine(const int* in, int n, int* out) {
  int state = 0;
  for (int i = 0; i < n; ++i) { switch (state) { case 0: state = in[i] & 3; break; case 1: state = 2; break; case 2: state = 0; break; default: __trap(); } }
  *out = state;
}
__device__ __noinline__ int helper(int a, int b, bool strict) { if (strict && a > b) __trap(); return a - b; }
extern "C" __global__ void helper_user(int* out, int a, int b, int mode) {
  int r = helper(a, b, mode == 1);
  if (mode == 2) r += helper(b, a, true);
  out[threadIdx.x] = r;
}
extern "C" __global__ __launch_bounds__(128) void tid_bound(float* out) { if (threadIdx.x >= 96) __trap(); out[threadIdx.x] = 1; }
