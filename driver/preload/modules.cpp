// Loading: the parent is asked what to load instead, and where the driver does not take that, the original is loaded.
#include "driver/preload/modules.h"

#include <ctime>
#include <mutex>
#include <unordered_map>

#include "driver/preload/client.h"
#include "driver/preload/driver_table.h"
#include "driver/preload/hooks.h"
#include "driver/preload/jit_options.h"
#include "driver/preload/kernels.h"
#include "driver/preload/known_code.h"

namespace ptxscope::preload {

namespace {

using Loads = std::unordered_map<Handle, std::shared_ptr<LoadedModule>>;
// Never destroyed: the program may call the driver until its very end. Under tables_mutex().
Loads* current_loads = nullptr;
Loads& loads() {
  if (current_loads == nullptr) current_loads = new Loads;
  return *current_loads;
}

double milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

// Loads once, and notes how long it took.
template <class Call>
int timed(run::ModuleRow* row, Call&& call) {
  const double begin = milliseconds();
  const int status = call();
  if (row != nullptr) row->load_ms = milliseconds() - begin;
  return status;
}

// The order of things, the same for modules and libraries. `ours` and `original` get the options and give the status.
template <class Ours, class Original>
int load(const Prepared& prepared, bool is_library, bool can_have_logs, unsigned count, int* options, void** values,
         Ours&& ours, Original&& original) {
  run::ModuleRow* row = prepared.row;
  const Inside inside;
  std::unique_ptr<JitOptions> own;
  if (prepared.is_replaced()) {
    aside([&] {
      auto made = std::make_unique<JitOptions>(count, options, values, true);
      const Part& part = *prepared.parts.front();
      if (part.max_registers != 0) made->add(jit_max_registers, part.max_registers);
      if (part.optimization >= 0) made->add(jit_optimization_level, static_cast<std::uintptr_t>(part.optimization));
      own = std::move(made);
    });
  }
  if (own != nullptr) {
    const int status = timed(row, [&] { return ours(*own, prepared.image()); });
    if (status == success) {
      own->tell_caller(options, values);
      // The driver may write into a library's options as late as its first use.
      if (is_library) (void)own.release();
      if (row != nullptr) row->loaded = run::Loaded::ours;
      return status;
    }
    if (row != nullptr) {
      row->our_error = status;
      aside([&] { row->our_log = keep_text(own->error_log()); });
    }
    if (is_sticky(status)) {
      if (row != nullptr) row->loaded = run::Loaded::refused, row->error = status;
      return status;
    }
  }
  int status = success;
  std::unique_ptr<JitOptions> logged;
  if (can_have_logs && row != nullptr)
    aside([&] { logged = std::make_unique<JitOptions>(count, options, values, false); });
  if (logged != nullptr) {
    status = timed(row, [&] { return original(logged.get()); });
    logged->tell_caller(options, values);
    if (status != success) aside([&] { row->log = keep_text(logged->error_log()); });
    else if (is_library) (void)logged.release();
  } else {
    status = timed(row, [&] { return original(static_cast<JitOptions*>(nullptr)); });
  }
  if (row != nullptr) {
    row->error = status;
    row->loaded = status != success        ? run::Loaded::refused
                  : prepared.is_replaced() ? run::Loaded::fell_back
                                           : run::Loaded::original;
  }
  return status;
}

std::vector<std::shared_ptr<const Part>> parts_of(const Prepared& prepared) {
  if (prepared.row == nullptr || prepared.row->loaded != run::Loaded::ours) return {};
  if (prepared.parts.size() > 1) {
    for (const auto& part : prepared.parts) part->row->loaded = run::Loaded::ours;
    prepared.row->loaded = run::Loaded::linked;
  }
  return prepared.parts;
}

void add_linked(std::vector<std::shared_ptr<const Part>>& parts, const Prepared& prepared, const ImageView& image) {
  if (!parts.empty()) return;
  if (const auto known = find_code(image)) parts = known->parts;
  if (!parts.empty() && prepared.row != nullptr) prepared.row->loaded = run::Loaded::linked;
}

void note_loaded(Handle handle, bool is_library, const Prepared& prepared, const ImageView& image) {
  bool is_noted = false;
  aside([&] {
    auto parts = parts_of(prepared);
    add_linked(parts, prepared, image);
    add_loaded(handle, is_library, prepared.row, std::move(parts));
    is_noted = true;
  });
  if (!is_noted && prepared.is_replaced())
    prepared.row->unrecorded = keep_text("the program had no memory left for watching it (ulimit -v)");
}

// A module of the current context: its records are set up at once.
int finish_module(int status, Handle* module, const Prepared& prepared, const ImageView& image) {
  if (status != success) {
    if (is_sticky(status)) look_at(status, "cuModuleLoadData");
    return status;
  }
  note_loaded(*module, false, prepared, image);
  aside([&] {
    if (const auto loaded = find_loaded(*module)) arm(*loaded);
  });
  return status;
}

// How many threads of a kernel fit into a block; -1: not told.
int threads_of(Handle module, const std::string& kernel) {
  const Driver& table = driver();
  Handle function = nullptr;
  int threads = -1;
  if (table.module_get_function(&function, module, kernel.c_str()) != success ||
      table.func_get_attribute(&threads, 0 /* CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK */, function) != success)
    return -1;
  return threads;
}

// Whether a block can be as large as before. Recording takes registers, and a kernel at the edge of what 1024 threads may
// have could then not be launched as it was. The original is loaded to compare only where there is less room than that.
bool has_same_room(Handle module, const Prepared& prepared, const void* original_image) {
  const Driver& table = driver();
  if (table.module_get_function == nullptr || table.func_get_attribute == nullptr || table.module_unload == nullptr ||
      table.module_load_data_ex == nullptr)
    return true;
  constexpr int most_threads = 1024;
  std::vector<std::pair<const std::string*, int>> tight;
  for (const auto& part : prepared.parts)
    for (const KernelLayout& kernel : part->kernels)
      if (const int threads = threads_of(module, kernel.name); threads > 0 && threads < most_threads)
        tight.emplace_back(&kernel.name, threads);
  Handle original = nullptr;
  if (tight.empty() || table.module_load_data_ex(&original, original_image, 0, nullptr, nullptr) != success)
    return true;
  bool is_same = true;
  for (const auto& [name, threads] : tight) is_same &= threads_of(original, *name) <= threads;
  table.module_unload(original);
  if (!is_same && prepared.row->note.length == 0)
    prepared.row->note =
        keep_text("with recording it takes more registers, so that fewer threads would fit into a block than before");
  return is_same;
}
constexpr int out_of_resources = 701;

int load_ours(Handle* module, const Prepared& prepared, const void* original_image, JitOptions& own, const void* text) {
  const Driver& table = driver();
  if (table.module_load_data_ex == nullptr) return not_found;
  const int status = table.module_load_data_ex(module, text, own.count(), own.options(), own.values());
  bool has_room = true;
  if (status == success) aside([&] { has_room = has_same_room(*module, prepared, original_image); });
  if (has_room) return status;
  table.module_unload(*module);
  return out_of_resources;
}

int load_module(Handle* module, const char* call, std::string_view origin, const ImageView& image, unsigned count,
                int* options, void** values, const void* original_image, int (*plain)(Handle*, const void*)) {
  const Prepared prepared = prepare(call, origin, image);
  const auto load_data = driver().module_load_data_ex;
  const int status = load(
      prepared, false, image.form == run::ImageForm::text && load_data != nullptr, count, options, values,
      [&](JitOptions& own, const void* text) { return load_ours(module, prepared, original_image, own, text); },
      [&](JitOptions* logged) {
        if (logged != nullptr)
          return load_data(module, original_image, logged->count(), logged->options(), logged->values());
        if (plain != nullptr) return plain(module, original_image);
        return load_data(module, original_image, count, options, values);
      });
  return finish_module(status, module, prepared, image);
}

int finish_library(int status, Handle* library, const Prepared& prepared, const ImageView& image) {
  if (status != success) return status;
  note_loaded(*library, true, prepared, image);
  return status;
}

// The current context, or for the while the primary one of the first device.
class SomeContext {
 public:
  SomeContext() {
    const Driver& table = driver();
    Handle context = nullptr;
    if (table.ctx_get_current == nullptr || table.ctx_get_current(&context) != success) return;
    is_there_ = context != nullptr;
    if (is_there_ || table.primary_ctx_retain == nullptr || table.primary_ctx_release == nullptr ||
        table.ctx_push_current == nullptr || table.ctx_pop_current == nullptr || table.device_get == nullptr ||
        table.device_get(&device_, 0) != success || table.primary_ctx_retain(&context, device_) != success)
      return;
    is_retained_ = true;
    is_there_ = is_pushed_ = table.ctx_push_current(context) == success;
  }
  ~SomeContext() {
    Handle popped = nullptr;
    if (is_pushed_) driver().ctx_pop_current(&popped);
    if (is_retained_) driver().primary_ctx_release(device_);
  }
  SomeContext(const SomeContext&) = delete;
  SomeContext& operator=(const SomeContext&) = delete;
  [[nodiscard]] bool is_there() const { return is_there_; }

