// Setting up the memory that a trap is recorded in: a page of the shared memory, pinned and mapped for the device, whose
// address goes into the module's variable.
#include <sys/uio.h>
#include <unistd.h>

#include <cstring>
#include <mutex>
#include <thread>

#include "driver/preload/client.h"
#include "driver/preload/driver_table.h"
#include "driver/preload/hooks.h"
#include "driver/preload/modules.h"
#include "driver/preload/processes.h"

namespace ptxscope::preload {

namespace {

constexpr std::size_t page = analysis::record::bytes;
constexpr unsigned portable = 1, device_map = 2;  // CU_MEMHOSTREGISTER_…, CU_MEMHOSTALLOC_…
constexpr std::uint32_t no_slot = run::max_slots;

std::uint32_t take_slot(run::SharedMemory& memory, std::uint32_t module, std::uint32_t device) {
  for (std::uint32_t i = 0; i < run::max_slots; ++i) {
    std::uint32_t none = 0;
    if (memory.slots[i].module.load(std::memory_order_relaxed) != 0 ||
        !memory.slots[i].module.compare_exchange_strong(none, module))
      continue;
    memory.slots[i].device = device;
    std::memset(memory.records[i], 0, page);
    std::uint32_t used = memory.slots_used.load();
    while (used <= i && !memory.slots_used.compare_exchange_weak(used, i + 1)) continue;
    return i;
  }
  return no_slot;
}

void note(const Part& part, const char* sentence) {
  if (part.row != nullptr && part.row->unrecorded.length == 0) part.row->unrecorded = keep_text(sentence);
}

// From 1; 0: not known.
std::uint32_t current_device(const run::SharedMemory& memory) {
  int device = 0;
  if (driver().ctx_get_device == nullptr || driver().ctx_get_device(&device) != success) return 0;
  for (std::uint32_t i = 0; i < memory.devices && i < run::max_devices; ++i)
    if (memory.device_handles[i] == device) return i + 1;
  return 0;
}

// Stream captures of the program neither see what we do nor are ended by it.
class OutsideCapture {
 public:
  OutsideCapture() { exchange(); }
  ~OutsideCapture() { exchange(); }
  OutsideCapture(const OutsideCapture&) = delete;
  OutsideCapture& operator=(const OutsideCapture&) = delete;

