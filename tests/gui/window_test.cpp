#include "tests/gui/window_test.h"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDialog>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QLineEdit>
#include <QMenuBar>
#include <QMimeData>
#include <QPushButton>
#include <map>

#include "gui/image_chooser.h"
#include "gui/main_window.h"
#include "gui/theme.h"
#include "gui/words.h"
#include "tests/gui/fixture.h"

using namespace ptxscope;
using namespace ptxscope::gui;

namespace {

bool wait_for_page(MainWindow& window, int pages = 1) {
  return wait_for([&] {
    return window.page_count() == pages && window.current_page() != nullptr &&
           window.current_page()->document().module() != nullptr;
  });
}

QString label_with(const QWidget& window, const QString& text) {
  for (const QLabel* const label : window.findChildren<QLabel*>())
    if (label->isVisibleTo(&window) && label->text().contains(text)) return label->text();
  return {};
}

}  // namespace

void WindowTest::init() { QSettings().clear(); }

void WindowTest::opens_several_files() {
  MainWindow window;
  window.show();
  window.open_files({sample("vecadd/vecadd.ptx"), sample("panic/panic.ptx")});
  QVERIFY(wait_for_page(window, 2));
  QCOMPARE(window.current_page()->document().title(), QStringLiteral("panic.ptx"));
  QVERIFY(window.windowTitle().contains(QStringLiteral("panic.ptx")));
  window.close_tab(1);
  QCOMPARE(window.page_count(), 1);
  window.close_tab(0);
  QCOMPARE(window.page_count(), 0);
  QVERIFY(window.current_page() == nullptr);
  window.close_tab(0);  // nothing
}

void WindowTest::opens_an_open_file_once() {
  MainWindow window;
  window.open_files({sample("vecadd/vecadd.ptx"), sample("vecadd/../vecadd/vecadd.ptx")});
  QCOMPARE(window.page_count(), 1);
}

void WindowTest::shows_what_is_wrong_where_it_happened() {
  const Scratch scratch;
  MainWindow window;
  window.show();
  window.open_files({scratch.path(QStringLiteral("none.ptx"))});
  QVERIFY(wait_for([&] { return !label_with(window, QStringLiteral("no such file")).isEmpty(); }));
  QCOMPARE(window.page_count(), 0);
  window.open_files({scratch.write(QStringLiteral("empty.ptx"), "")});
  QVERIFY(wait_for(
      [&] { return window.current_page() != nullptr && window.current_page()->document().stage() == Stage::failed; }));
  QVERIFY(window.current_page()->message().contains(QStringLiteral("empty")));
  QVERIFY(window.current_page()->message().contains(QStringLiteral("reload")));
  // Mended, it is read without being asked.
  scratch.copy_of(sample("vecadd/vecadd.ptx"), QStringLiteral("empty.ptx"));
  QVERIFY(wait_for_page(window));
  QVERIFY(window.current_page()->message().isEmpty());
}

void WindowTest::asks_which_image() {
  const QString file = sample("vecadd_cuda/vecadd.fatbin");
  MainWindow window;
  window.show();
  const FileListing listing = list_file(file, {});
  QVERIFY(listing.problem.empty());
  window.open_files({file});
  if (listing.images.size() == 1) {
    QVERIFY(wait_for_page(window));
    return;
  }
  QVERIFY(wait_for([&] { return window.findChild<ImageChooser*>() != nullptr; }));
  auto* const chooser = window.findChild<ImageChooser*>();
  QCOMPARE(chooser->list().count(), static_cast<int>(listing.images.size()));
  chooser->list().selectAll();
  chooser->accept();
  QVERIFY(wait_for_page(window, static_cast<int>(listing.images.size())));
}

void WindowTest::opens_a_named_image() {
  const QString file = sample("vecadd_cuda/vecadd.fatbin");
  const FileListing listing = list_file(file, {});
  QVERIFY(!listing.images.empty());
  const QString name = listing.images.back().name;
  MainWindow window;
  window.open_files({file + name.sliced(name.indexOf(QLatin1Char(':')))});
  QVERIFY(wait_for_page(window));
  QCOMPARE(window.current_page()->document().title(), name);
}

void WindowTest::cancels_from_the_page() {
  MainWindow window;
  window.show();
  window.open_place({sample("vecadd/vecadd.ptx"), {}});
  DocumentPage* const page = window.current_page();
  QVERIFY(page != nullptr);
  QPushButton* cancel = nullptr;
  for (QPushButton* const button : page->findChildren<QPushButton*>())
    if (button->text() == QLatin1String("Cancel")) cancel = button;
  QVERIFY(cancel != nullptr && cancel->isVisible());
  cancel->click();
  QVERIFY(page->message().contains(QStringLiteral("cancelled")));
  for (QPushButton* const button : page->findChildren<QPushButton*>())
    if (button->text() == QLatin1String("Read it again")) button->click();
  QVERIFY(wait_for_page(window));
}

