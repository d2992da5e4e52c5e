// The only file that knows ANTLR: it runs the generated parser over the kinds of one statement and reads the plan off the
// parse tree.
#include <algorithm>
#include <array>
#include <deque>
#include <memory>

#include "PtxParser.h"
#include "parser/plan.h"

namespace ptxscope {
namespace {

using grammar::PtxParser;

static_assert(static_cast<std::size_t>(TokenKind::attribute) == PtxParser::ATTRIBUTE);
static_assert(static_cast<std::size_t>(TokenKind::dot_word) == PtxParser::DOT_WORD);
static_assert(static_cast<std::size_t>(TokenKind::semicolon) == PtxParser::SEMICOLON);
static_assert(static_cast<std::size_t>(TokenKind::line_marker) == PtxParser::LINE_MARKER);
static_assert(static_cast<std::size_t>(TokenKind::stray) == PtxParser::STRAY);

std::uint32_t index_of(const antlr4::Token* token) { return static_cast<std::uint32_t>(token->getTokenIndex()); }
std::uint32_t index_of(antlr4::tree::TerminalNode* node) { return index_of(node->getSymbol()); }
std::uint32_t first_of(antlr4::ParserRuleContext* context) { return index_of(context->getStart()); }
std::uint32_t last_of(antlr4::ParserRuleContext* context) { return index_of(context->getStop()); }

// Reads the operands of a statement in level order: the statement's own, then the children of the first composite, …
class OperandReader {
 public:
  explicit OperandReader(Plan& plan) : plan_(plan) {}

  void guard(PtxParser::GuardContext* context) {
    plan_.has_guard = true;
    plan_.negated_guard = context->NOT() != nullptr;
    name(context->name(), false);
  }

  void operands(const std::vector<PtxParser::OperandContext*>& list) {
    const std::size_t first = plan_.steps.size();
    for (auto* operand : list) this->operand(operand);
    if (plan_.steps.size() > first) plan_.steps.back().last_of_list = true;
    children();
  }

  void simple(StepKind kind, std::uint32_t token) { add({.kind = kind, .first = token, .last = token}, nullptr); }

  void finish() {
    plan_.operand_steps = static_cast<std::uint32_t>(plan_.steps.size());
    if (plan_.operand_steps > (plan_.has_guard ? 1U : 0U) && !has_last()) plan_.steps.back().last_of_list = true;
  }

 private:
  [[nodiscard]] bool has_last() const {
    return std::any_of(plan_.steps.begin(), plan_.steps.end(), [](const Step& step) { return step.last_of_list; });
  }

  void add(Step step, antlr4::ParserRuleContext* composite) {
    plan_.steps.push_back(step);
    composites_.push_back(composite);
  }

  void composite(OperandKind kind, antlr4::ParserRuleContext* context) {
    if (kind == OperandKind::list) plan_.has_lists = true;
    add({.kind = StepKind::composite, .operand = kind, .first = first_of(context), .last = last_of(context)}, context);
  }

  void children() {
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      antlr4::ParserRuleContext* context = composites_[i];
      if (context == nullptr) continue;
      const auto first = static_cast<std::uint32_t>(plan_.steps.size());
      if (auto* vector = dynamic_cast<PtxParser::VectorContext*>(context)) {
        for (auto* child : vector->element()) element(child);
      } else if (auto* pair = dynamic_cast<PtxParser::PairContext*>(context)) {
        for (auto* child : pair->pairHalf()) pair_half(child);
      } else if (auto* address = dynamic_cast<PtxParser::AddressContext*>(context)) {
        for (auto* child : address->addressElement()) address_element(child);
      } else if (auto* list = dynamic_cast<PtxParser::CallListContext*>(context)) {
        for (auto* child : list->callElement()) call_element(child);
      }
      plan_.steps[i].count = static_cast<std::uint32_t>(plan_.steps.size()) - first;
      plan_.steps[i].children = first;
    }
  }

  void operand(PtxParser::OperandContext* context) {
    if (auto* pair = context->pair()) return composite(OperandKind::pair, pair);
    if (auto* vector = context->vector()) return composite(OperandKind::vector, vector);
    if (auto* list = context->callList()) return composite(OperandKind::list, list);
    if (auto* address = context->address()) return this->address(address);
    if (context->NOT() != nullptr) return negated_name(context->name());
    if (auto* node = context->SINK()) return simple(StepKind::sink, index_of(node));
    if (auto* node = context->STRING()) return simple(StepKind::string, index_of(node));
    expression(context->expression());
  }

