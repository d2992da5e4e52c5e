// ptxscope targets: every .target, since when, and which devices its code runs on.
#include "report/targets.h"

#include <algorithm>
#include <cctype>

#include "cli/command.h"
#include "cli/suggest.h"

namespace ptxscope::cli {

namespace {

// In lower case, each word with a blank before it: " geforce rtx 4090".
std::string words_of(std::string_view text) {
  std::string words;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) {
      if (words.empty()) words = " ";
      words += static_cast<char>(std::tolower(byte));
    } else if (!words.empty() && words.back() != ' ') {
      words += ' ';
    }
  }
  while (words.ends_with(' ')) words.pop_back();
  return words;
}

// Whether `wanted` begins at a word of `text`, blanks aside, and ends no number in the middle: "rtx4090", "black", "l40"
// of "RTX 4090", "Blackwell", "L40S"; neither "90" of "4090" nor "t4" of "T4000".
bool names_part(const std::string& text, const std::string& wanted) {
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  for (std::size_t begin = 0; begin < text.size(); ++begin) {
    if (text[begin] != ' ') continue;
    std::size_t at = begin;
    std::size_t next = 0;
    while (next < wanted.size() && at < text.size()) {
      if (wanted[next] == ' ') ++next;
      else if (text[at] == ' ') ++at;
      else if (text[at] == wanted[next]) ++at, ++next;
      else break;
    }
    if (next == wanted.size() && !(at < text.size() && is_digit(text[at]) && is_digit(text[at - 1]))) return true;
  }
  return false;
}

bool is_called(const isa::Device& device, std::string_view name) {
  std::string wanted = words_of(name);
  // A table of products names the brand once: "GeForce RTX 3060, RTX 3090".
  for (const std::string_view brand : {" nvidia ", " geforce ", " tesla ", " quadro "})
    if (wanted.starts_with(brand)) wanted.erase(0, brand.size() - 1);
  if (wanted.size() < 3) return false;  // one letter or digit names nothing
  if (names_part(words_of(device.architecture), wanted)) return true;
  std::string_view products = device.products;
  while (!products.empty()) {
    const std::size_t end = std::min(products.find(','), products.size());
    if (names_part(words_of(products.substr(0, end)), wanted)) return true;
    products.remove_prefix(std::min(end + 1, products.size()));
  }
  return false;
}

std::vector<report::TargetOrDevice> find(std::string_view name) {
  if (const auto target = read_target(name)) return {*target};
  if (const auto number = isa::parse_capability(name)) {
    if (const isa::Device* device = isa::find_device(*number)) return {device};
    return {};
  }
  std::vector<report::TargetOrDevice> found;
  for (const isa::Device& device : isa::devices())
    if (is_called(device, name)) found.emplace_back(&device);
  return found;
}

std::string suggestion(std::string_view name) {
  const bool is_number = name.find_first_not_of("0123456789") == std::string_view::npos;
  if (is_number && name.size() > 3) return "";  // of a product
  if (!isa::parse_capability(name)) return suggest_target(name);
  std::vector<std::string> known;
  for (const isa::Device& device : isa::devices()) known.push_back(isa::capability_of(device.number));
  return suggest_number(name, known);
}

}  // namespace

void add_targets(Program& program) {
  program.add({.name = "targets",
               .summary = "every .target: since which PTX ISA version, and which GPUs its code runs on",
               .formats = {"text", "json"},
               .examples = {"ptxscope targets", "ptxscope targets sm_100f", "ptxscope targets 12.0",
                            "ptxscope targets hopper T4"},
               .words = "[NAME...]"},
              [](Run& run) {
                std::vector<report::TargetOrDevice> wanted;
                for (const std::string& name : run.options().words) {
                  const auto found = find(name);
                  wanted.insert(wanted.end(), found.begin(), found.end());
                  const auto number = isa::parse_capability(name);
                  if (number && !found.empty() && isa::find_device(*number)->number != *number)
                    run.warn(name + ": this is " + isa::capability_of(isa::find_device(*number)->number) +
                             ", its name from PTX ISA 9.0 on");
                  if (!found.empty()) continue;
                  run.warn(name + ": no target, compute capability, architecture or GPU of that name is known" +
                           suggestion(name));
                  run.object();
                }
                if (wanted.empty() && !run.options().words.empty()) return;
                if (run.is_json()) run.add_document(report::targets_json(wanted));
                else
                  run.add_document(wanted.empty() ? report::targets_text(run.style())
                                                  : report::targets_text(wanted, run.style()));
              });
}

}  // namespace ptxscope::cli
