#include "analysis/requirements.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "isa/instructions.h"

namespace ptxscope::analysis {

namespace {

using isa::Clause;
using isa::ClauseKind;
using isa::OperandShape;

struct SourceFeature {
  std::string_view tag;
};
constexpr SourceFeature source_features[] = {
#define PTX_FEATURE(tag, description) SourceFeature{tag},
#include "isa/features.def"
};

OperandShape::Kind kind_of(const Operand& operand) {
  using Kind = OperandShape::Kind;
  switch (operand.kind()) {
    case OperandKind::reg:
      return Kind::reg;
    case OperandKind::name:
    case OperandKind::string:
      return Kind::name;
    case OperandKind::integer:
    case OperandKind::floating:
    case OperandKind::expression:
      return Kind::imm;
    case OperandKind::sink:
      return Kind::sink;
    case OperandKind::vector:
      return Kind::vec;
    case OperandKind::pair:
      return Kind::pair;
    case OperandKind::address:
      return Kind::addr;
    case OperandKind::tuple_address:
      return Kind::tuple;
    case OperandKind::list:
      return Kind::list;
  }
  return Kind::name;
}

std::string_view type_of(const Operand& operand, const Function& function) {
  if (operand.kind() != OperandKind::reg) return {};
  return spelling(operand.module().register_declaration(function, operand.reg()).type);
}

OperandShape shape_of(const Operand& operand, const Function& function) {
  OperandShape shape;
  shape.kind = kind_of(operand);
  shape.negated = operand.negated();
  shape.type = type_of(operand, function);
  if (const OperandRange children = operand.children(); !children.empty()) {
    shape.count = static_cast<std::uint8_t>(std::min<std::size_t>(children.size(), 255));
    shape.type = type_of(children[0], function);
  }
  return shape;
}

// Which lines of the table hold depends on the opcode and the operands' shapes alone, so each combination is looked up
// once: real modules have few.
class ClauseCache {
 public:
  const std::vector<const Clause*>& find(const Statement& instruction, const Function& function) {
    const isa::Spelling spelled = spelling_of(instruction, function, storage_);
    key_.assign(std::to_string(static_cast<std::uint32_t>(instruction.opcode_id())));
    for (const OperandShape& shape : spelled.operands) {
      key_ += static_cast<char>('a' + static_cast<int>(shape.kind));
      key_ += shape.negated ? '!' : ' ';
      key_ += static_cast<char>(shape.count);
      key_ += shape.type;
    }
    const auto [place, is_new] = known_.try_emplace(key_);
    if (is_new) place->second = isa::matching_clauses(spelled);
    return place->second;
  }

 private:
  std::unordered_map<std::string, std::vector<const Clause*>> known_;
  SpellingStorage storage_;
  std::string key_;
};

class Collector {
 public:
  Collector(const Module& module, const RequirementOptions& options) : module_(module), options_(options) {
    result_.needed = isa::nothing_needed();
    result_.last.lowest.fill(isa::never);
  }

  ModuleRequirement run() {
    for (const Function& function : module_.functions())
      for (std::uint32_t i = function.body_begin; function.has_body && i < function.body_end; ++i)
        if (module_.statement(i).kind() == StatementKind::instruction) add_instruction(module_.statement(i), function);
    for (const SourceFeature& feature : source_features)
      if (tags_.contains(feature.tag)) result_.features.emplace_back(feature.tag);
    return std::move(result_);
  }

 private:
  void add_instruction(const Statement& instruction, const Function& function) {
    const Span place = opcode_span(instruction);
    if (!isa::is_known_head(instruction.opcode().mnemonic)) note_unknown(instruction, place);
    for (const Clause* clause : cache_.find(instruction, function)) add(*clause, place);
    for (const Operand operand : instruction.operands()) add_names(operand, 0);
  }

  static Span opcode_span(const Statement& instruction) {
    const std::uint32_t end = instruction.span().end;
    const std::string_view text = instruction.text();
    // Behind the guard.
    std::size_t begin = 0;
    if (instruction.guard()) begin = text.find(instruction.opcode().mnemonic, text.find_first_of(" \t\r\n"));
    if (begin == std::string_view::npos) begin = 0;
    const std::uint32_t first = instruction.span().begin + static_cast<std::uint32_t>(begin);
    return {first, std::min(end, first + static_cast<std::uint32_t>(instruction.opcode().text.size()))};
  }

  // Special registers among the operands.
  void add_names(const Operand& operand, int depth) {
    if (depth > 4) return;
    for (const Operand child : operand.children()) add_names(child, depth + 1);
    if (operand.kind() != OperandKind::name) return;
    const std::string_view name = module_.name(operand.name());
    if (!name.starts_with('%')) return;
    const isa::SpecialRegister* found = isa::find_special_register(name);
    if (found == nullptr) return;
    for (const Clause* clause : isa::matching_clauses({found->name, {}, {}})) add(*clause, operand.span());
  }

  void note_unknown(const Statement& instruction, Span place) {
    if (!unknown_.insert(instruction.opcode().mnemonic).second) return;
    result_.unknown.push_back({Level::warning, "PTX-UNKNOWN", place,
                               "the instruction " + std::string(instruction.opcode().mnemonic) +
                                   " is not in the table: what it needs is not known",
                               {}, {}});
  }

  void add(const Clause& clause, Span place) {
    switch (clause.kind) {
      case ClauseKind::needs:
        result_.needed.raise(clause.requirement);
        count(clause, place, result_.reasons);
        break;
      case ClauseKind::until:
        for (std::size_t i = 0; i < isa::target_limit; ++i)
          result_.last.lowest[i] = std::min(result_.last.lowest[i], clause.requirement.lowest[i]);
        count(clause, place, result_.removed);
        break;
      case ClauseKind::advises:
        count(clause, place, result_.advised);
        break;
      case ClauseKind::tags:
        add_tags(clause.text);
        break;
      case ClauseKind::synonym:
        break;
    }
  }

  void add_tags(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find(' '), text.size());
      if (end != 0) tags_.insert(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  void count(const Clause& clause, Span place, std::vector<Reason>& reasons) {
    const auto [found, is_new] = index_.try_emplace(&clause, reasons.size());
    if (is_new) reasons.push_back({&clause, 0, {}});
    Reason& reason = reasons[found->second];
    ++reason.count;
    if (options_.places == 0 || reason.places.size() < options_.places) reason.places.push_back(place);
  }

  const Module& module_;
  const RequirementOptions& options_;
  ModuleRequirement result_;
  ClauseCache cache_;
  std::unordered_map<const Clause*, std::size_t> index_;
  std::set<std::string_view> tags_;
  std::set<std::string_view> unknown_;
};

}  // namespace

isa::Spelling spelling_of(const Statement& instruction, const Function& function, SpellingStorage& storage) {
  const Opcode& opcode = instruction.opcode();
  storage.words.assign(opcode.modifiers.begin(), opcode.modifiers.end());
  storage.operands.clear();
  for (const Operand operand : instruction.operands()) storage.operands.push_back(shape_of(operand, function));
  return {opcode.mnemonic, storage.words, storage.operands};
}

ModuleRequirement requirements(const Module& module, const RequirementOptions& options) {
  return Collector(module, options).run();
}

}  // namespace ptxscope::analysis
