// A libcuda.so.1 without a GPU, for tests of what bench does with one. Memory is this process's; a launch does what the
// kernel's name says, at once; events tell the time of a clock that launches put forward.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <set>
#include <string>

#include "driver/cuda_api.h"

using namespace ptxscope::driver;

// Definitions have the signatures of the table.
extern "C" {
#define REQUIRED(member, name, parameters) Status fake_##member parameters __asm__(name);
#define OPTIONAL(member, name, parameters) Status fake_##member parameters __asm__(name);
#include "driver/cuda_entries.def"
#undef REQUIRED
#undef OPTIONAL
}

namespace {

double now_us = 0;
bool is_stuck = false;
Status sticky = Status::success;  // a kernel failed: all that follows does
std::mt19937_64 noise(7);

template <typename Pointer, typename Handle>
Pointer as(Handle handle) {
  return reinterpret_cast<Pointer>(handle);
}

// Cost in microseconds of a launch, and what it does.
void run(const std::string& name, void** parameters) {
  if (name == "hold") return;
  now_us += 2;
  if (name == "empty") return;
  const auto from = *static_cast<float**>(parameters[0]);
  const auto to = *static_cast<float**>(parameters[1]);
  const auto n = *static_cast<std::uint64_t*>(parameters[2]);
  double cost = 0.01 * static_cast<double>(n) * (1 + 0.001 * std::normal_distribution<double>()(noise));
  if (name == "copy_slow") cost *= 1.04;
  if (name == "copy_fast") cost *= 0.9;
  if (name == "copy_noisy") cost *= 1 + 0.2 * std::uniform_real_distribution<double>()(noise);
  now_us += cost;
  if (name == "copy_stuck" && n > 2000) is_stuck = true;
  if (name == "copy_trap" && n > 2000) {
    sticky = Status::launch_failed;
    return;
  }
  if (name == "sum") {
    for (std::uint64_t i = 0; i < n; ++i) to[i] += from[i];
    return;
  }
  std::memcpy(to, from, n * sizeof(float));
  if (name == "copy_wrong" && n > 3) to[3] += 0.5F;
  if (name == "copy_beyond") to[n] = 1;  // 00 00 80 3f
  if (name == "copy_back" && n > 0) from[0] = 0;
}

}  // namespace

Status fake_init(unsigned) { return Status::success; }
Status fake_driver_get_version(int* version) {
  *version = 13000;
  return Status::success;
}
Status fake_get_error_name(Status status, const char** name) {
  *name = status == Status::launch_failed ? "CUDA_ERROR_LAUNCH_FAILED" : "CUDA_ERROR_INVALID_PTX";
  return Status::success;
}
Status fake_get_error_string(Status status, const char** text) {
  *text = status == Status::launch_failed ? "unspecified launch failure" : "a PTX JIT compilation failed";
  return Status::success;
}
Status fake_device_get_count(int* count) {
  *count = 1;
  return Status::success;
}
Status fake_device_get(DeviceHandle* device, int ordinal) {
  *device = ordinal;
  return Status::success;
}
Status fake_device_get_name(char* name, int size, DeviceHandle) {
  std::snprintf(name, static_cast<std::size_t>(size), "Fake GPU");
  return Status::success;
}
Status fake_device_get_attribute(int* value, DeviceAttribute attribute, DeviceHandle) {
  *value = attribute == DeviceAttribute::capability_major       ? 9
           : attribute == DeviceAttribute::l2_cache_size        ? 1 << 20
           : attribute == DeviceAttribute::multiprocessor_count ? 4
                                                                : 0;
  return Status::success;
}
Status fake_device_total_mem(std::size_t* bytes, DeviceHandle) {
  *bytes = std::size_t{1} << 30;
  return Status::success;
}
Status fake_device_get_pci_bus_id(char* text, int size, DeviceHandle) {
  std::snprintf(text, static_cast<std::size_t>(size), "0000:00:00.0");
  return Status::success;
}
Status fake_primary_ctx_retain(Context* context, DeviceHandle) {
  *context = as<Context>(&now_us);
  return Status::success;
}
Status fake_primary_ctx_release(DeviceHandle) { return Status::success; }
Status fake_ctx_set_current(Context) { return Status::success; }
Status fake_ctx_synchronize() { return sticky; }

