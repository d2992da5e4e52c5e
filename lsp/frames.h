// Messages of the base protocol (LSP 3.17, "Base Protocol"): header lines, an empty one, then Content-Length bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ptxscope::lsp {

struct Frame {
  enum class Kind : std::uint8_t {
    message,  ///< `text` is its content
    problem,  ///< what came was no message; `text` is a sentence that says why. Reading goes on behind it.
    end,      ///< there is no more
  };
  Kind kind = Kind::end;
  std::string text;
};

struct FrameLimits {
  std::size_t header_line = 4096;
  std::size_t content = std::size_t{256} << 20U;
};

class FrameReader {
 public:
  /// Reads up to that many bytes, at least one; 0: there are no more.
  using Read = std::function<std::size_t(char* to, std::size_t most)>;
  explicit FrameReader(Read read, FrameLimits limits = {}) : read_(std::move(read)), limits_(limits) {}

  /// Bytes that are no message are told of once, up to where the next header begins.
  [[nodiscard]] Frame next();

 private:
  struct Line {
    std::string text;
    bool too_long = false;
    bool complete = false;  // false: the bytes ended in it
  };
  [[nodiscard]] Line line();
  [[nodiscard]] bool fill();
  [[nodiscard]] Frame content(std::size_t size);
  [[nodiscard]] std::optional<Frame> garbage(std::string sentence);
  [[nodiscard]] std::optional<Frame> take_field(std::string_view name, std::string_view value);

  Read read_;
  FrameLimits limits_;
  std::string buffer_;
  std::size_t at_ = 0;  // in buffer_
  // Of the header that is being read.
  std::optional<std::uint64_t> length_;
  bool in_header_ = false;
  bool in_garbage_ = false;
};

/// The content with its header.
[[nodiscard]] std::string frame(std::string_view content);

}  // namespace ptxscope::lsp