void WindowTest::takes_dropped_files() {
  MainWindow window;
  window.show();
  QMimeData data;
  data.setUrls({QUrl::fromLocalFile(sample("vecadd/vecadd.ptx")), QUrl(QStringLiteral("https://example.org/x.ptx"))});
  QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&window, &enter);
  QVERIFY(enter.isAccepted());
  QDropEvent drop(QPointF(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&window, &drop);
  QVERIFY(wait_for_page(window));
}

void WindowTest::remembers_recent_files() {
  {
    MainWindow window;
    window.open_files({sample("vecadd/vecadd.ptx"), sample("panic/panic.ptx")});
  }
  QCOMPARE(QSettings().value(QStringLiteral("recent")).toStringList().size(), 2);
  QVERIFY(QSettings().value(QStringLiteral("recent")).toStringList().front().endsWith(QLatin1String("panic.ptx")));
}

void WindowTest::restores_the_session() {
  {
    MainWindow window;
    window.show();
    window.open_files({sample("vecadd/vecadd.ptx"), sample("panic/panic.ptx")});
    QVERIFY(wait_for_page(window, 2));
    window.current_page()->selection().choose_line(20, this);
    window.close();
  }
  MainWindow window;
  window.show();
  window.restore_session();
  QVERIFY(wait_for_page(window, 2));
  QCOMPARE(window.current_page()->document().title(), QStringLiteral("panic.ptx"));
  QCOMPARE(window.current_page()->selection().now().line, 20U);
}

// A crash loses nothing; what was moved meanwhile is told of.
void WindowTest::keeps_the_session_while_open() {
  const Scratch scratch;
  MainWindow window;
  window.open_files(
      {sample("vecadd/vecadd.ptx"), scratch.copy_of(sample("panic/panic.ptx"), QStringLiteral("moved.ptx"))});
  QVERIFY(wait_for_page(window, 2));
  QVERIFY(wait_for([] { return QSettings().value(QStringLiteral("session/size")).toInt() == 2; }));
  QVERIFY(QFile::remove(scratch.path(QStringLiteral("moved.ptx"))));
  MainWindow next;
  next.show();
  next.restore_session();
  QVERIFY(wait_for_page(next));
  QCOMPARE(next.current_page()->document().title(), QStringLiteral("vecadd.ptx"));
  QVERIFY(label_with(next, QStringLiteral("not there any more")).contains(QLatin1String("moved.ptx")));
}

void WindowTest::says_that_settings_cannot_be_written() {
  // <folder>/<organization>/<application>.ini
  const QString usual = QFileInfo(QFileInfo(QSettings().fileName()).path()).path();
  const Scratch scratch;
  QSettings::setPath(QSettings::IniFormat, QSettings::UserScope,
                     scratch.write(QStringLiteral("file"), "no folder") + QStringLiteral("/under"));
  {
    MainWindow window;
    window.show();
    window.open_files({sample("vecadd/vecadd.ptx")});
    const bool told = wait_for([&] { return !label_with(window, QStringLiteral("cannot be written")).isEmpty(); });
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, usual);
    QVERIFY(told);
    QVERIFY(wait_for_page(window));
  }
  QVERIFY(QSettings().fileName().startsWith(usual));
}

void WindowTest::says_all_that_went_wrong() {
  const Scratch scratch;
  MainWindow window;
  window.show();
  QStringList paths;
  for (int i = 0; i < 7; ++i) paths.append(scratch.path(QStringLiteral("none%1.ptx").arg(i)));
  window.open_files(paths);
  // In the order in which they were looked for, which is that of several threads.
  const QString problem = QStringLiteral(".ptx: There is no such file");
  QVERIFY(wait_for([&] { return label_with(window, problem).endsWith(QLatin1String("2 more")); }));
  QCOMPARE(label_with(window, problem).count(problem), qsizetype{5});
  QTest::keyClick(&window, Qt::Key_Escape);
  QVERIFY(label_with(window, problem).isEmpty());
  window.open_files({scratch.path(QStringLiteral("other.ptx"))});
  QVERIFY(wait_for([&] { return !label_with(window, QStringLiteral("other.ptx")).isEmpty(); }));
  QVERIFY(label_with(window, QStringLiteral("none")).isEmpty());
}

