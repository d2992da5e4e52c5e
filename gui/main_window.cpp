#include "gui/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenuBar>
#include <QSettings>
#include <QStatusBar>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/background.h"
#include "gui/image_chooser.h"
#include "gui/theme.h"
#include "gui/words.h"
#include "report/one_line.h"

namespace ptxscope::gui {
namespace {

// Of a tab: many tabs, and a name as long as a file system takes, make the window no wider than the screen.
constexpr qsizetype longest_title = 40;

// Shown at a time; of more, how many there are.
constexpr qsizetype most_problems = 5;

void set_tab_text(QTabWidget& tabs, int index, QString text) {
  text = shortened(text, 2 * longest_title);
  tabs.setTabText(index, text.replace(QLatin1Char('&'), QLatin1String("&&")));
}

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
  make_wrapping(*problem_);
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
  busy_->setTextFormat(Qt::PlainText);
  place_ = new QLabel(this);
  place_->setAccessibleName(tr("Place of the cursor"));
  statusBar()->addWidget(statement_, 1);
  statusBar()->addPermanentWidget(busy_);
  statusBar()->addPermanentWidget(place_);
  drop_target_ = new QLabel(this);
  drop_target_->setAlignment(Qt::AlignCenter);
  drop_target_->setWordWrap(true);
  drop_target_->setTextFormat(Qt::PlainText);
  drop_target_->setAttribute(Qt::WA_TransparentForMouseEvents);
  drop_target_->setAutoFillBackground(true);
  drop_target_->setFrameShape(QFrame::Box);
  drop_target_->hide();
  build_menus();
  connect(tabs_, &QTabWidget::currentChanged, this, &MainWindow::page_changed);
  connect(tabs_, &QTabWidget::tabCloseRequested, this, &MainWindow::close_tab);
  keep_.setSingleShot(true);
  keep_.setInterval(2000);
  connect(&keep_, &QTimer::timeout, this, &MainWindow::keep_session);
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

DiffPage* MainWindow::current_comparison() const { return qobject_cast<DiffPage*>(tabs_->currentWidget()); }

void MainWindow::say_problem(const QString& path, const FileProblem& problem) {
  QPalette palette = problem_->palette();
  palette.setColor(QPalette::Window, Theme::instance().colors().of(MarkRole::unfit));
  palette.setColor(QPalette::WindowText, Theme::instance().colors().text);
  problem_->setPalette(palette);
  const QString sentence = tr("%1: %2 %3").arg(shown_path(path), problem.what, problem.remedy);
  if (!problems_.contains(sentence)) problems_.append(sentence);
  QString text = problems_.first(std::min(problems_.size(), most_problems)).join(QLatin1Char('\n'));
  if (problems_.size() > most_problems) text += tr("\n… and %1 more").arg(problems_.size() - most_problems);
  problem_->setText(text);
  problem_->show();
}

void MainWindow::hide_problems() {
  problems_.clear();
  problem_->hide();
}

void MainWindow::open_files(const QStringList& paths) {
  hide_problems();
  for (const QString& path : paths) find_places(path, [this](const FilePlace& place) { open_place(place); });
}

// `take` is called now or later, once for each module of the file that is wanted, or not at all.
void MainWindow::find_places(const QString& path, const TakePlace& take) {
  QString file = path;
  QString image;
  if (!QFileInfo::exists(path)) {
    // FILE:IMAGE, as the other commands take it: "app:sm_90:1" is an image of the file "app".
    for (qsizetype colon = path.indexOf(QLatin1Char(':')); colon > 0;
         colon = path.indexOf(QLatin1Char(':'), colon + 1)) {
      if (!QFileInfo(path.first(colon)).isFile()) continue;
      image = QFileInfo(path.first(colon)).fileName() + path.sliced(colon);
      file = path.first(colon);
      break;
    }
  }
  const QString absolute = QFileInfo(file).absoluteFilePath();
  if (!image.isEmpty()) return take({absolute, image});
  // A .ptx file is opened at once; of others it must be known first what is in them.
  if (file.endsWith(QLatin1String(".ptx"), Qt::CaseInsensitive) && QFileInfo(file).isFile())
    return take({absolute, {}});
  busy_->setText(tr("looking into %1 …").arg(shortened(shown_path(QFileInfo(file).fileName()), longest_title)));
  in_background(
      this, [absolute](const Cancel& cancel) { return list_file(absolute, cancel); },
      [this, absolute, take](const Outcome<FileListing>& outcome) {
        busy_->clear();
        if (outcome.value) {
          take_listing(absolute, *outcome.value, take);
        } else {
          say_problem(absolute, {outcome.problem, {}});
        }
      },
      20);
}

void MainWindow::take_listing(const QString& path, const FileListing& listing, const TakePlace& take) {
  if (!listing.problem.empty()) {
    say_problem(path, listing.problem);
    return;
  }
  if (listing.is_text) return take({path, {}});
  if (listing.images.size() == 1) return take({path, listing.images.front().name});
  auto* const chooser = new ImageChooser(QFileInfo(path).fileName(), listing, this);
  chooser->setAttribute(Qt::WA_DeleteOnClose);
  connect(chooser, &QDialog::accepted, this, [chooser, path, take] {
    for (const QString& name : chooser->chosen()) take({path, name});
  });
  chooser->open();
}

DocumentPage* MainWindow::page_of(const FilePlace& place) const {
  for (int i = 0; i < tabs_->count(); ++i)
    if (auto* const page = qobject_cast<DocumentPage*>(tabs_->widget(i));
        page != nullptr && is_same_file(page->document().place(), place))
      return page;
  return nullptr;
}

DocumentPage* MainWindow::page_of(const Document& document) const {
  for (int i = 0; i < tabs_->count(); ++i)
    if (auto* const page = qobject_cast<DocumentPage*>(tabs_->widget(i));
        page != nullptr && &page->document() == &document)
      return page;
  return nullptr;
}

void MainWindow::open_place(const FilePlace& place) {
  if (DocumentPage* const open = page_of(place)) {
    tabs_->setCurrentWidget(open);
    return;
  }
  auto* const page = new DocumentPage(place, tabs_);
  connect_page(*page);
  tabs_->setCurrentIndex(tabs_->addTab(page, page->document().title()));
  keeps_ = true;
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
    close_comparisons_of(of->document());
  }
  if (auto* const comparison = qobject_cast<DiffPage*>(page)) comparison->save_layout();
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
    if (const auto* const comparison = qobject_cast<DiffPage*>(tabs_->widget(i))) {
      set_tab_text(*tabs_, i, comparison->title());
      tabs_->setTabToolTip(i, plain_tip(tr("%1\n%2").arg(shown_path(comparison->document(DiffSide::a).place().path),
                                                         shown_path(comparison->document(DiffSide::b).place().path))));
    }
    auto* const page = qobject_cast<DocumentPage*>(tabs_->widget(i));
    if (page == nullptr) continue;
    const Stage stage = page->document().stage();
    QString title = shortened(page->document().title(), longest_title);
    if (stage == Stage::loading || stage == Stage::reloading) title += QStringLiteral(" …");
    if (stage == Stage::failed) title += QStringLiteral(" !");
    set_tab_text(*tabs_, i, title);
    tabs_->setTabToolTip(i, plain_tip(shown_path(page->document().place().path)));
  }
  const int current = tabs_->currentIndex();
  const QString title =
      current < 0 ? QString() : tabs_->tabText(current).replace(QLatin1String("&&"), QLatin1String("&"));
  setWindowTitle(title.isEmpty() ? QStringLiteral("ptxscope") : tr("%1 — ptxscope").arg(title));
  update_commands();
}

