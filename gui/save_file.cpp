#include "gui/save_file.h"

#include <QSaveFile>

namespace ptxscope::gui {

QString save_file(const QString& path, const std::string& bytes) {
  QSaveFile file(path);
  const auto size = static_cast<qint64>(bytes.size());
  if (file.open(QIODevice::WriteOnly) && file.write(bytes.data(), size) == size && file.commit()) return {};
  return QStringLiteral("%1; choose another folder").arg(file.errorString());
}

}  // namespace ptxscope::gui
