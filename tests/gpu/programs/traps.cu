// A program of the CUDA runtime whose kernels check what they read: traps [ok|bounds|assert|null|multi|function|loop|divide|stream].
// With "ok" nothing fails, and the bits of all results are printed as one number; else one kernel traps, the error's name
// is printed and the exit status is 3.
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

__global__ void bounds(const float* a, unsigned a_len, float* out, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (i >= a_len) __trap();
  out[i] = a[i] * 2.0f + 0.1f;
}

__global__ void asserted(const int* index, float* out, int n, int capacity) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  assert(index[i] >= 0 && index[i] < capacity);
  out[i] = 1.0f / static_cast<float>(1 + index[i]);
}

__global__ void not_null(const float* a, float* out, unsigned n) {
  if (a == nullptr) __trap();
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] - 3.0f;
}

__global__ void multi(const int* x, int low, int high, float* out, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (x[i] < low) __trap();
  if (x[i] > high) __trap();
  out[i] = sqrtf(static_cast<float>(x[i]));
}

__device__ __noinline__ float checked(const float* a, unsigned length, unsigned i) {
  if (i >= length) __trap();
  return a[i];
}
__global__ void function(const float* a, unsigned a_len, float* out, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = checked(a, a_len, i) + checked(a, a_len, n - 1 - i);
}

__global__ void loop(const int* index, const float* a, int a_len, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k < 16; ++k) {
    int j = index[(i + k) % n];
    if (j < 0 || j >= a_len) __trap();
    sum += a[j];
  }
  out[i] = sum;
}

__global__ void divide(const int* a, const int* b, float* out, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (b[i] == 0) __trap();
  out[i] = static_cast<float>(a[i] / b[i]);
}

namespace {

std::uint64_t hash = 14695981039346656037ULL;

int fail(const char* what, cudaError_t error) {
  std::printf("%s: %s\n", what, cudaGetErrorName(error));
  return 3;
}

template <class T>
T* upload(const std::vector<T>& values) {
  T* memory = nullptr;
  cudaMalloc(&memory, values.size() * sizeof(T));
  cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  return memory;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "ok";
  constexpr unsigned n = 1 << 16;
  constexpr unsigned block = 256;
  constexpr unsigned grid = n / block;
  std::vector<float> a(n), out(n);
  std::vector<int> index(n), divisor(n);
  for (unsigned i = 0; i < n; ++i) {
    a[i] = static_cast<float>(i % 1000) * 0.25f;
    index[i] = static_cast<int>((i * 7919ULL) % n);
    divisor[i] = static_cast<int>(i % 100) + 1;
  }
  if (mode == "assert") index[40000] = -1;
  if (mode == "multi") index[30000] = -7;
  if (mode == "loop") index[50000] = static_cast<int>(n) + 5;
  if (mode == "divide") divisor[12345] = 0;
  float* da = upload(a);
  int* dindex = upload(index);
  int* ddivisor = upload(divisor);
  float* dout = nullptr;
  if (cudaMalloc(&dout, n * sizeof(float)) != cudaSuccess) return fail("cudaMalloc", cudaGetLastError());
  cudaStream_t stream = nullptr;
  if (mode == "stream") cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);

  const bool all = mode == "ok";
  const auto finish = [&](const char* name) {
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) error = stream != nullptr ? cudaStreamSynchronize(stream) : cudaDeviceSynchronize();
    if (error == cudaSuccess) error = cudaMemcpy(out.data(), dout, n * sizeof(float), cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) return fail(name, error);
    for (const float value : out) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, &value, sizeof bits);
      hash = (hash ^ bits) * 1099511628211ULL;
    }
    return 0;
  };
  const bool is_bounds = mode == "bounds" || mode == "stream";
  if (all || is_bounds) {
    bounds<<<grid, block, 0, stream>>>(da, is_bounds ? 1000 : n, dout, n);
    if (int status = finish("bounds")) return status;
  }
  if (all || mode == "assert") {
    asserted<<<grid, block>>>(dindex, dout, n, n);
    if (int status = finish("asserted")) return status;
  }
  if (all || mode == "null") {
    not_null<<<grid, block>>>(all ? da : nullptr, dout, n);
    if (int status = finish("not_null")) return status;
  }
  if (all || mode == "multi") {
    multi<<<grid, block>>>(dindex, 0, n, dout, n);
    if (int status = finish("multi")) return status;
  }
  if (all || mode == "function") {
    function<<<grid, block>>>(da, all ? n : 777, dout, n);
    if (int status = finish("function")) return status;
  }
  if (all || mode == "loop") {
    loop<<<grid, block>>>(dindex, da, n, dout, n);
    if (int status = finish("loop")) return status;
  }
  if (all || mode == "divide") {
    divide<<<grid, block>>>(dindex, ddivisor, dout, n);
    if (int status = finish("divide")) return status;
  }
  std::printf("%016llx\n", static_cast<unsigned long long>(hash));
  return 0;
}
