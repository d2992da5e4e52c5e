// An opcode's modifiers, read once: the operation, its types, its comparison, its state space.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "analysis/expr.h"
#include "isa/instructions.h"
#include "parser/module.h"

namespace ptxscope::analysis {

/// The operations whose meaning the values engine models; everything else is `other`.
enum class Operation : std::uint8_t {
  other,
  mov,
  cvt,
  cvta,
  add,
  sub,
  mul,
  mad,
  mul24,
  mad24,
  div,
  rem,
  abs,
  neg,
  min,
  max,
  and_,
  or_,
  xor_,
  not_,
  cnot,
  shl,
  shr,
  shf,
  lop3,
  bfe,
  bfi,
  prmt,
  popc,
  clz,
  brev,
  bfind,
  selp,
  slct,
  set,
  setp,
  testp,
  ld,
  vote,
  shfl,
  activemask,
  st,
  atom,
  call,
  isspacep,
};

/// Which part of a product is kept: `.lo`, `.hi`, `.wide`; none: the operation makes no product, or of floating point.
enum class Product : std::uint8_t { none, low, high, wide };
/// What setp and set do with their third source, a predicate (PTX ISA 9.7.6).
enum class Combine : std::uint8_t { none, and_, or_, xor_ };

/// An opcode as the values engine sees it.
struct OpcodeForm {
  Operation operation = Operation::other;         ///< `other`: its result is only named
  const isa::Instruction* instruction = nullptr;  ///< nullptr: not in the tables
  Type type = Type::none;                         ///< the (destination) type
  Type source_type = Type::none;                  ///< second type word: of cvt, set, slct, …; none: there is only one
  StateSpace space = StateSpace::none;            ///< of ld, st, atom; none: generic
  Product product = Product::none;                ///< of mul and mad
  std::string_view compare;                       ///< "ge", "ltu", …
  Combine combine = Combine::none;                ///< of set and setp
  unsigned vector_width = 1;                      ///< 2 or 4 of `.v2`, `.v4`: registers that one operand has
  bool saturates = false;                         ///< `.sat`
  bool carries = false;                           ///< addc, subc, madc: reads the carry of an earlier instruction
  bool read_only = false;                         ///< ld.const, ld.param, .nc: memory nobody writes meanwhile
  /// Of `type`, 1 for predicates.
  [[nodiscard]] unsigned bits() const { return type == Type::pred ? 1 : size_of(type) * 8; }
  [[nodiscard]] bool is_signed() const;  ///< of `type`: s8 … s64
  [[nodiscard]] bool is_float() const;   ///< of `type`
};

[[nodiscard]] bool is_signed(Type type);   ///< s8 … s64
[[nodiscard]] bool is_integer(Type type);  ///< u8 … u64, s8 … s64
[[nodiscard]] bool is_float(Type type);    ///< f16 … f64 and their packed forms

/// Never fails: what is not modelled has Operation::other.
[[nodiscard]] OpcodeForm read_form(const Opcode& opcode);

/// The integer compare of PTX's word ("lt", "lo", "hs", …) on that type; nullopt: a floating one.
[[nodiscard]] std::optional<ExprOp> integer_compare(std::string_view word, Type type);
/// PTX's word of setp: "lt", "geu", "num"; nullopt: none of these.
[[nodiscard]] std::optional<FloatCompare> float_compare_from(std::string_view word);

}  // namespace ptxscope::analysis
