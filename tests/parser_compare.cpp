#include "tests/parser_compare.h"

#include <tuple>

namespace ptxscope {
namespace {

class Comparison {
 public:
  Comparison(const Module& a, const Module& b, bool spans) : a_(a), b_(b), spans_(spans) {}

  std::optional<std::string> run() {
    header();
    equal("number of statements", a_.statement_count(), b_.statement_count());
    if (difference_) return difference_;
    for (std::uint32_t i = 0; i < a_.statement_count() && !difference_; ++i) {
      where_ = "statement " + std::to_string(i) + ": " + std::string(a_.statement(i).text().substr(0, 200));
      statement(a_.statement(i), b_.statement(i));
    }
    where_.clear();
    functions();
    variables("module variables", a_.variables(), b_.variables());
    variables("local variables", a_.local_variables(), b_.local_variables());
    equal("number of files", a_.source_files().size(), b_.source_files().size());
    for (std::size_t i = 0; i < a_.source_files().size() && !difference_; ++i) {
      equal("file index", a_.source_files()[i].index, b_.source_files()[i].index);
      equal("file name", a_.source_files()[i].name, b_.source_files()[i].name);
    }
    diagnostics();
    return difference_;
  }

 private:
  template <typename T, typename U>
  void equal(const char* what, const T& a, const U& b) {
    if (difference_ || a == b) return;
    difference_ = std::string(what) + " differs; " + where_;
  }
  void span(const char* what, Span a, Span b) {
    if (spans_) equal(what, a, b);
  }
  void name(const char* what, NameId a, NameId b) { equal(what, a_.name(a), b_.name(b)); }

  void header() {
    const Header& a = a_.header();
    const Header& b = b_.header();
    equal("version", a.version_major * 1000 + a.version_minor, b.version_major * 1000 + b.version_minor);
    equal("targets", a.targets, b.targets);
    equal("options", a.options, b.options);
    equal("address size", a.address_size, b.address_size);
    span("version span", a.version_span, b.version_span);
    span("target span", a.target_span, b.target_span);
  }

  void statement(const Statement& a, const Statement& b) {
    equal("kind", a.kind(), b.kind());
    span("span", a.span(), b.span());
    if (difference_) return;
    switch (a.kind()) {
      case StatementKind::instruction: {
        equal("opcode", a.opcode().text, b.opcode().text);
        const auto guard_a = a.guard();
        const auto guard_b = b.guard();
        equal("guard", guard_a.has_value(), guard_b.has_value());
        if (guard_a && guard_b) {
          equal("guard negation", guard_a->negated, guard_b->negated);
          operand(guard_a->predicate, guard_b->predicate);
        }
        return operands(a.operands(), b.operands());
      }
      case StatementKind::branch_targets:
      case StatementKind::call_targets:
      case StatementKind::pragma:
      case StatementKind::alias:
        return operands(a.operands(), b.operands());
      case StatementKind::label:
        return name("label", a.label(), b.label());
      case StatementKind::loc: {
        const SourceLocation la = a_.source_location(a.index());
        const SourceLocation lb = b_.source_location(b.index());
        equal("line", la.line, lb.line);
        equal("inlined line", la.inlined_line, lb.inlined_line);
        return name("function name", la.function_name, lb.function_name);
      }
      case StatementKind::registers:
      case StatementKind::variable:
      case StatementKind::function:
      case StatementKind::file:
        return equal("payload", a.payload(), b.payload());
      default:
        return;
    }
  }

  void operands(const OperandRange& a, const OperandRange& b) {
    equal("number of operands", a.size(), b.size());
    for (std::size_t i = 0; i < a.size() && !difference_; ++i) operand(a[i], b[i]);
  }

  void operand(const Operand& a, const Operand& b) {
    equal("operand kind", a.kind(), b.kind());
    if (difference_) return;
    equal("negation", a.negated(), b.negated());
    equal("selector", a.selector(), b.selector());
    switch (a.kind()) {
      case OperandKind::reg:
        equal("register", a.reg(), b.reg());
        break;
      case OperandKind::name:
        name("name", a.name(), b.name());
        break;
      case OperandKind::integer:
        equal("integer", a.integer(), b.integer());
        break;
      case OperandKind::floating:
        equal("bits", a.bits(), b.bits());
        equal("single", a.is_single(), b.is_single());
        break;
      case OperandKind::address: {
        equal("displacement", a.displacement(), b.displacement());
        operand(a.base(), b.base());
        const auto index_a = a.index();
        const auto index_b = b.index();
        equal("index", index_a.has_value(), index_b.has_value());
        if (index_a && index_b) operand(*index_a, *index_b);
        break;
      }
      default:
        break;
    }
    operands(a.children(), b.children());
    // Every operand's span is found by asking for the shape again: not for all of a large module.
    if (spans_ && ++spans_compared_ <= 5000) span("operand span", a.span(), b.span());
  }

