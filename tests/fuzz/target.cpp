#include "tests/fuzz/target.h"

#include <algorithm>
#include <array>

namespace ptxscope::fuzz {

std::span<const Target> targets() {
  static const std::array all{scanner_target(),
                              parser_target(),
                              explain_trap_target(),
                              cfg_target(),
                              stats_target(),
                              check_target(),
                              diff_target(),
                              retarget_target(),
                              report_target(),
                              instrument_target(),
                              bench_target(),
                              bench_replay_target(),
                              container_target(),
                              extract_target(),
                              doctor_target(),
                              lsp_target(),
                              scan_target(),
                              words_target(),
                              run_target_of_processes()};
  return all;
}

const Target* find_target(std::string_view name) {
  for (const Target& target : targets())
    if (target.name == name) return &target;
  return nullptr;
}

std::size_t begin_of_options(std::string_view bytes) {
  std::string_view body = bytes;
  if (body.ends_with('\n')) body.remove_suffix(1);
  const std::size_t line = body.rfind('\n');
  const std::size_t begin = line == std::string_view::npos ? 0 : line + 1;
  const bool is_options = body.substr(begin).starts_with(options_mark) && !bytes.substr(begin).starts_with(split_line);
  return is_options ? begin : bytes.size();
}

Input read_input(std::string_view bytes, const Target& target) {
  Input input;
  input.bytes = bytes;
  const std::size_t end = begin_of_options(bytes);
  std::string_view text = bytes.substr(0, end);
  if (const std::size_t split = text.find(split_line); split != std::string_view::npos) {
    input.other = text.substr(split + split_line.size());
    text = text.substr(0, split);
  }
  input.text = text;
  std::string_view line = bytes.substr(end);
  line = line.substr(0, line.find('\n'));
  line.remove_prefix(std::min(options_mark.size(), line.size()));
  while (!line.empty()) {
    const std::size_t blank = std::min(line.find(' '), line.size());
    std::string word(line.substr(0, blank));
    line.remove_prefix(std::min(blank + 1, line.size()));
    const std::size_t equal = word.find('=');
    const std::string_view name = std::string_view(word).substr(0, equal);
    const bool has_value = equal != std::string::npos && equal + 1 < word.size();
    const bool is_known = std::ranges::any_of(
        target.options, [&](const Option& one) { return one.name == name && one.values.empty() != has_value; });
    if (!is_known || (has_value && word.find('\0') != std::string::npos)) continue;
    std::ranges::replace(word, '~', ' ');
    input.words.push_back(std::move(word));
  }
  return input;
}

void run_target(const Target& target, std::string_view bytes) { target.run(read_input(bytes, target)); }

}  // namespace ptxscope::fuzz
