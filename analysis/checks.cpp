#include "analysis/checks.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analysis/cfg.h"
#include "analysis/declaration_checks.h"
#include "analysis/labels.h"
#include "analysis/opcode_clauses.h"
#include "analysis/operand_checks.h"
#include "analysis/parallel.h"
#include "analysis/symbol_scopes.h"
#include "analysis/text_checks.h"
#include "isa/form_match.h"
#include "isa/instructions.h"
#include "isa/targets.h"
#include "isa/types.h"

namespace ptxscope::analysis {

namespace {

std::uint32_t key_of(NameId name) { return static_cast<std::uint32_t>(name); }

// A name of the module: where it is first declared, and as what.
struct ModuleSymbol {
  std::uint32_t statement = no_index;
  Span span;
  const Variable* variable = nullptr;
  const Function* function = nullptr;  // the definition, if there is one
  const Function* first = nullptr;     // the first declaration
};

using Symbols = std::unordered_map<std::uint32_t, ModuleSymbol>;

class Checker {
 public:
  Checker(const Module& module, const SemanticOptions& options)
      : module_(module), options_(options), symbols_(std::make_shared<Symbols>()) {}

  std::vector<Diagnostic> run(bool with_bodies) {
    check_text(module_, [this](Diagnostic diagnostic) { report(std::move(diagnostic)); });
    collect_variables();
    collect_functions();
    check_options();
    check_aliases();
    check_each_declaration(module_, [this](Diagnostic diagnostic) { report(std::move(diagnostic)); });
    for (const Variable& variable : module_.variables()) check_initializer(variable);
    if (with_bodies) check_bodies();
    std::ranges::stable_sort(found_, {}, [](const Diagnostic& d) { return d.span.begin; });
    return std::move(found_);
  }

 private:
  // The same wherever the opcode stands.
  struct KnownOpcode {
    const isa::Instruction* row = nullptr;
    bool is_spelled_right = false;  // nothing to say about its modifiers
  };
  using KnownOpcodes = std::vector<KnownOpcode>;  // by OpcodeId

  // For bodies, by the names and opcodes that another has collected.
  Checker(const Module& module, const SemanticOptions& options, std::shared_ptr<Symbols> symbols,
          std::shared_ptr<const KnownOpcodes> opcodes)
      : module_(module), options_(options), symbols_(std::move(symbols)), opcodes_(std::move(opcodes)) {}

  // --- findings

  void report(Diagnostic diagnostic) {
    if (found_.size() < options_.limit) found_.push_back(std::move(diagnostic));
  }
  void error(const char* rule, Span span, std::string message, std::string remedy = {}) {
    report({Level::error, rule, span, std::move(message), std::move(remedy), {}});
  }
  void declared_twice(NameId name, Span span, Span earlier, std::string_view what) {
    Diagnostic diagnostic{
        Level::error, "PTX-REDECLARED", span, std::string(what) + " " + quoted(name) + " is declared twice", {}, {}};
    diagnostic.notes.push_back({earlier, "first here"});
    report(std::move(diagnostic));
  }
  std::string quoted(NameId name) const { return "'" + std::string(module_.name(name).substr(0, 200)) + "'"; }
  std::string line_of(Span span) const { return "line " + std::to_string(module_.position(span).line); }

  // --- module level

  void collect_variables() {
    for (const Variable& variable : module_.variables()) {
      const auto [entry, is_new] = symbols_->try_emplace(key_of(variable.name));
      ModuleSymbol& symbol = entry->second;
      if (is_new) {
        symbol = {variable.statement, variable.span, &variable, nullptr, nullptr};
      } else if (symbol.variable != nullptr && !may_be_repeated(*symbol.variable) && !may_be_repeated(variable)) {
        declared_twice(variable.name, variable.span, symbol.span, "variable");
      }
      check_size(variable);
    }
  }

  // Several declarations of these name one variable (PTX ISA 11.6).
  static bool may_be_repeated(const Variable& variable) {
    return variable.linkage == Linkage::external || variable.linkage == Linkage::weak ||
           variable.linkage == Linkage::common;
  }

