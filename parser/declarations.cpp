// Registers, variables, parameters and function headers from a plan.
#include <algorithm>
#include <limits>
#include <utility>

#include "parser/builder.h"
#include "parser/initializer.h"

namespace ptxscope {
namespace {

StateSpace space_from(std::string_view word) {
  if (word == ".reg") return StateSpace::reg;
  if (word == ".sreg") return StateSpace::sreg;
  if (word == ".const") return StateSpace::constant;
  if (word == ".global") return StateSpace::global;
  if (word == ".local") return StateSpace::local;
  if (word == ".param" || word.starts_with(".param::")) return StateSpace::param;
  if (word == ".shared" || word.starts_with(".shared::")) return StateSpace::shared;
  if (word == ".tex") return StateSpace::tex;
  return StateSpace::none;
}

Linkage linkage_from(std::string_view word) {
  if (word == ".extern") return Linkage::external;
  if (word == ".visible") return Linkage::visible;
  if (word == ".weak") return Linkage::weak;
  return Linkage::common;
}

std::uint32_t small_integer(std::string_view literal) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::min(integer_value(literal), most));
}

// No overflow: a size past 64 bits is the largest number.
std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::uint64_t>::max() : product;
}

}  // namespace

// What a declaration has said so far is kept in `variable`; a declarator adds its own to a copy.
void Builder::declarator_step(const Step& step, Variable& variable) {
  switch (step.kind) {
    case StepKind::linkage:
      variable.linkage = linkage_from(spelling(step.first));
      break;
    case StepKind::space:
      variable.space = space_from(spelling(step.first));
      break;
    case StepKind::alignment:
      variable.alignment = small_integer(spelling(step.first));
      break;
    case StepKind::vector_width:
      variable.vector_width = static_cast<std::uint8_t>(spelling(step.first).back() - '0');
      break;
    case StepKind::type: {
      const std::string_view word = spelling(step.first);
      const Type type = type_from(word.substr(1));
      if (type != Type::none) {
        variable.type = type;
      } else if (const StateSpace space = space_from(word); space != StateSpace::none) {
        variable.space = space;  // `.shared::cta`
      } else if (variable.type == Type::none) {
        variable.type = Type::other;
      }
      break;
    }
    case StepKind::pointer:
      variable.is_pointer = true;
      break;
    case StepKind::pointer_space:
      variable.pointer_space = space_from(spelling(step.first));
      break;
    case StepKind::pointer_alignment:
      variable.pointer_alignment = small_integer(spelling(step.first));
      break;
    case StepKind::declarator:
      variable.name = intern(step.first);
      variable.span = tokens_[step.first].span();
      break;
    case StepKind::range:
      variable.parameterized_count = small_integer(spelling(step.first));
      break;
    case StepKind::dimension: {
      const auto value = constant(step.first, step.last);
      variable.is_array = true;
      variable.dimensions.push_back(value && value->is_integer() ? value->bits : 0);
      break;
    }
    case StepKind::open_dimension:
      variable.is_array = true;
      variable.dimensions.push_back(0);
      break;
    case StepKind::initializer:
      variable.initializer = {tokens_[step.first].begin, tokens_[step.last].end()};
      break;
    case StepKind::end_declarator: {
      variable.span.end = tokens_[step.last].end();
      if (!variable.dimensions.empty() && variable.dimensions[0] == 0 && !variable.initializer.empty()) {
        std::uint64_t inner = 1;
        for (std::size_t i = 1; i < variable.dimensions.size(); ++i) inner = times(inner, variable.dimensions[i]);
        variable.dimensions[0] = inferred_dimension(text_, variable.initializer, inner);
      }
      variable.size = times(size_of(variable.type), variable.vector_width);
      for (const std::uint64_t dimension : variable.dimensions) variable.size = times(variable.size, dimension);
      if (variable.parameterized_count != 0) variable.size = times(variable.size, variable.parameterized_count);
      break;
    }
    default:
      break;
  }
}

