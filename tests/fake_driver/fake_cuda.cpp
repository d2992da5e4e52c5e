// A libcuda.so.1 without a GPU, for tests of what stands in front of the driver. It keeps modules, memory and contexts as
// plain objects, runs the kernel of samples/vecadd on the CPU, and when that one would trap, it writes the record as the
// instrumented kernel would and gives error 719 from then on. What it is asked is noted in $FAKE_CUDA_LOG.
//
// Environment: FAKE_CUDA_REFUSE=ours|all|late (loads of instrumented texts, of all
// texts, fail with 218; a library of instrumented text does so at its first use); FAKE_CUDA_NO_REGISTER=1
// (host memory cannot be pinned); FAKE_CUDA_CAPABILITY=90; FAKE_CUDA_VALUES=512,512 (the values recorded, by slot);
// FAKE_CUDA_TIGHT=1 (instrumented kernels take half of the threads); FAKE_CUDA_DEVICES=2.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/record.h"

#define API extern "C" __attribute__((visibility("default")))

namespace {

namespace record = ptxscope::analysis::record;
using Handle = void*;
using DevicePointer = unsigned long long;

constexpr int trapped_status = 719;

struct Module;
struct Function {
  Module* module = nullptr;
  std::string name;
};
struct Module {
  std::string text;
  std::map<std::string, std::uint64_t> globals;  // all .u64
  std::map<std::string, std::unique_ptr<Function>> functions;
};
struct Context {
  int device = 0;
  bool is_broken = false;
};
constexpr int most_devices = 4;

std::mutex everything;
Context primaries[most_devices] = {{0}, {1}, {2}, {3}};
std::atomic<bool> is_initialised{false};
thread_local Context* current = nullptr;
thread_local std::vector<Context*> below;  // the stack that the current one is on top of
std::set<Module*> modules;
struct Link {
  std::vector<std::string> texts;
  std::string cubin;
};

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

int device_count() {
  const std::string text = setting("FAKE_CUDA_DEVICES");
  return text.empty() ? 1 : std::min(std::atoi(text.c_str()), most_devices);
}

void log_call(const std::string& line) {
  const std::string path = setting("FAKE_CUDA_LOG");
  if (path.empty()) return;
  std::FILE* file = std::fopen(path.c_str(), "a");
  if (file == nullptr) return;
  std::fprintf(file, "%d %s\n", static_cast<int>(getpid()), line.c_str());
  std::fclose(file);
}

int status_now() {
  if (!is_initialised) return 3;
  if (current == nullptr) return 201;
  return current->is_broken ? trapped_status : 0;
}

#define CHECK()                   \
  do {                            \
    const int now = status_now(); \
    if (now != 0) return now;     \
  } while (false)

// Kernels and .u64 variables, found by their words.
std::unique_ptr<Module> read_module(const std::string& text) {
  auto made = std::make_unique<Module>();
  made->text = text;
  for (std::size_t at = 0; (at = text.find(".entry ", at)) != std::string::npos; ++at) {
    std::size_t begin = at + 7;
    while (begin < text.size() && text[begin] == ' ') ++begin;
    const std::string name = text.substr(begin, text.find_first_of(" (\n\t", begin) - begin);
    made->functions[name] = std::make_unique<Function>(Function{made.get(), name});
  }
  for (std::size_t at = 0; (at = text.find(".u64 __ptxscope_record_", at)) != std::string::npos; ++at) {
    const std::size_t begin = at + 5;
    made->globals[text.substr(begin, text.find_first_of(" ;=\n", begin) - begin)] = 0;
  }
  return made;
}

bool is_instrumented(const std::string& text) { return text.find("__ptxscope_record_") != std::string::npos; }

// Texts that are linked look like this; nothing else here looks like an ELF file.
constexpr char elf_start[16] = {0x7f, 'E', 'L', 'F', 2, 1, 1};

std::string text_of_image(const void* image) {
  const char* bytes = static_cast<const char*>(image);
  constexpr std::uint32_t wrapper_magic = 0x466243b1;  // in front of a fat binary
  constexpr std::uint32_t fat_magic = 0xba55ed50;
  if (std::memcmp(bytes, &wrapper_magic, 4) == 0) std::memcpy(&bytes, bytes + 8, sizeof bytes);
  if (std::memcmp(bytes, &fat_magic, 4) == 0) {  // of one entry, not compressed
    std::uint32_t header = 0;
    std::memcpy(&header, bytes + 16 + 4, sizeof header);
    return bytes + 16 + header;
  }
  if (std::memcmp(bytes, elf_start, 4) != 0) return bytes;
  std::uint64_t size = 0;
  std::memcpy(&size, bytes + 0x28, 8);
  return {bytes + 64, size - 64};
}

void write_log(unsigned count, const int* options, void** values, const char* words) {
  char* buffer = nullptr;
  std::size_t room = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == 5) buffer = static_cast<char*>(values[i]);
    if (options[i] == 6) room = reinterpret_cast<std::size_t>(values[i]);
  }
  if (buffer == nullptr || room == 0) return;
  std::snprintf(buffer, room, "%s", words);
}

