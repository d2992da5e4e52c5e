// Bounds that live in shared memory, bits of a word, packed halves.
#include <cstdint>

extern __shared__ unsigned dynamic_words[];

// The bound is a parameter here; what is indexed is dynamic shared memory.
extern "C" __global__ void dynamic_shared(const unsigned* in, unsigned words, unsigned* out) {
  unsigned t = threadIdx.x;
  if (t >= words) __trap();
  dynamic_words[t] = in[t];
  __syncthreads();
  out[t] = dynamic_words[words - 1 - t];
}

// Rows in the upper half of a word, columns in the lower.
extern "C" __global__ void packed_shape(unsigned shape, float* out) {
  unsigned rows = shape >> 16, columns = shape & 0xffff;
  unsigned r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) __trap();
  if (c >= columns) __trap();
  out[r * columns + c] = 1.f;
}

// A field of four bits decides whether checking is on.
extern "C" __global__ void mode_bits(uint32_t mode, unsigned n, float* out) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (((mode >> 8) & 15) == 3 && i >= n) __trap();
  out[i] = 1.f;
}

// Bytes rearranged.
extern "C" __global__ void byte_order(unsigned big_endian_length, float* out) {
  unsigned n = __byte_perm(big_endian_length, 0, 0x0123);
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) __trap();
  out[i] = 1.f;
}
