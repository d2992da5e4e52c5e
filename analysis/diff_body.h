// The body of a function as a sequence of tokens that can be compared with another's: opcodes, immediates and global names
// are literal, registers, labels and local names are variables.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/code_counts.h"
#include "analysis/diff.h"
#include "analysis/diff_names.h"
#include "analysis/labels.h"

namespace ptxscope::analysis::diff {

/// A token has 64 bits: kind, flags, then what the kind says.
using Token = std::uint64_t;

enum class TokenKind : std::uint8_t {
  opcode,     ///< shared number
  directive,  ///< StatementKind
  integer,    ///< 48 bits
  value,      ///< shared number of a wider integer (attribute 0) or floating constant (1: single, 2: double)
  name,       ///< shared number of a name; attributes: selector, negated
  word,       ///< shared number of a piece of text
  open,       ///< an operand with parts: its kind and how many
  sink,
  parameter,  ///< of the function, by its place; attribute: a return parameter. Registers that are parameters too
  reg,        ///< variable: register number; attributes: width, selector, negated
  label,      ///< variable: index into Body::labels
  local,      ///< variable: index into Body::locals
};

namespace token {
inline constexpr unsigned kind_shift = 60;
inline constexpr Token starts_operand = Token{1} << 59U;  ///< the guard counts as an operand
inline constexpr Token writes = Token{1} << 58U;
inline constexpr Token reads = Token{1} << 57U;
inline constexpr Token negated = Token{1} << 47U;
inline constexpr Token variable_mask = 0xffffffffU;

[[nodiscard]] inline TokenKind kind(Token token) { return static_cast<TokenKind>(token >> kind_shift); }
[[nodiscard]] inline bool is_variable(Token token) { return kind(token) >= TokenKind::reg; }
[[nodiscard]] inline std::uint32_t variable(Token token) { return static_cast<std::uint32_t>(token & variable_mask); }
/// The token without which variable it is.
[[nodiscard]] inline Token shape(Token token) { return is_variable(token) ? token & ~variable_mask : token; }
}  // namespace token

/// Where the flow of control goes after an item.
enum class Goes : std::uint8_t {
  on,        ///< to the next one
  jump,      ///< unguarded branch to a label
  branch,    ///< guarded branch to a label, or on
  stop,      ///< unguarded ret, exit, trap
  may_stop,  ///< a guarded one
  indirect,  ///< anywhere that has a label; guarded: or on
};

/// A statement that is compared: an instruction, or a directive between instructions.
struct Item {
  std::uint32_t statement = 0;
  std::uint32_t first_token = 0;
  std::uint32_t opcode = no_index;  ///< shared number, as it is spelled; no_index: a directive
  Goes goes = Goes::on;
  bool guarded = false;
};

struct BodyLabel {
  std::uint32_t statement = 0;
  std::uint32_t target = 0;  ///< the item that follows; items.size(): the end
};

struct Body {
  Side side = Side::a;
  const Module* module = nullptr;
  const Function* function = nullptr;
  std::vector<Item> items;  ///< one more at the end, for its first_token
  std::vector<Token> tokens;
  std::vector<BodyLabel> labels;
  std::vector<const Variable*> locals;
  std::uint32_t register_count = 0;  ///< variables of kind reg are below it
  Counts counts{};

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(items.size()) - 1; }
  [[nodiscard]] std::span<const Token> tokens_of(std::uint32_t item) const {
    return {tokens.data() + items[item].first_token, items[item + 1].first_token - items[item].first_token};
  }
  /// The item that a jump or branch goes to when taken.
  [[nodiscard]] std::uint32_t target(std::uint32_t item) const;
  /// The register that a variable of kind reg stands for.
  [[nodiscard]] RegisterNumber register_number(std::uint32_t variable) const {
    return register_numbers.empty() ? variable : register_numbers[variable];
  }
  /// Those in use, where the function declares far more; empty: variables are register numbers.
  std::vector<RegisterNumber> register_numbers;
};

/// Reads bodies of one module.
class BodyReader {
 public:
  BodyReader(Side side, const Module& module, SharedNames& names);
  /// Fills `out`, whose storage is used again.
  void read(const Function& function, Body& out);
  /// How often each opcode occurred in what was read, by shared number.
  [[nodiscard]] const std::vector<std::uint64_t>& opcode_counts() const { return opcode_counts_; }
  /// What the functions read declare, a variable of the module once.
  [[nodiscard]] DeclaredCounts declared() const { return declared_.totals(); }
  /// The value of a module-level variable, in the same terms.
  [[nodiscard]] std::vector<Token> initializer(const Variable& variable);

 private:
  enum class SymbolKind : std::uint8_t { parameter, return_parameter, local };
  /// Registers that are not the function's own: what they hold comes from outside it or goes there, so that none can stand
  /// for another.
  struct FixedRegisters {
    RegisterNumber first = 0;
    std::uint32_t count = 0;
    NameId name = no_name;    // of the module; no_name: parameters
    std::uint64_t place = 0;  // among the parameters
  };
  struct Undo {
    std::uint32_t name = 0;
    std::uint32_t before = no_index;
  };
  [[nodiscard]] static std::uint32_t symbol(SymbolKind kind, std::size_t index) {
    return static_cast<std::uint32_t>(index << 2U) | static_cast<std::uint32_t>(kind);
  }
  void declare(NameId name, std::uint32_t symbol);
  void close_scope();
  void push(TokenKind kind, Token payload, Token flags = 0);
  void add_instruction(const Statement& statement);
  void add_directive(const Statement& statement);
  void add_variables(const Statement& statement);
  void add_operand(const Operand& operand, Token flags, int depth = 0);
  void add_name(NameId name, Token attributes, Token flags);
  void add_words(Span span);
  /// `%r1` in an expression such as `%r1+4`, which the syntax tree keeps as text. False: no register of that name here.
  bool add_register(std::string_view word);
  /// What stands for the opcode: its number, or that of all spellings that do the same with these operands.
  [[nodiscard]] std::uint32_t opcode_token(const Statement& statement, std::uint32_t id) const;
  void find_fixed_registers(const Function& function);
  void push_register(RegisterNumber number, Token attributes, Token flags);
  void count(const Item& item, const SharedOpcode& opcode);
  void number_registers();

  Side side_;
  const Module* module_;
  SharedNames* names_;
  Body* body_ = nullptr;
  const LabelScopes* labels_ = nullptr;
  DeclarationCounter declared_;
  std::vector<std::uint32_t> symbols_;  // by name: what it means here; no_index: nothing of this function
  std::vector<Undo> undo_;
  std::vector<std::size_t> open_;
  std::vector<FixedRegisters> fixed_;
  std::vector<std::uint32_t> label_tokens_;  // whose payload is a statement still
  std::vector<std::uint64_t> opcode_counts_;
  Token next_flags_ = 0;
  std::uint32_t statement_ = 0;  // being read
};

}  // namespace ptxscope::analysis::diff
