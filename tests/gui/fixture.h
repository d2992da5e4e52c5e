// What the tests of the viewer share.
#pragma once

#include <QFile>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <functional>

#include "gui/background.h"
#include "gui/document.h"
#include "gui/document_page.h"

namespace ptxscope::gui {

/// A file of the source tree.
inline QString sample(const char* name) {
  return QStringLiteral(PTXSCOPE_SOURCE "/samples/") + QString::fromLatin1(name);
}

/// A folder for files that a test writes; gone afterwards.
class Scratch {
 public:
  [[nodiscard]] QString path(const QString& name) const { return folder_.filePath(name); }
  QString write(const QString& name, const QByteArray& bytes) const {
    QFile file(path(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) qFatal("a test cannot write its file");
    return path(name);
  }
  QString copy_of(const QString& original, const QString& name) const {
    QFile file(original);
    if (!file.open(QIODevice::ReadOnly)) qFatal("a sample is missing");
    return write(name, file.readAll());
  }

 private:
  QTemporaryDir folder_;
};

inline bool wait_for(const std::function<bool()>& condition) { return QTest::qWaitFor(condition, 30'000); }

/// Loaded, or not to be loaded.
inline bool wait_for_load(const Document& document) {
  return wait_for([&] { return document.stage() != Stage::loading && document.stage() != Stage::reloading; });
}

/// An answer that is there, or never will be.
template <class Ask>
auto wait_for_answer(Ask ask) {
  wait_for([&] { return !ask().pending(); });
  return ask();
}

/// Statement at the first place of a text.
inline std::uint32_t statement_of(const Module& module, std::string_view text) {
  return statement_at(module, static_cast<std::uint32_t>(module.text().find(text)));
}

inline std::uint32_t offset_of(const Module& module, std::string_view text) {
  return static_cast<std::uint32_t>(module.text().find(text));
}

}  // namespace ptxscope::gui
