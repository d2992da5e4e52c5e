// What diff_modules() says, as lines: for tables in tests.
#pragma once

#include <array>
#include <string>

#include "analysis/diff.h"
#include "tests/catch.h"

namespace ptxscope::analysis::testing {

/// Of the functions, of the parts outside them, of the header: all that differs, parted by " / ". `-` and `+` stand before what
/// is taken out and put in, `=>` between; in brackets an edit's part unless it is an instruction, why it changes nothing,
/// what of the instruction differs (op, guard, the operands by bit), and "elsewhere" where only what follows differs.
class DiffText {
 public:
  DiffText(const std::string& left, const std::string& right)
      : a_(read(left)), b_(read(right)), diff_(diff_modules(a_, b_)) {}

  [[nodiscard]] const ModuleDiff& diff() const { return diff_; }
  [[nodiscard]] std::string all() const { return all_but_names(true); }
  [[nodiscard]] std::string without_names() const { return all_but_names(false); }

 private:
  static Module read(const std::string& text) {
    Module module = parse(text, "k.ptx");
    for (const Diagnostic& one : module.diagnostics()) FAIL(one.message << "\n" << text);
    return module;
  }

  static std::string flat(std::string_view text) {  // on one line
    std::string out;
    for (const char c : text) {
      const bool space = c == ' ' || c == '\n' || c == '\t';
      if (!space) out += c;
      else if (!out.empty() && out.back() != ' ') out += ' ';
    }
    return out;
  }

  static std::string spelling(FunctionStatus status) {
    constexpr std::array names{"same", "changed", "added", "removed", "renamed"};
    return names.at(static_cast<std::size_t>(status));
  }
  static std::string spelling(MatchedBy by) {
    constexpr std::array names{"name", "stripped name", "likeness"};
    return names.at(static_cast<std::size_t>(by));
  }
  static std::string effect(EditEffect effect) {
    constexpr std::array names{"", "[unreachable]", "[jump]", "[unused]"};
    return names.at(static_cast<std::size_t>(effect));
  }

  [[nodiscard]] std::string text_of(const Edit& edit) const {
    constexpr std::array parts{"", "[signature]", "[directive]", "[declaration]"};
    std::string out = parts.at(static_cast<std::size_t>(edit.part)) + effect(edit.effect);
    if (edit.continues_elsewhere) out += "[elsewhere]";
    if (edit.op == EditOp::replace && edit.part == EditPart::instruction) {
      out += edit.opcode_differs ? "[op]" : "";
      out += edit.guard_differs ? "[guard]" : "";
      if (edit.operands_differ != 0) out += "[" + std::to_string(edit.operands_differ) + "]";
    }
    if (edit.a.count > 1 || edit.b.count > 1)
      out += "[" + std::to_string(edit.a.count) + "," + std::to_string(edit.b.count) + "]";
    const std::string left = flat(a_.text(edit.a.span));
    const std::string right = flat(b_.text(edit.b.span));
    if (edit.op == EditOp::remove) return out + "-" + left;
    if (edit.op == EditOp::insert) return out + "+" + right;
    return out + left + " => " + right;
  }

  static std::string pairs(const char* what, const std::vector<std::pair<std::string, std::string>>& list) {
    std::string out;
    for (const auto& one : list) out += (out.empty() ? what : ",") + one.first + ">" + one.second;
    return out;
  }

  [[nodiscard]] std::string all_but_names(bool names) const {
    std::string out;
    const auto add = [&](const std::string& one) {
      if (!one.empty()) out += (out.empty() ? "" : " / ") + one;
    };
    if (diff_.identical) add("identical");
    else if (diff_.same_code) add(is_same(diff_, true) ? "same code, strictly" : "same code");
    for (const HeaderChange& one : diff_.header) add(one.field + " " + one.a + " => " + one.b);
    for (const DeclarationDiff& one : diff_.declarations)
      add(spelling(one.status) + effect(one.effect) + " " + one.a_name + " => " + one.b_name);
    if (diff_.functions_reordered) add("functions in another order");
    for (const FunctionDiff& one : diff_.functions) {
      const auto name = [](const Module& module, std::uint32_t f) {
        return f == no_index ? "" : std::string(module.name(module.functions()[f].name));
      };
      if (one.status != FunctionStatus::same || one.a == no_index || name(a_, one.a) != name(b_, one.b))
        add(spelling(one.status) + " " + name(a_, one.a) + " => " + name(b_, one.b) +
            (one.a != no_index && one.b != no_index && one.matched_by != MatchedBy::name
                 ? " by " + spelling(one.matched_by)
                 : "") +
            (one.same_code ? " same code" : ""));
      if (one.respelled != 0) add(std::to_string(one.respelled) + " respelled");
      if (one.too_different) add("too different");
      for (const Edit& edit : one.edits) add(text_of(edit));
      for (const Move& move : one.moves)
        add("moved " + std::to_string(move.instructions) + ": " + std::string(a_.statement(move.a_first).text()) +
            " … " + std::string(a_.statement(move.a_last).text()) + " to " +
            std::string(b_.statement(move.b_first).text()) + " … " + std::string(b_.statement(move.b_last).text()));
      if (names) {
        add(pairs("registers ", one.registers));
        add(pairs("labels ", one.labels));
        add(pairs("locals ", one.locals));
        if (one.a != no_index && one.b != no_index && one.a_max_live != one.b_max_live)
          add("live " + std::to_string(one.a_max_live) + " => " + std::to_string(one.b_max_live));
      }
    }
    return out;
  }

  Module a_;
  Module b_;
  ModuleDiff diff_;
};

}  // namespace ptxscope::analysis::testing
