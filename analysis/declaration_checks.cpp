#include "analysis/declaration_checks.h"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <string>
#include <unordered_map>

namespace ptxscope::analysis {

namespace {

class DeclarationChecker {
 public:
  DeclarationChecker(const Module& module, const std::function<void(Diagnostic)>& report)
      : module_(module), report_(report) {}

  void run() {
    for (const Variable& variable : module_.variables()) check_variable(variable);
    for (const Variable& variable : module_.local_variables()) check_variable(variable);
    for (const Function& function : module_.functions()) check_function(function);
    check_files();
  }

 private:
  void error(const char* rule, Span span, std::string message, std::string remedy = {}) {
    report_({Level::error, rule, span, std::move(message), std::move(remedy), {}});
  }
  std::string quoted(NameId name) const { return "'" + std::string(module_.name(name).substr(0, 200)) + "'"; }

  // --- variables

  void check_variable(const Variable& variable) {
    check_alignment(variable);
    if (variable.type == Type::pred)
      error("PTX-TYPE", variable.span, quoted(variable.name) + " is a predicate, which only registers can be");
    if (!variable.initializer.empty()) check_initial_value(variable);
  }

  void check_alignment(const Variable& variable) {
    // 0 stands for none; `.align 0` is not told from it.
    if (variable.alignment == 0 || std::has_single_bit(variable.alignment)) return;
    error("PTX-TYPE", variable.span, "the alignment of " + quoted(variable.name) + " is no power of two");
  }

  // Only .global and .const variables have initial values, and not of every type (PTX ISA 5.4.4).
  void check_initial_value(const Variable& variable) {
    if (variable.space != StateSpace::global && variable.space != StateSpace::constant) {
      error("PTX-TYPE", variable.initializer,
            quoted(variable.name) + " is in ." + std::string(spelling(variable.space)) +
                ", where nothing has an initial value");
      return;
    }
    if (variable.type == Type::f16)
      error("PTX-TYPE", variable.initializer, "variables of type .f16 have no initial value", "declare it as .b16");
    const std::string_view text = module_.text(variable.initializer);
    if (text.starts_with('"'))
      error("PTX-TYPE", variable.initializer, "a string is no initial value", "write its bytes: {104, 105, 0}");
    else if (text.starts_with('{') && !variable.is_array && variable.vector_width == 1 && size_of(variable.type) != 0)
      error("PTX-TYPE", variable.initializer, quoted(variable.name) + " is no array, but its initial value is one");
  }

  // --- functions

  void check_function(const Function& function) {
    for (const auto* parameters : {&function.return_parameters, &function.parameters})
      for (const Variable& parameter : *parameters) check_alignment(parameter);
    for (const FunctionDirective& directive : function.directives) check_directive(directive);
    if (function.return_parameters.size() > 1)
      for (const Variable& parameter : function.return_parameters)
        if (parameter.space == StateSpace::param)
          error("PTX-PLACE", parameter.span,
                quoted(function.name) + " returns several values, and then none of them can be in .param",
                "return one array, or let registers (.reg) hold them");
    exclude(function, ".maxntid", ".reqntid");
    exclude(function, ".reqnctapercluster", ".maxclusterrank");
    require(function, ".blocksareclusters", ".reqntid");
    require(function, ".blocksareclusters", ".reqnctapercluster");
    if (function.kind != FunctionKind::entry) return;
    if (!function.return_parameters.empty())
      error("PTX-PLACE", function.name_span, "the kernel " + quoted(function.name) + " cannot return a value",
            "let it write to memory, or make it a .func");
    for (const Variable& parameter : function.parameters)
      if (parameter.space != StateSpace::param)
        error("PTX-PLACE", parameter.span,
              "parameters of kernels are in .param, not in ." + std::string(spelling(parameter.space)));
  }

  // One to three numbers of threads or CTAs, none of them 0 (PTX ISA 11.4, 11.7).
  void check_directive(const FunctionDirective& directive) {
    std::size_t most = 0;
    for (const std::string_view word : {".maxntid", ".reqntid", ".reqnctapercluster"})
      if (directive.word == word) most = 3;
    for (const std::string_view word : {".maxnreg", ".minnctapersm", ".maxnctapersm", ".maxclusterrank"})
      if (directive.word == word) most = 1;
    if (most == 0) return;
    const std::string word(directive.word);
    if (directive.values.empty() || directive.values.size() > most)
      error("PTX-PLACE", directive.span,
            word + (most == 1 ? " takes one number" : " takes one to three numbers") + ", not " +
                std::to_string(directive.values.size()));
    else if (word != ".maxclusterrank" && std::ranges::find(directive.values, 0) != directive.values.end())
      error("PTX-PLACE", directive.span, word + " takes numbers from 1 on");
  }

  static const FunctionDirective* find(const Function& function, std::string_view word) {
    const auto found = std::ranges::find(function.directives, word, &FunctionDirective::word);
    return found == function.directives.end() ? nullptr : &*found;
  }
  void exclude(const Function& function, std::string_view one, std::string_view other) {
    const FunctionDirective* const first = find(function, one);
    const FunctionDirective* const second = find(function, other);
    if (first == nullptr || second == nullptr) return;
    error("PTX-PLACE", second->span, std::string(one) + " and " + std::string(other) + " exclude each other",
          "keep one of them");
  }
  void require(const Function& function, std::string_view one, std::string_view other) {
    const FunctionDirective* const first = find(function, one);
    if (first == nullptr || find(function, other) != nullptr) return;
    error("PTX-PLACE", first->span, std::string(one) + " asks for " + std::string(other) + " too",
          "add " + std::string(other));
  }

  // --- source files

  void check_files() {
    std::unordered_map<std::uint32_t, Span> seen;
    for (const SourceFile& file : module_.source_files()) {
      const auto [earlier, is_new] = seen.try_emplace(file.index, file.span);
      if (is_new) continue;
      Diagnostic diagnostic{Level::error, "PTX-REDECLARED",
                            file.span,    ".file " + std::to_string(file.index) + " is declared twice",
                            {},           {}};
      diagnostic.notes.push_back({earlier->second, "first here"});
      report_(std::move(diagnostic));
    }
  }

  const Module& module_;
  const std::function<void(Diagnostic)>& report_;
};

}  // namespace

void check_each_declaration(const Module& module, const std::function<void(Diagnostic)>& report) {
  DeclarationChecker(module, report).run();
}

}  // namespace ptxscope::analysis
