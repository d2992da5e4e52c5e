// The words, by head:
//
//   .version                nothing
//   .target                 its options: debug texmode_unified texmode_independent map_f64_to_f32
//   .address_size           32 or 64
//   .entry .func            parameters: a list of them is written, if only ()   returns: so is one of results
//                           prototype: no body   nested: in a body
//                           over_256 over_4352: the parameters have more bytes than that
//                           address: an operand takes the function's address (analysis/requirements.cpp)
//   .extern .visible .weak .common
//                           what it stands before: entry func, or a state space (global const shared local param)
//   .param .reg             entry func callprototype: a parameter of it. result: of the list of results
//                           body: declared in a function's body   module: at module level
//   .global .const .local .shared .tex .sreg
//                           body or module
//                           initialized, and with what: address (of a variable) function kernel (theirs) generic
//                           mask (one byte of an address) constant_mask (of a number) string
//                           the fields of a sampler (PTX ISA 5.3): force_unnormalized_coords …
//                           bank: `.const[3]`   open: an array without a size
//     all declarations      words of the declaration: b32 u64 v4 align texref ptr shared::cta …
//                           ptr_space: `.ptr .global`   ptr_align   array   range: `%r<100>`
//   .b32 .v4 .align .ptr …  each of those words of a declaration again, with all of its words and its space
//   .attribute              managed or unified, and what it stands in: func global …
//   .maxnreg .maxntid .noreturn … and any directive of a function that is not known
//                           entry func callprototype
//   .loc                    function_name inlined_at
//   .file                   timestamp
//   .section                b8 b16 b32 b64, and: label negative string; name (a section's name as a value); difference
//   .pragma                 the first word of each string; body, header or module
//   @@DWARF .alias .branchtargets .calltargets .callprototype   nothing
//   a directive that is not known: nothing
#include "analysis/directive_words.h"

#include <algorithm>
#include <vector>

#include "parser/scanner.h"

namespace ptxscope::analysis {

namespace {

class Reader {
 public:
  Reader(const Statement& statement, const Function* function, const std::function<void(const DirectiveUse&)>& use)
      : module_(statement.module()),
        statement_(statement),
        function_(function),
        use_(use),
        scanner_(module_.text().substr(0, statement.span().end), statement.span().begin) {
    advance();
  }

  void run() {
    switch (statement_.kind()) {
      case StatementKind::target:
        read_target();
        break;
      case StatementKind::address_size: {
        const Span span = token_.span();
        advance();
        emit(".address_size", span, {text()});
        break;
      }
      case StatementKind::version:
      case StatementKind::alias:
      case StatementKind::branch_targets:
      case StatementKind::call_targets:
      case StatementKind::directive:
        emit(text(), token_.span());
        break;
      case StatementKind::function:
      case StatementKind::call_prototype:
        read_function();
        break;
      case StatementKind::registers:
      case StatementKind::variable:
        read_declaration(function_ != nullptr ? "body" : "module");
        break;
      case StatementKind::loc:
        read_loc();
        break;
      case StatementKind::file:
        read_file();
        break;
      case StatementKind::section:
        read_section();
        break;
      case StatementKind::pragma:
        read_pragma();
        break;
      default:
        break;
    }
  }

 private:
  // --- tokens

  [[nodiscard]] TokenKind kind() const { return token_.kind(); }
  [[nodiscard]] bool at_end() const { return kind() == TokenKind::end_of_text; }
  [[nodiscard]] std::string_view text() const { return module_.text(token_.span()); }
  [[nodiscard]] std::string_view word() const { return text().substr(1); }
  void advance() { token_ = scanner_.next(); }
  bool accept(TokenKind wanted) {
    if (kind() != wanted) return false;
    advance();
    return true;
  }

  // --- words

  void add(std::string_view word) {
    if (std::ranges::find(words_, word) == words_.end()) words_.push_back(word);
  }
  void emit(std::string_view head, Span span) {
    use_({head, words_, span});
    words_.clear();
  }
  void emit(std::string_view head, Span span, std::initializer_list<std::string_view> words) {
    words_.assign(words);
    emit(head, span);
  }

  // --- statements

  void read_target() {
    const Span span = token_.span();
    for (advance(); !at_end(); advance())
      if (kind() == TokenKind::identifier && !text().starts_with("sm_") && !text().starts_with("compute_")) add(text());
    emit(".target", span);
  }

  void read_loc() {
    const Span span = token_.span();
    for (advance(); !at_end(); advance())
      if (kind() == TokenKind::identifier && (text() == "function_name" || text() == "inlined_at")) add(text());
    emit(".loc", span);
  }

  void read_file() {
    const Span span = token_.span();
    for (advance(); !at_end(); advance())
      if (kind() == TokenKind::comma) add("timestamp");
    emit(".file", span);
  }

