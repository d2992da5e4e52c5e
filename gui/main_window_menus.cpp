// The menus of MainWindow, and the list of keys.
#include <QActionGroup>
#include <QApplication>
#include <QDialog>
#include <QDialogButtonBox>
#include <QFileInfo>
#include <QHeaderView>
#include <QMenuBar>
#include <QMessageBox>
#include <QSettings>
#include <QTableWidget>
#include <QVBoxLayout>
#include <functional>

#include "gui/main_window.h"
#include "gui/theme.h"
#include "gui/words.h"

namespace ptxscope::gui {
namespace {

QString plain(QString text) {
  text.remove(QLatin1Char('&'));
  return text;
}

QString keys_of(const QAction& action) {
  QStringList keys;
  for (const QKeySequence& key : action.shortcuts()) keys.append(key.toString(QKeySequence::NativeText));
  return keys.join(QStringLiteral(", "));
}

}  // namespace

void MainWindow::build_menus() {
  build_file_menu();
  build_edit_menu();
  build_view_menu();
  build_go_menu();
  build_help_menu();
}

void MainWindow::build_file_menu() {
  QMenu* const menu = menuBar()->addMenu(tr("&File"));
  menu->addAction(tr("&Open…"), QKeySequence::Open, this, &MainWindow::ask_files);
  recent_ = menu->addMenu(tr("Open &recent"));
  rebuild_recent();
  menu->addSeparator();
  reload_ = menu->addAction(tr("&Reload"), QKeySequence(Qt::Key_F5), this, [this] {
    if (DocumentPage* const page = current_page()) page->document().load();
    if (DiffPage* const comparison = current_comparison()) comparison->reload();
  });
  cancel_ = menu->addAction(tr("&Stop reading"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_X), this, [this] {
    if (DocumentPage* const page = current_page()) page->document().cancel();
    if (DiffPage* const comparison = current_comparison()) comparison->cancel();
  });
  page_commands_.append(
      menu->addAction(tr("&Compare with…"), QKeySequence(Qt::CTRL | Qt::Key_D), this, &MainWindow::ask_comparison));
  export_comparison_ =
      menu->addAction(tr("&Export the comparison…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_H), this, [this] {
        if (DiffPage* const comparison = current_comparison()) comparison->ask_export();
      });
  menu->addSeparator();
  close_ = menu->addAction(tr("Close &tab"), this, [this] { close_tab(tabs_->currentIndex()); });
  close_->setShortcuts({QKeySequence(Qt::CTRL | Qt::Key_W)});
  menu->addAction(tr("&Quit"), QKeySequence(Qt::CTRL | Qt::Key_Q), this, &QWidget::close);
}

void MainWindow::build_edit_menu() {
  QMenu* const menu = menuBar()->addMenu(tr("&Edit"));
  const auto add = [&](const QString& text, const QList<QKeySequence>& keys, auto action) {
    QAction* const made = menu->addAction(text, this, [this, action] {
      if (DocumentPage* const page = current_page()) action(*page);
    });
    made->setShortcuts(keys);
    page_commands_.append(made);
    return made;
  };
  add(tr("&Copy line or selection"), {}, [](DocumentPage& page) { page.code().area().copy(); });
  add(tr("&Find…"), {QKeySequence(QKeySequence::Find), QKeySequence(Qt::Key_Slash)},
      [](DocumentPage& page) { page.code().find_bar().open(); });
  add(tr("Find &next"), {QKeySequence(Qt::Key_F3)},
      [](DocumentPage& page) { page.code().find_bar().find_next(false); });
  add(tr("Find &previous"), {QKeySequence(Qt::SHIFT | Qt::Key_F3)},
      [](DocumentPage& page) { page.code().find_bar().find_next(true); });
  menu->addSeparator();
  add(tr("Filter &kernels"), {QKeySequence(Qt::CTRL | Qt::Key_K)}, [](DocumentPage& page) {
    page.set_shown(&page.kernels(), true);
    page.kernels().filter().setFocus();
    page.kernels().filter().selectAll();
  });
}

void MainWindow::build_view_menu() {
  QMenu* const menu = menuBar()->addMenu(tr("&View"));
  panels_menu_ = menu->addMenu(tr("&Panels"));
  const auto focus = [&](const QString& text, const QKeySequence& key, bool backwards) {
    QAction* const made = menu->addAction(text, key, this, [this, backwards] {
      if (DocumentPage* const page = current_page()) page->focus_next_panel(backwards);
    });
    page_commands_.append(made);
  };
  focus(tr("&Next panel"), QKeySequence(Qt::Key_F6), false);
  focus(tr("&Previous panel"), QKeySequence(Qt::SHIFT | Qt::Key_F6), true);
  menu->addSeparator();
  const auto tab = [&](const QString& text, const QList<QKeySequence>& keys, int step) {
    QAction* const made = menu->addAction(text, this, [this, step] {
      const int count = tabs_->count();
      if (count > 1) tabs_->setCurrentIndex((tabs_->currentIndex() + count + step) % count);
    });
    made->setShortcuts(keys);
  };
  tab(tr("Next &tab"), {QKeySequence(Qt::CTRL | Qt::Key_Tab), QKeySequence(Qt::CTRL | Qt::Key_PageDown)}, 1);
  tab(tr("Previous t&ab"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Tab), QKeySequence(Qt::CTRL | Qt::Key_PageUp)},
      -1);
  menu->addSeparator();
  QMenu* const colors = menu->addMenu(tr("&Colours"));
  auto* const group = new QActionGroup(this);
  const auto choice = [&](const QString& text, ThemeChoice which) {
    QAction* const made = colors->addAction(text, this, [which] { Theme::instance().choose(which); });
    made->setCheckable(true);
    made->setChecked(Theme::instance().choice() == which);
    group->addAction(made);
  };
  choice(tr("As the &system"), ThemeChoice::system);
  choice(tr("&Light"), ThemeChoice::light);
  choice(tr("&Dark"), ThemeChoice::dark);
  QAction* const larger = menu->addAction(tr("&Larger text"), this, [] { Theme::instance().change_font_size(1); });
  larger->setShortcuts({QKeySequence(Qt::CTRL | Qt::Key_Plus), QKeySequence(Qt::CTRL | Qt::Key_Equal)});
  menu->addAction(tr("&Smaller text"), QKeySequence(Qt::CTRL | Qt::Key_Minus), this,
                  [] { Theme::instance().change_font_size(-1); });
  menu->addAction(tr("&Usual text size"), QKeySequence(Qt::CTRL | Qt::Key_0), this,
                  [] { Theme::instance().reset_font_size(); });
}

