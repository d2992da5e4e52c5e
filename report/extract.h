// What a container holds, and what of it was written where, for people and for programs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "parser/container.h"
#include "report/terminal.h"

namespace ptxscope::report {

/// An image, and what became of it.
struct ExtractedImage {
  Image image;          ///< as read_container() lists it
  std::string written;  ///< the file it was written to; "" where it was not
  std::string remark;   ///< what else is known of it: "warps 4, shared 0 bytes"
};

/// One file of the command line, or of a folder.
struct ExtractedFile {
  std::string path;                                   ///< as given or found
  ContainerFormat format = ContainerFormat::unknown;  ///< what the file is
  std::vector<ExtractedImage> images;                 ///< those that were asked for
  std::vector<std::string> problems;                  ///< what was damaged or left out, in sentences
};

[[nodiscard]] std::string_view spelling(ImageKind kind);           ///< "ptx", "cubin", "nvvm", "other"
[[nodiscard]] std::string_view spelling(Compression compression);  ///< "none", "zlib", "lz4-frame", …
[[nodiscard]] std::string_view spelling(ContainerFormat format);   ///< "elf", "fatbin", "thin-archive", …

/// A row for each image, problems behind them.
[[nodiscard]] std::string extract_text(std::span<const ExtractedFile> files, const TextStyle& style);
/// The document of schema ptxscope.extract/1.
[[nodiscard]] std::string extract_json(std::span<const ExtractedFile> files);

}  // namespace ptxscope::report
