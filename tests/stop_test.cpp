// What is ended early by a flag that another thread sets: parallel work, analyses, reading from a pipe.
#include "analysis/stop.h"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "analysis/check.h"
#include "analysis/checks.h"
#include "analysis/function_flow.h"
#include "analysis/instrument.h"
#include "analysis/parallel.h"
#include "analysis/retarget.h"
#include "analysis/safety_branches.h"
#include "analysis/stats.h"
#include "analysis/traps.h"
#include "parser/text_buffer.h"
#include "tests/catch.h"

using namespace ptxscope;
using namespace ptxscope::analysis;

namespace {

// Three kernels, each with a check, an instruction of PTX ISA 7.0 and a name that is not declared.
Module three_kernels() {
  std::string text = ".version 8.0\n.target sm_90\n.address_size 64\n";
  for (const char* const name : {"one", "two", "three"})
    text += std::string(".entry ") + name + R"((.param .u32 n)
{
  .reg .pred %p;
  .reg .b32 %r<4>;
  ld.param.u32 %r1, [n];
  setp.gt.u32 %p, %r1, 7;
  @%p trap;
  redux.sync.add.s32 %r2, %r1, -1;
  mov.u32 %r3, undeclared;
  ret;
}
)";
  return parse(text, "three.ptx");
}

std::size_t functions_counted(const ModuleStats& stats) {
  std::size_t count = 0;
  for (const FunctionStats& one : stats.functions) count += one.counts.instructions > 0 ? 1 : 0;
  return count;
}

std::size_t functions_followed(const FlowReport& report) {
  std::size_t count = 0;
  for (const FunctionFlow& one : report.functions) count += one.cfg.blocks.empty() ? 0 : 1;
  return count;
}

}  // namespace

TEST_CASE("No further piece of work is begun") {
  for (const unsigned jobs : {1U, 4U}) {
    std::atomic<bool> stop = false;
    std::atomic<std::size_t> done = 0;
    for_each_index(
        1'000'000, jobs, [&](std::size_t i) { done += 1, stop = stop || i == 3; }, &stop);
    CHECK(done >= 4);
    CHECK(done < 1'000'000);
    if (jobs == 1) CHECK(done == 4);
  }
}

TEST_CASE("An analysis does all of it unless the flag is set, and then no function") {
  const Module module = three_kernels();
  std::atomic<bool> stop = false;
  for (const std::size_t expected : {std::size_t{3}, std::size_t{0}}) {
    CAPTURE(expected);
    CHECK(explain_traps(module, {.kernels = {}, .names = {}, .stop = &stop}).functions.size() == expected);
    CHECK(functions_counted(count_module(module, {}, 1, &stop)) == expected);
    CHECK(functions_followed(flow_of_functions(module, {}, 1, &stop)) == expected);
    CHECK(find_safety_branches(module, {}, {}, &stop).size() == expected);
    CHECK(check_semantics(module, {.stop = &stop}).size() == expected);
    CHECK(requirements(module, {.stop = &stop}).reasons.empty() == (expected == 0));
    CHECK(check(module, {}, {.stop = &stop}).needs.empty() == (expected == 0));
    CHECK(instrument(module, {.names = {}, .stop = &stop}).sites.size() == expected);
    stop = true;
  }
}

TEST_CASE("A module of one function is left in the middle of it") {
  std::string text = ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u32 n)\n{\n.reg .b32 %r<3>;\n";
  for (std::uint32_t i = 0; i < 3 * statements_between_looks; ++i)
    text += "mov.u32 %r1, undeclared" + std::to_string(i) + ";\n";
  const Module module = parse(text + "ret;\n}\n", "one.ptx");
  std::atomic<bool> stop = false;
  constexpr std::size_t no_limit = 1'000'000;
  const SemanticOptions options{.limit = no_limit, .stop = &stop};
  CHECK(check_semantics(module, options).size() == 3 * statements_between_looks);
  stop = true;
  CHECK(check_semantics(module, options).size() < statements_between_looks);
}

TEST_CASE("retarget that was stopped says that nothing fits, not that it does") {
  const Module module = parse(".version 8.0\n.target sm_90\n.entry k() { ret; }\n", "k.ptx");
  std::atomic<bool> stop = false;
  RetargetWish wish;
  wish.lowest_target = wish.lowest_version = true;
  wish.stop = &stop;
  CHECK(retarget(module, wish).fits);
  stop = true;
  const Retargeting stopped = retarget(module, wish);
  CHECK_FALSE(stopped.fits);
  CHECK(stopped.text.empty());
}

TEST_CASE("Reading from a pipe that nobody writes") {
  std::string folder = std::filesystem::temp_directory_path() / "ptxscope_stop_XXXXXX";
  REQUIRE(::mkdtemp(folder.data()) != nullptr);
  const std::string pipe = folder + "/pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::atomic<bool> stop = false;
  std::string error;
  bool has_text = true;
  std::thread reader([&] { has_text = TextBuffer::read(pipe, error, &stop).has_value(); });
  stop = true;
  reader.join();
  CHECK_FALSE(has_text);
  CHECK(error == "was not read to its end: that was stopped; read it again");
  std::filesystem::remove_all(folder);
}
