#include "driver/preload/kernels.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>

#include "driver/preload/client.h"
#include "driver/preload/driver_table.h"
#include "driver/preload/hooks.h"
#include "driver/preload/processes.h"

namespace ptxscope::preload {

namespace {

struct Kernel {
  run::KernelRow* row = nullptr;
  std::uint32_t index = 0;               // of the row
  const KernelLayout* layout = nullptr;  // null: arguments are not known
  std::shared_ptr<LoadedModule> loaded;
};

// Handles are looked up at each launch, so without a lock: open addressing, entries are only ever added or replaced.
constexpr std::size_t table_size = 1U << 14U;
struct Entry {
  std::atomic<Handle> handle{nullptr};
  std::atomic<const Kernel*> kernel{nullptr};
};
struct Table {
  std::array<Entry, table_size> entries;
  std::size_t used = 0;  // under tables_mutex()
};
std::atomic<Table*> current_table{nullptr};

Table& table() {
  Table* found = current_table.load(std::memory_order_acquire);
  if (found != nullptr) return *found;
  auto* made = new Table;
  if (current_table.compare_exchange_strong(found, made)) return *made;
  delete made;
  return *found;
}

std::size_t place_of(Handle handle) {
  const auto bits = reinterpret_cast<std::uintptr_t>(handle);
  return static_cast<std::size_t>((bits >> 4U) * 0x9E3779B97F4A7C15ULL >> 50U) % table_size;
}

const Kernel* find(Handle handle) {
  Table& all = table();
  for (std::size_t at = place_of(handle), tries = 0; tries < table_size; at = (at + 1) % table_size, ++tries) {
    const Handle there = all.entries[at].handle.load(std::memory_order_acquire);
    if (there == handle) return all.entries[at].kernel.load(std::memory_order_acquire);
    if (there == nullptr) return nullptr;
  }
  return nullptr;
}

void put(Handle handle, const Kernel* kernel) {
  Table& all = table();
  const std::lock_guard lock(tables_mutex());
  for (std::size_t at = place_of(handle), tries = 0; tries < table_size; at = (at + 1) % table_size, ++tries) {
    Entry& entry = all.entries[at];
    const Handle there = entry.handle.load();
    if (there == nullptr && all.used >= table_size - table_size / 4) return;  // it is counted as not known
    if (there != nullptr && there != handle) continue;
    entry.kernel.store(kernel, std::memory_order_release);
    if (there == nullptr) {
      ++all.used;
      entry.handle.store(handle, std::memory_order_release);
    }
    return;
  }
}

// A kernel of a handle that nobody told us of.
std::atomic<const Kernel*> unknown{nullptr};
const Kernel& unknown_kernel(const run::SharedMemory& memory) {
  if (const Kernel* found = unknown.load(std::memory_order_acquire)) return *found;
  auto* fresh = new Kernel;
  fresh->row = add_kernel("", 0);
  if (fresh->row != nullptr) fresh->index = static_cast<std::uint32_t>(fresh->row - memory.kernel_rows);
  unknown.store(fresh, std::memory_order_release);
  return *fresh;
}

struct Shape {
  unsigned grid[3];
  unsigned block[3];
  unsigned shared;
  Handle stream;
};

std::uint32_t copy_parameters(const KernelLayout& layout, void** parameters, void** extra, std::byte* to) {
  const std::uint32_t room = std::min(layout.bytes, run::max_launch_bytes);
  if (parameters != nullptr) {
    std::uint32_t noted = 0;
    for (std::size_t i = 0; i < layout.parameters.size(); ++i) {
      const run::ParameterHeader& one = layout.parameters[i];
      if (one.offset >= room || parameters[i] == nullptr) break;
      const std::uint32_t bytes = std::min(one.size, room - one.offset);
      std::memcpy(to + one.offset, parameters[i], bytes);
      noted = one.offset + bytes;
      if (bytes < one.size) break;
    }
    return noted;
  }
  const void* buffer = nullptr;
  std::size_t bytes = 0;
  // CU_LAUNCH_PARAM_BUFFER_POINTER, …_BUFFER_SIZE and …_END.
  for (int i = 0; extra != nullptr && i < 8 && extra[i] != nullptr; i += 2) {
    if (extra[i] == reinterpret_cast<void*>(1)) buffer = extra[i + 1];
    if (extra[i] == reinterpret_cast<void*>(2) && extra[i + 1] != nullptr)
      bytes = *static_cast<const std::size_t*>(extra[i + 1]);
  }
  if (buffer == nullptr) return 0;
  const auto noted = static_cast<std::uint32_t>(std::min<std::size_t>(bytes, room));
  std::memcpy(to, buffer, noted);
  return noted;
}

void note_launch(run::SharedMemory& memory, const Kernel& kernel, const Shape& shape, void** parameters, void** extra) {
  run::KernelRow& row = *kernel.row;
  std::memcpy(row.grid, shape.grid, sizeof row.grid);
  std::memcpy(row.block, shape.block, sizeof row.block);
  row.shared = shape.shared;
  const std::uint64_t number = memory.launches.fetch_add(1, std::memory_order_relaxed);
  run::LaunchRow& launch = memory.launch_rows[number % run::max_launches];
  launch.sequence.store(0, std::memory_order_release);
  launch.kernel = kernel.index;
  launch.module = row.module;
  std::memcpy(launch.grid, shape.grid, sizeof launch.grid);
  std::memcpy(launch.block, shape.block, sizeof launch.block);
  launch.shared = shape.shared;
  launch.stream = reinterpret_cast<std::uintptr_t>(shape.stream);
  launch.parameter_bytes = 0;
  if (kernel.layout != nullptr)
    launch.parameter_bytes = copy_parameters(*kernel.layout, parameters, extra, launch.parameters);
  launch.sequence.store(number + 1, std::memory_order_release);
}

// Records of a library are set up in the context where it comes to run.
void arm_for_launch(const Kernel& kernel, Handle stream) {
  if (kernel.loaded == nullptr || !kernel.loaded->is_library) return;
  Handle context = nullptr;
  const auto legacy_streams = reinterpret_cast<std::uintptr_t>(stream) <= 2;  // default, legacy, per-thread
  if (!legacy_streams && driver().stream_get_ctx != nullptr) {
    const Inside inside;
    if (driver().stream_get_ctx(stream, &context) == success && context != nullptr) {
      arm_in(*kernel.loaded, context);
      return;
    }
  }
  arm(*kernel.loaded);
}

// The device's bit is set once: a row that many threads launch by is mostly read.
void note_device(const Kernel& kernel) {
  if (kernel.loaded == nullptr) return;
  const std::uint32_t device = kernel.loaded->device.load(std::memory_order_relaxed);
  if (device == 0 || device > run::max_devices) return;
  const std::uint32_t bit = 1U << (device - 1);
  if ((kernel.row->devices.load(std::memory_order_relaxed) & bit) == 0) kernel.row->devices.fetch_or(bit);
}

template <class Call>
int launch(Handle function, const Shape& shape, void** parameters, void** extra, const char* name, Call&& call) {
  run::SharedMemory* memory = shared();
  run::KernelRow* row = nullptr;
  if (memory != nullptr) {
    aside([&] {
      const Kernel* known = find(function);
      const Kernel& kernel = known != nullptr ? *known : unknown_kernel(*memory);
      if (kernel.row == nullptr) return;
      arm_for_launch(kernel, shape.stream);
      note_device(kernel);
      note_launch(*memory, kernel, shape, parameters, extra);
      row = kernel.row;
    });
  }
  int status = success;
  {
    const Inside inside;
    status = call();
  }
  if (row != nullptr) {
    (status == success ? row->launches : row->failed).fetch_add(1, std::memory_order_relaxed);
    if (status != success) row->error = status;
  } else if (status == success) {
    if (memory != nullptr) memory->dropped_launches.fetch_add(1, std::memory_order_relaxed);
    else count_launch();
  }
  if (status != success) look_at(status, name);
  return status;
}

void note_graph_node(const KernelNode& node, Handle function) {
  const Kernel* known = find(function);
  run::SharedMemory* memory = shared();
  if (known == nullptr || known->row == nullptr || memory == nullptr) return;
  Shape shape{};
  std::memcpy(shape.grid, node.grid, sizeof shape.grid);
  std::memcpy(shape.block, node.block, sizeof shape.block);
  shape.shared = node.shared;
  arm_for_launch(*known, nullptr);
  note_device(*known);
  note_launch(*memory, *known, shape, node.parameters, node.extra);
}

}  // namespace

void add_function(Handle function, const std::shared_ptr<LoadedModule>& loaded, std::string_view name) {
  const Kernel* known = find(function);
  run::SharedMemory* memory = shared();
  if (memory == nullptr) return;
  if (known != nullptr && known->loaded == loaded && known->row != nullptr &&
      std::string_view(memory->text + known->row->name.offset, known->row->name.length) == name)
    return;
  auto kernel = std::make_unique<Kernel>();
  kernel->loaded = loaded;
  std::uint32_t module = loaded == nullptr || loaded->row == nullptr ? 0 : loaded->row->number.load();
  if (loaded != nullptr)
    for (const auto& part : loaded->parts) {
      kernel->layout = part->find(name);
      if (kernel->layout == nullptr) continue;
      module = part->row->number;
      break;
    }
  if (loaded != nullptr && loaded->is_library) arm(*loaded);
  kernel->row = add_kernel(name, module);
  if (kernel->row == nullptr) return;
  kernel->index = static_cast<std::uint32_t>(kernel->row - memory->kernel_rows);
  put(function, kernel.release());  // never given back: a launch may be looking at it
}

void add_function_of_kernel(Handle function, Handle kernel) {
  if (const Kernel* known = find(kernel)) {
    if (known->loaded != nullptr) arm(*known->loaded);
    put(function, known);
  }
}

void forget_kernels() {
  current_table.store(nullptr);
  unknown.store(nullptr);
}

namespace hooks {

int launch_kernel(int (*real)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle,
                              void**, void**),
                  Handle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                  unsigned shared, Handle stream, void** parameters, void** extra) {
  return launch(function, {{gx, gy, gz}, {bx, by, bz}, shared, stream}, parameters, extra, "cuLaunchKernel",
                [&] { return real(function, gx, gy, gz, bx, by, bz, shared, stream, parameters, extra); });
}

int launch_kernel_ex(int (*real)(const LaunchConfig*, Handle, void**, void**), const LaunchConfig* config,
                     Handle function, void** parameters, void** extra) {
  if (config == nullptr) return real(config, function, parameters, extra);
  const Shape shape{{config->grid[0], config->grid[1], config->grid[2]},
                    {config->block[0], config->block[1], config->block[2]},
                    config->shared,
                    config->stream};
  return launch(function, shape, parameters, extra, "cuLaunchKernelEx",
                [&] { return real(config, function, parameters, extra); });
}

int launch_cooperative_kernel(int (*real)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                          Handle, void**),
                              Handle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                              unsigned bz, unsigned shared, Handle stream, void** parameters) {
  return launch(function, {{gx, gy, gz}, {bx, by, bz}, shared, stream}, parameters, nullptr,
                "cuLaunchCooperativeKernel",
                [&] { return real(function, gx, gy, gz, bx, by, bz, shared, stream, parameters); });
}

