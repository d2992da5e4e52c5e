#include "python/loaded_module.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "analysis/slices.h"
#include "cli/input.h"
#include "report/expression.h"
#include "report/json_common.h"

namespace ptxscope::python {

namespace {

// The module of all of the text.
template <class Text>
ModulePointer parse_whole(Text text, std::string name, const Stop& stop) {
  Module module = parse(std::move(text), std::move(name), {.stop = &stop});
  end_if(stop);
  return std::make_shared<LoadedModule>(std::move(module));
}

ModulePointer module_of(cli::Input input, const Stop& stop) {
  end_if(stop);
  if (!input.text) throw Problem(input.name + ": " + input.error);
  return parse_whole(std::move(*input.text), std::move(input.name), stop);
}

bool declares(const Module& module, const RegisterDeclaration& declaration, std::string_view name,
              RegisterNumber& number) {
  const std::string_view prefix = module.name(declaration.name);
  number = declaration.first;
  if (declaration.count == 0) return name == prefix;
  if (!name.starts_with(prefix)) return false;
  const std::string_view digits = name.substr(prefix.size());
  if (digits.empty() || (digits.size() > 1 && digits.front() == '0')) return false;
  std::uint32_t place = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), place);
  number += place;
  return error == std::errc() && end == digits.data() + digits.size() && place < declaration.count;
}

}  // namespace

ModulePointer parse_text(std::string text, std::string name, const Stop& stop) {
  return parse_whole(std::move(text), std::move(name), stop);
}

ModulePointer load_module(const std::string& path, const Stop& stop) {
  return module_of(cli::read_input(path, &stop), stop);
}

std::vector<ModulePointer> load_modules(const std::string& path, const Stop& stop) {
  cli::InputReader reader(&stop);
  std::vector<ModulePointer> modules;
  for (const std::string& name : reader.expand(path))
    for (cli::Input& input : reader.read_all(name)) modules.push_back(module_of(std::move(input), stop));
  return modules;
}

const Function& LoadedModule::function(std::uint32_t index) const {
  if (index >= module_->functions().size())
    throw Problem(module_->file_name() + ": there is no function " + std::to_string(index));
  return module_->functions()[index];
}

std::optional<RegisterNumber> LoadedModule::find_register(const Function& function, std::string_view name,
                                                          std::uint32_t statement) const {
  std::optional<RegisterNumber> found;  // of the innermost scope
  RegisterNumber number = 0;
  for (const RegisterDeclaration& declaration : function.registers) {
    if (declaration.statement > statement || declaration.scope_end < statement) continue;
    if (declares(*module_, declaration, name, number)) found = number;
  }
  return found;
}

analysis::RegisterValues& LoadedModule::values() {
  if (!values_) values_.emplace(module_);
  return *values_;
}

std::string LoadedModule::value(std::uint32_t index, std::string_view reg, std::uint32_t statement) {
  const Function& in = function(index);
  const auto number = find_register(in, reg, statement);
  if (!number || !analysis::may_ask(*module_, index, *number, statement)) {
    const bool is_inside = in.has_body && statement > in.body_begin && statement < in.body_end;
    throw Problem(module_->file_name() + ": " + std::string(module_->name(in.name)) +
                  (is_inside ? " has no register " + std::string(reg) + " at line " +
                                   std::to_string(module_->line_of_statement(statement)) +
                                   "; expected one that its .reg directives declare, such as %r1"
                             : " does not hold the place that was asked about; take an instruction of this function"));
  }
  const std::scoped_lock lock(mutex_);
  const analysis::HeldValue held = values().before(index, *number, statement);
  return report::to_text(*module_, values().pool(), held.value, report::Labels(held.params));
}

std::string LoadedModule::params_json(std::uint32_t index) const {
  const Function& of = function(index);
  analysis::DebugNames debug_names(*module_);
  const analysis::ParameterNames names{{}, debug_names.of_parameters(of)};
  std::vector<analysis::ParameterInfo> params;
  if (of.has_body) {
    const auto pool = std::make_shared<analysis::ExprPool>();
    analysis::ModuleValues in_module(*module_, pool);
    params = describe_parameters(*pool, *module_, of, parameter_use(in_module, index), names);
  } else {
    params = analysis::declared_parameters(*module_, of, names);
  }
  report::Json out = report::Json::array();
  for (const analysis::ParameterInfo& param : params) out.push_back(report::param_json(param));
  return report::dump(out);
}

}  // namespace ptxscope::python
