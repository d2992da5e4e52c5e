// Which calls never come back: by `.noreturn`, by the callee's body, or by a name that a run-time library gives to
// what ends the thread.
#include <algorithm>
#include <array>
#include <vector>

#include "analysis/cfg.h"

namespace ptxscope::analysis {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::ranges::find(names, name) != names.end();
}

// `<decimal length> <identifier>`, as both Itanium and Rust manglings have it; empty when it is not there. Rust v0 puts
// an underscore between the two when the identifier begins with a digit or an underscore.
std::string_view take_identifier(std::string_view& text, bool is_rust_v0 = false) {
  std::size_t length = 0, i = 0;
  while (i < text.size() && is_digit(text[i]) && i < 4)
    length = length * 10 + static_cast<std::size_t>(text[i++] - '0');
  if (is_rust_v0 && i < text.size() && text[i] == '_') ++i;
  if (length == 0 || i + length > text.size()) return {};
  const std::string_view identifier = text.substr(i, length);
  text.remove_prefix(i + length);
  return identifier;
}

// The path of a mangled name ("core", "panicking", "panic_bounds_check"); empty for anything but a plain path.
std::vector<std::string_view> rust_v0_path(std::string_view name) {
  if (!name.starts_with("_R")) return {};
  name.remove_prefix(2);
  while (!name.empty() && is_digit(name.front())) name.remove_prefix(1);
  if (name.starts_with('I')) name.remove_prefix(1);  // generic arguments follow the path
  std::size_t depth = 0;
  while (name.size() > 1 && name.front() == 'N') {
    name.remove_prefix(2);  // and its namespace
    ++depth;
  }
  if (!name.starts_with('C')) return {};
  name.remove_prefix(1);
  std::vector<std::string_view> path;
  for (std::size_t i = 0; i <= depth; ++i) {
    if (name.starts_with('s')) {  // disambiguator: s <base 62> _
      const std::size_t end = name.find('_');
      if (end == std::string_view::npos) return {};
      name.remove_prefix(end + 1);
    }
    const std::string_view identifier = take_identifier(name, true);
    if (identifier.empty()) return {};
    path.push_back(identifier);
  }
  return path;
}

std::vector<std::string_view> itanium_path(std::string_view name) {
  std::vector<std::string_view> path;
  if (name.starts_with("_ZSt")) {
    name.remove_prefix(4);
    path.push_back("std");
    if (const std::string_view identifier = take_identifier(name); !identifier.empty()) path.push_back(identifier);
    return path;
  }
  if (name.starts_with("_ZN")) {
    name.remove_prefix(3);
    while (!name.empty() && is_digit(name.front())) {
      const std::string_view identifier = take_identifier(name);
      if (identifier.empty()) return {};
      path.push_back(identifier);
    }
    return path;
  }
  if (name.starts_with("_Z")) {
    name.remove_prefix(2);
    if (const std::string_view identifier = take_identifier(name); !identifier.empty()) path.push_back(identifier);
  }
  return path;
}