// However long, in whatever direction of writing, and though it looks like HTML: the window stays as wide as it was, and
// what is shown is the name.
void WindowTest::takes_names_of_any_kind() {
  const Scratch scratch;
  const QString turned = QStringLiteral("<b>&\u202ext") + QStringLiteral("p.ptx");
  const QString name(200, QLatin1Char('n'));
  MainWindow window;
  window.resize(800, 600);
  window.show();
  window.open_files({scratch.copy_of(sample("vecadd/vecadd.ptx"), turned),
                     scratch.write(name + QStringLiteral(".ptx"), ""),
                     scratch.copy_of(sample("vecadd/vecadd.ptx"), name + QStringLiteral("2.ptx"))});
  QVERIFY(wait_for_page(window, 3));
  const auto* const tabs = window.findChild<QTabWidget*>();
  QVERIFY(tabs != nullptr);
  QCOMPARE(tabs->tabText(0), QStringLiteral("<b>&&\\u202extp.ptx"));
  QVERIFY(!tabs->tabToolTip(0).contains(QChar(0x202e)));
  QVERIFY(!Qt::mightBeRichText(tabs->tabToolTip(0)) || tabs->tabToolTip(0).contains(QLatin1String("&lt;b&gt;")));
  QVERIFY(tabs->tabText(2).size() < 50 && tabs->tabText(2).endsWith(QLatin1String("2.ptx")));
  window.open_files({scratch.path(name + QStringLiteral(".cubin"))});
  QVERIFY(wait_for([&] { return !label_with(window, QStringLiteral("no such file")).isEmpty(); }));
  window.compare_files(scratch.path(name + QStringLiteral(".ptx")), scratch.path(name + QStringLiteral("2.ptx")));
  QVERIFY(wait_for([&] { return window.current_comparison() != nullptr; }));
  QTest::qWait(50);
  QVERIFY2(window.width() == 800, qPrintable(QString::number(window.width())));
  QCOMPARE(plain_tip(QStringLiteral("f(int)")), QStringLiteral("f(int)"));
  QVERIFY(plain_tip(QStringLiteral("f<a>(int)")).contains(QLatin1String("f&lt;a&gt;(int)")));
}

void WindowTest::goes_back_and_forward() {
  MainWindow window;
  window.show();
  window.open_files({sample("vecadd/vecadd.ptx")});
  QVERIFY(wait_for_page(window));
  window.activateWindow();
  if (!QTest::qWaitForWindowActive(&window)) QSKIP("keys need an active window, and no window manager gives one");
  Selection& selection = window.current_page()->selection();
  const std::uint32_t start = selection.now().line;
  selection.choose_line(40, this);
  QTest::keyClick(&window, Qt::Key_Left, Qt::AltModifier);
  QCOMPARE(selection.now().line, start);
  QTest::keyClick(&window, Qt::Key_Right, Qt::AltModifier);
  QCOMPARE(selection.now().line, 40U);
}

void WindowTest::hides_and_shows_panels() {
  MainWindow window;
  window.show();
  window.open_files({sample("vecadd/vecadd.ptx")});
  QVERIFY(wait_for_page(window));
  DocumentPage& page = *window.current_page();
  for (Panel* const panel : page.panels()) {
    page.set_shown(panel, false);
    QVERIFY2(!page.is_shown(panel), qPrintable(panel->title()));
    page.set_shown(panel, true);
    QVERIFY2(page.is_shown(panel), qPrintable(panel->title()));
  }
}

void WindowTest::goes_from_panel_to_panel() {
  MainWindow window;
  window.show();
  window.activateWindow();
  window.open_files({sample("vecadd/vecadd.ptx")});
  QVERIFY(wait_for_page(window));
  DocumentPage& page = *window.current_page();
  page.code().setFocus();
  std::map<Panel*, int> seen;
  for (std::size_t i = 0; i < page.panels().size(); ++i) {
    page.focus_next_panel(false);
    for (Panel* const panel : page.panels())
      if (panel->isAncestorOf(page.focusWidget()) || panel == page.focusWidget()) ++seen[panel];
  }
  for (Panel* const panel : page.panels())
    if (panel->isVisible()) QVERIFY2(seen[panel] >= 1, qPrintable(panel->title()));
}

