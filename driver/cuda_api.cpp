#include "driver/cuda_api.h"

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#include <unistd.h>
#endif

#include <cstdlib>
#include <vector>

namespace ptxscope::driver {

namespace {

#ifdef _WIN32
constexpr const char* library_name = "nvcuda.dll";
const std::vector<std::string>& usual_places() {
  static const std::vector<std::string> places{"nvcuda.dll"};
  return places;
}
void* open_library(const std::string& path) { return reinterpret_cast<void*>(::LoadLibraryA(path.c_str())); }
std::string why_not() { return "error " + std::to_string(::GetLastError()) + " of LoadLibrary"; }
void* find_entry(void* library, const char* name) {
  return reinterpret_cast<void*>(::GetProcAddress(static_cast<HMODULE>(library), name));
}
std::string path_of(void* library, const std::string& asked) {
  char path[MAX_PATH + 1] = {};
  return ::GetModuleFileNameA(static_cast<HMODULE>(library), path, MAX_PATH) != 0 ? path : asked;
}
bool exists(const std::string& path) { return ::GetFileAttributesA(path.c_str()) != INVALID_FILE_ATTRIBUTES; }
#else
constexpr const char* library_name = "libcuda.so.1";
const std::vector<std::string>& usual_places() {
  // The second one is where Windows puts it for WSL 2, which is not always searched.
  static const std::vector<std::string> places{"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"};
  return places;
}
void* open_library(const std::string& path) { return ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL); }
std::string why_not() {
  const char* words = ::dlerror();
  return words != nullptr ? words : "no reason given";
}
void* find_entry(void* library, const char* name) { return ::dlsym(library, name); }
std::string path_of(void* library, const std::string& asked) {
  void* entry = find_entry(library, "cuInit");
  Dl_info info{};
  if (entry == nullptr || ::dladdr(entry, &info) == 0 || info.dli_fname == nullptr) return asked;
  return info.dli_fname;
}
bool exists(const std::string& path) {
  return path.find('/') != std::string::npos && ::access(path.c_str(), F_OK) == 0;
}
#endif

// The first required entry point that the library lacks; "" when it has all.
std::string find_entries(void* library, Cuda& cuda) {
  std::string missing;
#define REQUIRED(member, name, parameters)                                          \
  cuda.member = reinterpret_cast<decltype(cuda.member)>(find_entry(library, name)); \
  if (cuda.member == nullptr && missing.empty()) missing = name;
#define OPTIONAL(member, name, parameters) \
  cuda.member = reinterpret_cast<decltype(cuda.member)>(find_entry(library, name));
#include "driver/cuda_entries.def"
#undef REQUIRED
#undef OPTIONAL
  return missing;
}

CudaResult failed(OpenFailure failure, std::string sentence) { return {nullptr, failure, std::move(sentence)}; }

// The first of several places that can be opened.
CudaResult open_one_of(const std::vector<std::string>& places) {
  void* library = nullptr;
  std::string place;
  std::string broken;  // why one that is there could not be loaded
  for (const std::string& one : places) {
    place = one;
    library = open_library(one);
    if (library != nullptr) break;
    const std::string reason = why_not();
    if (broken.empty() && exists(one)) broken = reason;
  }
  if (library == nullptr && !broken.empty())
    return failed(OpenFailure::not_loaded,
                  "the NVIDIA driver's library is there, but cannot be loaded: " + broken + " (see ptxscope doctor)");
  if (library == nullptr && place.find('/') != std::string::npos && places.size() == 1)
    return failed(OpenFailure::not_found, "no NVIDIA driver's library is at " + place);
  if (library == nullptr)
    return failed(OpenFailure::not_found,
                  std::string("no NVIDIA driver was found (") + library_name + "); ptxscope doctor says what to do");
  auto cuda = std::make_shared<Cuda>();
  cuda->path = path_of(library, place);
  const std::string missing = find_entries(library, *cuda);
  if (!missing.empty())
    return failed(OpenFailure::not_drivers,
                  cuda->path + " is not an NVIDIA driver's library, or a very old one's: it has no " + missing);
  return {std::move(cuda), OpenFailure::none, {}};
}

}  // namespace

std::string Cuda::name_of(Status status) const {
  const std::string number = std::to_string(static_cast<int>(status));
  const char* name = nullptr;
  if (get_error_name == nullptr || get_error_name(status, &name) != Status::success || name == nullptr)
    return "error " + number;
  return std::string(name) + " (" + number + ")";
}

std::string Cuda::words_of(Status status) const {
  const char* text = nullptr;
  if (get_error_string == nullptr || get_error_string(status, &text) != Status::success || text == nullptr) return {};
  return text;
}

CudaResult open_cuda() {
  const char* named = std::getenv("PTXSCOPE_LIBCUDA");
  if (named != nullptr && *named != '\0') return open_cuda(named);
  return open_one_of(usual_places());
}

CudaResult open_cuda(const std::string& path) { return open_one_of({path}); }

}  // namespace ptxscope::driver