  // What the options of .target ask of the module (PTX ISA 11.1.2).
  void check_options() {
    const Header& header = module_.header();
    const auto has = [&](std::string_view option) {
      return std::ranges::find(header.options, option) != header.options.end();
    };
    for (const std::string_view option : header.options)
      if (std::ranges::find(target_options, option) == target_options.end())
        error("PTX-HEADER", header.target_span,
              "'" + std::string(option.substr(0, 60)) + "' is neither a target nor an option of .target",
              "options are debug, texmode_unified, texmode_independent and map_f64_to_f32");
    if (has("texmode_unified") && has("texmode_independent"))
      error("PTX-HEADER", header.target_span, "texmode_unified and texmode_independent exclude each other",
            "keep one of them");
    if (has("debug") && !has_section())
      error("PTX-HEADER", header.target_span, ".target debug in a module without a .section of debugging information",
            "leave out debug");
    check_header_order();
    if (has("texmode_independent")) return;
    for (const Variable& variable : module_.variables()) check_sampler(variable);
    for (const Function& function : module_.functions())
      for (const Variable& parameter : function.parameters) check_sampler(parameter);
  }
  static constexpr std::array<std::string_view, 4> target_options = {"debug", "texmode_unified", "texmode_independent",
                                                                     "map_f64_to_f32"};

  // .version, .target (once or more), .address_size: one behind the other, and an architecture first in .target.
  void check_header_order() {
    StatementKind before = StatementKind::version;
    for (std::uint32_t i = 0; i < module_.statement_count(); ++i) {
      const Statement statement = module_.statement(i);
      const StatementKind kind = statement.kind();
      if (kind == StatementKind::line_marker) continue;
      if (kind == StatementKind::function || kind == StatementKind::variable) return;
      if (kind == StatementKind::address_size && before != StatementKind::target)
        error("PTX-HEADER", statement.span(), ".address_size does not stand right behind .target",
              "put it behind .target");
      if (kind == StatementKind::target && before == StatementKind::address_size)
        error("PTX-HEADER", statement.span(), ".target stands behind .address_size", "put it before");
      before = kind;
    }
  }

  [[nodiscard]] bool has_section() const {
    for (std::uint32_t i = 0; i < module_.statement_count(); ++i)
      if (module_.statement(i).kind() == StatementKind::section) return true;
    return false;
  }

  // Textures bring their samplers along unless the module says otherwise (PTX ISA 5.3).
  void check_sampler(const Variable& variable) {
    if (variable.type != Type::samplerref) return;
    error("PTX-TYPE", variable.span, quoted(variable.name) + " is a .samplerref, which .target texmode_unified has not",
          "add texmode_independent to .target");
  }

  // `.global .b32 x[];` says nothing of its size; only .extern variables may (PTX ISA 5.4.4).
  void check_size(const Variable& variable) {
    const bool is_open = variable.is_array && variable.initializer.empty() &&
                         std::ranges::find(variable.dimensions, 0U) != variable.dimensions.end();
    if (!is_open || variable.linkage == Linkage::external || variable.space == StateSpace::param) return;
    error("PTX-TYPE", variable.span, quoted(variable.name) + " has no size and no initial value",
          "give its size, or make it .extern");
  }

  void collect_functions() {
    for (const Function& function : module_.functions()) {
      const auto [entry, is_new] = symbols_->try_emplace(key_of(function.name));
      ModuleSymbol& symbol = entry->second;
      if (is_new) {
        symbol = {function.header, function.name_span, nullptr, nullptr, &function};
      } else if (symbol.variable != nullptr) {
        declared_twice(function.name, function.name_span, symbol.span, "name");
        continue;
      } else if (symbol.function != nullptr) {
        declared_twice(function.name, function.name_span, symbol.function->name_span, "function");
        continue;
      }
      if (!is_new) check_prototype_agrees(function, *symbol.first);
      if (function.linkage == Linkage::external && function.has_body)
        error("PTX-REDECLARED", function.name_span, quoted(function.name) + " is .extern, but has a body here",
              "write .visible instead of .extern");
      if (function.has_body) symbol.function = &function;
    }
  }

