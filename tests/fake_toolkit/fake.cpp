// One library that stands in for several: libcuda.so.1, libnvidia-ml.so.1, libnvvm.so, libnvrtc.so and libnvJitLink.so,
// for tests of doctor and load on machines without any of them. What it answers stands in a file beside it, whose name
// is its own with ".answers" behind it: a word and its value in each line, \n in a value standing for a new line.
//
//     cuda 13000                         cuDriverGetVersion
//     init 803                           what cuInit gives; "crash" and "hang" do that
//     device 90 150754820096 NVIDIA H200
//     nvml 580.65.06 1                   the driver's version and the number of GPUs
//     nvvm 2 0 3 2 / nvrtc 13 0 / nvjitlink 13 0
//     load 218 / error-log TEXT / info-log TEXT
//     kernel NAME registers local shared const threads ptx code
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

std::vector<std::string> answers(const std::string& word) {
  Dl_info info{};
  static const int anchor = 0;
  ::dladdr(&anchor, &info);
  std::ifstream file(std::string(info.dli_fname) + ".answers");
  std::vector<std::string> found;
  for (std::string line; std::getline(file, line);) {
    const std::size_t space = line.find(' ');
    if (line.substr(0, space) != word) continue;
    std::string value = space == std::string::npos ? "" : line.substr(space + 1);
    for (std::size_t at = value.find("\\n"); at != std::string::npos; at = value.find("\\n", at))
      value.replace(at, 2, "\n");
    found.push_back(value);
  }
  return found;
}

std::string answer(const std::string& word, const std::string& otherwise = "") {
  const auto all = answers(word);
  return all.empty() ? otherwise : all.front();
}

// The devices CUDA_VISIBLE_DEVICES leaves.
std::vector<std::string> devices() {
  std::vector<std::string> all = answers("device");
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible == nullptr) return all;
  std::vector<std::string> left;
  std::istringstream list(visible);
  for (std::string one; std::getline(list, one, ',');) {
    const std::size_t number = static_cast<std::size_t>(std::atoi(one.c_str()));
    if (number >= all.size()) break;
    left.push_back(all[number]);
  }
  return left;
}

std::vector<int> numbers(const std::string& text) {
  std::istringstream words(text);
  std::vector<int> all;
  for (int one = 0; words >> one;) all.push_back(one);
  return all;
}

struct Kernel {
  std::string name;
  std::vector<int> attributes;
};
std::vector<Kernel>& kernels() {
  static std::vector<Kernel> all;
  if (all.empty())
    for (const std::string& line : answers("kernel")) {
      const std::size_t space = line.find(' ');
      all.push_back({line.substr(0, space), numbers(line.substr(space))});
    }
  return all;
}

int first_number(const std::string& word) { return std::atoi(answer(word, "0").c_str()); }

// The functions of the Driver API that only have to be there.
int nothing() { return 0; }

}  // namespace

extern "C" {

int cuInit(unsigned) {
  if (answer("init") == "crash") std::abort();
  if (answer("init") == "hang") ::sleep(600);
  const int status = first_number("init");
  return status == 0 && devices().empty() ? 100 : status;
}
int cuDriverGetVersion(int* version) {
  *version = first_number("cuda");
  return 0;
}
int cuGetErrorName(int status, const char** name) {
  switch (status) {
    case 0:
      *name = "CUDA_SUCCESS";
      return 0;
    case 100:
      *name = "CUDA_ERROR_NO_DEVICE";
      return 0;
    case 218:
      *name = "CUDA_ERROR_INVALID_PTX";
      return 0;
    case 222:
      *name = "CUDA_ERROR_UNSUPPORTED_PTX_VERSION";
      return 0;
    case 803:
      *name = "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH";
      return 0;
    case 999:
      *name = "CUDA_ERROR_UNKNOWN";
      return 0;
    default:
      *name = nullptr;
      return 1;
  }
}
int cuGetErrorString(int status, const char** text) {
  switch (status) {
    case 0:
      *text = "no error";
      return 0;
    case 100:
      *text = "no CUDA-capable device is detected";
      return 0;
    case 218:
      *text = "a PTX JIT compilation failed";
      return 0;
    case 222:
      *text = "the provided PTX was compiled with an unsupported toolchain.";
      return 0;
    case 803:
      *text = "system has unsupported display driver / cuda driver combination";
      return 0;
    case 999:
      *text = "unknown error";
      return 0;
    default:
      *text = nullptr;
      return 1;
  }
}
int cuDeviceGetCount(int* count) {
  *count = static_cast<int>(devices().size());
  return 0;
}
int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return 0;
}
int cuDeviceGetName(char* name, int size, int device) {
  std::string line = devices().at(static_cast<std::size_t>(device));
  line.erase(0, line.find(' ', line.find(' ') + 1) + 1);
  std::snprintf(name, static_cast<std::size_t>(size), "%s", line.c_str());
  return 0;
}
int cuDeviceGetAttribute(int* value, int attribute, int device) {
  const int capability = std::atoi(devices().at(static_cast<std::size_t>(device)).c_str());
  *value = attribute == 75 ? capability / 10 : attribute == 76 ? capability % 10 : attribute == 39 ? 2048 : 64;
  return 0;
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int device) {
  std::istringstream line(devices().at(static_cast<std::size_t>(device)));
  int capability = 0;
  line >> capability >> *bytes;
  return 0;
}
int cuDevicePrimaryCtxRetain(void** context, int) {
  static int object = 0;
  *context = &object;
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int) { return 0; }

