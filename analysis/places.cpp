#include "analysis/places.h"

#include <algorithm>
#include <string_view>

namespace ptxscope::analysis {
namespace {

// The name inside a declarator: `.align 4 .b8 name[16]`, `%r<100>`.
Span name_in(const Module& module, Span declarator, std::string_view name) {
  const std::string_view text = module.text(declarator);
  const auto follows = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
  };
  for (std::size_t at = text.find(name); at != std::string_view::npos && !name.empty(); at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at != 0 && (follows(text[at - 1]) || text[at - 1] == '.')) || (end < text.size() && follows(text[end])))
      continue;
    return {declarator.begin + static_cast<std::uint32_t>(at), declarator.begin + static_cast<std::uint32_t>(end)};
  }
  return {};
}

// Calls `visit(symbol, span)` for each register and name in one statement.
template <class Visit>
class SymbolWalk {
 public:
  SymbolWalk(const Module& module, std::uint32_t function, Visit& visit)
      : module_(module), function_(function), visit_(visit) {}

  void statement(const Statement& statement) {
    switch (statement.kind()) {
      case StatementKind::instruction:
        if (const auto guard = statement.guard()) operand(guard->predicate);
        [[fallthrough]];
      case StatementKind::branch_targets:
      case StatementKind::call_targets:
      case StatementKind::alias:
        for (const Operand one : statement.operands()) operand(one);
        break;
      case StatementKind::label: {
        const auto length = static_cast<std::uint32_t>(module_.name(statement.label()).size());
        name(statement.label(), {statement.span().begin, statement.span().begin + length});
        break;
      }
      case StatementKind::function:
        header(module_.functions()[statement.payload()]);
        break;
      case StatementKind::variable:
        variables(statement);
        break;
      case StatementKind::registers:
        registers(statement);
        break;
      default:
        break;
    }
  }

 private:
  void operand(const Operand& one) {
    switch (one.kind()) {
      case OperandKind::reg:
        visit_(SymbolId{SymbolId::Kind::reg, function_, one.reg(), no_name}, bare(one));
        break;
      case OperandKind::name:
        name(one.name(), bare(one));
        break;
      case OperandKind::address:
        operand_of_address(one.base());
        if (const auto index = one.index()) operand_of_address(*index);
        break;
      default:
        for (const Operand child : one.children()) operand(child);
    }
  }

  void operand_of_address(const Operand& part) {
    if (part.kind() == OperandKind::reg || part.kind() == OperandKind::name) operand(part);
  }

  // Without the sign before it and the selector behind it.
  [[nodiscard]] Span bare(const Operand& one) const {
    Span span = one.span();
    const std::string_view text = module_.text(span);
    const std::size_t skipped = std::min(text.find_first_not_of("!- \t"), text.size());
    span.begin += static_cast<std::uint32_t>(skipped);
    if (one.selector() != Selector::none) {
      const std::size_t dot = text.rfind('.');
      if (dot != std::string_view::npos && dot > skipped) span.end -= static_cast<std::uint32_t>(text.size() - dot);
    }
    return span;
  }

  void name(NameId id, Span span) {
    const bool is_of_module =
        function_ == no_index || module_.find_function(id) != nullptr || module_.find_variable(id) != nullptr;
    visit_(SymbolId{SymbolId::Kind::name, is_of_module ? no_index : function_, 0, id}, span);
  }

  void header(const Function& function) {
    visit_(SymbolId{SymbolId::Kind::name, no_index, 0, function.name}, function.name_span);
    for (const auto* list : {&function.return_parameters, &function.parameters})
      for (const Variable& one : *list) declared(one.name, one.span, function_);
  }

  void declared(NameId id, Span declarator, std::uint32_t owner) {
    if (id == no_name) return;
    const Span span = name_in(module_, declarator, module_.name(id));
    if (!span.empty()) visit_(SymbolId{SymbolId::Kind::name, owner, 0, id}, span);
  }

  void variables(const Statement& statement) {
    const auto all = function_ == no_index ? module_.variables() : module_.local_variables();
    for (std::size_t i = statement.payload(); i < all.size() && all[i].statement == statement.index(); ++i)
      declared(all[i].name, all[i].span, function_);
  }

  void registers(const Statement& statement) {
    if (function_ == no_index || statement.payload() == no_index) return;
    const auto& all = module_.functions()[function_].registers;
    for (std::size_t i = statement.payload(); i < all.size() && all[i].statement == statement.index(); ++i) {
      if (all[i].count != 0 || all[i].name == no_name) continue;  // `%r<100>` is none of its registers
      const Span span = name_in(module_, all[i].span, module_.name(all[i].name));
      if (!span.empty()) visit_(SymbolId{SymbolId::Kind::reg, function_, all[i].first, no_name}, span);
    }
  }

  const Module& module_;
  std::uint32_t function_;
  Visit& visit_;
};

template <class Visit>
void visit_symbols(const Module& module, std::uint32_t statement, std::uint32_t function, Visit&& visit) {
  SymbolWalk<std::remove_reference_t<Visit>>(module, function, visit).statement(module.statement(statement));
}

}  // namespace