void Builder::declare_register(const Variable& variable, std::uint32_t count, std::uint32_t statement) {
  Function* function = open_function();
  RegisterDeclaration declaration;
  declaration.name = variable.name;
  declaration.count = count;
  declaration.type = variable.type;
  declaration.vector_width = variable.vector_width;
  declaration.statement = statement;
  declaration.span = variable.span;
  declaration.first = function != nullptr ? function->register_count
                      : module_registers_.empty()
                          ? 0
                          : module_registers_.back().first + std::max(module_registers_.back().count, 1U);
  const std::uint32_t most = most_registers();
  const std::uint32_t left = most - std::min(most, declaration.first);
  const std::uint32_t wanted = std::max(count, 1U);
  if (wanted > left) {
    report(Level::error, "PTX-LIMIT", variable.span,
           (function != nullptr ? "a function of this module" : "this module") + std::string(" can have at most ") +
               std::to_string(most) + " registers here",
           "declare no more registers than the function uses");
    if (count == 0 || left == 0) return;
    declaration.count = left;
  }
  if (function == nullptr) {
    module_registers_.push_back(declaration);
    module_scope_.declare(declaration);
    return;
  }
  function->register_count += std::min(wanted, left);
  open_registers_.push_back(function->registers.size());
  function->registers.push_back(declaration);
  scopes_.declare(declaration);
}

std::optional<RegisterNumber> Builder::module_register(std::string_view name) {
  const auto number = module_scope_.find(name);
  Function* function = open_function();
  if (!number || function == nullptr) return std::nullopt;
  const auto after = std::upper_bound(module_registers_.begin(), module_registers_.end(), *number,
                                      [](RegisterNumber n, const RegisterDeclaration& d) { return n < d.first; });
  RegisterDeclaration declaration = *(after - 1);
  imported_.resize(module_registers_.size(), no_index);
  RegisterNumber& first = imported_[static_cast<std::size_t>(after - 1 - module_registers_.begin())];
  const RegisterNumber within = *number - declaration.first;
  if (first == no_index) {
    const std::uint32_t wanted = std::max(declaration.count, 1U);
    if (wanted > most_registers() - std::min(most_registers(), function->register_count)) return std::nullopt;
    first = declaration.first = function->register_count;
    function->register_count += wanted;
    imported_registers_.push_back(function->registers.size());
    function->registers.push_back(declaration);
  }
  return first + within;
}

void Builder::registers(const Plan& plan) {
  const auto statement = static_cast<std::uint32_t>(storage_.statements.size());
  Function* function = open_function();
  add_statement(StatementKind::registers).first =
      function != nullptr ? static_cast<std::uint32_t>(function->registers.size()) : no_index;
  Variable common;
  common.space = StateSpace::reg;
  Variable declared;
  bool range = false;
  for (const Step& step : plan.steps) {
    if (step.kind == StepKind::declarator) {
      declared = common;
      range = false;
    }
    range = range || step.kind == StepKind::range;
    declarator_step(step, step.kind >= StepKind::declarator ? declared : common);
    const bool none = range && declared.parameterized_count == 0;  // `%r<0>`
    if (step.kind == StepKind::end_declarator && !none) {
      declare_register(declared, declared.parameterized_count, statement);
    }
  }
}

void Builder::add_variable(Variable variable) {
  variable.statement = static_cast<std::uint32_t>(storage_.statements.size() - 1);
  variable.function = function_;
  if (function_ == no_index) {
    const auto index = static_cast<std::uint32_t>(storage_.variables.size());
    const auto name = static_cast<std::uint32_t>(variable.name);
    const auto [known, is_new] = storage_.variable_by_name.try_emplace(name, index);
    // A definition goes before the declarations (`.extern`) of the same name.
    if (!is_new && storage_.variables[known->second].linkage == Linkage::external &&
        variable.linkage != Linkage::external) {
      known->second = index;
    }
    storage_.variables.push_back(std::move(variable));
  } else {
    scopes_.declare_variable(variable.name);
    storage_.local_variables.push_back(std::move(variable));
  }
}

void Builder::variables(const Plan& plan) {
  add_statement(StatementKind::variable).first =
      static_cast<std::uint32_t>(function_ == no_index ? storage_.variables.size() : storage_.local_variables.size());
  Variable common;
  Variable declared;
  for (const Step& step : plan.steps) {
    if (step.kind == StepKind::declarator) declared = common;
    declarator_step(step, step.kind >= StepKind::declarator ? declared : common);
    if (step.kind == StepKind::end_declarator) add_variable(std::exchange(declared, Variable{}));
  }
}

