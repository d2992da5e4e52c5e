// For clang: the same checks through __builtin_trap, which does not return.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
typedef unsigned u32;
typedef unsigned long long u64;
static inline __device__ u32 index_x() {
  return __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
}

struct Slice { float* data; u64 n; };

static __device__ float& at(Slice s, u64 i) {
  if (i >= s.n) __builtin_trap();
  return s.data[i];
}

extern "C" __global__ void axpy(Slice x, Slice y, float a, u32 stride) {
  u32 i = index_x() * stride;
  at(y, i) += a * at(x, i);
}

extern "C" __global__ void overflow(u32 count, u32 size, u64* out) {
  u32 total;
  if (__builtin_mul_overflow(count, size, &total)) __builtin_trap();
  if (__builtin_add_overflow(total, 16u, &total)) __builtin_trap();
  *out = total;
}

extern "C" __global__ void loop_sum(const int* x, int n, int m, int* out) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    if (i >= m) __builtin_trap();
    sum += x[i] / (i + m);
  }
  *out = sum;
}