  // All declarations of a function have the same parameters (PTX ISA 7.1).
  void check_prototype_agrees(const Function& function, const Function& first) {
    if (first.parameters.size() == function.parameters.size() &&
        first.return_parameters.size() == function.return_parameters.size())
      return;
    Diagnostic diagnostic{
        Level::error,
        "PTX-REDECLARED",
        function.name_span,
        "function " + quoted(function.name) + " has other parameters here than where it was declared first",
        {},
        {}};
    diagnostic.notes.push_back({first.name_span, "declared here"});
    report(std::move(diagnostic));
  }

  void check_initializer(const Variable& variable) {
    if (variable.initializer.empty() || !names_something(module_.text(variable.initializer))) return;
    // Samplers have fields, no symbols (PTX ISA 5.3).
    if (variable.type == Type::samplerref || variable.type == Type::texref || variable.type == Type::surfref) return;
    for (const InitializerValue& value : module_.initializer(variable)) {
      if (!value.is_symbol || value.symbol == variable.name) continue;
      const auto symbol = symbols_->find(key_of(value.symbol));
      if (symbol != symbols_->end() && symbol->second.statement <= variable.statement) continue;
      if (!reported_initializers_.insert(key_of(value.symbol)).second) continue;
      error("PTX-UNDECLARED", variable.initializer,
            quoted(value.symbol) + " in the initial value of " + quoted(variable.name) + " is not declared" +
                later(symbol));
    }
  }
  std::string later(const std::unordered_map<std::uint32_t, ModuleSymbol>::const_iterator& symbol) const {
    return symbol == symbols_->end() ? "" : " before, only in " + line_of(symbol->second.span);
  }
  // Numbers alone, which is what large initialisers hold, name nothing.
  static bool names_something(std::string_view text) {
    return text.find_first_of("_$%ghijklmnopqrstvwyzGHIJKLMNOPQRSTVWYZ") != std::string_view::npos;
  }

  // Both functions of an .alias stand before it (PTX ISA 11.2.3).
  void check_aliases() {
    for (std::uint32_t i = 0; i < module_.statement_count(); ++i) {
      const Statement statement = module_.statement(i);
      if (statement.kind() != StatementKind::alias) continue;
      for (const Operand operand : statement.operands()) {
        if (operand.kind() != OperandKind::name) continue;
        const auto symbol = symbols_->find(key_of(operand.name()));
        if (symbol != symbols_->end() && symbol->second.statement < i) continue;
        error("PTX-UNDECLARED", operand.span(),
              quoted(operand.name()) + ", which .alias names, is not declared" + later(symbol));
      }
    }
  }

  // --- bodies

  void check_bodies() {
    opcodes_ = std::make_shared<const KnownOpcodes>(look_up_opcodes());
    const std::vector<IndexRange> pieces = cut_by_statements(module_);
    std::vector<Checker> checkers(pieces.size(), Checker(module_, options_, symbols_, opcodes_));
    const auto check_piece = [&](std::size_t piece) {
      for (std::size_t i = pieces[piece].begin; i < pieces[piece].end; ++i)
        if (module_.functions()[i].has_body) checkers[piece].check_body(module_.functions()[i]);
    };
    for_each_index(pieces.size(), options_.jobs, check_piece, options_.stop);
    for (Checker& checker : checkers) add(checker);
  }

  // What was found in the piece behind those added before.
  void add(Checker& other) {
    std::unordered_set<std::size_t> said_before;
    for (const auto& [opcode, place] : other.unknown_opcodes_)
      if (!unknown_opcodes_.try_emplace(opcode, 0).second) said_before.insert(place);
    for (std::size_t i = 0; i < other.found_.size(); ++i)
      if (!said_before.contains(i)) report(std::move(other.found_[i]));
  }

  struct Body {
    Body(const Module& module, const Function& f) : function(f), scopes(module), labels(module, f) {}
    const Function& function;
    SymbolScopes scopes;
    LabelScopes labels;
    std::unordered_set<std::uint32_t> reported;  // names that are not declared
    std::size_t next_register = 0;
    std::uint32_t place = 0;  // statement
  };

