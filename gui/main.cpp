// ptxscope-gui: the viewer.
#include <QApplication>
#include <QCommandLineParser>
#include <QIcon>
#include <QThreadPool>
#include <QTimer>
#include <cstdio>
#include <cstdlib>

#include "gui/background.h"
#include "gui/main_window.h"
#include "gui/theme.h"

int main(int argc, char** argv) {
  using namespace ptxscope::gui;
  QApplication application(argc, argv);
  QApplication::setApplicationName(QStringLiteral("ptxscope"));
  QApplication::setOrganizationName(QStringLiteral("ptxscope"));
  QApplication::setApplicationVersion(QStringLiteral(PTXSCOPE_VERSION));
  QApplication::setDesktopFileName(QStringLiteral(PTXSCOPE_GUI_ID));
  QApplication::setWindowIcon(QIcon(QStringLiteral(":/" PTXSCOPE_GUI_ID ".svg")));
  QCommandLineParser parser;
  parser.setApplicationDescription(
      QStringLiteral("Shows NVIDIA PTX: code, control flow, traps, requirements, differences."));
  parser.addHelpOption();
  parser.addVersionOption();
  const QCommandLineOption diff(QStringLiteral("diff"),
                                QStringLiteral("Show two files side by side, with what is different between them."));
  parser.addOption(diff);
  parser.addPositionalArgument(QStringLiteral("files"),
                               QStringLiteral("PTX files, or executables, objects and libraries with "
                                              "PTX inside; none: those open last time"),
                               QStringLiteral("[FILE...]"));
  parser.process(application);
  const QStringList files = parser.positionalArguments();
  if (parser.isSet(diff) && files.size() != 2) {
    std::fputs("ptxscope-gui: --diff shows two files; name both, as in ptxscope-gui --diff old.ptx new.ptx\n", stderr);
    return 2;
  }
  static_cast<void>(Theme::instance());
  int code = 0;
  {
    MainWindow window;
    window.show();
    // Once the window stands: opening must not hold it up.
    QTimer::singleShot(0, &window, [&window, files, compare = parser.isSet(diff)] {
      if (compare) {
        window.compare_files(files[0], files[1]);
      } else if (files.isEmpty()) {
        window.restore_session();
      } else {
        window.open_files(files);
      }
    });
    code = QApplication::exec();
  }
  // An analysis that takes minutes cannot be interrupted; nobody is there to see its result.
  background_pool().clear();
  if (!background_pool().waitForDone(200)) std::_Exit(code);
  return code;
}
