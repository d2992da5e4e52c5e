// Reading what a person opened: PTX text, or a file with PTX inside it.
#pragma once

#include <QString>
#include <functional>
#include <memory>
#include <vector>

#include "gui/background.h"
#include "parser/module.h"

namespace ptxscope::gui {

/// A file, and which of its images ("app:sm_90:1", as read_container() names them); no image: the file is PTX text.
struct FilePlace {
  QString path;
  QString image;
  friend bool operator==(const FilePlace&, const FilePlace&) = default;
};

/// What went wrong and what to do about it: two sentences.
struct FileProblem {
  QString what;
  QString remedy;
  [[nodiscard]] bool empty() const { return what.isEmpty(); }
};

struct LoadedFile {
  std::shared_ptr<const Module> module;  ///< nullptr: see problem
  FileProblem problem;
  bool cancelled = false;
};

/// Called from the thread that reads: percent of the bytes; -1: all are there and being parsed.
using Progress = std::function<void(int percent)>;

/// Reads and parses. Stops early when cancelled.
[[nodiscard]] LoadedFile load_file(const FilePlace& place, const Cancel& cancel, const Progress& progress);

/// One PTX image of a container, for people to choose from.
struct ImageEntry {
  QString name, target, source;
  quint64 size = 0;  ///< bytes of its text; 0: not known
};
struct FileListing {
  bool is_text = false;  ///< PTX text itself: nothing to choose
  std::vector<ImageEntry> images;
  std::vector<QString> remarks;  ///< what was damaged or left out
  FileProblem problem;           ///< the file cannot be opened at all
};
/// What there is to open in a file.
[[nodiscard]] FileListing list_file(const QString& path, const Cancel& cancel);

}  // namespace ptxscope::gui
