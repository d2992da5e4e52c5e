#include "report/stats_live.h"

#include <algorithm>
#include <array>

#include "report/cfg_parts.h"
#include "report/expression.h"
#include "report/number_table.h"
#include "report/one_line.h"
#include "report/stats_parts.h"

namespace ptxscope::report {

using analysis::InstructionPressure;
using analysis::LiveReport;
using analysis::RegisterClass;

namespace {

std::string name_of(const Module& module, const LiveReport& report) {
  return shown_name(module.name(module.functions()[report.function].name), 200);
}

std::string gave_up(const Module& module, const LiveReport& report) {
  return name_of(module, report) + ": too large for its live ranges to be followed\n";
}

std::string line_range(const Module& module, std::uint32_t first, std::uint32_t last) {
  const std::uint32_t from = module.line_of_statement(first);
  const std::uint32_t to = module.line_of_statement(last);
  return from == to ? std::to_string(from) : std::to_string(from) + "-" + std::to_string(to);
}

// Labels that stand between two instructions, as rows of their own.
std::vector<std::string> labels_between(const Module& module, std::uint32_t after, std::uint32_t before) {
  std::vector<std::string> labels;
  for (std::uint32_t i = after + 1; i < before; ++i)
    if (module.statement(i).kind() == StatementKind::label)
      labels.push_back(printable(module.name(module.statement(i).label()), 60) + ":");
  return labels;
}

class MarkTable {
 public:
  MarkTable(const Module& module, const LiveReport& report, const TextStyle& style)
      : module_(module), report_(report), style_(style), function_(module.functions()[report.function]) {}

  std::string text() {
    choose_registers();
    constexpr std::size_t most_registers = 400;
    if (shown_ > most_registers)
      return name_of(module_, report_) + ": " + std::to_string(shown_) +
             " registers are too many for a table; use --live, or --format json\n";
    add_heads();
    std::uint32_t before = function_.body_begin;
    for (std::uint32_t i = 0; i < report_.ranges.instructions.size(); ++i) {
      const std::uint32_t statement = report_.ranges.instructions[i].statement;
      for (const std::string& label : labels_between(module_, before, statement)) add_row("", label, no_index);
      add_row(std::to_string(module_.line_of_statement(statement)), one_line(module_.statement(statement), 48), i);
      before = statement;
    }
    std::string out = paint(style_, Ink::bold, "live registers of " + name_of(module_, report_)) + "\n";
    out += table_.text();
    out += "^ written  v read  x both  : live across  # how many of the class\n";
    return out;
  }

 private:
  void choose_registers() {
    for (const RegisterNumber reg : report_.ranges.registers) {
      const Type type = module_.register_declaration(function_, reg).type;
      of_class_[static_cast<std::size_t>(analysis::class_of(type))].push_back(reg);
      ++shown_;
    }
  }

  // The names downwards, one letter a row, so that a register takes one column.
  void add_heads() {
    std::size_t longest = 0;
    for (const std::vector<RegisterNumber>& registers : of_class_)
      for (const RegisterNumber reg : registers) longest = std::max(longest, short_name(reg).size());
    for (std::size_t row = 0; row < longest; ++row) {
      std::vector<NumberTable::Cell> cells{{""}, {"", std::nullopt, true}};
      for (std::size_t c = 0; c < of_class_.size(); ++c) {
        if (of_class_[c].empty()) continue;
        const bool is_last = row + 1 == longest;
        cells.push_back({is_last ? "#" : "", Ink::dim});
        std::string letters;
        for (const RegisterNumber reg : of_class_[c]) {
          const std::string name = short_name(reg);
          const std::size_t gap = longest - name.size();
          letters += row < gap ? ' ' : name[row - gap];
        }
        cells.push_back({letters, Ink::dim, true});
      }
      table_.add(std::move(cells));
    }
  }

  [[nodiscard]] std::string short_name(RegisterNumber reg) const {
    std::string name = printable(module_.register_name(function_, reg), 12);
    if (name.starts_with('%')) name.erase(0, 1);
    return name;
  }

  void add_row(const std::string& line, const std::string& code, std::uint32_t instruction) {
    std::vector<NumberTable::Cell> cells{{line, Ink::dim, false, true}, {code, std::nullopt, true}};
    if (instruction == no_index) {
      cells[1].ink = Ink::bold;
      table_.add(std::move(cells));
      return;
    }
    const InstructionPressure& pressure = report_.ranges.instructions[instruction];
    register_uses(module_.statement(pressure.statement), uses_);
    if (module_.statement(pressure.statement).opcode().mnemonic == "ret")
      uses_.reads.insert(uses_.reads.end(), returned_.begin(), returned_.end());
    for (std::size_t c = 0; c < of_class_.size(); ++c) {
      if (of_class_[c].empty()) continue;
      std::string marks;
      for (const RegisterNumber reg : of_class_[c]) marks += mark(reg, instruction);
      cells.push_back({std::to_string(pressure.by_class[c])});
      cells.push_back({marks, std::nullopt, true});
    }
    table_.add(std::move(cells));
  }