// Rust's legacy mangling is Itanium's with a last identifier that is `h` and 16 hexadecimal digits.
bool is_rust_hash(std::string_view identifier) {
  return identifier.size() == 17 && identifier.front() == 'h' &&
         std::ranges::all_of(identifier.substr(1), [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

// Functions of type `!` in Rust's own crates: all of core::panicking, and the cold failure paths kept out of line.
bool is_diverging_rust_path(const std::vector<std::string_view>& path) {
  if (path.size() < 2) return false;
  const std::string_view crate = path.front();
  const std::string_view last = path.back();
  if (crate != "core" && crate != "std" && crate != "alloc") return false;
  if (crate == "core" && path[1] == "panicking") return true;
  constexpr std::array<std::string_view, 17> names = {"unwrap_failed",
                                                      "expect_failed",
                                                      "expect_none_failed",
                                                      "handle_alloc_error",
                                                      "capacity_overflow",
                                                      "handle_error",
                                                      "begin_panic",
                                                      "begin_panic_fmt",
                                                      "begin_panic_handler",
                                                      "rust_panic",
                                                      "rust_panic_with_hook",
                                                      "slice_error_fail",
                                                      "panic_already_borrowed",
                                                      "panic_already_mutably_borrowed",
                                                      "len_mismatch_fail",
                                                      "slice_index_fail",
                                                      "resume_unwind"};
  if (is_one_of(last, names)) return true;
  if (path.size() == 3 && path[1] == "process" && (last == "abort" || last == "exit")) return true;
  if (path.size() == 3 && path[1] == "intrinsics" && last == "abort") return true;
  // core::slice::index::slice_end_index_len_fail_rt and its like
  return last.starts_with("slice_") && (last.ends_with("_fail") || last.ends_with("_fail_rt"));
}

bool is_throwing_cxx_path(const std::vector<std::string_view>& path) {
  if (path.empty()) return false;
  const std::string_view last = path.back();
  const bool is_standard = path.front() == "std" || (path.size() > 2 && path[0] == "cuda" && path[1] == "std");
  if (!is_standard) return false;
  if (last == "terminate" || last == "__terminate" || last == "__cccl_terminate" || last == "__libcpp_verbose_abort")
    return true;
  return last.starts_with("__throw_") && !last.starts_with("__throw_if");
}

bool is_terminating_c_name(std::string_view name) {
  constexpr std::array<std::string_view, 25> names = {"__assertfail",
                                                      "__assert_fail",
                                                      "__assert_func",
                                                      "__assert_rtn",
                                                      "__assert",
                                                      "_wassert",
                                                      "abort",
                                                      "exit",
                                                      "_exit",
                                                      "_Exit",
                                                      "quick_exit",
                                                      "__trap",
                                                      "__cxa_throw",
                                                      "__cxa_rethrow",
                                                      "__cxa_bad_cast",
                                                      "__cxa_bad_typeid",
                                                      "__cxa_pure_virtual",
                                                      "__cxa_deleted_virtual",
                                                      "__cxa_throw_bad_array_new_length",
                                                      "__cxa_call_unexpected",
                                                      "_Unwind_Resume",
                                                      "rust_begin_unwind",
                                                      "rust_panic",
                                                      "__gnat_last_chance_handler",
                                                      "panic"};
  if (is_one_of(name, names)) return true;
  if (name.starts_with("panic_") && !name.starts_with("panic_count")) return true;
  if (name.ends_with("unwrap_failed") || name.ends_with("expect_failed")) return true;
  if (name.starts_with("slice_") && name.ends_with("_fail")) return true;
  if (name.starts_with("__gnat_rcheck_")) return true;
  // Julia: julia_throw_boundserror_117, julia__throw_argerror_42, ijl_throw
  for (const std::string_view prefix : {"julia_", "ijl_", "jl_"}) {
    if (!name.starts_with(prefix)) continue;
    std::string_view rest = name.substr(prefix.size());
    while (rest.starts_with('_')) rest.remove_prefix(1);
    if (rest == "throw" || rest.starts_with("throw_")) return true;
  }
  return false;
}

}  // namespace

bool is_noreturn_name(std::string_view name, bool certain) {
  if (name.size() > 4096) return false;
  if (name == "__assertfail") return true;  // the driver's: its body is never in the module
  if (name.starts_with("_R")) return is_diverging_rust_path(rust_v0_path(name));
  if (name.starts_with("_Z")) {
    std::vector<std::string_view> path = itanium_path(name);
    if (path.size() > 1 && is_rust_hash(path.back())) {
      path.pop_back();
      return is_diverging_rust_path(path);
    }
    return !certain && is_throwing_cxx_path(path);
  }
  return !certain && is_terminating_c_name(name);
}

bool NeverReturns::callee(NameId name) {
  if (name == no_name) return false;
  const Function* function = module_->find_function(name);
  if (function != nullptr && function->noreturn) return true;
  const bool has_body = function != nullptr && function->has_body;
  const auto [entry, is_new] = names_.try_emplace(static_cast<std::uint32_t>(name), false);
  if (is_new) entry->second = is_noreturn_name(module_->name(name), has_body);
  if (entry->second || !has_body) return entry->second;
  return (*this)(static_cast<std::uint32_t>(function - module_->functions().data()));
}

bool NeverReturns::operator()(std::uint32_t function) {
  // A chain of calls deeper than this to find one that does not return is not worth the stack.
  constexpr std::uint32_t deepest_chain = 32;
  const Function& f = module_->functions()[function];
  if (f.noreturn) return true;
  if (!f.has_body || f.body_end - f.body_begin > largest_body_ || depth_ >= deepest_chain) return false;
  const auto [entry, is_new] = functions_.try_emplace(function, Answer::open);
  if (!is_new) return entry->second == Answer::never;  // open: recursion, so unsure
  ++depth_;
  CfgOptions options;
  options.post_dominators = false;
  options.loops = false;
  options.never_returns = this;
  const Cfg cfg = build_cfg(*module_, function, options);
  --depth_;
  const bool comes_back = !cfg.complete || std::ranges::any_of(cfg.blocks, [](const Block& block) {
    return block.reachable && (block.end == BlockEnd::ret || block.falls_off_end);
  });
  functions_[function] = comes_back ? Answer::comes_back : Answer::never;
  return !comes_back;
}

bool is_noreturn_callee(const Module& module, NameId callee) {
  constexpr std::uint32_t small_body = 256;  // statements
  NeverReturns never(module, small_body);
  return never.callee(callee);
}

}  // namespace ptxscope::analysis
