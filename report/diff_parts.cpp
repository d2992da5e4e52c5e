#include "report/diff_parts.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <map>

#include "report/diff.h"
#include "report/one_line.h"
#include "report/terminal.h"

namespace ptxscope::report {

using analysis::Edit;
using analysis::EditEffect;
using analysis::EditOp;
using analysis::EditPart;
using analysis::FunctionDiff;
using analysis::FunctionStatus;
using analysis::ModuleDiff;

std::string_view spelling(FunctionStatus status) {
  switch (status) {
    case FunctionStatus::same:
      return "same";
    case FunctionStatus::changed:
      return "changed";
    case FunctionStatus::added:
      return "added";
    case FunctionStatus::removed:
      return "removed";
    case FunctionStatus::renamed:
      return "renamed";
  }
  return "";
}

std::string_view spelling(EditOp op) {
  switch (op) {
    case EditOp::remove:
      return "delete";
    case EditOp::insert:
      return "insert";
    case EditOp::replace:
      return "replace";
  }
  return "";
}

std::string_view spelling(EditPart part) {
  switch (part) {
    case EditPart::instruction:
      return "instruction";
    case EditPart::signature:
      return "signature";
    case EditPart::directive:
      return "directive";
    case EditPart::declaration:
      return "declaration";
  }
  return "";
}

std::string_view spelling(EditEffect effect) {
  switch (effect) {
    case EditEffect::changes:
      return "changes";
    case EditEffect::unreachable:
      return "unreachable";
    case EditEffect::jump:
      return "jump";
    case EditEffect::unused:
      return "unused";
  }
  return "";
}

std::string_view spelling(analysis::MatchedBy by) {
  switch (by) {
    case analysis::MatchedBy::name:
      return "name";
    case analysis::MatchedBy::stripped_name:
      return "stripped-name";
    case analysis::MatchedBy::likeness:
      return "likeness";
  }
  return "";
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string difference(std::uint64_t a, std::uint64_t b) {
  return b >= a ? "+" + std::to_string(b - a) : "-" + std::to_string(a - b);
}

std::string percentage(std::uint64_t a, std::uint64_t b) {
  if (a == 0) return {};
  const double percent = 100.0 * (static_cast<double>(b) - static_cast<double>(a)) / static_cast<double>(a);
  if (percent > -0.05 && percent < 0.05) return {};  // "-0.0 %" would say that nothing changed
  char buffer[48];
  std::snprintf(buffer, sizeof buffer, "%+.1f %%", percent);
  return buffer;
}

std::string words_of_count(std::string_view name) {
  std::string out(name);
  std::ranges::replace(out, '_', ' ');
  return out;
}

std::vector<CountChange> changed_counts(const ModuleDiff& diff, std::size_t most_opcodes) {
  std::vector<CountChange> out;
  for (std::size_t i = 0; i < analysis::count_kinds; ++i)
    if (diff.a_counts[i] != diff.b_counts[i])
      out.push_back({words_of_count(analysis::count_names[i]), diff.a_counts[i], diff.b_counts[i]});
  for (std::size_t i = 0; i < std::min(most_opcodes, diff.opcodes.size()); ++i)
    out.push_back({printable(diff.opcodes[i].opcode), diff.opcodes[i].a, diff.opcodes[i].b});
  return out;
}

bool is_compared(StatementKind kind) {
  switch (kind) {
    case StatementKind::instruction:
    case StatementKind::pragma:
    case StatementKind::branch_targets:
    case StatementKind::call_targets:
    case StatementKind::call_prototype:
    case StatementKind::directive:
    case StatementKind::unparsed:
      return true;
    default:
      return false;
  }
}

std::vector<Span> differing_spans(const Module& module, const Edit& edit, const analysis::EditSide& side) {
  std::vector<Span> spans;
  const Statement statement = module.statement(side.statement);
  if (statement.kind() != StatementKind::instruction) return spans;
  const auto guard = statement.guard();
  if (edit.guard_differs && guard) {
    Span span = guard->predicate.span();
    while (span.begin > statement.span().begin && module.text()[span.begin] != '@') --span.begin;
    spans.push_back(span);
  }
  if (edit.opcode_differs) {
    // Behind the guard, up to the first operand.
    Span span = statement.span();
    if (guard) span.begin = guard->predicate.span().end;
    const std::string_view text = module.text();
    while (span.begin < span.end && std::isspace(static_cast<unsigned char>(text[span.begin])) != 0) ++span.begin;
    std::uint32_t end = span.begin;
    while (end < span.end && std::isspace(static_cast<unsigned char>(text[end])) == 0 && text[end] != ';') ++end;
    spans.push_back({span.begin, end});
  }
  std::size_t place = 0;
  for (const Operand operand : statement.operands()) {
    if ((edit.operands_differ >> std::min<std::size_t>(place, 31) & 1U) != 0) spans.push_back(operand.span());
    ++place;
  }
  return spans;
}

namespace {

// The statements of one body that are shown as context.
class Lines {
 public:
  Lines(const Module& module, std::uint32_t function) : module_(&module) {
    if (function == no_index) return;
    const Function& one = module.functions()[function];
    first_ = one.body_begin + 1;
    end_ = std::min(one.body_end, module.statement_count());
  }
  // The shown statement nearest before `statement`; no_index: none.
  [[nodiscard]] std::uint32_t before(std::uint32_t statement) const {
    while (statement > first_)
      if (is_compared(module_->statement(--statement).kind())) return statement;
    return no_index;
  }
  // The first shown one from `statement` on.
  [[nodiscard]] std::uint32_t from(std::uint32_t statement) const {
    for (std::uint32_t i = std::max(statement, first_); i < end_; ++i)
      if (is_compared(module_->statement(i).kind())) return i;
    return no_index;
  }
  [[nodiscard]] std::uint32_t first() const { return first_; }

 private:
  const Module* module_;
  std::uint32_t first_ = 0, end_ = 0;
};

// Where an edit stands in A: its statements, or an empty range where nothing does.
struct Place {
  std::uint32_t begin = 0, end = 0;
};
Place place_of(const Edit& edit, const Lines& lines) {
  const analysis::EditSide& side = edit.a;
  if (side.statement != no_index) {
    std::uint32_t end = side.statement;
    for (std::uint32_t k = 0; k < side.count; ++k) {
      const std::uint32_t next = lines.from(end);
      if (next == no_index) break;
      end = next + 1;
    }
    return {side.statement, std::max(end, side.statement + 1)};
  }
  const std::uint32_t at = side.after == no_index ? lines.first() : side.after + 1;
  return {at, at};
}

DiffCell cell_of(const Module& module, const Edit& edit, const analysis::EditSide& side, bool with_marks) {
  DiffCell cell;
  if (side.count == 0) return cell;
  cell.line = module.position(side.span).line;
  if (side.count > 1) {
    cell.text = counted(side.count, "instruction");
    return cell;
  }
  std::vector<std::size_t> places;
  if (with_marks && side.statement != no_index)
    for (const Span span : differing_spans(module, edit, side)) {
      places.push_back(span.begin);
      places.push_back(span.end);
    }
  for (std::size_t& place : places) place -= side.span.begin;
  cell.text = one_line(module.text(side.span), places);
  for (std::size_t i = 0; i + 1 < places.size(); i += 2) {
    std::size_t end = std::min(places[i + 1], cell.text.size());
    while (end > places[i] && cell.text[end - 1] == ' ') --end;
    if (places[i] < end) cell.marks.emplace_back(places[i], end);
  }
  return cell;
}

// In the order of A; what B has more stands behind what it follows there.
class HunkBuilder {
 public:
  HunkBuilder(const Module& a, const Module& b, const FunctionDiff& function, std::size_t context)
      : a_(a), b_(b), function_(function), lines_(a, function.a), context_(context) {}

  void add(const Edit& edit) {
    if (edit.part != EditPart::instruction) {
      close();
      if (hunks_.empty() || !is_declarations_) hunks_.emplace_back();
      is_declarations_ = true;
      hunks_.back().rows.push_back(row(edit));
      return;
    }
    const Place place = place_of(edit, lines_);
    if (is_open_ && !is_near(place.begin)) close();
    if (!is_open_) open(place.begin);
    fill(place.begin);
    hunks_.back().rows.push_back(row(edit));
    if (edit.continues_elsewhere) note("what runs next is different");
    if (edit.a.count > 1 || edit.b.count > 1) note("too different to be compared one by one");
    at_ = std::max(at_, place.end);
  }

  std::vector<DiffHunk> finish() {
    close();
    return std::move(hunks_);
  }

 private:
  void note(std::string text) {
    DiffRow one;
    one.kind = RowKind::note;
    one.a.text = std::move(text);
    hunks_.back().rows.push_back(std::move(one));
  }

  DiffRow row(const Edit& edit) const {
    DiffRow one;
    one.kind = edit.op == EditOp::remove   ? RowKind::removed
               : edit.op == EditOp::insert ? RowKind::inserted
                                           : RowKind::replaced;
    one.changes = edit.effect == EditEffect::changes;
    const bool is_replaced = edit.op == EditOp::replace && edit.part == EditPart::instruction;
    one.a = cell_of(a_, edit, edit.a, is_replaced);
    one.b = cell_of(b_, edit, edit.b, is_replaced);
    return one;
  }

  bool is_near(std::uint32_t place) const {
    if (place < at_) return false;
    std::uint32_t at = at_;
    for (std::size_t k = 0; k <= 2 * context_; ++k) {
      const std::uint32_t next = lines_.from(at);
      if (next == no_index || next >= place) return true;
      at = next + 1;
    }
    return false;
  }

  void open(std::uint32_t place) {
    is_open_ = true;
    is_declarations_ = false;
    hunks_.emplace_back();
    at_ = place;
    for (std::size_t k = 0; k < context_; ++k) {
      const std::uint32_t before = lines_.before(at_);
      if (before == no_index) break;
      at_ = before;
    }
  }

  // The statements of A up to there, with their partners.
  void fill(std::uint32_t end) {
    for (std::uint32_t at = lines_.from(at_); at != no_index && at < end; at = lines_.from(at_)) {
      at_ = at + 1;
      DiffRow one;
      one.a = cell(a_, at);
      const auto partner =
          std::ranges::lower_bound(function_.partners, at, {}, [](const auto& pair) { return pair.first; });
      if (partner != function_.partners.end() && partner->first == at) one.b = cell(b_, partner->second);
      hunks_.back().rows.push_back(std::move(one));
    }
  }

  void close() {
    if (!is_open_) return;
    is_open_ = false;
    std::uint32_t end = at_;
    for (std::size_t k = 0; k < context_; ++k) {
      const std::uint32_t next = lines_.from(end);
      if (next == no_index) break;
      end = next + 1;
    }
    fill(end);
  }

  static DiffCell cell(const Module& module, std::uint32_t statement) {
    return {module.line_of_statement(statement), one_line(module.statement(statement)), {}};
  }

  const Module& a_;
  const Module& b_;
  const FunctionDiff& function_;
  Lines lines_;
  std::size_t context_;
  std::vector<DiffHunk> hunks_;
  bool is_open_ = false, is_declarations_ = false;
  std::uint32_t at_ = 0;
};

}  // namespace

std::string beginning_of(const Module& module, Span span) { return one_line(module.text(span), 160); }

std::vector<DiffHunk> hunks_of(const Module& a, const Module& b, const FunctionDiff& function, std::size_t context,
                               std::size_t most_edits) {
  HunkBuilder builder(a, b, function, context);
  for (std::size_t i = 0; i < std::min(most_edits, function.edits.size()); ++i) builder.add(function.edits[i]);
  return builder.finish();
}

std::string name_of(const Module& a, const Module& b, const FunctionDiff& function) {
  const auto name = [](const Module& module, std::uint32_t index) {
    return printable(module.name(module.functions()[index].name));
  };
  if (function.a == no_index) return name(b, function.b);
  if (function.b == no_index) return name(a, function.a);
  const std::string left = name(a, function.a);
  const std::string right = name(b, function.b);
  return left == right ? left : left + " → " + right;
}

std::string outline_of(const FunctionDiff& function) {
  std::string out(function.status == FunctionStatus::same ? "same code" : spelling(function.status));
  const auto add = [&](const std::string& text) { out += ", " + text; };
  const std::size_t changing = function.edits_that_change();
  const std::size_t idle = function.edits.size() - changing;
  if (function.status == FunctionStatus::added)
    add(counted(function.b_counts[analysis::Count::instructions], "instruction"));
  if (function.status == FunctionStatus::removed)
    add(counted(function.a_counts[analysis::Count::instructions], "instruction"));
  if (changing > 0) add(counted(changing, "edit"));
  if (idle > 0) add(counted(idle, "edit") + (idle == 1 ? " that changes nothing" : " that change nothing"));
  if (function.respelled > 0) add(counted(function.respelled, "opcode") + " spelled otherwise");
  if (!function.moves.empty()) add(counted(function.moves.size(), "block") + " moved");
  if (function.too_different) add("too different to be compared one by one");
  return out;
}

std::vector<const FunctionDiff*> told_functions(const ModuleDiff& diff) {
  std::vector<const FunctionDiff*> out;
  for (const FunctionDiff& one : diff.functions)
    if (one.status != FunctionStatus::same || !one.edits.empty() || !one.moves.empty() || one.respelled != 0)
      out.push_back(&one);
  const auto weight = [](const FunctionDiff& one) -> std::uint64_t {
    if (one.status == FunctionStatus::added) return one.b_counts[analysis::Count::instructions];
    if (one.status == FunctionStatus::removed) return one.a_counts[analysis::Count::instructions];
    std::uint64_t sum = 0;
    for (const Edit& edit : one.edits)
      if (edit.effect == EditEffect::changes) sum += std::max({edit.a.count, edit.b.count, 1U});
    return sum;
  };
  std::ranges::stable_sort(out, [&](const FunctionDiff* x, const FunctionDiff* y) {
    const auto x_weight = weight(*x);
    const auto y_weight = weight(*y);
    if (x_weight != y_weight) return x_weight > y_weight;
    return x->edits.size() + x->moves.size() > y->edits.size() + y->moves.size();
  });
  return out;
}

std::vector<const analysis::DeclarationDiff*> told_declarations(const ModuleDiff& diff, bool with_renamed) {
  std::vector<const analysis::DeclarationDiff*> out;
  for (const analysis::DeclarationDiff& one : diff.declarations)
    if (with_renamed || one.status != FunctionStatus::renamed) out.push_back(&one);
  return out;
}

std::string move_text(const Module& a, const Module& b, const analysis::Move& move) {
  const auto lines = [](const Module& module, std::uint32_t first, std::uint32_t last) {
    const std::uint32_t from = module.line_of_statement(first);
    const std::uint32_t to = module.line_of_statement(last);
    return from == to ? "line " + std::to_string(from) : "lines " + std::to_string(from) + "-" + std::to_string(to);
  };
  return lines(a, move.a_first, move.a_last) + " → " + lines(b, move.b_first, move.b_last) + " (" +
         counted(move.instructions, "instruction") + ")";
}

std::vector<std::string> idle_edits(const Module& a, const Module& b, const ModuleDiff& diff) {
  std::map<std::string, std::size_t> groups;
  for (const FunctionDiff& function : diff.functions) {
    for (const Edit& edit : function.edits) {
      if (edit.effect == EditEffect::changes) continue;
      if (edit.op == EditOp::replace) {
        if (edit.a.statement != no_index && edit.b.statement != no_index && edit.effect == EditEffect::jump)
          ++groups["`" + printable(a.statement(edit.a.statement).opcode().text) + "` became `" +
                   printable(b.statement(edit.b.statement).opcode().text) + "`"];
        continue;
      }
      const bool dropped = edit.op == EditOp::remove;
      const Module& module = dropped ? a : b;
      const analysis::EditSide& side = dropped ? edit.a : edit.b;
      if (side.statement == no_index) continue;
      const std::string verb = dropped ? " dropped" : " added";
      if (edit.effect == EditEffect::unused) {
        ++groups["unused declarations" + verb];
        continue;
      }
      const Opcode& opcode = module.statement(side.statement).opcode();
      if (edit.effect == EditEffect::jump) {
        ++groups["`" + printable(opcode.text) + "`" + verb + ", to where control goes anyway"];
        continue;
      }
      const Lines lines(module, dropped ? function.a : function.b);
      std::string behind;
      // The nearest before it that is no such statement itself.
      for (std::uint32_t at = lines.before(side.statement); at != no_index; at = lines.before(at)) {
        if (module.statement(at).kind() != StatementKind::instruction) continue;
        behind = one_line(module.statement(at));
        break;
      }
      ++groups["`" + one_line(module.text(side.span)) + "`" + verb +
               (behind.empty() || behind.size() > 40 ? ", unreachable" : " after `" + behind + "`")];
    }
  }
  std::vector<std::string> out;
  for (const auto& [text, count] : groups) out.push_back(std::to_string(count) + " × " + text);
  return out;
}

std::string diff_verdict(const Module& a, const Module& b, const ModuleDiff& diff) {
  if (diff.identical) return "identical, byte for byte";
  std::vector<std::string> parts;
  std::uint64_t edits = 0;
  std::uint64_t changed = 0;
  std::uint64_t moves = 0;
  std::uint64_t respelled = 0;
  std::uint64_t added = 0;
  std::uint64_t removed = 0;
  std::uint64_t renamed = 0;
  std::uint64_t in_both = 0;
  std::uint64_t looked_up = 0;
  bool too_different = false;
  bool registers = false;
  bool labels = false;
  for (const FunctionDiff& one : diff.functions) {
    edits += one.edits_that_change();
    changed += one.status == FunctionStatus::changed ? 1 : 0;
    moves += one.moves.size();
    respelled += one.respelled;
    added += one.status == FunctionStatus::added ? 1 : 0;
    removed += one.status == FunctionStatus::removed ? 1 : 0;
    renamed += one.a != no_index && one.b != no_index && name_of(a, b, one).find(" → ") != std::string::npos ? 1 : 0;
    in_both += one.a != no_index && one.b != no_index ? 1 : 0;
    // By the host, or another module; compilers' hashes are looked up with the module they belong to.
    if (one.a != no_index && one.b != no_index && one.matched_by == analysis::MatchedBy::likeness) {
      const Function& function = a.functions()[one.a];
      looked_up += function.kind == FunctionKind::entry || function.linkage != Linkage::none ? 1 : 0;
    }
    too_different |= one.too_different;
    registers |= !one.registers.empty();
    labels |= !one.labels.empty() || !one.locals.empty();
  }
  if (diff.same_code) {
    parts.emplace_back("same code");
  } else {
    std::string what;
    const auto add = [&](const std::string& text) { what += (what.empty() ? "" : ", ") + text; };
    if (edits > 0)
      add(counted(edits, "edit") + " in " + std::to_string(changed) + " of " + counted(in_both, "function"));
    if (added > 0) add(counted(added, "function") + " added");
    if (removed > 0) add(counted(removed, "function") + " removed");
    if (too_different) add("some of it too different to be compared one by one");
    std::uint64_t declarations = 0;
    for (const auto& one : diff.declarations) declarations += one.effect == EditEffect::changes ? 1 : 0;
    if (declarations > 0) add(counted(declarations, "declaration") + (declarations == 1 ? " differs" : " differ"));
    parts.push_back("different: " + what);
  }
  if (!diff.header.empty()) {
    std::string what = "header differs: ";
    for (std::size_t i = 0; i < diff.header.size(); ++i) {
      const auto& one = diff.header[i];
      const auto or_none = [](const std::string& text) { return text.empty() ? std::string("none") : printable(text); };
      what += (i == 0 ? "." : ", .") + one.field + " " + or_none(one.a) + " → " + or_none(one.b);
    }
    parts.push_back(std::move(what));
  }
  std::vector<std::string> idle = idle_edits(a, b, diff);
  constexpr std::size_t most_kinds = 3;  // more would bury the rest of the line
  std::uint64_t idle_count = 0;
  for (const FunctionDiff& one : diff.functions) idle_count += one.edits.size() - one.edits_that_change();
  if (idle.size() > most_kinds || (idle.empty() && idle_count > 0))
    idle = {counted(idle_count, "edit") + (idle_count == 1 ? " that changes nothing" : " that change nothing")};
  for (std::string& one : idle) parts.push_back(std::move(one));
  if (respelled > 0) parts.push_back(counted(respelled, "opcode") + " spelled with another type of the same bits");
  if (moves > 0) parts.push_back(counted(moves, "block") + " moved");
  if (diff.functions_reordered) parts.emplace_back("functions reordered");
  if (renamed > 0) parts.push_back(counted(renamed, "function") + " renamed");
  if (looked_up > 0)
    parts.back() += looked_up == renamed ? " that others look up by name"
                                         : ", " + std::to_string(looked_up) + " of them looked up by name from outside";
  const auto renamed_declarations = static_cast<std::uint64_t>(
      std::ranges::count(diff.declarations, FunctionStatus::renamed, &analysis::DeclarationDiff::status));
  if (renamed_declarations > 0) parts.push_back(counted(renamed_declarations, "declaration") + " renamed");
  if (registers || labels)
    parts.push_back(std::string(registers ? "registers" : "") + (registers && labels ? " and " : "") +
                    (labels ? "local names" : "") + " renamed");
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : "; ") + part;
  return out;
}

}  // namespace ptxscope::report
