// What is known about each instruction: one declaration per mnemonic in isa/instructions.def, read here.
// Everything that asks "what does this opcode do to its operands" asks this table (PTX ISA 9.7).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace ptxscope::isa {

/// What an instruction is for, about as in the chapters of the manual (PTX ISA 9.7).
enum class Category : std::uint8_t {
  unknown,       ///< not in the table
  arithmetic,    ///< integer, floating, extended precision, half, mixed
  logic,         ///< and, or, xor, not, cnot, lop3, shf, shl, shr, bfe, …
  compare,       ///< set, setp, selp, slct, testp
  conversion,    ///< cvt, cvta, cvt.pack, mapa, …
  move,          ///< mov, prmt, shfl, …
  memory,        ///< ld, st, prefetch, cp.async, isspacep, …
  atomic,        ///< atom, red, multimem
  texture,       ///< tex, tld4, txq, suld, sust, sured, suq, istypep
  control,       ///< bra, brx, call, ret, exit, trap, brkpt
  barrier,       ///< bar, barrier, membar, fence, mbarrier, griddepcontrol, …
  warp,          ///< vote, match, activemask, redux, elect, shfl
  matrix,        ///< wmma, mma, ldmatrix, stmatrix, wgmma, tcgen05
  video,         ///< vadd, vset, dp4a, …
  miscellaneous  ///< pmevent, nanosleep, setmaxnreg, …
};
/// The name of the enumerator: "arithmetic".
[[nodiscard]] std::string_view spelling(Category category);

/// What an instruction does with an operand.
enum class Role : std::uint8_t {
  write,       ///< destination register, vector of them, or `p|q` pair
  read,        ///< source value
  read_write,  ///< both (accumulators in place)
  address,     ///< `[…]`: its registers are read
  label,       ///< branch target, table or function
  immediate,   ///< a constant: never a register
};

/// What kind of register an operand may be, as far as the table says.
enum class OperandClass : std::uint8_t {
  any,              ///< not stated
  first_type,       ///< the opcode's first type word
  second_type,      ///< its second, or the last one there is
  third_type,       ///< the third type word
  at_least_first,   ///< as wide as the first type or wider (PTX ISA 9.4.1: ld, st, cvt)
  at_least_second,  ///< as wide as the second type or wider
  double_width,     ///< twice as wide as the first type (mul.wide)
  predicate,        ///< a register of type .pred
  bits16,           ///< integer or untyped register of this width
  bits32,           ///< likewise
  bits64,           ///< likewise
  bits128,          ///< likewise
  bits32_or_64,     ///< an address or a size
};

/// What an instruction does to the flow of control.
enum class Flow : std::uint8_t { next, branch, indirect_branch, call, ret, exit, trap };

/// A row of the table of instructions: a mnemonic, or a variant of it whose operands differ.
struct Instruction {
  std::string_view mnemonic;              ///< without modifiers: "cp"
  Category category = Category::unknown;  ///< what it is counted as by stats
  Flow flow = Flow::next;                 ///< as if its guard held
  std::uint8_t minimum_operands = 0;      ///< how many it takes at least, the guard apart
  std::uint8_t maximum_operands = 255;    ///< 255: no limit known
  bool has_side_effect = false;           ///< writes memory, synchronises, …: never removable
  bool reads_memory = false;              ///< in any state space, .param and .const included
  bool writes_memory = false;             ///< an atomic reads and writes
  bool reads_carry = false;               ///< CC.CF (PTX ISA 9.7.2), which no operand names
  bool writes_carry = false;              ///< as reads_carry: another instruction after it may read it
  std::string_view
      section;  ///< of the PTX ISA manual: "9.7.9.8"; several, where types have their own: "9.7.1.1 9.7.3.3"
  std::span<const Role> roles;            ///< by operand; the last one repeats for further operands
  std::span<const OperandClass> classes;  ///< parallel to roles
  std::string_view
      modifiers;  ///< what makes it this variant: words that must all be there ("async bulk"); `sp*`: any that begins so

  /// Role and class of operand `index`. An instruction without operands: read, any.
  [[nodiscard]] Role role(std::size_t index) const {
    return roles.empty() ? Role::read : roles[index < roles.size() ? index : roles.size() - 1];
  }
  /// As role(), of the class.
  [[nodiscard]] OperandClass operand_class(std::size_t index) const {
    return classes.empty() ? OperandClass::any : classes[index < classes.size() ? index : classes.size() - 1];
  }
};

/// nullptr for a mnemonic that is not in the table. `mnemonic` without modifiers ("ld", "cp", "tcgen05").
[[nodiscard]] const Instruction* find_instruction(std::string_view mnemonic);

/// The row for a whole opcode ("cp.async.bulk", …): variants whose operands differ by modifier have their own rows. A
/// row fits when all its modifiers are there, in any order, as ptxas has it; of those that fit, the one with most words.
[[nodiscard]] const Instruction* find_instruction(std::string_view mnemonic,
                                                  std::span<const std::string_view> modifiers);

/// All rows, in the order of the table.
[[nodiscard]] std::span<const Instruction> instructions();

/// A special register (PTX ISA 10): name without selector, with `%`.
struct SpecialRegister {
  std::string_view name;     ///< "%tid"
  std::uint8_t components;   ///< 3 or 4 for %tid (.x .y .z .w), 1 for a scalar
  std::uint8_t bits;         ///< width of one component
  std::string_view section;  ///< of the PTX ISA manual: "10.1"
};
/// nullptr: no such register. `name` with its `%`, without a selector.
[[nodiscard]] const SpecialRegister* find_special_register(std::string_view name);

}  // namespace ptxscope::isa
