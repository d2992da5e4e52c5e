#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "analysis/names.h"
#include "analysis/unread.h"
#include "report/explain.h"
#include "report/expression.h"
#include "report/one_line.h"
#include "report/source_lines.h"

namespace ptxscope::report {
namespace {

using analysis::Check;
using analysis::ExprId;
using analysis::ExprOp;
using analysis::FunctionTraps;
using analysis::Given;
using analysis::ParameterInfo;
using analysis::ParameterRole;
using analysis::Trap;
using analysis::TrapKind;
using analysis::Way;

// What is shown of things that may be many; JSON has all of them.
constexpr std::size_t max_ways = 8;
constexpr std::size_t max_evidence = 6;
constexpr std::size_t max_quiet_names = 8;

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty()) out += separator;
    out += part;
  }
  return out;
}

// "a", "a and b", "a, b and c", "a, b, c and 9 more".
std::string enumerated(std::vector<std::string> parts) {
  constexpr std::size_t enough = 8;
  if (parts.size() > enough + 1) {
    const std::size_t more = parts.size() - enough;
    parts.resize(enough);
    parts.push_back(fmt::format("{} more", more));
  }
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i != 0) out += i + 1 == parts.size() ? " and " : ", ";
    out += parts[i];
  }
  return out;
}

