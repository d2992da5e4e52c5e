#include "lsp/text.h"

#include <algorithm>
#include <utility>

namespace ptxscope::lsp {
namespace {

constexpr std::uint32_t piece = 4096;  // bytes between two counts of code units

// UTF-16 code units that a byte of UTF-8 stands for: all of them are counted at a character's first byte.
unsigned units_of(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if ((byte & 0xc0U) == 0x80U) return 0;
  return byte >= 0xf0U ? 2 : 1;
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

}  // namespace

Text::Text(std::string bytes, Encoding encoding) : bytes_(std::move(bytes)), encoding_(encoding) { look_for_lines(); }

void Text::look_for_lines() {
  begins_.assign(1, 0);
  units_.clear();
  const bool has_returns = bytes_.find('\r') != std::string::npos;
  const auto next = [&](std::size_t from) {  // the search for one character is the faster
    return has_returns ? bytes_.find_first_of("\r\n", from) : bytes_.find('\n', from);
  };
  for (std::size_t at = next(0); at != std::string::npos; at = next(at + 1)) {
    if (bytes_[at] == '\r' && at + 1 < bytes_.size() && bytes_[at + 1] == '\n') ++at;
    begins_.push_back(static_cast<std::uint32_t>(at + 1));
  }
  unsigned all = 0;  // bits of the bytes: without a way out in the middle this is done many bytes at once
  for (const char c : bytes_) all |= static_cast<unsigned char>(c);
  const bool is_ascii = all < 0x80U;
  if (is_ascii || encoding_ == Encoding::utf8) return;
  std::uint64_t units = 0;
  for (std::size_t at = 0; at < bytes_.size(); ++at) {
    if (at % piece == 0) units_.push_back(units);
    units += units_of(bytes_[at]);
  }
}

std::string_view Text::line(std::uint32_t line) const {
  if (line >= begins_.size()) return {};
  const std::uint32_t begin = begins_[line];
  const std::size_t end = line + 1 < begins_.size() ? begins_[line + 1] : bytes_.size();
  std::string_view text = std::string_view(bytes_).substr(begin, end - begin);
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

std::uint64_t Text::units_before(std::uint32_t offset) const {
  if (units_.empty()) return offset;
  const std::size_t known = std::min<std::size_t>(offset / piece, units_.size() - 1);
  std::uint64_t units = units_[known];
  for (std::size_t at = known * piece; at < offset; ++at) units += units_of(bytes_[at]);
  return units;
}

std::uint32_t Text::offset_of(TextPosition position) const {
  if (position.line >= begins_.size()) return static_cast<std::uint32_t>(bytes_.size());
  const std::uint32_t begin = begins_[position.line];
  const auto end = static_cast<std::uint32_t>(begin + line(position.line).size());
  if (units_.empty()) {
    std::uint32_t at = position.character < end - begin ? begin + position.character : end;
    while (at > begin && at < end && is_continuation(bytes_[at])) --at;  // columns may count bytes
    return at;
  }
  const std::uint64_t wanted = units_before(begin) + position.character;
  const auto behind = std::ranges::upper_bound(units_, wanted);
  const auto known = static_cast<std::uint32_t>(behind - units_.begin() - 1);
  std::uint32_t at = begin;
  std::uint64_t units = wanted - position.character;
  if (known * piece > begin) {
    at = std::min(known * piece, end);
    units = units_before(at);
  }
  while (at < end && units + units_of(bytes_[at]) <= wanted) units += units_of(bytes_[at++]);
  while (at > begin && at < end && is_continuation(bytes_[at])) --at;
  return at;
}

TextPosition Text::position_of(std::uint32_t offset) const {
  offset = std::min(offset, static_cast<std::uint32_t>(bytes_.size()));
  const auto behind = std::ranges::upper_bound(begins_, offset);
  const auto line = static_cast<std::uint32_t>(behind - begins_.begin() - 1);
  return {line, static_cast<std::uint32_t>(units_before(offset) - units_before(begins_[line]))};
}

}  // namespace ptxscope::lsp
