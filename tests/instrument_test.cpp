#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "analysis/instrument.h"
#include "analysis/run_report.h"
#include "report/run.h"
#include "report/run_trap.h"
#include "tests/catch.h"

using namespace ptxscope;
using namespace ptxscope::analysis;

namespace {

std::string read(const std::string& name) {
  const char* source = std::getenv("PTXSCOPE_SOURCE");
  std::ifstream file(std::string(source == nullptr ? "." : source) + "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string header(std::string_view body) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n" + std::string(body);
}

// The memory that a GPU would have written.
struct Memory {
  std::vector<std::byte> bytes = std::vector<std::byte>(record::bytes);
  void put(std::size_t at, std::uint64_t value, std::size_t size = 4) {
    for (std::size_t i = 0; i < size; ++i) bytes[at + i] = static_cast<std::byte>(value >> (8 * i) & 0xffU);
  }
  void put3(std::size_t at, std::array<std::uint32_t, 3> value) {
    for (std::size_t i = 0; i < 3; ++i) put(at + 4 * i, value[i]);
  }
};

Memory memory_of(const Instrumented& code, const Site& site) {
  Memory memory;
  memory.put(record::state_at, record::state_whole);
  memory.put(record::version_at, record::version);
  memory.put(record::site_at, site.number);
  memory.put(record::module_at, code.tag);
  memory.put(record::valid_at, (1U << site.values.size()) - 1);
  memory.put3(record::nctaid_at, {1, 1, 1});
  memory.put3(record::ntid_at, {1, 1, 1});
  return memory;
}

// Sets the recorded value of that name; false: there is none.
RunReport report_of(Module module, const std::string& origin) {
  RunReport report;
  report.driver_opened = true;
  RunModule one;
  one.number = 1;
  one.origin = origin;
  one.outcome = RunOutcome::instrumented;
  one.code = std::make_shared<RunCode>(std::move(module));
  report.modules.push_back(std::move(one));
  return report;
}

std::string told(const RunReport& report, const Memory& memory, std::vector<RunLaunch> launches = {}) {
  RunTrap trap;
  trap.module = 1;
  trap.record = memory.bytes;
  trap.launches = std::move(launches);
  return report::run_trap_text(report, trap, {});
}

const Instrumented& code_of(const RunReport& report) { return report.modules.front().code->instrumented; }

}  // namespace

TEST_CASE("a module without traps is left byte for byte") {
  const Module module = parse(header(".visible .entry k() { ret; }\n"), "k.ptx");
  const Instrumented code = instrument(module);
  CHECK_FALSE(code.changed);
  CHECK(code.text == module.text());
  CHECK(code.sites.empty());
  CHECK(code.left_alone.empty());
}

TEST_CASE("what is not understood is left alone, with a reason") {
  const auto reason = [](std::string text) {
    const Instrumented code = instrument(parse(std::move(text), "k.ptx"));
    CHECK_FALSE(code.changed);
    return code.left_alone.empty() ? std::string() : code.left_alone.front().reason;
  };
  CHECK(reason(".version 8.0\n.target sm_80\n.address_size 32\n.entry k() { trap; }") == "its addresses have 32 bits");
  CHECK(reason(".version 1.4\n.target sm_13\n.entry k() { trap; }") == "it is older than PTX 2.3 or sm_20");
  CHECK(reason(header(".entry k() { trap; ?; }")) == "parts of its text could not be read");
  const Instrumented once = instrument(parse(header(".entry k() { trap; }"), "k.ptx"));
  REQUIRE(once.changed);
  CHECK(reason(once.text) == "it has been instrumented before");
}

TEST_CASE("edits are all that changes") {
  for (const char* name : {"samples/vecadd/vecadd.ptx", "samples/assert/assert.ptx", "samples/panic/panic.ptx",
                           "samples/switch/switch.ptx", "samples/span/span.ptx", "samples/debug/checked.ptx"}) {
    CAPTURE(name);
    const Module module = parse(read(name), name);
    const Instrumented code = instrument(module);
    REQUIRE(code.changed);
    CHECK(code.left_alone.empty());
    std::string back;
    std::size_t at = 0;
    std::size_t done = 0;
    for (const InstrumentEdit& edit : code.edits) {
      const std::size_t same = edit.span.begin - done;
      back += code.text.substr(at, same);
      back += module.text(edit.span);
      at += same + edit.after.size();
      done = edit.span.end;
    }
    back += code.text.substr(at);
    CHECK(back == module.text());
    const Module changed = parse(code.text, name);
    CHECK_FALSE(changed.has_errors());
    CHECK(instrument(module).text == code.text);
  }
}

TEST_CASE("parameters are laid out as a launch passes them") {
  const Module module = parse(
      header(
          ".entry k(.param .u8 a, .param .u64 b, .param .align 16 .b8 c[20], .param .u16 d, .param .u32 e) { ret; }"),
      "k.ptx");
  const auto layouts = kernel_layouts(module);
  REQUIRE(layouts.size() == 1);
  const KernelLayout& layout = layouts.front();
  CHECK(layout.name == "k");
  REQUIRE(layout.parameters.size() == 5);
  const std::array<std::uint32_t, 5> offsets{0, 8, 16, 36, 40};
  for (std::size_t i = 0; i < offsets.size(); ++i) CHECK(layout.parameters[i].offset == offsets[i]);
  CHECK(layout.bytes == 44);
}

TEST_CASE("a bounds check is told of as the CPU would") {
  const RunReport report = report_of(parse(read("samples/vecadd/vecadd.ptx"), "vecadd.ptx"), "./app");
  const Instrumented& code = code_of(report);
  REQUIRE(code.sites.size() == 2);
  const Site& site = code.sites.front();
  CHECK(site.has_parameters);
  REQUIRE(site.values.size() == 2);
  Memory memory = memory_of(code, site);
  memory.put3(record::ctaid_at, {2, 0, 0});
  memory.put3(record::nctaid_at, {4, 1, 1});
  memory.put3(record::ntid_at, {256, 1, 1});
  memory.put(record::values_at, 512, 8);
  memory.put(record::values_at + 8, 512, 8);
  memory.put(record::parameter_bytes_at, 48);
  const std::array<std::uint64_t, 6> parameters{0x7f0000000000, 512, 0x7f0000001000, 1024, 0x7f0000002000, 1024};
  for (std::size_t i = 0; i < parameters.size(); ++i) memory.put(record::parameters_at + 8 * i, parameters[i], 8);
  CHECK(told(report, memory) ==
        "vecadd trapped: index out of bounds: global.x = 512, arg0.len = 512   (src/main.rs:22)\n"
        "  block (2,0,0) thread (0,0,0); 512 of 1024 threads would trap; module 1 of ./app, trap 1\n"
        "  kernel launched with grid (4,1,1) block (256,1,1): arg0.ptr=0x7f0000000000, arg0.len=512, "
        "arg1.ptr=0x7f0000001000, arg1.len=1024, arg2.ptr=0x7f0000002000, arg2.len=1024\n");
  // Without parameters in the record: those of the launch in the same shape.
  memory.put(record::parameter_bytes_at, 0);
  RunLaunch launch;
  launch.kernel = "vecadd";
  launch.module = 1;
  launch.grid = {4, 1, 1};
  launch.block = {256, 1, 1};
  launch.parameters.assign(memory.bytes.begin() + record::parameters_at,
                           memory.bytes.begin() + record::parameters_at + 48);
  CHECK(told(report, memory, {launch}).find("arg2.len=1024") != std::string::npos);
  RunLaunch other = launch;
  other.parameters[8] = std::byte{1};
  CHECK(told(report, memory, {launch, other}).find("arg2.len") == std::string::npos);  // either may be it
  memory.put(record::parameter_bytes_at, 16);  // the first two parameters tell them apart
  CHECK(told(report, memory, {other, launch}).find("arg2.len=1024") != std::string::npos);
  launch.grid = {5, 1, 1};
  CHECK(told(report, memory, {launch}).find("arg2.len") == std::string::npos);
}

TEST_CASE("an assertion is told of with its message and its place") {
  const RunReport report = report_of(parse(read("samples/assert/assert.ptx"), "assert.ptx"), "");
  const Instrumented& code = code_of(report);
  REQUIRE(code.sites.size() == 1);
  Memory memory = memory_of(code, code.sites.front());
  for (const RecordedValue& value : code.sites.front().values) memory.put(record::values_at + 8 * value.slot, 99, 4);
  const std::string text = told(report, memory);
  CHECK(text.starts_with("scatter trapped: assertion failed: index[i] >= 0 && index[i] < capacity: "));
  CHECK(text.find("= 99") != std::string::npos);
  CHECK(text.find("(assert.cu:7)") != std::string::npos);
}

TEST_CASE("records that are not whole, not ours or damaged") {
  const Module module = parse(read("samples/vecadd/vecadd.ptx"), "vecadd.ptx");
  const Instrumented code = instrument(module);
  std::string why;
  Memory memory = memory_of(code, code.sites.front());
  REQUIRE(decode_record(memory.bytes, code, &why));
  CHECK_FALSE(decode_record(std::span(memory.bytes).first(100), code, &why));
  memory.put(record::state_at, record::state_started);
  const auto started = decode_record(memory.bytes, code);
  REQUIRE(started);
  CHECK_FALSE(started->whole);
  for (const auto& [at, value] : std::map<std::uint32_t, std::uint32_t>{
           {record::state_at, 0}, {record::version_at, 7}, {record::site_at, 99}, {record::module_at, 1}}) {
    Memory damaged = memory_of(code, code.sites.front());
    damaged.put(at, value);
    why.clear();
    CHECK_FALSE(decode_record(damaged.bytes, code, &why));
    CHECK_FALSE(why.empty());
  }
}

TEST_CASE("a trap with several ways: the values tell which was taken") {
  const Module module = parse(header(R"(
.visible .entry k(.param .u64 out, .param .u32 n, .param .u32 m) {
  .reg .pred %p<3>;
  .reg .b32 %r<4>;
  ld.param.u32 %r1, [n];
  ld.param.u32 %r2, [m];
  mov.u32 %r3, %tid.x;
  setp.ge.u32 %p1, %r3, %r1;
  @%p1 bra BAD;
  setp.ge.u32 %p2, %r3, %r2;
  @%p2 bra BAD;
  ret;
BAD:
  trap;
})"),
                              "k.ptx");
  const Instrumented code = instrument(module);
  REQUIRE(code.sites.size() == 1);
  REQUIRE(code.sites.front().ways.size() == 2);
  const auto taken = [&](std::uint32_t thread, std::uint32_t n, std::uint32_t m) {
    Memory memory = memory_of(code, code.sites.front());
    memory.put3(record::tid_at, {thread, 0, 0});
    memory.put(record::parameter_bytes_at, 16);
    memory.put(record::parameters_at + 8, n);
    memory.put(record::parameters_at + 12, m);
    const auto decoded = decode_record(memory.bytes, code);
    REQUIRE(decoded);
    RecordNumbers numbers(*decoded, code);
    return way_taken(*decoded, numbers);
  };
  CHECK(taken(5, 5, 100) == 0U);
  CHECK(taken(5, 100, 5) == 1U);
  CHECK(taken(5, 1, 1) == 0U);
}

TEST_CASE("a way whose values are gone at the trap records them for itself") {
  const std::string text = header(R"(
.visible .entry k(.param .u64 p, .param .u32 n) {
  .reg .pred %p<3>;
  .reg .b32 %r<4>;
  .reg .b64 %rd1;
  ld.param.u64 %rd1, [p];
  ld.param.u32 %r1, [n];
  ld.global.u32 %r2, [%rd1];
  setp.ge.u32 %p1, %r2, %r1;
  @%p1 bra BAD;
  ld.global.u32 %r2, [%rd1+4];
  setp.lt.u32 %p2, %r2, %r1;
  @%p2 bra GOOD;
BAD:
  trap;
GOOD:
  ret;
})");
  const RunReport report = report_of(parse(text, "k.ptx"), "");
  const Instrumented& code = code_of(report);
  REQUIRE(code.sites.size() == 1);
  const Site& site = code.sites.front();
  REQUIRE(site.ways.size() == 2);
  CHECK(site.notes.empty());
  // The branch of the first is led aside; code of the second stands behind its branch.
  CHECK(code.text.find("@%p1 bra $__ptxscope_way1_1;") != std::string::npos);
  CHECK(code.text.find("$__ptxscope_done1_2:") < code.text.find("BAD:"));
  Memory memory = memory_of(code, site);
  memory.put(record::way_at, 2);
  for (const RecordedValue& value : site.values) memory.put(record::values_at + 8 * value.slot, 70 + value.slot, 4);
  memory.put(record::parameter_bytes_at, 12);
  memory.put(record::parameters_at + 8, 5);
  const auto decoded = decode_record(memory.bytes, code);
  REQUIRE(decoded);
  RecordNumbers numbers(*decoded, code);
  CHECK(way_taken(*decoded, numbers) == 1U);
}

TEST_CASE("a guarded trap becomes a branch in its place") {
  const Module module = parse(header(R"(
.visible .entry k(.param .u32 n) {
  .reg .pred %p1;
  .reg .b32 %r1;
  ld.param.u32 %r1, [n];
  setp.eq.u32 %p1, %r1, 0;
  @%p1 trap;
})"),
                              "k.ptx");
  const Instrumented code = instrument(module);
  REQUIRE(code.sites.size() == 1);
  CHECK(code.text.find("@%p1 bra $__ptxscope_site1;") != std::string::npos);
  CHECK(code.text.find("\tret;\n$__ptxscope_site1:") != std::string::npos);
  CHECK_FALSE(parse(code.text, "k.ptx").has_errors());
}

TEST_CASE("a compared value is recorded out of a wider copy of it") {
  // The byte itself is in a register that no instruction of the record can store.
  const Module module = parse(
      ".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
      "  .reg .b64 %rd1; .reg .pred %p1; .reg .b16 %h1; .reg .b8 %z;\n"
      "  ld.param.u64 %rd1, [p];\n  ld.global.u8 %z, [%rd1];\n  cvt.u16.u8 %h1, %z;\n"
      "  setp.lt.u16 %p1, %h1, 7;\n  @%p1 trap;\n  ret;\n}\n",
      "byte.ptx");
  const Instrumented code = instrument(module);
  REQUIRE(code.sites.size() == 1);
  const Site& site = code.sites.front();
  CHECK(site.notes.empty());
  REQUIRE(site.values.size() == 1);
  CHECK((*code.report.pool)[site.values.front().expr].op == ExprOp::load);
  CHECK(code.text.find("st.global.b16 [%__ptxscope_base+128], %h1;") != std::string::npos);
}

TEST_CASE("registers that hold another value at the trap are not recorded") {
  const Module module = parse(header(R"(
.visible .entry k(.param .u64 p) {
  .reg .pred %p1;
  .reg .b32 %r1;
  .reg .b64 %rd1;
  ld.param.u64 %rd1, [p];
  ld.global.u32 %r1, [%rd1];
  setp.gt.u32 %p1, %r1, 7;
  mov.u32 %r1, 0;
  @%p1 bra BAD;
  ret;
BAD:
  trap;
})"),
                              "k.ptx");
  const Instrumented code = instrument(module);
  REQUIRE(code.sites.size() == 1);
  const Site& site = code.sites.front();
  CHECK(std::none_of(site.values.begin(), site.values.end(), [](const RecordedValue& v) { return v.bits == 32; }));
  CHECK_FALSE(site.notes.empty());
}

TEST_CASE("a run's summary") {
  RunReport report = report_of(parse(read("samples/vecadd/vecadd.ptx"), "vecadd.ptx"), "./app");
  CHECK(report::run_summary_text(report, {}, false) == "no kernel was seen to run, but not all was watched\n");
  report.verdict = LaunchVerdict::nothing_launched;
  CHECK(report::run_summary_text(report, {}, false) == "no kernel ran\n");
  RunKernel kernel;
  kernel.name = "vecadd";
  kernel.module = 1;
  kernel.launches = 3;
  kernel.grid = {4, 1, 1};
  kernel.block = {256, 1, 1};
  report.kernels.push_back(kernel);
  report.verdict = LaunchVerdict::launched;
  CHECK(report::run_summary_text(report, {}, false).empty());
  CHECK(report::run_summary_text(report, {}, true) ==
        "module 1 of ./app: records at 2 places\n"
        "vecadd of module 1: 3 launches, last with grid (4,1,1) block (256,1,1)\n");
  report.driver_opened = false;
  report.verdict = LaunchVerdict::nothing_launched;
  CHECK(report::run_summary_text(report, {}, false) == "the program did not open the CUDA driver: nothing to report\n");
}
