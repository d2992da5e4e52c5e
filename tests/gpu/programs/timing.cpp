// The time of one kernel that does not trap: timing FILE.ptx ROUNDS LOG2_N... Adds two vectors with the module's kernel
// `vecadd` (six parameters: pointer and length, three times). Prints the time of loading in milliseconds, the host's time
// for a launch in microseconds, and for each size the time of a launch on the GPU in microseconds: the median of the
// rounds, after a warm-up.
#include <cuda.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#define CHECK(call)                                         \
  do {                                                      \
    const CUresult result = (call);                         \
    if (result != CUDA_SUCCESS) {                           \
      std::printf("line %d: error %d\n", __LINE__, result); \
      return 1;                                             \
    }                                                       \
  } while (false)

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  std::ifstream file(argv[1], std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const int rounds = std::atoi(argv[2]);
  unsigned long long most = 0;
  for (int i = 3; i < argc; ++i) most = std::max(most, 1ULL << std::atoi(argv[i]));
  CUdevice device;
  CUcontext context;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CUmodule module;
  CUfunction kernel;
  const auto begin = std::chrono::steady_clock::now();
  CHECK(cuModuleLoadData(&module, text.c_str()));
  const std::chrono::duration<double, std::milli> load = std::chrono::steady_clock::now() - begin;
  CHECK(cuModuleGetFunction(&kernel, module, "vecadd"));
  CUdeviceptr data[3];
  for (CUdeviceptr& one : data) {
    CHECK(cuMemAlloc(&one, most * sizeof(float)));
    CHECK(cuMemsetD32(one, 0x3f800000, most));
  }
  CUevent start, stop;
  CHECK(cuEventCreate(&start, CU_EVENT_DEFAULT));
  CHECK(cuEventCreate(&stop, CU_EVENT_DEFAULT));
  unsigned long long length = 1;
  void* arguments[6] = {&data[0], &length, &data[1], &length, &data[2], &length};
  const auto launch = [&](unsigned blocks) {
    return cuLaunchKernel(kernel, blocks, 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr);
  };
  // The host's part of a launch, many in a row.
  CHECK(launch(1));
  CHECK(cuCtxSynchronize());
  const auto first = std::chrono::steady_clock::now();
  for (int i = 0; i < 1000; ++i) CHECK(launch(1));
  const std::chrono::duration<double, std::micro> host = std::chrono::steady_clock::now() - first;
  CHECK(cuCtxSynchronize());
  std::printf("%.3f %.4f", load.count(), host.count() / 1000.0);
  // The GPU's part: the stream is held until all launches of a round are in its queue, so that they run one right after
  // the other and the host's part is not in the time.
  unsigned* gate = nullptr;
  CUdeviceptr gate_address = 0;
  CUstream stream;
  CHECK(cuMemHostAlloc(reinterpret_cast<void**>(&gate), sizeof(unsigned), CU_MEMHOSTALLOC_DEVICEMAP));
  CHECK(cuMemHostGetDevicePointer(&gate_address, gate, 0));
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  for (int i = 3; i < argc; ++i) {
    length = 1ULL << std::atoi(argv[i]);
    const int launches = length > (1ULL << 20) ? 8 : 64;
    std::vector<float> times;
    for (int round = 0; round < rounds + 5; ++round) {
      *static_cast<volatile unsigned*>(gate) = 0;
      CHECK(cuStreamWaitValue32(stream, gate_address, 1, CU_STREAM_WAIT_VALUE_EQ));
      CHECK(cuEventRecord(start, stream));
      for (int launch_number = 0; launch_number < launches; ++launch_number) {
        CHECK(cuLaunchKernel(kernel, static_cast<unsigned>((length + 255) / 256), 1, 1, 256, 1, 1, 0, stream, arguments,
                             nullptr));
      }
      CHECK(cuEventRecord(stop, stream));
      *static_cast<volatile unsigned*>(gate) = 1;
      CHECK(cuStreamSynchronize(stream));
      float milliseconds = 0;
      CHECK(cuEventElapsedTime(&milliseconds, start, stop));
      if (round >= 5) times.push_back(milliseconds * 1000.0f / static_cast<float>(launches));
    }
    std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
    std::printf(" %.4f", static_cast<double>(times[times.size() / 2]));
  }
  std::printf("\n");
  return 0;
}
