// Which of the modules in an executable, library or fat binary to open.
#pragma once

#include <QDialog>
#include <QLineEdit>
#include <QListWidget>
#include <vector>

#include "gui/file_reader.h"

namespace ptxscope::gui {

class ImageChooser : public QDialog {
  Q_OBJECT
 public:
  ImageChooser(const QString& file, const FileListing& listing, QWidget* parent = nullptr);
  /// Their names, in the order of the file.
  [[nodiscard]] QStringList chosen() const;
  [[nodiscard]] QListWidget& list() { return *list_; }

 private:
  QLineEdit* filter_;
  QListWidget* list_;
};

}  // namespace ptxscope::gui
