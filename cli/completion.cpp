// ptxscope completion: what makes bash, zsh and fish complete commands, options and values.
#include <algorithm>

#include "cli/command.h"
#include "cli/command_words.h"

namespace ptxscope::cli {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

// Between single quotes of a shell; `quote`: how a quote is written there.
std::string quoted(std::string_view text, std::string_view quote) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out += quote;
    else out += c;
  }
  return out + "'";
}

// What --help says, as far as one line of a menu has room for it.
std::string short_text(const std::string& description) {
  const std::size_t end = std::min({description.find("; "), description.find(": "), description.find(" ("),
                                    description.find("? "), description.size()});
  return description.substr(0, end);
}

std::vector<std::string> names_of(const std::vector<CommandWords>& commands) {
  std::vector<std::string> names;
  for (const CommandWords& command : commands) names.push_back(command.name);
  return names;
}

// ── bash ──

std::string bash_values(const ValueWords& value) {
  switch (value.kind) {
    case ValueKind::list:
      return "_ptxscope_words " + quoted(joined(value.values), "'\\''");
    case ValueKind::ptx:
      return "_ptxscope_files '*.ptx'";
    case ValueKind::file:
      return "_ptxscope_files '*'";
    case ValueKind::folder:
      return "_ptxscope_folders";
    default:
      return ":";
  }
}

std::string bash_command(const CommandWords& command) {
  std::string options;
  std::string values;
  for (const OptionWords& option : command.options) {
    options += (options.empty() ? "" : " ") + joined(option.names);
    if (option.value.kind == ValueKind::none || option.value.is_optional) continue;
    std::string pattern;
    for (const std::string& name : option.names) pattern += (pattern.empty() ? "" : "|") + name;
    values += "        " + pattern + ") " + bash_values(option.value) + "; return ;;\n";
  }
  std::string out = "    " + command.name + ")\n";
  if (command.operand.kind == ValueKind::command) out += "      _ptxscope_run && return\n";
  if (!values.empty()) out += "      case $option in\n" + values + "      esac\n";
  out += "      if [[ $current == -* ]]; then _ptxscope_words " + quoted(options, "'\\''") + "; else " +
         bash_values(command.operand) + "; fi ;;\n";
  return out;
}

constexpr const char* bash_head = R"(# bash completion of ptxscope, written by: ptxscope completion bash
_ptxscope_words() {
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current")
}
_ptxscope_folders() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -d -- "$current")
}
# Files of that pattern and folders; where there are none, all files: PTX is read out of others, too.
_ptxscope_files() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -f -X "!$1" -- "$current"; compgen -d -- "$current")
  if ((${#COMPREPLY[@]} == 0)); then mapfile -t COMPREPLY < <(compgen -f -- "$current"); fi
}
# Behind `--` stands a command with its own words.
_ptxscope_run() {
  local i
  for ((i = 2; i < COMP_CWORD; i++)); do
    if [[ ${COMP_WORDS[i]} == -- ]]; then
      compopt -o filenames 2>/dev/null
      if ((COMP_CWORD == i + 1)); then
        mapfile -t COMPREPLY < <(compgen -c -- "$current")
      else
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
      fi
      return 0
    fi
  done
  return 1
}
_ptxscope() {
  local current=${COMP_WORDS[COMP_CWORD]} option=
  COMPREPLY=()
  # In --format=json the = is a word of its own.
  if [[ $current == = ]]; then
    option=${COMP_WORDS[COMP_CWORD - 1]} current=
  elif ((COMP_CWORD > 2)) && [[ ${COMP_WORDS[COMP_CWORD - 1]} == = ]]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  elif ((COMP_CWORD > 2)); then
    option=${COMP_WORDS[COMP_CWORD - 1]}
  fi
)";

std::string bash_script(const std::vector<CommandWords>& commands) {
  std::string out = bash_head;
  const std::string names = joined(names_of(commands));
  out += "  if ((COMP_CWORD == 1)); then _ptxscope_words '" + names + " help --help --version'; return; fi\n";
  out += "  case ${COMP_WORDS[1]} in\n    help) _ptxscope_words '" + names + "' ;;\n";
  for (const CommandWords& command : commands) out += bash_command(command);
  return out + "  esac\n}\ncomplete -F _ptxscope ptxscope\n";
}

// ── zsh ──

// In a specification of _arguments, between single quotes.
std::string zsh_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == ':' || c == '[' || c == ']' || c == '\\') out += '\\';
    if (c == '\'') out += "'\\''";
    else out += c;
  }
  return out;
}

std::string zsh_action(const ValueWords& value) {
  switch (value.kind) {
    case ValueKind::list:
      return "(" + zsh_escaped(joined(value.values)) + ")";
    case ValueKind::ptx:
      return "_files -g \"*.ptx(-.)\"";
    case ValueKind::file:
      return "_files";
    case ValueKind::folder:
      return "_files -/";
    default:
      return " ";
  }
}

std::string zsh_options(const CommandWords& command) {
  std::string out;
  for (const OptionWords& option : command.options) {
    for (const std::string& name : option.names) {
      const bool is_long = name.starts_with("--");
      const bool has_value = option.value.kind != ValueKind::none;
      std::string spec = "*" + name;
      if (has_value) spec += option.value.is_optional ? "=-" : is_long ? "=" : "+";
      spec += "[" + zsh_escaped(short_text(option.description)) + "]";
      if (has_value)
        spec += std::string(option.value.is_optional ? "::" : ":") + zsh_escaped(option.value.name) + ":" +
                zsh_action(option.value);
      out += " \\\n        '" + spec + "'";
    }
  }
  return out;
}