  void check_body(const Function& function) {
    Body body(module_, function);
    for (const auto* parameters : {&function.return_parameters, &function.parameters})
      for (const Variable& parameter : *parameters) declare_variable(body, parameter, SymbolKind::parameter);
    const std::uint32_t end = std::min(function.body_end, module_.statement_count());
    for (body.place = function.body_begin + 1; body.place < end && found_.size() < options_.limit; ++body.place) {
      if (body.place % statements_between_looks == 0 && is_stopped(options_.stop)) return;
      check_statement(body, module_.statement(body.place));
    }
  }

  void check_statement(Body& body, const Statement& statement) {
    body.labels.visit(statement);
    switch (statement.kind()) {
      case StatementKind::scope_begin:
        body.scopes.open();
        break;
      case StatementKind::scope_end:
        body.scopes.close();
        break;
      case StatementKind::registers:
        declare_registers(body);
        break;
      case StatementKind::variable:
        declare_variables(body, statement);
        break;
      case StatementKind::label:
        declare_label(body, statement);
        break;
      case StatementKind::branch_targets:
        for (const Operand target : statement.operands())
          if (target.kind() == OperandKind::name) check_label(body, target);
        break;
      case StatementKind::instruction:
        check_instruction(body, statement);
        break;
      default:
        break;
    }
  }

  void declare(Body& body, NameId name, const Symbol& symbol, std::string_view what) {
    if (const Symbol* earlier = body.scopes.declare(name, symbol); earlier != nullptr)
      declared_twice(name, symbol.span, earlier->span, what);
  }

  void declare_registers(Body& body) {
    const auto& registers = body.function.registers;
    while (body.next_register < registers.size() && registers[body.next_register].statement < body.place)
      ++body.next_register;
    for (; body.next_register < registers.size() && registers[body.next_register].statement == body.place;
         ++body.next_register) {
      const RegisterDeclaration& declaration = registers[body.next_register];
      declare(body, declaration.name, {SymbolKind::reg, declaration.count, 0, declaration.span, nullptr}, "register");
    }
  }

  void declare_variable(Body& body, const Variable& variable, SymbolKind kind) {
    if (variable.name == no_name) return;
    declare(body, variable.name, {kind, variable.parameterized_count, 0, variable.span, &variable},
            kind == SymbolKind::parameter ? "parameter" : "variable");
  }

  void declare_variables(Body& body, const Statement& statement) {
    const auto variables = module_.local_variables();
    for (std::size_t i = statement.payload(); i < variables.size() && variables[i].statement == body.place; ++i) {
      declare_variable(body, variables[i], SymbolKind::variable);
      check_size(variables[i]);
    }
  }

  void declare_label(Body& body, const Statement& statement) {
    SymbolKind kind = SymbolKind::label;
    if (body.place + 1 < module_.statement_count()) {
      const StatementKind next = module_.statement(body.place + 1).kind();
      if (next == StatementKind::branch_targets || next == StatementKind::call_targets) kind = SymbolKind::table;
      if (next == StatementKind::call_prototype) kind = SymbolKind::prototype;
    }
    declare(body, statement.label(), {kind, 0, 0, statement.span(), nullptr}, "label");
  }

  // The label that a branch or a table of targets names.
  void check_label(Body& body, const Operand& operand) {
    const NameId name = operand.name();
    if (body.labels.find(name) != no_index || !body.reported.insert(key_of(name)).second) return;
    if (const std::uint32_t hidden = body.labels.find_hidden(name); hidden != no_index) {
      Diagnostic diagnostic{Level::error,
                            "PTX-LABEL",
                            operand.span(),
                            "label " + quoted(name) + " stands inside of { } and cannot be seen from here",
                            {},
                            {}};
      diagnostic.notes.push_back({module_.statement(hidden).span(), "declared here"});
      report(std::move(diagnostic));
    } else if (body.scopes.find(name) != nullptr || symbols_->contains(key_of(name))) {
      error("PTX-LABEL", operand.span(), quoted(name) + " is no label, so no branch can go there");
    } else {
      error("PTX-LABEL", operand.span(), "there is no label " + quoted(name) + " in this function");
    }
  }

  // --- instructions

