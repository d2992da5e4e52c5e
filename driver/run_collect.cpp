#include "driver/run_collect.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <new>

#include "driver/run_processes.h"

namespace ptxscope::driver {

namespace {

// CUresult by the Driver API reference, as far as loads and launches give them.
std::string error_name(int code) {
  static const std::map<int, const char*> names{
      {1, "INVALID_VALUE"},
      {2, "OUT_OF_MEMORY"},
      {3, "NOT_INITIALIZED"},
      {4, "DEINITIALIZED"},
      {46, "DEVICE_UNAVAILABLE"},
      {100, "NO_DEVICE"},
      {101, "INVALID_DEVICE"},
      {200, "INVALID_IMAGE"},
      {201, "INVALID_CONTEXT"},
      {209, "NO_BINARY_FOR_GPU"},
      {214, "ECC_UNCORRECTABLE"},
      {218, "INVALID_PTX"},
      {220, "NVLINK_UNCORRECTABLE"},
      {221, "JIT_COMPILER_NOT_FOUND"},
      {222, "UNSUPPORTED_PTX_VERSION"},
      {223, "JIT_COMPILATION_DISABLED"},
      {300, "INVALID_SOURCE"},
      {301, "FILE_NOT_FOUND"},
      {302, "SHARED_OBJECT_SYMBOL_NOT_FOUND"},
      {303, "SHARED_OBJECT_INIT_FAILED"},
      {304, "OPERATING_SYSTEM"},
      {400, "INVALID_HANDLE"},
      {401, "ILLEGAL_STATE"},
      {500, "NOT_FOUND"},
      {600, "NOT_READY"},
      {700, "ILLEGAL_ADDRESS"},
      {701, "LAUNCH_OUT_OF_RESOURCES"},
      {702, "LAUNCH_TIMEOUT"},
      {703, "LAUNCH_INCOMPATIBLE_TEXTURING"},
      {709, "CONTEXT_IS_DESTROYED"},
      {710, "ASSERT"},
      {714, "HARDWARE_STACK_ERROR"},
      {715, "ILLEGAL_INSTRUCTION"},
      {716, "MISALIGNED_ADDRESS"},
      {717, "INVALID_ADDRESS_SPACE"},
      {718, "INVALID_PC"},
      {719, "LAUNCH_FAILED"},
      {720, "COOPERATIVE_LAUNCH_TOO_LARGE"},
      {800, "NOT_PERMITTED"},
      {801, "NOT_SUPPORTED"},
      {802, "SYSTEM_NOT_READY"},
      {803, "SYSTEM_DRIVER_MISMATCH"},
      {900, "STREAM_CAPTURE_UNSUPPORTED"},
      {901, "STREAM_CAPTURE_INVALIDATED"},
      {999, "UNKNOWN"},
  };
  const auto found = names.find(code);
  return found == names.end() ? "error " + std::to_string(code) : std::string("CUDA_ERROR_") + found->second;
}

std::string words(const auto& field) { return {field.data(), strnlen(field.data(), field.size())}; }

std::uint32_t state_of(const run::SharedMemory& memory, std::uint32_t slot) {
  std::uint32_t state = 0;
  std::memcpy(&state, memory.records[slot] + analysis::record::state_at, sizeof state);
  return state;
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string text_path(const RunClients& clients, const RunClient& client, std::uint32_t module) {
  return clients.folder + "/" + client.prefix + "-" + std::to_string(module) + ".ptx";
}

// Nothing where there is no memory for it: what becomes of the command does not hang on that.
std::shared_ptr<const analysis::RunCode> read_code(RunClients& clients, const std::string& path) {
  try {
    if (std::string text = read_text(path); !text.empty())
      return std::make_shared<const analysis::RunCode>(parse(std::move(text), "module"), clients.names);
  } catch (const std::bad_alloc&) {
    clients.lacks_memory = true;
  }
  return nullptr;
}

// The module's text is parsed and instrumented once more here: a record is read with the same sites that wrote it.
std::shared_ptr<const analysis::RunCode> code_of(RunClients& clients, RunClient& client, std::uint32_t module) {
  auto& code = client.codes[module];
  if (code != nullptr) return code;
  const std::string path = text_path(clients, client, module);
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return code;
  auto& same = clients.codes[{status.st_dev, status.st_ino}];
  if (same == nullptr) same = read_code(clients, path);
  code = same;
  return code;
}

// Where a module came from, for people: the file; a program's own memory is the program.
std::string origin_of(const RunClient& client, std::string_view noted) {
  return noted.empty() ? client.program : std::string(noted);
}

analysis::RunOutcome outcome_of(run::Loaded loaded, const AnswerSummary* answer, bool has_no_ptx) {
  switch (loaded) {
    case run::Loaded::ours:
    case run::Loaded::linked:
      return analysis::RunOutcome::instrumented;
    case run::Loaded::fell_back:
      return analysis::RunOutcome::fell_back;
    case run::Loaded::refused:
      return analysis::RunOutcome::refused;
    default:
      break;
  }
  if (has_no_ptx || (answer != nullptr && answer->has_ptx == 0)) return analysis::RunOutcome::no_ptx;
  return analysis::RunOutcome::untouched;
}

const char* remedy_without_ptx(run::ImageForm form) {
  if (form == run::ImageForm::elf)
    return "load PTX, or a fat binary that has it (-gencode arch=compute_XX,code=compute_XX), in the place of a cubin; "
           "what CuPy keeps in its cache is compiled anew, and its PTX seen, with CUPY_CACHE_IN_MEMORY=1";
  return "compile with -gencode arch=compute_XX,code=compute_XX as well, which keeps the PTX; a program that has both "
         "loads the PTX with CUDA_FORCE_PTX_JIT=1";
}

analysis::RunModule collect_module(RunClients& clients, RunClient& client, std::uint32_t number, bool is_observed) {
  const SharedView& memory = *client.memory;
  const run::ModuleRow& row = memory->module_rows[number - 1];
  const auto answered = client.answers.find(number);
  const AnswerSummary* answer = answered == client.answers.end() ? nullptr : &answered->second;
  const run::Loaded loaded = row.loaded;
  analysis::RunModule module;
  module.number = module_number(clients, client, number);
  module.pid = client.pid;
  module.origin = origin_of(client, memory.text(row.origin));
  module.call = memory.text(row.call);
  module.bytes = row.bytes;
  const bool is_code = row.has_no_ptx != 0 || (row.form == run::ImageForm::elf && answer == nullptr);
  module.outcome = outcome_of(loaded, answer, is_code);
  module.jit_log = memory.text(row.log);
  module.our_log = memory.text(row.our_log);
  if (loaded != run::Loaded::asked) module.load_ms = row.load_ms;
  module.prepared_ms = row.prepared_ms;
  if (loaded == run::Loaded::linked) {
    module.reason = "it was linked from modules that were instrumented";
  } else if (answer != nullptr) {
    module.target = words(answer->target);
    module.reason = words(answer->reason);
    module.remedy = words(answer->remedy);
    const bool had_code = answer->had_machine_code != 0 || row.has_other_ptx != run::OtherPtx::none;
    module.had_machine_code = had_code && module.outcome == analysis::RunOutcome::instrumented;
    if (row.has_other_ptx == run::OtherPtx::nvrtc)
      module.reason = "NVRTC made its PTX, too" + (module.reason.empty() ? "" : "; " + module.reason);
  } else if (module.outcome == analysis::RunOutcome::untouched) {
    module.reason = is_observed                           ? "nothing is recorded with --no-record"
                    : row.form == run::ImageForm::unknown ? "it is in no form that is known"
                    : row.bytes > run::max_image          ? "it is larger than 256 MiB"
                    : row.note.length != 0                ? ""
                                                          : "the process ended before it was answered";
  }
  if (module.outcome == analysis::RunOutcome::no_ptx && module.remedy.empty())
    module.remedy = remedy_without_ptx(row.form);
  if (module.outcome == analysis::RunOutcome::refused) module.error = error_name(row.error);
  if (module.outcome == analysis::RunOutcome::fell_back) {
    module.error = error_name(row.our_error);
    if (module.our_log.empty()) module.our_log = module.error;
  }
  if (module.outcome == analysis::RunOutcome::instrumented) module.unrecorded = memory.text(row.unrecorded);
  if (const std::string note = memory.text(row.note); !note.empty())
    module.reason = module.reason.empty() ? note : module.reason + "; " + note;
  if (const auto code = client.codes.find(number); code != client.codes.end()) module.code = code->second;
  return module;
}

// Where there is one device, it is that one.
std::vector<std::uint32_t> devices_of(const SharedView& memory, std::uint32_t bits) {
  std::vector<std::uint32_t> devices;
  const std::uint32_t count = std::min(std::uint32_t{memory->devices}, run::max_devices);
  for (std::uint32_t i = 0; i < count; ++i)
    if (count == 1 || (bits >> i & 1U) != 0) devices.push_back(i);
  return devices;
}

void collect_kernels(RunClients& clients, RunClient& client, analysis::RunReport& report) {
  const SharedView& memory = *client.memory;
  const std::size_t begin = report.kernels.size();
  const std::uint32_t count = std::min(memory->kernels.load(), run::max_kernels);
  for (std::uint32_t i = 0; i < count; ++i) {
    const run::KernelRow& row = memory->kernel_rows[i];
    if (row.is_there.load(std::memory_order_acquire) == 0) continue;
    analysis::RunKernel kernel;
    kernel.pid = client.pid;
    kernel.name = memory.text(row.name);
    const std::uint32_t module = row.module;
    kernel.module = module == 0 || module > run::max_modules ? 0 : module_number(clients, client, module);
    kernel.failed = row.failed;
    kernel.launches = row.launches + kernel.failed;
    if (kernel.launches == 0) continue;
    if (kernel.failed != 0) kernel.error = error_name(row.error);
    std::copy_n(row.grid, 3, kernel.grid.begin());
    std::copy_n(row.block, 3, kernel.block.begin());
    kernel.shared_bytes = row.shared;
    kernel.devices = devices_of(memory, row.devices);
    // A kernel that was looked up twice has two rows.
    const auto same = std::find_if(
        report.kernels.begin() + static_cast<std::ptrdiff_t>(begin), report.kernels.end(),
        [&](const analysis::RunKernel& one) { return one.name == kernel.name && one.module == kernel.module; });
    if (same == report.kernels.end()) {
      report.kernels.push_back(std::move(kernel));
      continue;
    }
    same->launches += kernel.launches;
    same->failed += kernel.failed;
    same->grid = kernel.grid;
    same->block = kernel.block;
    same->shared_bytes = kernel.shared_bytes;
    for (const std::uint32_t device : kernel.devices)
      if (std::ranges::find(same->devices, device) == same->devices.end()) same->devices.push_back(device);
    std::ranges::sort(same->devices);
    if (!kernel.error.empty()) same->error = kernel.error;
  }
}

std::string grouped(std::uint64_t n) {
  std::string text = std::to_string(n);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

// What found no room in the tables of a process.
struct Dropped {
  std::uint64_t modules = 0, kernels = 0, texts = 0, records = 0;

  void add(const SharedView& memory) {
    modules += memory->dropped_modules;
    kernels += memory->dropped_kernels;
    texts += memory->dropped_texts;
    records += memory->unrecorded;
  }
  void tell(analysis::RunReport& report) const {
    const auto say = [&](std::uint64_t count, const std::string& words) {
      if (count != 0) report.notes.push_back(grouped(count) + " " + words);
    };
    say(modules,
        "of the modules that were loaded are not told of, and their traps not recorded: a process has room for " +
            grouped(run::max_modules) + ".");
    say(kernels, "of the kernels that were looked up are not told of: a process has room for " +
                     grouped(run::max_kernels) + ".");
    say(texts, "names or logs found no room and are missing.");
    say(records, "modules had no room for a record, so that their traps are not told of: a process has room for " +
                     grouped(run::max_slots) + " at once. Unload modules that are no longer needed.");
  }
};

// Of modules with more places to record than one may have.
void places_left_alone(const RunClients& clients, analysis::RunReport& report) {
  for (const auto& client : clients.all)
    for (const auto& [module, answer] : client->answers) {
      const auto number = client->numbers.find(module);
      if (answer.beyond_limit == 0 || number == client->numbers.end()) continue;
      report.notes.push_back("Module " + std::to_string(number->second) + ": its first " +
                             grouped(analysis::InstrumentOptions{}.max_sites) +
                             " places record, which is the most for one module; " + grouped(answer.beyond_limit) +
                             " more that may trap do not. Split it into several modules to have all of them.");
    }
}

std::string device_text(const SharedView& memory, std::uint32_t i) {
  return memory.text(memory->device_names[i]) + " (sm_" + std::to_string(memory->capabilities[i]) + ")";
}

}  // namespace

std::unique_ptr<SharedView> SharedView::map(int descriptor) {
  struct stat status {};
  const int seals = fcntl(descriptor, F_GET_SEALS);
  void* mapped = MAP_FAILED;
  if (seals >= 0 && (seals & F_SEAL_SHRINK) != 0 && fstat(descriptor, &status) == 0 &&
      status.st_size == static_cast<off_t>(sizeof(run::SharedMemory)))
    mapped = mmap(nullptr, sizeof(run::SharedMemory), PROT_READ, MAP_SHARED, descriptor, 0);
  close(descriptor);
  if (mapped == MAP_FAILED) return nullptr;
  return std::unique_ptr<SharedView>(new SharedView(static_cast<const run::SharedMemory*>(mapped)));
}

SharedView::~SharedView() { munmap(const_cast<void*>(static_cast<const void*>(memory_)), sizeof(run::SharedMemory)); }

std::string SharedView::text(run::TextPlace place) const {
  if (place.offset >= run::text_bytes) return {};
  const std::uint32_t length = std::min({place.length, run::longest_text, run::text_bytes - place.offset});
  if (length > left_) return {};
  left_ -= length;
  return {memory_->text + place.offset, length};
}

std::uint32_t module_number(RunClients& clients, RunClient& client, std::uint32_t module) {
  std::uint32_t& number = client.numbers[module];
  if (number == 0) number = ++clients.modules;
  return number;
}

std::vector<std::uint32_t> new_records(const RunClient& client, bool also_unfinished) {
  std::vector<std::uint32_t> found;
  if (client.memory == nullptr) return found;
  const std::uint32_t used = std::min((*client.memory)->slots_used.load(), run::max_slots);
  for (std::uint32_t slot = 0; slot < used; ++slot) {
    if (client.is_told[slot] || (*client.memory)->slots[slot].module == 0) continue;
    const std::uint32_t state = state_of(**client.memory, slot);
    if (state == analysis::record::state_whole || (also_unfinished && state != analysis::record::state_empty))
      found.push_back(slot);
  }
  return found;
}

analysis::RunTrap collect_trap(RunClients& clients, RunClient& client, std::uint32_t slot) {
  const SharedView& memory = *client.memory;
  memory.begin_reading();
  analysis::RunTrap trap;
  trap.pid = client.pid;
  const std::uint32_t module = memory->slots[slot].module;
  trap.module = module_number(clients, client, module);
  const std::uint32_t device = memory->slots[slot].device;
  if (memory->devices == 1) trap.device = 0;
  else if (device != 0 && device <= run::max_devices) trap.device = device - 1;
  trap.record.assign(memory->records[slot], memory->records[slot] + analysis::record::bytes);
  (void)code_of(clients, client, module);
  std::vector<std::pair<std::uint64_t, analysis::RunLaunch>> launches;
  for (const run::LaunchRow& row : memory->launch_rows) {
    const std::uint64_t sequence = row.sequence.load(std::memory_order_acquire);
    const std::uint32_t kernel = row.kernel;
    if (sequence == 0 || row.module != module || kernel >= run::max_kernels) continue;
    analysis::RunLaunch launch;
    launch.kernel = memory.text(memory->kernel_rows[kernel].name);
    launch.module = trap.module;
    std::copy_n(row.grid, 3, launch.grid.begin());
    std::copy_n(row.block, 3, launch.block.begin());
    launch.shared_bytes = row.shared;
    launch.stream = row.stream;
    launch.parameters.assign(row.parameters,
                             row.parameters + std::min(std::uint32_t{row.parameter_bytes}, run::max_launch_bytes));
    std::atomic_thread_fence(std::memory_order_acquire);
    if (row.sequence.load(std::memory_order_relaxed) == sequence) launches.emplace_back(sequence, std::move(launch));
  }
  std::ranges::sort(launches, [](const auto& a, const auto& b) { return a.first > b.first; });
  for (auto& [sequence, launch] : launches) trap.launches.push_back(std::move(launch));
  return trap;
}

void read_codes(RunClients& clients, std::uint64_t bytes) {
  for (const auto& client : clients.all)
    for (const auto& [module, answer] : client->answers) {
      if (answer.is_replaced == 0 || client->codes[module] != nullptr) continue;
      std::error_code failed;
      const std::uint64_t size = std::filesystem::file_size(text_path(clients, *client, module), failed);
      if (failed || size > bytes) continue;
      bytes -= size;
      (void)code_of(clients, *client, module);
    }
}

void collect(RunClients& clients, analysis::RunReport& report) {
  report.driver_opened = !clients.all.empty();
  report.modules.clear();
  report.kernels.clear();
  report.errors.clear();
  report.devices.clear();
  report.graph_launches = 0;
  Dropped dropped;
  for (const auto& client : clients.all) {
    if (client->memory == nullptr) continue;
    const SharedView& memory = *client->memory;
    memory.begin_reading();
    const std::uint32_t modules = std::min(memory->modules.load(), run::max_modules);
    for (std::uint32_t number = 1; number <= modules; ++number)
      if (memory->module_rows[number - 1].number.load(std::memory_order_acquire) == number)
        report.modules.push_back(collect_module(clients, *client, number, report.observed_only));
    collect_kernels(clients, *client, report);
    report.graph_launches += memory->graph_launches;
    dropped.add(memory);
    const std::int32_t version = memory->driver_version;
    if (version > 0 && report.driver_version.empty())
      report.driver_version = std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
    for (std::uint32_t i = 0; i < std::min(std::uint32_t{memory->devices}, run::max_devices); ++i)
      if (report.devices.size() <= i) report.devices.push_back(device_text(memory, i));
    for (const run::ErrorRow& row : memory->error_rows) {
      if (row.is_there.load(std::memory_order_acquire) == 0) break;
      analysis::RunError error{client->pid, memory.text(row.call), row.code, error_name(row.code), false};
      error.explained =
          std::ranges::any_of(report.traps, [&](const analysis::RunTrap& trap) { return trap.pid == client->pid; });
      report.errors.push_back(std::move(error));
    }
  }
  std::ranges::sort(report.modules, {}, &analysis::RunModule::number);
  dropped.tell(report);
  if (clients.lost != 0)
    report.notes.push_back(
        grouped(clients.lost) + (clients.lost == 1 ? " process" : " processes") +
        " that opened the driver could not be watched: there was no descriptor or no memory left here. Raise ulimit -n "
        "and ulimit -v.");
  if (clients.lacks_memory)
    report.notes.push_back(
        "ptxscope had no memory left to read the text of a module, so that what is recorded of it has no words. Raise "
        "ulimit -v.");
  places_left_alone(clients, report);
  if (report.exit_status || report.signal) settle_verdict(clients, report);
}

}  // namespace ptxscope::driver