void WindowTest::lists_keys() {
  MainWindow window;
  window.show();
  window.open_files({sample("vecadd/vecadd.ptx")});
  QVERIFY(wait_for_page(window));
  QVERIFY(window.key_list().size() > 25);
  for (const auto& [what, keys] : window.key_list()) QVERIFY2(!keys.isEmpty(), qPrintable(what));
  QTest::keyClicks(&window, QStringLiteral("?"));
  auto* const dialog = window.findChild<QDialog*>(QStringLiteral("keys"));
  QVERIFY(dialog != nullptr);
  dialog->close();
}

void WindowTest::has_no_key_twice() {
  MainWindow window;
  window.open_files({sample("vecadd/vecadd.ptx")});
  std::map<QString, QString> seen;
  for (QAction* const action : window.findChildren<QAction*>()) {
    for (const QKeySequence& key : action->shortcuts()) {
      if (action->shortcutContext() == Qt::WidgetShortcut ||
          action->shortcutContext() == Qt::WidgetWithChildrenShortcut)
        continue;
      const auto [at, is_new] = seen.emplace(key.toString(), action->text());
      QVERIFY2(is_new, qPrintable(key.toString() + QStringLiteral(": ") + at->second + QStringLiteral(" and ") +
                                  action->text()));
    }
  }
}

void WindowTest::names_everything_for_screen_readers() {
  MainWindow window;
  window.show();
  window.open_files({sample("vecadd/vecadd.ptx")});
  QVERIFY(wait_for_page(window));
  for (QWidget* const widget : window.findChildren<QWidget*>()) {
    if (widget->focusPolicy() == Qt::NoFocus || widget->objectName().startsWith(QLatin1String("qt_"))) continue;
    const auto* const button = qobject_cast<QAbstractButton*>(widget);
    const bool named = !widget->accessibleName().isEmpty() || (button != nullptr && !button->text().isEmpty()) ||
                       qobject_cast<Panel*>(widget) != nullptr || widget->focusProxy() != nullptr ||
                       widget->inherits("QHeaderView") || widget->inherits("QTabBar") || widget->inherits("QMenuBar") ||
                       widget->inherits("QMenu") || widget->inherits("QLabel") ||
                       widget->inherits("QTableCornerButton") || widget->inherits("QComboBoxListView");
    QVERIFY2(named, qPrintable(QLatin1String(widget->metaObject()->className()) + QStringLiteral(" in ") +
                               QLatin1String(widget->parentWidget() == nullptr
                                                 ? "-"
                                                 : widget->parentWidget()->metaObject()->className())));
  }
}

void WindowTest::changes_colours_and_text_size() {
  MainWindow window;
  window.show();
  window.open_files({sample("vecadd/vecadd.ptx")});
  QVERIFY(wait_for_page(window));
  Theme& theme = Theme::instance();
  theme.choose(ThemeChoice::dark);
  QVERIFY(theme.colors().dark);
  QVERIFY(QApplication::palette().color(QPalette::Window).lightness() < 100);
  QVERIFY(!window.grab().isNull());
  // Fields and boxes to tick stand out from the window.
  for (const char* const field : {"QLineEdit", "QAbstractSpinBox", "QCheckBox"})
    QVERIFY(QApplication::palette(field).color(QPalette::Base).lightness() >
            QApplication::palette().color(QPalette::Window).lightness() + 8);
  theme.choose(ThemeChoice::light);
  QVERIFY(!theme.colors().dark);
  const int size = theme.font_size();
  window.activateWindow();
  if (!QTest::qWaitForWindowActive(&window)) QSKIP("keys need an active window, and no window manager gives one");
  QTest::keyClick(&window, Qt::Key_Plus, Qt::ControlModifier);
  QCOMPARE(theme.font_size(), size + 1);
  theme.set_font_size(1000);
  QCOMPARE(theme.font_size(), 40);
  QVERIFY(!window.grab().isNull());
  theme.reset_font_size();
  // Text can be read on every background that is drawn behind it.
  for (const ThemeChoice choice : {ThemeChoice::light, ThemeChoice::dark}) {
    theme.choose(choice);
    const Colors& colors = theme.colors();
    for (const QColor& color : colors.marks) QVERIFY(std::abs(color.lightness() - colors.text.lightness()) > 90);
    for (const QColor& color : colors.syntax) QVERIFY(std::abs(color.lightness() - colors.base.lightness()) > 60);
  }
  theme.choose(ThemeChoice::system);
}

void WindowTest::closes_while_working() {
  for (int wait = 0; wait < 40; wait += 8) {
    MainWindow window;
    window.show();
    window.open_files({sample("panic/panic.ptx"), sample("divide/divide.ptx")});
    QTest::qWait(wait);
    window.close_tab(0);
  }
  QVERIFY(background_pool().waitForDone(30'000));
  QTest::qWait(20);
}
