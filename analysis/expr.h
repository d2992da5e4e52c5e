// Expressions: what a register holds, in terms of parameters, special registers, memory and constants.
// Nodes are hash-consed in an ExprPool (equal value, equal id) and simplified when made. Integer operations are
// modulo 2^bits, exactly as the machine does them: an expression can be evaluated, compared and printed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "parser/hash_index.h"
#include "parser/module.h"

namespace ptxscope::analysis {

/// A node of one ExprPool: equal expressions of a pool have equal ids; ids of two pools have nothing to do with each
/// other.
enum class ExprId : std::uint32_t {};

/// What a node computes. Integer operations end in `_u` or `_s` where the sign makes a difference; `payload` and
/// `value` are those of Expr.
enum class ExprOp : std::uint8_t {
  unknown,    ///< `?`. `payload` tells unknowns apart; see ExprPool::reason()
  constant,   ///< `value`, the upper bits zero
  parameter,  ///< parameter `payload` of the function in question, from byte `value` on, `bits` wide
  special,    ///< a special register: ExprPool::special_name(payload) is "tid.x", "laneid", …
  symbol,     ///< address of the module or local variable NameId{payload}, plus `value` bytes
  load,  ///< memory of `space` at kid 0, `bits` wide of `type`; `payload`: the statement that loads (0: memory nobody writes)
  add,       ///< kid 0 + kid 1
  sub,       ///< kid 0 - kid 1
  mul,       ///< the low `bits` of the product
  mul_hi_u,  ///< the high `bits` of the unsigned product
  mul_hi_s,  ///< the high `bits` of the signed product
  div_u,     ///< never evaluated by 0
  div_s,     ///< towards zero
  rem_u,     ///< of div_u
  rem_s,     ///< of div_s: has the sign of kid 0
  neg,       ///< 0 - kid 0
  abs,       ///< of a signed number
  min_u,     ///< of unsigned numbers
  min_s,     ///< of signed numbers
  max_u,     ///< of unsigned numbers
  max_s,     ///< of signed numbers
  and_,      ///< bit by bit; of predicates too
  or_,       ///< bit by bit; of predicates too
  xor_,      ///< bit by bit; of predicates too
  not_,      ///< bit by bit; of predicates too
  shl,       ///< kid 0 by kid 1 bits
  shr_u,     ///< zeros come in
  shr_s,     ///< on predicates too (1 bit). Shift amounts are 32 bits wide and clamp at the width (PTX ISA 9.7.8)
  zext,      ///< to more bits: zeros above
  sext,      ///< to more bits: the sign above
  trunc,     ///< between widths
  popc,      ///< how many bits are set
  clz,       ///< how many zeros stand above the highest set bit
  brev,      ///< the bits in reverse order
  eq,        ///< 1 bit, of any numbers
  ne,        ///< 1 bit, of any numbers
  lt_u,      ///< 1 bit, of unsigned numbers
  le_u,      ///< 1 bit, of unsigned numbers
  gt_u,      ///< 1 bit, of unsigned numbers
  ge_u,      ///< 1 bit, of unsigned numbers
  lt_s,      ///< 1 bit, of signed numbers
  le_s,      ///< 1 bit, of signed numbers
  gt_s,      ///< 1 bit, of signed numbers
  ge_s,      ///< 1 bit; `type` is the one written in the setp
  fcmp,      ///< floating compare, 1 bit; `value` is an FloatCompare, `type` f16/f32/f64
  select,    ///< kid 0 ? kid 1 : kid 2. `value` 1: values that join after a branch, kid 0 says which way was taken
  phi,  ///< a value carried around a loop, or one of several that join where the choice is not known; kids: what flows in
  function,  ///< some function of the kids that is only named: name(payload) is "fma.rn.f32", "vote.all", "shfl.up", …
  call,      ///< what function NameId{payload} returned; kids: its arguments; `value`: the call's statement
};

/// Comparisons of setp for floating point (PTX ISA 9.7.3): `equ` to `geu` hold for NaN, `eq` to `ge` do not.
enum class FloatCompare : std::uint8_t { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };
[[nodiscard]] std::string_view spelling(FloatCompare op);  ///< PTX's word: "lt", "geu"
[[nodiscard]] FloatCompare negation(FloatCompare op);      ///< lt ↔ geu, num ↔ nan, …

/// A node of an ExprPool.
struct Expr {
  ExprOp op = ExprOp::unknown;          ///< what it computes
  std::uint8_t bits = 0;                ///< width of the result; 1 for predicates
  Type type = Type::none;               ///< of load, compare, fcmp
  StateSpace space = StateSpace::none;  ///< of load; none: generic
  std::uint16_t kid_count = 0;          ///< see ExprPool::kids()
  std::uint32_t payload = 0;            ///< of some operations: see ExprOp
  std::uint32_t first_kid = 0;          ///< where its kids begin; for the pool itself
  std::uint64_t value = 0;              ///< of some operations: see ExprOp
};

/// Makes expressions and keeps them. Only grows. References, spans and views into it hold until the next node is made.
class ExprPool {
 public:
  ExprPool();