int load_image(Handle* module, const void* image, unsigned count, const int* options, void** values, const char* call) {
  CHECK();
  const std::lock_guard lock(everything);
  const std::string text = text_of_image(image);
  const bool is_ours = is_instrumented(text);
  const bool is_text = text.find(".version") != std::string::npos;
  std::string line = std::string(call) + (is_ours ? " instrumented" : is_text ? " original" : " other");
  for (unsigned i = 0; i < count; ++i)
    if (options[i] == 0 || options[i] == 7)
      line += " option " + std::to_string(options[i]) + "=" + std::to_string(reinterpret_cast<std::size_t>(values[i]));
  log_call(line);
  const std::string refuse = setting("FAKE_CUDA_REFUSE");
  if (is_text && ((refuse == "ours" && is_ours) || refuse == "all")) {
    write_log(count, options, values, is_ours ? "fake: refuses the instrumented text" : "fake: refuses the text");
    return 218;
  }
  auto made = read_module(text);
  *module = made.get();
  modules.insert(made.release());
  return 0;
}

int load(Handle* module, const void* image, unsigned count, const int* options, void** values, const char* call) {
  try {
    return load_image(module, image, count, options, values, call);
  } catch (const std::bad_alloc&) {
    return 2;  // CUDA_ERROR_OUT_OF_MEMORY
  }
}

// What the instrumented kernel writes before it traps.
void write_record(const Module& module, const unsigned* grid, const unsigned* block, std::uint64_t index,
                  std::span<const std::uint64_t> parameters) {
  for (const auto& [name, address] : module.globals) {
    if (address == 0) continue;
    auto* bytes = reinterpret_cast<unsigned char*>(address);
    const auto put = [&](std::uint32_t at, std::uint32_t value) { std::memcpy(bytes + at, &value, sizeof value); };
    const std::string hash = name.substr(name.rfind('_') + 1);
    put(record::state_at, record::state_started);
    put(record::version_at, record::version);
    put(record::site_at, 1);
    put(record::module_at, static_cast<std::uint32_t>(std::strtoull(hash.c_str(), nullptr, 16)));
    put(record::ctaid_at, static_cast<std::uint32_t>(index / block[0]));
    put(record::tid_at, static_cast<std::uint32_t>(index % block[0]));
    for (std::uint32_t i = 0; i < 3; ++i) put(record::nctaid_at + 4 * i, grid[i]);
    for (std::uint32_t i = 0; i < 3; ++i) put(record::ntid_at + 4 * i, block[i]);
    std::istringstream values(setting("FAKE_CUDA_VALUES"));
    std::uint32_t valid = 0;
    std::uint32_t slot = 0;
    for (std::string value; std::getline(values, value, ','); ++slot) {
      const std::uint64_t bits = std::strtoull(value.c_str(), nullptr, 0);
      std::memcpy(bytes + record::values_at + 8 * slot, &bits, sizeof bits);
      valid |= 1U << slot;
    }
    put(record::valid_at, valid);
    put(record::parameter_bytes_at, static_cast<std::uint32_t>(8 * parameters.size()));
    std::memcpy(bytes + record::parameters_at, parameters.data(), 8 * parameters.size());
    put(record::state_at, record::state_whole);
  }
}

int launch(Handle function, const unsigned* grid, const unsigned* block, void** parameters, void** extra,
           const char* call) {
  CHECK();
  const std::lock_guard lock(everything);
  const auto& kernel = *static_cast<Function*>(function);
  if (!setting("FAKE_CUDA_LOG").empty()) log_call(std::string(call) + " " + kernel.name);
  if (block[0] > 1024) return 1;
  if (kernel.name != "vecadd") return 0;
  std::array<std::uint64_t, 6> values{};
  if (parameters != nullptr) {
    for (std::size_t i = 0; i < 6; ++i) std::memcpy(&values[i], parameters[i], 8);
  } else {
    std::memcpy(values.data(), extra[1], 48);  // the buffer comes first
  }
  const auto* a = reinterpret_cast<const float*>(values[0]);
  const auto* b = reinterpret_cast<const float*>(values[2]);
  auto* c = reinterpret_cast<float*>(values[4]);
  const std::uint64_t threads = std::uint64_t{grid[0]} * block[0];
  for (std::uint64_t i = 0; i < threads; ++i) {
    if (i >= values[5]) continue;
    if (i >= values[1] || i >= values[3]) {
      write_record(*kernel.module, grid, block, i, values);
      current->is_broken = true;  // as a trap: the launch itself is fine
      return 0;
    }
    c[i] = a[i] + b[i];
  }
  return 0;
}

}  // namespace