  void variable(const Variable& a, const Variable& b) {
    name("variable", a.name, b.name);
    equal("space", a.space, b.space);
    equal("type", a.type, b.type);
    equal("linkage", a.linkage, b.linkage);
    equal("vector width", a.vector_width, b.vector_width);
    equal("array", a.is_array, b.is_array);
    equal("pointer", a.is_pointer, b.is_pointer);
    equal("pointer space", a.pointer_space, b.pointer_space);
    equal("alignment", a.alignment, b.alignment);
    equal("pointer alignment", a.pointer_alignment, b.pointer_alignment);
    equal("dimensions", a.dimensions, b.dimensions);
    equal("count", a.parameterized_count, b.parameterized_count);
    equal("size", a.size, b.size);
    span("initializer", a.initializer, b.initializer);
    equal("initialized", a.initializer.empty(), b.initializer.empty());
    equal("statement", a.statement, b.statement);
    equal("function", a.function, b.function);
    span("variable span", a.span, b.span);
    if (difference_ || a.initializer.empty()) return;
    const auto values_a = a_.initializer(a);
    const auto values_b = b_.initializer(b);
    equal("number of values", values_a.size(), values_b.size());
    for (std::size_t i = 0; i < values_a.size() && !difference_; ++i) {
      equal("value", values_a[i].value, values_b[i].value);
      equal("mask", values_a[i].mask, values_b[i].mask);
      equal("symbolic", values_a[i].is_symbol, values_b[i].is_symbol);
      if (values_a[i].is_symbol) name("symbol", values_a[i].symbol, values_b[i].symbol);
    }
  }

  template <typename Range>
  void variables(const char* what, const Range& a, const Range& b) {
    equal(what, a.size(), b.size());
    for (std::size_t i = 0; i < a.size() && !difference_; ++i) {
      where_ = std::string(what) + " " + std::string(a_.name(a[i].name));
      variable(a[i], b[i]);
    }
  }

  void functions() {
    equal("number of functions", a_.functions().size(), b_.functions().size());
    for (std::size_t i = 0; i < a_.functions().size() && !difference_; ++i) {
      const Function& a = a_.functions()[i];
      const Function& b = b_.functions()[i];
      where_ = "function " + std::string(a_.name(a.name));
      name("name", a.name, b.name);
      equal("kind", a.kind, b.kind);
      equal("linkage", a.linkage, b.linkage);
      equal("body", a.has_body, b.has_body);
      equal("noreturn", a.noreturn, b.noreturn);
      equal("header", a.header, b.header);
      equal("body begin", a.body_begin, b.body_begin);
      equal("body end", a.body_end, b.body_end);
      equal("register count", a.register_count, b.register_count);
      span("function span", a.span, b.span);
      variables("parameters", a.parameters, b.parameters);
      variables("return parameters", a.return_parameters, b.return_parameters);
      equal("number of directives", a.directives.size(), b.directives.size());
      for (std::size_t k = 0; k < a.directives.size() && !difference_; ++k) {
        equal("directive", a.directives[k].word, b.directives[k].word);
        equal("directive values", a.directives[k].values, b.directives[k].values);
      }
      equal("number of registers", a.registers.size(), b.registers.size());
      for (std::size_t k = 0; k < a.registers.size() && !difference_; ++k) {
        const RegisterDeclaration& ra = a.registers[k];
        const RegisterDeclaration& rb = b.registers[k];
        name("register name", ra.name, rb.name);
        equal("register", std::tuple(ra.count, ra.type, ra.vector_width, ra.first, ra.statement, ra.scope_end),
              std::tuple(rb.count, rb.type, rb.vector_width, rb.first, rb.statement, rb.scope_end));
        span("register span", ra.span, rb.span);
      }
    }
    where_.clear();
  }

  void diagnostics() {
    if (!spans_) return;
    equal("number of diagnostics", a_.diagnostics().size(), b_.diagnostics().size());
    for (std::size_t i = 0; i < a_.diagnostics().size() && !difference_; ++i) {
      const Diagnostic& a = a_.diagnostics()[i];
      const Diagnostic& b = b_.diagnostics()[i];
      where_ = a.message + " | " + b.message;
      equal("diagnostic", std::tuple(a.level, a.rule, a.span.begin, a.message, a.remedy),
            std::tuple(b.level, b.rule, b.span.begin, b.message, b.remedy));
    }
  }

  const Module& a_;
  const Module& b_;
  bool spans_;
  std::size_t spans_compared_ = 0;
  std::string where_;
  std::optional<std::string> difference_;
};

}  // namespace

std::optional<std::string> difference(const Module& a, const Module& b, bool spans) {
  return Comparison(a, b, spans).run();
}

}  // namespace ptxscope
