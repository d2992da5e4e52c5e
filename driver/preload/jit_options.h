// The options of a load, with buffers for the driver's words added where the caller has none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "driver/preload/cuda_types.h"

namespace ptxscope::preload {

class JitOptions {
 public:
  /// `own_logs`: the caller's log buffers are left alone, ours take their place; else ours stand only where none are.
  JitOptions(unsigned count, const int* options, void* const* values, bool own_logs) {
    bool has_error = false;
    bool has_info = false;
    for (unsigned i = 0; options != nullptr && values != nullptr && i < count; ++i) {
      options_.push_back(options[i]);
      values_.push_back(values[i]);
      has_error |= options[i] == jit_error_log;
      has_info |= options[i] == jit_info_log;
    }
    callers_ = options_.size();
    if (own_logs || !has_error) use(error_, jit_error_log, jit_error_log_bytes);
    if (own_logs || !has_info) use(info_, jit_info_log, jit_info_log_bytes);
  }
  /// Unless the caller says something else.
  void add(int option, std::uintptr_t value) {
    if (std::find(options_.begin(), options_.end(), option) != options_.end()) return;
    options_.push_back(option);
    values_.push_back(reinterpret_cast<void*>(value));
  }
  [[nodiscard]] unsigned count() const { return static_cast<unsigned>(options_.size()); }
  [[nodiscard]] int* options() { return options_.data(); }
  [[nodiscard]] void** values() { return values_.data(); }

  /// What the driver said about errors, as far as it stands in a buffer that is known.
  [[nodiscard]] std::string error_log() const {
    const char* text = nullptr;
    std::size_t room = 0;
    for (std::size_t i = 0; i < options_.size(); ++i) {
      if (options_[i] == jit_error_log) text = static_cast<const char*>(values_[i]);
      if (options_[i] == jit_error_log_bytes) room = reinterpret_cast<std::size_t>(values_[i]);
    }
    if (text == nullptr) return {};
    if (text == error_.get()) room = log_bytes;
    std::string said(text, strnlen(text, room));
    while (!said.empty() && (said.back() == '\n' || said.back() == '\0')) said.pop_back();
    return said;
  }

  /// Afterwards: what the caller asked to be told.
  void tell_caller(const int* options, void** values) const {
    for (std::size_t i = 0; i < callers_; ++i) {
      const int option = options[i];
      if (option == jit_error_log) copy(error_.get(), options, values, jit_error_log_bytes, values[i]);
      else if (option == jit_info_log) copy(info_.get(), options, values, jit_info_log_bytes, values[i]);
      else if (option != jit_error_log_bytes && option != jit_info_log_bytes) values[i] = values_[i];
    }
  }

 private:
  static constexpr std::size_t log_bytes = 8192;

  void use(std::unique_ptr<char[]>& buffer, int option, int size_option) {
    buffer = std::make_unique<char[]>(log_bytes);
    set(option, buffer.get());
    set(size_option, reinterpret_cast<void*>(log_bytes));
  }
  void set(int option, void* value) {
    for (std::size_t i = 0; i < options_.size(); ++i)
      if (options_[i] == option) {
        values_[i] = value;
        return;
      }
    options_.push_back(option);
    values_.push_back(value);
  }
  void copy(const char* from, const int* options, void** values, int size_option, void* to) const {
    for (std::size_t i = 0; i < callers_; ++i) {
      if (options[i] != size_option) continue;
      if (from == nullptr) {  // it went into the caller's own buffer
        values[i] = values_[i];
        return;
      }
      const auto room = reinterpret_cast<std::size_t>(values[i]) & 0xffffffffU;
      if (to == nullptr || room == 0) return;
      const std::size_t length = std::min(strnlen(from, log_bytes), room - 1);
      std::memcpy(to, from, length);
      static_cast<char*>(to)[length] = '\0';
      values[i] = reinterpret_cast<void*>(length);
      return;
    }
  }

  std::vector<int> options_;
  std::vector<void*> values_;
  std::size_t callers_ = 0;
  std::unique_ptr<char[]> error_, info_;
};

}  // namespace ptxscope::preload
