#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tests/fuzz/mutate.h"

namespace ptxscope::fuzz {

namespace {

std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  if (at <= bytes.size() && size <= bytes.size() - at) std::memcpy(&value, bytes.data() + at, size);
  return value;
}

void put_number(std::string& bytes, std::size_t at, std::size_t size, std::uint64_t value) {
  if (at <= bytes.size() && size <= bytes.size() - at) std::memcpy(bytes.data() + at, &value, size);
}

// A fat binary and its entries, as parser/container_fatbin.cpp describes them.
struct Entry {
  std::size_t begin = 0, header = 0, end = 0;
};
struct FatBinary {
  std::size_t begin = 0;
  std::vector<Entry> entries;
};

constexpr std::string_view magic = "\x50\xed\x55\xba";
constexpr std::size_t fat_header = 16;
constexpr std::size_t entry_header = 0x40;

std::vector<FatBinary> fat_binaries(std::string_view bytes) {
  std::vector<FatBinary> found;
  for (std::size_t at = bytes.find(magic); at != std::string_view::npos; at = bytes.find(magic, at + 4)) {
    FatBinary one{at, {}};
    const std::size_t end = std::min<std::uint64_t>(bytes.size(), at + fat_header + number_at(bytes, at + 8, 8));
    for (std::size_t entry = at + fat_header; entry + entry_header <= end;) {
      const std::uint64_t header = number_at(bytes, entry + 4, 4);
      const std::uint64_t size = number_at(bytes, entry + 8, 8);
      if (header < entry_header || header > end - entry || size > end - entry - header) break;
      one.entries.push_back({entry, header, entry + header + size});
      entry = one.entries.back().end;
    }
    found.push_back(std::move(one));
  }
  return found;
}

// The size of a fat binary, after an entry of it has grown by so many bytes.
void grow(std::string& bytes, const FatBinary& fat, std::int64_t by) {
  put_number(bytes, fat.begin + 8, 8, number_at(bytes, fat.begin + 8, 8) + static_cast<std::uint64_t>(by));
}

void turn_number(std::string& bytes, Chance& chance) {
  static constexpr std::uint64_t numbers[] = {
      0, 1, 7, 8, 16, 63, 64, 0xff, 0x1000, 0xffff, 0x7fffffff, 0xffffffff, ~std::uint64_t{0}};
  const std::size_t size = std::size_t{1} << chance(4);
  const std::size_t at = chance(bytes.size()) & ~(size - 1);
  const std::uint64_t old = number_at(bytes, at, size);
  put_number(bytes, at, size, chance.one_in(2) ? chance.of(numbers) : old + chance(17) - 8);
}

void change_entry(std::string& bytes, const FatBinary& fat, std::size_t most, Chance& chance) {
  const Entry& entry = chance.of(fat.entries);
  const std::string whole = bytes.substr(entry.begin, entry.end - entry.begin);
  switch (chance(6)) {
    case 0:  // once more
      if (bytes.size() + whole.size() > most) return;
      bytes.insert(entry.end, whole);
      return grow(bytes, fat, static_cast<std::int64_t>(whole.size()));
    case 1:  // taken out
      bytes.erase(entry.begin, whole.size());
      return grow(bytes, fat, -static_cast<std::int64_t>(whole.size()));
    case 2: {  // longer or shorter by words, its sizes as they must be then
      const std::size_t body = entry.begin + entry.header;
      const std::size_t words = 1 + chance(8);
      if (chance.one_in(2)) {
        if (bytes.size() + 8 * words > most) return;
        bytes.insert(body + chance(entry.end - body + 1), 8 * words, static_cast<char>(chance(256)));
        put_number(bytes, entry.begin + 8, 8, entry.end - body + 8 * words);
        return grow(bytes, fat, static_cast<std::int64_t>(8 * words));
      }
      if (entry.end - body < 8 * words) return;
      bytes.erase(body + chance(entry.end - body - 8 * words + 1), 8 * words);
      put_number(bytes, entry.begin + 8, 8, entry.end - body - 8 * words);
      return grow(bytes, fat, -static_cast<std::int64_t>(8 * words));
    }
    case 3: {  // another compression
      static constexpr std::uint64_t compressions[] = {0, 0x1000, 0x2000, 0x4000, 0x8000, 0x3000, 0x101000};
      const std::uint64_t flags = number_at(bytes, entry.begin + 0x28, 8) & ~std::uint64_t{0xF000};
      return put_number(bytes, entry.begin + 0x28, 8, flags | chance.of(compressions));
    }
    case 4: {  // another kind
      static constexpr std::uint64_t kinds[] = {1, 2, 8, 16, 0};
      return put_number(bytes, entry.begin, 2, chance.of(kinds));
    }
    default: {  // some number of its header
      const std::size_t at = entry.begin + 4 * chance(entry.header / 4);
      return put_number(bytes, at, 4, number_at(bytes, at, 4) + chance(33) - 16);
    }
  }
}

// A member of an archive (ar(5)): its size is in decimal, 10 characters at 48 of its header of 60.
void change_archive(std::string& bytes, std::size_t most, Chance& chance) {
  constexpr std::size_t header = 60;
  std::vector<std::size_t> members;
  for (std::size_t at = 8; at + header <= bytes.size();) {
    members.push_back(at);
    const std::string digits = bytes.substr(at + 48, 10);
    const std::size_t size = digits.find_first_of("0123456789") == 0 ? std::strtoull(digits.c_str(), nullptr, 10) : 0;
    at += header + size + size % 2;
  }
  if (members.empty()) return;
  const std::size_t place = chance(members.size());
  const std::size_t begin = members[place];
  const std::size_t end = std::min(place + 1 < members.size() ? members[place + 1] : bytes.size(), bytes.size());
  const std::size_t longer = 2 * (1 + chance(64));
  switch (chance(4)) {
    case 0:
      if (bytes.size() + (end - begin) <= most) bytes.insert(end, bytes.substr(begin, end - begin));
      return;
    case 1:
      bytes.erase(begin, end - begin);
      return;
    case 2: {
      if (bytes.size() + longer > most) return;
      std::string size = std::to_string(end - begin - header + longer);
      size.resize(10, ' ');
      bytes.replace(begin + 48, 10, size);
      bytes.insert(begin + header + chance(end - begin - header + 1), longer, static_cast<char>(chance(256)));
      return;
    }
    default:
      for (std::size_t i = 0; i < 10; ++i) bytes[begin + 48 + i] = "0123456789 "[chance(11)];
  }
}

}  // namespace

void mutate_container(std::string& bytes, std::size_t most, Chance& chance) {
  if (bytes.size() < 8) return;
  if (bytes.starts_with("!<arch>\n") && chance.one_in(3)) return change_archive(bytes, most, chance);
  const std::vector<FatBinary> fats = fat_binaries(bytes);
  if (fats.empty() || chance.one_in(4)) return turn_number(bytes, chance);
  const FatBinary& fat = chance.of(fats);
  if (!fat.entries.empty()) return change_entry(bytes, fat, most, chance);
  put_number(bytes, fat.begin + 8, 8, bytes.size() - std::min(bytes.size(), fat.begin + fat_header));
}

}  // namespace ptxscope::fuzz
