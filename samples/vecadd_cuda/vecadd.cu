// c[i] = a[i] + b[i] with the two input checks written out.
extern "C" __global__ void vecadd(const float* a, unsigned long long a_len, const float* b, unsigned long long b_len,
                                  float* c, unsigned long long c_len) {
  unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= c_len) return;
  if (i >= a_len) __trap();
  if (i >= b_len) __trap();
  c[i] = a[i] + b[i];
}
