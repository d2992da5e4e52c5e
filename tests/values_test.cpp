// FunctionValues by itself: how much it looks at. What it finds is in traps_test.cpp and tests/golden.
#include "analysis/values.h"

#include <memory>
#include <string>

#include "tests/catch.h"

using namespace ptxscope;
using namespace ptxscope::analysis;

namespace {

// What it takes to know each register that is read in the first function, and when control comes to each block.
std::uint64_t steps_for_all(const std::string& text) {
  const Module module = parse(".version 7.8\n.target sm_80\n.address_size 64\n" + text, "large.ptx");
  REQUIRE(module.diagnostics().empty());
  ModuleValues values(module, std::make_shared<ExprPool>());
  FunctionValues& function = values.of(0);
  RegisterUses uses;
  for (const Block& block : function.cfg().blocks) {
    static_cast<void>(function.reach(block.id));
    for (std::uint32_t s = block.first; s <= block.last; ++s) {
      if (module.statement(s).kind() != StatementKind::instruction) continue;
      register_uses(module.statement(s), uses);
      for (const RegisterNumber reg : uses.reads) {
        static_cast<void>(function.before(reg, s));
        static_cast<void>(function.reaching_definition(reg, s));
      }
    }
  }
  return function.steps();
}

// Few registers, written everywhere, in one loop behind the other.
std::string loops_in_a_row(unsigned count) {
  std::string text =
      ".visible .entry k(.param .u32 n)\n{\n.reg .pred %p<3>;\n.reg .b32 %r<99>;\nld.param.u32 %r0, [n];\n";
  for (unsigned i = 0; i < count; ++i) {
    const std::string n = std::to_string(i);
    const auto reg = [&](unsigned factor) { return "%r" + std::to_string(1 + i * factor % 97); };
    text += "L" + n + ":\nadd.s32 " + reg(1) + ", " + reg(7) + ", 1;\nsetp.ge.u32 %p1, " + reg(1) +
            ", %r0;\n@%p1 bra E" + n + ";\nadd.s32 " + reg(13) + ", " + reg(1) + ", 2;\nsetp.lt.u32 %p2, " + reg(13) +
            ", 9;\n@%p2 bra L" + n + ";\nE" + n + ":\n";
  }
  return text + "ret;\n}\n";
}

// As many registers as branches, each written at the beginning and read at the end.
std::string branches_in_a_row(unsigned count) {
  std::string text = ".visible .entry k(.param .u32 n)\n{\n.reg .pred %p<" + std::to_string(count) +
                     ">;\n.reg .b32 %r<" + std::to_string(count) + ">;\n.reg .b32 %s;\nld.param.u32 %s, [n];\n";
  for (unsigned i = 0; i < count; ++i) {
    const std::string n = std::to_string(i);
    text += "add.s32 %r" + n + ", %s, " + n + ";\nsetp.lt.u32 %p" + n + ", %r" + n + ", 9;\n";
  }
  for (unsigned i = 0; i < count; ++i) {
    const std::string n = std::to_string(i);
    text += "@%p" + n + " bra J" + n + ";\nadd.s32 %r0, %r0, 1;\nJ" + n + ":\nadd.s32 %r1, %r1, 1;\n";
  }
  for (unsigned i = 0; i < count; ++i) text += "st.global.u32 [%r1], %r" + std::to_string(i) + ";\n";
  return text + "ret;\n}\n";
}

}  // namespace

TEST_CASE("twice the function takes twice the steps") {
  for (const auto& make : {loops_in_a_row, branches_in_a_row}) {
    const std::uint64_t once = steps_for_all(make(1000));
    const std::uint64_t twice = steps_for_all(make(2000));
    CHECK(static_cast<double>(twice) < 2.2 * static_cast<double>(once));
    CHECK(once < 1000 * 60);  // not blocks times registers
  }
}
