// What the tests of the viewer share.
#pragma once

#include <QFile>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
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

/// A panel alone in a window, its document loaded, the first kernel chosen.
template <class View>
class ShownPanel {
 public:
  explicit ShownPanel(const QString& path)
      : document_({path, {}}), selection_(document_), view_(document_, selection_) {
    view_.resize(900, 400);
    view_.show();
    document_.load();
    loaded_ = QTest::qWaitForWindowExposed(&view_) && wait_for_load(document_) && document_.module() != nullptr;
    if (!loaded_) return;
    const auto functions = document_.module()->functions();
    const auto first = std::ranges::find_if(
        functions, [](const Function& one) { return one.has_body && one.kind == FunctionKind::entry; });
    if (first != functions.end())
      selection_.choose_function(static_cast<std::uint32_t>(first - functions.begin()), nullptr);
  }
  [[nodiscard]] bool loaded() const { return loaded_; }
  View* operator->() { return &view_; }
  Document& document() { return document_; }
  Selection& selection() { return selection_; }
  void choose(std::string_view name) {
    const auto module = document_.module();
    selection_.choose_function(
        static_cast<std::uint32_t>(module->find_function(module->find_name(name)) - module->functions().data()),
        nullptr);
  }

 private:
  Document document_;
  Selection selection_;
  View view_;
  bool loaded_ = false;
};

}  // namespace ptxscope::gui
