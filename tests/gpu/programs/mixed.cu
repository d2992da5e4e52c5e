// What programs of the CUDA runtime do besides launching a kernel: streams, events, threads, graphs (captured and built),
// cooperative launches, cudaLaunchKernelEx, symbols, shared memory, atomics, a kernel that is used late. No kernel fails;
// the results' bits are printed as one number.
#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

namespace cg = cooperative_groups;

__constant__ float factors[4];
__device__ unsigned counter;

__global__ void scale(const float* in, float* out, unsigned n, unsigned which) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (which >= 4) __trap();
  if (i < n) out[i] = in[i] * factors[which];
}

__global__ void reduce(const float* in, float* out, unsigned n) {
  extern __shared__ float part[];
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    if (blockIdx.x >= gridDim.x) __trap();
    out[blockIdx.x] = part[0];
    atomicAdd(&counter, 1u);
  }
}

__global__ void together(float* data, unsigned n) {
  cg::grid_group grid = cg::this_grid();
  for (int round = 0; round < 3; ++round) {
    for (unsigned long long i = grid.thread_rank(); i < n; i += grid.size()) {
      if (i >= n) __trap();
      data[i] = data[i] * 0.5f + 1.0f;
    }
    grid.sync();
  }
}

namespace {

std::uint64_t hash = 14695981039346656037ULL;
int failures = 0;

void check(cudaError_t error, int line) {
  if (error == cudaSuccess) return;
  std::printf("line %d: %s\n", line, cudaGetErrorName(error));
  ++failures;
}
#define CHECK(call) check((call), __LINE__)

void mix(const std::vector<float>& values) {
  for (const float value : values) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    hash = (hash ^ bits) * 1099511628211ULL;
  }
}

constexpr unsigned n = 1 << 18;

std::vector<float> work(unsigned which) {
  std::vector<float> values(n);
  for (unsigned i = 0; i < n; ++i) values[i] = static_cast<float>((i + which) % 977) * 0.125f;
  float *in = nullptr, *out = nullptr, *sums = nullptr;
  CHECK(cudaMalloc(&in, n * sizeof(float)));
  CHECK(cudaMalloc(&out, n * sizeof(float)));
  CHECK(cudaMalloc(&sums, 1024 * sizeof(float)));
  cudaStream_t stream;
  cudaEvent_t event;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaEventCreate(&event));
  CHECK(cudaMemcpyAsync(in, values.data(), n * sizeof(float), cudaMemcpyHostToDevice, stream));
  for (int i = 0; i < 20; ++i) scale<<<n / 256, 256, 0, stream>>>(in, out, n, which % 4);
  reduce<<<1024, 256, 256 * sizeof(float), stream>>>(out, sums, n);
  CHECK(cudaEventRecord(event, stream));
  while (cudaEventQuery(event) == cudaErrorNotReady) std::this_thread::yield();
  CHECK(cudaEventSynchronize(event));
  std::vector<float> result(1024);
  CHECK(cudaMemcpyAsync(result.data(), sums, 1024 * sizeof(float), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  CHECK(cudaFree(sums));
  CHECK(cudaEventDestroy(event));
  CHECK(cudaStreamDestroy(stream));
  return result;
}

void graphs() {
  float *in = nullptr, *out = nullptr;
  std::vector<float> values(n, 3.25f);
  CHECK(cudaMalloc(&in, n * sizeof(float)));
  CHECK(cudaMalloc(&out, n * sizeof(float)));
  CHECK(cudaMemcpy(in, values.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  scale<<<n / 256, 256, 0, stream>>>(in, out, n, 1);
  scale<<<n / 256, 256, 0, stream>>>(out, in, n, 2);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 5; ++i) CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  // The same kernel as a node that is added by hand.
  CHECK(cudaGraphCreate(&graph, 0));
  unsigned count = n, which = 3;
  void* arguments[] = {&in, &out, &count, &which};
  cudaKernelNodeParams node{};
  node.func = reinterpret_cast<void*>(scale);
  node.gridDim = dim3(n / 256);
  node.blockDim = dim3(256);
  node.kernelParams = arguments;
  cudaGraphNode_t added;
  CHECK(cudaGraphAddKernelNode(&added, graph, nullptr, 0, &node));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy(values.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost));
  mix(values);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
}

void launches() {
  float* data = nullptr;
  std::vector<float> values(n, 8.0f);
  CHECK(cudaMalloc(&data, n * sizeof(float)));
  CHECK(cudaMemcpy(data, values.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  unsigned count = n;
  void* arguments[] = {&data, &count};
  CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(together), dim3(64), dim3(128), arguments, 0, nullptr));
  CHECK(cudaDeviceSynchronize());
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(n / 256);
  config.blockDim = dim3(256);
  CHECK(cudaLaunchKernelEx(&config, scale, static_cast<const float*>(data), data, n, 2u));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(values.data(), data, n * sizeof(float), cudaMemcpyDeviceToHost));
  mix(values);
  // A launch that the driver refuses.
  scale<<<1, 4096>>>(data, data, n, 0);
  std::printf("too many threads: %s\n", cudaGetErrorName(cudaGetLastError()));
  CHECK(cudaFree(data));
}

}  // namespace

int main() {
  const float constants[4] = {0.5f, 1.5f, 0.25f, 3.0f};
  CHECK(cudaMemcpyToSymbol(factors, constants, sizeof constants));
  const unsigned zero = 0;
  CHECK(cudaMemcpyToSymbol(counter, &zero, sizeof zero));
  std::vector<std::vector<float>> results(8);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 8; ++i) threads.emplace_back([&, i] { results[i] = work(i); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& result : results) mix(result);
  graphs();
  launches();
  unsigned blocks = 0;
  CHECK(cudaMemcpyFromSymbol(&blocks, counter, sizeof blocks));
  CHECK(cudaDeviceReset());
  mix(work(1));  // in a context that is new, without the factors
  std::printf("%u blocks, %016llx, %d failures\n", blocks, static_cast<unsigned long long>(hash), failures);
  return failures == 0 ? 0 : 1;
}
