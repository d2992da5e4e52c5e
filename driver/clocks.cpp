#include "driver/clocks.h"

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

namespace ptxscope::driver {

namespace {

// nvml.h: clock types, and the reasons why clocks are below what they could be.
constexpr unsigned sm_clock = 1;
constexpr unsigned memory_clock = 2;
struct Reason {
  unsigned long long bit;
  const char* words;
};
constexpr Reason reasons[] = {
    {0x2, "a set application clock"},
    {0x4, "the power cap"},
    {0x8, "a hardware slowdown"},
    {0x10, "a sync boost group"},
    {0x20, "heat"},
    {0x40, "heat (hardware)"},
    {0x80, "the power brake"},
    {0x100, "a display's clock"},
};

void* open_nvml() {
#ifdef _WIN32
  return reinterpret_cast<void*>(::LoadLibraryA("nvml.dll"));
#else
  for (const char* name : {"libnvidia-ml.so.1", "/usr/lib/wsl/lib/libnvidia-ml.so.1"})
    if (void* library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  return nullptr;
#endif
}

template <typename Function>
void find(void* library, const char* name, Function*& function) {
#ifdef _WIN32
  if (function == nullptr)
    function = reinterpret_cast<Function*>(::GetProcAddress(static_cast<HMODULE>(library), name));
#else
  if (function == nullptr) function = reinterpret_cast<Function*>(::dlsym(library, name));
#endif
}

}  // namespace

// Never closed again, as little as the driver's library is.
struct Clocks::Library {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*by_bus_id)(const char* bus_id, void** device) = nullptr;
  int (*clock)(void* device, unsigned type, unsigned* mhz) = nullptr;
  int (*slowed_by)(void* device, unsigned long long* bits) = nullptr;
  void* device = nullptr;
};

Clocks::Clocks(const std::string& bus_id) {
  void* library = open_nvml();
  if (library == nullptr) return;
  auto found = std::make_unique<Library>();
  find(library, "nvmlInit_v2", found->init);
  find(library, "nvmlShutdown", found->shutdown);
  find(library, "nvmlDeviceGetHandleByPciBusId_v2", found->by_bus_id);
  find(library, "nvmlDeviceGetClockInfo", found->clock);
  find(library, "nvmlDeviceGetCurrentClocksEventReasons", found->slowed_by);
  find(library, "nvmlDeviceGetCurrentClocksThrottleReasons", found->slowed_by);  // its name until 2023
  if (found->init == nullptr || found->shutdown == nullptr || found->by_bus_id == nullptr || found->clock == nullptr ||
      found->init() != 0)
    return;
  if (found->by_bus_id(bus_id.c_str(), &found->device) != 0) {
    found->shutdown();
    return;
  }
  library_ = std::move(found);
}

Clocks::~Clocks() {
  if (library_ != nullptr) library_->shutdown();
}

std::optional<analysis::BenchClocks> Clocks::read() const {
  if (library_ == nullptr) return std::nullopt;
  unsigned sm = 0;
  unsigned memory = 0;
  if (library_->clock(library_->device, sm_clock, &sm) != 0 ||
      library_->clock(library_->device, memory_clock, &memory) != 0)
    return std::nullopt;
  analysis::BenchClocks clocks{sm, memory, {}};
  unsigned long long bits = 0;
  if (library_->slowed_by != nullptr && library_->slowed_by(library_->device, &bits) == 0)
    for (const Reason& reason : reasons)
      if ((bits & reason.bit) != 0) clocks.slowed_by.emplace_back(reason.words);
  return clocks;
}

}  // namespace ptxscope::driver
