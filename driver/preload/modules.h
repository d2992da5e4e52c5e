// Modules and libraries that the program loaded, what of them is ours, and where their traps are recorded.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "driver/preload/cuda_types.h"
#include "driver/run_protocol.h"

namespace ptxscope::preload {

struct KernelLayout {
  std::string name;
  std::uint32_t bytes = 0;
  std::vector<run::ParameterHeader> parameters;
};

/// An instrumented text, which may come to stand in several contexts (of a library), or with others in one module (linked).
struct Part {
  run::ModuleRow* row = nullptr;
  std::string text;         ///< PTX
  std::string record_name;  ///< the variable that takes the record's address
  std::uint32_t max_registers = 0;
  std::int32_t optimization = -1;
  std::vector<KernelLayout> kernels;
  [[nodiscard]] const KernelLayout* find(std::string_view name) const;
};

/// A record's memory, set up for one part in one context.
struct Arm {
  const Part* part = nullptr;
  Handle context = nullptr;
  std::uint32_t slot = 0;
  std::uint32_t device = 0;  ///< from 1; 0: not known
  bool is_ready = false;
  void* apart = nullptr;  ///< pinned memory of the driver's, where the shared one could not be pinned
};

/// What a CUmodule or CUlibrary holds.
struct LoadedModule {
  Handle handle = nullptr;
  bool is_library = false;
  run::ModuleRow* row = nullptr;  ///< null: not in the table
  std::vector<std::shared_ptr<const Part>> parts;
  std::vector<Arm> arms;                    ///< under tables_mutex()
  std::atomic<Handle> last_armed{nullptr};  ///< the context that was looked at last: mostly the same one again
  std::atomic<std::uint32_t> device{0};     ///< of that context, from 1; 0: not known
};

/// Takes an answer file apart; nullptr: not one.
[[nodiscard]] std::shared_ptr<const Part> read_answer(const std::string& answer, run::ModuleRow* row);

/// What stands at `image`, and how long it is (0: not known).
struct ImageView {
  run::ImageForm form = run::ImageForm::unknown;
  const void* data = nullptr;  ///< of a fat binary's wrapper: the fat binary
  std::size_t bytes = 0;
  /// Of a program linked by nvcc -rdc: the fat binaries of its objects, whose PTX stands for that machine code.
  std::vector<const void*> objects;
};
[[nodiscard]] ImageView look_at_image(const void* image);
/// The same, for bytes of known length.
[[nodiscard]] ImageView look_at_bytes(const std::string& bytes);
/// Whether asking the parent is worth while: most of what large libraries load is machine code.
[[nodiscard]] bool may_hold_ptx(const ImageView& image);
/// The folder where Triton keeps the code that it made, and the PTX of it; empty: there is none.
[[nodiscard]] std::string triton_cache();
/// A whole file, at most run::max_image; empty: not read.
[[nodiscard]] std::string read_image_file(const char* path);

/// What to load instead; nothing: the original.
struct Prepared {
  run::ModuleRow* row = nullptr;
  std::vector<std::shared_ptr<const Part>> parts;
  std::string cubin;  ///< of several parts
  [[nodiscard]] bool is_replaced() const { return !parts.empty(); }
  [[nodiscard]] const void* image() const { return cubin.empty() ? parts.front()->text.c_str() : cubin.c_str(); }
};
/// Asks the parent, and notes the module.
[[nodiscard]] Prepared prepare(const char* call, std::string_view origin, const ImageView& image);

/// The object that the address belongs to: the program or a library of it. Empty: none (heap).
[[nodiscard]] std::string_view origin_of(const void* address);

/// Into the tables, where the kernels of the handle are found from now on.
std::shared_ptr<LoadedModule> add_loaded(Handle handle, bool is_library, run::ModuleRow* row,
                                         std::vector<std::shared_ptr<const Part>> parts);
[[nodiscard]] std::shared_ptr<LoadedModule> find_loaded(Handle handle);
void remove_loaded(Handle handle);

/// Makes records of `loaded` be written in the current context, unless they are already.
void arm(LoadedModule& loaded);
/// The same for a context; it is made current for the while.
void arm_in(LoadedModule& loaded, Handle context);
/// Releases the records of a module that is no more. Those that were written stay.
void disarm(LoadedModule& loaded);
/// Forgets what was set up in a context that is no more; null: in any. Under tables_mutex().
void forget_arms(LoadedModule& loaded, Handle context);
/// A context is no more: what was set up in it is forgotten. Null: any context may be.
void forget_context(Handle context);
/// Copies a record that is not in the shared memory there.
void copy_apart(run::SharedMemory& memory, const Arm& one);
/// All of them.
void collect_records();
/// The same, unless another thread is at it.
[[nodiscard]] bool try_to_collect_records();

/// Links texts for the current context; empty: they could not be.
[[nodiscard]] std::string link_parts(const std::vector<std::shared_ptr<const Part>>& parts);

void forget_modules();
void forget_links();
void forget_kernels();

}  // namespace ptxscope::preload
