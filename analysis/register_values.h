// What registers hold, asked one place at a time: the values engine with the names of parameters, kept from one question
// to the next. Not for several threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "analysis/debug_names.h"
#include "analysis/expr.h"
#include "analysis/traps.h"
#include "analysis/values.h"
#include "parser/module.h"

namespace ptxscope::analysis {

/// What a register holds at one place.
struct HeldValue {
  ExprId value{};                         ///< of RegisterValues::pool(); its op is unknown where it is not known
  std::uint32_t definition = no_index;    ///< the one statement whose write arrives there; no_index: several, or none
  std::span<const ParameterInfo> params;  ///< of the function; they and the pool hold until the next question
};

/// Answers for one module, which it keeps alive.
class RegisterValues {
 public:
  explicit RegisterValues(std::shared_ptr<const Module> module);  ///< must not be nullptr

  /// The register just before the statement runs, which may_ask() of.
  [[nodiscard]] HeldValue before(std::uint32_t function, RegisterNumber reg, std::uint32_t statement);
  [[nodiscard]] const Module& module() const { return *module_; }  ///< the one it was made for
  /// Of all answers; emptied now and then, between questions.
  [[nodiscard]] const ExprPool& pool() const { return *pool_; }

 private:
  void begin();
  const std::vector<ParameterInfo>& parameters_of(std::uint32_t index);

  std::shared_ptr<const Module> module_;
  std::shared_ptr<ExprPool> pool_;
  std::unique_ptr<ModuleValues> values_;
  DebugNames debug_names_;
  std::map<std::uint32_t, std::vector<ParameterInfo>> parameters_;
  std::size_t kept_ = 0;
};

/// Whether that is a statement in the body of the function, and a register of it.
[[nodiscard]] bool may_ask(const Module& module, std::uint32_t function, RegisterNumber reg, std::uint32_t statement);

}  // namespace ptxscope::analysis
