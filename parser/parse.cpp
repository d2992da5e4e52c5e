// Statements: one after the other, each by its plan.
#include <algorithm>
#include <charconv>

#include "parser/builder.h"
#include "parser/strings.h"

namespace ptxscope {
namespace {

constexpr std::string_view rule_syntax = "PTX-SYNTAX";
constexpr std::string_view rule_lexical = "PTX-LEX";
constexpr std::string_view rule_place = "PTX-PLACE";
constexpr std::string_view rule_scope = "PTX-SCOPE";
constexpr std::string_view rule_header = "PTX-HEADER";
constexpr std::string_view rule_limit = "PTX-LIMIT";

unsigned small_number(std::string_view digits) {
  unsigned value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

// A token as it can be shown in a message: no control characters, not too long.
std::string shown(std::string_view word) {
  constexpr std::size_t longest = 40;
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result = "'";
  for (const char c : word.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      result.push_back(c);
    } else {
      result += "\\x";
      result.push_back(digits[byte >> 4U]);
      result.push_back(digits[byte & 15U]);
    }
  }
  if (word.size() > longest) result += "…";
  result.push_back('\'');
  return result;
}

detail::StatementRecord unparsed_record(Span span) {
  detail::StatementRecord record;
  record.begin = span.begin;
  record.end = span.end;
  record.kind = static_cast<std::uint32_t>(StatementKind::unparsed) & 31U;
  return record;
}

}  // namespace

Builder::Builder(Module::Storage& storage, const ParseOptions& options)
    : storage_(storage),
      options_(options),
      text_(storage.text.view()),
      cutter_(text_, options.use_shape_cache),
      scopes_(storage.names),
      module_scope_(storage.names) {}

const Plan& Builder::plan_of(std::span<const TokenKind> kinds) {
  return options_.use_shape_cache ? storage_.shapes.plan(kinds) : storage_.shapes.ask_grammar(kinds);
}

detail::StatementRecord& Builder::add_statement(StatementKind kind) {
  detail::StatementRecord record;
  record.begin = tokens_.front().begin;
  record.end = statement_end_;
  record.kind = static_cast<std::uint32_t>(kind) & 31U;
  storage_.statements.push(record);
  return storage_.statements.back();
}

void Builder::report(Level level, std::string rule, Span span, std::string message, std::string remedy) {
  if (storage_.diagnostics.size() >= options_.max_diagnostics) {
    ++suppressed_;
    return;
  }
  storage_.diagnostics.push_back({level, std::move(rule), span, std::move(message), std::move(remedy), {}});
}

void Builder::run() {
  // A guess that is seldom too small: what is reserved and not touched costs nothing.
  storage_.statements.reserve(text_.size() / 28 + 16);
  storage_.operands.reserve(text_.size() / 10 + 16);
  bool stopped = false;
  while (!(stopped = is_stopped()) && cutter_.next()) statement();
  if (stopped) {
    report(Level::error, std::string(rule_limit), {statement_end_, statement_end_},
           "reading was stopped here: what follows is not known", "read it again");
  }
  finish();
}

bool Builder::is_stopped() {
  if (options_.stop == nullptr || until_look_-- != 0) return false;
  // Most statements take a tenth of a microsecond, one of a new shape up to a millisecond.
  constexpr std::uint32_t statements_between_looks = 255;
  until_look_ = statements_between_looks;
  return options_.stop->load(std::memory_order_relaxed);
}

void Builder::statement() {
  tokens_ = cutter_.tokens();
  statement_end_ = cutter_.end();
  if (cutter_.too_long()) {
    const Span span{tokens_.front().begin, statement_end_};
    return unparsed(span, std::string(rule_limit), tokens_.front().span(),
                    "this statement has more than " + std::to_string(tokens_.size()) + " words",
                    "a ';' may be missing");
  }
  const Plan* plan = &plan_of(cutter_.kinds());
  if (!plan->accepted && cutter_.folded()) {
    // Whether it parses does not depend on the folding, but the first token that does not fit may have been folded away.
    cutter_.unfold();
    tokens_ = cutter_.tokens();
    statement_end_ = cutter_.end();
    plan = &plan_of(cutter_.kinds());
  }
  if (plan->accepted) {
    apply(*plan);
  } else {
    rejected(*plan);
  }
}

void Builder::apply(const Plan& plan) {
  if (plan.kind == StatementKind::instruction) {
    if (function_ == no_index || header_open_) check_place(plan);
    return instruction(plan);
  }
  check_place(plan);
  switch (plan.kind) {
    case StatementKind::label:
      return label();
    case StatementKind::scope_begin:
      return scope_begin();
    case StatementKind::scope_end:
      return scope_end();
    case StatementKind::registers:
      return registers(plan);
    case StatementKind::variable:
      return variables(plan);
    case StatementKind::function:
      return function(plan);
    case StatementKind::version:
      return version();
    case StatementKind::target:
      return target();
    case StatementKind::address_size:
      return address_size();
    case StatementKind::file:
      return file();
    case StatementKind::loc:
      return loc();
    case StatementKind::pragma:
      if (Function* function = open_function(); function != nullptr && header_open_) {
        function->directives.push_back({spelling(0), {}, {tokens_.front().begin, statement_end_}});
      }
      [[fallthrough]];
    case StatementKind::alias:
    case StatementKind::branch_targets:
    case StatementKind::call_targets: {
      const std::size_t first = storage_.operands.size();
      detail::StatementRecord& record = add_statement(plan.kind);
      record.first = static_cast<std::uint32_t>(first);
      record.has_operands = plan.operand_steps > 0;
      return operands(plan);
    }
    case StatementKind::line_marker:
      line_marker();
      return;
    case StatementKind::empty:
      report(Level::warning, "PTX-EMPTY", tokens_.front().span(), "this ';' ends nothing, and ptxas refuses it",
             "remove it");
      add_statement(plan.kind);
      return;
    case StatementKind::directive:
      unknown_directive(tokens_.front());
      add_statement(plan.kind);
      return;
    default:
      add_statement(plan.kind);
      return;
  }
}

void Builder::unknown_directive(const Token& token) {
  report(Level::warning, "PTX-DIRECTIVE", token.span(),
         shown(spelling(token)) + " is no directive that we know; it is kept as it is");
}

void Builder::instruction(const Plan& plan) {
  std::uint32_t opcode = 0;
  if (plan.opcode_first == plan.opcode_last) {
    opcode = storage_.opcodes.intern(spelling(plan.opcode_first));
  } else {
    std::string whole;
    for (std::uint32_t i = plan.opcode_first; i <= plan.opcode_last; ++i) whole += spelling(i);
    opcode = storage_.opcodes.intern(whole);
  }
  if (opcode == detail::HashIndex::none) {
    return unparsed({tokens_.front().begin, statement_end_}, std::string(rule_limit), tokens_[plan.opcode_first].span(),
                    "too many different opcodes in one module", "");
  }
  const std::size_t first = storage_.operands.size();
  detail::StatementRecord& record = add_statement(StatementKind::instruction);
  record.opcode = opcode & (OpcodeTable::limit - 1);
  record.first = static_cast<std::uint32_t>(first);
  record.has_guard = plan.has_guard;
  record.has_operands = plan.operand_steps > (plan.has_guard ? 1U : 0U);
  operands(plan);
  if (plan.negated_guard) storage_.operands[first] |= detail::record::negated;
  if (plan.has_lists && storage_.opcodes[opcode].mnemonic != "call") unwrap_lists(plan, first);
}

void Builder::line_marker() {
  // `# 12 "a.cu"` and `#line 12 "a.cu"`; ptxas refuses any other line with a `#`.
  std::string_view rest = spelling(0).substr(1);
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  if (rest.empty() || !((rest[0] >= '0' && rest[0] <= '9') || rest.starts_with("line"))) {
    report(Level::warning, "PTX-LINE", tokens_.front().span(), "this is no line directive, and ptxas refuses it",
           "write '# 12 \"file.cu\"', or make it a comment");
  }
  add_statement(StatementKind::line_marker);
}

void Builder::label() { add_statement(StatementKind::label).first = static_cast<std::uint32_t>(intern(0)); }

void Builder::scope_begin() {
  const auto index = static_cast<std::uint32_t>(storage_.statements.size());
  add_statement(StatementKind::scope_begin);
  if (Function* function = open_function(); function != nullptr && header_open_) {
    header_open_ = false;
    function->has_body = true;
    function->body_begin = function->body_end = index;
    // From now on this is the definition of its name.
    std::uint32_t& known = storage_.function_by_name[static_cast<std::uint32_t>(function->name)];
    if (!storage_.functions[known].has_body) known = function_;
  }
  if (function_ == no_index) {
    ++loose_scopes_;
  } else {
    scope_registers_.push_back(open_registers_.size());
    scopes_.open();
  }
}

void Builder::scope_end() {
  const auto index = static_cast<std::uint32_t>(storage_.statements.size());
  add_statement(StatementKind::scope_end);
  Function* function = open_function();
  if (function == nullptr) {
    if (loose_scopes_ > 0) {
      --loose_scopes_;
    } else {
      report(Level::error, std::string(rule_scope), tokens_.front().span(), "this '}' closes nothing",
             "remove it, or look for a '{' that is missing before it");
    }
    return;
  }
  while (open_registers_.size() > scope_registers_.back()) {
    function->registers[open_registers_.back()].scope_end = index;
    open_registers_.pop_back();
  }
  scope_registers_.pop_back();
  scopes_.close();
  if (scope_registers_.empty()) {
    function->body_end = index;
    close_function();
  }
}

// What may stand where, apart from the grammar: a statement in the wrong place is still read for what it is.
void Builder::check_place(const Plan& plan) {
  if (header_open_ && plan.kind != StatementKind::scope_begin) {
    switch (plan.kind) {
      // Between a header and its body.
      case StatementKind::pragma:
      case StatementKind::loc:
      case StatementKind::line_marker:
      case StatementKind::section:
        return;
      // The header was a prototype; old compilers write no `;` after it.
      case StatementKind::function:
      case StatementKind::variable:
      case StatementKind::registers:
      case StatementKind::file:
      case StatementKind::alias:
      case StatementKind::directive:
      case StatementKind::version:
      case StatementKind::target:
      case StatementKind::address_size:
        break;
      default: {
        const Function& header = storage_.functions[function_];
        report(Level::error, std::string(rule_syntax), tokens_.front().span(),
               "expected '{' or ';' after the header of " + shown(storage_.names.spelling(header.name)) + ", not " +
                   shown(spelling(0)),
               "a function has a body, a prototype ends in ';'");
        outside_reported_ = true;
        break;
      }
    }
    close_function();
  }
  switch (plan.kind) {
    case StatementKind::version:
    case StatementKind::target:
    case StatementKind::address_size:
    case StatementKind::alias:
    case StatementKind::function:
      if (function_ != no_index) {
        const Function& open = storage_.functions[function_];
        report(Level::error, std::string(rule_scope), tokens_.front().span(),
               shown(spelling(0)) + " stands in the body of " + shown(storage_.names.spelling(open.name)),
               "a '}' may be missing before it");
        if (plan.kind == StatementKind::function) {
          storage_.functions[function_].body_end = static_cast<std::uint32_t>(storage_.statements.size());
          close_function();
        }
      }
      if (plan.kind == StatementKind::function) {
        content_seen_ = true;
        outside_reported_ = false;
      }
      break;
    case StatementKind::variable:
      content_seen_ = true;
      break;
    case StatementKind::instruction:
    case StatementKind::label:
    case StatementKind::branch_targets:
    case StatementKind::call_targets:
    case StatementKind::call_prototype:
    case StatementKind::scope_begin:
      if (function_ != no_index || outside_reported_) break;
      outside_reported_ = true;  // once for a stretch of them
      report(Level::error, std::string(rule_place), tokens_.front().span(),
             shown(spelling(0)) + " stands outside of any function",
             "instructions, labels and '{' belong into the body of an .entry or .func");
      break;
    default:
      break;
  }
}

void Builder::version() {
  Header& header = storage_.header;
  const Span span = tokens_.back().span();
  if (!header.version_span.empty()) {
    report(Level::error, std::string(rule_header), span, "a second .version in one module",
           "keep one; two modules in one text have to be separate files");
  } else if (content_seen_) {
    report(Level::error, std::string(rule_header), span, ".version stands after functions or variables",
           "it is the first directive of a module");
  }
  const std::string_view number = spelling(tokens_.back());
  const std::size_t dot = std::min(number.find('.'), number.size());
  header.version_major = small_number(number.substr(0, dot));
  header.version_minor = dot < number.size() ? small_number(number.substr(dot + 1)) : 0;
  header.version_span = span;
  add_statement(StatementKind::version);
}

void Builder::target() {
  Header& header = storage_.header;
  if (content_seen_) {
    report(Level::error, std::string(rule_header), tokens_.front().span(),
           ".target stands after functions or variables", "it follows .version at the head of the module");
  }
  for (std::size_t i = 1; i < tokens_.size(); i += 2) {
    const std::string_view word = spelling(tokens_[i]);
    const bool is_target = word.starts_with("sm_") || word.starts_with("compute_");
    (is_target ? header.targets : header.options).push_back(word);
  }
  header.target_span = {tokens_[1].begin, tokens_.back().end()};
  add_statement(StatementKind::target);
}

void Builder::address_size() {
  if (content_seen_) {
    report(Level::error, std::string(rule_header), tokens_.front().span(),
           ".address_size stands after functions or variables", "it follows .target at the head of the module");
  }
  const std::uint64_t size = integer_value(spelling(tokens_.back()));
  if (size != 32 && size != 64) {
    report(Level::error, std::string(rule_header), tokens_.back().span(), ".address_size is 32 or 64");
  } else {
    storage_.header.address_size = static_cast<unsigned>(size);
    storage_.header.address_size_span = tokens_.back().span();
  }
  add_statement(StatementKind::address_size);
}

void Builder::file() {
  const auto index = static_cast<std::uint32_t>(storage_.files.size());
  add_statement(StatementKind::file).first = index;
  storage_.files.push_back({static_cast<std::uint32_t>(integer_value(spelling(1))),
                            unescape(spelling(2)),
                            {tokens_.front().begin, statement_end_}});
}

void Builder::loc() {
  add_statement(StatementKind::loc);
  // The label of a function's name is the only name in it; module.cpp looks it up when asked for the place.
  for (std::size_t i = 4; i + 2 < tokens_.size(); ++i) {
    if (tokens_[i].kind() == TokenKind::comma && tokens_[i + 2].kind() == TokenKind::identifier) {
      (void)storage_.names.intern(tokens_[i + 2].span());
    }
  }
}

void Builder::unparsed(Span span, std::string rule, Span where, std::string message, std::string remedy) {
  storage_.statements.push(unparsed_record(span));
  report(Level::error, std::move(rule), where, std::move(message), std::move(remedy));
}

// `add.u32 a, b, c` and a new line: if all before the line break is a statement but for its `;`, that is what it is.
bool Builder::without_semicolon(std::uint32_t error_token) {
  if (cutter_.folded() || error_token == 0 || error_token >= tokens_.size()) return false;
  const Token before = tokens_[error_token - 1];
  const Token found = tokens_[error_token];
  const std::string_view between = text_.substr(before.end(), found.begin - before.end());
  if (between.find('\n') == std::string_view::npos) return false;
  const auto kinds = cutter_.kinds();
  std::vector<TokenKind> completed(kinds.begin(), kinds.begin() + error_token);
  completed.push_back(TokenKind::semicolon);
  const Plan plan = plan_of(completed);
  if (!plan.accepted) return false;
  tokens_ = tokens_.first(error_token);
  statement_end_ = before.end();
  report(Level::error, std::string(rule_syntax), found.span(), "expected ';' before " + shown(spelling(found)),
         "the statement before it has no ';'");
  apply(plan);
  cutter_.seek(found.begin);
  return true;
}

void Builder::rejected(const Plan& plan) {
  if (plan.too_deep) {
    return unparsed({tokens_.front().begin, statement_end_}, std::string(rule_limit), tokens_[plan.error_token].span(),
                    "brackets are nested more than 100 deep here", "a closing bracket may be missing");
  }
  const std::uint32_t error_token = plan.error_token;
  if (without_semicolon(error_token)) return;

  const Span span{tokens_.front().begin, statement_end_};
  Token found;
  if (error_token < tokens_.size()) {
    found = tokens_[error_token];
  } else {
    found = cutter_.peek();
  }
  const TokenKind kind = found.kind();
  switch (kind) {
    case TokenKind::unterminated_string:
      return unparsed(span, std::string(rule_lexical), found.span(), "this string has no end on its line",
                      "end it with '\"'");
    case TokenKind::unterminated_comment:
      return unparsed(span, std::string(rule_lexical), {found.begin, found.begin + 2}, "this comment has no end",
                      "end it with '*/'");
    case TokenKind::bad_number:
      return unparsed(span, std::string(rule_lexical), found.span(), shown(spelling(found)) + " is not a number",
                      "numbers are 123, 0x1F, 0777, 0b101, 1.5, 0f and 8 or 0d and 16 hexadecimal digits");
    case TokenKind::stray: {
      storage_.statements.push(unparsed_record(span));
      return stray_character(found);
    }
    default:
      break;
  }
  std::string message;
  std::string expected;
  // Each answer costs a few runs of the grammar: not for more messages than a person reads, nor for giant statements.
  if (storage_.diagnostics.size() < 100 && error_token <= 200 && error_token <= tokens_.size()) {
    expected = storage_.shapes.expected_after(cutter_.kinds().first(error_token));
  }
  if (kind == TokenKind::end_of_text) {
    message = expected.empty() ? "the text ends in the middle of a statement"
                               : "expected " + expected + " before the end of the text";
  } else if (expected.empty()) {
    message = "unexpected " + shown(spelling(found));
  } else {
    message = "expected " + expected + " before " + shown(spelling(found));
  }
  unparsed(span, std::string(rule_syntax), kind == TokenKind::end_of_text ? tokens_.back().span() : found.span(),
           std::move(message), "");
  // What is no text at all is worth its own message, wherever in the statement it is.
  const Token* stray = nullptr;
  for (std::size_t i = error_token; i < tokens_.size(); ++i) {
    if (tokens_[i].kind() != TokenKind::stray) continue;
    const bool ascii = static_cast<unsigned char>(text_[tokens_[i].begin]) < 0x80;
    if (stray == nullptr || !ascii) stray = &tokens_[i];
    if (!ascii) break;
  }
  if (stray != nullptr) stray_character(*stray);
}

void Builder::stray_character(const Token& token) {
  const bool ascii = static_cast<unsigned char>(text_[token.begin]) < 0x80;
  report(Level::error, std::string(rule_lexical), token.span(),
         shown(spelling(token)) + " does not belong to the language",
         ascii ? "" : "characters past ASCII may stand in comments and strings only");
}

void Builder::finish() {
  if (Function* function = open_function()) {
    const auto end = static_cast<std::uint32_t>(storage_.statements.size());
    if (!header_open_) {
      function->body_end = end;
      const std::uint32_t last = end > 0 ? storage_.statements[end - 1].end : 0;
      report(Level::error, std::string(rule_scope), {last, last},
             "the body of " + shown(storage_.names.spelling(function->name)) + " has no end", "add the missing '}'");
      if (!storage_.diagnostics.empty()) {
        storage_.diagnostics.back().notes.push_back({function->name_span, "its header is here"});
      }
    }
    close_function();
  }
  const Header& header = storage_.header;
  const Span start =
      storage_.statements.empty() ? Span{} : Span{storage_.statements[0].begin, storage_.statements[0].end};
  if (header.version_span.empty()) {
    report(Level::error, std::string(rule_header), start, "the module has no .version directive",
           "a module begins with .version and .target, e.g. '.version 7.0' and '.target sm_75'");
  } else if (header.targets.empty()) {
    // ptxas complains where it should be.
    Span place = header.version_span;
    for (std::size_t i = 1; i < storage_.statements.size(); ++i) {
      if (storage_.statements[i - 1].begin < place.end && storage_.statements[i].begin >= place.end) {
        place = {storage_.statements[i].begin, storage_.statements[i].end};
        break;
      }
    }
    report(Level::error, std::string(rule_header), place, "the module has no .target directive",
           "name the GPU after .version, e.g. '.target sm_75'");
  }
  auto& diagnostics = storage_.diagnostics;
  std::stable_sort(diagnostics.begin(), diagnostics.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.span.begin < b.span.begin; });
  if (suppressed_ > 0) {
    diagnostics.push_back({Level::note,
                           std::string(rule_limit),
                           {},
                           std::to_string(suppressed_) + " more messages are not shown",
                           "",
                           {}});
  }
}