  void element(PtxParser::ElementContext* context) {
    if (context->NOT() != nullptr) return negated_name(context->name());
    if (auto* vector = context->vector()) return composite(OperandKind::vector, vector);
    if (auto* node = context->SINK()) return simple(StepKind::sink, index_of(node));
    if (auto* node = context->STRING()) return simple(StepKind::string, index_of(node));
    expression(context->expression());
  }

  void pair_half(PtxParser::PairHalfContext* context) {
    if (auto* vector = context->vector()) return composite(OperandKind::vector, vector);
    if (auto* node = context->SINK()) return simple(StepKind::sink, index_of(node));
    name(context->name(), false);
  }

  void address_element(PtxParser::AddressElementContext* context) {
    if (auto* vector = context->vector()) return composite(OperandKind::vector, vector);
    if (auto* address = context->address()) return this->address(address);
    if (auto* node = context->SINK()) return simple(StepKind::sink, index_of(node));
    expression(context->expression());
  }

  void call_element(PtxParser::CallElementContext* context) {
    if (context->NOT() != nullptr) return negated_name(context->name());
    if (auto* vector = context->vector()) return composite(OperandKind::vector, vector);
    if (auto* address = context->address()) return this->address(address);
    if (auto* node = context->SINK()) return simple(StepKind::sink, index_of(node));
    if (auto* node = context->STRING()) return simple(StepKind::string, index_of(node));
    expression(context->expression());
  }

  void name(PtxParser::NameContext* context, bool negated) {
    add({.kind = StepKind::name, .negated = negated, .first = first_of(context), .last = last_of(context)}, nullptr);
  }
  void negated_name(PtxParser::NameContext* context) { name(context, true); }

  // The name alone, without index or arguments; nullptr if it is anything else.
  static PtxParser::NameContext* plain_name(PtxParser::ExpressionContext* context) {
    auto* primary = context->primary();
    if (primary == nullptr || !context->unaryOperator().empty()) return nullptr;
    return primary->children.size() == 1 ? primary->name() : nullptr;
  }

  // An integer with at most one sign before it; nullptr if it is anything else.
  static antlr4::tree::TerminalNode* plain_integer(PtxParser::ExpressionContext* context, bool& negative) {
    auto* primary = context->primary();
    if (primary == nullptr || primary->children.size() != 1) return nullptr;
    const auto signs = context->unaryOperator();
    if (signs.size() > 1) return nullptr;
    if (signs.size() == 1) {
      if (signs[0]->MINUS() == nullptr) return nullptr;
      negative = !negative;
    }
    return primary->INTEGER();
  }

  void address(PtxParser::AddressContext* context) {
    const auto elements = context->addressElement();
    auto* content = elements.size() == 1 ? elements[0]->expression() : nullptr;
    if (content == nullptr) return composite(OperandKind::tuple_address, context);
    if (auto* name = plain_name(content); name != nullptr && first_of(name) == last_of(name)) {
      return add({.kind = StepKind::address_name, .first = first_of(name), .last = first_of(name)}, nullptr);
    }
    const auto parts = content->expression();
    if (parts.size() == 2 && (content->PLUS() != nullptr || content->MINUS() != nullptr)) {
      bool negative = content->MINUS() != nullptr;
      auto* base = plain_name(parts[0]);
      auto* offset = plain_integer(parts[1], negative);
      if (base != nullptr && offset != nullptr && first_of(base) == last_of(base)) {
        return add(
            {.kind = StepKind::address_offset, .negated = negative, .first = first_of(base), .last = index_of(offset)},
            nullptr);
      }
    }
    add({.kind = StepKind::address_expression, .first = first_of(content), .last = last_of(content)}, nullptr);
  }

  void expression(PtxParser::ExpressionContext* context) {
    const std::uint32_t first = first_of(context);
    const std::uint32_t last = last_of(context);
    if (auto* plain = plain_name(context)) return name(plain, false);
    if (auto* primary = context->primary(); primary != nullptr && primary->children.size() == 1) {
      const auto signs = context->unaryOperator();
      if (signs.empty() || (signs.size() == 1 && (signs[0]->MINUS() != nullptr || signs[0]->NOT() != nullptr))) {
        const bool negated = !signs.empty();
        const bool minus = negated && signs[0]->MINUS() != nullptr;
        if (primary->name() != nullptr) {
          return name(primary->name(), negated);
        }
        StepKind kind = StepKind::integer;
        if (primary->FLOAT() != nullptr) kind = StepKind::floating;
        if (primary->HEX_FLOAT() != nullptr) kind = StepKind::hex_floating;
        if (!negated || minus) return add({.kind = kind, .negated = minus, .first = last, .last = last}, nullptr);
      }
    }
    add({.kind = StepKind::expression, .first = first, .last = last}, nullptr);
  }