void MainWindow::build_go_menu() {
  QMenu* const menu = menuBar()->addMenu(tr("&Go"));
  back_ = menu->addAction(tr("&Back"), this, [this] {
    if (DocumentPage* const page = current_page()) page->selection().go_back();
  });
  back_->setShortcuts({QKeySequence(Qt::ALT | Qt::Key_Left), QKeySequence(Qt::Key_Back)});
  forward_ = menu->addAction(tr("&Forward"), this, [this] {
    if (DocumentPage* const page = current_page()) page->selection().go_forward();
  });
  forward_->setShortcuts({QKeySequence(Qt::ALT | Qt::Key_Right), QKeySequence(Qt::Key_Forward)});
  menu->addSeparator();
  page_commands_.append(menu->addAction(tr("To &line…"), QKeySequence(Qt::CTRL | Qt::Key_G), this, [this] {
    if (DocumentPage* const page = current_page()) page->code().ask_line();
  }));
  menu->addSeparator();
  go_menu_ = menu;
}

void MainWindow::build_help_menu() {
  QMenu* const menu = menuBar()->addMenu(tr("&Help"));
  help_anchor_ = menu->menuAction();
  QAction* const keys = menu->addAction(tr("&Keys"), this, &MainWindow::show_keys);
  keys->setShortcuts({QKeySequence(Qt::Key_Question), QKeySequence(Qt::Key_F1)});
  menu->addAction(tr("&About ptxscope"), this, [this] {
    QMessageBox::about(
        this, tr("About ptxscope"),
        tr("ptxscope %1 reads NVIDIA PTX and says what it does.\nWhat the viewer shows comes from the same "
           "analyses as the commands of ptxscope.")
            .arg(QApplication::applicationVersion()));
  });
}

// The menus of the panels of the page that is shown: between Go and Help.
void MainWindow::rebuild_panel_menus() {
  for (QMenu* const menu : page_menus_) {
    menuBar()->removeAction(menu->menuAction());
    menu->deleteLater();
  }
  page_menus_.clear();
  panels_menu_->clear();
  for (QAction* const go : go_to_panels_) {
    go_menu_->removeAction(go);
    go->deleteLater();
  }
  go_to_panels_.clear();
  if (const DiffPage* const comparison = current_comparison()) {
    auto* const menu = new QMenu(tr("&Differences"), this);
    menu->addActions(comparison->commands());
    menuBar()->insertMenu(help_anchor_, menu);
    page_menus_.append(menu);
  }
  DocumentPage* const page = current_page();
  panels_menu_->setEnabled(page != nullptr);
  if (page == nullptr) return;
  int number = 1;
  for (Panel* const panel : page->panels()) {
    QAction* const shown = panels_menu_->addAction(panel->title());
    shown->setCheckable(true);
    shown->setChecked(page->is_shown(panel));
    QAction* const go = go_menu_->addAction(tr("To %1").arg(panel->title()), page, [page, panel] {
      page->set_shown(panel, true);
      page->focus_panel(panel);
    });
    if (number <= 9) go->setShortcut(QKeySequence(Qt::ALT | static_cast<Qt::Key>(Qt::Key_0 + number)));
    ++number;
    go_to_panels_.append(go);
    connect(
        shown, &QAction::toggled, page, [page, panel](bool on) { page->set_shown(panel, on); }, Qt::QueuedConnection);
    const QList<QAction*> commands = panel->commands();
    if (commands.isEmpty()) continue;
    auto* const menu = new QMenu(panel->title(), this);
    menu->addActions(commands);
    menuBar()->insertMenu(help_anchor_, menu);
    page_menus_.append(menu);
  }
}

