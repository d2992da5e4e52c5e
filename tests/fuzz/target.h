// A fuzz target: what it does with an input, and how inputs are changed. All targets are in one program, which picks one
// by the name that it is called by (fuzz_cfg) or that is in its hands (fuzz_replay).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptxscope::fuzz {

/// An option of a command that an input may give, with values worth trying; without values it is a flag.
struct Option {
  std::string_view name;
  std::vector<std::string_view> values = {};
};

/// What the inputs are, for the mutator.
enum class Form {
  ptx,        ///< statements of PTX, perhaps a line of options at the end
  container,  ///< bytes
  text,       ///< lines
};

/// The bytes, taken apart. A last line `//! --grid=4 --live` gives options: each `--NAME` or `--NAME=VALUE`; in a value
/// `~` stands for a blank. Only those of the target are let through, so no input names a file. A line `//! ----` splits
/// the rest in two.
struct Input {
  std::string bytes;  ///< all of it
  std::string text;   ///< without the line of options; to the first split
  std::string other;  ///< behind the split
  std::vector<std::string> words;
};

struct Target {
  std::string_view name;
  Form form = Form::ptx;
  void (*run)(const Input& input) = nullptr;
  std::vector<Option> options = {};
  std::size_t most_bytes = std::size_t{1} << 13;
};

[[nodiscard]] std::span<const Target> targets();
/// nullptr: there is none.
[[nodiscard]] const Target* find_target(std::string_view name);

[[nodiscard]] Input read_input(std::string_view bytes, const Target& target);
/// Where the line of options begins; the size where there is none.
[[nodiscard]] std::size_t begin_of_options(std::string_view bytes);
inline constexpr std::string_view options_mark = "//! ";
inline constexpr std::string_view split_line = "//! ----\n";

/// Takes the input through the target.
void run_target(const Target& target, std::string_view bytes);

// The targets, each in its own file.
Target scanner_target();
Target parser_target();
Target explain_trap_target();
Target cfg_target();
Target stats_target();
Target check_target();
Target diff_target();
Target retarget_target();
Target report_target();
Target instrument_target();
Target lsp_target();
Target scan_target();
Target bench_target();
Target bench_replay_target();
Target container_target();
Target extract_target();
Target doctor_target();
Target run_target_of_processes();
Target words_target();

}  // namespace ptxscope::fuzz