  Plan& plan_;
  std::deque<antlr4::ParserRuleContext*> composites_;
};

class DeclarationReader {
 public:
  explicit DeclarationReader(Plan& plan) : plan_(plan) {}

  void linkage(const std::vector<antlr4::tree::TerminalNode*>& nodes) {
    for (auto* node : nodes) one(StepKind::linkage, index_of(node));
  }

  void leading(const std::vector<PtxParser::LeadingWordContext*>& words) {
    for (auto* word : words) {
      if (word->LINKAGE() != nullptr) one(StepKind::linkage, first_of(word));
      if (word->alignment() != nullptr) one(StepKind::alignment, last_of(word));
    }
  }

  void words(const std::vector<PtxParser::DeclarationWordContext*>& words) {
    for (auto* word : words) {
      if (word->TYPE() != nullptr || word->DOT_WORD() != nullptr) {
        one(StepKind::type, first_of(word));
      } else if (word->VECTOR() != nullptr) {
        one(StepKind::vector_width, first_of(word));
      } else if (word->alignment() != nullptr) {
        one(StepKind::alignment, last_of(word));
      } else if (auto* pointer = word->pointerClause()) {
        one(StepKind::pointer, first_of(pointer));
        if (pointer->SPACE() != nullptr) one(StepKind::pointer_space, index_of(pointer->SPACE()));
        if (pointer->DOT_WORD() != nullptr) one(StepKind::pointer_space, index_of(pointer->DOT_WORD()));
        if (pointer->alignment() != nullptr) one(StepKind::pointer_alignment, last_of(pointer->alignment()));
      }
    }
  }

  void declarator(PtxParser::DeclaratorContext* context, PtxParser::InitializerContext* initializer) {
    one(StepKind::declarator, first_of(context));
    if (auto* range = context->registerRange()) one(StepKind::range, index_of(range->INTEGER()));
    for (auto* dimension : context->arrayDimension()) {
      if (auto* expression = dimension->expression()) {
        both(StepKind::dimension, first_of(expression), last_of(expression));
      } else {
        one(StepKind::open_dimension, first_of(dimension));
      }
    }
    if (initializer != nullptr) both(StepKind::initializer, first_of(initializer), last_of(initializer));
    one(StepKind::end_declarator, last_of(context));
  }

  void variable(PtxParser::VariableDeclarationContext* context) {
    leading(context->leadingWord());
    one(StepKind::space, first_of(context->variableSpace()));
    words(context->declarationWord());
    for (auto* declared : context->initializedDeclarator()) declarator(declared->declarator(), declared->initializer());
  }

  void registers(PtxParser::RegisterDeclarationContext* context) {
    words(context->declarationWord());
    for (auto* declared : context->declarator()) declarator(declared, nullptr);
  }

  void parameters(StepKind which, const std::vector<PtxParser::ParameterContext*>& list) {
    one(which, 0);
    for (auto* parameter : list) {
      one(StepKind::space, first_of(parameter));
      words(parameter->declarationWord());
      if (parameter->declarator() != nullptr) declarator(parameter->declarator(), nullptr);
    }
    one(StepKind::end_parameters, 0);
  }

  void directives(const std::vector<PtxParser::FunctionDirectiveContext*>& list) {
    for (auto* directive : list) {
      one(StepKind::directive, first_of(directive));
      for (auto* value : directive->directiveValue()) {
        if (value->expression() != nullptr) both(StepKind::directive_value, first_of(value), last_of(value));
      }
      one(StepKind::end_directive, last_of(directive));
    }
  }

  void function(PtxParser::FunctionHeaderContext* context) {
    linkage(context->LINKAGE());
    one(StepKind::function_kind, index_of(context->ENTRY() != nullptr ? context->ENTRY() : context->FUNC()));
    for (auto* clause : context->attributeClause()) {
      one(StepKind::directive, first_of(clause));
      one(StepKind::end_directive, last_of(clause));
    }
    directives(context->functionDirective());
    one(StepKind::function_name, first_of(context->functionName()));
    if (auto* list = context->returnParameters()) parameters(StepKind::return_parameters, list->parameter());
    if (auto* list = context->parameters()) parameters(StepKind::parameters, list->parameter());
  }

 private:
  void one(StepKind kind, std::uint32_t token) { plan_.steps.push_back({.kind = kind, .first = token, .last = token}); }
  void both(StepKind kind, std::uint32_t first, std::uint32_t last) {
    plan_.steps.push_back({.kind = kind, .first = first, .last = last});
  }