void MainWindow::show_status() {
  if (keeps_) keep_.start();
  DocumentPage* const page = current_page();
  const auto module = page == nullptr ? nullptr : page->document().module();
  if (module == nullptr) {
    place_->setText(current_comparison() == nullptr ? QString() : current_comparison()->place_text());
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

void MainWindow::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Question || event->text() == QLatin1String("?")) {
    show_keys();
    return;
  }
  if (event->key() == Qt::Key_Escape && !problem_->isHidden()) {
    hide_problems();
    return;
  }
  QMainWindow::keyPressEvent(event);
}

void MainWindow::closeEvent(QCloseEvent* event) {
  save_session();
  QMainWindow::closeEvent(event);
}

void MainWindow::keep_session() {
  QSettings settings;  // there meanwhile: what could not be written is forgotten with the last one
  save_session();
  settings.sync();
  if (settings.status() == QSettings::NoError || told_settings_) return;
  told_settings_ = true;
  say_problem(settings.fileName(), {tr("What is open cannot be written down there."),
                                    tr("It will not be open the next time; make the file writable to you.")});
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
    settings.setValue(QStringLiteral("panels"), page->panel_states());
    settings.setValue(QStringLiteral("current"), i == tabs_->currentIndex());
  }
  settings.endArray();
  settings.setValue(QStringLiteral("session/size"), count);
  save_comparisons();
}

void MainWindow::restore_session() {
  keeps_ = true;
  QSettings settings;
  const int count = settings.beginReadArray(QStringLiteral("session"));
  struct Entry {
    FilePlace place;
    std::uint32_t line = 0;
    bool current = false;
    QVariantMap panels;
  };
  std::vector<Entry> entries;
  for (int i = 0; i < std::min(count, 30); ++i) {
    settings.setArrayIndex(i);
    entries.push_back(
        {{settings.value(QStringLiteral("path")).toString(), settings.value(QStringLiteral("image")).toString()},
         settings.value(QStringLiteral("line")).toUInt(),
         settings.value(QStringLiteral("current")).toBool(),
         settings.value(QStringLiteral("panels")).toMap()});
  }
  settings.endArray();
  DocumentPage* current = nullptr;
  for (const Entry& entry : entries) {
    if (!QFileInfo(entry.place.path).isFile()) {
      say_problem(entry.place.path, {tr("The file that was open last time is not there any more."), {}});
      continue;
    }
    open_place(entry.place);
    DocumentPage* const page = current_page();
    if (page == nullptr) continue;
    if (entry.current) current = page;
    page->restore_panels(entry.panels);
    // Once, when the text is there.
    connect(
        &page->document(), &Document::module_changed, page,
        [page, line = entry.line] {
          if (line > 1) page->selection().choose_line(line, nullptr, Move::follow);
        },
        Qt::SingleShotConnection);
  }
  restore_comparisons();
  if (current != nullptr) tabs_->setCurrentWidget(current);
}

}  // namespace ptxscope::gui
