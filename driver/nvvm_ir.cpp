#include "driver/nvvm_ir.h"

#include <algorithm>
#include <charconv>
#include <map>

namespace ptxscope::driver {

namespace {

using Lines = std::vector<std::string_view>;

// A line without its indentation and what follows it: "!1 = !{i32 2, i32 0}".
std::string_view trimmed(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  const std::size_t end = line.find_last_not_of(" \t\r");
  return line.substr(begin, end - begin + 1);
}

std::optional<unsigned> number_at(std::string_view text) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  return number;
}

// The nodes a named one lists: "!{!1, !2}" → 1, 2.
std::vector<unsigned> references(std::string_view text) {
  std::vector<unsigned> numbers;
  text = text.substr(std::min(text.find('{'), text.size()));
  for (std::size_t at = text.find('!'); at != std::string_view::npos; at = text.find('!', at + 1))
    if (const auto number = number_at(text.substr(at + 1))) numbers.push_back(*number);
  return numbers;
}

// Its integers: "!{i32 2, i32 0}" → 2, 0; nullopt: something else is among them.
std::optional<std::vector<unsigned>> integers(std::string_view text) {
  const std::size_t open = text.find('{');
  const std::size_t close = text.find('}');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return std::nullopt;
  std::vector<unsigned> numbers;
  std::string_view rest = text.substr(open + 1, close - open - 1);
  while (!trimmed(rest).empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view item = trimmed(rest.substr(0, comma));
    const std::size_t space = item.rfind(' ');
    if (!item.starts_with('i') || space == std::string_view::npos) return std::nullopt;
    const auto number = number_at(item.substr(space + 1));
    if (!number) return std::nullopt;
    numbers.push_back(*number);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return numbers;
}

bool looks_like_ir(std::string_view line) {
  for (const std::string_view word :
       {"define ", "declare ", "target ", "source_filename", "; ModuleID", "@", "!", "attributes #", "%"})
    if (line.starts_with(word)) return true;
  return false;
}

}  // namespace

std::string to_string(const NvvmVersion& version) {
  std::string text = std::to_string(version.major_number) + "." + std::to_string(version.minor_number);
  if (version.debug_major != 0)
    text += ", debug metadata " + std::to_string(version.debug_major) + "." + std::to_string(version.debug_minor);
  return text;
}

NvvmModule read_nvvm_module(std::string file, std::string_view text) {
  NvvmModule module;
  module.file = std::move(file);
  if (text.starts_with("BC\xc0\xde") || text.starts_with("\xde\xc0\x17\x0b")) {
    module.error = "this is LLVM bitcode; write it as text first: llvm-dis FILE.bc -o FILE.ll";
    return module;
  }
  std::vector<unsigned> version_nodes;
  std::vector<unsigned> flag_nodes;
  struct Node {
    std::uint32_t line;
    std::string_view text;
  };
  // Only of nodes that may be meant: a module with debug information has many thousands of others.
  std::map<unsigned, Node> nodes;
  bool is_ir = false;
  bool is_ptx = false;
  unsigned highest = 0;
  bool has_number = false;
  std::uint32_t line_number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line_number;
    if (!is_ir) is_ir = looks_like_ir(line);
    if (!is_ir && line.starts_with(".version")) is_ptx = true;
    if (!line.starts_with('!')) continue;
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = trimmed(line.substr(1, equals - 1));
    const std::string_view content = trimmed(line.substr(equals + 1));
    if (name == "nvvmir.version") {
      module.version_line = line_number;
      version_nodes = references(content);
    } else if (name == "llvm.dbg.cu") {
      module.has_debug_info = !references(content).empty();
    } else if (name == "llvm.module.flags") {
      flag_nodes = references(content);
    } else if (const auto number = number_at(name)) {
      highest = std::max(highest, *number);
      has_number = true;
      if (content.find("{i") != std::string_view::npos || content.find("{ i") != std::string_view::npos)
        nodes[*number] = {line_number, content};
    }
  }
  module.free_number = has_number ? highest + 1 : 0;
  if (!is_ir) {
    module.error = is_ptx ? "this is PTX, not NVVM IR; ptxscope check says what it needs"
                          : "this is not LLVM IR in text form (.ll); NVVM IR is";
    return module;
  }
  for (const unsigned number : version_nodes) {
    NvvmDeclaration declaration;
    if (const auto node = nodes.find(number); node != nodes.end()) {
      declaration.line = node->second.line;
      declaration.numbers = integers(node->second.text).value_or(std::vector<unsigned>{});
    }
    module.versions.push_back(std::move(declaration));
  }
  for (const unsigned number : flag_nodes) {
    const auto node = nodes.find(number);
    if (node == nodes.end()) continue;
    const std::string_view flag = node->second.text;
    constexpr std::string_view name = "\"Debug Info Version\",";
    const std::size_t at = flag.find(name);
    if (at == std::string_view::npos) continue;
    const std::string_view value = trimmed(flag.substr(at + name.size()));
    const std::size_t space = value.find(' ');
    if (space != std::string_view::npos) module.debug_info_version = number_at(value.substr(space + 1));
  }
  return module;
}