  Plan& plan_;
};

void read_common(PtxParser::CommonItemContext* context, Plan& plan) {
  OperandReader operands(plan);
  if (context->fileDirective() != nullptr) {
    plan.kind = StatementKind::file;
  } else if (context->locDirective() != nullptr) {
    plan.kind = StatementKind::loc;
  } else if (context->sectionDirective() != nullptr || context->DWARF_LINE() != nullptr) {
    plan.kind = StatementKind::section;
  } else if (auto* pragma = context->pragmaDirective()) {
    plan.kind = StatementKind::pragma;
    for (auto* node : pragma->STRING()) operands.simple(StepKind::string, index_of(node));
  } else if (context->LINE_MARKER() != nullptr) {
    plan.kind = StatementKind::line_marker;
  } else if (context->SEMICOLON() != nullptr) {
    plan.kind = StatementKind::empty;
  } else {
    plan.kind = StatementKind::directive;
  }
  operands.finish();
}

void read_targets(StatementKind kind, const std::vector<antlr4::tree::TerminalNode*>& names, Plan& plan) {
  plan.kind = kind;
  OperandReader operands(plan);
  for (auto* node : names) operands.simple(StepKind::symbol, index_of(node));
  operands.finish();
}

void read_statement(PtxParser::OneStatementContext* context, Plan& plan) {
  if (auto* instruction = context->instruction()) {
    plan.kind = StatementKind::instruction;
    OperandReader operands(plan);
    if (instruction->guard() != nullptr) operands.guard(instruction->guard());
    plan.opcode_first = first_of(instruction->opcode());
    plan.opcode_last = last_of(instruction->opcode());
    operands.operands(instruction->operand());
    operands.finish();
  } else if (context->label() != nullptr) {
    plan.kind = StatementKind::label;
  } else if (context->LBRACE() != nullptr) {
    plan.kind = StatementKind::scope_begin;
  } else if (context->RBRACE() != nullptr) {
    plan.kind = StatementKind::scope_end;
  } else if (auto* registers = context->registerDeclaration()) {
    plan.kind = StatementKind::registers;
    DeclarationReader(plan).registers(registers);
  } else if (auto* variable = context->variableDeclaration()) {
    plan.kind = StatementKind::variable;
    DeclarationReader(plan).variable(variable);
  } else if (auto* function = context->functionHeader()) {
    plan.kind = StatementKind::function;
    DeclarationReader(plan).function(function);
  } else if (context->versionDirective() != nullptr) {
    plan.kind = StatementKind::version;
  } else if (context->targetDirective() != nullptr) {
    plan.kind = StatementKind::target;
  } else if (context->addressSizeDirective() != nullptr) {
    plan.kind = StatementKind::address_size;
  } else if (auto* alias = context->aliasDirective()) {
    read_targets(StatementKind::alias, alias->IDENTIFIER(), plan);
  } else if (auto* branch = context->branchTargets()) {
    read_targets(StatementKind::branch_targets, branch->IDENTIFIER(), plan);
  } else if (auto* call = context->callTargets()) {
    read_targets(StatementKind::call_targets, call->IDENTIFIER(), plan);
  } else if (context->callPrototype() != nullptr) {
    plan.kind = StatementKind::call_prototype;
  } else if (context->commonItem() != nullptr) {
    read_common(context->commonItem(), plan);
  }
}

// Stops at the first error and remembers where it is. ANTLR's own recovery would make up tokens and go on.
class Stop final : public antlr4::DefaultErrorStrategy {
 public:
  void recover(antlr4::Parser* parser, std::exception_ptr error) override {
    error_token = index_of(parser->getCurrentToken());
    try {
      std::rethrow_exception(error);
    } catch (const antlr4::RecognitionException& exception) {
      // Where no alternative fits, this is the token that shut the last one out; it lies ahead of the current one.
      if (exception.getOffendingToken() != nullptr) error_token = index_of(exception.getOffendingToken());
    }
    throw antlr4::ParseCancellationException();
  }
  antlr4::Token* recoverInline(antlr4::Parser* parser) override {
    error_token = index_of(parser->getCurrentToken());
    throw antlr4::ParseCancellationException();
  }
  void sync(antlr4::Parser*) override {}
  void reportError(antlr4::Parser*, const antlr4::RecognitionException&) override {}

