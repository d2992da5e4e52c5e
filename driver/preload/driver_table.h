// The driver's own functions that are called on our account, found in the library that the program opened.
#pragma once

#include "driver/preload/cuda_types.h"

namespace ptxscope::preload {

struct Driver {
#define FUNCTION(member, symbol, ...) int (*member)(__VA_ARGS__) = nullptr;
#include "driver/preload/own_calls.def"
#undef FUNCTION
};

/// Any of its members may be null: the driver is older. Opened once, never closed.
[[nodiscard]] const Driver& driver();
/// `address` is a function of the driver: its library is the one to ask.
void note_driver(void* address);
/// The driver's own function, never one of ours; null: there is none, or no driver.
[[nodiscard]] void* driver_symbol(const char* name);
/// The C library's dlsym, not ours.
[[nodiscard]] void* real_symbol(void* library, const char* name);
/// Whether the program has opened the driver's library.
[[nodiscard]] bool driver_is_open();

}  // namespace ptxscope::preload
