#include "analysis/diff_body.h"

#include <algorithm>
#include <cctype>

#include "parser/comments.h"

namespace ptxscope::analysis::diff {

namespace {

constexpr unsigned attribute_shift = 32;
constexpr unsigned width_shift = 37;
constexpr unsigned vector_shift = 41;

// Which values a register can hold: its declared type matters as far as its width does, the instructions say the rest.
Token width_of(const RegisterDeclaration& declaration) {
  Token width = 0;
  switch (size_of(declaration.type)) {
    case 1:
      width = 2;
      break;
    case 2:
      width = 3;
      break;
    case 4:
      width = 4;
      break;
    case 8:
      width = 5;
      break;
    case 16:
      width = 6;
      break;
    default:
      width = declaration.type == Type::pred ? 1 : 7;
      break;
  }
  return width << width_shift | static_cast<Token>(declaration.vector_width & 7U) << vector_shift;
}

Token attributes_of(const Operand& operand) {
  return static_cast<Token>(operand.selector()) << attribute_shift | (operand.negated() ? token::negated : 0);
}

// One component of a vector register is written: the others keep their values.
bool writes_in_part(Selector selector) { return selector >= Selector::x && selector <= Selector::a; }

bool is_word_start(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_word(char c) { return is_word_start(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; }

Token access_of(isa::Role role) {
  if (role == isa::Role::write) return token::writes;
  if (role == isa::Role::read_write) return token::writes | token::reads;
  return token::reads;
}

}  // namespace

std::uint32_t Body::target(std::uint32_t item) const {
  for (const Token one : tokens_of(item))
    if (token::kind(one) == TokenKind::label) return labels[token::variable(one)].target;
  return size();
}

BodyReader::BodyReader(Side side, const Module& module, SharedNames& names)
    : side_(side), module_(&module), names_(&names), declared_(module), symbols_(module.name_count(), no_index) {}

void BodyReader::declare(NameId name, std::uint32_t symbol) {
  if (name == no_name) return;
  std::uint32_t& now = symbols_[static_cast<std::uint32_t>(name)];
  undo_.push_back({static_cast<std::uint32_t>(name), now});
  now = symbol;
}

void BodyReader::close_scope() {
  while (undo_.size() > open_.back()) {
    symbols_[undo_.back().name] = undo_.back().before;
    undo_.pop_back();
  }
  open_.pop_back();
}

void BodyReader::push(TokenKind kind, Token payload, Token flags) {
  body_->tokens.push_back(static_cast<Token>(kind) << token::kind_shift | flags | next_flags_ | payload);
  next_flags_ = 0;
}

void BodyReader::find_fixed_registers(const Function& function) {
  fixed_.clear();
  constexpr std::uint64_t is_return = std::uint64_t{1} << 63U;
  const auto place_of = [&](const RegisterDeclaration& one) {
    const auto is_it = [&](const Variable& parameter) { return parameter.span.begin == one.span.begin; };
    const auto& results = function.return_parameters;
    if (const auto found = std::ranges::find_if(results, is_it); found != results.end())
      return is_return | static_cast<std::uint64_t>(found - results.begin()) << 32U;
    const auto& parameters = function.parameters;
    return static_cast<std::uint64_t>(std::ranges::find_if(parameters, is_it) - parameters.begin()) << 32U;
  };
  for (const RegisterDeclaration& one : function.registers) {
    if (one.statement > function.header) continue;
    const std::uint32_t count = std::max(one.count, 1U);
    if (one.statement == function.header) fixed_.push_back({one.first, count, no_name, place_of(one)});
    else fixed_.push_back({one.first, count, one.name, 0});
  }
}

void BodyReader::push_register(RegisterNumber number, Token attributes, Token flags) {
  attributes |= width_of(module_->register_declaration(*body_->function, number));
  for (const FixedRegisters& one : fixed_) {
    if (number < one.first || number - one.first >= one.count) continue;
    const std::uint64_t offset = number - one.first;
    if (one.name == no_name) return push(TokenKind::parameter, names_->value(one.place | offset) | attributes, flags);
    push(TokenKind::name, names_->name(side_, one.name) | attributes, flags);
    return push(TokenKind::value, names_->value(offset));
  }
  push(TokenKind::reg, number | attributes, flags);
}

void BodyReader::read(const Function& function, Body& out) {
  body_ = &out;
  out.side = side_;
  out.module = module_;
  out.function = &function;
  out.items.clear();
  out.tokens.clear();
  out.labels.clear();
  out.locals.clear();
  out.counts = {};
  declared_.start(static_cast<std::uint32_t>(&function - module_->functions().data()));
  label_tokens_.clear();
  open_.assign(1, 0);
  for (std::size_t i = 0; i < function.parameters.size(); ++i)
    declare(function.parameters[i].name, symbol(SymbolKind::parameter, i));
  for (std::size_t i = 0; i < function.return_parameters.size(); ++i)
    declare(function.return_parameters[i].name, symbol(SymbolKind::return_parameter, i));

  find_fixed_registers(function);
  LabelScopes labels(*module_, function);
  labels_ = &labels;
  const std::uint32_t end = std::min(function.body_end, module_->statement_count());
  for (std::uint32_t i = function.body_begin + 1; i < end; ++i) {
    const Statement statement = module_->statement(i);
    switch (statement.kind()) {
      case StatementKind::instruction:
        add_instruction(statement);
        break;
      case StatementKind::label:
        out.labels.push_back({i, static_cast<std::uint32_t>(out.items.size())});
        break;
      case StatementKind::scope_begin:
        labels.visit(statement);
        open_.push_back(undo_.size());
        break;
      case StatementKind::scope_end:
        labels.visit(statement);
        if (open_.size() > 1) close_scope();
        break;
      case StatementKind::variable:
        add_variables(statement);
        break;
      case StatementKind::pragma:
      case StatementKind::branch_targets:
      case StatementKind::call_targets:
      case StatementKind::call_prototype:
      case StatementKind::directive:
      case StatementKind::unparsed:
        add_directive(statement);
        break;
      default:  // .reg, .loc, .file, sections, markers, stray semicolons
        break;
    }
  }
  while (!open_.empty()) close_scope();
  out.items.push_back({end, static_cast<std::uint32_t>(out.tokens.size()), no_index, Goes::stop, false});
  for (const std::uint32_t index : label_tokens_) {
    Token& one = out.tokens[index];
    const auto found = std::ranges::lower_bound(out.labels, token::variable(one), {}, &BodyLabel::statement);
    one = token::shape(one) | static_cast<Token>(found - out.labels.begin());
  }
  out.counts[Count::shared_bytes] = declared_.counts().shared_bytes;
  out.counts[Count::local_bytes] = declared_.counts().local_bytes;
  out.counts[Count::registers] = declared_.counts().register_count();
  number_registers();
  labels_ = nullptr;
}

// `.reg .b32 %r<4000000000>;` is one line of text: nothing may take memory for each register declared.
void BodyReader::number_registers() {
  Body& body = *body_;
  body.register_numbers.clear();
  body.register_count = body.function->register_count;
  if (body.register_count <= 4 * body.tokens.size() + 1024) return;
  std::vector<RegisterNumber>& used = body.register_numbers;
  used.push_back(0);
  for (const Token one : body.tokens)
    if (token::kind(one) == TokenKind::reg) used.push_back(token::variable(one));
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  for (Token& one : body.tokens) {
    if (token::kind(one) != TokenKind::reg) continue;
    const auto found = std::ranges::lower_bound(used, token::variable(one));
    one = token::shape(one) | static_cast<Token>(found - used.begin());
  }
  body.register_count = static_cast<std::uint32_t>(used.size());
}

void BodyReader::add_instruction(const Statement& statement) {
  const std::uint32_t id = names_->opcode(side_, statement.opcode_id());
  const SharedOpcode& opcode = names_->opcode(id);
  const std::size_t first = body_->tokens.size();
  statement_ = statement.index();
  Item item{statement.index(), static_cast<std::uint32_t>(first), id, Goes::on, false};
  push(TokenKind::opcode, opcode_token(statement, id));
  if (const auto guard = statement.guard()) {
    item.guarded = true;
    next_flags_ = token::starts_operand;
    add_operand(guard->predicate, token::reads);
  }
  const bool is_call = opcode.row != nullptr && opcode.row->flow == isa::Flow::call;
  bool before_callee = is_call;
  std::size_t index = 0;
  for (const Operand operand : statement.operands()) {
    Token access = token::reads;
    if (opcode.row == nullptr) {
      access = token::reads | token::writes;
    } else if (!is_call) {
      access = access_of(opcode.row->role(index));
    } else if (before_callee && operand.kind() == OperandKind::list) {
      access = token::writes;
    } else {
      before_callee = false;
    }
    next_flags_ = token::starts_operand;
    add_operand(operand, access);
    ++index;
  }

  const isa::Flow flow = opcode.row == nullptr ? isa::Flow::next : opcode.row->flow;
  switch (flow) {
    case isa::Flow::branch: {
      bool has_label = false;
      for (std::size_t i = first; i < body_->tokens.size(); ++i)
        has_label |= token::kind(body_->tokens[i]) == TokenKind::label;
      item.goes = !has_label ? Goes::indirect : item.guarded ? Goes::branch : Goes::jump;
      break;
    }
    case isa::Flow::indirect_branch:
      item.goes = Goes::indirect;
      break;
    case isa::Flow::ret:
    case isa::Flow::exit:
    case isa::Flow::trap:
      item.goes = item.guarded ? Goes::may_stop : Goes::stop;
      break;
    case isa::Flow::next:
    case isa::Flow::call:
      break;
  }
  body_->items.push_back(item);
  count(item, opcode);
  if (opcode_counts_.size() <= id) opcode_counts_.resize(id + std::size_t{64});
  ++opcode_counts_[id];
}

std::uint32_t BodyReader::opcode_token(const Statement& statement, std::uint32_t id) const {
  const SharedOpcode& opcode = names_->opcode(id);
  if (opcode.common == no_index) return id;
  if (opcode.exact_bytes == 0) return opcode.common;
  const auto fits = [&](const Operand& operand) {
    if (operand.kind() != OperandKind::reg) return true;
    if (operand.selector() != Selector::none) return false;
    const RegisterDeclaration& declaration = module_->register_declaration(*body_->function, operand.reg());
    return size_of(declaration.type) == opcode.exact_bytes && declaration.vector_width <= 1;
  };
  unsigned place = 0;
  for (const Operand operand : statement.operands()) {
    if ((opcode.exact_places >> place++ & 1U) == 0) continue;
    // A vector of a load has an element each; that of a mov is packed and unpacked.
    if (operand.kind() == OperandKind::vector) {
      if (opcode.mnemonic == "mov") return id;
      for (const Operand child : operand.children())
        if (!fits(child)) return id;
    } else if (!fits(operand)) {
      return id;
    }
    if (place == 8) break;
  }
  return opcode.common;
}

void BodyReader::count(const Item& item, const SharedOpcode& opcode) {
  Counts& counts = body_->counts;
  const CountedAs& as = opcode.as;
  ++counts[Count::instructions];
  counts[Count::branches] += as.branch ? 1 : 0;
  counts[Count::conditional_branches] += as.branch && item.guarded ? 1 : 0;
  counts[Count::calls] += as.call ? 1 : 0;
  counts[Count::traps] += as.trap ? 1 : 0;
  counts[Count::barriers] += as.barrier ? 1 : 0;
  counts[Count::loads] += as.load ? 1 : 0;
  counts[Count::stores] += as.store ? 1 : 0;
  counts[Count::atomics] += as.atomic ? 1 : 0;
}

void BodyReader::add_directive(const Statement& statement) {
  statement_ = statement.index();
  body_->items.push_back(
      {statement.index(), static_cast<std::uint32_t>(body_->tokens.size()), no_index, Goes::on, false});
  push(TokenKind::directive, static_cast<Token>(statement.kind()));
  switch (statement.kind()) {
    case StatementKind::pragma:
    case StatementKind::branch_targets:
    case StatementKind::call_targets:
      for (const Operand operand : statement.operands()) {
        next_flags_ = token::starts_operand;
        add_operand(operand, token::reads);
      }
      break;
    default:
      next_flags_ = token::starts_operand;  // all of it is one operand, so that what differs in it is found
      add_words(statement.span());
      break;
  }
}

void BodyReader::add_variables(const Statement& statement) {
  const auto all = module_->local_variables();
  for (std::size_t i = statement.payload(); i < all.size() && all[i].statement == statement.index(); ++i) {
    declare(all[i].name, symbol(SymbolKind::local, body_->locals.size()));
    body_->locals.push_back(&all[i]);
  }
}

void BodyReader::add_operand(const Operand& operand, Token flags, int depth) {
  constexpr int deepest = 8;  // operands nest two deep at most
  switch (operand.kind()) {
    case OperandKind::reg: {
      if ((flags & token::writes) != 0 && writes_in_part(operand.selector())) flags |= token::reads;
      push_register(operand.reg(), attributes_of(operand), flags);
      return;
    }
    case OperandKind::name:
      add_name(operand.name(), attributes_of(operand), flags);
      return;
    case OperandKind::integer: {
      const std::int64_t value = operand.integer();
      constexpr std::int64_t limit = std::int64_t{1} << 46U;
      if (value >= -limit && value < limit)
        push(TokenKind::integer, static_cast<Token>(value) & ((Token{1} << 48U) - 1));
      else push(TokenKind::value, names_->value(operand.bits()));
      return;
    }
    case OperandKind::floating:
      push(TokenKind::value, names_->value(operand.bits()) | Token{operand.is_single() ? 1U : 2U} << attribute_shift);
      return;
    case OperandKind::sink:
      push(TokenKind::sink, 0);
      return;
    case OperandKind::address: {
      const auto index = operand.index();
      const std::int64_t displacement = operand.displacement();
      push(TokenKind::open, static_cast<Token>(operand.kind()) << attribute_shift | (index               ? 3U
                                                                                     : displacement != 0 ? 2U
                                                                                                         : 1U));
      if (depth < deepest) add_operand(operand.base(), token::reads, depth + 1);
      if (displacement != 0 || index)
        push(TokenKind::integer, static_cast<Token>(displacement) & ((Token{1} << 48U) - 1));
      if (index && depth < deepest) add_operand(*index, token::reads, depth + 1);
      return;
    }
    case OperandKind::tuple_address:
      flags = token::reads;
      [[fallthrough]];
    case OperandKind::vector:
    case OperandKind::pair:
    case OperandKind::list: {
      const OperandRange children = operand.children();
      push(TokenKind::open,
           static_cast<Token>(operand.kind()) << attribute_shift | static_cast<Token>(children.size()));
      if (depth >= deepest) return add_words(operand.span());
      for (const Operand child : children) add_operand(child, flags, depth + 1);
      return;
    }
    case OperandKind::expression:
      push(TokenKind::open, static_cast<Token>(operand.kind()) << attribute_shift);
      add_words(operand.span());
      return;
    case OperandKind::string:
      push(TokenKind::word, names_->text(operand.text()));
      return;
  }
}

void BodyReader::add_name(NameId name, Token attributes, Token flags) {
  const std::uint32_t symbol = symbols_[static_cast<std::uint32_t>(name)];
  if (symbol != no_index) {
    const Token index = symbol >> 2U;
    switch (static_cast<SymbolKind>(symbol & 3U)) {
      case SymbolKind::parameter:
        return push(TokenKind::parameter, index | attributes);
      case SymbolKind::return_parameter:
        return push(TokenKind::parameter, index | attributes | Token{1} << width_shift);
      case SymbolKind::local:
        return push(TokenKind::local, index | attributes, flags);
    }
  }
  if (labels_ != nullptr && !labels_->empty()) {
    std::uint32_t label = labels_->find(name);
    if (label == no_index) label = labels_->find_hidden(name);
    if (label != no_index) {
      label_tokens_.push_back(static_cast<std::uint32_t>(body_->tokens.size()));
      return push(TokenKind::label, label | attributes);
    }
  }
  if (body_->function != nullptr) declared_.name(name);
  push(TokenKind::name, names_->name(side_, name) | attributes);
}

bool BodyReader::add_register(std::string_view word) {
  if (body_->function == nullptr) return false;
  const std::size_t digits = word.size() - (word.find_last_not_of("0123456789") + 1);
  const auto& declarations = body_->function->registers;
  // The innermost scope's is the last that is open here.
  for (auto one = declarations.rbegin(); one != declarations.rend(); ++one) {
    if (one->statement > statement_ || one->scope_end < statement_) continue;
    const std::string_view name = module_->name(one->name);
    std::uint64_t number = 0;
    if (one->count == 0) {
      if (word != name) continue;
    } else {
      // `%r017` is no register of `%r<100>`.
      const std::string_view rest = word.substr(std::min(word.size(), name.size()));
      if (!word.starts_with(name) || rest.empty() || rest.size() > digits || rest.size() > 9) continue;
      if (rest.size() > 1 && rest.front() == '0') continue;
      for (const char c : rest) number = 10 * number + static_cast<unsigned>(c - '0');
      if (number >= one->count) continue;
    }
    push_register(static_cast<RegisterNumber>(one->first + number), 0, token::reads);
    return true;
  }
  return false;
}

void BodyReader::add_words(Span span) {
  const std::string_view text = module_->text(span);
  std::size_t i = 0;
  while (i < text.size()) {
    const char c = text[i];
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++i;
      continue;
    }
    if (const std::size_t after = end_of_comment(text, i); after != i) {
      i = after;
      continue;
    }
    std::size_t end = i + 1;
    if (c == '"') {
      while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, text.size());
    } else if (is_word(c)) {
      while (end < text.size() && is_word(text[end])) ++end;
    }
    const std::string_view word = text.substr(i, end - i);
    const NameId name = is_word_start(c) ? module_->find_name(word) : no_name;
    if (is_word_start(c) && add_register(word)) {
      i = end;
      continue;
    }
    if (name != no_name) add_name(name, 0, 0);
    else push(TokenKind::word, names_->text(word));
    i = end;
  }
}

std::vector<Token> BodyReader::initializer(const Variable& variable) {
  Body scratch;
  body_ = &scratch;
  const std::vector<InitializerValue> values = module_->initializer(variable);
  // A symbol that nothing declares may have no name of its own in the module.
  const bool is_known =
      std::ranges::none_of(values, [](const InitializerValue& one) { return one.is_symbol && one.symbol == no_name; });
  if (values.empty() || !is_known) {
    add_words(variable.initializer);
    return std::move(scratch.tokens);
  }
  // Zeros at the end are there without being written.
  std::size_t last = values.size();
  while (last > 0 && !values[last - 1].is_symbol && values[last - 1].value == 0) --last;
  for (std::size_t i = 0; i < last; ++i) {
    const InitializerValue& value = values[i];
    if (value.is_symbol) {
      push(TokenKind::name, names_->name(side_, value.symbol) | Token{value.is_generic ? 1U : 0U} << attribute_shift);
    }
    push(TokenKind::value, names_->value(static_cast<std::uint64_t>(value.value)));
    if (value.mask != 0) push(TokenKind::value, names_->value(value.mask) | Token{3} << attribute_shift);
  }
  return std::move(scratch.tokens);
}

}  // namespace ptxscope::analysis::diff
