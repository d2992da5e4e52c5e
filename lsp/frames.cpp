#include "lsp/frames.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace ptxscope::lsp {
namespace {

constexpr std::string_view length_field = "content-length";

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return out;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// No message is that long: bytes that ask for so many are no header.
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 32U;

// A header line taken apart; nullopt: it is none.
struct Field {
  std::string name;
  std::string_view value;
};
std::optional<Field> field_of(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == 0 || colon == std::string_view::npos) return std::nullopt;
  const std::string_view name = line.substr(0, colon);
  const bool is_name = std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  });
  if (!is_name) return std::nullopt;
  return Field{lower(name), trimmed(line.substr(colon + 1))};
}

// "restContent-Length": what stands before the header's name is no part of it.
bool is_cut(std::string_view name) {
  if (name == length_field || !name.ends_with(length_field)) return false;
  return name[name.size() - length_field.size() - 1] != '-';
}

// The end of a line that may be the header; empty: there is none.
std::string_view last_length(std::string_view line) {
  const std::size_t at = lower(line).rfind(std::string(length_field) + ":");
  return at == std::string::npos ? std::string_view() : line.substr(at);
}

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

}  // namespace

bool FrameReader::fill() {
  constexpr std::size_t piece = std::size_t{1} << 16U;
  if (at_ == buffer_.size()) {
    buffer_.resize(piece);
    buffer_.resize(read_(buffer_.data(), piece));
    at_ = 0;
  }
  return at_ < buffer_.size();
}

FrameReader::Line FrameReader::line() {
  Line result;
  while (fill()) {
    const std::size_t end = std::min(buffer_.find('\n', at_), buffer_.size());
    result.text.append(buffer_, at_, end - at_);
    if (result.text.size() > limits_.header_line) {
      result.too_long = true;
      result.text.erase(0, result.text.size() - limits_.header_line);
    }
    at_ = end;
    if (end == buffer_.size()) continue;
    ++at_;
    result.complete = true;
    if (result.text.ends_with('\r')) result.text.pop_back();
    break;
  }
  return result;
}

Frame FrameReader::content(std::size_t size) {
  Frame result{Frame::Kind::message, {}};
  std::size_t left = size;
  while (left != 0 && fill()) {
    const std::size_t taken = std::min(left, buffer_.size() - at_);
    if (size <= limits_.content) result.text.append(buffer_, at_, taken);
    at_ += taken;
    left -= taken;
  }
  if (left != 0) return {Frame::Kind::end, {}};
  if (size > limits_.content)
    return {Frame::Kind::problem, "a message of " + std::to_string(size) + " bytes was skipped: at most " +
                                      std::to_string(limits_.content) + " are taken"};
  return result;
}

// Nothing of the header counts. The sentence is told once.
std::optional<Frame> FrameReader::garbage(std::string sentence) {
  const bool is_new = !in_garbage_;
  in_garbage_ = true;
  in_header_ = false;
  length_.reset();
  return is_new ? std::optional<Frame>(Frame{Frame::Kind::problem, std::move(sentence)}) : std::nullopt;
}

std::optional<Frame> FrameReader::take_field(std::string_view name, std::string_view value) {
  in_header_ = true;
  if (name != length_field) return std::nullopt;
  length_ = number_of(value);
  if (length_ && *length_ <= most_bytes) return std::nullopt;
  return garbage("Content-Length is not a number of bytes");
}

Frame FrameReader::next() {
  for (;;) {
    const Line one = line();
    if (!one.complete) return {Frame::Kind::end, {}};
    std::optional<Frame> told;
    if (one.text.empty() && !one.too_long) {
      if (length_) {
        in_garbage_ = in_header_ = false;
        return content(static_cast<std::size_t>(*std::exchange(length_, std::nullopt)));
      }
      if (in_header_) told = garbage("a header without Content-Length");
    } else if (const auto field = one.too_long ? std::nullopt : field_of(one.text); field && !is_cut(field->name)) {
      told = take_field(field->name, field->value);
    } else {
      told = garbage("a line that is no header; expected Content-Length: and the number of bytes");
      // What follows bytes that are no message may begin in the middle of a line.
      if (const auto last = field_of(last_length(one.text))) static_cast<void>(take_field(last->name, last->value));
    }
    if (told) return *told;
  }
}

std::string frame(std::string_view content) {
  return "Content-Length: " + std::to_string(content.size()) + "\r\n\r\n" + std::string(content);
}

}  // namespace ptxscope::lsp
