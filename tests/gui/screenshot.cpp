// Draws the viewer's window into a PNG: gui_screenshot OUT.png [--size WxH] [--theme light|dark] [--line N] [--symbol TEXT]
// [--find REGEX] [--fold] [--keys] [--panel TITLE] [--trap N] [--launch LABEL=VALUE,...] [--ask "TARGET VERSION"] [--diff
// [--only]] FILE...
// Waits until the analyses that the window asked for have come to rest. Runs on any platform of Qt, offscreen too.
#include <QApplication>
#include <QCommandLineParser>
#include <QDir>
#include <QElapsedTimer>
#include <QTest>
#include <cstdio>

#include "gui/background.h"
#include "gui/launch_form.h"
#include "gui/main_window.h"
#include "gui/requirements_panel.h"
#include "gui/theme.h"
#include "tests/gui/test_settings.h"

namespace {

using namespace ptxscope::gui;

// Nothing is running and nothing waits, twice in a row.
void settle() {
  for (int quiet = 0; quiet < 3;) {
    QTest::qWait(150);
    quiet = background_pool().activeThreadCount() == 0 ? quiet + 1 : 0;
  }
}

void choose_text(DocumentPage& page, const QString& text) {
  const auto module = page.document().module();
  const auto at = module->text().find(text.toStdString());
  if (at != std::string_view::npos) page.selection().choose_offset(static_cast<std::uint32_t>(at), nullptr, Move::jump);
}

}  // namespace

int main(int argc, char** argv) {
  QApplication application(argc, argv);
  const TestSettings settings;
  QCommandLineParser parser;
  const auto option = [&](const char* name, const char* value) {
    parser.addOption(QCommandLineOption(QString::fromLatin1(name), QString(), QString::fromLatin1(value)));
  };
  option("size", "WxH");
  option("theme", "NAME");
  option("line", "N");
  option("symbol", "TEXT");
  option("find", "REGEX");
  option("panel", "TITLE");
  option("trap", "N");
  option("launch", "LABEL=VALUE,...");
  option("ask", "TARGET VERSION");
  parser.addOption(QCommandLineOption(QStringLiteral("fold")));
  parser.addOption(QCommandLineOption(QStringLiteral("keys")));
  parser.addOption(QCommandLineOption(QStringLiteral("diff")));
  parser.addOption(QCommandLineOption(QStringLiteral("only")));
  parser.process(application);
  QStringList words = parser.positionalArguments();
  if (words.size() < 2) {
    std::fputs("gui_screenshot: name the PNG to write and a PTX file\n", stderr);
    return 2;
  }
  const QString out = words.takeFirst();
  Theme::instance().choose(parser.value(QStringLiteral("theme")) == QLatin1String("dark") ? ThemeChoice::dark
                                                                                          : ThemeChoice::light);
  MainWindow window;
  const QStringList size = parser.value(QStringLiteral("size")).split(QLatin1Char('x'));
  window.resize(size.size() == 2 ? QSize(size[0].toInt(), size[1].toInt()) : QSize(1400, 900));
  window.show();
  const bool compare = parser.isSet(QStringLiteral("diff")) && words.size() == 2;
  if (compare) window.compare_files(words[0], words[1]);
  else window.open_files(words);
  settle();
  if (DiffPage* const comparison = window.current_comparison();
      comparison != nullptr && comparison->diff() != nullptr) {
    comparison->set_only_differences(parser.isSet(QStringLiteral("only")));
    if (parser.isSet(QStringLiteral("line")))
      if (const auto row = comparison->diff()->row_of_line(DiffSide::b, parser.value(QStringLiteral("line")).toUInt()))
        comparison->area().go_to_row(*row);
  }
  DocumentPage* const page = window.current_page();
  if (page != nullptr && page->document().module() != nullptr) {
    if (parser.isSet(QStringLiteral("line")))
      page->selection().choose_line(parser.value(QStringLiteral("line")).toUInt(), nullptr, Move::jump);
    if (parser.isSet(QStringLiteral("symbol"))) choose_text(*page, parser.value(QStringLiteral("symbol")));
    if (parser.isSet(QStringLiteral("fold"))) page->code().area().fold_all_functions();
    for (Panel* const panel : page->panels())
      if (panel->title() == parser.value(QStringLiteral("panel"))) page->set_shown(panel, true);
    if (parser.isSet(QStringLiteral("trap"))) {
      settle();
      page->selection().choose_trap(page->selection().now().function, parser.value(QStringLiteral("trap")).toUInt(),
                                    nullptr, Move::jump);
    }
    if (parser.isSet(QStringLiteral("launch"))) {
      settle();
      if (auto* const form = page->findChild<LaunchForm*>()) {
        for (const QString& word : parser.value(QStringLiteral("launch")).split(QLatin1Char(',')))
          if (QLineEdit* const field = form->field(word.section(QLatin1Char('='), 0, 0)))
            field->setText(word.section(QLatin1Char('='), 1));
      }
    }
    if (parser.isSet(QStringLiteral("ask"))) {
      settle();
      if (auto* const panel = page->findChild<RequirementsPanel*>()) {
        panel->restore(parser.value(QStringLiteral("ask")));
        settle();
        panel->step(false);
        // With its way out.
        if (QTreeWidgetItem* const answer = panel->tree().topLevelItem(0);
            answer != nullptr && answer->childCount() > 0)
          answer->child(0)->setExpanded(true);
      }
    }
    if (parser.isSet(QStringLiteral("find"))) {
      page->code().find_bar().open();
      page->code().find_bar().set_pattern(parser.value(QStringLiteral("find")), true);
    }
  }
  settle();
  QWidget* shown = &window;
  if (parser.isSet(QStringLiteral("keys"))) {
    window.show_keys();
    settle();
    if (auto* const keys = window.findChild<QWidget*>(QStringLiteral("keys"))) shown = keys;
  }
  return shown->grab().save(out) ? 0 : 1;
}