  void check_instruction(Body& body, const Statement& statement) {
    const KnownOpcode& opcode = (*opcodes_)[static_cast<std::size_t>(statement.opcode_id())];
    if (opcode.row == nullptr) report_unknown(statement);
    else if (!opcode.is_spelled_right) check_spelling(statement);
    const isa::Flow flow = opcode.row == nullptr ? isa::Flow::next : opcode.row->flow;
    if (const auto guard = statement.guard()) check_name(body, guard->predicate);
    const OperandRange operands = statement.operands();
    if (flow == isa::Flow::call) {
      check_call(body, operands, statement);
    } else {
      for (std::size_t i = 0; i < operands.size(); ++i) {
        const bool is_label = (flow == isa::Flow::branch && i == 0) || (flow == isa::Flow::indirect_branch && i == 1);
        if (is_label && operands[i].kind() == OperandKind::name) check_target(body, operands[i], flow);
        else if (is_label)
          error("PTX-LABEL", operands[i].span(),
                "a branch goes to a label, not to '" + std::string(operands[i].text().substr(0, 60)) + "'");
        else check_name(body, operands[i]);
      }
    }
    describe(body.function, statement);
    if (without_findings_.contains(description_)) return;
    bool is_right = true;
    check_operands(body.function, statement, [&](Diagnostic diagnostic) {
      is_right = false;
      // Newer versions give instructions more forms than those that were held against ptxas.
      if (module_.header().at_least(newest_major, newest_minor + 1)) diagnostic.level = Level::warning;
      report(std::move(diagnostic));
    });
    constexpr std::size_t most = 10'000;
    if (is_right && without_findings_.size() < most) without_findings_.insert(description_);
  }
  static constexpr unsigned newest_major = 9, newest_minor = 5;

  // All that check_operands() goes by: real modules have few instructions that differ in it, and each is checked once.
  void describe(const Function& function, const Statement& statement) {
    description_.clear();
    describe(static_cast<std::uint32_t>(statement.opcode_id()));
    const auto guard = statement.guard();
    const bool is_checked = guard && guard->predicate.kind() == OperandKind::reg;
    describe(is_checked ? static_cast<std::uint32_t>(type_of(function, guard->predicate)) : no_index);
    for (const Operand operand : statement.operands()) {
      describe(function, operand, 0);
      if (operand.kind() != OperandKind::name) continue;
      // Special registers each by itself; other names are all alike.
      describe(module_.name(operand.name()).starts_with('%') ? key_of(operand.name()) : no_index);
    }
  }
  void describe(const Function& function, const Operand& operand, int depth) {
    constexpr int deepest = 6;
    std::uint32_t type = 0, elements = 0;
    if (operand.kind() == OperandKind::reg) {
      const RegisterDeclaration& declaration = module_.register_declaration(function, operand.reg());
      type = static_cast<std::uint32_t>(declaration.type);
      elements = declaration.vector_width;
    }
    describe(static_cast<std::uint32_t>(operand.kind()) | static_cast<std::uint32_t>(operand.selector()) << 8U |
             type << 16U | elements << 24U);
    if (depth == deepest) return;
    if (operand.kind() == OperandKind::address) return describe(function, operand.base(), depth + 1);
    const OperandRange children = operand.children();
    if (children.empty()) return;
    for (const Operand child : children) describe(function, child, depth + 1);
    describe(no_index);
  }
  void describe(std::uint32_t word) { description_.append(reinterpret_cast<const char*>(&word), sizeof word); }
  [[nodiscard]] Type type_of(const Function& function, const Operand& reg) const {
    return module_.register_declaration(function, reg.reg()).type;
  }

  [[nodiscard]] KnownOpcodes look_up_opcodes() const {
    KnownOpcodes all(module_.opcode_count());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Opcode& opcode = module_.opcode(OpcodeId{static_cast<std::uint32_t>(i)});
      all[i].row = isa::find_instruction(opcode.mnemonic, opcode.modifiers);
      if (all[i].row == nullptr || has_types_of_no_form(opcode)) continue;
      const auto kind = isa::match_forms(opcode.mnemonic, opcode.modifiers).kind;
      all[i].is_spelled_right = kind == isa::FormMatch::Kind::fits || kind == isa::FormMatch::Kind::no_forms;
    }
    return all;
  }