API int cuInit(unsigned) {
  is_initialised = true;
  return 0;
}
API int cuDriverGetVersion(int* version) {
  *version = 13000;
  return 0;
}
API int cuDeviceGetCount(int* count) {
  if (!is_initialised) return 3;
  *count = device_count();
  return 0;
}
API int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return ordinal < device_count() ? 0 : 101;
}
API int cuDeviceGetName(char* name, int size, int device) {
  std::snprintf(name, static_cast<std::size_t>(size), device == 0 ? "Fake GPU" : "Fake GPU, number %d", device);
  return 0;
}
API int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  *bytes = std::size_t{1} << 30U;
  return 0;
}
API int cuDeviceGetAttribute(int* value, int attribute, int) {
  const std::string text = setting("FAKE_CUDA_CAPABILITY");
  const int capability = text.empty() ? 90 : std::atoi(text.c_str());
  *value = attribute == 75 ? capability / 10 : attribute == 76 ? capability % 10 : attribute == 10 ? 32 : 1024;
  return 0;
}
API int cuDevicePrimaryCtxRetain(Handle* context, int device) {
  if (device < 0 || device >= device_count()) return 101;
  *context = &primaries[device];
  return 0;
}
API int cuDevicePrimaryCtxRelease_v2(int) { return 0; }
API int cuDevicePrimaryCtxReset_v2(int device) {
  primaries[device % most_devices].is_broken = false;
  return 0;
}
API int cuCtxCreate_v2(Handle* context, unsigned, int device) {
  current = new Context{device};
  *context = current;
  return 0;
}
API int cuCtxDestroy_v2(Handle context) {
  if (current == context) current = nullptr;
  delete static_cast<Context*>(context);
  return 0;
}
API int cuCtxSetCurrent(Handle context) {
  current = static_cast<Context*>(context);
  return 0;
}
API int cuCtxGetCurrent(Handle* context) {
  *context = current;
  return 0;
}
API int cuCtxPushCurrent_v2(Handle context) {
  below.push_back(current);
  return cuCtxSetCurrent(context);
}
API int cuCtxPopCurrent_v2(Handle* context) {
  *context = current;
  current = below.empty() ? nullptr : below.back();
  if (!below.empty()) below.pop_back();
  return 0;
}
API int cuCtxGetDevice(int* device) {
  if (current == nullptr) return 201;
  *device = current->device;
  return 0;
}
API int cuCtxSynchronize() { return status_now(); }
API int cuStreamSynchronize(Handle) { return status_now(); }
API int cuStreamQuery(Handle) { return status_now(); }
API int cuStreamCreate(Handle* stream, unsigned) {
  *stream = new char;
  return status_now();
}
API int cuStreamDestroy_v2(Handle stream) {
  delete static_cast<char*>(stream);
  return status_now();
}
API int cuThreadExchangeStreamCaptureMode(int* mode) {
  static thread_local int now = 0;
  std::swap(now, *mode);
  return 0;
}

API int cuModuleLoadDataEx(Handle* module, const void* image, unsigned count, int* options, void** values) {
  return load(module, image, count, options, values, "cuModuleLoadDataEx");
}
API int cuModuleLoadData(Handle* module, const void* image) {
  return load(module, image, 0, nullptr, nullptr, "cuModuleLoadData");
}
API int cuModuleLoad(Handle* module, const char* path) {
  std::string text;
  std::FILE* file = std::fopen(path, "rb");
  if (file == nullptr) return 301;
  for (int c = 0; (c = std::fgetc(file)) != EOF;) text += static_cast<char>(c);
  std::fclose(file);
  return load(module, text.c_str(), 0, nullptr, nullptr, "cuModuleLoad");
}
API int cuModuleUnload(Handle module) {
  CHECK();
  const std::lock_guard lock(everything);
  modules.erase(static_cast<Module*>(module));
  delete static_cast<Module*>(module);
  log_call("cuModuleUnload");
  return 0;
}
API int cuModuleGetFunction(Handle* function, Handle module, const char* name) {
  CHECK();
  const std::lock_guard lock(everything);
  const auto& functions = static_cast<Module*>(module)->functions;
  const auto found = functions.find(name);
  if (found == functions.end()) return 500;
  *function = found->second.get();
  return 0;
}
API int cuFuncGetAttribute(int* value, int, Handle function) {
  const bool is_ours = is_instrumented(static_cast<Function*>(function)->module->text);
  *value = is_ours && !setting("FAKE_CUDA_TIGHT").empty() ? 512 : 1024;
  return 0;
}
API int cuModuleGetGlobal_v2(DevicePointer* address, std::size_t* bytes, Handle module, const char* name) {
  CHECK();
  const std::lock_guard lock(everything);
  auto& globals = static_cast<Module*>(module)->globals;
  const auto found = globals.find(name);
  if (found == globals.end()) return 500;
  *address = reinterpret_cast<DevicePointer>(&found->second);
  *bytes = 8;
  return 0;
}

