// Builds a Module: cuts statements, asks the shape cache for their plans, and carries the plans out.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parser/constant.h"
#include "parser/module.h"
#include "parser/plan.h"
#include "parser/register_scopes.h"
#include "parser/statement_cutter.h"
#include "parser/storage.h"

namespace ptxscope {

class Builder {
 public:
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  [[nodiscard]] static Module build(TextBuffer text, std::string file_name, const ParseOptions& options);
  /// The bytes of an operand: its statement is cut and its shape asked for again.
  [[nodiscard]] static Span operand_span(const Module& module, const Module::Storage& storage, std::uint32_t statement,
                                         std::uint32_t record, detail::Part part);

 private:
  Builder(Module::Storage& storage, const ParseOptions& options);

  void run();
  [[nodiscard]] bool is_stopped();
  void statement();
  void finish();
  [[nodiscard]] const Plan& plan_of(std::span<const TokenKind> kinds);

  // parse.cpp: statements
  void apply(const Plan& plan);
  void instruction(const Plan& plan);
  void label();
  void line_marker();
  void unknown_directive(const Token& token);
  void stray_character(const Token& token);
  void scope_begin();
  void scope_end();
  void version();
  void target();
  void address_size();
  void file();
  void loc();
  void check_place(const Plan& plan);
  void rejected(const Plan& plan);
  [[nodiscard]] bool without_semicolon(std::uint32_t error_token);
  void unparsed(Span span, std::string rule, Span where, std::string message, std::string remedy);

  // operands.cpp
  void operands(const Plan& plan);
  [[nodiscard]] std::uint64_t name_record(const Token& token, bool negated, const Token* selector_token = nullptr);
  [[nodiscard]] std::optional<RegisterNumber> module_register(std::string_view name);
  [[nodiscard]] std::uint64_t integer_record(std::uint64_t value);
  [[nodiscard]] std::uint64_t floating_record(std::uint64_t bits, bool single);
  [[nodiscard]] std::uint64_t expression_record(std::uint32_t first, std::uint32_t last);
  void address_expression(std::size_t record, const Step& step);
  void address(std::size_t record, std::uint64_t base, std::int64_t displacement);
  void wide_address(std::size_t record, std::uint64_t base, std::int64_t displacement,
                    std::optional<std::uint64_t> index);
  void unwrap_lists(const Plan& plan, std::size_t first);

  // declarations.cpp
  void registers(const Plan& plan);
  void variables(const Plan& plan);
  void function(const Plan& plan);
  void declarator_step(const Step& step, Variable& variable);
  void declare_register(const Variable& variable, std::uint32_t count, std::uint32_t statement);
  void add_variable(Variable variable);
  void close_function();
  [[nodiscard]] std::optional<Constant> constant(std::uint32_t first, std::uint32_t last) const;

  [[nodiscard]] std::string_view spelling(const Token& token) const {
    return text_.substr(token.begin, token.length());
  }
  [[nodiscard]] std::string_view spelling(std::uint32_t token) const { return spelling(tokens_[token]); }
  [[nodiscard]] NameId intern(std::uint32_t token) { return storage_.names.intern(tokens_[token].span()); }
  detail::StatementRecord& add_statement(StatementKind kind);
  void report(Level level, std::string rule, Span span, std::string message, std::string remedy = {});
  // A few bytes can declare four billion registers; whoever numbers them needs memory for each.
  [[nodiscard]] std::uint32_t most_registers() const {
    return (1U << 20U) + static_cast<std::uint32_t>(text_.size() / 4);
  }
  [[nodiscard]] Function* open_function() { return function_ == no_index ? nullptr : &storage_.functions[function_]; }

  Module::Storage& storage_;
  const ParseOptions& options_;
  std::string_view text_;
  StatementCutter cutter_;
  RegisterScopes scopes_;
  std::span<const Token> tokens_;    // of the statement at hand
  std::uint32_t statement_end_ = 0;  // where it ends

  std::uint32_t function_ = no_index;         // whose body is open
  bool header_open_ = false;                  // the last statement was a header without `;`
  std::vector<std::size_t> open_registers_;   // of the open function: the declarations whose scope is open
  std::vector<std::size_t> scope_registers_;  // for each open scope: how many of these there were before
  // Registers declared outside of functions (PTX 1.x): each function that uses one gets a declaration of its own.
  std::vector<RegisterDeclaration> module_registers_;
  RegisterScopes module_scope_;
  std::vector<RegisterNumber> imported_;  // of the open function: its number for each of these; no_index: not yet
  std::vector<std::size_t> imported_registers_;  // of the open function: their declarations
  std::size_t suppressed_ = 0;                   // diagnostics past the limit
  std::uint32_t loose_scopes_ = 0;               // open braces outside of functions
  bool content_seen_ = false;                    // a function or variable
  bool outside_reported_ = false;                // what stands outside of functions was complained about
  std::uint32_t until_look_ = 0;                 // statements until is_stopped() looks again
};

}  // namespace ptxscope
