// Words that all writers of control flow graphs share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "analysis/function_flow.h"

namespace ptxscope::report {

/// "branch", "fallthrough", "return", "exit", "trap", "indirect": `ends_in` of the JSON contract.
[[nodiscard]] std::string_view spelling(analysis::BlockEnd end);
/// "taken", "fallthrough", "indirect".
[[nodiscard]] std::string_view spelling(analysis::EdgeKind kind);

/// "%p1" or "!%p1"; empty for an edge that is always taken. "?" where the guard is no register.
[[nodiscard]] std::string predicate_text(const Module& module, const analysis::Cfg& cfg, const analysis::Edge& edge);

/// What is live at an instruction of a block; nullptr: not known.
[[nodiscard]] const analysis::InstructionPressure* pressure_at(const analysis::LiveRanges& ranges,
                                                               std::uint32_t statement);

/// Lines of the text, both inclusive, from 1.
struct LineRange {
  std::uint32_t first = 0;  ///< of its first statement
  std::uint32_t last = 0;   ///< of its last
};
/// Lines of the block's first and last instruction; of its statements when it has none.
[[nodiscard]] LineRange lines_of(const Module& module, const analysis::Block& block);

/// The last `limit` instructions of the block, in order.
[[nodiscard]] std::vector<std::uint32_t> last_instructions(const Module& module, const analysis::Block& block,
                                                           std::uint32_t limit);

/// "case 0, 2-4"; empty for edges that are not indirect.
[[nodiscard]] std::string cases_text(const analysis::Edge& edge);

/// Whether the edge goes back to the header of a loop it is in.
[[nodiscard]] bool is_back_edge(const analysis::Cfg& cfg, const analysis::Edge& edge);

/// Header of a loop: its index; no_index otherwise.
[[nodiscard]] std::uint32_t loop_headed_by(const analysis::Cfg& cfg, analysis::BlockId block);

/// Blocks that end the thread by a trap or by a call that does not return.
[[nodiscard]] std::uint32_t count_trap_blocks(const analysis::Cfg& cfg);

/// "1 block", "3 blocks", "no blocks".
[[nodiscard]] std::string counted_or_none(std::size_t count, std::string_view noun);

}  // namespace ptxscope::report
