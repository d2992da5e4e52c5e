#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>

#include "report/number_table.h"
#include "report/stats.h"
#include "report/stats_parts.h"

namespace ptxscope::report {

using analysis::CodeStats;
using Number = std::optional<std::uint64_t>;

namespace {

// The end of each path, as long as it must be to tell them apart.
std::vector<std::string> short_names(std::span<const FileStats> files) {
  std::vector<std::string> names;
  for (const FileStats& file : files) names.push_back(printable(file.counts.file, 4096));
  const auto tail = [](const std::string& path, std::size_t parts) {
    std::size_t at = path.size();
    while (parts-- != 0 && at != 0 && at != std::string::npos) at = path.rfind('/', at - 1);
    return at == std::string::npos || at == 0 ? path : path.substr(at + 1);
  };
  std::vector<std::string> shortened(names.size());
  for (std::size_t parts = 1; parts <= 8; ++parts) {
    for (std::size_t i = 0; i < names.size(); ++i) shortened[i] = tail(names[i], parts);
    std::vector<std::string> sorted = shortened;
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) == sorted.end()) break;
  }
  const std::size_t widest = files.size() > 2 ? 14 : 28;
  for (std::size_t i = 0; i < shortened.size(); ++i)
    if (display_width(shortened[i]) > widest) shortened[i] = "file " + std::to_string(i + 1);
  return shortened;
}

class Comparison {
 public:
  Comparison(std::span<const FileStats> files, const StatsTextOptions& options)
      : files_(files), options_(options), table_(options.style) {}

  std::string write() {
    const std::vector<std::string> names = short_names(files_);
    std::string out;
    for (std::size_t i = 0; i < files_.size(); ++i)
      if (names[i].starts_with("file ")) out += names[i] + "  " + printable(files_[i].counts.file, 1000) + "\n";
    std::vector<NumberTable::Cell> head{{""}};
    for (std::size_t i = 0; i < names.size(); ++i) {
      head.push_back({names[i], Ink::bold});
      if (i == 0) continue;
      head.push_back({"difference", Ink::dim});
      if (!is_wide()) head.push_back({""});
    }
    table_.add(std::move(head));
    add_metrics();
    add_registers();
    add_memory();
    add_categories();
    add_compiled();
    if (options_.opcodes) add_opcodes();
    add_functions();
    return out + table_.text() + refusals();
  }

 private:
  // Two files have room for a column of percentages.
  [[nodiscard]] bool is_wide() const { return files_.size() > 2; }

  // None of the functions that were asked for is in it.
  [[nodiscard]] bool is_absent(std::size_t file) const {
    return options_.selects && files_[file].counts.functions.empty();
  }