int graph_add_kernel_node(int (*real)(Handle*, Handle, const Handle*, std::size_t, const KernelNode2*), Handle* node,
                          Handle graph, const Handle* needs, std::size_t count, const KernelNode2* kernel) {
  const int status = real(node, graph, needs, count, kernel);
  if (status == success && kernel != nullptr)
    aside([&] {
      note_graph_node(kernel->node, kernel->node.function != nullptr ? kernel->node.function : kernel->kernel);
    });
  return status;
}

int graph_add_kernel_node_v1(int (*real)(Handle*, Handle, const Handle*, std::size_t, const KernelNode*), Handle* node,
                             Handle graph, const Handle* needs, std::size_t count, const KernelNode* kernel) {
  const int status = real(node, graph, needs, count, kernel);
  if (status == success && kernel != nullptr) aside([&] { note_graph_node(*kernel, kernel->function); });
  return status;
}

int graph_launch(int (*real)(Handle, Handle), Handle graph, Handle stream) {
  const int status = real(graph, stream);
  run::SharedMemory* memory = shared();
  if (status == success) {
    if (memory != nullptr) memory->graph_launches.fetch_add(1, std::memory_order_relaxed);
    else count_launch();
  }
  if (status != success) look_at(status, "cuGraphLaunch");
  return status;
}

}  // namespace hooks

}  // namespace ptxscope::preload
