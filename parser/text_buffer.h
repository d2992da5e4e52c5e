// The bytes of a file or a module, followed by a NUL.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ptxscope {

/// Bytes that are read once, in a block that is not filled with anything first; they move, and are not copied.
class TextBuffer {
 public:
  TextBuffer() = default;
  explicit TextBuffer(std::string text);  ///< takes what is in memory already
  ~TextBuffer();
  TextBuffer(TextBuffer&& other) noexcept;             ///< leaves `other` empty
  TextBuffer& operator=(TextBuffer&& other) noexcept;  ///< leaves `other` with what was here
  TextBuffer(const TextBuffer&) = delete;
  TextBuffer& operator=(const TextBuffer&) = delete;

  /// The bytes without the NUL.
  [[nodiscard]] std::string_view view() const { return block_ != nullptr ? std::string_view(block_, size_) : text_; }
  operator std::string_view() const { return view(); }              ///< the same: it is given where a text is wanted
  [[nodiscard]] bool empty() const { return view().empty(); }       ///< no byte
  [[nodiscard]] std::size_t size() const { return view().size(); }  ///< in bytes

  /// Reads a whole file ("-": standard input) of at most 4 GiB, or a device's first 64 MiB at most. On failure `error`
  /// is a sentence without the file's name. `stop`, set on another thread, ends it early, which is such a failure: also
  /// where a pipe or a terminal keeps it waiting.
  [[nodiscard]] static std::optional<TextBuffer> read(const std::string& path, std::string& error,
                                                      const std::atomic<bool>* stop = nullptr);

 private:
  std::string text_;
  char* block_ = nullptr;  // from std::malloc
  std::size_t size_ = 0;
};

}  // namespace ptxscope
