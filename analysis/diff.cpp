#include "analysis/diff.h"

#include <algorithm>

#include "analysis/cfg.h"
#include "analysis/diff_body.h"
#include "analysis/diff_declarations.h"
#include "analysis/diff_function.h"
#include "analysis/diff_match.h"
#include "analysis/diff_names.h"
#include "analysis/liveness.h"
#include "analysis/names.h"

namespace ptxscope::analysis {

std::size_t FunctionDiff::edits_that_change() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(edits, [](const Edit& edit) { return edit.effect == EditEffect::changes; }));
}

namespace {

using diff::Body;
using diff::BodyReader;
using diff::Pairing;
using diff::Side;

std::uint32_t max_live_of(const Module& module, std::uint32_t function) {
  constexpr std::uint32_t largest = 100'000;  // statements
  const Function& one = module.functions()[function];
  if (one.body_end - one.body_begin > largest) return no_index;
  const Cfg cfg = build_cfg(module, function, {.post_dominators = false, .loops = false});
  const Liveness liveness = compute_liveness(module, cfg);
  return liveness.complete ? liveness.max_live.registers : no_index;
}

class ModuleComparison {
 public:
  ModuleComparison(const Module& a, const Module& b, const DiffOptions& options)
      : a_(a), b_(b), options_(options), names_(a, b), reader_a_(Side::a, a, names_), reader_b_(Side::b, b, names_) {}

  ModuleDiff run() {
    out_.identical = a_.text() == b_.text();
    out_.header = diff::compare_headers(a_, b_);
    bool stopped = false;
    const diff::GoesOn goes_on = [&] {
      if (!stopped && options_.goes_on) stopped = !options_.goes_on(0, b_.functions().size());
      return !stopped;
    };
    const std::vector<Pairing> variables = diff::match_variables(a_, b_, names_, goes_on);
    if (stopped) return std::move(out_);
    const std::vector<Pairing> functions = diff::match_functions(a_, b_, names_, goes_on);
    if (stopped) return std::move(out_);
    find_unmatched_patterns();
    if (options_.patterns.empty()) {
      diff::compare_variables(a_, b_, variables, reader_a_, reader_b_, out_.declarations);
      diff::compare_other_statements(a_, b_, out_.declarations);
    }
    std::uint32_t last = 0;
    std::size_t done = 0;
    for (const Pairing& pair : functions) {
      if (options_.goes_on && !options_.goes_on(done++, functions.size())) return std::move(out_);
      if (pair.a != no_index && pair.b != no_index && a_.functions()[pair.a].has_body &&
          b_.functions()[pair.b].has_body) {
        out_.functions_reordered |= pair.a < last;
        last = pair.a;
      }
      if (is_wanted(pair)) compare(pair);
    }
    for (const DeclarationDiff& one : out_.declarations) out_.same_code &= one.effect != EditEffect::changes;
    for (const FunctionDiff& one : out_.functions)
      out_.same_code &= one.same_code && one.status != FunctionStatus::added && one.status != FunctionStatus::removed;
    for (const auto& [reader, counts] :
         {std::pair{&reader_a_, &out_.a_counts}, std::pair{&reader_b_, &out_.b_counts}}) {
      (*counts)[Count::shared_bytes] = reader->declared().shared_bytes;
      (*counts)[Count::local_bytes] = reader->declared().local_bytes;
    }
    count_opcodes();
    return std::move(out_);
  }

 private:
  std::string_view name_a(const Pairing& pair) const {
    return pair.a == no_index ? std::string_view() : a_.name(a_.functions()[pair.a].name);
  }
  std::string_view name_b(const Pairing& pair) const {
    return pair.b == no_index ? std::string_view() : b_.name(b_.functions()[pair.b].name);
  }

  bool is_wanted(const Pairing& pair) const {
    if (options_.patterns.empty()) return true;
    return std::ranges::any_of(options_.patterns, [&](const std::string& pattern) {
      return (pair.a != no_index && matches_name(pattern, name_a(pair))) ||
             (pair.b != no_index && matches_name(pattern, name_b(pair)));
    });
  }

  void find_unmatched_patterns() {
    for (const std::string& pattern : options_.patterns) {
      bool found = false;
      for (const Module* module : {&a_, &b_})
        for (const Function& one : module->functions())
          found = found || (one.has_body && matches_name(pattern, module->name(one.name)));
      if (!found) out_.unmatched.push_back(pattern);
    }
  }