API int cuLibraryLoadData(Handle* library, const void* image, int* options, void** values, unsigned count, int*, void**,
                          unsigned) {
  Context* before = current;
  current = &primaries[0];  // no context is needed
  const int status = load(library, image, count, options, values, "cuLibraryLoadData");
  current = before;
  return status;
}
API int cuLibraryUnload(Handle library) { return cuModuleUnload(library); }
static int first_use(Handle library) {
  return setting("FAKE_CUDA_REFUSE") == "late" && is_instrumented(static_cast<Module*>(library)->text) ? 218 : 0;
}
API int cuLibraryGetKernel(Handle* kernel, Handle library, const char* name) {
  if (const int status = first_use(library); status != 0) return status;
  return cuModuleGetFunction(kernel, library, name);
}
API int cuLibraryGetModule(Handle* module, Handle library) {
  CHECK();
  if (const int status = first_use(library); status != 0) return status;
  *module = library;
  return 0;
}
API int cuLibraryGetGlobal(DevicePointer* address, std::size_t* bytes, Handle library, const char* name) {
  return cuModuleGetGlobal_v2(address, bytes, library, name);
}
API int cuKernelGetFunction(Handle* function, Handle kernel) {
  *function = kernel;
  return 0;
}

API int cuLinkCreate_v2(unsigned, int*, void**, Handle* link) {
  *link = new Link;
  return 0;
}
API int cuLinkAddData_v2(Handle link, int, void* data, std::size_t bytes, const char*, unsigned, int*, void**) {
  const std::string text(static_cast<const char*>(data), strnlen(static_cast<const char*>(data), bytes));
  log_call(std::string("cuLinkAddData") + (is_instrumented(text) ? " instrumented" : " original"));
  static_cast<Link*>(link)->texts.push_back(text);
  return 0;
}
API int cuLinkAddFile_v2(Handle, int, const char*, unsigned, int*, void**) { return 801; }
API int cuLinkComplete(Handle link, void** cubin, std::size_t* bytes) {
  auto& all = *static_cast<Link*>(link);
  std::string body;
  for (const std::string& text : all.texts) body += text;
  log_call("cuLinkComplete");
  if (setting("FAKE_CUDA_REFUSE") == "link" && is_instrumented(body)) return 218;
  all.cubin.assign(elf_start, 16);
  all.cubin.resize(64);
  const std::uint64_t end = 64 + body.size();
  std::memcpy(all.cubin.data() + 0x28, &end, 8);
  all.cubin += body;
  *cubin = all.cubin.data();
  *bytes = all.cubin.size();
  return 0;
}
API int cuLinkDestroy(Handle link) {
  delete static_cast<Link*>(link);
  return 0;
}

API int cuMemAlloc_v2(DevicePointer* to, std::size_t bytes) {
  CHECK();
  *to = reinterpret_cast<DevicePointer>(std::calloc(1, bytes));
  return 0;
}
API int cuMemFree_v2(DevicePointer pointer) {
  CHECK();
  std::free(reinterpret_cast<void*>(pointer));
  return 0;
}
API int cuMemcpyHtoD_v2(DevicePointer to, const void* from, std::size_t bytes) {
  CHECK();
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return 0;
}
API int cuMemcpyDtoH_v2(void* to, DevicePointer from, std::size_t bytes) {
  CHECK();
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return 0;
}
API int cuMemcpyHtoDAsync_v2(DevicePointer to, const void* from, std::size_t bytes, Handle) {
  return cuMemcpyHtoD_v2(to, from, bytes);
}
API int cuMemHostRegister_v2(void*, std::size_t, unsigned) {
  CHECK();
  return setting("FAKE_CUDA_NO_REGISTER").empty() ? 0 : 801;
}
API int cuMemHostUnregister(void*) { return status_now(); }
API int cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
  CHECK();
  *memory = std::calloc(1, bytes);
  return 0;
}
API int cuMemFreeHost(void* memory) {
  std::free(memory);
  return 0;
}
API int cuMemHostGetDevicePointer_v2(DevicePointer* address, void* memory, unsigned) {
  *address = reinterpret_cast<DevicePointer>(memory);
  return 0;
}

