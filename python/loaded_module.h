// A module as Python holds it, and what is kept with it between calls.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/register_values.h"
#include "parser/module.h"
#include "python/interruptible.h"

namespace ptxscope::python {

/// Becomes ptxscope.Error. Its text names the place, the reason and a way out.
struct Problem : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Several threads may use one at once: the Module does not change, and values are found by one thread at a time.
class LoadedModule {
 public:
  explicit LoadedModule(Module module) : module_(std::make_shared<const Module>(std::move(module))) {}

  [[nodiscard]] const Module& module() const { return *module_; }
  /// Of functions()[index]; throws Problem where there is none.
  [[nodiscard]] const Function& function(std::uint32_t index) const;
  /// What the register of that name holds just before the statement, as text.
  [[nodiscard]] std::string value(std::uint32_t function, std::string_view reg, std::uint32_t statement);
  /// The function's parameters, a JSON list of what docs/json.md calls param.
  [[nodiscard]] std::string params_json(std::uint32_t function) const;

 private:
  [[nodiscard]] std::optional<RegisterNumber> find_register(const Function& function, std::string_view name,
                                                            std::uint32_t statement) const;
  analysis::RegisterValues& values();

  std::shared_ptr<const Module> module_;
  std::mutex mutex_;  // of values_
  std::optional<analysis::RegisterValues> values_;
};

using ModulePointer = std::shared_ptr<LoadedModule>;

// Those that follow throw Stopped once `stop` is set.

[[nodiscard]] ModulePointer parse_text(std::string text, std::string name, const Stop& stop);
/// The one module that a path stands for: a PTX file, a file that holds one, or `app:sm_90:2`. "-" is standard input.
[[nodiscard]] ModulePointer load_module(const std::string& path, const Stop& stop);
/// All that it stands for.
[[nodiscard]] std::vector<ModulePointer> load_modules(const std::string& path, const Stop& stop);

}  // namespace ptxscope::python
