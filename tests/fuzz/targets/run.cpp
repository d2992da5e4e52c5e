// run: what a process that opened the driver leaves in the memory that it shares, which may be anything.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "driver/run_collect.h"
#include "driver/run_protocol.h"
#include "report/run.h"
#include "tests/fuzz/outputs.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace ptxscope::fuzz {

namespace {

constexpr std::string_view kernel =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 k_param_0, .param .u32 k_param_1)\n"
    "{\n.reg .pred %p<2>;\n.reg .b32 %r<4>;\n.reg .b64 %rd<3>;\nld.param.u32 %r1, [k_param_1];\nmov.u32 %r2, %tid.x;\n"
    "setp.lt.u32 %p1, %r2, %r1;\n@%p1 bra $L;\ntrap;\n$L:\nld.param.u64 %rd1, [k_param_0];\nret;\n}\n";

// The memory, in this process; its pages are given back after each input.
class Shared {
 public:
  Shared() : descriptor_(::memfd_create("run", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
    require(descriptor_ >= 0 && ::ftruncate(descriptor_, size) == 0 &&
                ::fcntl(descriptor_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0,
            "memory can be made");
    void* const mapped = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
    require(mapped != MAP_FAILED, "memory can be mapped");
    bytes_ = static_cast<std::byte*>(mapped);
  }
  ~Shared() {
    ::munmap(bytes_, size);
    ::close(descriptor_);
  }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

  void clear() const {
    require(::fallocate(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, size) == 0, "memory is cleared");
  }
  void put(std::size_t at, std::string_view bytes) const {
    if (at < size) std::memcpy(bytes_ + at, bytes.data(), std::min<std::size_t>(bytes.size(), size - at));
  }
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  static constexpr std::size_t size = sizeof(run::SharedMemory);
  int descriptor_;
  std::byte* bytes_ = nullptr;
};

// A table of the memory: where it begins, how large a row is, how many there are.
struct Table {
  std::size_t begin, row, count;
};
const Table tables[] = {
    {offsetof(run::SharedMemory, module_rows), sizeof(run::ModuleRow), run::max_modules},
    {offsetof(run::SharedMemory, kernel_rows), sizeof(run::KernelRow), run::max_kernels},
    {offsetof(run::SharedMemory, launch_rows), sizeof(run::LaunchRow), run::max_launches},
    {offsetof(run::SharedMemory, error_rows), sizeof(run::ErrorRow), run::max_errors},
    {offsetof(run::SharedMemory, slots), sizeof(run::SlotRow), run::max_slots},
    {offsetof(run::SharedMemory, text), 64, run::text_bytes / 64},
    {offsetof(run::SharedMemory, records), analysis::record::bytes, run::max_slots},
    {0, 4, offsetof(run::SharedMemory, module_rows) / 4},
};

// The input is pieces: table, row, where in the row, how many bytes, those bytes.
void fill(const Shared& shared, std::string_view input) {
  constexpr std::size_t head = 4;
  while (input.size() > head) {
    const auto byte = [&](std::size_t i) { return std::size_t{static_cast<unsigned char>(input[i])}; };
    const Table& table = tables[byte(0) % std::size(tables)];
    const std::size_t length = std::min(byte(3), input.size() - head);
    shared.put(table.begin + byte(1) % table.count * table.row + byte(2) % table.row, input.substr(head, length));
    input.remove_prefix(head + length);
  }
}

// A record that is of the module, so that what it holds is looked at; few enough threads to stay fast.
void make_fit(const Shared& shared, std::uint32_t slot, std::uint32_t tag) {
  namespace record = analysis::record;
  const auto put = [&](std::size_t at, std::uint32_t value) {
    const std::string_view bytes(reinterpret_cast<const char*>(&value), sizeof value);
    shared.put(offsetof(run::SharedMemory, records) + slot * record::bytes + at, bytes);
  };
  put(record::state_at, record::state_whole);
  put(record::version_at, record::version);
  put(record::module_at, tag);
  for (std::uint32_t axis = 0; axis < 3; ++axis) {
    put(record::nctaid_at + 4 * axis, 2);
    put(record::ntid_at + 4 * axis, 3);
  }
}

void collect(const Input& input) {
  static const Shared shared;
  static const auto code = std::make_shared<const analysis::RunCode>(parse(std::string(kernel), "module"));
  shared.clear();
  fill(shared, input.bytes);
  constexpr std::uint32_t fitting = 4;
  for (std::uint32_t slot = 0; slot < fitting; ++slot) make_fit(shared, slot, code->instrumented.tag);

  driver::RunClients clients;
  clients.folder = "/nowhere";
  auto client = std::make_unique<driver::RunClient>();
  client->pid = 1;
  client->prefix = "1";
  client->program = "./app";
  client->memory = driver::SharedView::map(::dup(shared.descriptor()));
  require(client->memory != nullptr, "memory of the right size is taken");
  client->codes[1] = code;
  clients.all.push_back(std::move(client));

  analysis::RunReport report;
  const std::vector<std::uint32_t> records = driver::new_records(*clients.all.front(), true);
  constexpr std::size_t most_records = 6;
  for (std::size_t i = 0; i < std::min(records.size(), most_records); ++i)
    report.traps.push_back(driver::collect_trap(clients, *clients.all.front(), records[i]));
  driver::collect(clients, report);
  std::size_t bytes = 0;
  for (const analysis::RunKernel& one : report.kernels) bytes += one.name.size();
  require(bytes <= std::size_t{2} * run::text_bytes, "names are no longer than what they may lie in");
  constexpr std::size_t shown_in_time = std::size_t{1} << 18;
  if (bytes > shown_in_time) return;
  for (const analysis::RunTrap& trap : report.traps)
    require_terminal(report::run_trap_text(report, trap, {.color = true, .width = 80}), "run");
  require_terminal(report::run_summary_text(report, {.color = true, .width = 80}, true), "run");
  require_json(report::run_json(report), "ptxscope.run/1");
}

}  // namespace

Target run_target_of_processes() {
  return {.name = "run", .form = Form::text, .run = collect, .most_bytes = std::size_t{1} << 12};
}

}  // namespace ptxscope::fuzz
