// Writing a result to standard output or to a file, all of it or nothing.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace ptxscope::cli {

/// What is written to it, a piece at a time, goes to where write_output() says: to a regular file with finish(), else as it
/// comes, but not before there is much of it. Without finish() the file stays as it was.
class Output {
 public:
  explicit Output(std::string path);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  void write(std::string_view text);
  /// As of write_output().
  [[nodiscard]] std::string finish(bool& closed_pipe);

 private:
  struct Target;
  void flush();
  std::string path_, text_;
  std::unique_ptr<Target> target_;
};

/// Writes to `path`, or to standard output when it is empty or "-". A regular file is replaced in one step, so that a
/// run that fails halfway leaves the old one; a device, a pipe, and a descriptor by its name (/dev/stdout, /dev/fd/3)
/// are written to as they are. Returns a sentence on failure, else "".
/// A reader that went away (`| head`) is no error to talk about: `closed_pipe` is set and the sentence is empty.
[[nodiscard]] std::string write_output(const std::string& path, std::string_view text, bool& closed_pipe);

/// What write_output() would say of `path`, as far as that is known before there is a text; writes nothing. For what is
/// done for hours before its result is written, or cannot be done again.
[[nodiscard]] std::string why_not_written(const std::string& path);

/// A sentence for an error number of writing there, with a way out.
[[nodiscard]] std::string not_written(const std::string& path, int error);

/// For the start of a program: a standard stream that is closed stays unusable, and its number is given to no other file,
/// into which messages would then go.
void keep_standard_descriptors();

}  // namespace ptxscope::cli