API int cuLaunchKernel(Handle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                       unsigned, Handle, void** parameters, void** extra) {
  const unsigned grid[3] = {gx, gy, gz};
  const unsigned block[3] = {bx, by, bz};
  return launch(function, grid, block, parameters, extra, "cuLaunchKernel");
}
API int cuLaunchKernel_ptsz(Handle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                            unsigned bz, unsigned, Handle, void** parameters, void** extra) {
  const unsigned grid[3] = {gx, gy, gz};
  const unsigned block[3] = {bx, by, bz};
  return launch(function, grid, block, parameters, extra, "cuLaunchKernel_ptsz");
}
API int cuLaunchKernelEx(const unsigned* config, Handle function, void** parameters, void** extra) {
  return launch(function, config, config + 3, parameters, extra, "cuLaunchKernelEx");
}

API int cuGetErrorName(int status, const char** name) {
  *name = status == 0 ? "CUDA_SUCCESS" : status == trapped_status ? "CUDA_ERROR_LAUNCH_FAILED" : "CUDA_ERROR_OTHER";
  return 0;
}
API int cuGetErrorString(int status, const char** text) {
  *text = status == 0 ? "no error" : "a fake error";
  return 0;
}

API int cuGetProcAddress_v2(const char* symbol, void** function, int, std::uint64_t flags, int* status);

namespace {

struct Symbol {
  const char* name;
  void* function;
};
#define ROW(name, symbol) \
  { name, reinterpret_cast<void*>(symbol) }
const Symbol symbols[] = {
    ROW("cuInit", cuInit),
    ROW("cuDeviceGet", cuDeviceGet),
    ROW("cuDevicePrimaryCtxRetain", cuDevicePrimaryCtxRetain),
    ROW("cuCtxCreate", cuCtxCreate_v2),
    ROW("cuCtxDestroy", cuCtxDestroy_v2),
    ROW("cuCtxSetCurrent", cuCtxSetCurrent),
    ROW("cuCtxSynchronize", cuCtxSynchronize),
    ROW("cuModuleLoadData", cuModuleLoadData),
    ROW("cuModuleLoadDataEx", cuModuleLoadDataEx),
    ROW("cuModuleLoad", cuModuleLoad),
    ROW("cuModuleUnload", cuModuleUnload),
    ROW("cuModuleGetFunction", cuModuleGetFunction),
    ROW("cuLibraryLoadData", cuLibraryLoadData),
    ROW("cuLibraryGetKernel", cuLibraryGetKernel),
    ROW("cuLinkCreate", cuLinkCreate_v2),
    ROW("cuLinkAddData", cuLinkAddData_v2),
    ROW("cuLinkComplete", cuLinkComplete),
    ROW("cuLinkDestroy", cuLinkDestroy),
    ROW("cuMemAlloc", cuMemAlloc_v2),
    ROW("cuMemFree", cuMemFree_v2),
    ROW("cuMemcpyHtoD", cuMemcpyHtoD_v2),
    ROW("cuMemcpyDtoH", cuMemcpyDtoH_v2),
    ROW("cuLaunchKernelEx", cuLaunchKernelEx),
    ROW("cuGetProcAddress", cuGetProcAddress_v2),
};

}  // namespace

API int cuGetProcAddress_v2(const char* symbol, void** function, int, std::uint64_t flags, int* status) {
  *function = nullptr;
  // Another address than the symbol's, as newer drivers have it: what is given is known by its name only.
  if (std::strcmp(symbol, "cuLaunchKernel") == 0) {
    static const auto own = [](Handle f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                               unsigned s, Handle stream, void** p,
                               void** e) { return cuLaunchKernel(f, gx, gy, gz, bx, by, bz, s, stream, p, e); };
    *function = flags == 2 ? reinterpret_cast<void*>(cuLaunchKernel_ptsz) : reinterpret_cast<void*>(+own);
  }
  for (const Symbol& one : symbols)
    if (std::strcmp(one.name, symbol) == 0) *function = one.function;
  if (status != nullptr) *status = *function == nullptr ? 1 : 0;
  return *function == nullptr ? 500 : 0;
}
