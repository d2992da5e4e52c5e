#include "driver/device.h"

#include <array>
#include <fstream>

#include "driver/context.h"
#include "driver/cuda_api.h"

namespace ptxscope::driver {

namespace {

MachineResult failed(std::string sentence) { return {{}, std::move(sentence)}; }

}  // namespace

std::string kernel_module_version(const std::string& path) {
  std::ifstream file(path);
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

MachineResult this_machine() {
  const CudaResult opened = open_cuda();
  if (opened.failure == OpenFailure::not_found)
    return failed(
        "no NVIDIA driver was found (libcuda.so.1); say what to check for instead: --device=9.0, --driver 570");
  if (opened.cuda == nullptr) return failed(opened.error);
  const Cuda& cuda = *opened.cuda;
  const auto told = [&](const char* function, Status status) {
    return failed("the NVIDIA driver was found, but " + describe_failure(cuda, function, status).sentence);
  };

  constexpr const char* no_gpu =
      "the NVIDIA driver was found, but no GPU; is one there, and does CUDA_VISIBLE_DEVICES let it be seen?";
  if (const Status status = cuda.init(0); status != Status::success)
    return status == Status::no_device ? failed(no_gpu) : told("cuInit", status);
  MachineResult result;
  int version = 0;
  if (const Status status = cuda.driver_get_version(&version); status != Status::success)
    return told("cuDriverGetVersion", status);
  result.machine.cuda_major = static_cast<unsigned>(version) / 1000;
  result.machine.cuda_minor = static_cast<unsigned>(version) % 1000 / 10;
  result.machine.driver = kernel_module_version("/proc/driver/nvidia/version");

  int count = 0;
  if (const Status status = cuda.device_get_count(&count); status != Status::success)
    return told("cuDeviceGetCount", status);
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    DeviceHandle device = 0;
    int major = 0;
    int minor = 0;
    std::array<char, 256> name{};
    Status status = cuda.device_get(&device, ordinal);
    if (status == Status::success)
      status = cuda.device_get_attribute(&major, DeviceAttribute::capability_major, device);
    if (status == Status::success)
      status = cuda.device_get_attribute(&minor, DeviceAttribute::capability_minor, device);
    if (status == Status::success)
      status = cuda.device_get_name(name.data(), static_cast<int>(name.size()) - 1, device);
    if (status != Status::success) return told("cuDeviceGet", status);
    result.machine.devices.push_back({name.data(), static_cast<unsigned>(major * 10 + minor)});
  }
  if (result.machine.devices.empty()) return failed(no_gpu);
  return result;
}

}  // namespace ptxscope::driver