 private:
  void exchange() {
    if (driver().exchange_capture_mode != nullptr) driver().exchange_capture_mode(&mode_);
  }
  int mode_ = 2;  // CU_STREAM_CAPTURE_MODE_RELAXED; then the program's own
};

// On a stream of its own: the default stream would wait for the program's work.
bool set_variable(DevicePointer variable, DevicePointer value) {
  const Driver& table = driver();
  if (table.stream_create == nullptr || table.stream_destroy == nullptr || table.stream_synchronize == nullptr ||
      table.memcpy_to_device_async == nullptr)
    return false;
  Handle stream = nullptr;
  if (table.stream_create(&stream, 1 /* CU_STREAM_NON_BLOCKING */) != success) return false;
  const bool is_set = table.memcpy_to_device_async(variable, &value, sizeof value, stream) == success &&
                      table.stream_synchronize(stream) == success;
  table.stream_destroy(stream);
  return is_set;
}

DevicePointer find_variable(const LoadedModule& loaded, const Part& part) {
  const Driver& table = driver();
  DevicePointer address = 0;
  std::size_t bytes = 0;
  const auto find = loaded.is_library ? table.library_get_global : table.module_get_global;
  if (find == nullptr || find(&address, &bytes, loaded.handle, part.record_name.c_str()) != success ||
      bytes != sizeof(std::uint64_t))
    return 0;
  return address;
}

// The record's address for the device; 0: no memory could be had.
DevicePointer map_record(void* memory, void*& apart) {
  const Driver& table = driver();
  if (table.mem_host_get_device_pointer == nullptr) return 0;
  DevicePointer address = 0;
  if (table.mem_host_register != nullptr && table.mem_host_register(memory, page, portable | device_map) == success) {
    if (table.mem_host_get_device_pointer(&address, memory, 0) == success) return address;
    if (table.mem_host_unregister != nullptr) table.mem_host_unregister(memory);
  }
  // Where memory of ours cannot be pinned: memory of the driver's, copied when something is seen.
  if (table.mem_host_alloc == nullptr || table.mem_host_alloc(&apart, page, portable | device_map) != success) return 0;
  std::memset(apart, 0, page);
  if (table.mem_host_get_device_pointer(&address, apart, 0) == success) return address;
  if (table.mem_free_host != nullptr) table.mem_free_host(apart);
  apart = nullptr;
  return 0;
}

bool set_up(LoadedModule& loaded, Arm& made) {
  run::SharedMemory* memory = shared();
  const Part& part = *made.part;
  if (memory == nullptr || part.row == nullptr) return false;
  const Inside inside;
  const OutsideCapture outside;
  const DevicePointer variable = find_variable(loaded, part);
  if (variable == 0) {
    note(part, "its record variable was not found after loading");
    return false;
  }
  made.slot = take_slot(*memory, part.row->number, made.device);
  if (made.slot == no_slot) {
    memory->unrecorded.fetch_add(1);
    note(part, "more modules are loaded at once than there is room for records");
    return false;
  }
  const DevicePointer record = map_record(memory->records[made.slot], made.apart);
  if (record == 0 || !set_variable(variable, record)) {
    note(part, record == 0 ? "the driver could not map memory for records" : "the record's address could not be set");
    return false;  // the slot stays taken: the device may know its address
  }
  part.row->is_set_up = 1;
  return true;
}

std::uint32_t state_of(const run::SharedMemory& memory, std::uint32_t slot) {
  std::uint32_t state = 0;
  std::memcpy(&state, memory.records[slot] + analysis::record::state_at, sizeof state);
  return state;
}

}  // namespace

void arm(LoadedModule& loaded) {
  const run::SharedMemory* memory = shared();
  if (memory == nullptr || (loaded.parts.empty() && memory->devices < 2)) return;
  Handle context = nullptr;
  const auto get = driver().ctx_get_current;
  if (get == nullptr || get(&context) != success || context == nullptr) return;
  if (loaded.last_armed.load(std::memory_order_acquire) == context) return;
  std::uint32_t device = 0;
  {
    const Inside inside;
    device = current_device(*memory);
  }
  loaded.device.store(device, std::memory_order_relaxed);
  for (const auto& part : loaded.parts) {
    if (part->record_name.empty()) continue;
    bool is_first = false;
    for (int tries = 0; tries < 20000; ++tries) {
      bool is_ready = false;
      {
        const std::lock_guard lock(tables_mutex());
        Arm* found = nullptr;
        for (Arm& one : loaded.arms)
          if (one.part == part.get() && one.context == context) found = &one;
        if (found == nullptr) {
          loaded.arms.push_back({part.get(), context, no_slot, device, false, nullptr});
          is_first = true;
        } else {
          is_ready = found->is_ready;
        }
      }
      if (is_first || is_ready) break;
      // Another thread is at it; a kernel launched before it is done would trap without a record.
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    if (!is_first) continue;
    Arm made{part.get(), context, no_slot, device, false, nullptr};
    set_up(loaded, made);
    made.is_ready = true;  // or given up
    const std::lock_guard lock(tables_mutex());
    for (Arm& one : loaded.arms)
      if (one.part == made.part && one.context == context) one = made;
  }
  loaded.last_armed.store(context, std::memory_order_release);
}

void arm_in(LoadedModule& loaded, Handle context) {
  if (loaded.last_armed.load(std::memory_order_acquire) == context) return;
  const Driver& table = driver();
  if (table.ctx_push_current == nullptr || table.ctx_pop_current == nullptr) return;
  if (table.ctx_push_current(context) != success) return;
  arm(loaded);
  Handle popped = nullptr;
  table.ctx_pop_current(&popped);
}

namespace {

// Where the memory cannot be taken back from the driver, the slot stays taken.
void release_slot(run::SharedMemory& memory, const Arm& one) {
  const Driver& table = driver();
  const auto release = one.apart != nullptr ? table.mem_free_host : table.mem_host_unregister;
  void* mapped = one.apart != nullptr ? one.apart : memory.records[one.slot];
  if (release != nullptr && release(mapped) == success) memory.slots[one.slot].module.store(0);
}

bool is_unwritten(const run::SharedMemory& memory, const Arm& one) {
  return one.slot != no_slot && state_of(memory, one.slot) == analysis::record::state_empty;
}

}  // namespace

void disarm(LoadedModule& loaded) {
  run::SharedMemory* memory = shared();
  if (memory == nullptr) return;
  collect_records();
  const Inside inside;
  const Driver& table = driver();
  Handle context = nullptr;
  if (table.ctx_get_current == nullptr || table.ctx_get_current(&context) != success) return;
  std::vector<Arm> arms;
  {
    const std::lock_guard lock(tables_mutex());
    arms.swap(loaded.arms);
  }
  for (const Arm& one : arms) {
    if (!is_unwritten(*memory, one)) continue;
    if (one.context == context) {
      release_slot(*memory, one);
      continue;
    }
    if (table.ctx_push_current == nullptr || table.ctx_pop_current == nullptr ||
        table.ctx_push_current(one.context) != success)
      continue;
    release_slot(*memory, one);
    Handle popped = nullptr;
    table.ctx_pop_current(&popped);
  }
}

void forget_arms(LoadedModule& loaded, Handle context) {
  run::SharedMemory* memory = shared();
  std::erase_if(loaded.arms, [&](const Arm& one) {
    if (context != nullptr && one.context != context) return false;
    // Nothing writes there any more once the context is destroyed; one that may be kept by others is another matter.
    if (context != nullptr && memory != nullptr && is_unwritten(*memory, one)) memory->slots[one.slot].module.store(0);
    return true;
  });
  loaded.last_armed.store(nullptr);
}

void copy_apart(run::SharedMemory& memory, const Arm& one) {
  if (one.apart == nullptr || one.slot == no_slot || state_of(memory, one.slot) == analysis::record::state_whole ||
      is_confined())
    return;
  // Through the kernel: the driver may have taken the memory back, at exit for one.
  iovec to{memory.records[one.slot], page};
  iovec from{one.apart, page};
  (void)!process_vm_readv(getpid(), &to, 1, &from, 1, 0);
}

}  // namespace ptxscope::preload