 private:
  bool is_there_ = false, is_pushed_ = false, is_retained_ = false;
  int device_ = 0;
};

// A library is compiled for a context at its first use there. That is done now: what the driver does not take can still
// be replaced by the original. Where no context is to be had, it is not known, and the original is loaded.
int load_ours_as_library(Handle* library, const Prepared& prepared, const void* original_image, JitOptions& own,
                         const void* text, int* library_options, void** library_values, unsigned library_count) {
  const Driver& table = driver();
  if (table.library_load_data == nullptr) return not_found;
  const int status = table.library_load_data(library, text, own.options(), own.values(), own.count(), library_options,
                                             library_values, library_count);
  if (status != success) return status;
  const SomeContext context;
  if (!context.is_there() && prepared.row->note.length == 0)
    prepared.row->note = keep_text("there was no context yet in which to see whether the driver takes it");
  Handle module = nullptr;
  int compiled = context.is_there() && table.library_get_module != nullptr ? table.library_get_module(&module, *library)
                                                                           : invalid_context;
  if (compiled == success)
    aside([&] {
      if (!has_same_room(module, prepared, original_image)) compiled = out_of_resources;
    });
  if (compiled == success) return success;
  if (table.library_unload != nullptr) table.library_unload(*library);
  return compiled;
}

void add_part(Prepared& prepared, const ImageView& image, bool wants_text) {
  if (image.bytes == 0 || image.form == run::ImageForm::unknown) return;
  std::string answer;
  const auto known = find_code(image);
  if (known != nullptr && !known->ptx.empty()) {
    prepared.row->has_other_ptx = run::OtherPtx::nvrtc;
    answer = ask(*prepared.row, run::ImageForm::text, known->ptx.data(), known->ptx.size(), wants_text, "");
  } else if (may_hold_ptx(image)) {
    answer = ask(*prepared.row, image.form, image.data, image.bytes, wants_text, "");
  } else {
    prepared.row->has_no_ptx = 1;
    const std::string cache = image.form == run::ImageForm::elf && known == nullptr ? triton_cache() : "";
    if (!cache.empty()) answer = ask(*prepared.row, image.form, image.data, image.bytes, wants_text, cache);
  }
  if (answer.empty()) return;
  if (auto part = read_answer(answer, prepared.row)) prepared.parts.push_back(std::move(part));
}

// The PTX of all objects, linked as their machine code was.
void add_objects(Prepared& prepared, const char* call, std::string_view origin, const ImageView& image) {
  const Inside inside;
  std::vector<std::shared_ptr<const Part>> parts;
  bool is_worth_it = false;
  for (const void* object : image.objects) {
    const ImageView view = look_at_image(object);
    Prepared one;
    one.row = add_module(call, origin, view.form, view.bytes);
    if (one.row == nullptr) return;
    add_part(one, view, true);
    one.row->loaded = run::Loaded::original;
    if (one.parts.empty()) {
      prepared.row->note = keep_text("one of its objects holds no PTX, so that they are not linked anew");
      return;
    }
    is_worth_it |= !one.parts.front()->record_name.empty();
    parts.push_back(one.parts.front());
  }
  if (!is_worth_it) return;
  prepared.cubin = link_parts(parts);
  if (prepared.cubin.empty()) prepared.row->note = keep_text("the PTX of its objects could not be linked anew");
  else prepared.parts = std::move(parts);
}

}  // namespace

Prepared prepare(const char* call, std::string_view origin, const ImageView& image) {
  Prepared prepared;
  if (shared() == nullptr) return prepared;
  note_devices();
  const double begin = milliseconds();
  prepared.row = add_module(call, origin, image.form, image.bytes);
  if (prepared.row == nullptr || is_observing()) return prepared;
  bool is_done = false;
  aside([&] {
    if (image.objects.size() == 1) add_part(prepared, look_at_image(image.objects.front()), false);
    else if (image.objects.size() > 1) add_objects(prepared, call, origin, image);
    else add_part(prepared, image, false);
    is_done = true;
  });
  if (!is_done) {
    prepared.parts.clear();
    prepared.row->note = keep_text("the program had no memory left for watching it (ulimit -v)");
  }
  prepared.row->prepared_ms = milliseconds() - begin;
  return prepared;
}

std::shared_ptr<LoadedModule> add_loaded(Handle handle, bool is_library, run::ModuleRow* row,
                                         std::vector<std::shared_ptr<const Part>> parts) {
  auto loaded = std::make_shared<LoadedModule>();
  loaded->handle = handle;
  loaded->is_library = is_library;
  loaded->row = row;
  loaded->parts = std::move(parts);
  const std::lock_guard lock(tables_mutex());
  loads()[handle] = loaded;
  return loaded;
}

std::shared_ptr<LoadedModule> find_loaded(Handle handle) {
  const std::lock_guard lock(tables_mutex());
  const auto found = loads().find(handle);
  return found == loads().end() ? nullptr : found->second;
}

void remove_loaded(Handle handle) {
  const std::lock_guard lock(tables_mutex());
  loads().erase(handle);
}

void forget_context(Handle context) {
  collect_records();
  const std::lock_guard lock(tables_mutex());
  for (auto& [handle, loaded] : loads()) forget_arms(*loaded, context);
}

namespace {

void collect_all() {
  run::SharedMemory* memory = shared();
  if (memory == nullptr) return;
  for (auto& [handle, loaded] : loads())
    for (const Arm& one : loaded->arms) copy_apart(*memory, one);
}

}  // namespace

void collect_records() {
  const std::lock_guard lock(tables_mutex());
  collect_all();
}

bool try_to_collect_records() {
  const std::unique_lock lock(tables_mutex(), std::try_to_lock);
  if (lock.owns_lock()) collect_all();
  return lock.owns_lock();
}

// After a fork: another thread may have been in the middle of it, so that it cannot even be cleared.
void forget_modules() { current_loads = nullptr; }

namespace hooks {

int module_load(int (*real)(Handle*, const char*), Handle* module, const char* path) {
  const std::string bytes = read_image_file(path);
  const ImageView image = look_at_bytes(bytes);
  if (module == nullptr || bytes.empty()) return real(module, path);
  const Prepared prepared = prepare("cuModuleLoad", path, image);
  const int status = load(
      prepared, false, false, 0, nullptr, nullptr,
      [&](JitOptions& own, const void* text) { return load_ours(module, prepared, bytes.c_str(), own, text); },
      [&](JitOptions*) { return real(module, path); });
  return finish_module(status, module, prepared, image);
}

int module_load_data(int (*real)(Handle*, const void*), Handle* module, const void* image) {
  if (module == nullptr || image == nullptr) return real(module, image);
  return load_module(module, "cuModuleLoadData", origin_of(image), look_at_image(image), 0, nullptr, nullptr, image,
                     real);
}

int module_load_data_ex(int (*real)(Handle*, const void*, unsigned, int*, void**), Handle* module, const void* image,
                        unsigned count, int* options, void** values) {
  if (module == nullptr || image == nullptr || driver().module_load_data_ex == nullptr)
    return real(module, image, count, options, values);
  return load_module(module, "cuModuleLoadDataEx", origin_of(image), look_at_image(image), count, options, values,
                     image, nullptr);
}

int module_load_fat_binary(int (*real)(Handle*, const void*), Handle* module, const void* image) {
  if (module == nullptr || image == nullptr) return real(module, image);
  ImageView view = look_at_image(image);
  return load_module(module, "cuModuleLoadFatBinary", origin_of(image), view, 0, nullptr, nullptr, image, real);
}

int module_unload(int (*real)(Handle), Handle module) {
  std::shared_ptr<LoadedModule> loaded;
  aside([&] { loaded = find_loaded(module); });
  const int status = real(module);
  if (status == success && loaded != nullptr)
    aside([&] {
      disarm(*loaded);
      remove_loaded(module);
    });
  look_at(status, "cuModuleUnload");
  return status;
}

int module_get_function(int (*real)(Handle*, Handle, const char*), Handle* function, Handle module, const char* name) {
  const int status = real(function, module, name);
  if (status == success && function != nullptr && name != nullptr)
    aside([&] { add_function(*function, find_loaded(module), name); });
  return status;
}

int module_enumerate_functions(int (*real)(Handle*, unsigned, Handle), Handle* functions, unsigned count,
                               Handle module) {
  const int status = real(functions, count, module);
  if (status != success || functions == nullptr || driver().func_get_name == nullptr) return status;
  const Inside inside;
  aside([&] {
    for (unsigned i = 0; i < count; ++i) {
      const char* name = nullptr;
      if (functions[i] != nullptr && driver().func_get_name(&name, functions[i]) == success && name != nullptr)
        add_function(functions[i], find_loaded(module), name);
    }
  });
  return status;
}

int library_load_data(int (*real)(Handle*, const void*, int*, void**, unsigned, int*, void**, unsigned),
                      Handle* library, const void* image, int* options, void** values, unsigned count,
                      int* library_options, void** library_values, unsigned library_count) {
  if (library == nullptr || image == nullptr)
    return real(library, image, options, values, count, library_options, library_values, library_count);
  const ImageView view = look_at_image(image);
  const Prepared prepared = prepare("cuLibraryLoadData", origin_of(image), view);
  const int status = load(
      prepared, true, view.form == run::ImageForm::text, count, options, values,
      [&](JitOptions& own, const void* text) {
        return load_ours_as_library(library, prepared, image, own, text, library_options, library_values,
                                    library_count);
      },
      [&](JitOptions* logged) {
        if (logged == nullptr)
          return real(library, image, options, values, count, library_options, library_values, library_count);
        return real(library, image, logged->options(), logged->values(), logged->count(), library_options,
                    library_values, library_count);
      });
  return finish_library(status, library, prepared, view);
}

int library_load_from_file(int (*real)(Handle*, const char*, int*, void**, unsigned, int*, void**, unsigned),
                           Handle* library, const char* path, int* options, void** values, unsigned count,
                           int* library_options, void** library_values, unsigned library_count) {
  const std::string bytes = read_image_file(path);
  if (library == nullptr || bytes.empty())
    return real(library, path, options, values, count, library_options, library_values, library_count);
  const ImageView view = look_at_bytes(bytes);
  const Prepared prepared = prepare("cuLibraryLoadFromFile", path, view);
  const int status = load(
      prepared, true, false, count, options, values,
      [&](JitOptions& own, const void* text) {
        return load_ours_as_library(library, prepared, view.data, own, text, library_options, library_values,
                                    library_count);
      },
      [&](JitOptions*) {
        return real(library, path, options, values, count, library_options, library_values, library_count);
      });
  return finish_library(status, library, prepared, view);
}

int library_unload(int (*real)(Handle), Handle library) {
  std::shared_ptr<LoadedModule> loaded;
  aside([&] { loaded = find_loaded(library); });
  const int status = real(library);
  if (status == success && loaded != nullptr)
    aside([&] {
      disarm(*loaded);
      remove_loaded(library);
    });
  look_at(status, "cuLibraryUnload");
  return status;
}

int library_get_kernel(int (*real)(Handle*, Handle, const char*), Handle* kernel, Handle library, const char* name) {
  const int status = real(kernel, library, name);
  if (status == success && kernel != nullptr && name != nullptr)
    aside([&] { add_function(*kernel, find_loaded(library), name); });
  return status;
}

int library_get_module(int (*real)(Handle*, Handle), Handle* module, Handle library) {
  const int status = real(module, library);
  if (status != success || module == nullptr) return status;
  aside([&] {
    const auto loaded = find_loaded(library);
    if (loaded == nullptr) return;
    arm(*loaded);
    // Its functions are the library's; records were set up for the context just now.
    const std::lock_guard lock(tables_mutex());
    loads()[*module] = loaded;
  });
  return status;
}

int library_enumerate_kernels(int (*real)(Handle*, unsigned, Handle), Handle* kernels, unsigned count, Handle library) {
  const int status = real(kernels, count, library);
  if (status != success || kernels == nullptr || driver().kernel_get_name == nullptr) return status;
  const Inside inside;
  aside([&] {
    for (unsigned i = 0; i < count; ++i) {
      const char* name = nullptr;
      if (kernels[i] != nullptr && driver().kernel_get_name(&name, kernels[i]) == success && name != nullptr)
        add_function(kernels[i], find_loaded(library), name);
    }
  });
  return status;
}

int kernel_get_function(int (*real)(Handle*, Handle), Handle* function, Handle kernel) {
  const int status = real(function, kernel);
  if (status == success && function != nullptr) aside([&] { add_function_of_kernel(*function, kernel); });
  return status;
}

int ctx_destroy(int (*real)(Handle), Handle context) {
  const int status = real(context);
  if (status == success) aside([&] { forget_context(context); });
  return status;
}

int primary_ctx_release(int (*real)(int), int device) {
  const int status = real(device);
  if (status == success) aside([] { forget_context(nullptr); });
  return status;
}

int primary_ctx_reset(int (*real)(int), int device) {
  const int status = real(device);
  if (status == success) aside([] { forget_context(nullptr); });
  return status;
}

}  // namespace hooks

}  // namespace ptxscope::preload