  [[nodiscard]] char mark(RegisterNumber reg, std::uint32_t instruction) const {
    const bool reads = std::ranges::find(uses_.reads, reg) != uses_.reads.end();
    const bool writes = std::ranges::find(uses_.writes, reg) != uses_.writes.end();
    if (reads && writes) return 'x';
    if (writes) return '^';
    if (reads) return 'v';
    return report_.ranges.is_live_at(reg, 2 * instruction) ? ':' : ' ';
  }

  const Module& module_;
  const LiveReport& report_;
  const TextStyle& style_;
  const Function& function_;
  NumberTable table_{style_};
  std::array<std::vector<RegisterNumber>, analysis::register_class_count> of_class_;
  std::size_t shown_ = 0;
  analysis::RegisterUses uses_;
  const std::vector<RegisterNumber> returned_ = analysis::returned_registers(function_);
};

}  // namespace

std::string pressure_bar(std::uint32_t count, std::uint32_t largest, std::size_t columns) {
  if (largest == 0) return {};
  const std::size_t length = (std::size_t{count} * columns + largest - 1) / largest;
  std::string bar;
  for (std::size_t i = 0; i < length; ++i) bar += "▇";
  return bar;
}

std::string live_summary_text(const Module& module, const LiveReport& report, const TextStyle& style) {
  if (!report.ranges.complete) return gave_up(module, report);
  std::string out = paint(style, Ink::bold, name_of(module, report)) + ": at most " +
                    counted_or_none(report.ranges.max_live.registers, "register") + " live, " +
                    counted_or_none(report.ranges.max_live.predicates, "predicate");
  constexpr std::size_t most_peaks = 6;
  for (std::size_t i = 0; i < report.peaks.size() && i <= most_peaks; ++i) {
    if (i == most_peaks) {
      out += ", and " + std::to_string(report.peaks.size() - most_peaks) + " more";
      break;
    }
    const bool is_one = line_range(module, report.peaks[i].first, report.peaks[i].last).find('-') == std::string::npos;
    out += (i == 0 ? (is_one ? "; at line " : "; at lines ") : ", ") +
           line_range(module, report.peaks[i].first, report.peaks[i].last);
  }
  out += '\n';
  if (report.longest.empty()) return out;
  out += "  live there, the longest first:\n";
  const Function& function = module.functions()[report.function];
  const Labels labels(report.params);
  NumberTable table(style);
  for (const analysis::LongLived& one : report.longest) {
    const std::string value =
        one.value ? printable(to_text(module, *report.pool, *one.value, labels), 100) : std::string("?");
    table.add({{"    " + printable(module.register_name(function, one.reg), 40)},
               {std::string(analysis::spelling(one.register_class)), Ink::dim, true},
               {counted_or_none(one.instructions, "instruction")},
               {"lines " + line_range(module, one.first, one.last), Ink::dim, true},
               {"= " + value, std::nullopt, true}});
  }
  return out + table.text();
}

std::string live_column_text(const Module& module, const LiveReport& report, const TextStyle& style) {
  if (!report.ranges.complete) return gave_up(module, report);
  constexpr std::size_t bar_columns = 16;
  const std::uint32_t largest = report.ranges.max_live.registers;
  NumberTable table(style);
  table.add({{"live", Ink::dim, false, true},
             {"", std::nullopt, true},
             {"pred.", Ink::dim},
             {"line", Ink::dim},
             {"", std::nullopt, true}});
  std::uint32_t before = module.functions()[report.function].body_begin;
  for (const InstructionPressure& one : report.ranges.instructions) {
    for (const std::string& label : labels_between(module, before, one.statement))
      table.add({{""}, {"", std::nullopt, true}, {""}, {""}, {label, Ink::bold, true}});
    const bool is_peak = one.live.registers == largest && largest != 0;
    const auto ink = is_peak ? std::optional(Ink::warning) : std::nullopt;
    const std::size_t room = style.width > bar_columns + 32 ? style.width - bar_columns - 24 : 40;
    table.add({{std::to_string(one.live.registers), ink, false, true},
               {pressure_bar(one.live.registers, largest, bar_columns), ink, true},
               {std::to_string(one.live.predicates)},
               {std::to_string(module.line_of_statement(one.statement)), Ink::dim},
               {one_line(module.statement(one.statement), room), std::nullopt, true}});
    before = one.statement;
  }
  return live_summary_text(module, report, style) + table.text();
}

std::string live_table_text(const Module& module, const LiveReport& report, const TextStyle& style) {
  if (!report.ranges.complete) return gave_up(module, report);
  return live_summary_text(module, report, style) + MarkTable(module, report, style).text();
}

}  // namespace ptxscope::report