std::string count(std::uint64_t n, std::string_view noun) { return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s"); }

std::string coordinates(const std::array<std::uint32_t, 3>& c) { return fmt::format("({},{},{})", c[0], c[1], c[2]); }

std::string shape(const std::array<std::uint32_t, 3>& c) {
  if (c[1] == 1 && c[2] == 1) return fmt::format("{}", c[0]);
  return c[2] == 1 ? fmt::format("{}x{}", c[0], c[1]) : fmt::format("{}x{}x{}", c[0], c[1], c[2]);
}

// How a failure is spoken of: "trap 1 fires when …".
struct Wording {
  std::string_view noun, verb, never;
};
Wording wording(TrapKind kind, bool reports = false) {
  switch (kind) {
    case TrapKind::trap:
      return {"trap", "fires", "never fires"};
    case TrapKind::assert_call:
      return {"assert", "fails", "never fails"};
    case TrapKind::noreturn_call:
      return {"panic", "is called", "is never called"};
    case TrapKind::exit:
      return {"exit", reports ? "reports and ends the thread" : "ends the thread silently", "is never reached"};
    case TrapKind::falls_off_end:
      return {"end of function", "is run into (undefined)", "is never run into"};
    case TrapKind::error_code:
      return {"error code", "is returned", "is never returned"};
  }
  return {"trap", "fires", "never fires"};
}

class Writer {
 public:
  Writer(const Module& module, const analysis::TrapReport& report, const std::optional<analysis::Launch>& launch,
         const TextStyle& style)
      : module_(module), report_(report), launch_(launch), style_(style), sources_(module.file_name()) {}

  std::string all() {
    std::vector<std::string> quiet;
    bool first = true;
    for (const FunctionTraps& traps : report_.functions) {
      // Many kernels of which few trap: the others in one line.
      if (report_.functions.size() > 1 && is_quiet(traps)) {
        quiet.push_back(short_name(traps));
        continue;
      }
      if (!first) out_ += '\n';
      first = false;
      function(traps);
    }
    if (!quiet.empty()) {
      if (!first) out_ += '\n';
      const std::size_t shown = std::min(quiet.size(), max_quiet_names);
      std::string names = joined({quiet.begin(), quiet.begin() + static_cast<std::ptrdiff_t>(shown)}, ", ");
      if (shown < quiet.size()) names += fmt::format(" and {} more", quiet.size() - shown);
      line(0,
           fmt::format("nothing traps in {}: {}", count(quiet.size(), first ? "function" : "other function"), names));
    }
    if (report_.functions.empty()) line(0, "no kernel and no function with a body in this module");
    if (const analysis::Unread unread = analysis::unread_outside(module_); unread.any()) {
      if (!report_.functions.empty()) out_ += '\n';
      line(0,
           paint(style_, Ink::warning, "cannot tell whether this is all") +
               fmt::format(": {} outside of all functions, the first on line {}; what could not be read there may be "
                           "a kernel",
                           count(unread.errors, "error"), unread.first_line));
    }
    legend();
    return std::move(out_);
  }

  std::string one_trap(const FunctionTraps& traps, const Trap& one) {
    speak_of(traps);
    trap(one);
    legend();
    return trimmed();
  }

  std::string launch_verdict(const FunctionTraps& traps) {
    speak_of(traps);
    verdict(traps);
    return trimmed();
  }

  std::string launch_effect(const FunctionTraps& traps, const Trap& one) {
    speak_of(traps);
    threads_ = threads_of_launch();
    if (one.given) given(one, 0, "");
    return trimmed();
  }

 private:
  void speak_of(const FunctionTraps& traps) {
    labels_ = Labels(traps.params);
    params_ = traps.params;
    const Function& f = module_.functions()[traps.function];
    kernel_first_ = f.header;
    kernel_last_ = f.body_end;
  }

  // What was written so far without the white space around it.
  std::string trimmed() {
    const std::size_t begin = out_.find_first_not_of(" \n");
    return begin == std::string::npos ? std::string() : out_.substr(begin, out_.find_last_not_of(" \n") + 1 - begin);
  }

  static bool is_quiet(const FunctionTraps& traps) {
    return traps.traps.empty() && traps.soft_failures.empty() && traps.complete && traps.notes.empty();
  }

  void line(unsigned indent, std::string_view text) {
    out_.append(indent, ' ');
    out_ += text;
    out_ += '\n';
  }
  void remark(unsigned indent, std::string_view text) { line(indent, paint(style_, Ink::dim, text)); }

  // Parts joined on as many lines as the width asks for.
  void wrapped(unsigned indent, std::string_view head, const std::vector<std::string>& parts,
               std::string_view separator) {
    std::string text(head);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::string part = parts[i] + std::string(i + 1 < parts.size() ? separator : "");
      if (i != 0 && indent + text.size() + part.size() > style_.width) {
        line(indent, text.substr(0, text.find_last_not_of(' ') + 1));
        text.assign(head.size(), ' ');
      }
      text += part;
    }
    line(indent, text);
  }

  [[nodiscard]] std::string short_name(const FunctionTraps& traps) const {
    const std::string_view name = module_.name(module_.functions()[traps.function].name);
    const std::string readable = analysis::demangled_without_parameters(name);
    return printable(readable.empty() ? name : std::string_view(readable), 120);
  }

  static std::string parameter(const ParameterInfo& param) {
    const std::string label = printable(param.label);
    if (!param.fields.empty()) {
      std::vector<std::string> fields;
      for (const auto& field : param.fields) fields.push_back(printable(field.label));
      return fmt::format("{} {{{}}}", label, joined(fields, ", "));
    }
    if (param.role == ParameterRole::pointer) return label.ends_with(".ptr") ? label : label + ": pointer";
    if (param.slice || param.type == Type::none) return label;
    if (param.role == ParameterRole::aggregate || param.size > size_of(param.type))
      return fmt::format("{}: {} bytes", label, param.size);
    // As it is used: nvcc declares `int` as .u32.
    const std::string_view type = ptxscope::spelling(param.type);
    const bool turned = param.is_signed && (type.starts_with('u') || type.starts_with('b'));
    return turned ? fmt::format("{}: s{}", label, type.substr(1)) : fmt::format("{}: {}", label, type);
  }

  void function(const FunctionTraps& traps) {
    speak_of(traps);
    const Function& f = module_.functions()[traps.function];
    const bool kernel = f.kind == FunctionKind::entry;
    std::vector<std::string> parameters;
    for (const ParameterInfo& param : traps.params) parameters.push_back(parameter(param));
    line(0, fmt::format("{}{}({})  {}", kernel ? "" : "function ", paint(style_, Ink::bold, short_name(traps)),
                        joined(parameters, ", "),
                        paint(style_, Ink::dim,
                              fmt::format("{}:{}{}", printable(module_.file_name()), module_.position(f.span).line,
                                          kernel ? "" : ", which no kernel here calls"))));
    if (launch_ && kernel) verdict(traps);
    if (traps.traps.empty() && (traps.complete || !launch_ || !kernel)) nothing_traps(traps);
    for (const Trap& one : traps.traps) trap(one);
    for (const Trap& one : traps.soft_failures) trap(one);
    const auto& cost = traps.cost;
    const bool has_cost = cost.instructions != 0 || cost.branches != 0;
    if ((!traps.traps.empty() || !traps.soft_failures.empty()) && (has_cost || !traps.notes.empty())) out_ += '\n';
    for (const std::string& note : traps.notes) remark(2, "note: " + printable(note));
    if (!traps.complete && traps.notes.empty()) remark(2, "note: the analysis of this function is incomplete");
    if (has_cost) {
      remark(2, fmt::format("safety: {} of {} instructions and {} of {} branches are there only to decide this",
                            cost.instructions, cost.of_instructions, cost.branches, cost.of_branches));
    }
  }

  void nothing_traps(const FunctionTraps& traps) {
    if (!traps.complete) {
      line(2, paint(style_, Ink::warning, "cannot tell whether anything traps") +
                  ": no trap was found, but not all of the function could be followed");
    } else if (traps.soft_failures.empty()) {
      line(2, "nothing traps: no trap, assert, panic or failing exit can be reached");
    } else {
      line(2, "nothing traps, but it can fail:");
    }
  }

  // ── a launch ──

  static std::string name_of(const Trap& t) { return fmt::format("{} {}", wording(t.kind).noun, t.id); }

  [[nodiscard]] std::uint64_t threads_of_launch() const {
    std::uint64_t threads = 1;
    for (const std::uint32_t n : launch_->grid) threads *= n;  // 2^31 * 2^16 * 2^16 at most
    const std::uint64_t block = std::uint64_t{launch_->block[0]} * launch_->block[1] * launch_->block[2];
    const bool overflows = block != 0 && threads > ~std::uint64_t{0} / block;
    return overflows ? ~std::uint64_t{0} : threads * block;
  }

  // The answer for the whole kernel, in one line.
  void verdict(const FunctionTraps& traps) {
    threads_ = threads_of_launch();
    std::vector<std::string> firing, doubtful;
    const Trap* first = nullptr;
    const auto place = [](const Trap& t) {
      const auto& b = *t.given->first_block;
      const auto& i = *t.given->first_thread;
      return std::array{b[2], b[1], b[0], i[2], i[1], i[0]};
    };
    for (const Trap& t : traps.traps) {
      if (!t.given) continue;
      if (!t.given->fires) {
        doubtful.push_back(name_of(t));
      } else if (*t.given->fires) {
        firing.push_back(name_of(t));
        if (t.given->first_block && (first == nullptr || place(t) < place(*first))) first = &t;
      }
    }
    std::string text =
        fmt::format("grid {}, block {} ({} threads): ", shape(launch_->grid), shape(launch_->block), threads_);
    if (first != nullptr) {
      text += paint(style_, Ink::error,
                    firing.size() == 1 ? fmt::format("{} fires", firing[0])
                                       : fmt::format("{} fire, {} first", enumerated(firing), name_of(*first)));
      text += fmt::format(", in block {} thread {}", coordinates(*first->given->first_block),
                          coordinates(*first->given->first_thread));
    } else if (doubtful.empty() && !traps.complete) {
      text += paint(style_, Ink::warning, "cannot tell") +
              fmt::format(": {}; not all of the function could be followed",
                          traps.traps.empty() ? "no trap was found" : "no trap that was found fires");
    } else if (doubtful.empty()) {
      text += paint(style_, Ink::good, "no trap fires");
    }
    if (!doubtful.empty()) {
      text += (first != nullptr ? "; " : "") + paint(style_, Ink::warning, enumerated(doubtful) + " may fire") +
              ", see below";
    }
    line(2, text);
  }

  void given(const Trap& t, unsigned indent, std::string_view begin = "here: ") {
    const Given& g = *t.given;
    const std::string of =
        fmt::format("{}{} of {} threads", g.gave_up || g.undecided != 0 ? "at least " : "", g.threads, threads_);
    std::string first;
    if (g.first_block && g.first_thread) {
      first = fmt::format(", first in block {} thread {}", coordinates(*g.first_block), coordinates(*g.first_thread));
    }
    std::string text;
    if (g.fires && *g.fires) {
      text = fmt::format("{}{} in {}{}{}", begin,
                         paint(style_, Ink::error, wording(t.kind, t.message.has_value()).verb), of, first, sides(t));
    } else if (g.fires) {
      text = fmt::format("{}{}", begin, paint(style_, Ink::good, "no"));
    } else {
      text = fmt::format("{}{}", begin, paint(style_, Ink::warning, "cannot tell"));
      std::vector<std::string> missing;
      for (const std::string& one : g.missing) missing.push_back(printable(one, 80));
      if (!missing.empty()) text += fmt::format(" without {}", enumerated(missing));
      std::vector<std::string> reasons;
      for (const std::string& one : g.reasons) reasons.push_back(printable(one, 80));
      if (!reasons.empty()) text += fmt::format("{}{}", missing.empty() ? ": " : "; ", enumerated(reasons));
      if (g.gave_up) text += "; too many threads to try them all";
      if (g.undecided != 0) text += fmt::format("; {} of {} threads may{}{}", g.undecided, threads_, first, sides(t));
    }
    std::vector<std::string> assumed;
    for (const std::string& one : g.assumed) assumed.push_back(printable(one, 80));
    if (!assumed.empty()) text += fmt::format(" (taking {} as not null)", enumerated(assumed));
    std::vector<std::string> not_given;
    for (const std::string& one : g.if_reached) not_given.push_back(printable(one, 80));
    if (!not_given.empty()) text += fmt::format(", if they get there ({} not given)", enumerated(not_given));
    line(indent, text);
  }

  // ", where 512 >= 512".
  [[nodiscard]] std::string sides(const Trap& t) const {
    const Given& g = *t.given;
    if (!g.lhs || !g.rhs || g.way >= t.ways.size()) return {};
    const ExprId id = t.ways[g.way].condition;
    const Condition c = describe_condition(module_, *report_.pool, id, labels_);
    static constexpr std::array<std::array<std::string_view, 2>, 6> symbols{
        {{"eq", "=="}, {"ne", "!="}, {"lt", "<"}, {"le", "<="}, {"gt", ">"}, {"ge", ">="}}};
    const auto symbol = std::find_if(symbols.begin(), symbols.end(), [&](const auto& s) { return s[0] == c.op; });
    const Type type = (*report_.pool)[id].type;
    return fmt::format(", where {} {} {}", value_text(c.turned ? *g.rhs : *g.lhs, type),
                       symbol == symbols.end() ? c.op : (*symbol)[1], value_text(c.turned ? *g.lhs : *g.rhs, type));
  }

  // ── a trap ──

  [[nodiscard]] std::vector<std::string> labels_where(const Way& way, auto wanted) const {
    std::vector<std::string> found;
    const auto add = [&](std::string label) {
      if (std::find(found.begin(), found.end(), label) == found.end()) found.push_back(std::move(label));
    };
    for (const ParameterInfo& param : params_) {
      if (std::find(way.params.begin(), way.params.end(), param.index) == way.params.end()) continue;
      bool by_field = false;
      for (const auto& field : param.fields) {
        by_field = true;
        if (wanted(field.role)) add(printable(field.label));
      }
      if (!by_field && wanted(param.role)) add(printable(param.label));
    }
    return found;
  }

  // The pointer whose length goes by a name of its own.
  [[nodiscard]] std::string beside_length(std::string label) const {
    for (const ParameterInfo& length : params_) {
      if (!length.slice || length.role != ParameterRole::length || printable(length.label) != label) continue;
      for (const ParameterInfo& pointer : params_) {
        if (pointer.slice == length.slice && pointer.role == ParameterRole::pointer) return printable(pointer.label);
      }
    }
    return label;
  }

  // "the bounds check of slice a".
  [[nodiscard]] std::string purpose(const Way& way) const {
    const auto any = [](ParameterRole) { return true; };
    const auto of = [](std::string_view what, const std::vector<std::string>& labels) {
      return labels.empty() || labels.size() > 4 ? std::string(what)
                                                 : fmt::format("{} of {}", what, enumerated(labels));
    };
    switch (way.check) {
      case Check::bounds: {
        std::vector<std::string> slices;
        for (std::string label : labels_where(way, [](ParameterRole role) { return role == ParameterRole::length; })) {
          if (label.ends_with(".len")) label.resize(label.size() - 4);
          else label = beside_length(std::move(label));
          slices.push_back(std::move(label));
        }
        if (slices.empty()) return of("a bounds check", {});
        return of(slices.size() == 1 ? "the bounds check of slice" : "a bounds check of slices", {}) + " " +
               enumerated(slices);
      }
      case Check::null:
        return of("the null check", labels_where(way, any));
      case Check::divide_by_zero:
        return of("the check for division by zero", {});
      case Check::overflow:
        return of("an overflow check", {});
      case Check::alignment:
        return of("the alignment check",
                  labels_where(way, [](ParameterRole role) { return role == ParameterRole::pointer; }));
      // The condition itself says what they are about.
      case Check::assertion:
      case Check::unconditional:
      case Check::other:
      case Check::unknown:
        return {};
    }
    return {};
  }

  [[nodiscard]] std::string place(const std::optional<analysis::SourcePlace>& source) const {
    if (!source) return {};
    return fmt::format("{}:{}{}", printable(source->file), source->line,
                       source->column == 0 ? "" : fmt::format(":{}", source->column));
  }

  // Without "when": what must hold for this way to be taken.
  [[nodiscard]] std::string condition(const Way& way) {
    const Condition c = describe_condition(module_, *report_.pool, way.condition, labels_);
    remember(c.text);
    return printable(c.text) + (c.with_nan ? ", NaN included" : "");
  }

  void remember(std::string_view text) {
    has_loop_ = has_loop_ || text.find("loop(") != std::string_view::npos;
    has_phi_ = has_phi_ || text.find("phi(") != std::string_view::npos;
    has_unknown_ = has_unknown_ || text.find('?') != std::string_view::npos;
  }

  [[nodiscard]] bool is_unconditional(const Way& way) const { return report_.pool->is_constant(way.condition, 1); }

  // Why a dead way is not taken.
  [[nodiscard]] std::string impossible(const Way& way) {
    if (is_unconditional(way)) return "control does not get there";
    if (report_.pool->is_constant(way.condition, 0)) return "its condition is always false";
    return condition(way) + " cannot hold there";
  }

  // What the way says after its condition: ": the bounds check of slice a, src/main.rs:12".
  [[nodiscard]] std::string tail(const Way& way, const std::string& source) const {
    std::string out = purpose(way);
    if (!out.empty()) out.insert(0, ": ");
    if (!source.empty()) out += ", " + source;
    return out;
  }

  void trap(const Trap& t) {
    const Wording words = wording(t.kind, t.message.has_value());
    // Ways that stand at different places each name their own.
    const bool own_places = t.ways.size() > 1 && std::any_of(t.ways.begin(), t.ways.end(),
                                                             [](const Way& way) { return way.source.has_value(); });
    const std::string source = own_places ? std::string() : place(t.source);
    out_ += '\n';
    std::string head = paint(style_, Ink::bold, name_of(t)) + " ";
    const bool one_way = t.ways.size() == 1;
    const bool dead = t.dead.value_or(false);
    if (dead) {
      head += paint(style_, Ink::good, words.never);
      if (t.ways.size() > 1) head += fmt::format(" ({} ways looked at)", t.ways.size());
      if (one_way && !is_unconditional(t.ways[0])) head += ": " + impossible(t.ways[0]);
      if (!source.empty()) head += ", " + source;
    } else if (t.ways.empty()) {
      head += fmt::format("{} under conditions that are not known{}{}", words.verb, source.empty() ? "" : ", ", source);
    } else if (one_way) {
      const Way& way = t.ways[0];
      if (is_unconditional(way)) {
        head += fmt::format("{} {}{}", words.verb,
                            way.after.empty() ? "in every thread: nothing guards it" : "whenever control gets there",
                            tail(way, source));
      } else if ((*report_.pool)[way.condition].op == ExprOp::unknown) {
        remember("?");
        head += fmt::format("{} on a condition that could not be worked out{}", words.verb, tail(way, source));
      } else {
        head += fmt::format("{} when {}{}", words.verb, paint(style_, Ink::error, condition(way)), tail(way, source));
      }
    } else {
      const auto alive = static_cast<std::size_t>(std::count_if(t.ways.begin(), t.ways.end(), is_alive));
      head += fmt::format("{} in {}{}{}{}", words.verb, count(alive, "way"),
                          alive < t.ways.size() ? fmt::format(" ({} more never)", t.ways.size() - alive) : "",
                          source.empty() ? "" : ": ", source);
    }
    line(2, head);
    about(own_places ? std::nullopt : t.source, t.message, 6);
    if (!t.callee.empty()) line(6, fmt::format("calls {}", printable(readable(t.callee), 160)));
    if (t.given) given(t, 6);
    if (one_way) {
      way_details(t, t.ways[0], 6);
    } else if (!dead || t.ways.empty()) {
      several_ways(t);
    }
    for (const std::string& note : t.notes) remark(6, "note: " + printable(note));
  }

  static bool is_alive(const Way& way) { return !way.dead; }

  // Those that can be taken before those that cannot; numbered as in JSON.
  void several_ways(const Trap& t) {
    std::vector<std::size_t> alive, dead;
    for (std::size_t i = 0; i < t.ways.size(); ++i) (t.ways[i].dead ? dead : alive).push_back(i);
    const auto rest = [&](const std::vector<std::size_t>& ways) {
      if (ways.size() > max_ways)
        remark(6, fmt::format("… and {} more ways (--format json has all)", ways.size() - max_ways));
    };
    for (std::size_t n = 0; n < std::min(alive.size(), max_ways); ++n) {
      const Way& way = t.ways[alive[n]];
      const std::string source = way.source ? place(way.source) : std::string();
      const std::string text = is_unconditional(way) ? "without condition" : condition(way);
      line(6, fmt::format("{}. {}{}", alive[n] + 1, paint(style_, Ink::error, text), tail(way, source)));
      about(way.source, way.message == t.message ? std::nullopt : way.message, 10);
      way_details(t, way, 10);
    }
    rest(alive);
    for (std::size_t n = 0; n < std::min(dead.size(), max_ways); ++n) {
      const Way& way = t.ways[dead[n]];
      const std::string source = way.source ? place(way.source) : std::string();
      line(6, fmt::format("{}. never: {}{}", dead[n] + 1, paint(style_, Ink::good, impossible(way)),
                          source.empty() ? "" : ", " + source));
    }
    rest(dead);
    if (t.ways.empty()) evidence(t, nullptr, 6);
  }

  static std::string readable(const std::string& name) {
    const std::string text = analysis::demangled_without_parameters(name);
    return text.empty() ? name : text;
  }

  // Source line, inlining, message.
  void about(const std::optional<analysis::SourcePlace>& source, const std::optional<std::string>& message,
             unsigned indent) {
    if (source) {
      if (const auto text = sources_.line(source->file, source->line))
        line(indent, paint(style_, Ink::code, "> " + *text));
      for (const auto& inner : source->inlined_at) {
        const auto text = sources_.line(inner.file, inner.line);
        line(indent,
             fmt::format("inlined from {}{}", place(inner), text ? paint(style_, Ink::code, "  > " + *text) : ""));
      }
    }
    if (message) line(indent, fmt::format("says \"{}\"", printable(*message, 200)));
  }

  void way_details(const Trap& t, const Way& way, unsigned indent) {
    const std::vector<std::string>& via = way.via.empty() ? t.via : way.via;
    if (via.size() > 1) {
      std::vector<std::string> names;
      for (const std::string& name : via) names.push_back(printable(readable(name), 80));
      wrapped(indent, "called through ", names, " > ");
    }
    std::vector<std::string> known;
    for (const ExprId after : way.after) {
      if (known.size() == max_evidence) {
        known.push_back("…");
        break;
      }
      const Condition c = describe_condition(module_, *report_.pool, after, labels_);
      remember(c.text);
      const bool needs = c.op == "or" && way.after.size() > 1;
      known.push_back(needs ? "(" + printable(c.text) + ")" : printable(c.text));
    }
    if (!known.empty()) wrapped(indent, "reached when ", known, " and ");
    evidence(t, &way, indent);
  }

  // Lines of PTX, in order, the deciding branch marked.
  void evidence(const Trap& t, const Way* way, unsigned indent) {
    std::vector<std::uint32_t> statements;
    if (way != nullptr) {
      statements = way->evidence;
      for (const std::uint32_t more : {way->setp, way->branch, way->call_site}) statements.push_back(more);
    }
    statements.push_back(t.statement);
    std::sort(statements.begin(), statements.end());
    statements.erase(std::unique(statements.begin(), statements.end()), statements.end());
    std::erase_if(statements, [&](std::uint32_t s) { return s >= module_.statement_count(); });
    // What decides is never left out; definitions further back are.
    while (statements.size() > max_evidence) {
      const auto spare = std::find_if(statements.begin(), statements.end(), [&](std::uint32_t s) {
        return s != t.statement && (way == nullptr || (s != way->branch && s != way->setp && s != way->call_site));
      });
      if (spare == statements.end()) break;
      statements.erase(spare);
    }
    // The kernel's own lines before those of the functions it calls.
    std::stable_partition(statements.begin(), statements.end(),
                          [&](std::uint32_t s) { return s >= kernel_first_ && s <= kernel_last_; });
    for (const std::uint32_t s : statements) {
      std::string_view remark_text;
      if (way != nullptr && s == way->branch && s != t.statement)
        remark_text = taken(*way, s) ? "  taken" : "  not taken";
      line(indent, fmt::format("{} {}{}", paint(style_, Ink::dim, fmt::format("{:>5} |", module_.line_of_statement(s))),
                               one_line(module_.statement(s), 120), paint(style_, Ink::dim, remark_text)));
    }
  }

  // Whether the way goes where the branch goes when its guard holds.
  [[nodiscard]] bool taken(const Way& way, std::uint32_t branch) const {
    const auto guard = module_.statement(branch).guard();
    return !guard || guard->negated == way.negated;
  }

  // Notation that not everybody has seen.
  void legend() {
    if (has_loop_)
      remark(0,
             "loop(a, +b): a value that starts as a, with b added each time round; loop(a, b): it starts as a and "
             "becomes b");
    if (has_phi_) remark(0, "phi(a, b): one of these values, depending on the path taken");
    if (has_unknown_) remark(0, "?: a value that could not be worked out");
  }

  const Module& module_;
  const analysis::TrapReport& report_;
  const std::optional<analysis::Launch>& launch_;
  TextStyle style_;
  SourceLines sources_;
  Labels labels_;
  std::span<const ParameterInfo> params_;
  std::string out_;
  std::uint32_t kernel_first_ = 0, kernel_last_ = 0;
  std::uint64_t threads_ = 0;
  bool has_loop_ = false, has_phi_ = false, has_unknown_ = false;
};

}  // namespace

std::string explain_trap_text(const Module& module, const analysis::TrapReport& report,
                              const std::optional<analysis::Launch>& launch, const TextStyle& style) {
  return Writer(module, report, launch, style).all();
}

std::string one_trap_text(const Module& module, const analysis::TrapReport& report, const FunctionTraps& kernel,
                          const Trap& trap, const TextStyle& style) {
  return Writer(module, report, std::nullopt, style).one_trap(kernel, trap);
}

std::string launch_verdict_text(const Module& module, const analysis::TrapReport& report, const FunctionTraps& kernel,
                                const analysis::Launch& launch, const TextStyle& style) {
  return Writer(module, report, launch, style).launch_verdict(kernel);
}

std::string launch_effect_text(const Module& module, const analysis::TrapReport& report, const FunctionTraps& kernel,
                               const Trap& trap, const analysis::Launch& launch, const TextStyle& style) {
  return Writer(module, report, launch, style).launch_effect(kernel, trap);
}

}  // namespace ptxscope::report
