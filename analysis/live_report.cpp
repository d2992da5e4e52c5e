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

LiveReporter::LiveReporter(const Module& module, const LiveOptions& options)
    : module_(&module), options_(options), values_(module, nullptr), debug_names_(module), never_returns_(module) {
  flow_.post_dominators = false;
  flow_.loops = false;
  flow_.never_returns = &never_returns_;
}

LiveReport LiveReporter::of(std::uint32_t index) {
  const Function& function = module_->functions()[index];
  LiveReport report;
  report.function = index;
  const Cfg cfg = build_cfg(*module_, index, flow_);
  report.ranges = compute_live_ranges(*module_, cfg);
  report.pool = std::make_shared<ExprPool>();
  if (!report.ranges.complete) return report;
  report.peaks = find_peaks(report.ranges);
  const auto point = peak_point(*module_, function, report.ranges);
  if (!point || options_.most_values == 0) return report;
  report.longest = find_longest(*module_, function, report.ranges, *point, options_.most_values);
  register_uses(module_->statement(report.ranges.instructions[*point / 2].statement), uses_);
  values_.start_over(report.pool);
  for (LongLived& one : report.longest)
    if (const auto place = place_of_value(cfg, report.ranges, *point, one.reg, uses_))
      one.value = values_.of(index).before(one.reg, *place);
  report.params = describe_parameters(*report.pool, *module_, function, parameter_use(values_, index),
                                      {{}, debug_names_.of_parameters(function)});
  return report;
}

std::vector<LiveReport> report_live(const Module& module, const std::vector<std::uint32_t>& functions,
                                    const LiveOptions& options) {
  LiveReporter reporter(module, options);
  std::vector<LiveReport> reports;
  reports.reserve(functions.size());
  for (const std::uint32_t function : functions) reports.push_back(reporter.of(function));
  return reports;
}

}  // namespace ptxscope::analysis