std::uint32_t line_count(const Module& module) {
  return module.position(static_cast<std::uint32_t>(module.text().size())).line;
}

std::uint32_t statement_at(const Module& module, std::uint32_t offset) {
  std::uint32_t low = 0;
  std::uint32_t high = module.statement_count();
  while (low < high) {  // the first one that ends behind the byte
    const std::uint32_t middle = low + (high - low) / 2;
    if (module.statement(middle).span().end > offset) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low == module.statement_count() ? no_index : low;
}

std::uint32_t line_begin(const Module& module, std::uint32_t line) {
  return static_cast<std::uint32_t>(module.line_text(line).data() - module.text().data());
}

std::uint32_t statement_on_line(const Module& module, std::uint32_t line) {
  const std::string_view text = module.line_text(line);
  const auto begin = static_cast<std::uint32_t>(text.data() - module.text().data());
  const std::uint32_t found = statement_at(module, begin);
  if (found == no_index || module.statement(found).span().begin >= begin + text.size()) return no_index;
  return found;
}

std::uint32_t function_of(const Module& module, std::uint32_t statement) {
  const auto functions = module.functions();
  const auto behind = std::ranges::upper_bound(functions, statement, {}, &Function::header);
  if (behind == functions.begin()) return no_index;
  const auto found = behind - 1;
  const std::uint32_t last = found->has_body ? found->body_end : found->header;
  return statement <= last ? static_cast<std::uint32_t>(found - functions.begin()) : no_index;
}

std::optional<SymbolPlace> symbol_at(const Module& module, std::uint32_t offset) {
  // A cursor right behind a name means that name.
  for (const std::uint32_t at : {offset, offset == 0 ? 0 : offset - 1}) {
    const std::uint32_t statement = statement_at(module, at);
    if (statement == no_index) continue;
    std::optional<SymbolPlace> found;
    visit_symbols(module, statement, function_of(module, statement), [&](const SymbolId& symbol, Span span) {
      if (span.begin <= at && at < span.end) found = SymbolPlace{symbol, span};
    });
    if (found) return found;
  }
  return std::nullopt;
}

std::string spelling(const Module& module, const SymbolId& symbol) {
  if (symbol.kind == SymbolId::Kind::reg) return module.register_name(module.functions()[symbol.function], symbol.reg);
  if (symbol.kind == SymbolId::Kind::name) return std::string(module.name(symbol.name));
  return {};
}

Span symbol_in(const Module& module, std::uint32_t statement, const SymbolId& symbol) {
  Span found;
  if (statement >= module.statement_count()) return found;
  visit_symbols(module, statement, function_of(module, statement), [&](const SymbolId& one, Span span) {
    if (one == symbol && (found.empty() || span.begin < found.begin)) found = span;
  });
  return found;
}

std::vector<Span> occurrences(const Module& module, const SymbolId& symbol, std::size_t limit) {
  std::vector<Span> found;
  if (!symbol || module.statement_count() == 0) return found;
  std::uint32_t first = 0;
  std::uint32_t last = module.statement_count() - 1;
  if (symbol.function != no_index) {
    const Function& function = module.functions()[symbol.function];
    first = function.header;
    last = std::min(last, function.has_body ? function.body_end : function.header);
  }
  std::uint32_t function = symbol.function;
  for (std::uint32_t at = first; at <= last && found.size() < limit; ++at) {
    if (symbol.function == no_index) function = function_of(module, at);
    visit_symbols(module, at, function, [&](const SymbolId& one, Span span) {
      if (one == symbol && found.size() < limit) found.push_back(span);
    });
  }
  return found;
}

std::optional<Span> declaration_of(const Module& module, const SymbolId& symbol) {
  if (symbol.kind == SymbolId::Kind::reg)
    return module.register_declaration(module.functions()[symbol.function], symbol.reg).span;
  if (symbol.kind != SymbolId::Kind::name) return std::nullopt;
  if (symbol.function == no_index) {
    if (const Function* const function = module.find_function(symbol.name)) return function->name_span;
    if (const Variable* const variable = module.find_variable(symbol.name)) return variable->span;
    return std::nullopt;
  }
  const Function& function = module.functions()[symbol.function];
  for (const auto* list : {&function.parameters, &function.return_parameters})
    for (const Variable& one : *list)
      if (one.name == symbol.name) return one.span;
  if (!function.has_body) return std::nullopt;
  for (std::uint32_t at = function.body_begin; at < std::min(function.body_end, module.statement_count()); ++at) {
    const Statement statement = module.statement(at);
    if (statement.kind() == StatementKind::label && statement.label() == symbol.name) return statement.span();
    if (statement.kind() != StatementKind::variable) continue;
    const auto locals = module.local_variables();
    for (std::size_t i = statement.payload(); i < locals.size() && locals[i].statement == at; ++i)
      if (locals[i].name == symbol.name) return locals[i].span;
  }
  return std::nullopt;
}

}  // namespace ptxscope::analysis
