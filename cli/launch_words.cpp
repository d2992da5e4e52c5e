#include "cli/launch_words.h"

#include <algorithm>
#include <set>
#include <utility>

#include "cli/kernel_names.h"

namespace ptxscope::cli {

namespace {

bool is_kernel(const Module& module, const analysis::FunctionTraps& traps) {
  return module.functions()[traps.function].kind == FunctionKind::entry;
}

std::string all_labels(const Module& module, const analysis::TrapReport& report) {
  std::set<std::string> labels;
  bool any_kernel = false;
  for (const auto& kernel : report.functions) {
    if (!is_kernel(module, kernel)) continue;
    any_kernel = true;
    for (std::string& label : analysis::labels_of(kernel.params)) labels.insert(std::move(label));
  }
  if (!any_kernel) return "there is no kernel";
  return labels.empty() ? "the kernels take none" : "there are " + listed(labels);
}

bool overlap(const analysis::LabelledValue& a, const analysis::LabelledValue& b) {
  return a.index == b.index && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

// Each argument, for each kernel that has a parameter of that label: they may differ in type. What is wrong is said.
std::string set_arguments(const Module& module, const analysis::TrapReport& report, const LaunchWords& words,
                          analysis::Launch& launch) {
  std::vector<std::pair<std::string, std::string>> arguments;  // label, value
  for (const std::string& argument : words.arguments) {
    const std::size_t equals = argument.find('=');
    if (equals == std::string::npos || equals == 0) {
      return words.option + " " + argument + ": must be LABEL=VALUE, like a.len=512";
    }
    arguments.emplace_back(argument.substr(0, equals), argument.substr(equals + 1));
  }
  std::vector<bool> found(arguments.size(), false);
  for (const auto& kernel : report.functions) {
    if (!is_kernel(module, kernel)) continue;
    std::vector<std::optional<analysis::LabelledValue>> places;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const auto& [label, value] = arguments[i];
      const auto place = places.emplace_back(analysis::find_label(kernel.params, label));
      if (!place) continue;
      found[i] = true;
      const std::string kernel_name(module.name(module.functions()[kernel.function].name));
      for (std::size_t other = 0; other < i; ++other) {
        if (!places[other] || !overlap(*places[other], *place)) continue;
        return words.option + " " + words.arguments[i] + ": " + words.option + " " + words.arguments[other] +
               " gives that already, to parameter " + kernel.params[place->index].name;
      }
      const auto bits = analysis::argument_bits(value, place->type, place->bytes);
      if (!bits) {
        const std::string_view type = spelling(place->type);
        return words.option + " " + words.arguments[i] + ": must be, for " + kernel_name +
               ", a number that fits into " + std::to_string(8 * place->bytes) + " bits" +
               (type.empty() ? "" : " (." + std::string(type) + ")") + ", like 512, -1, 0x1f" +
               (place->type == Type::f32 || place->type == Type::f64 ? ", 0.5 (0x gives the bits)" : "");
      }
      launch.arguments.push_back({label, *bits, kernel.function});
    }
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!found[i]) launch.arguments.push_back({arguments[i].first, 0, no_index});
  }
  return {};
}

}  // namespace

std::vector<std::string> split_names(const std::string& list) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t comma = std::min(list.find(',', begin), list.size());
    names.push_back(list.substr(begin, comma - begin));
    begin = comma + 1;
  }
  return names;
}

std::vector<std::string> evaluate(const Module& module, analysis::TrapReport& report, const LaunchWords& words,
                                  analysis::Launch& launch, const std::atomic<bool>* stop) {
  if (std::string problem = set_arguments(module, report, words, launch); !problem.empty()) return {std::move(problem)};
  std::vector<std::string> problems;
  for (const std::string& label : analysis::evaluate_launch(module, report, launch, stop))
    problems.push_back(module.file_name() + ": " + words.option + ": no parameter is called " + label + "; " +
                       all_labels(module, report));
  return problems;
}

std::string same_labels(const Module& module, const analysis::TrapReport& report, const std::string& given) {
  for (const auto& function : report.functions) {
    std::set<std::string> seen;
    for (std::string& label : analysis::labels_of(function.params)) {
      const auto [place, is_new] = seen.insert(std::move(label));
      if (is_new) continue;
      return module.file_name() + ": " + given + ": two parameters of " +
             std::string(module.name(module.functions()[function.function].name)) + " would be called " + *place;
    }
  }
  return {};
}

}  // namespace ptxscope::cli
