// The time of one kernel that does not trap: timing FILE.ptx LOG2_N ROUNDS. Adds two vectors with the module's kernel
// `vecadd` (six parameters: pointer and length, three times), and prints the median of the rounds in microseconds, after a
// warm-up, and the time of loading in milliseconds.
#include <cuda.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#define CHECK(call)                                          \
  do {                                                       \
    const CUresult result = (call);                          \
    if (result != CUDA_SUCCESS) {                            \
      std::printf("line %d: error %d\n", __LINE__, result);  \
      return 1;                                              \
    }                                                        \
  } while (false)

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  std::ifstream file(argv[1], std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const unsigned long long n = 1ULL << std::atoi(argv[2]);
  const int rounds = std::atoi(argv[3]);
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
    CHECK(cuMemAlloc(&one, n * sizeof(float)));
    CHECK(cuMemsetD32(one, 0x3f800000, n));
  }
  CUevent start, stop;
  CHECK(cuEventCreate(&start, CU_EVENT_DEFAULT));
  CHECK(cuEventCreate(&stop, CU_EVENT_DEFAULT));
  unsigned long long length = n;
  void* arguments[6] = {&data[0], &length, &data[1], &length, &data[2], &length};
  std::vector<float> times;
  for (int i = 0; i < rounds + 20; ++i) {
    CHECK(cuEventRecord(start, nullptr));
    CHECK(cuLaunchKernel(kernel, static_cast<unsigned>((n + 255) / 256), 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr));
    CHECK(cuEventRecord(stop, nullptr));
    CHECK(cuEventSynchronize(stop));
    float milliseconds = 0;
    CHECK(cuEventElapsedTime(&milliseconds, start, stop));
    if (i >= 20) times.push_back(milliseconds * 1000.0f);
  }
  // The host's part of a launch, many in a row.
  CHECK(cuCtxSynchronize());
  const auto first = std::chrono::steady_clock::now();
  for (int i = 0; i < 1000; ++i)
    CHECK(cuLaunchKernel(kernel, 1, 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr));
  const std::chrono::duration<double, std::micro> launches = std::chrono::steady_clock::now() - first;
  CHECK(cuCtxSynchronize());
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  std::printf("%.4f %.3f %.4f\n", static_cast<double>(times[times.size() / 2]), load.count(), launches.count() / 1000.0);
  return 0;
}