Status fake_module_load_data_ex(ModuleHandle* module, const void* image, unsigned count, JitOption* options,
                                void** values) {
  const std::string text(static_cast<const char*>(image));
  if (text.find("refused_by_the_driver") != std::string::npos) {
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == JitOption::error_log_buffer) std::strcpy(static_cast<char*>(values[i]), "ptxas fatal : no\n");
    return Status::invalid_ptx;
  }
  *module = as<ModuleHandle>(new std::string(text));
  return Status::success;
}
Status fake_module_unload(ModuleHandle module) {
  delete as<std::string*>(module);
  return Status::success;
}
Status fake_module_get_function(FunctionHandle* function, ModuleHandle, const char* name) {
  static std::set<std::string> names;  // as long as the process
  *function = as<FunctionHandle>(const_cast<std::string*>(&*names.insert(name).first));
  return Status::success;
}
Status fake_func_get_attribute(int* value, FunctionAttribute, FunctionHandle) {
  *value = 12;
  return Status::success;
}
Status fake_func_set_attribute(FunctionHandle, FunctionAttribute, int) { return Status::success; }
Status fake_launch_kernel(FunctionHandle function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                          Stream, void** parameters, void**) {
  if (sticky != Status::success) return sticky;
  run(*as<std::string*>(function), parameters);
  return Status::success;
}

Status fake_mem_get_info(std::size_t* free_bytes, std::size_t* total_bytes) {
  *free_bytes = std::size_t{1} << 28;
  *total_bytes = std::size_t{1} << 30;
  return Status::success;
}
Status fake_mem_alloc(DevicePointer* address, std::size_t bytes) {
  *address = as<DevicePointer>(std::malloc(bytes));
  return Status::success;
}
Status fake_mem_free(DevicePointer address) {
  std::free(as<void*>(address));
  return Status::success;
}
Status fake_mem_host_alloc(void** address, std::size_t bytes, unsigned) {
  *address = std::malloc(bytes);
  return Status::success;
}
Status fake_mem_free_host(void* address) {
  std::free(address);
  return Status::success;
}
Status fake_memcpy_to_device(DevicePointer to, const void* from, std::size_t bytes) {
  std::memcpy(as<void*>(to), from, bytes);
  return sticky;
}
Status fake_memcpy_to_host(void* to, DevicePointer from, std::size_t bytes) {
  std::memcpy(to, as<void*>(from), bytes);
  return sticky;
}
Status fake_memcpy_on_device(DevicePointer to, DevicePointer from, std::size_t bytes) {
  std::memcpy(as<void*>(to), as<void*>(from), bytes);
  return sticky;
}
Status fake_memcpy_on_device_async(DevicePointer to, DevicePointer from, std::size_t bytes, Stream) {
  return fake_memcpy_on_device(to, from, bytes);
}
Status fake_memset_8(DevicePointer to, unsigned char value, std::size_t count) {
  std::memset(as<void*>(to), value, count);
  return sticky;
}
Status fake_memset_8_async(DevicePointer to, unsigned char value, std::size_t count, Stream) {
  return fake_memset_8(to, value, count);
}
Status fake_memset_32_async(DevicePointer to, unsigned value, std::size_t count, Stream) {
  return fake_memset_8(to, static_cast<unsigned char>(value), count * 4);
}

Status fake_event_create(Event* event, unsigned) {
  *event = as<Event>(new double(0));
  return Status::success;
}
Status fake_event_destroy(Event event) {
  delete as<double*>(event);
  return Status::success;
}
Status fake_event_record(Event event, Stream) {
  *as<double*>(event) = now_us;
  return sticky;
}
Status fake_event_query(Event) { return is_stuck ? Status::not_ready : sticky; }
Status fake_event_synchronize(Event) { return sticky; }
Status fake_event_elapsed_time(float* milliseconds, Event start, Event end) {
  *milliseconds = static_cast<float>((*as<double*>(end) - *as<double*>(start)) / 1000);
  return sticky;
}

// There for the table; bench does not call them.
Status fake_primary_ctx_release_v1(DeviceHandle) { return Status::success; }
Status fake_ctx_create(Context*, unsigned, DeviceHandle) { return Status::not_supported; }
Status fake_ctx_destroy(Context) { return Status::not_supported; }
Status fake_ctx_get_current(Context*) { return Status::not_supported; }
Status fake_module_get_global(DevicePointer*, std::size_t*, ModuleHandle, const char*) { return Status::not_supported; }
Status fake_func_load(FunctionHandle) { return Status::not_supported; }
Status fake_occupancy_max_active_blocks(int*, FunctionHandle, int, std::size_t) { return Status::not_supported; }
Status fake_stream_create(Stream*, unsigned) { return Status::not_supported; }
Status fake_stream_destroy(Stream) { return Status::not_supported; }
Status fake_stream_synchronize(Stream) { return Status::not_supported; }