  void read_section() {
    if (kind() == TokenKind::dwarf_line) return emit("@@DWARF", {token_.begin, token_.begin + 7});
    const Span span = token_.span();
    while (!at_end() && kind() != TokenKind::lbrace) advance();
    for (advance(); !at_end(); advance()) {
      if (kind() == TokenKind::type) add(word());
      else if (kind() == TokenKind::colon) add("label");
      else if (kind() == TokenKind::string) add("string");
      else if (is_dot_word(kind())) add("name");
      else if (kind() == TokenKind::plus) add("offset");
      else if (kind() == TokenKind::identifier) read_section_name();
      else if (kind() == TokenKind::minus) add("negative");
    }
    emit(".section", span);
  }
  // `a`, `a+3`, `b-a`
  void read_section_name() {
    Token before = token_;
    advance();
    if (kind() == TokenKind::colon) return add("label");
    add("symbol");
    if (kind() == TokenKind::minus) {
      advance();
      add(kind() == TokenKind::identifier ? "difference" : "offset");
    } else if (kind() == TokenKind::plus) {
      advance();
      add("offset");
    } else {
      scanner_.seek(before.end());
    }
  }

  void read_pragma() {
    const std::string_view place = function_ == nullptr                         ? "module"
                                   : statement_.index() < function_->body_begin ? "header"
                                                                                : "body";
    for (advance(); !at_end(); advance()) {
      if (kind() != TokenKind::string) continue;
      std::string_view string = text().substr(1, text().size() - 2);
      string.remove_prefix(std::min(string.find_first_not_of(' '), string.size()));
      emit(".pragma", token_.span(), {string.substr(0, string.find_first_of(" =,")), place});
    }
  }

  // --- declarations

  // `.ptr .global .align 8`
  void read_pointer() {
    add("ptr");
    details_.push_back(token_);
    advance();
    if (kind() == TokenKind::space || kind() == TokenKind::dot_word) {
      add("ptr_space");
      advance();
    }
    if (accept(TokenKind::align)) {
      add("ptr_align");
      if (kind() == TokenKind::integer) advance();
    }
  }

  // `.attribute(.managed, .unified(19, 95))`: each with what it stands in.
  void read_attributes() {
    advance();
    int depth = 0;
    for (; !at_end(); advance()) {
      if (kind() == TokenKind::lparen) ++depth;
      if (kind() == TokenKind::rparen && --depth == 0) break;
      if (is_dot_word(kind())) attributes_.push_back(token_);
    }
    advance();
  }
  void emit_attributes(std::string_view of) {
    for (const Token attribute : attributes_)
      emit(".attribute", attribute.span(), {module_.text(attribute.span()).substr(1), of});
    attributes_.clear();
  }
  struct Declared {
    std::string_view space;
    Span span;
  };
  // The declaration itself, then each of its words.
  void emit_declaration(const Declared& declared) {
    const std::vector<std::string_view> all = words_;
    if (!declared.space.empty()) emit(declared.space, declared.span);
    for (const Token detail : details_) {
      words_ = all;
      if (!declared.space.empty()) add(declared.space.substr(1));
      emit(module_.text(detail.span()), detail.span());
    }
    words_.clear();
    details_.clear();
  }
  void emit_linkages(std::string_view of) {
    for (const Token linkage : linkages_) emit(module_.text(linkage.span()), linkage.span(), {of});
    linkages_.clear();
  }

  // From the first word of a declaration to what ends it; leaves the words collected and returns the space.
  Declared read_declaration_words() {
    Declared declared;
    for (int brackets = 0; !at_end();) {
      switch (kind()) {
        case TokenKind::comma:
        case TokenKind::semicolon:
        case TokenKind::rparen:
        case TokenKind::assign:
          if (brackets == 0) return declared;
          advance();
          break;
        case TokenKind::linkage:
          linkages_.push_back(token_);
          advance();
          break;
        case TokenKind::space:
        case TokenKind::reg:
          if (declared.space.empty()) declared = {text(), token_.span()};
          advance();
          if (declared.space == ".const" && accept(TokenKind::lbracket)) {
            add("bank");
            while (!at_end() && kind() != TokenKind::rbracket) advance();
            (void)accept(TokenKind::rbracket);
          }
          break;
        case TokenKind::attribute:
          read_attributes();
          break;
        case TokenKind::pointer:
          read_pointer();
          break;
        case TokenKind::lbracket:
          ++brackets;
          add("array");
          advance();
          if (kind() == TokenKind::rbracket) add("open");
          break;
        case TokenKind::rbracket:
          --brackets;
          advance();
          break;
        case TokenKind::less:
          add("range");
          advance();
          break;
        default:
          if (is_dot_word(kind())) {
            add(word());
            details_.push_back(token_);
          }
          advance();
          break;
      }
    }
    return declared;
  }

  // `.visible .global .align 4 .b32 a, b[2] = {…};`
  void read_declaration(std::string_view place) {
    Declared declared = read_declaration_words();
    if (declared.space.empty()) declared = {".reg", token_.span()};
    while (!at_end() && kind() != TokenKind::semicolon) {
      if (accept(TokenKind::assign)) read_initializer();
      else if (accept(TokenKind::comma)) (void)read_declaration_words();
      else advance();
    }
    add(place);
    emit_declaration(declared);
    emit_attributes(declared.space.substr(1));
    emit_linkages(declared.space.substr(1));
  }

