#include "report/run_trap.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/launch.h"
#include "analysis/names.h"
#include "analysis/opcode_forms.h"
#include "analysis/panics.h"
#include "report/expression.h"
#include "report/site_labels.h"
#include "report/terminal.h"

namespace ptxscope::report {
namespace {

using analysis::Check;
using analysis::Expr;
using analysis::ExprId;
using analysis::ExprOp;
using analysis::ExprPool;
using analysis::FunctionTraps;
using analysis::Instrumented;
using analysis::Record;
using analysis::RecordNumbers;
using analysis::RunLaunch;
using analysis::Site;
using analysis::SiteTrap;
using analysis::Trap;
using analysis::Way;

constexpr std::size_t max_sides = 8;
constexpr std::size_t max_nodes = 256;
// Operations that the count of trapping threads may take: under a second.
constexpr std::uint64_t count_work = std::uint64_t{1} << 28U;

bool is_compare(ExprOp op) { return op >= ExprOp::eq && op <= ExprOp::fcmp; }

std::uint64_t little_endian(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8U | std::to_integer<std::uint64_t>(bytes[i]);
  return value;
}

Type unsigned_of(unsigned bytes) {
  return bytes == 1 ? Type::u8 : bytes == 2 ? Type::u16 : bytes == 4 ? Type::u32 : Type::u64;
}

class Teller {
 public:
  Teller(const analysis::RunModule& run_module, const analysis::RunTrap& trap)
      : module_(run_module.code->module), instrumented_(run_module.code->instrumented), trap_(trap) {
    out_.module = run_module.number;
    out_.origin = run_module.origin;
  }

