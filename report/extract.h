// What a container holds, and what of it was written where, for people and for programs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "parser/container.h"
#include "report/terminal.h"

namespace ptxscope::report {

struct ExtractedImage {
  Image image;
  std::string written;  ///< the file it was written to; "" where it was not
  std::string remark;   ///< what else is known of it: "warps 4, shared 0 bytes"
};

/// One file of the command line, or of a folder.
struct ExtractedFile {
  std::string path;
  ContainerFormat format = ContainerFormat::unknown;
  std::vector<ExtractedImage> images;
  std::vector<std::string> problems;
};

[[nodiscard]] std::string_view spelling(ImageKind kind);
[[nodiscard]] std::string_view spelling(Compression compression);
[[nodiscard]] std::string_view spelling(ContainerFormat format);

[[nodiscard]] std::string extract_text(std::span<const ExtractedFile> files, const TextStyle& style);
/// The document of schema ptxscope.extract/1.
[[nodiscard]] std::string extract_json(std::span<const ExtractedFile> files);

}  // namespace ptxscope::report
