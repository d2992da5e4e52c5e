// Runs all test classes of the viewer, on the offscreen platform unless QT_QPA_PLATFORM says otherwise.
// gui_test [CLASS] [arguments of Qt Test]
#include <QApplication>
#include <QTest>
#include <cstdlib>
#include <memory>
#include <vector>

#include "gui/background.h"
#include "gui/theme.h"
#include "tests/gui/background_test.h"
#include "tests/gui/diff_page_test.h"
#include "tests/gui/document_test.h"
#include "tests/gui/graph_test.h"
#include "tests/gui/requirements_panel_test.h"
#include "tests/gui/test_settings.h"
#include "tests/gui/traps_test.h"
#include "tests/gui/views_test.h"
#include "tests/gui/window_test.h"

int main(int argc, char** argv) {
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  const TestSettings settings;
  static_cast<void>(ptxscope::gui::Theme::instance());
  std::vector<std::unique_ptr<QObject>> tests;
  tests.push_back(std::make_unique<BackgroundTest>());
  tests.push_back(std::make_unique<DiffPageTest>());
  tests.push_back(std::make_unique<DocumentTest>());
  tests.push_back(std::make_unique<GraphTest>());
  tests.push_back(std::make_unique<RequirementsPanelTest>());
  tests.push_back(std::make_unique<TrapsTest>());
  tests.push_back(std::make_unique<ViewsTest>());
  tests.push_back(std::make_unique<WindowTest>());
  QStringList arguments = QApplication::arguments();
  QString only;
  if (arguments.size() > 1 && arguments[1].endsWith(QLatin1String("Test"))) only = arguments.takeAt(1);
  int failed = 0;
  for (const auto& test : tests)
    if (only.isEmpty() || only == QLatin1String(test->metaObject()->className()))
      failed += QTest::qExec(test.get(), arguments);
  ptxscope::gui::background_pool().clear();
  if (!ptxscope::gui::background_pool().waitForDone(5000)) std::_Exit(failed == 0 ? 0 : 1);
  return failed == 0 ? 0 : 1;
}