int cuModuleLoadDataEx(void** module, const void* image, unsigned count, int* options, void** values) {
  const bool is_probe = std::strstr(static_cast<const char*>(image), ".entry") == nullptr;
  const auto write = [&](int buffer, int size, const std::string& text) {
    char* to = nullptr;
    std::size_t room = 0;
    for (unsigned i = 0; i < count; ++i) {
      if (options[i] == buffer) to = static_cast<char*>(values[i]);
      if (options[i] == size) room = reinterpret_cast<std::size_t>(values[i]);
    }
    if (to != nullptr && room > 0) std::snprintf(to, room, "%s", text.c_str());
  };
  static int object = 0;
  if (is_probe) {
    *module = &object;
    return 0;
  }
  write(3, 4, answer("info-log"));
  write(5, 6, answer("error-log"));
  const int status = first_number("load");
  if (status == 0) *module = &object;
  return status;
}
int cuModuleUnload(void*) { return 0; }
int cuModuleGetFunction(void** function, void*, const char* name) {
  for (Kernel& kernel : kernels())
    if (kernel.name == name) *function = &kernel;
  return *function != nullptr ? 0 : 500;
}
int cuFuncGetAttribute(int* value, int attribute, void* function) {
  // max threads, shared, const, local, registers, ptx, code, by CUfunction_attribute
  constexpr int order[] = {4, 2, 3, 1, 0, 5, 6};
  *value =
      attribute < 7 ? static_cast<Kernel*>(function)->attributes.at(static_cast<std::size_t>(order[attribute])) : 0;
  return 0;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void* function, int size, std::size_t) {
  const int registers = static_cast<Kernel*>(function)->attributes.front();
  const int by_registers = 65536 / (std::max(registers, 1) * size);
  *blocks = std::min(2048 / size, by_registers);
  return 0;
}

#define PRESENT(name) \
  int name() { return nothing(); }
PRESENT(cuDeviceGetPCIBusId)
PRESENT(cuCtxCreate_v2)
PRESENT(cuCtxDestroy_v2)
PRESENT(cuCtxSetCurrent)
PRESENT(cuCtxGetCurrent)
PRESENT(cuCtxSynchronize)
PRESENT(cuModuleGetGlobal_v2)
PRESENT(cuLaunchKernel)
PRESENT(cuMemGetInfo_v2)
PRESENT(cuMemAlloc_v2)
PRESENT(cuMemFree_v2)
PRESENT(cuMemHostAlloc)
PRESENT(cuMemFreeHost)
PRESENT(cuMemcpyHtoD_v2)
PRESENT(cuMemcpyDtoH_v2)
PRESENT(cuMemcpyDtoD_v2)
PRESENT(cuMemcpyDtoDAsync_v2)
PRESENT(cuMemsetD8_v2)
PRESENT(cuMemsetD8Async)
PRESENT(cuMemsetD32Async)
PRESENT(cuStreamCreate)
PRESENT(cuStreamDestroy_v2)
PRESENT(cuStreamSynchronize)
PRESENT(cuEventCreate)
PRESENT(cuEventDestroy_v2)
PRESENT(cuEventRecord)
PRESENT(cuEventSynchronize)
PRESENT(cuEventElapsedTime)
#undef PRESENT

int nvmlInit_v2() { return answer("nvml").empty() ? 9 : 0; }
int nvmlSystemGetDriverVersion(char* version, unsigned size) {
  const std::string text = answer("nvml");
  std::snprintf(version, size, "%s", text.substr(0, text.find(' ')).c_str());
  return 0;
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  const std::string text = answer("nvml");
  *count = static_cast<unsigned>(std::atoi(text.c_str() + text.find(' ')));
  return 0;
}

int nvvmIRVersion(int* major, int* minor, int* debug_major, int* debug_minor) {
  if (answer("nvvm") == "crash") std::abort();
  const std::vector<int> all = numbers(answer("nvvm", "2 0 3 2"));
  *major = all[0], *minor = all[1], *debug_major = all[2], *debug_minor = all[3];
  return 0;
}
int nvrtcVersion(int* major, int* minor) {
  const std::vector<int> all = numbers(answer("nvrtc", "13 0"));
  *major = all[0], *minor = all[1];
  return 0;
}
int nvJitLinkVersion(unsigned* major, unsigned* minor) {
  const std::vector<int> all = numbers(answer("nvjitlink", "13 0"));
  *major = static_cast<unsigned>(all[0]), *minor = static_cast<unsigned>(all[1]);
  return 0;
}
}