std::string refusal(const NvvmModule& module, const NvvmVersion& library, bool with_debug_info) {
  const auto pair = [](unsigned major, unsigned minor) { return std::to_string(major) + "." + std::to_string(minor); };
  const auto against = [&](std::string_view what, unsigned major, unsigned minor, unsigned of_major,
                           unsigned of_minor) -> std::string {
    if (major == of_major && minor <= of_minor) return {};
    return std::string(what) + " version " + pair(major, minor) + " incompatible with current version " +
           pair(of_major, of_minor);
  };
  std::vector<NvvmDeclaration> versions = module.versions;
  if (versions.empty()) versions.push_back({0, {1, 0, 1, 0}});  // what a module without a node counts as
  for (const NvvmDeclaration& one : versions) {
    if (one.numbers.size() != 2 && one.numbers.size() != 4) return "incompatible IR detected";
    if (std::string words = against("IR", one.numbers[0], one.numbers[1], library.major_number, library.minor_number);
        !words.empty())
      return words;
    if (one.numbers.size() == 2) {
      if (with_debug_info) return "incompatible IR detected";
      continue;
    }
    if (module.versions.empty() && !with_debug_info) continue;
    if (std::string words = against("DBG", one.numbers[2], one.numbers[3], library.debug_major, library.debug_minor);
        !words.empty())
      return words;
  }
  return {};
}

std::string lines_to_write(const NvvmModule& module, const NvvmVersion& library) {
  std::string numbers =
      "!{i32 " + std::to_string(library.major_number) + ", i32 " + std::to_string(library.minor_number);
  const bool has_four = std::ranges::any_of(module.versions, [](const auto& one) { return one.numbers.size() == 4; });
  if (module.has_debug_info || has_four)
    numbers += ", i32 " + std::to_string(library.debug_major) + ", i32 " + std::to_string(library.debug_minor);
  numbers += "}";
  const std::string node = "!" + std::to_string(module.free_number);
  if (module.version_line == 0) return "add: !nvvmir.version = !{" + node + "}\nand: " + node + " = " + numbers;
  std::string lines;
  for (const NvvmDeclaration& one : module.versions) {
    NvvmModule alone = module;
    alone.versions = {one};
    if (one.line != 0 && !refusal(alone, library, module.has_debug_info).empty())
      lines += (lines.empty() ? "" : "\n") + ("write in line " + std::to_string(one.line) + ": " + numbers);
  }
  if (!lines.empty()) return lines;
  return "write in line " + std::to_string(module.version_line) + ": !nvvmir.version = !{" + node +
         "}\nand add: " + node + " = " + numbers;
}

}  // namespace ptxscope::driver
