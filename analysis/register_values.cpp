#include "analysis/register_values.h"

#include <utility>

#include "analysis/slices.h"

namespace ptxscope::analysis {

RegisterValues::RegisterValues(std::shared_ptr<const Module> module)
    : module_(std::move(module)), debug_names_(*module_) {
  begin();
}

void RegisterValues::begin() {
  parameters_.clear();
  kept_ = 0;
  pool_ = std::make_shared<ExprPool>();
  values_ = std::make_unique<ModuleValues>(*module_, pool_);
}

const std::vector<ParameterInfo>& RegisterValues::parameters_of(std::uint32_t index) {
  const auto found = parameters_.find(index);
  if (found != parameters_.end()) return found->second;
  const Function& function = module_->functions()[index];
  // What is known of values is kept by function; it is let go when it may have become large.
  constexpr std::size_t most_kept = 20'000'000;
  kept_ += function.register_count + std::size_t{16} * (function.body_end - function.body_begin);
  if (kept_ > most_kept && !parameters_.empty()) begin();
  return parameters_
      .emplace(index, describe_parameters(*pool_, *module_, function, parameter_use(*values_, index),
                                          {{}, debug_names_.of_parameters(function)}))
      .first->second;
}

HeldValue RegisterValues::before(std::uint32_t function, RegisterNumber reg, std::uint32_t statement) {
  HeldValue held;
  held.params = parameters_of(function);
  FunctionValues& of_function = values_->of(function);
  held.definition = of_function.reaching_definition(reg, statement);
  held.value = of_function.before(reg, statement);
  return held;
}

bool may_ask(const Module& module, std::uint32_t function, RegisterNumber reg, std::uint32_t statement) {
  if (function >= module.functions().size()) return false;
  const Function& of = module.functions()[function];
  return of.has_body && statement > of.body_begin && statement < of.body_end && reg < of.register_count;
}

}  // namespace ptxscope::analysis