  std::uint32_t error_token = 0;
};

std::vector<std::unique_ptr<antlr4::Token>> tokens_of(std::span<const TokenKind> kinds) {
  std::vector<std::unique_ptr<antlr4::Token>> list;
  list.reserve(kinds.size() + 1);
  for (const TokenKind kind : kinds) {
    list.push_back(std::make_unique<antlr4::CommonToken>(static_cast<std::size_t>(kind)));
  }
  list.push_back(std::make_unique<antlr4::CommonToken>(antlr4::Token::EOF));
  return list;
}

}  // namespace

struct Grammar::Parser {
  Parser() {
    parser.removeErrorListeners();
    parser.setErrorHandler(stop);
  }

  /// The tree of a statement with these kinds, valid until the next call; nullptr when they are none, then `stop` has the
  /// place.
  PtxParser::OneStatementContext* run(std::span<const TokenKind> kinds) {
    // SLL first: it is faster, and where it succeeds the tree is the same (Parr, Harwell, Fisher: Adaptive LL(*) Parsing).
    auto* tree = run(kinds, antlr4::atn::PredictionMode::SLL);
    return tree != nullptr ? tree : run(kinds, antlr4::atn::PredictionMode::LL);
  }

  PtxParser::OneStatementContext* run(std::span<const TokenKind> kinds, antlr4::atn::PredictionMode mode) {
    parser.setTokenStream(nullptr);
    stream.reset();
    source = std::make_unique<antlr4::ListTokenSource>(tokens_of(kinds));
    stream = std::make_unique<antlr4::CommonTokenStream>(source.get());
    parser.setTokenStream(stream.get());
    parser.getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(mode);
    try {
      return parser.oneStatement();
    } catch (const antlr4::ParseCancellationException&) {
      return nullptr;
    }
  }

  std::unique_ptr<antlr4::ListTokenSource> source;
  std::unique_ptr<antlr4::CommonTokenStream> stream;
  std::shared_ptr<Stop> stop = std::make_shared<Stop>();
  PtxParser parser{nullptr};
};

Grammar::Grammar() : parser_(std::make_unique<Parser>()) {}
Grammar::~Grammar() = default;
Grammar::Grammar(Grammar&&) noexcept = default;
Grammar& Grammar::operator=(Grammar&&) noexcept = default;

Plan Grammar::read_plan(std::span<const TokenKind> kinds) {
  Plan plan;
  if (auto* tree = parser_->run(kinds)) {
    plan.accepted = true;
    read_statement(tree, plan);
  } else {
    plan.error_token = parser_->stop->error_token;
  }
  return plan;
}

std::string Grammar::expected_after(std::span<const TokenKind> prefix) {
  struct Candidate {
    TokenKind kind;
    std::string_view word;
  };
  constexpr std::array candidates = {
      Candidate{TokenKind::semicolon, "';'"},       Candidate{TokenKind::comma, "','"},
      Candidate{TokenKind::rparen, "')'"},          Candidate{TokenKind::rbracket, "']'"},
      Candidate{TokenKind::rbrace, "'}'"},          Candidate{TokenKind::greater, "'>'"},
      Candidate{TokenKind::colon, "':'"},           Candidate{TokenKind::assign, "'='"},
      Candidate{TokenKind::identifier, "a name"},   Candidate{TokenKind::integer, "a number"},
      Candidate{TokenKind::string, "a string"},     Candidate{TokenKind::type, "a type"},
      Candidate{TokenKind::space, "a state space"}, Candidate{TokenKind::lbracket, "'['"},
      Candidate{TokenKind::lbrace, "'{'"},          Candidate{TokenKind::lparen, "'('"},
  };
  std::vector<TokenKind> kinds(prefix.begin(), prefix.end());
  kinds.push_back(TokenKind::end_of_text);
  // A token fits when it is not what the parser stumbles over.
  const auto fits = [&](TokenKind kind) {
    kinds.back() = kind;
    return parser_->run(kinds) != nullptr || parser_->stop->error_token >= kinds.size();
  };
  // Where any word with a dot fits (a modifier), or any operator, nobody is told to write a type or a `>`.
  const bool any_word = fits(TokenKind::version);
  const bool any_operator = fits(TokenKind::slash);
  std::vector<std::string_view> words;
  for (const Candidate& candidate : candidates) {
    if (any_word && is_dot_word(candidate.kind)) continue;
    if (any_operator && candidate.kind == TokenKind::greater) continue;
    if (!fits(candidate.kind)) continue;
    words.push_back(candidate.word);
  }
  std::string result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) result += i + 1 == words.size() ? " or " : ", ";
    result += words[i];
  }
  return result;
}

}  // namespace ptxscope
