// The command line as data, for what is written from it: completions of shells and manual pages.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ptxscope::cli {

class Program;

/// What a shell can say of a value before it is there.
enum class ValueKind : std::uint8_t {
  none,     ///< there is no value
  text,     ///< nothing
  ptx,      ///< a PTX file, or one that holds PTX
  file,     ///< any file
  folder,   ///<
  command,  ///< a program, and what it is given
  list,     ///< one of `values`
};

struct ValueWords {
  std::string name;  ///< "FILE", "[NAME...]"; empty: there is none
  ValueKind kind = ValueKind::none;
  std::vector<std::string> values;  ///< of kind list
  bool is_optional = false;         ///< an option that may stand without: `--device[=12.0]`
};

struct OptionWords {
  std::vector<std::string> names;  ///< "-o", "--output"
  std::string description;
  ValueWords value;
  bool is_common = false;  ///< all commands take it
};

struct CommandWords {
  std::string name, summary;
  std::vector<OptionWords> options;
  ValueWords operand;
  std::vector<std::string> examples;
};

/// Of all commands, in the order of --help.
[[nodiscard]] std::vector<CommandWords> words_of(const Program& program);

/// The script that makes that shell complete commands; `shell`: one of completion_shells().
[[nodiscard]] std::string completion_script(const std::vector<CommandWords>& commands, const std::string& shell);
[[nodiscard]] const std::vector<std::string>& completion_shells();

/// A page in the language of man(7): of one command, or of the program with all of them.
[[nodiscard]] std::string command_page(const CommandWords& command);
[[nodiscard]] std::string program_page(const std::vector<CommandWords>& commands);

}  // namespace ptxscope::cli
