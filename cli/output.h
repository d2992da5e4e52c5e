// Writing a result to standard output or to a file, all of it or nothing.
#pragma once

#include <string>
#include <string_view>

namespace ptxscope::cli {

/// Writes to `path`, or to standard output when it is empty or "-". A regular file is replaced in one step, so that a
/// run that fails halfway leaves the old one. Returns a sentence on failure, else "".
/// A reader that went away (`| head`) is no error to talk about: `closed_pipe` is set and the sentence is empty.
[[nodiscard]] std::string write_output(const std::string& path, std::string_view text, bool& closed_pipe);

}  // namespace ptxscope::cli