  void compare(const Pairing& pair) {
    const Function* const left = pair.a == no_index ? nullptr : &a_.functions()[pair.a];
    const Function* const right = pair.b == no_index ? nullptr : &b_.functions()[pair.b];
    const bool has_body = (left != nullptr && left->has_body) || (right != nullptr && right->has_body);
    if (!has_body) return compare_prototypes(pair, left, right);
    FunctionDiff one;
    one.a = pair.a;
    one.b = pair.b;
    one.matched_by = pair.by;
    if (left != nullptr && left->has_body) {
      reader_a_.read(*left, body_a_);
      one.a_counts = body_a_.counts;
    }
    if (right != nullptr && right->has_body) {
      reader_b_.read(*right, body_b_);
      one.b_counts = body_b_.counts;
    }
    for (std::size_t i = 0; i < count_kinds; ++i) {
      out_.a_counts[i] += one.a_counts[i];
      out_.b_counts[i] += one.b_counts[i];
    }
    if (left == nullptr || right == nullptr) {
      one.status = left == nullptr ? FunctionStatus::added : FunctionStatus::removed;
      one.same_code = false;
    } else {
      compare_definitions(*left, *right, one);
      if (!one.same_code) one.status = FunctionStatus::changed;
      else if (name_a(pair) != name_b(pair)) one.status = FunctionStatus::renamed;
    }
    if (one.status != FunctionStatus::same && one.status != FunctionStatus::renamed) {
      if (left != nullptr && left->has_body) one.a_max_live = max_live_of(a_, pair.a);
      if (right != nullptr && right->has_body) one.b_max_live = max_live_of(b_, pair.b);
    }
    out_.functions.push_back(std::move(one));
  }

  void compare_definitions(const Function& left, const Function& right, FunctionDiff& one) {
    diff::compare_signatures(a_, b_, left, right, one.edits);
    one.same_code = one.edits.empty();
    if (!left.has_body || !right.has_body) return;
    if (diff::same_in_step(body_a_, body_b_, registers_, locals_)) {
      for (std::uint32_t i = 0; i < body_a_.size(); ++i)
        one.respelled += body_a_.items[i].opcode != body_b_.items[i].opcode ? 1 : 0;
      if (options_.names) diff::add_names(body_a_, body_b_, registers_, locals_, one);
      return;
    }
    diff::compare_bodies(body_a_, body_b_, options_.names, budget_, one);
  }

  void compare_prototypes(const Pairing& pair, const Function* left, const Function* right) {
    DeclarationDiff one;
    one.a_name = name_a(pair);
    one.b_name = name_b(pair);
    if (left != nullptr) one.a = left->span;
    if (right != nullptr) one.b = right->span;
    if (left == nullptr || right == nullptr) {
      // A call of it would be an edit of its own.
      one.status = left == nullptr ? FunctionStatus::added : FunctionStatus::removed;
      one.effect = EditEffect::unused;
    } else {
      std::vector<Edit> edits;
      diff::compare_signatures(a_, b_, *left, *right, edits);
      if (edits.empty()) return;
    }
    out_.declarations.push_back(std::move(one));
  }

  void count_opcodes() {
    const auto& left = reader_a_.opcode_counts();
    const auto& right = reader_b_.opcode_counts();
    for (std::uint32_t id = 0; id < names_.opcode_count(); ++id) {
      const std::uint64_t x = id < left.size() ? left[id] : 0;
      const std::uint64_t y = id < right.size() ? right[id] : 0;
      if (x != y) out_.opcodes.push_back({std::string(names_.opcode(id).text), x, y});
    }
    const auto distance = [](const OpcodeCount& one) { return one.a > one.b ? one.a - one.b : one.b - one.a; };
    std::ranges::stable_sort(out_.opcodes, [&](const auto& x, const auto& y) {
      return distance(x) != distance(y) ? distance(x) > distance(y) : x.opcode < y.opcode;
    });
  }

  const Module& a_;
  const Module& b_;
  const DiffOptions& options_;
  diff::SharedNames names_;
  BodyReader reader_a_, reader_b_;
  Body body_a_, body_b_;
  diff::Mapping registers_, locals_;
  std::uint64_t budget_ = 400'000'000;  // steps of alignment: a few seconds
  ModuleDiff out_;
};

}  // namespace

ModuleDiff diff_modules(const Module& a, const Module& b, const DiffOptions& options) {
  return ModuleComparison(a, b, options).run();
}

bool is_same(const ModuleDiff& diff, bool strict) {
  if (!strict || diff.identical) return diff.same_code;
  if (!diff.same_code || !diff.header.empty() || !diff.declarations.empty()) return false;
  return std::ranges::all_of(diff.functions, [](const FunctionDiff& one) {
    return one.edits.empty() && one.respelled == 0 && one.status == FunctionStatus::same;
  });
}

}  // namespace ptxscope::analysis
