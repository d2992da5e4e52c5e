// The one function of NVRTC that the preloaded library stands before.
#pragma once

extern "C" __attribute__((visibility("default"))) int nvrtcGetCUBIN(void* program, char* code);

namespace ptxscope::preload {

/// For the exported symbol: `caller` is an address in the code that called it.
[[nodiscard]] int nvrtc_get_cubin(const void* caller, void* program, char* code);
[[nodiscard]] bool is_nvrtc_hook(const char* name);
/// What dlsym is to answer in the place of a library's nvrtcGetCUBIN; null: there is none.
[[nodiscard]] void* nvrtc_wrapper_of(void* function);

}  // namespace ptxscope::preload
