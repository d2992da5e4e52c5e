// The same source for two targets. What the compiler can say of sm_90 only is another instruction there; the rest is not.
#include <cuda_bf16.h>

// No difference: nothing here depends on the target.
extern "C" __global__ void axpy(float *y, const float *x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

// bfloat16 products are a fused multiply-add with -0 before sm_90.
extern "C" __global__ void scale(__nv_bfloat16 *y, const __nv_bfloat16 *x, __nv_bfloat16 a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __hmul(a, x[i]);
}

// Sums of bfloat16 are made with compare-and-swap before sm_90.
extern "C" __global__ void sum(__nv_bfloat16 *total, const __nv_bfloat16 *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(total, x[i]);
}
