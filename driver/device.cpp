#include "driver/device.h"

#include <dlfcn.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <memory>

namespace ptxscope::driver {

namespace {

// The part of the Driver API that is used here. These names and numbers have been the same since CUDA 2.0.
using Init = int (*)(unsigned flags);
using DriverGetVersion = int (*)(int* version);
using DeviceGetCount = int (*)(int* count);
using DeviceGet = int (*)(int* device, int ordinal);
using DeviceGetName = int (*)(char* name, int size, int device);
using DeviceGetAttribute = int (*)(int* value, int attribute, int device);
using GetErrorName = int (*)(int error, const char** name);
constexpr int capability_major = 75;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
constexpr int capability_minor = 76;
constexpr int no_device = 100;  // CUDA_ERROR_NO_DEVICE

struct Close {
  void operator()(void* library) const { ::dlclose(library); }
};
using Library = std::unique_ptr<void, Close>;

Library open_driver() {
  // The second one is where Windows puts it for WSL 2, which is not always searched.
  for (const char* name : {"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"})
    if (Library library{::dlopen(name, RTLD_NOW | RTLD_LOCAL)}) return library;
  return nullptr;
}

template <typename Function>
Function find(const Library& library, const char* name) {
  return reinterpret_cast<Function>(::dlsym(library.get(), name));
}

// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun …", or "… Open Kernel Module for x86_64  580.65.06 …".
std::string kernel_module_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  if (!std::getline(file, line)) return {};
  std::size_t place = 0;
  while (place < line.size()) {
    const std::size_t begin = line.find_first_not_of(' ', place);
    if (begin == std::string::npos) break;
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    const std::string word = line.substr(begin, end - begin);
    if (word.find('.') != std::string::npos && word.find_first_not_of("0123456789.") == std::string::npos) return word;
    place = end;
  }
  return {};
}

MachineResult failed(std::string sentence) { return {{}, std::move(sentence)}; }

}  // namespace

MachineResult this_machine() {
  const Library library = open_driver();
  if (!library)
    return failed(
        "no NVIDIA driver was found (libcuda.so.1); say what to check for instead: --device=9.0, --driver 570");
  const auto init = find<Init>(library, "cuInit");
  const auto driver_version = find<DriverGetVersion>(library, "cuDriverGetVersion");
  const auto count_of = find<DeviceGetCount>(library, "cuDeviceGetCount");
  const auto get = find<DeviceGet>(library, "cuDeviceGet");
  const auto name_of = find<DeviceGetName>(library, "cuDeviceGetName");
  const auto attribute_of = find<DeviceGetAttribute>(library, "cuDeviceGetAttribute");
  const auto error_name = find<GetErrorName>(library, "cuGetErrorName");  // from CUDA 6.0 on
  if (init == nullptr || driver_version == nullptr || count_of == nullptr || get == nullptr || name_of == nullptr ||
      attribute_of == nullptr)
    return failed("libcuda.so.1 is not an NVIDIA driver's: it lacks functions of the CUDA Driver API");
  const auto told = [&](const char* function, int error) {
    const char* name = nullptr;
    if (error_name != nullptr) error_name(error, &name);
    return failed(
        std::string("the NVIDIA driver was found, but ") + function + " fails with " +
        (name != nullptr ? std::string(name) + " (" + std::to_string(error) + ")" : "error " + std::to_string(error)) +
        "; does nvidia-smi work, and may this user open /dev/nvidia*?");
  };

  constexpr const char* no_gpu =
      "the NVIDIA driver was found, but no GPU; is one there, and does CUDA_VISIBLE_DEVICES let it be seen?";
  if (const int error = init(0); error != 0) return error == no_device ? failed(no_gpu) : told("cuInit", error);
  MachineResult result;
  int version = 0;
  if (const int error = driver_version(&version); error != 0) return told("cuDriverGetVersion", error);
  result.machine.cuda_major = static_cast<unsigned>(version) / 1000;
  result.machine.cuda_minor = static_cast<unsigned>(version) % 1000 / 10;
  result.machine.driver = kernel_module_version();

  int count = 0;
  if (const int error = count_of(&count); error != 0) return told("cuDeviceGetCount", error);
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    int device = 0;
    int major = 0;
    int minor = 0;
    std::array<char, 256> name{};
    int error = get(&device, ordinal);
    if (error == 0) error = attribute_of(&major, capability_major, device);
    if (error == 0) error = attribute_of(&minor, capability_minor, device);
    if (error == 0) error = name_of(name.data(), static_cast<int>(name.size()) - 1, device);
    if (error != 0) return told("cuDeviceGet", error);
    result.machine.devices.push_back({name.data(), static_cast<unsigned>(major * 10 + minor)});
  }
  if (result.machine.devices.empty()) return failed(no_gpu);
  return result;
}

}  // namespace ptxscope::driver
