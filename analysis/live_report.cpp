#include "analysis/live_report.h"

#include <algorithm>
#include <utility>

#include "analysis/debug_names.h"
#include "analysis/slices.h"
#include "analysis/values.h"

namespace ptxscope::analysis {

namespace {

std::vector<PressurePeak> find_peaks(const LiveRanges& ranges) {
  std::vector<PressurePeak> peaks;
  if (ranges.max_live.registers == 0) return peaks;
  bool goes_on = false;
  for (const InstructionPressure& one : ranges.instructions) {
    const bool is_peak = one.live.registers == ranges.max_live.registers;
    if (is_peak && goes_on) peaks.back().last = one.statement;
    if (is_peak && !goes_on) peaks.push_back({one.statement, one.statement});
    goes_on = is_peak;
  }
  return peaks;
}

// The point of the first peak where the maximum is reached: before the instruction, or after it.
std::optional<std::uint32_t> peak_point(const Module& module, const Function& function, const LiveRanges& ranges) {
  const auto peak = std::ranges::find_if(ranges.instructions, [&](const InstructionPressure& one) {
    return one.live.registers == ranges.max_live.registers;
  });
  if (peak == ranges.instructions.end() || ranges.max_live.registers == 0) return std::nullopt;
  const auto first = 2 * static_cast<std::uint32_t>(peak - ranges.instructions.begin());
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  for (const RegisterNumber reg : ranges.registers) {
    const RegisterDeclaration& declaration = module.register_declaration(function, reg);
    if (declaration.type == Type::pred) continue;
    const std::uint64_t weight =
        std::max(1U, (size_of(declaration.type) + 3) / 4) * std::max<std::uint64_t>(1, declaration.vector_width);
    before += ranges.is_live_at(reg, first) ? weight : 0;
    after += ranges.is_live_at(reg, first + 1) ? weight : 0;
  }
  return before >= after ? first : first + 1;
}

std::vector<LongLived> find_longest(const Module& module, const Function& function, const LiveRanges& ranges,
                                    std::uint32_t point, std::size_t most) {
  std::vector<LongLived> found;
  for (const RegisterNumber reg : ranges.registers) {
    const RegisterDeclaration& declaration = module.register_declaration(function, reg);
    if (declaration.type == Type::pred || !ranges.is_live_at(reg, point)) continue;
    const auto segments = ranges.of(reg);
    LongLived one;
    one.reg = reg;
    one.register_class = class_of(declaration.type);
    one.instructions = ranges.length(reg);
    one.first = ranges.instructions[segments.front().first / 2].statement;
    one.last = ranges.instructions[segments.back().last / 2].statement;
    found.push_back(one);
  }
  std::ranges::stable_sort(found, std::ranges::greater(), &LongLived::instructions);
  if (found.size() > most) found.resize(most);
  return found;
}

// The instruction before which the register holds what it holds at the point; nullopt: its block ends there.
std::optional<std::uint32_t> place_of_value(const Cfg& cfg, const LiveRanges& ranges, std::uint32_t point,
                                            RegisterNumber reg, const RegisterUses& uses) {
  const std::uint32_t at = point / 2;
  const std::uint32_t here = ranges.instructions[at].statement;
  const bool is_written = std::ranges::find(uses.writes, reg) != uses.writes.end();
  if (point % 2 == 0 || !is_written) return here;
  if (at + 1 == ranges.instructions.size()) return std::nullopt;
  const std::uint32_t next = ranges.instructions[at + 1].statement;
  return cfg.block_of(next) == cfg.block_of(here) ? std::optional(next) : std::nullopt;
}

}  // namespace

std::vector<LiveReport> report_live(const Module& module, const std::vector<std::uint32_t>& functions,
                                    const LiveOptions& options) {
  // What is known of values is kept by function; it is let go when it may have become large.
  constexpr std::size_t most_kept = 20'000'000;
  std::size_t kept = 0;
  auto pool = std::make_shared<ExprPool>();
  auto values = std::make_unique<ModuleValues>(module, pool);
  DebugNames debug_names(module);
  NeverReturns never_returns(module);
  CfgOptions flow;
  flow.post_dominators = false;
  flow.loops = false;
  flow.never_returns = &never_returns;
  std::vector<LiveReport> reports;
  RegisterUses uses;
  for (const std::uint32_t index : functions) {
    const Function& function = module.functions()[index];
    kept += function.register_count + std::size_t{16} * (function.body_end - function.body_begin);
    if (kept > most_kept) {
      kept = 0;
      pool = std::make_shared<ExprPool>();
      values = std::make_unique<ModuleValues>(module, pool);
    }
    LiveReport report;
    report.function = index;
    const Cfg cfg = build_cfg(module, index, flow);
    report.ranges = compute_live_ranges(module, cfg);
    report.pool = pool;
    if (report.ranges.complete) {
      report.peaks = find_peaks(report.ranges);
      if (const auto point = peak_point(module, function, report.ranges); point && options.most_values != 0) {
        report.longest = find_longest(module, function, report.ranges, *point, options.most_values);
        register_uses(module.statement(report.ranges.instructions[*point / 2].statement), uses);
        for (LongLived& one : report.longest)
          if (const auto place = place_of_value(cfg, report.ranges, *point, one.reg, uses))
            one.value = values->of(index).before(one.reg, *place);
        report.params = describe_parameters(*pool, module, function, parameter_use(*values, index),
                                            {{}, debug_names.of_parameters(function)});
      }
    }
    reports.push_back(std::move(report));
  }
  return reports;
}

}  // namespace ptxscope::analysis
