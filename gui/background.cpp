#include "gui/background.h"

#include <QThread>
#include <algorithm>

namespace ptxscope::gui {

QThreadPool& background_pool() {
  static QThreadPool* const pool = [] {
    QThreadPool* const global = QThreadPool::globalInstance();
    global->setMaxThreadCount(std::max(4, QThread::idealThreadCount()));
    return global;
  }();
  return *pool;
}

}  // namespace ptxscope::gui
