#include "gui/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QMenuBar>
#include <QMimeData>
#include <QSettings>
#include <QStatusBar>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/background.h"
#include "gui/image_chooser.h"
#include "gui/panels.h"
#include "gui/theme.h"
#include "report/one_line.h"

namespace ptxscope::gui {
namespace {

bool is_same_file(const FilePlace& a, const FilePlace& b) {
  return a.image == b.image && QFileInfo(a.path).absoluteFilePath() == QFileInfo(b.path).absoluteFilePath();
}

}  // namespace

MainWindow::MainWindow(QWidget* parent) : QMainWindow(parent) {
  setAcceptDrops(true);
  setWindowTitle(QStringLiteral("ptxscope"));
  tabs_ = new QTabWidget(this);
  tabs_->setDocumentMode(true);
  tabs_->setTabsClosable(true);
  tabs_->setMovable(true);
  tabs_->setAccessibleName(tr("Open modules"));
  stack_ = new QStackedWidget(this);
  stack_->addWidget(build_welcome());
  stack_->addWidget(tabs_);
  problem_ = new QLabel(this);
  problem_->setWordWrap(true);
  problem_->setTextFormat(Qt::PlainText);
  problem_->setContentsMargins(8, 4, 8, 4);
  problem_->setAutoFillBackground(true);
  problem_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  problem_->hide();
  auto* const middle = new QWidget(this);
  auto* const column = new QVBoxLayout(middle);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(problem_);
  column->addWidget(stack_, 1);
  setCentralWidget(middle);
  statement_ = new QLabel(this);
  statement_->setTextFormat(Qt::PlainText);
  statement_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  busy_ = new QLabel(this);
  place_ = new QLabel(this);
  place_->setAccessibleName(tr("Place of the cursor"));
  statusBar()->addWidget(statement_, 1);
  statusBar()->addPermanentWidget(busy_);
  statusBar()->addPermanentWidget(place_);
  build_menus();
  connect(tabs_, &QTabWidget::currentChanged, this, &MainWindow::page_changed);
  connect(tabs_, &QTabWidget::tabCloseRequested, this, &MainWindow::close_tab);
  const QSettings settings;
  if (!restoreGeometry(settings.value(QStringLiteral("window")).toByteArray())) resize(1320, 860);
  page_changed();
}

QWidget* MainWindow::build_welcome() {
  auto* const page = new QWidget(this);
  auto* const say = new QLabel(tr("Open a PTX file, or an executable, object or library with PTX inside:\n"
                                  "Ctrl+O, or drop it here.\n\n? lists the keys."),
                               page);
  say->setAlignment(Qt::AlignCenter);
  say->setWordWrap(true);
  auto* const column = new QVBoxLayout(page);
  column->addWidget(say);
  return page;
}

DocumentPage* MainWindow::current_page() const { return qobject_cast<DocumentPage*>(tabs_->currentWidget()); }

void MainWindow::say_problem(const QString& path, const FileProblem& problem) {
  QPalette palette = problem_->palette();
  palette.setColor(QPalette::Window, Theme::instance().colors().of(MarkRole::unfit));
  palette.setColor(QPalette::WindowText, Theme::instance().colors().text);
  problem_->setPalette(palette);
  problem_->setText(tr("%1: %2 %3").arg(path, problem.what, problem.remedy));
  problem_->show();
}

void MainWindow::open_files(const QStringList& paths) {
  problem_->hide();
  for (QString path : paths) {
    QString image;
    if (!QFileInfo::exists(path)) {
      // FILE:IMAGE, as the other commands take it: "app:sm_90:1" is an image of the file "app".
      for (qsizetype colon = path.indexOf(QLatin1Char(':')); colon > 0;
           colon = path.indexOf(QLatin1Char(':'), colon + 1)) {
        if (!QFileInfo(path.first(colon)).isFile()) continue;
        image = QFileInfo(path.first(colon)).fileName() + path.sliced(colon);
        path = path.first(colon);
        break;
      }
    }
    const QString absolute = QFileInfo(path).absoluteFilePath();
    if (!image.isEmpty()) {
      open_place({absolute, image});
      continue;
    }
    // A .ptx file is opened at once; of others it must be known first what is in them.
    if (path.endsWith(QLatin1String(".ptx"), Qt::CaseInsensitive) && QFileInfo(path).isFile()) {
      open_place({absolute, {}});
      continue;
    }
    busy_->setText(tr("looking into %1 …").arg(QFileInfo(path).fileName()));
    in_background(
        this, [absolute](const Cancel& cancel) { return list_file(absolute, cancel); },
        [this, absolute](const Outcome<FileListing>& outcome) {
          busy_->clear();
          if (outcome.value) {
            take_listing(absolute, *outcome.value);
          } else {
            say_problem(absolute, {outcome.problem, {}});
          }
        },
        20);
  }
}

void MainWindow::take_listing(const QString& path, const FileListing& listing) {
  if (!listing.problem.empty()) {
    say_problem(path, listing.problem);
    return;
  }
  if (listing.is_text) {
    open_place({path, {}});
    return;
  }
  if (listing.images.size() == 1) {
    open_place({path, listing.images.front().name});
    return;
  }
  auto* const chooser = new ImageChooser(QFileInfo(path).fileName(), listing, this);
  chooser->setAttribute(Qt::WA_DeleteOnClose);
  connect(chooser, &QDialog::accepted, this, [this, chooser, path] {
    for (const QString& name : chooser->chosen()) open_place({path, name});
  });
  chooser->open();
}

void MainWindow::open_place(const FilePlace& place) {
  for (int i = 0; i < tabs_->count(); ++i) {
    auto* const page = qobject_cast<DocumentPage*>(tabs_->widget(i));
    if (page == nullptr || !is_same_file(page->document().place(), place)) continue;
    tabs_->setCurrentIndex(i);
    return;
  }
  auto* const page = new DocumentPage(place, tabs_);
  connect_page(*page);
  tabs_->setCurrentIndex(tabs_->addTab(page, page->document().title()));
  add_recent(place.path);
  stack_->setCurrentIndex(1);
  page->code().setFocus();
  show_titles();
}

void MainWindow::connect_page(DocumentPage& page) {
  connect(&page, &DocumentPage::title_changed, this, &MainWindow::show_titles);
  connect(&page, &DocumentPage::panels_changed, this, [this, shown = &page] {
    if (shown == current_page()) rebuild_panel_menus();
  });
  const auto status = [this, shown = &page] {
    if (shown == current_page()) show_status();
  };
  connect(&page.selection(), &Selection::changed, this, status);
  connect(&page.selection(), &Selection::history_changed, this, &MainWindow::update_commands);
  connect(&page.document(), &Document::stage_changed, this, status);
}

void MainWindow::close_tab(int index) {
  QWidget* const page = tabs_->widget(index);
  if (page == nullptr) return;
  if (auto* const of = qobject_cast<DocumentPage*>(page)) {
    of->save_layout();
    // A comparison of it has nothing to show any more.
    for (int i = tabs_->count() - 1; i >= 0; --i) {
      QWidget* const other = tabs_->widget(i);
      const QVariantList of_pages = other->property("compares").toList();
      if (of_pages.contains(QVariant::fromValue(static_cast<QObject*>(of)))) {
        tabs_->removeTab(i);
        delete other;
      }
    }
  }
  tabs_->removeTab(tabs_->indexOf(page));
  page->deleteLater();
  if (tabs_->count() == 0) stack_->setCurrentIndex(0);
  page_changed();
}

void MainWindow::page_changed() {
  rebuild_panel_menus();
  update_commands();
  show_titles();
  show_status();
}

void MainWindow::show_titles() {
  for (int i = 0; i < tabs_->count(); ++i) {
    auto* const page = qobject_cast<DocumentPage*>(tabs_->widget(i));
    if (page == nullptr) continue;
    const Stage stage = page->document().stage();
    QString title = page->document().title();
    if (stage == Stage::loading || stage == Stage::reloading) title += QStringLiteral(" …");
    if (stage == Stage::failed) title += QStringLiteral(" !");
    tabs_->setTabText(i, title.replace(QLatin1Char('&'), QLatin1String("&&")));
    tabs_->setTabToolTip(i, page->document().place().path);
  }
  const int current = tabs_->currentIndex();
  const QString title =
      current < 0 ? QString() : tabs_->tabText(current).replace(QLatin1String("&&"), QLatin1String("&"));
  setWindowTitle(title.isEmpty() ? QStringLiteral("ptxscope") : tr("%1 — ptxscope").arg(title));
  update_commands();
}

void MainWindow::show_status() {
  DocumentPage* const page = current_page();
  const auto module = page == nullptr ? nullptr : page->document().module();
  if (module == nullptr) {
    place_->clear();
    statement_->clear();
    return;
  }
  const Choice& now = page->selection().now();
  place_->setText(now.line == 0 ? QString() : tr("line %1 of %2").arg(now.line).arg(line_count(*module)));
  QString text;
  if (now.statement != no_index && now.statement < module->statement_count())
    text = QString::fromStdString(report::one_line(module->statement(now.statement), 160));
  statement_->setText(text);
}

void MainWindow::compare_with(DocumentPage& other) {
  DocumentPage* const page = current_page();
  if (page == nullptr) return;
  QWidget* const diff = make_diff_page(page->document(), other.document(), tabs_);
  if (diff == nullptr) {
    say_problem(page->document().title(),
                {tr("Comparing is not built into this viewer."), tr("Use ptxscope diff A B --format html.")});
    return;
  }
  diff->setProperty("compares", QVariantList{QVariant::fromValue(static_cast<QObject*>(page)),
                                             QVariant::fromValue(static_cast<QObject*>(&other))});
  tabs_->setCurrentIndex(tabs_->addTab(diff, tr("%1 ↔ %2").arg(page->document().title(), other.document().title())));
}

void MainWindow::ask_comparison() {
  DocumentPage* const page = current_page();
  if (page == nullptr) return;
  QStringList names;
  std::vector<DocumentPage*> pages;
  for (int i = 0; i < tabs_->count(); ++i) {
    auto* const one = qobject_cast<DocumentPage*>(tabs_->widget(i));
    if (one == nullptr || one == page) continue;
    pages.push_back(one);
    names.append(tr("%1  (%2)").arg(one->document().title(), one->document().place().path));
  }
  const QString other = tr("Another file …");
  names.append(other);
  bool chosen = false;
  const QString name = QInputDialog::getItem(this, tr("Compare"), tr("Compare %1 with:").arg(page->document().title()),
                                             names, 0, false, &chosen);
  if (!chosen) return;
  if (name != other) {
    compare_with(*pages[static_cast<std::size_t>(names.indexOf(name))]);
    return;
  }
  const QString path = QFileDialog::getOpenFileName(
      this, tr("Compare with"), QFileInfo(page->document().place().path).path(), tr("PTX (*.ptx);;All files (*)"));
  if (path.isEmpty()) return;
  open_place({QFileInfo(path).absoluteFilePath(), {}});
  DocumentPage* const opened = current_page();
  if (opened == nullptr || opened == page) return;
  tabs_->setCurrentWidget(page);
  compare_with(*opened);
}

void MainWindow::ask_files() {
  DocumentPage* const page = current_page();
  const QString folder = page == nullptr ? QSettings().value(QStringLiteral("folder")).toString()
                                         : QFileInfo(page->document().place().path).path();
  const QStringList paths = QFileDialog::getOpenFileNames(
      this, tr("Open PTX"), folder, tr("PTX (*.ptx);;Executables, objects, libraries and all others (*)"));
  if (paths.isEmpty()) return;
  QSettings().setValue(QStringLiteral("folder"), QFileInfo(paths.front()).path());
  open_files(paths);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  const auto urls = event->mimeData()->urls();
  if (std::ranges::any_of(urls, [](const QUrl& url) { return url.isLocalFile(); })) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  QStringList paths;
  for (const QUrl& url : event->mimeData()->urls())
    if (url.isLocalFile()) paths.append(url.toLocalFile());
  event->acceptProposedAction();
  open_files(paths);
}

void MainWindow::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Question || event->text() == QLatin1String("?")) {
    show_keys();
    return;
  }
  if (event->key() == Qt::Key_Escape && !problem_->isHidden()) {
    problem_->hide();
    return;
  }
  QMainWindow::keyPressEvent(event);
}