  // An instruction that the tables do not know is kept; once for each spelling a warning says so.
  void report_unknown(const Statement& statement) {
    if (!unknown_opcodes_.try_emplace(static_cast<std::uint32_t>(statement.opcode_id()), found_.size()).second) return;
    const std::string& text = statement.opcode().text;
    report({Level::warning,
            "PTX-UNKNOWN",
            opcode_span(statement),
            "unknown instruction '" + text.substr(0, 200) + "'; what it does to its operands is not known",
            {},
            {}});
  }

  // The modifiers go together as in one of the forms of the manual.
  void check_spelling(const Statement& statement) {
    const Opcode& opcode = statement.opcode();
    if (has_types_of_no_form(opcode)) {
      report({is_newer_than_the_table() ? Level::warning : Level::error,
              "PTX-MODIFIER",
              opcode_span(statement),
              opcode.text.substr(0, 200) + " has more types than any form of " + std::string(opcode.mnemonic),
              "leave the last type out",
              {}});
      return;
    }
    const isa::FormMatch match = isa::match_forms(opcode.mnemonic, opcode.modifiers);
    const std::string text = opcode.text.substr(0, 200);
    Diagnostic found{Level::error, "PTX-MODIFIER", opcode_span(statement), {}, {}, {}};
    switch (match.kind) {
      case isa::FormMatch::Kind::fits:
      case isa::FormMatch::Kind::no_forms:
        break;
      case isa::FormMatch::Kind::unknown_word:
        found.message =
            "'." + std::string(match.word.substr(0, 60)) + "' is no modifier of " + std::string(opcode.mnemonic);
        break;
      case isa::FormMatch::Kind::missing_word:
        if (has_default(match.missing->words)) found.level = Level::warning;
        found.message = text + " lacks a modifier";
        found.remedy = "add " + choice_of(match.missing->words);
        break;
      case isa::FormMatch::Kind::no_such_form:
        // The forms are those of the manual; ptxas takes a few more.
        found.level = Level::warning;
        found.message = "the manual has no form of " + std::string(opcode.mnemonic) + " with these modifiers together";
        break;
    }
    if (is_newer_than_the_table()) found.level = Level::warning;
    report(std::move(found));
  }
  // Whether no form has as many types as this opcode, or none this type twice (add.s32.s32): ptxas counts them, whatever
  // else it takes.
  static bool has_types_of_no_form(const Opcode& opcode) {
    const auto is_type = [](std::string_view word) { return isa::find_type(word).kind != isa::TypeKind::none; };
    std::vector<std::string_view> types;
    std::ranges::copy_if(opcode.modifiers, std::back_inserter(types), is_type);
    if (types.size() < 2) return false;
    const bool is_repeated = types.size() == 2 && types[0] == types[1];
    const auto may_have_them = [&](const isa::Form* form) {
      const auto slots = std::ranges::count_if(form->slots, [&](const isa::FormSlot& slot) {
        return is_repeated ? std::ranges::find(slot.words, types[0]) != slot.words.end()
                           : std::ranges::any_of(slot.words, is_type);
      });
      return static_cast<std::size_t>(slots) >= types.size();
    };
    const std::vector<const isa::Form*> forms = isa::forms_of(opcode.mnemonic);
    return !forms.empty() && std::ranges::none_of(forms, may_have_them);
  }
  // What ptxas does without in some places where the manual asks for it.
  static bool has_default(std::span<const std::string_view> words) {
    return std::ranges::any_of(words, [](std::string_view word) {
      return word == "relaxed" || word == "acquire" || word == "release" || word == "weak" || word == "aligned";
    });
  }
  [[nodiscard]] bool is_newer_than_the_table() const {
    const isa::Version newest = isa::versions().back();
    return module_.header().at_least(newest.major_number(), newest.minor_number() + 1);
  }
  // ".lo, .hi or .wide"
  static std::string choice_of(std::span<const std::string_view> words) {
    std::string text;
    constexpr std::size_t most = 6;
    for (std::size_t i = 0; i < words.size() && i < most; ++i) {
      if (i != 0) text += i + 1 == words.size() ? " or ." : ", .";
      else text += ".";
      text += words[i];
    }
    return text + (words.size() > most ? ", …" : "");
  }

