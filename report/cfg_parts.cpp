#include "report/cfg_parts.h"

#include <algorithm>

#include "report/terminal.h"

namespace ptxscope::report {

using analysis::Block;
using analysis::BlockEnd;
using analysis::Cfg;
using analysis::Edge;
using analysis::EdgeKind;

std::string_view spelling(BlockEnd end) {
  switch (end) {
    case BlockEnd::branch:
      return "branch";
    case BlockEnd::fallthrough:
      return "fallthrough";
    case BlockEnd::ret:
      return "return";
    case BlockEnd::exit:
      return "exit";
    case BlockEnd::trap:
      return "trap";
    case BlockEnd::indirect:
      return "indirect";
  }
  return "fallthrough";
}

std::string_view spelling(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::taken:
      return "taken";
    case EdgeKind::fallthrough:
      return "fallthrough";
    case EdgeKind::indirect:
      return "indirect";
  }
  return "fallthrough";
}

std::string predicate_text(const Module& module, const Cfg& cfg, const Edge& edge) {
  if (!edge.conditional) return {};
  const Function& function = module.functions()[cfg.function];
  const std::string name = edge.predicate < function.register_count
                               ? printable(module.register_name(function, edge.predicate), 100)
                               : std::string("?");
  return (edge.negated ? "!" : "") + name;
}

const analysis::InstructionPressure* pressure_at(const analysis::LiveRanges& ranges, std::uint32_t statement) {
  const auto found =
      std::ranges::lower_bound(ranges.instructions, statement, {}, &analysis::InstructionPressure::statement);
  return found != ranges.instructions.end() && found->statement == statement ? &*found : nullptr;
}

LineRange lines_of(const Module& module, const Block& block) {
  if (block.instructions != 0)
    return {module.line_of_statement(block.first_instruction), module.line_of_statement(block.last_instruction)};
  const std::uint32_t count = module.statement_count();
  if (count == 0) return {1, 1};
  const std::uint32_t first = module.line_of_statement(std::min(block.first, count - 1));
  const std::uint32_t last =
      block.last < block.first ? first : module.line_of_statement(std::min(block.last, count - 1));
  return {first, std::max(first, last)};
}

std::vector<std::uint32_t> last_instructions(const Module& module, const Block& block, std::uint32_t limit) {
  std::vector<std::uint32_t> found;
  if (block.instructions == 0) return found;
  for (std::uint32_t i = block.last_instruction + 1; i-- > block.first_instruction && found.size() < limit;)
    if (module.statement(i).kind() == StatementKind::instruction) found.push_back(i);
  std::reverse(found.begin(), found.end());
  return found;
}

std::string cases_text(const Edge& edge) {
  if (edge.cases.empty()) return {};
  std::string text = edge.cases.size() == 1 ? "case " : "cases ";
  constexpr std::size_t most_ranges = 8;
  std::size_t ranges = 0;
  for (std::size_t i = 0; i < edge.cases.size();) {
    if (ranges++ == most_ranges) return text + ", …";
    std::size_t end = i + 1;
    while (end < edge.cases.size() && edge.cases[end] == edge.cases[end - 1] + 1) ++end;
    if (i != 0) text += ", ";
    text += std::to_string(edge.cases[i]);
    if (end - i > 1) text += (end - i == 2 ? ", " : "-") + std::to_string(edge.cases[end - 1]);
    i = end;
  }
  return text;
}

bool is_back_edge(const Cfg& cfg, const Edge& edge) {
  return cfg.blocks[edge.from].reachable && cfg.dominates(edge.to, edge.from);
}

std::uint32_t loop_headed_by(const Cfg& cfg, analysis::BlockId block) {
  const std::uint32_t loop = cfg.blocks[block].loop;
  return loop != no_index && cfg.loops[loop].header == block ? loop : no_index;
}

std::uint32_t count_trap_blocks(const Cfg& cfg) {
  return static_cast<std::uint32_t>(std::ranges::count_if(cfg.blocks, analysis::is_trap_block));
}

std::string counted_or_none(std::size_t count, std::string_view noun) {
  return (count == 0 ? "no" : std::to_string(count)) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace ptxscope::report