  /// Of this pool, not checked.
  [[nodiscard]] const Expr& operator[](ExprId id) const { return nodes_[static_cast<std::uint32_t>(id)]; }
  [[nodiscard]] std::span<const ExprId> kids(ExprId id) const;                   ///< operands, in order
  [[nodiscard]] ExprId kid(ExprId id, unsigned i) const { return kids(id)[i]; }  ///< i below kid_count
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }               ///< nodes made so far

  // Leaves.
  ExprId unknown(unsigned bits, std::string_view reason);  ///< a fresh one each time
  ExprId constant(std::uint64_t value, unsigned bits);     ///< `value` is cut to `bits`
  /// A part of the function's parameter `index`, from `byte_offset` on.
  ExprId parameter(std::uint32_t index, std::uint64_t byte_offset, unsigned bits);
  ExprId special(std::string_view name, unsigned bits);                ///< name without the %: "tid.x"
  ExprId symbol(NameId variable, std::int64_t addend, unsigned bits);  ///< its address, `addend` bytes further
  /// `instance` tells apart the same load reached by different call sites; `stored`: values that are known to be
  /// written there, for parameters() (kids from 1 on).
  ExprId load(StateSpace space, Type type, unsigned bits, ExprId address, std::uint32_t statement,
              std::uint64_t instance = 0, std::span<const ExprId> stored = {});
  // Operations; all simplify. Widths of the kids must agree except for shifts, conversions and select's first.
  ExprId unary(ExprOp op, ExprId a);                       ///< neg, abs, not_, popc, clz, brev
  ExprId binary(ExprOp op, ExprId a, ExprId b);            ///< add … max_s, and_ … shr_s; not the compares
  ExprId extend(ExprId a, unsigned bits, bool is_signed);  ///< zext/sext, or trunc when narrower, or a itself
  ExprId truncate(ExprId a, unsigned bits);                ///< the low bits; a itself when it has that many
  /// Eq … ge_s, 1 bit. `type`: as written in the setp, for printing; the sign is in `op`.
  ExprId compare(ExprOp op, Type type, ExprId a, ExprId b);
  ExprId float_compare(FloatCompare op, Type type, ExprId a, ExprId b);  ///< 1 bit; `type`: f16, f32 or f64
  /// `condition` has 1 bit. `is_join`: see ExprOp::select.
  ExprId select(ExprId condition, ExprId a, ExprId b, bool is_join = false);
  ExprId negate(ExprId predicate);  ///< of a 1-bit value: compares turn into their opposite, De Morgan inside
  ExprId phi(std::uint32_t key, unsigned bits);  ///< fresh; set_phi_kids() when they are known
  /// Of one that phi() made, once.
  void set_phi_kids(ExprId phi, std::span<const ExprId> kids);
  /// A result that is only named: "fma.rn.f32". `distinguisher`: equal ones are one value (0: a pure function).
  ExprId function(std::string_view name, unsigned bits, std::span<const ExprId> kids, std::uint32_t distinguisher = 0);
  /// What that call returned; `statement` tells calls of one function apart.
  ExprId call(NameId callee, std::uint32_t statement, unsigned bits, std::span<const ExprId> kids);

  [[nodiscard]] std::string_view name(ExprId function) const;         ///< of ExprOp::function
  [[nodiscard]] std::string_view special_name(ExprId special) const;  ///< of ExprOp::special
  [[nodiscard]] std::string_view reason(ExprId unknown) const;        ///< of ExprOp::unknown: why, a clause for people