  void check_target(Body& body, const Operand& operand, isa::Flow flow) {
    check_label(body, operand);
    if (flow != isa::Flow::indirect_branch) return;
    const std::uint32_t label = body.labels.find(operand.name());
    if (label == no_index) return;
    if (label > body.place)
      error("PTX-LABEL", operand.span(),
            "the table " + quoted(operand.name()) + " must stand before the branch that uses it");
    else if (label + 1 >= module_.statement_count() ||
             module_.statement(label + 1).kind() != StatementKind::branch_targets)
      error("PTX-LABEL", operand.span(), quoted(operand.name()) + " is no .branchtargets table");
  }

  void check_name(Body& body, const Operand& operand, int depth = 0) {
    if (depth > 6) return;
    switch (operand.kind()) {
      case OperandKind::name:
        check_symbol(body, operand);
        break;
      case OperandKind::vector:
      case OperandKind::pair:
      case OperandKind::tuple_address:
      case OperandKind::list:
        for (const Operand child : operand.children()) check_name(body, child, depth + 1);
        break;
      case OperandKind::address:
        check_name(body, operand.base(), depth + 1);
        if (const auto index = operand.index()) check_name(body, *index, depth + 1);
        break;
      default:
        break;
    }
  }

  void check_symbol(Body& body, const Operand& operand) {
    const NameId name = operand.name();
    if (const Symbol* symbol = body.scopes.find(name); symbol != nullptr) {
      if (symbol->kind == SymbolKind::label && body.reported.insert(key_of(name)).second)
        error("PTX-LABEL", operand.span(), quoted(name) + " is a label, which only branches can name");
      return;
    }
    const auto symbol = symbols_->find(key_of(name));
    if (symbol != symbols_->end() && symbol->second.statement <= body.place) return;
    const std::string_view spelling = module_.name(name);
    if (spelling == "WARP_SZ" || isa::find_special_register(spelling) != nullptr) return;
    if (!body.reported.insert(key_of(name)).second) return;
    if (symbol != symbols_->end()) {
      error("PTX-UNDECLARED", operand.span(),
            quoted(name) + " is declared only further down, in " + line_of(symbol->second.span),
            "declare it before its first use");
    } else if (const Symbol* range = body.scopes.range_near(name); range != nullptr) {
      Diagnostic diagnostic{
          Level::error, "PTX-UNDECLARED", operand.span(), "register " + quoted(name) + " is not declared", {}, {}};
      diagnostic.notes.push_back({range->span, "the declaration ends before it"});
      report(std::move(diagnostic));
    } else {
      error("PTX-UNDECLARED", operand.span(),
            (spelling.starts_with('%') ? "register " : "") + quoted(name) + " is not declared");
    }
  }

  // call (results), function, (arguments), prototype: PTX ISA 9.7.12.5
  void check_call(Body& body, const OperandRange& operands, const Statement& statement) {
    const ModuleSymbol* callee = nullptr;
    std::size_t results = 0, arguments = 0;
    bool after_callee = false, is_direct = false;
    for (const Operand operand : operands) {
      if (operand.kind() == OperandKind::list) {
        (after_callee ? arguments : results) += operand.children().size();
        check_name(body, operand);
      } else if (!after_callee) {
        after_callee = true;
        if (operand.kind() == OperandKind::name) {
          is_direct = true;
          callee = check_callee(body, operand);
        }
      } else if (operand.kind() == OperandKind::name) {
        check_prototype(body, operand);
      }
    }
    if (!is_direct || callee == nullptr) return;
    const Function* function = module_.find_function(direct_callee(statement));
    if (function == nullptr || !has_fixed_parameters(*function)) return;
    if (function->parameters.size() != arguments)
      error("PTX-OPERANDS", statement.span(),
            quoted(function->name) + " takes " + counted(function->parameters.size(), "argument") + ", not " +
                std::to_string(arguments));
    else if (function->return_parameters.size() != results)
      error("PTX-OPERANDS", statement.span(),
            quoted(function->name) + " returns " + counted(function->return_parameters.size(), "value") + ", not " +
                std::to_string(results));
    else check_sizes(body, *function, operands);
  }