  // Up to the `,` or `;` behind it. Samplers have names of their own in it (PTX ISA 5.3).
  void read_initializer() {
    add("initialized");
    const bool is_opaque = std::ranges::find(words_, "samplerref") != words_.end() ||
                           std::ranges::find(words_, "texref") != words_.end() ||
                           std::ranges::find(words_, "surfref") != words_.end();
    int depth = 0;
    TokenKind before = TokenKind::assign;
    for (; !at_end(); advance()) {
      const TokenKind found = kind();
      if (found == TokenKind::semicolon || (found == TokenKind::comma && depth == 0)) return;
      if (found == TokenKind::lbrace || found == TokenKind::lparen) ++depth;
      if (found == TokenKind::rbrace || found == TokenKind::rparen) --depth;
      if (found == TokenKind::string) add("string");
      // `0xff(x)`, `0xff(1000)`
      if (found == TokenKind::lparen && before == TokenKind::integer) add("mask");
      if (found == TokenKind::integer && before == TokenKind::lparen &&
          std::ranges::find(words_, "mask") != words_.end())
        add("constant_mask");
      if (found == TokenKind::identifier) {
        if (is_opaque || text() == "generic") add(text());
        else add(what_is(text()));
      }
      before = found;
    }
  }

  [[nodiscard]] std::string_view what_is(std::string_view name) const {
    const NameId id = module_.find_name(name);
    const Function* function = id == no_name ? nullptr : module_.find_function(id);
    if (function == nullptr) return "address";
    return function->kind == FunctionKind::entry ? "kernel" : "function";
  }

  // --- functions

  // `.visible .func (.param .b32 r) f (.param .b32 a) .noreturn`, and `.callprototype` alike.
  void read_function() {
    const bool is_prototype_of_call = statement_.kind() == StatementKind::call_prototype;
    std::string_view head = is_prototype_of_call ? ".callprototype" : ".func";
    Span span = token_.span();
    std::vector<std::string_view> about;
    bool named = false;
    if (is_prototype_of_call) advance();
    while (!at_end()) {
      switch (kind()) {
        case TokenKind::linkage:
          linkages_.push_back(token_);
          advance();
          break;
        case TokenKind::entry:
        case TokenKind::func:
          head = text();
          span = token_.span();
          advance();
          break;
        case TokenKind::attribute:
          read_attributes();
          emit_attributes(head.substr(1));
          break;
        case TokenKind::lparen:
          about.push_back(named ? "parameters" : "returns");
          read_parameters(head.substr(1), !named);
          break;
        case TokenKind::identifier:
        case TokenKind::sink:
          named = true;
          advance();
          break;
        case TokenKind::semicolon:
          if (!is_prototype_of_call) about.push_back("prototype");
          advance();
          break;
        default:
          if (is_dot_word(kind())) emit(text(), token_.span(), {head.substr(1)});
          advance();
          break;
      }
    }
    emit_linkages(head.substr(1));
    if (head == ".entry") {
      const std::uint64_t size = parameter_bytes(module_.functions()[statement_.payload()]);
      if (size > 256) about.push_back("over_256");
      if (size > 4352) about.push_back("over_4352");
    }
    words_ = std::move(about);
    emit(head, span);
  }

  void read_parameters(std::string_view of, bool are_results) {
    advance();
    while (!at_end() && kind() != TokenKind::rparen) {
      const Declared declared = read_declaration_words();
      add(of);
      if (are_results) add("result");
      emit_declaration(declared);
      emit_attributes(of);
      if (kind() == TokenKind::assign || kind() == TokenKind::semicolon) advance();
      (void)accept(TokenKind::comma);
    }
    (void)accept(TokenKind::rparen);
  }

  static std::uint64_t parameter_bytes(const Function& function) {
    std::uint64_t size = 0;
    for (const Variable& parameter : function.parameters) {
      const std::uint64_t natural = std::uint64_t{size_of(parameter.type)} * parameter.vector_width;
      const std::uint64_t alignment = std::max<std::uint64_t>({parameter.alignment, natural, 1});
      if (parameter.size > limit || alignment > limit) return limit;
      size = (size + alignment - 1) / alignment * alignment + parameter.size;
      if (size > limit) return limit;
    }
    return size;
  }
  static constexpr std::uint64_t limit = 1U << 30U;

  const Module& module_;
  const Statement& statement_;
  const Function* function_;
  const std::function<void(const DirectiveUse&)>& use_;
  Scanner scanner_;
  Token token_;
  std::vector<std::string_view> words_;
  std::vector<Token> linkages_, attributes_, details_;
};

}  // namespace

void for_each_directive(const Statement& statement, const Function* function,
                        const std::function<void(const DirectiveUse&)>& use) {
  Reader(statement, function, use).run();
}

}  // namespace ptxscope::analysis