  void row(const std::string& name, std::vector<Number> numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i)
      if (is_absent(i)) numbers[i] = std::nullopt;
    std::vector<NumberTable::Cell> cells{{name}};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      cells.push_back({numbers[i] ? grouped(*numbers[i]) : "-"});
      if (i == 0) continue;
      std::string difference;
      std::string share;
      std::optional<Ink> ink;
      if (numbers[i] && numbers[0]) {
        const std::uint64_t a = *numbers[0];
        const std::uint64_t b = *numbers[i];
        if (a != b) ink = b > a ? Ink::warning : Ink::good;
        difference = a == b ? "=" : b > a ? "+" + grouped(b - a) : "-" + grouped(a - b);
        if (a != b && a != 0) share = percent(a, b);
      }
      if (is_wide()) {
        cells.push_back({difference + (share.empty() ? "" : " (" + share + ")"), ink});
      } else {
        cells.push_back({difference, ink});
        cells.push_back({share, ink});
      }
    }
    table_.add(std::move(cells));
  }

  static std::string percent(std::uint64_t a, std::uint64_t b) {
    // Rounded to tenths in whole numbers, so that it is the same everywhere.
    const double share = 100.0 * (static_cast<double>(b) - static_cast<double>(a)) / static_cast<double>(a);
    const auto tenths = static_cast<long long>(std::llround(std::min(1e15, std::abs(share)) * 10));
    if (tenths == 0) return share < 0 ? "-0.0%" : "+0.0%";
    return (share < 0 ? "-" : "+") + grouped(static_cast<std::uint64_t>(tenths / 10)) + "." +
           std::to_string(tenths % 10) + "%";
  }

  // A row where some file has one.
  void row_if_any(const std::string& name, const std::vector<Number>& numbers) {
    if (std::ranges::any_of(numbers, [](const Number& number) { return !number || *number != 0; })) row(name, numbers);
  }

  template <class Of>
  std::vector<Number> of_all(Of of) const {
    std::vector<Number> numbers;
    for (const FileStats& file : files_) numbers.push_back(of(file));
    return numbers;
  }

  void add_metrics() {
    row("functions", of_all([](const FileStats& file) { return Number(file.counts.functions.size()); }));
    for (const Metric& metric : metrics()) {
      const auto numbers = of_all([&](const FileStats& file) { return metric.of(file.counts.totals); });
      if (metric.always) row(std::string(metric.name), numbers);
      else row_if_any(std::string(metric.name), numbers);
    }
  }

  void add_registers() {
    table_.heading("registers used");
    for (std::size_t i = 0; i < analysis::register_class_count; ++i)
      row_if_any("  " + std::string(analysis::spelling(static_cast<analysis::RegisterClass>(i))),
                 of_all([&](const FileStats& file) { return Number(file.counts.totals.used[i]); }));
  }

  // Rows by a name that each file numbers for itself; the largest first.
  void add_named(const std::string& heading, const std::map<std::string, std::vector<std::uint64_t>>& rows) {
    if (rows.empty()) return;
    table_.heading(heading);
    std::vector<std::pair<std::uint64_t, const std::string*>> order;
    for (const auto& [name, counts] : rows) order.emplace_back(*std::ranges::max_element(counts), &name);
    std::ranges::stable_sort(order, std::ranges::greater(), &std::pair<std::uint64_t, const std::string*>::first);
    for (const auto& [largest, name] : order) {
      std::vector<Number> numbers;
      for (const std::uint64_t count : rows.at(*name)) numbers.emplace_back(count);
      row("  " + printable(*name, 60), numbers);
    }
  }

  void add_memory() {
    std::map<std::string, std::vector<std::uint64_t>> rows;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      const analysis::ModuleStats& stats = files_[i].counts;
      for (const analysis::MemoryTally& tally : stats.totals.memory) {
        std::string name = stats.memory_kinds[tally.kind];
        if (tally.bytes != 0) name += ", " + std::to_string(tally.bytes) + (tally.bytes == 1 ? " byte" : " bytes");
        auto& counts = rows[name];
        counts.resize(files_.size());
        counts[i] += tally.count;
      }
    }
    add_named("memory", rows);
  }

  void add_categories() {
    std::map<std::string, std::vector<std::uint64_t>> rows;
    for (std::size_t c = 0; c < analysis::category_count; ++c) {
      for (std::size_t i = 0; i < files_.size(); ++i) {
        const std::uint64_t count = files_[i].counts.totals.by_category[c];
        if (count == 0) continue;
        auto& counts = rows[std::string(isa::spelling(static_cast<isa::Category>(c)))];
        counts.resize(files_.size());
        counts[i] = count;
      }
    }
    add_named("categories", rows);
  }

  void add_opcodes() {
    std::map<std::string, std::vector<std::uint64_t>> rows;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      for (const analysis::OpcodeTally& tally : files_[i].counts.totals.by_opcode) {
        auto& counts = rows[files_[i].counts.opcodes[tally.opcode]];
        counts.resize(files_.size());
        counts[i] += tally.count;
      }
    }
    add_named("opcodes", rows);
  }

  // What ptxas says by target and kernel: its registers always, the rest where there is any.
  void add_compiled() {
    struct Fact {
      std::string_view name;
      Number (*of)(const CompiledKernel& kernel);
    };
    static constexpr std::array<Fact, 6> facts{{
        {"registers", [](const CompiledKernel& k) -> Number { return k.registers; }},
        {"bytes of spill stores", [](const CompiledKernel& k) -> Number { return k.spill_stores; }},
        {"bytes of spill loads", [](const CompiledKernel& k) -> Number { return k.spill_loads; }},
        {"bytes of stack", [](const CompiledKernel& k) -> Number { return k.stack; }},
        {"shared bytes", [](const CompiledKernel& k) -> Number { return k.shared; }},
        {"constant bytes", [](const CompiledKernel& k) -> Number { return k.constant; }},
    }};
    // Without --target each file is compiled for its own: those are compared, though they differ.
    const bool is_own = std::ranges::all_of(files_, [](const FileStats& file) { return file.compiled.size() <= 1; });
    std::string own;
    std::vector<std::string_view> seen;
    for (const FileStats& file : files_) {
      for (const CompiledModule& compiled : file.compiled) {
        if (!is_own || std::ranges::find(seen, compiled.target) != seen.end()) continue;
        seen.push_back(compiled.target);
        own += (own.empty() ? "" : " and ") + compiled.target;
      }
    }
    std::map<std::pair<std::string, std::string>, std::vector<const CompiledKernel*>> kernels;  // by target, name
    for (std::size_t i = 0; i < files_.size(); ++i) {
      for (const CompiledModule& compiled : files_[i].compiled) {
        for (const CompiledKernel& kernel : compiled.kernels) {
          const bool is_counted = std::ranges::find(files_[i].counts.functions, kernel.name,
                                                    &analysis::FunctionStats::name) != files_[i].counts.functions.end();
          if (!is_counted) continue;
          auto& found = kernels[{is_own ? own : compiled.target, kernel.name}];
          found.resize(files_.size());
          found[i] = &kernel;
        }
      }
    }
    for (const auto& [key, found] : kernels) {
      table_.heading("ptxas, " + printable(key.first, 80) + ", " + shown_name(key.second, 60));
      for (const Fact& fact : facts) {
        std::vector<Number> numbers;
        for (const CompiledKernel* kernel : found)
          numbers.push_back(kernel == nullptr ? std::nullopt : fact.of(*kernel));
        const bool any = std::ranges::any_of(numbers, [](const Number& number) { return number.value_or(0) != 0; });
        if (any) row("  " + std::string(fact.name), numbers);
      }
    }
  }

  std::string refusals() const {
    std::string text;
    for (const FileStats& file : files_)
      for (const CompiledModule& compiled : file.compiled)
        if (!compiled.accepted)
          text += printable(file.counts.file, 200) + ", " + printable(compiled.target, 20) +
                  ": ptxas refuses: " + printable(compiled.refusal, 1000) + "\n";
    return text;
  }

  // Of each function the key that was asked for, else instructions, and all other counts that are not the same.
  void add_functions() {
    const Metric* metric = find_metric(options_.sort);
    if (metric == nullptr) metric = find_metric("instructions");
    std::map<std::string, std::vector<const CodeStats*>> rows;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      for (const analysis::FunctionStats& function : files_[i].counts.functions) {
        auto& counts = rows[function.name];
        counts.resize(files_.size());
        if (counts[i] == nullptr) counts[i] = &function.counts;
      }
    }
    if (rows.size() < 2) return;
    const auto numbers_of = [](const std::vector<const CodeStats*>& counts, const Metric& one) {
      std::vector<Number> numbers;
      for (const CodeStats* of : counts) numbers.push_back(of == nullptr ? std::nullopt : one.of(*of));
      return numbers;
    };
    std::vector<std::pair<std::uint64_t, const std::string*>> order;
    for (const auto& [name, counts] : rows) {
      std::uint64_t low = ~std::uint64_t{0};
      std::uint64_t high = 0;
      for (const Number& number : numbers_of(counts, *metric)) {
        low = std::min(low, number.value_or(0));
        high = std::max(high, number.value_or(0));
      }
      order.emplace_back(high - low, &name);
    }
    if (options_.sort != "name")
      std::ranges::stable_sort(order, std::ranges::greater(), &std::pair<std::uint64_t, const std::string*>::first);
    const auto name_of = [](const Metric& one) {
      return std::string(one.name.substr(one.name.find_first_not_of(' ')));
    };
    table_.heading(name_of(*metric) + " of functions, and what else differs");
    constexpr std::size_t most_functions = 40;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i == most_functions) {
        table_.heading("  and " + grouped(order.size() - most_functions) + " more (--csv has all)");
        break;
      }
      const std::vector<const CodeStats*>& counts = rows.at(*order[i].second);
      row("  " + shown_name(*order[i].second, 44), numbers_of(counts, *metric));
      std::vector<const CodeStats*> present;
      std::ranges::copy_if(counts, std::back_inserter(present), [](const CodeStats* of) { return of != nullptr; });
      for (const Metric& one : metrics()) {
        const auto is_other = [&](const CodeStats* of) { return one.of(*of) != one.of(*present.front()); };
        if (&one != metric && std::ranges::any_of(present, is_other))
          row("    " + name_of(one), numbers_of(counts, one));
      }
    }
  }

  std::span<const FileStats> files_;
  const StatsTextOptions& options_;
  NumberTable table_;
};

}  // namespace

std::string stats_comparison(std::span<const FileStats> files, const StatsTextOptions& options) {
  return Comparison(files, options).write();
}

}  // namespace ptxscope::report