void Builder::function(const Plan& plan) {
  const auto statement = static_cast<std::uint32_t>(storage_.statements.size());
  const auto index = static_cast<std::uint32_t>(storage_.functions.size());
  add_statement(StatementKind::function).first = index;
  Function& function = storage_.functions.emplace_back();
  function.header = statement;
  function.span = {tokens_.front().begin, statement_end_};
  function.body_begin = function.body_end = statement;

  std::vector<Variable>* list = nullptr;
  Variable variable;
  bool declared = false;
  const auto end_parameter = [&] {
    if (list != nullptr && variable.space != StateSpace::none && !declared) {
      // `.func (.param .b32) f`: a type without a name.
      variable.size = times(size_of(variable.type), variable.vector_width);
      list->push_back(variable);
    }
    declared = true;
  };
  for (const Step& step : plan.steps) {
    switch (step.kind) {
      case StepKind::linkage:
        function.linkage = linkage_from(spelling(step.first));
        break;
      case StepKind::function_kind:
        function.kind = tokens_[step.first].kind() == TokenKind::entry ? FunctionKind::entry : FunctionKind::func;
        break;
      case StepKind::function_name:
        function.name = intern(step.first);
        function.name_span = tokens_[step.first].span();
        break;
      case StepKind::return_parameters:
      case StepKind::parameters:
        list = step.kind == StepKind::parameters ? &function.parameters : &function.return_parameters;
        declared = true;
        break;
      case StepKind::end_parameters:
        end_parameter();
        list = nullptr;
        break;
      case StepKind::directive: {
        FunctionDirective directive;
        directive.word = spelling(step.first);
        directive.span = tokens_[step.first].span();
        if (directive.word == ".noreturn") function.noreturn = true;
        if (tokens_[step.first].kind() == TokenKind::dot_word) unknown_directive(tokens_[step.first]);
        function.directives.push_back(std::move(directive));
        break;
      }
      case StepKind::directive_value: {
        const auto value = constant(step.first, step.last);
        if (value && value->is_integer()) {
          function.directives.back().values.push_back(static_cast<std::int64_t>(value->bits));
        }
        break;
      }
      case StepKind::end_directive:
        function.directives.back().span.end = tokens_[step.first].end();
        break;
      case StepKind::space:
        end_parameter();
        variable = Variable{};
        variable.function = index;
        variable.statement = statement;
        declared = false;
        declarator_step(step, variable);
        break;
      case StepKind::end_declarator:
        declarator_step(step, variable);
        if (list != nullptr) list->push_back(variable);
        declared = true;
        break;
      default:
        declarator_step(step, variable);
        break;
    }
  }

  const auto name = static_cast<std::uint32_t>(function.name);
  storage_.function_by_name.try_emplace(name, index);
  if (tokens_.back().kind() == TokenKind::semicolon) return;

  header_open_ = true;
  function_ = index;
  scopes_.reset();
  scopes_.open();
  open_registers_.clear();
  for (const auto* parameters : {&function.return_parameters, &function.parameters}) {
    for (const Variable& parameter : *parameters) {
      if (parameter.name == no_name) continue;
      if (parameter.space == StateSpace::reg) {
        declare_register(parameter, parameter.parameterized_count, statement);
      } else {
        scopes_.declare_variable(parameter.name);
      }
    }
  }
}

// The body's last scope is closed, or the text ends in it: its registers are known.
void Builder::close_function() {
  Function* function = open_function();
  if (function == nullptr) return;
  const auto end = static_cast<std::uint32_t>(storage_.statements.size());
  for (const std::size_t i : open_registers_) function->registers[i].scope_end = function->body_end;
  for (const std::size_t i : imported_registers_) function->registers[i].scope_end = function->body_end;
  open_registers_.clear();
  imported_registers_.clear();
  imported_.clear();
  if (function->has_body && end > 0) function->span.end = storage_.statements[end - 1].end;
  scopes_.reset();
  scope_registers_.clear();
  function_ = no_index;
  header_open_ = false;
}

}  // namespace ptxscope