  TrapAccount tell() {
    std::string why;
    const auto record = analysis::decode_record(trap_.record, instrumented_, &why);
    if (!record) {
      out_.problem = why;
      return std::move(out_);
    }
    out_.decoded = true;
    record_ = &*record;
    site_ = record->site;
    thread();
    place();
    find_kernel();
    std::span<const std::byte> parameters = record->parameters;
    if (launch_ != nullptr && !differ_ && launch_->parameters.size() > parameters.size())
      parameters = launch_->parameters;
    const bool own_parameters = link_ != nullptr && traps().function == site_->function;
    RecordNumbers numbers(*record, instrumented_,
                          own_parameters ? parameters : std::span<const std::byte>(record->parameters));
    out_.way = analysis::way_taken(*record, numbers);
    explain();
    condition(numbers);
    if (link_ != nullptr) {
      kernel_parameters(parameters);
      count_threads();
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] const ExprPool& pool() const { return *instrumented_.report.pool; }
  [[nodiscard]] const FunctionTraps& traps() const { return instrumented_.report.functions[link_->entry]; }
  [[nodiscard]] std::string name_of(std::uint32_t function) const {
    return std::string(module_.name(module_.functions()[function].name));
  }

  void thread() {
    const Record& r = *record_;
    out_.whole = r.whole;
    out_.block = r.ctaid;
    out_.thread = r.tid;
    out_.grid = r.nctaid;
    out_.block_size = r.ntid;
    out_.cluster = r.clusterid;
    out_.clusters = r.nclusterid;
    out_.lane = r.laneid;
    out_.warp = r.warpid;
    out_.sm = r.smid;
    out_.grid_id = r.grid_id;
    if (!r.whole) out_.notes.emplace_back("the record is not whole: the thread was stopped while it wrote it");
  }

  void place() {
    out_.site = site_->number;
    out_.kind = site_->kind;
    out_.callee = site_->callee;
    out_.function = name_of(site_->function);
    const Position at = module_.position(module_.statement(site_->statement).span());
    out_.line = at.line;
    out_.column = at.column;
  }

  // Whether the launch passed what was recorded, as far as both are known.
  [[nodiscard]] bool passed_what_was_recorded(const RunLaunch& launch) const {
    const std::size_t both = std::min(launch.parameters.size(), record_->parameters.size());
    return std::equal(launch.parameters.begin(), launch.parameters.begin() + static_cast<std::ptrdiff_t>(both),
                      record_->parameters.begin());
  }

  // The launch that trapped: of a kernel that gets there, in the recorded shape.
  void find_kernel() {
    const auto is_possible = [&](const RunLaunch& launch) {
      return launch.module == out_.module && launch.grid == out_.grid && launch.block == out_.block_size &&
             passed_what_was_recorded(launch);
    };
    for (const RunLaunch& launch : trap_.launches) {
      if (!is_possible(launch)) continue;
      for (const SiteTrap& link : site_->traps) {
        if (name_of(instrumented_.report.functions[link.entry].function) != launch.kernel) continue;
        // With another kernel of the same shape in flight it might be either.
        if (launch_ == nullptr) {
          launch_ = &launch;
          link_ = &link;
        } else if (launch.kernel != launch_->kernel) {
          several_ = true;
        } else if (launch.parameters != launch_->parameters) {
          differ_ = true;
        }
      }
    }
    const std::set<std::uint32_t> entries = [&] {
      std::set<std::uint32_t> all;
      for (const SiteTrap& link : site_->traps) all.insert(link.entry);
      return all;
    }();
    if (site_->traps.empty()) {
      for (const RunLaunch& launch : trap_.launches) {
        if (is_possible(launch) && std::ranges::find(out_.kernels, launch.kernel) == out_.kernels.end())
          out_.kernels.push_back(launch.kernel);
      }
      return;
    }
    if (several_) {
      launch_ = nullptr;
      link_ = nullptr;
    }
    if (link_ == nullptr && entries.size() == 1) link_ = &site_->traps.front();
    if (link_ != nullptr) {
      out_.kernels = {name_of(traps().function)};
      return;
    }
    for (const std::uint32_t entry : entries)
      out_.kernels.push_back(name_of(instrumented_.report.functions[entry].function));
  }

  // What explain-trap says of this trap, and of the way taken.
  void explain() {
    const SiteTrap* link = link_ != nullptr ? link_ : site_->traps.empty() ? nullptr : &site_->traps.front();
    if (link == nullptr) return;
    const Trap& trap = instrumented_.report.functions[link->entry].traps[link->trap];
    if (link_ != nullptr) out_.trap = trap.id;
    out_.check = trap.check;
    out_.message = trap.message;
    out_.source = trap.source;
    out_.via = trap.via;
    if (out_.callee.empty()) out_.callee = trap.callee;
    if (!out_.way && site_->ways.size() > 1) {
      out_.notes.push_back(fmt::format("which of its {} ways was taken cannot be told", site_->ways.size()));
    }
    const std::size_t way = out_.way.value_or(0);
    if ((!out_.way && site_->ways.size() != 1) || way >= link->ways.size()) return;
    const auto& candidates = link->ways[way];
    if (candidates.empty()) return;
    const Way& taken = trap.ways[candidates.front()];
    const bool one_check =
        std::ranges::all_of(candidates, [&](std::uint32_t w) { return trap.ways[w].check == taken.check; });
    if (one_check) out_.check = taken.check;
    if (taken.source) out_.source = taken.source;
    if (taken.message) out_.message = taken.message;
    if (candidates.size() == 1) out_.via = taken.via;
    way_ = candidates.size() == 1 ? &taken : nullptr;
  }

  std::vector<ExprId> sides_of(ExprId condition) const {
    std::vector<ExprId> sides;
    std::vector<ExprId> open{condition};
    for (std::size_t i = 0; i < open.size() && i < max_nodes; ++i) {
      const Expr& e = pool()[open[i]];
      for (const ExprId kid : pool().kids(open[i])) {
        if (is_compare(e.op)) {
          if (std::ranges::find(sides, kid) == sides.end() && !pool().is_constant(kid)) sides.push_back(kid);
        } else if (pool()[kid].bits == 1) {
          open.push_back(kid);
        }
      }
    }
    return sides;
  }

  Type type_of_side(ExprId condition, ExprId side) const {
    std::vector<ExprId> open{condition};
    for (std::size_t i = 0; i < open.size() && i < max_nodes; ++i) {
      const Expr& e = pool()[open[i]];
      for (const ExprId kid : pool().kids(open[i])) {
        if (is_compare(e.op) && kid == side) return e.type;
        if (!is_compare(e.op) && pool()[kid].bits == 1) open.push_back(kid);
      }
    }
    return Type::none;
  }

  [[nodiscard]] bool is_pointer(ExprId expr, const Labels& labels) const {
    const Expr& e = pool()[expr];
    return e.op == ExprOp::parameter && labels.is_pointer(e.payload, e.value);
  }

  void condition(RecordNumbers& numbers) {
    const SiteLabels holder(module_, instrumented_, *site_);
    const Labels labels = holder.labels();
    std::set<ExprId> shown;
    if (out_.way && *out_.way < site_->ways.size()) {
      const ExprId own = site_->ways[*out_.way].condition;
      const Condition described = describe_condition(module_, pool(), own, labels);
      const Expr e = pool()[own];
      // In a called function: as the kernel sees it, where that is the same compare.
      std::optional<Condition> outer;
      if (way_ != nullptr && link_ != nullptr && traps().function != site_->function) {
        outer = describe_condition(module_, pool(), way_->condition, Labels(traps().params));
        if (outer->op != described.op || outer->turned != described.turned) outer.reset();
      }
      if (!pool().is_constant(own)) out_.condition = outer ? outer->text : described.text;
      if (is_compare(e.op)) {
        out_.relation = described.op;
        for (const unsigned i : {0U, 1U}) {
          const ExprId side = pool().kid(own, described.turned ? 1 - i : i);
          const Condition& words = outer ? *outer : described;
          // Signed or not makes no difference to equality, and is not said.
          const bool equality = e.op == ExprOp::eq || e.op == ExprOp::ne;
          std::optional<std::string> name = i == 0 ? words.lhs : words.rhs;
          if (equality && !outer) name = to_text(module_, pool(), side, labels);
          shown.insert(side);
          if (pool().is_constant(side)) {
            if (i == 1) out_.bound = name;
            continue;
          }
          out_.sides.push_back({name.value_or("?"), e.type, is_pointer(side, labels), numbers(side)});
        }
      } else {
        for (const ExprId side : sides_of(own)) {
          if (out_.sides.size() >= max_sides) break;
          shown.insert(side);
          out_.sides.push_back({to_text(module_, pool(), side, labels), type_of_side(own, side),
                                is_pointer(side, labels), numbers(side)});
        }
      }
    }
    for (const analysis::RecordedValue& value : site_->values) {
      if (shown.contains(value.expr) || value.bits == 1 || !record_->values[value.slot]) continue;
      const Type type = value.type != Type::none ? value.type : unsigned_of(value.bits / 8);
      out_.values.push_back({to_text(module_, pool(), value.expr, labels), type, is_pointer(value.expr, labels),
                             record_->values[value.slot]});
    }
  }

  void kernel_parameters(std::span<const std::byte> bytes) {
    const auto layout = std::ranges::find(instrumented_.kernels, traps().function, &analysis::KernelLayout::function);
    if (layout == instrumented_.kernels.end()) return;
    const auto add = [&](std::string name, Type type, bool pointer, std::uint64_t offset, unsigned size,
                         std::string label) {
      if (size == 0 || size > 8 || offset + size > bytes.size()) {
        if (size <= 8) out_.parameters.push_back({std::move(name), type, pointer, std::nullopt});
        return;
      }
      const std::uint64_t bits = little_endian(bytes.subspan(offset, size));
      out_.parameters.push_back({std::move(name), type, pointer, bits});
      launch_arguments_.push_back({std::move(label), bits, traps().function});
    };
    for (const analysis::ParameterInfo& param : traps().params) {
      if (param.index >= layout->parameters.size()) continue;
      const auto place = layout->parameters[param.index];
      if (!param.fields.empty()) {
        for (const auto& field : param.fields) {
          const bool pointer = field.role == analysis::ParameterRole::pointer;
          add(field.label, unsigned_of(field.bytes), pointer, place.offset + field.offset, field.bytes, field.label);
        }
        continue;
      }
      const unsigned size = size_of(param.type);
      if (size != place.size) continue;  // bytes whose meaning is not known
      Type type = param.type;
      if (type == Type::b64 ||
          (type >= Type::b8 && !analysis::is_integer(type) && type != Type::f32 && type != Type::f64))
        type = unsigned_of(size);
      if (param.is_signed) type = signed_of(type);
      add(param.label, type, param.role == analysis::ParameterRole::pointer, place.offset, size,
          fmt::format("#{}", param.index));
    }
  }

  static Type signed_of(Type type) {
    switch (size_of(type)) {
      case 1:
        return Type::s8;
      case 2:
        return Type::s16;
      case 4:
        return Type::s32;
      default:
        return Type::s64;
    }
  }

  void count_threads() {
    analysis::TrapReport copy;
    copy.pool = instrumented_.report.pool;
    copy.functions.push_back(traps());
    analysis::Launch launch;
    launch.grid = out_.grid;
    launch.block = out_.block_size;
    launch.arguments = launch_arguments_;
    launch.work = count_work;
    if (!analysis::launch_limits(launch).empty()) return;
    (void)analysis::evaluate_launch(module_, copy, launch);
    const auto& given = copy.functions.front().traps[link_->trap].given;
    if (!given || !given->fires.value_or(false) || !given->if_reached.empty() || !given->assumed.empty()) return;
    TrapAccount::Threads threads;
    threads.trapping = given->threads;
    threads.of = 1;
    for (const auto& size : {out_.grid, out_.block_size})
      for (const std::uint32_t n : size) threads.of *= n;
    threads.exact = !given->gave_up && given->undecided == 0;
    out_.threads = threads;
  }

  const Module& module_;
  const Instrumented& instrumented_;
  const analysis::RunTrap& trap_;
  TrapAccount out_;
  const Record* record_ = nullptr;
  const Site* site_ = nullptr;
  const RunLaunch* launch_ = nullptr;
  const SiteTrap* link_ = nullptr;  // nullptr: which kernel it was is not known
  const Way* way_ = nullptr;
  bool several_ = false;  // launches of several kernels may be it
  bool differ_ = false;   // launches of that kernel with other parameters may be it
  std::vector<analysis::Launch::Argument> launch_arguments_;
};

std::string short_text(std::string_view text) { return printable(text, 160); }

// "global.x = 512, a.len = 512".
std::string numbers_of(const TrapAccount& account) {
  std::string out;
  for (const NamedNumber& side : account.sides) {
    if (!side.bits) continue;
    out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", short_text(side.name), number_text(side));
  }
  return out;
}

std::string_view symbol_of(std::string_view relation) {
  static constexpr std::array<std::array<std::string_view, 2>, 6> symbols{
      {{"eq", "=="}, {"ne", "!="}, {"lt", "<"}, {"le", "<="}, {"gt", ">"}, {"ge", ">="}}};
  for (const auto& [word, symbol] : symbols)
    if (word == relation) return symbol;
  return {};
}

std::string_view words_for(Check check) {
  switch (check) {
    case Check::bounds:
      return "index out of bounds";
    case Check::null:
      return "null pointer";
    case Check::divide_by_zero:
      return "division by zero";
    case Check::overflow:
      return "arithmetic overflow";
    case Check::alignment:
      return "misaligned address";
    case Check::assertion:
      return "assertion failed";
    case Check::unconditional:
    case Check::other:
    case Check::unknown:
      return {};
  }
  return {};
}

}  // namespace

std::string number_text(const NamedNumber& number) {
  if (!number.bits) return "?";
  return number.is_pointer ? fmt::format("{:#x}", *number.bits) : value_text(*number.bits, number.type);
}

TrapAccount account_of(const analysis::RunReport& report, const analysis::RunTrap& trap) {
  const auto module = std::ranges::find(report.modules, trap.module, &analysis::RunModule::number);
  if (module == report.modules.end() || module->code == nullptr) {
    TrapAccount out;
    out.module = trap.module;
    out.problem = "the text of its module is not there, or was not read";
    return out;
  }
  return Teller(*module, trap).tell();
}

namespace {

// "panicked", "called abort", "a check failed".
std::string opening_of(const TrapAccount& account, bool has_message) {
  const std::string_view words = words_for(account.check);
  if (!words.empty()) return std::string(words);
  if (has_message) return "panicked";
  // nvcc -G and -O1 call a function of that name for what is written as one instruction.
  if (!account.callee.empty() && account.callee != "__trap") {
    const std::string readable = analysis::demangled_without_parameters(account.callee);
    return fmt::format("{} {}", analysis::check_named(account.callee) ? "panicked in" : "called",
                       short_text(readable.empty() ? account.callee : readable));
  }
  return account.condition.empty() ? "reached a trap" : "a check failed";
}

std::string without_line_end(std::string_view text) {
  while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
  return short_text(text);
}

}  // namespace

std::string headline(const TrapAccount& account) {
  if (!account.decoded) return "a record that cannot be read: " + account.problem;
  const std::string numbers = numbers_of(account);
  const std::string message = account.message ? without_line_end(*account.message) : std::string();
  const std::string condition = short_text(account.condition);
  std::string out = opening_of(account, !message.empty());
  if (!message.empty()) out += ": " + message;
  if (numbers.empty()) {
    if (message.empty() && !condition.empty()) out += ": " + condition;
    return out;
  }
  const std::string_view symbol = symbol_of(account.relation);
  const bool single = account.sides.size() == 1 && account.bound && !symbol.empty();
  const bool both = account.sides.size() == 2 && account.sides[0].bits && account.sides[1].bits && !symbol.empty();
  if (single && account.sides[0].bits) {
    out += ": " + numbers;
    if (account.relation != "eq") out += fmt::format(" ({} {})", symbol, short_text(*account.bound));
    return out;
  }
  // A message of its own says what was checked; so do the words for a kind of check.
  const bool says_all = !message.empty() || !words_for(account.check).empty();
  if (says_all || condition.empty()) return out + ": " + numbers;
  if (!both) return fmt::format("{}: {}, where {}", out, condition, numbers);
  return fmt::format("{}: {}, here {} {} {}", out, condition, number_text(account.sides[0]), symbol,
                     number_text(account.sides[1]));
}

}  // namespace ptxscope::report
