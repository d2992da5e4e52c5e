// This process as the parent sees it: the connection, the shared memory, and the tables in it.
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "driver/preload/cuda_types.h"
#include "driver/run_protocol.h"

namespace ptxscope::preload {

/// Whether `ptxscope run` started this process, and still listens as far as known.
[[nodiscard]] bool is_active();
/// Only counting: modules are loaded as they are.
[[nodiscard]] bool is_observing();
/// Connects, once in each process (again after a fork). Nothing happens where the parent is gone.
void say_hello();
[[nodiscard]] bool has_said_hello();
/// The shared memory; null: there is no parent.
[[nodiscard]] run::SharedMemory* shared();

/// Puts a string into the shared memory. Cut off at 64 KiB; empty when there is no more room.
[[nodiscard]] run::TextPlace keep_text(std::string_view text);
/// A new row; null: no room (counted in SharedMemory::dropped), or no parent. Its `number` is set at once.
[[nodiscard]] run::ModuleRow* add_module(std::string_view call, std::string_view origin, run::ImageForm form,
                                         std::uint64_t bytes);
/// A new row, to be filled in before `is_there` is set.
[[nodiscard]] run::KernelRow* add_kernel(std::string_view name, std::uint32_t module);
/// Tells the parent to look into the shared memory.
void send_notice();

/// Asks the parent what to load in the place of `image`. Empty: the original; the row's note says
/// why, where the parent said nothing. Else an answer file's bytes.
/// `triton_cache`: a folder that may hold the PTX of machine code; empty: none.
[[nodiscard]] std::string ask(run::ModuleRow& row, run::ImageForm form, const void* image, std::size_t bytes,
                              bool wants_text, std::string_view triton_cache);

/// The devices, noted once the driver is initialised.
void note_devices();

/// A mutex that a fork in another thread cannot leave locked.
[[nodiscard]] std::mutex& tables_mutex();
/// Called in the child of a fork: forget what belongs to the parent process.
void forget_handles();

}  // namespace ptxscope::preload
