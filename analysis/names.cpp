#include "analysis/names.h"

#include <libiberty/demangle.h>

#include <csetjmp>
#include <cstddef>

namespace ptxscope::analysis {

namespace {

constexpr std::size_t longest_mangled = 4096;
constexpr std::size_t longest_demangled = 8192;

// What the demangler has written so far. It offers no way to stop it, and a hostile name makes it write without end,
// so the callback jumps out. The demangler holds everything on the stack then (that is what its callback form is for),
// and no frame that is jumped over has a destructor.
struct Writer {
  std::jmp_buf overflow;
  std::size_t size = 0;
  char text[longest_demangled];
};

void append(const char* text, std::size_t size, void* opaque) {
  auto* writer = static_cast<Writer*>(opaque);
  if (size > longest_demangled - writer->size) std::longjmp(writer->overflow, 1);
  for (std::size_t i = 0; i < size; ++i) writer->text[writer->size + i] = text[i];
  writer->size += size;
}

// Rust v0 identifiers in Punycode (`u3abc`) are the one thing for which the demangler takes memory from the heap.
bool may_be_punycode(std::string_view name) {
  for (std::size_t i = 0; i + 1 < name.size(); ++i)
    if (name[i] == 'u' && name[i + 1] >= '0' && name[i + 1] <= '9') return true;
  return false;
}

bool demangle_into(Writer& writer, const char* name, bool is_rust, int options) {
  if (setjmp(writer.overflow) != 0) return false;  // NOLINT(cert-err52-cpp): see Writer
  return (is_rust ? rust_demangle_callback(name, options, append, &writer)
                  : cplus_demangle_v3_callback(name, options, append, &writer)) != 0;
}

std::string demangle(std::string_view name, int options) {
  if (name.size() > longest_mangled) return {};
  // nvcc's static functions in separate compilation: __nv_static_<length>__<file>__Z6kernelPi
  if (name.starts_with("__nv_static_")) {
    const std::size_t mangled = name.find("__Z");
    if (mangled == std::string_view::npos) return {};
    name.remove_prefix(mangled + 1);
  }
  const bool is_v0 = name.starts_with("_R");
  if (!is_v0 && !name.starts_with("_Z")) return {};
  // LLVM spells a dot, which PTX names cannot have, `_$_`: what follows is a suffix such as .llvm.123.
  const std::string text(name.substr(0, name.find("_$_")));
  Writer writer;
  if (is_v0 ? may_be_punycode(text) : false) return {};
  // Rust's legacy mangling looks like C++ but ends in a hash, which only its own demangler drops.
  if (demangle_into(writer, text.c_str(), true, options)) return std::string(writer.text, writer.size);
  if (is_v0) return {};
  writer.size = 0;
  if (demangle_into(writer, text.c_str(), false, options)) return std::string(writer.text, writer.size);
  return {};
}

// `*` stands for any characters, none included.
bool matches_pattern(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

// "ns::scan<float, (int)4>" to "ns::scan".
std::string_view without_template_arguments(std::string_view name) {
  if (!name.ends_with('>')) return name;
  std::size_t depth = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    if (name[i] == '>' && (i == 0 || name[i - 1] != '-')) ++depth;
    if (name[i] == '<' && --depth == 0) return name.substr(0, i);
  }
  return name;
}

}  // namespace

std::string demangled(std::string_view name) { return demangle(name, DMGL_PARAMS | DMGL_ANSI); }

std::string demangled_without_parameters(std::string_view name) { return demangle(name, DMGL_ANSI); }

bool matches_name(std::string_view pattern, std::string_view name) {
  if (matches_pattern(pattern, name)) return true;
  const std::string full = demangled(name);
  if (full.empty()) return false;
  if (matches_pattern(pattern, full)) return true;
  const std::string bare = demangled_without_parameters(name);
  return matches_pattern(pattern, bare) || matches_pattern(pattern, without_template_arguments(bare));
}

bool NameSelection::picks(std::string_view name) {
  bool picked = patterns_.empty();
  for (std::size_t i = 0; i < patterns_.size(); ++i)
    if (matches_name(patterns_[i], name)) picked = matched_[i] = true;
  return picked;
}

std::vector<std::string> NameSelection::unmatched() const {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < patterns_.size(); ++i)
    if (!matched_[i]) result.push_back(patterns_[i]);
  return result;
}

}  // namespace ptxscope::analysis
