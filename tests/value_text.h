// Values of registers as text for tests, with every width and sign: `(add a (zext64 tid.x))`.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>

#include "analysis/values.h"

namespace ptxscope::analysis::testing {

/// Operators stand first, as in Lisp; a number is decimal, without its width. `a:32` or `a[4]:32` is 32 bits of the first
/// parameter, from byte 0 or 4 on; `$x+8` is 8 bytes behind where the variable x stands; `?why` is not known; a load is
/// `(global.u32 address)`, a named result `{fma.rn.f32:32 …}`, a join `(join condition a b)`; a value carried around a loop
/// `L1=(phi …)`, and L1 alone from then on.
std::string value_text(const Module& module, const ExprPool& pool, ExprId id);

/// A module and what is asked for of its first function that has a body, or of the one named.
class Valued {
 public:
  explicit Valued(const std::string& text, const std::string& function = "");
  /// The register in front of the last instruction of the function, or in front of what begins with those words.
  std::string value(const std::string& reg, const std::string& in_front_of = "");
  /// When control comes to the last instruction, or to what begins with those words.
  std::string reach(const std::string& at = "");
  /// The last instruction of the function, or what begins with those words.
  [[nodiscard]] std::uint32_t statement(const std::string& words) const;
  [[nodiscard]] RegisterNumber number_of(const std::string& reg) const;
  FunctionValues& values() { return values_->of(function_); }
  const Module& module() { return module_; }
  ExprPool& pool() { return *pool_; }

 private:
  Module module_;
  std::shared_ptr<ExprPool> pool_ = std::make_shared<ExprPool>();
  std::unique_ptr<ModuleValues> values_;
  std::uint32_t function_ = 0;
};

/// A kernel up to where the instructions of a test begin: a, b and tid.x in %r1 to %r3, c and d in %rd1 and %rd2, e in %rs1, g
/// and h in %f1 and %fd1; a < b and c == d in %p1 and %p2.
extern const std::string kernel;

/// Instructions, and what a register holds behind them.
struct Holds {
  std::string code;
  std::string reg;
  std::string holds;
};
/// Checks each by itself, behind the beginning of a function k.
void check_values(const std::string& begin, std::initializer_list<Holds> rows);

}  // namespace ptxscope::analysis::testing