void MainWindow::closeEvent(QCloseEvent* event) {
  save_session();
  QMainWindow::closeEvent(event);
}

void MainWindow::save_session() const {
  QSettings settings;
  settings.setValue(QStringLiteral("window"), saveGeometry());
  settings.beginWriteArray(QStringLiteral("session"));
  int count = 0;
  for (int i = 0; i < tabs_->count(); ++i) {
    auto* const page = qobject_cast<DocumentPage*>(tabs_->widget(i));
    if (page == nullptr) continue;
    if (i == tabs_->currentIndex()) page->save_layout();
    settings.setArrayIndex(count++);
    settings.setValue(QStringLiteral("path"), page->document().place().path);
    settings.setValue(QStringLiteral("image"), page->document().place().image);
    settings.setValue(QStringLiteral("line"), page->selection().now().line);
    settings.setValue(QStringLiteral("current"), i == tabs_->currentIndex());
  }
  settings.endArray();
  settings.setValue(QStringLiteral("session/size"), count);
}

void MainWindow::restore_session() {
  QSettings settings;
  const int count = settings.beginReadArray(QStringLiteral("session"));
  struct Entry {
    FilePlace place;
    std::uint32_t line = 0;
    bool current = false;
  };
  std::vector<Entry> entries;
  for (int i = 0; i < std::min(count, 30); ++i) {
    settings.setArrayIndex(i);
    entries.push_back(
        {{settings.value(QStringLiteral("path")).toString(), settings.value(QStringLiteral("image")).toString()},
         settings.value(QStringLiteral("line")).toUInt(),
         settings.value(QStringLiteral("current")).toBool()});
  }
  settings.endArray();
  DocumentPage* current = nullptr;
  for (const Entry& entry : entries) {
    if (!QFileInfo(entry.place.path).isFile()) continue;
    open_place(entry.place);
    DocumentPage* const page = current_page();
    if (page == nullptr) continue;
    if (entry.current) current = page;
    // Once, when the text is there.
    connect(
        &page->document(), &Document::module_changed, page,
        [page, line = entry.line] {
          if (line > 1) page->selection().choose_line(line, nullptr, Move::follow);
        },
        Qt::SingleShotConnection);
  }
  if (current != nullptr) tabs_->setCurrentWidget(current);
}

}  // namespace ptxscope::gui