std::string zsh_operand(const ValueWords& operand) {
  if (operand.kind == ValueKind::none) return "";
  if (operand.kind == ValueKind::command) return " \\\n        '(-)1:COMMAND:_command_names -e' '*::WORDS:_normal'";
  return " \\\n        '*:" + zsh_escaped(operand.name) + ":" + zsh_action(operand) + "'";
}

std::string zsh_script(const std::vector<CommandWords>& commands) {
  std::string out =
      "#compdef ptxscope\n# zsh completion of ptxscope, written by: ptxscope completion zsh\n"
      "_ptxscope() {\n  local -a commands\n  commands=(\n";
  for (const CommandWords& command : commands)
    out += "    '" + command.name + ":" + zsh_escaped(short_text(command.summary)) + "'\n";
  out +=
      "    'help:the text of --help'\n  )\n"
      "  if ((CURRENT == 2)); then\n    _describe -t commands command commands\n"
      "    _arguments '--help[this text]' '--version[the version of ptxscope]'\n    return\n  fi\n"
      "  local command=$words[2]\n  shift words\n  ((CURRENT--))\n  case $command in\n"
      "    help) _describe -t commands command commands ;;\n";
  for (const CommandWords& command : commands)
    out += "    " + command.name + ")\n      _arguments -s -S" + zsh_options(command) + zsh_operand(command.operand) +
           " ;;\n";
  return out +
         "  esac\n}\nif [ \"$funcstack[1]\" = _ptxscope ]; then _ptxscope \"$@\"; else compdef _ptxscope ptxscope; "
         "fi\n";
}

// ── fish ──

std::string fish_values(const ValueWords& value) {
  switch (value.kind) {
    case ValueKind::none:
      return "";
    case ValueKind::list:
      return " -x -a " + quoted(joined(value.values), "\\'");
    case ValueKind::ptx:
      return " -k -x -a '(__fish_complete_suffix .ptx)'";
    case ValueKind::file:
      return " -r -F";
    case ValueKind::folder:
      return " -x -a '(__fish_complete_directories)'";
    default:
      return " -x";
  }
}

std::string fish_script(const std::vector<CommandWords>& commands) {
  std::string out = R"(# fish completion of ptxscope, written by: ptxscope completion fish
function __ptxscope_is
    set -l words (commandline -opc)
    test (count $words) -ge 2; and test "$words[2]" = "$argv[1]"
end
function __ptxscope_has_no_command
    test (count (commandline -opc)) -eq 1
end
complete -c ptxscope -f
complete -c ptxscope -n __ptxscope_has_no_command -l help -s h -d 'this text'
complete -c ptxscope -n __ptxscope_has_no_command -l version -d 'the version of ptxscope'
)";
  for (const CommandWords& command : commands)
    out += "complete -c ptxscope -n __ptxscope_has_no_command -a " + command.name + " -d " +
           quoted(short_text(command.summary), "\\'") + "\n";
  out += "complete -c ptxscope -n __ptxscope_has_no_command -a help -d 'the text of --help'\n";
  out += "complete -c ptxscope -n '__ptxscope_is help' -a '" + joined(names_of(commands)) + "'\n";
  for (const CommandWords& command : commands) {
    const std::string begin = "complete -c ptxscope -n '__ptxscope_is " + command.name + "'";
    for (const OptionWords& option : command.options) {
      out += begin;
      for (const std::string& name : option.names)
        out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      out += option.value.is_optional ? "" : fish_values(option.value);
      out += " -d " + quoted(short_text(option.description), "\\'") + "\n";
    }
    if (command.operand.kind == ValueKind::command)
      out += begin + " -x -a '(__fish_complete_subcommand --fcs-skip=2)'\n";
    else if (command.operand.kind == ValueKind::file) out += begin + " -F\n";
    else if (command.operand.kind != ValueKind::none) out += begin + fish_values(command.operand) + "\n";
  }
  return out;
}

}  // namespace

const std::vector<std::string>& completion_shells() {
  static const std::vector<std::string> shells{"bash", "zsh", "fish"};
  return shells;
}

std::string completion_script(const std::vector<CommandWords>& commands, const std::string& shell) {
  if (shell == "bash") return bash_script(commands);
  return shell == "zsh" ? zsh_script(commands) : fish_script(commands);
}

void add_completion(Program& program) {
  program.add({.name = "completion",
               .summary = "a script that makes bash, zsh or fish complete commands, options, files and targets",
               .examples = {"ptxscope completion bash > ~/.local/share/bash-completion/completions/ptxscope",
                            "ptxscope completion zsh > /usr/local/share/zsh/site-functions/_ptxscope",
                            "ptxscope completion fish > ~/.config/fish/completions/ptxscope.fish"},
               .words = "SHELL"},
              [&program](Run& run) {
                const std::vector<std::string>& words = run.options().words;
                const std::vector<std::string>& shells = completion_shells();
                if (words.size() != 1 || std::ranges::find(shells, words.front()) == shells.end()) {
                  run.fail((words.empty() ? "no shell given" : joined(words) + ": not one shell") +
                           std::string("; name one of: bash, zsh, fish"));
                  return;
                }
                run.add_document(completion_script(words_of(program), words.front()));
              });
}

}  // namespace ptxscope::cli
