// Reading a file that a person named, and saying what is wrong with it when it is not PTX.
#pragma once

#include <optional>
#include <string>

namespace ptxscope::cli {

struct Input {
  std::optional<std::string> text;
  std::string error;  ///< a sentence without the file's name: what is wrong and the way out
};

/// "-" is standard input. Recognises what is often passed by mistake: folders, objects, fat binaries, cubins, LLVM bitcode, archives.
[[nodiscard]] Input read_input(const std::string& path);

}  // namespace ptxscope::cli
