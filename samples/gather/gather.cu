// Reads through an index. Built twice: as it stands, and with a check of the index (-DCHECKED).
extern "C" __global__ void gather(float *out, const float *in, const int *index, int n, unsigned in_len) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int j = index[i];
#ifdef CHECKED
  if (static_cast<unsigned>(j) >= in_len) __trap();
#endif
  out[i] = in[j];
}
