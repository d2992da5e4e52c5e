#include "cli/command_words.h"

#include <algorithm>
#include <string_view>

#include "cli/command.h"
#include "cli/help.h"
#include "isa/instructions.h"
#include "isa/lookup.h"
#include "isa/releases.h"
#include "isa/targets.h"

namespace ptxscope::cli {
namespace {

std::vector<std::string> target_names() {
  std::vector<std::string> names;
  for (const isa::Target& target : isa::targets()) names.emplace_back(target.name);
  return names;
}

std::vector<std::string> version_names() {
  std::vector<std::string> names;
  for (const isa::Version version : isa::versions()) names.push_back(to_string(version));
  return names;
}

std::vector<std::string> release_names() {
  std::vector<std::string> names;
  for (const isa::Release& release : isa::releases())
    if (release.cuda != isa::CudaVersion{}) names.push_back(to_string(release.cuda));
  return names;
}

// What `explain` is asked most.
std::vector<std::string> explained_words() {
  std::vector<std::string> names;
  for (const isa::Instruction& one : isa::instructions()) names.emplace_back(one.mnemonic);
  for (const isa::Directive& one : isa::directives()) names.emplace_back(one.name);
  for (const std::string_view one : isa::special_register_names()) names.emplace_back(one);
  for (const isa::Feature& one : isa::features()) names.emplace_back(one.tag);
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

// By the word that stands for the value in --help, and where it stands for several things by the option.
ValueWords value_words(const std::string& name, const std::vector<std::string>& options,
                       const std::vector<std::string>& formats) {
  const auto belongs_to = [&](std::string_view option) { return std::ranges::find(options, option) != options.end(); };
  ValueWords words{name, ValueKind::list, {}, false};
  if (name == "FORMAT") words.values = formats;
  else if (name == "WHEN") words.values = {"auto", "always", "never"};
  else if (name.starts_with("TARGET")) words.values = target_names();
  else if (name == "RELEASE" || belongs_to("--cuda")) words.values = release_names();
  else if (name.starts_with("VERSION") && (belongs_to("--isa") || belongs_to("--ptx"))) words.values = version_names();
  else if (name.starts_with("FILE")) words.kind = ValueKind::file;
  else if (name.starts_with("FOLDER")) words.kind = ValueKind::folder;
  else words.kind = name.empty() ? ValueKind::none : ValueKind::text;
  if (name.ends_with("|min")) words.values.emplace_back("min");
  return words;
}

ValueWords operand_words(const std::string& name) {
  ValueWords words{name, ValueKind::ptx, {}, false};
  if (name.empty()) words.kind = ValueKind::none;
  else if (name.starts_with("-- COMMAND")) words.kind = ValueKind::command;
  else if (name == "[FILE.ll]") words.kind = ValueKind::file;
  else if (name == "[NAME...]") words.values = target_names();
  else if (name == "WORD...") words.values = explained_words();
  else if (name == "SHELL") words.values = completion_shells();
  if (!words.values.empty()) words.kind = ValueKind::list;
  return words;
}

OptionWords option_words(const CLI::Option& option, const Presentation& presentation) {
  OptionWords words;
  for (const auto& name : option.get_snames()) words.names.push_back("-" + name);
  for (const auto& name : option.get_lnames()) words.names.push_back("--" + name);
  words.description = option.get_description();
  words.is_common = option.get_group() == common_group;
  if (option.get_expected_max() > 0) {
    words.value = value_words(option.get_type_name(), words.names, presentation.formats);
    words.value.is_optional = option.get_expected_min() == 0;
  }
  return words;
}

}  // namespace

std::vector<CommandWords> words_of(const Program& program) {
  std::vector<CommandWords> commands;
  for (const auto& [presentation, app] : program.commands()) {
    CommandWords words{presentation->name, presentation->summary, {}, {}, presentation->examples};
    for (const CLI::Option* const option : app->get_options())
      if (option->nonpositional()) words.options.push_back(option_words(*option, *presentation));
    words.operand = operand_words(presentation->words.value_or("FILE..."));
    commands.push_back(std::move(words));
  }
  for (CommandWords& words : commands) {
    if (words.operand.name != "[COMMAND]") continue;
    words.operand.kind = ValueKind::list;
    for (const CommandWords& one : commands) words.operand.values.push_back(one.name);
  }
  return commands;
}

}  // namespace ptxscope::cli
