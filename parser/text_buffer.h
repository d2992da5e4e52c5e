// The bytes of a module, followed by a NUL.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ptxscope {

class TextBuffer {
 public:
  TextBuffer() = default;
  explicit TextBuffer(std::string text);
  ~TextBuffer();
  TextBuffer(TextBuffer&& other) noexcept;
  TextBuffer& operator=(TextBuffer&& other) noexcept;
  TextBuffer(const TextBuffer&) = delete;
  TextBuffer& operator=(const TextBuffer&) = delete;

  [[nodiscard]] std::string_view view() const { return block_ != nullptr ? std::string_view(block_, size_) : text_; }

  /// Reads a whole file ("-": standard input). On failure `error` is a sentence.
  [[nodiscard]] static std::optional<TextBuffer> read(const std::string& path, std::string& error);

 private:
  std::string text_;
  char* block_ = nullptr;  // from std::malloc
  std::size_t size_ = 0;
};

}  // namespace ptxscope
