// Reading what a person named: a PTX file, or PTX inside another file (an executable, an object, a fat binary, an archive,
// a text), and saying what is wrong with it when there is none.
//
// A PTX module inside a file is named after it: `app:sm_90:2` is the second in the file `app`, for sm_90. `app:sm_90` and
// `app:2` name it, too, where that is enough.
#pragma once

#include <atomic>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parser/container.h"
#include "parser/text_buffer.h"

namespace ptxscope::cli {

struct Input {
  std::optional<TextBuffer> text;
  std::string error;                  ///< a sentence without the file's name: what is wrong and the way out
  std::string name;                   ///< what messages call it: "app:sm_90:2", "<stdin>", or the path
  std::vector<std::string> warnings;  ///< what is wrong with the file around it; once for each file
};

/// A file with all that is in it.
struct InputFile {
  std::string path;  ///< "-": standard input
  TextBuffer bytes;
  std::string error;          ///< it could not be read, or holds nothing of use
  bool is_container = false;  ///< else the bytes are one PTX text
  ContainerListing listing;
  bool is_told = false;  ///< what is wrong with it was given out with an input
  [[nodiscard]] std::span<const std::byte> view() const { return std::as_bytes(std::span(bytes.view())); }
  /// What the path is called in names and messages.
  [[nodiscard]] std::string shown() const { return path == "-" ? "<stdin>" : path; }
};

/// Which images a selector names: "" is all PTX; "sm_90:2", "sm_90", "2" are PTX, "sm_90:1.cubin" is a cubin.
[[nodiscard]] std::vector<const Image*> select_images(const InputFile& file, std::string_view selector);
/// A path of a file that exists and the selector behind it; "" where the whole is a path.
struct PathAndSelector {
  std::string path, selector;
};
[[nodiscard]] PathAndSelector split_selector(const std::string& path);

/// Reads files, and keeps the last one: of a large executable many modules may be asked for in turn.
class InputReader {
 public:
  /// `stop`: as of TextBuffer::read().
  explicit InputReader(const std::atomic<bool>* stop = nullptr) : stop_(stop) {}
  /// Reads a file as it is, with a look at what is in it. "-" is standard input.
  [[nodiscard]] const InputFile& open(const std::string& path);
  /// The one module a path or name stands for. Of a file that holds several it says their names.
  [[nodiscard]] Input read(const std::string& path);
  /// The same, all of them; at least one, which may be an error.
  [[nodiscard]] std::vector<Input> read_all(const std::string& path);
  /// The names of the modules in a file or folder, for a command line that named only that. Of a plain PTX file, of one
  /// that cannot be read, and of standard input: its own.
  [[nodiscard]] std::vector<std::string> expand(const std::string& path);

 private:
  const std::atomic<bool>* stop_;
  std::optional<InputFile> last_;
};

/// InputReader's read(), for a single file.
[[nodiscard]] Input read_input(const std::string& path, const std::atomic<bool>* stop = nullptr);

/// The files that are read in place of a folder: those of these extensions in it and below, sorted; what was left out of
/// a folder too large is said in `note`.
[[nodiscard]] std::vector<std::string> files_in(const std::string& folder, std::span<const std::string_view> extensions,
                                                std::string& note);

/// Whether a text's first directive, behind comments, is .version: what all PTX starts with.
[[nodiscard]] bool starts_with_version(std::string_view text);

/// "; name one of: a, b, c", for commands that take one module.
[[nodiscard]] std::string name_one_of(const std::vector<std::string>& names);

}  // namespace ptxscope::cli
