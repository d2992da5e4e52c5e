#include "tests/fuzz/mutate.h"

#include <algorithm>
#include <cstring>

namespace ptxscope::fuzz {

std::size_t Chance::operator()(std::size_t below) {
  // SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators).
  state_ += 0x9e3779b97f4a7c15U;
  std::uint64_t z = state_;
  z = (z ^ z >> 30U) * 0xbf58476d1ce4e5b9U;
  z = (z ^ z >> 27U) * 0x94d049bb133111ebU;
  z ^= z >> 31U;
  return below == 0 ? 0 : z % below;
}

namespace {

std::size_t put(std::string_view text, std::span<std::uint8_t> out) {
  const std::size_t size = std::min(text.size(), out.size());
  std::memcpy(out.data(), text.data(), size);
  return size;
}

// "--grid=4"; of several ways one.
std::string option_of(const Target& target, Chance& chance) {
  const Option& option = chance.of(target.options);
  std::string word(option.name);
  if (!option.values.empty()) word += "=" + std::string(chance.of(option.values));
  std::ranges::replace(word, ' ', '~');
  return word;
}

}  // namespace

void mutate_options(std::string& bytes, const Target& target, std::size_t most, Chance& chance) {
  if (target.options.empty()) return;
  const std::size_t begin = begin_of_options(bytes);
  std::vector<std::string> words;
  std::string_view line = std::string_view(bytes).substr(begin);
  line.remove_prefix(std::min(options_mark.size(), line.size()));
  line = line.substr(0, line.find('\n'));
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t blank = std::min(line.find(' ', at), line.size());
    if (blank != at) words.emplace_back(line.substr(at, blank - at));
    at = blank + 1;
  }
  const std::size_t what = chance(3);
  const auto place = [&] { return words.begin() + static_cast<std::ptrdiff_t>(chance(words.size())); };
  if (what == 0 && !words.empty()) words.erase(place());
  else if (what == 1 && !words.empty()) *place() = option_of(target, chance);
  else words.push_back(option_of(target, chance));
  std::string changed = bytes.substr(0, begin);
  if (!words.empty() && !changed.empty() && changed.back() != '\n') changed += '\n';
  for (std::size_t i = 0; i < words.size(); ++i) changed += std::string(i == 0 ? options_mark : " ") + words[i];
  if (!words.empty()) changed += '\n';
  if (changed.size() <= most) bytes = std::move(changed);
}

std::size_t mutate(const Target& target, std::span<std::uint8_t> buffer, std::size_t size, unsigned seed,
                   ByteMutation bytes) {
  Chance chance(seed);
  // The fuzzer's own changes find what no form foresees, and use its dictionary.
  const std::size_t own = target.form == Form::text ? 2 : 4;
  if (target.options.empty() ? chance.one_in(own) : chance.one_in(own + 1))
    return bytes(buffer.data(), size, buffer.size());
  std::string text(reinterpret_cast<const char*>(buffer.data()), size);
  for (std::size_t left = 1 + chance(3); left > 0; --left) {
    if (!target.options.empty() && chance.one_in(8)) mutate_options(text, target, buffer.size(), chance);
    else if (target.form == Form::ptx) mutate_ptx(text, buffer.size(), chance);
    else if (target.form == Form::container) mutate_container(text, buffer.size(), chance);
  }
  const std::size_t changed = put(text, buffer);
  return target.form == Form::text ? bytes(buffer.data(), changed, buffer.size()) : changed;
}

std::size_t cross(const Target& target, std::string_view a, std::string_view b, std::span<std::uint8_t> out,
                  unsigned seed) {
  Chance chance(seed);
  std::string text(a);
  if (target.form == Form::ptx && !chance.one_in(4)) {
    cross_ptx(text, b, out.size(), chance);
  } else {
    const std::size_t begin = chance(b.size());
    const std::size_t length = std::min(1 + chance(b.size() - std::min(begin, b.size())), b.size() - begin);
    text.insert(chance(text.size() + 1), b.substr(begin, length));
  }
  return put(text, out);
}

}  // namespace ptxscope::fuzz
