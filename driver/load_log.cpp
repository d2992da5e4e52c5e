#include <algorithm>
#include <charconv>
#include <optional>

#include "driver/load.h"

namespace ptxscope::driver {

namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// The number that ends right before `word`: "12 bytes stack frame".
std::optional<std::uint64_t> number_before(std::string_view line, std::string_view word) {
  const std::size_t end = line.find(word);
  if (end == std::string_view::npos || end == 0) return std::nullopt;
  std::size_t begin = end;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  std::uint64_t number = 0;
  if (std::from_chars(line.data() + begin, line.data() + end, number).ec != std::errc{}) return std::nullopt;
  return number;
}

// What stands between `before` and the next of `after`.
std::string_view between(std::string_view line, std::string_view before, char after) {
  const std::size_t at = line.find(before);
  if (at == std::string_view::npos) return {};
  const std::size_t begin = at + before.size();
  return line.substr(begin, std::min(line.find(after, begin), line.size()) - begin);
}

struct Word {
  std::string_view text;
  Level level;
};
constexpr Word levels[] = {
    {"error", Level::error}, {"fatal", Level::error}, {"warning", Level::warning}, {"info", Level::note}};

class Reader {
 public:
  // Both logs may hold the same line.
  void read(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      line(trimmed(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  [[nodiscard]] JitLog take() {
    // "Ptx assembly aborted due to errors" says nothing once there are errors.
    const bool has_error = std::ranges::any_of(
        log_.messages, [](const JitMessage& one) { return one.level == Level::error && !is_summary(one); });
    if (has_error) std::erase_if(log_.messages, is_summary);
    return std::move(log_);
  }

 private:
  static bool is_summary(const JitMessage& message) {
    return message.line == 0 && message.text.starts_with("Ptx assembly aborted");
  }

  JitUsage& usage_of(std::string_view function) {
    for (JitUsage& usage : log_.usage)
      if (usage.function == function) return usage;
    log_.usage.emplace_back();
    log_.usage.back().function = function;
    return log_.usage.back();
  }

  // True: the line tells what a function uses.
  bool usage(std::string_view line) {
    if (const std::string_view name = between(line, "Compiling entry function '", '\''); !name.empty()) {
      compiled_ = name;
      current_ = name;
      usage_of(name);
      return true;
    }
    if (const std::string_view name = between(line, "Function properties for ", '\n'); !name.empty()) {
      // Newer ones quote it.
      current_ = name.starts_with('\'') ? name.substr(1, name.find('\'', 1) - 1) : name;
      return true;
    }
    if (line.find("bytes stack frame") != std::string_view::npos) {
      JitUsage& usage = usage_of(current_);
      usage.stack = number_before(line, " bytes stack frame").value_or(0);
      usage.spill_stores = number_before(line, " bytes spill stores").value_or(0);
      usage.spill_loads = number_before(line, " bytes spill loads").value_or(0);
      return true;
    }
    if (line.find(": Used ") != std::string_view::npos) {
      usage_of(compiled_).barriers = number_before(line, " barriers").value_or(0);
      return true;
    }
    return line.find("bytes gmem") != std::string_view::npos || line.find("Compile time = ") != std::string_view::npos;
  }

  void line(std::string_view line) {
    if (line.empty() || usage(line)) return;
    JitMessage message;
    message.level = Level::note;
    std::string_view text = line;
    for (const Word& word : levels) {
      // "error   : ", "info    : ", after "ptxas " or a place and "; ".
      std::size_t at = line.find(word.text);
      while (at != std::string_view::npos) {
        const std::size_t end = line.find_first_not_of(' ', at + word.text.size());
        const bool begins = at == 0 || line[at - 1] == ' ';
        if (begins && end != std::string_view::npos && line[end] == ':') {
          message.level = word.level;
          text = trimmed(line.substr(end + 1));
          const std::string_view place = between(line.substr(0, at), ", line ", ';');
          std::from_chars(place.data(), place.data() + place.size(), message.line);
          break;
        }
        at = line.find(word.text, at + 1);
      }
      if (at != std::string_view::npos) break;
    }
    message.function = between(text, "function '", '\'');
    message.text = text;
    const auto is_same = [&](const JitMessage& one) { return one.line == message.line && one.text == message.text; };
    if (std::ranges::none_of(log_.messages, is_same)) log_.messages.push_back(std::move(message));
  }

  JitLog log_;
  std::string compiled_, current_;
};

}  // namespace

JitLog read_jit_log(std::string_view info, std::string_view errors) {
  Reader reader;
  reader.read(errors);
  reader.read(info);
  return reader.take();
}

}  // namespace ptxscope::driver
