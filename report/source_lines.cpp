#include "report/source_lines.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "report/terminal.h"

namespace ptxscope::report {
namespace {

constexpr std::size_t max_bytes = std::size_t{16} << 20;
constexpr std::size_t max_files = 64;
constexpr std::size_t max_shown = 160;

bool is_source_name(const std::string& file) {
  static constexpr std::array<std::string_view, 22> endings = {
      ".cu",  ".cuh", ".c",  ".cc", ".cpp",  ".cxx", ".h",   ".hh", ".hpp", ".hxx", ".inl",
      ".inc", ".rs",  ".jl", ".py", ".mojo", ".zig", ".hip", ".cl", ".d",   ".nim", ".ll"};
  const std::string ending = std::filesystem::path(file).extension().string();
  return std::find(endings.begin(), endings.end(), ending) != endings.end();
}

// Nothing on any failure. O_NONBLOCK: opening a pipe must not wait for its other end.
std::string read_regular(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0) return {};
  struct stat status {};
  std::string text;
  if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
    text.resize(std::min(static_cast<std::size_t>(status.st_size), max_bytes));
    std::size_t used = 0;
    while (used < text.size()) {
      const ::ssize_t got = ::read(file, text.data() + used, text.size() - used);
      if (got <= 0) break;
      used += static_cast<std::size_t>(got);
    }
    text.resize(used);
  }
  ::close(file);
  return text;
}

}  // namespace

SourceLines::SourceLines(std::string_view ptx_file) : folder_(std::filesystem::path(ptx_file).parent_path().string()) {}

const std::string& SourceLines::content(const std::string& file) {
  static const std::string nothing;
  const auto found = contents_.find(file);
  if (found != contents_.end()) return found->second;
  if (contents_.size() >= max_files || file.empty() || file.find('\0') != std::string::npos || !is_source_name(file))
    return nothing;
  std::string text;
  if (!folder_.empty() && file.front() != '/') text = read_regular(folder_ + '/' + file);
  if (text.empty()) text = read_regular(file);
  return contents_.emplace(file, std::move(text)).first->second;
}

std::optional<std::string> SourceLines::line(const std::string& file, std::uint32_t number) {
  if (number == 0) return std::nullopt;
  const std::string_view text = content(file);
  std::size_t begin = 0;
  for (std::uint32_t at = 1; at < number; ++at) {
    begin = text.find('\n', begin);
    if (begin == std::string_view::npos) return std::nullopt;
    ++begin;
  }
  if (begin >= text.size()) return std::nullopt;
  std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!line.empty() && is_space(line.front())) line.remove_prefix(1);
  while (!line.empty() && is_space(line.back())) line.remove_suffix(1);
  if (line.empty()) return std::nullopt;
  return printable(line, max_shown);
}

}  // namespace ptxscope::report