  [[nodiscard]] bool is_constant(ExprId id) const { return (*this)[id].op == ExprOp::constant; }  ///< of whatever value
  /// Equal to that one; false where it is not known to be constant.
  [[nodiscard]] bool is_constant(ExprId id, std::uint64_t value) const {
    return is_constant(id) && (*this)[id].value == value;
  }
  [[nodiscard]] ExprId true_value() { return constant(1, 1); }   ///< 1, of 1 bit
  [[nodiscard]] ExprId false_value() { return constant(0, 1); }  ///< 0, of 1 bit

  /// global.x|y|z: ctaid*ntid+tid, in 32 or 64 bits, in any spelling, also widened afterwards. Returns 'x','y','z' or 0.
  [[nodiscard]] char global_index(ExprId id) const;

  /// Parameters below this expression, ascending, each once; goes through loads, phis and calls. What chose the way at
  /// a join of numbers is not behind the number (as with a phi); what chose a predicate, or a `selp`, is.
  [[nodiscard]] std::vector<std::uint32_t> parameters(ExprId id) const;
  /// Distinct nodes below it, itself included; stops counting at `limit`.
  [[nodiscard]] std::size_t node_count(ExprId id, std::size_t limit) const;
  /// Whether an unknown lies below it.
  [[nodiscard]] bool has_unknown(ExprId id) const;
  /// An unknown below it, for its reason(); nullopt when there is none.
  [[nodiscard]] std::optional<ExprId> find_unknown(ExprId id) const;
  /// Whether the value is 0 or 1 only, and then the predicate that says it is 1.
  std::optional<ExprId> as_predicate(ExprId id);

  /// The same expression with each parameter of the called function replaced; loads, calls and functions get
  /// `instance` (the call statement), so that two calls stay two values. `argument(index, byte_offset, bits)` gives
  /// an ExprId; `memory(load, address)` may give the value of a load whose address became known, or nullopt.
  template <class Argument, class Memory>
  ExprId substitute(ExprId id, std::uint32_t instance, Argument&& argument, Memory&& memory);

  /// An expression of another pool in this one: nodes that are there already are shared. `done`: what was taken over from
  /// that pool before.
  /// From ids of the other pool to ids of this one.
  using Adopted = std::unordered_map<std::uint32_t, ExprId>;
  /// See Adopted.
  ExprId adopt(const ExprPool& other, ExprId id, Adopted& done);

 private:
  ExprId adopt_node(const ExprPool& other, ExprId id, const Adopted& done);
  ExprId rebuilt(ExprId id, std::span<const ExprId> kids, std::uint32_t instance);
  std::vector<ExprId> postorder(ExprId id) const;
  ExprId pushed_truncate(ExprId a, unsigned bits);
  ExprId negate_at(ExprId predicate, unsigned depth);
  bool opposite_of(ExprId a, ExprId b);
  ExprId intern(Expr node, std::span<const ExprId> kids);
  std::uint32_t text_id(std::string_view text);
  std::vector<Expr> nodes_;
  std::vector<ExprId> kid_ids_;
  std::vector<std::string> texts_;
  std::unordered_map<std::string, std::uint32_t> text_ids_;
  detail::HashIndex index_;  // of nodes, by what they are
  std::unordered_map<std::uint32_t, ExprId> negations_;
};

template <class Argument, class Memory>
ExprId ExprPool::substitute(ExprId id, std::uint32_t instance, Argument&& argument, Memory&& memory) {
  std::unordered_map<std::uint32_t, ExprId> done;
  std::vector<ExprId> kids_now;
  for (const ExprId node : postorder(id)) {
    const Expr e = (*this)[node];
    ExprId result = node;
    if (e.op == ExprOp::parameter) {
      result = argument(e.payload, e.value, static_cast<unsigned>(e.bits));
    } else if (e.kid_count != 0 || e.op == ExprOp::unknown || e.op == ExprOp::call || e.op == ExprOp::function) {
      kids_now.clear();
      for (const ExprId k : kids(node)) {
        const auto found = done.find(static_cast<std::uint32_t>(k));
        kids_now.push_back(found == done.end() ? k : found->second);  // a kid not done yet: a loop through a phi
      }
      std::optional<ExprId> known;
      if (e.op == ExprOp::load) known = memory(e, kids_now[0]);
      result = known ? *known : rebuilt(node, kids_now, instance);
    }
    done.emplace(static_cast<std::uint32_t>(node), result);
  }
  return done.at(static_cast<std::uint32_t>(id));
}

}  // namespace ptxscope::analysis
