// An assert carries its text, file and line into the PTX; there is no trap instruction.
#include <cassert>

extern "C" __global__ void scatter(float* out, const int* index, const float* value, int n, int capacity) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  assert(index[i] >= 0 && index[i] < capacity);
  out[index[i]] = value[i];
}
