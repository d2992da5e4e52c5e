// NVRTC: programs that ask it for machine code load no PTX, though it has made some on the way. It is asked for that, too,
// and kept beside the code. A program that has NVRTC linked in statically does not come by here.
#include "driver/preload/nvrtc.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <cstring>
#include <string>

#include "driver/preload/client.h"
#include "driver/preload/driver_table.h"
#include "driver/preload/hooks.h"
#include "driver/preload/known_code.h"

namespace ptxscope::preload {

namespace {

using Program = void*;
using GetCode = int (*)(Program, char*);
using GetSize = int (*)(Program, std::size_t*);

constexpr const char* hooked = "nvrtcGetCUBIN";
constexpr int done = 0;             // NVRTC_SUCCESS
constexpr int internal_error = 11;  // NVRTC_ERROR_INTERNAL_ERROR
constexpr std::size_t libraries = 4;

std::array<std::atomic<void*>, libraries> real_functions{};

// A library that is loaded already. It is given back at once: whoever called into it keeps it.
void* symbol_in(const char* file, const char* name) {
  void* library = file == nullptr || file[0] == '\0' ? nullptr : dlopen(file, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  void* found = real_symbol(library, name);
  dlclose(library);
  return found;
}

const char* file_of(const void* address) {
  Dl_info info{};
  return dladdr(address, &info) == 0 ? nullptr : info.dli_fname;
}

int note_library(dl_phdr_info* info, std::size_t, void* first) {
  const char* path = info->dlpi_name == nullptr ? "" : info->dlpi_name;
  const char* slash = std::strrchr(path, '/');
  const char* name = slash == nullptr ? path : slash + 1;
  if (std::strncmp(name, "libnvrtc.", 9) != 0 || std::strlen(path) >= PATH_MAX) return 0;
  std::strcpy(static_cast<char*>(first), path);
  return 1;
}

// What the caller means by the name: of the libraries that it was linked with, then of all, then of any NVRTC there is.
GetCode function_for(const void* caller) {
  const auto is_real = [](void* one) { return one != nullptr && one != reinterpret_cast<void*>(nvrtcGetCUBIN); };
  void* found = symbol_in(file_of(caller), hooked);
  if (!is_real(found)) found = real_symbol(RTLD_NEXT, hooked);
  if (!is_real(found)) {
    char path[PATH_MAX] = "";
    dl_iterate_phdr(note_library, path);
    found = symbol_in(path, hooked);
  }
  return is_real(found) ? reinterpret_cast<GetCode>(found) : nullptr;
}

void keep_ptx(GetCode get_code, Program program, const char* code) {
  const char* file = file_of(reinterpret_cast<void*>(get_code));
  const auto code_size = reinterpret_cast<GetSize>(symbol_in(file, "nvrtcGetCUBINSize"));
  const auto ptx_size = reinterpret_cast<GetSize>(symbol_in(file, "nvrtcGetPTXSize"));
  const auto get_ptx = reinterpret_cast<GetCode>(symbol_in(file, "nvrtcGetPTX"));
  std::size_t code_bytes = 0;
  std::size_t ptx_bytes = 0;
  constexpr std::size_t header = 64;  // of an ELF file
  if (code_size == nullptr || ptx_size == nullptr || get_ptx == nullptr || code_size(program, &code_bytes) != done ||
      code_bytes < header || code_bytes > run::max_image || ptx_size(program, &ptx_bytes) != done || ptx_bytes < 2 ||
      ptx_bytes > run::max_image)
    return;
  KnownCode known;
  known.code.assign(code, code_bytes);
  const ImageView view = look_at_image(known.code.data());
  if (view.form != run::ImageForm::elf || view.bytes < header || view.bytes > code_bytes) return;
  known.code.resize(view.bytes);
  known.ptx.resize(ptx_bytes);
  if (get_ptx(program, known.ptx.data()) != done) return;
  known.ptx.resize(strnlen(known.ptx.data(), ptx_bytes));
  if (!known.ptx.empty()) keep_code(std::move(known));
}

int get_cubin(GetCode real, Program program, char* code) {
  if (real == nullptr) return internal_error;
  const int status = real(program, code);
  if (status != done || code == nullptr || !is_active() || is_observing()) return status;
  const KeptErrno kept;
  aside([&] { keep_ptx(real, program, code); });
  return status;
}

template <int Library>
int get_cubin_at(Program program, char* code) {
  return get_cubin(reinterpret_cast<GetCode>(real_functions[Library].load(std::memory_order_acquire)), program, code);
}
constexpr std::array<GetCode, libraries> wrappers{get_cubin_at<0>, get_cubin_at<1>, get_cubin_at<2>, get_cubin_at<3>};

}  // namespace

int nvrtc_get_cubin(const void* caller, void* program, char* code) {
  return get_cubin(function_for(caller), program, code);
}

bool is_nvrtc_hook(const char* name) { return std::strcmp(name, hooked) == 0; }

void* nvrtc_wrapper_of(void* function) {
  // Found because we are loaded, not because NVRTC is.
  if (function == reinterpret_cast<void*>(nvrtcGetCUBIN)) return function_for(nullptr) == nullptr ? nullptr : function;
  for (std::size_t i = 0; i < libraries; ++i) {
    void* none = nullptr;
    if (reinterpret_cast<void*>(wrappers[i]) == function) return function;
    if (real_functions[i].load() == function || real_functions[i].compare_exchange_strong(none, function) ||
        none == function)
      return reinterpret_cast<void*>(wrappers[i]);
  }
  return function;
}

}  // namespace ptxscope::preload

extern "C" int nvrtcGetCUBIN(void* program, char* code) {
  return ptxscope::preload::nvrtc_get_cubin(__builtin_return_address(0), program, code);
}