Module Builder::build(TextBuffer text, std::string file_name, const ParseOptions& options) {
  Module module;
  Module::Storage& storage = *module.storage_;
  storage.text = std::move(text);
  storage.file_name = std::move(file_name);
  const std::string_view view = storage.text.view();
  storage.names.set_text(view);
  if (view.size() >= no_index) {
    storage.diagnostics.push_back(
        {Level::error, std::string(rule_limit), {}, "the text is 4 GiB or larger", "cut it into smaller modules", {}});
  } else {
    module.arrays_.text = view.data();
    module.arrays_.text_size = static_cast<std::uint32_t>(view.size());
    Builder(storage, options).run();
  }
  module.arrays_.statements = storage.statements.data();
  module.arrays_.statement_count = static_cast<std::uint32_t>(storage.statements.size());
  module.arrays_.operands = storage.operands.data();
  module.arrays_.wide = storage.wide.data();
  return module;
}

Span Builder::operand_span(const Module& module, const Module::Storage& storage, std::uint32_t statement,
                           std::uint32_t record, detail::Part part) {
  const detail::StatementRecord& kept = module.arrays_.statements[statement];
  const Span whole{kept.begin, kept.end};
  StatementCutter cutter(module.text().substr(0, kept.end), true);
  cutter.seek(kept.begin);
  if (!cutter.next()) return whole;
  const auto tokens = cutter.tokens();
  std::vector<TokenKind> kinds(cutter.kinds().begin(), cutter.kinds().end());
  const std::lock_guard lock(storage.shapes_mutex);
  const Plan* plan = &storage.shapes.plan(kinds);
  if (!plan->accepted) {
    kinds.push_back(TokenKind::semicolon);  // it had none
    plan = &storage.shapes.plan(kinds);
  }
  const std::uint32_t number = record - kept.first;
  if (!plan->accepted || number >= plan->operand_steps) return whole;
  const Step& step = plan->steps[number];
  const auto span_of = [&](std::uint32_t first, std::uint32_t last) {
    return Span{tokens[first].begin, tokens[last].end()};
  };
  const bool address = step.kind == StepKind::address_name || step.kind == StepKind::address_offset ||
                       step.kind == StepKind::address_expression;
  if (part != detail::Part::whole && address) {
    const auto name_end = [&](std::uint32_t i) {
      return i < step.last && is_dot_word(tokens[i + 1].kind()) ? i + 1 : i;
    };
    const std::uint32_t base_end = name_end(step.first);
    if (part == detail::Part::index) return span_of(base_end + 2, name_end(base_end + 2));
    const bool sum = base_end < step.last && (tokens[base_end + 1].kind() == TokenKind::plus ||
                                              tokens[base_end + 1].kind() == TokenKind::minus);
    return span_of(step.first, sum || base_end == step.last ? base_end : step.last);
  }
  if (address) {  // with its brackets and what follows them (`.unified`)
    const bool suffix = step.last + 2 < tokens.size() && is_dot_word(tokens[step.last + 2].kind());
    return span_of(step.first - 1, step.last + (suffix ? 2 : 1));
  }
  if (step.negated && step.first > 0) return span_of(step.first - 1, step.last);
  return span_of(step.first, step.last);
}

Module parse(TextBuffer text, std::string file_name, const ParseOptions& options) {
  return Builder::build(std::move(text), std::move(file_name), options);
}

Module parse(std::string text, std::string file_name, const ParseOptions& options) {
  return parse(TextBuffer(std::move(text)), std::move(file_name), options);
}

ReadResult parse_file(const std::string& path, const ParseOptions& options) {
  ReadResult result;
  if (auto text = TextBuffer::read(path, result.error)) {
    result.module = parse(std::move(*text), path, options);
  } else {
    result.error.insert(0, (path == "-" ? "standard input" : path) + ": ");
  }
  return result;
}

}  // namespace ptxscope