void MainWindow::update_commands() {
  DocumentPage* const page = current_page();
  for (QAction* const command : page_commands_) command->setEnabled(page != nullptr);
  back_->setEnabled(page != nullptr && page->selection().can_go_back());
  forward_->setEnabled(page != nullptr && page->selection().can_go_forward());
  const DiffPage* const comparison = current_comparison();
  reload_->setEnabled(page != nullptr || comparison != nullptr);
  close_->setEnabled(page != nullptr || comparison != nullptr);
  export_comparison_->setEnabled(comparison != nullptr);
  const Stage stage = page == nullptr ? Stage::idle : page->document().stage();
  cancel_->setEnabled(stage == Stage::loading || stage == Stage::reloading ||
                      (comparison != nullptr && comparison->is_comparing()));
}

void MainWindow::add_recent(const QString& path) {
  QSettings settings;
  QStringList paths = settings.value(QStringLiteral("recent")).toStringList();
  paths.removeAll(path);
  paths.prepend(path);
  constexpr qsizetype most_recent = 12;
  if (paths.size() > most_recent) paths = paths.first(most_recent);
  settings.setValue(QStringLiteral("recent"), paths);
  rebuild_recent();
}

void MainWindow::rebuild_recent() {
  recent_->clear();
  const QStringList paths = QSettings().value(QStringLiteral("recent")).toStringList();
  for (const QString& path : paths) {
    QString text = shortened(shown_path(path), 100);
    recent_->addAction(text.replace(QLatin1Char('&'), QLatin1String("&&")), this, [this, path] { open_files({path}); });
  }
  recent_->setEnabled(!paths.isEmpty());
  if (paths.isEmpty()) return;
  recent_->addSeparator();
  recent_->addAction(tr("&Forget these"), this, [this] {
    QSettings().remove(QStringLiteral("recent"));
    rebuild_recent();
  });
}

std::vector<std::pair<QString, QString>> MainWindow::key_list() const {
  std::vector<std::pair<QString, QString>> list;
  const std::function<void(const QMenu&, const QString&)> walk = [&](const QMenu& menu, const QString& before) {
    for (const QAction* const action : menu.actions()) {
      if (action->isSeparator()) continue;
      if (const QMenu* const inner = action->menu()) {
        if (inner != recent_) walk(*inner, before + plain(inner->title()) + QStringLiteral(": "));
      } else if (!action->shortcuts().isEmpty()) {
        list.emplace_back(before + plain(action->text()), keys_of(*action));
      }
    }
  };
  for (const QAction* const action : menuBar()->actions())
    if (action->menu() != nullptr) walk(*action->menu(), plain(action->text()) + QStringLiteral(": "));
  list.emplace_back(tr("Code: go to definition of what is clicked"), tr("Ctrl+click, Return"));
  list.emplace_back(tr("Code: what the place of the cursor means"), tr("Ctrl+Space, or the mouse held over it"));
  list.emplace_back(tr("Code: text size"), tr("Ctrl+wheel"));
  list.emplace_back(tr("Code: back, forward"), tr("mouse buttons 4, 5"));
  list.emplace_back(tr("Source: the instructions of a line"), tr("click, Return"));
  list.emplace_back(tr("Comparison: to the other side"), tr("Left, Right"));
  list.emplace_back(tr("Comparison: the line in its file's own tab, lines that are hidden"),
                    tr("Return, double click"));
  return list;
}

void MainWindow::show_keys() {
  auto* const dialog = new QDialog(this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setObjectName(QStringLiteral("keys"));
  dialog->setWindowTitle(tr("Keys"));
  const auto list = key_list();
  auto* const table = new QTableWidget(static_cast<int>(list.size()), 2, dialog);
  table->setAccessibleName(tr("Commands and their keys"));
  table->setHorizontalHeaderLabels({tr("What"), tr("Keys")});
  table->verticalHeader()->hide();
  table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->setShowGrid(false);
  table->verticalHeader()->setDefaultSectionSize(table->fontMetrics().height() + 6);
  for (int row = 0; row < table->rowCount(); ++row) {
    table->setItem(row, 0, new QTableWidgetItem(list[static_cast<std::size_t>(row)].first));
    table->setItem(row, 1, new QTableWidgetItem(list[static_cast<std::size_t>(row)].second));
  }
  table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
  table->horizontalHeader()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
  auto* const buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
  connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
  auto* const column = new QVBoxLayout(dialog);
  column->addWidget(table);
  column->addWidget(buttons);
  dialog->resize(620, 560);
  dialog->open();
}

}  // namespace ptxscope::gui