  // Arguments and results are as large as the parameters they go to or come from.
  void check_sizes(Body& body, const Function& function, const OperandRange& operands) {
    bool after_callee = false;
    for (const Operand operand : operands) {
      if (operand.kind() != OperandKind::list) {
        after_callee = true;
        continue;
      }
      const auto& parameters = after_callee ? function.parameters : function.return_parameters;
      const OperandRange passed = operand.children();
      for (std::size_t i = 0; i < passed.size() && i < parameters.size(); ++i) {
        if (passed[i].kind() != OperandKind::name) continue;
        const Symbol* symbol = body.scopes.find(passed[i].name());
        if (symbol == nullptr || symbol->variable == nullptr || symbol->variable->space != StateSpace::param) continue;
        const std::uint64_t size = symbol->variable->size, wanted = parameters[i].size;
        if (size != 0 && wanted != 0 && size != wanted)
          error("PTX-TYPE", passed[i].span(),
                quoted(passed[i].name()) + " has " + counted(size, "byte") + ", where " + quoted(function.name) +
                    (after_callee ? " takes " : " returns ") + counted(wanted, "byte"));
      }
    }
  }

  static std::string counted(std::size_t count, const char* noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
  }

  // A last parameter without a size takes any number of arguments (PTX ISA 7.2).
  static bool has_fixed_parameters(const Function& function) {
    return std::ranges::none_of(function.parameters, [](const Variable& parameter) {
      return parameter.parameterized_count != 0 ||
             (parameter.is_array && std::ranges::find(parameter.dimensions, 0U) != parameter.dimensions.end());
    });
  }

  const ModuleSymbol* check_callee(Body& body, const Operand& operand) {
    const NameId name = operand.name();
    const auto symbol = symbols_->find(key_of(name));
    if (symbol == symbols_->end() || symbol->second.statement > body.place) {
      if (body.scopes.find(name) != nullptr || !body.reported.insert(key_of(name)).second) return nullptr;
      if (symbol == symbols_->end())
        error("PTX-UNDECLARED", operand.span(), "function " + quoted(name) + " is not declared");
      else
        error("PTX-UNDECLARED", operand.span(),
              "function " + quoted(name) + " is declared only further down, in " + line_of(symbol->second.span),
              "put a prototype of it before this call");
      return nullptr;
    }
    if (symbol->second.variable != nullptr) {
      error("PTX-OPERANDS", operand.span(), quoted(name) + " is a variable, no function");
      return nullptr;
    }
    const Function* function = symbol->second.function;
    if (function != nullptr && function->kind == FunctionKind::entry) {
      error("PTX-OPERANDS", operand.span(), quoted(name) + " is a kernel (.entry), which cannot be called");
      return nullptr;
    }
    return &symbol->second;
  }

  void check_prototype(Body& body, const Operand& operand) {
    const NameId name = operand.name();
    if (const Symbol* symbol = body.scopes.find(name); symbol != nullptr && symbol->kind != SymbolKind::label) return;
    if (const auto symbol = symbols_->find(key_of(name)); symbol != symbols_->end()) return;
    if (body.reported.insert(key_of(name)).second)
      error("PTX-UNDECLARED", operand.span(),
            "there is no .callprototype or .calltargets " + quoted(name) + " before this call");
  }

  const Module& module_;
  SemanticOptions options_;
  std::vector<Diagnostic> found_;
  std::shared_ptr<Symbols> symbols_;  // of the module; not written to while bodies are checked
  std::unordered_map<std::uint32_t, std::size_t> unknown_opcodes_;  // by OpcodeId: where in found_
  std::shared_ptr<const KnownOpcodes> opcodes_;                     // not written to while bodies are checked
  std::string description_;                                         // see describe()
  std::unordered_set<std::string> without_findings_;                // descriptions of which there is nothing to say
  std::unordered_set<std::uint32_t> reported_initializers_;
};

}  // namespace

std::vector<Diagnostic> check_semantics(const Module& module, const SemanticOptions& options) {
  return Checker(module, options).run(true);
}

std::vector<Diagnostic> check_declarations(const Module& module, std::size_t limit) {
  return Checker(module, {.limit = limit}).run(false);
}

}  // namespace ptxscope::analysis
