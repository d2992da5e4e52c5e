// Uses each library of an installed ptxscope once.
#include <cstddef>
#include <cstdio>
#include <span>
#include <string>

#include "analysis/cfg.h"
#include "analysis/launch.h"
#include "analysis/traps.h"
#include "driver/run.h"
#include "isa/instructions.h"
#include "parser/container.h"
#include "parser/module.h"
#include "report/diagnostics.h"

int main() {
  const std::string text =
      ".version 7.0\n.target sm_70\n.address_size 64\n"
      ".visible .entry k(.param .u32 n)\n{\n  .reg .pred %p<2>;\n  .reg .b32 %r<3>;\n"
      "  ld.param.u32 %r1, [n];\n  setp.ne.s32 %p1, %r1, 0;\n  @%p1 bra $done;\n  trap;\n$done:\n  ret;\n}\n";
  const ptxscope::Module module = ptxscope::parse(text, "k.ptx");
  const std::string messages = ptxscope::report::to_text(module, module.diagnostics(), {});
  if (module.has_errors() || module.functions().size() != 1) {
    std::fputs(messages.c_str(), stderr);
    return 1;
  }
  const ptxscope::analysis::Cfg cfg = ptxscope::analysis::build_cfg(module, 0);
  const ptxscope::analysis::TrapReport traps = ptxscope::analysis::explain_traps(module);
  const bool knows_trap = ptxscope::isa::find_instruction("trap") != nullptr;
  if (cfg.blocks.size() != 3 || traps.functions.size() != 1 || traps.functions[0].traps.size() != 1 || !knows_trap) {
    std::fprintf(stderr, "blocks %zu, functions %zu\n", cfg.blocks.size(), traps.functions.size());
    return 1;
  }
  const auto bytes = std::as_bytes(std::span(text));
  const ptxscope::ContainerListing listing = ptxscope::read_container(bytes, "k.ptx");
  const ptxscope::driver::PreparedImage prepared = ptxscope::driver::prepare_image(bytes, true, {});
  if (!listing.problems.empty() || !prepared.is_replaced) {
    std::fprintf(stderr, "images %zu, %s\n", listing.images.size(), prepared.reason.c_str());
    return 1;
  }
  return 0;
}
