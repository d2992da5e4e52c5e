#include "gui/source_view.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>

#include "report/source_lines.h"
#include "report/terminal.h"

namespace ptxscope::gui {
namespace {

constexpr std::size_t most_source = std::size_t{4} << 20;  // bytes of one file that are shown

struct ReadFile {
  std::uint32_t number = 0;
  QString name, text;
};

// Those that are there. A module names any path it likes: SourceLines reads only what is called like source code.
std::vector<ReadFile> read_files(const SourceMap& map, const std::string& ptx_file, const QString& folder,
                                 const Cancel& cancel) {
  report::SourceLines beside(ptx_file);
  report::SourceLines chosen(QString(folder + QStringLiteral("/x.ptx")).toStdString());
  std::vector<ReadFile> found;
  for (std::uint32_t number = 0; number < map.files.size() && !cancel.requested(); ++number) {
    const std::string& name = map.files[number];
    std::string_view text = beside.text(name);
    if (text.empty() && !folder.isEmpty()) {
      text = chosen.text(name);
      // Of a path from another machine, its end.
      const QString base = QFileInfo(QString::fromStdString(name)).fileName();
      if (text.empty()) text = chosen.text(base.toStdString());
    }
    if (text.empty()) continue;
    const std::string_view head = text.substr(0, most_source);
    QString content = QString::fromUtf8(head.data(), static_cast<qsizetype>(head.size()));
    content.remove(QLatin1Char('\r'));
    if (text.size() > most_source) content += QStringLiteral("\n… and %1 more bytes").arg(text.size() - most_source);
    found.push_back({number, QString::fromStdString(report::printable(name)), std::move(content)});
  }
  return found;
}

}  // namespace

SourceView::SourceView(Document& document, Selection& selection, QWidget* parent) : Panel(document, selection, parent) {
  choice_ = new QComboBox(this);
  choice_->setAccessibleName(tr("Source file"));
  choice_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  choice_->setMinimumContentsLength(12);
  text_ = new SourceText(this);
  message_ = new QLabel(this);
  message_->setWordWrap(true);
  message_->setTextFormat(Qt::PlainText);
  message_->setAlignment(Qt::AlignCenter);
  message_->setMargin(12);
  folder_button_ = new QPushButton(tr("Choose the folder of the source…"), this);
  folder_button_->setAutoDefault(false);
  auto* const nothing = new QWidget(this);
  auto* const middle = new QVBoxLayout(nothing);
  middle->addStretch();
  middle->addWidget(message_);
  middle->addWidget(folder_button_, 0, Qt::AlignHCenter);
  middle->addStretch();
  auto* const page = new QWidget(this);
  auto* const column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(choice_);
  column->addWidget(text_, 1);
  stack_ = new QStackedWidget(this);
  stack_->addWidget(nothing);
  stack_->addWidget(page);
  auto* const outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  outer->addWidget(stack_);
  connect(choice_, &QComboBox::activated, this, &SourceView::show_file);
  connect(text_, &SourceText::line_chosen, this, &SourceView::choose_line);
  connect(folder_button_, &QPushButton::clicked, this, &SourceView::choose_folder);
  connect(&document, &Document::module_changed, this, &SourceView::start_over);
  connect(&document, &Document::result_ready, this, [this](ResultKind kind) {
    if (kind == ResultKind::source_map) take_map();
  });
  connect(&selection, &Selection::changed, this, [this](const Choice&, const QObject* by) { follow(by); });
  start_over();
}

void SourceView::start_over() {
  module_ = this->document().module();
  map_ = nullptr;
  files_.clear();
  shown_ = -1;
  choice_->clear();
  folder_button_->hide();
  say(module_ == nullptr ? QString() : tr("Looking for the source …"));
  if (module_ != nullptr) take_map();
}

void SourceView::say(const QString& sentence) {
  message_->setText(sentence);
  stack_->setCurrentIndex(0);
  Q_EMIT has_source_changed();
}

void SourceView::take_map() {
  if (module_ == nullptr || module_ != this->document().module() || map_ != nullptr) return;
  const auto answer = this->document().source_map();
  if (answer.pending()) return;
  if (!answer) {
    say(answer.problem);
    return;
  }
  map_ = answer.value;
  if (map_->files.empty()) {
    say(
        tr("The code does not say which source lines it came from.\nCompile with nvcc -lineinfo, clang "
           "-gline-tables-only or "
           "rustc -C debuginfo=1, then reload."));
    return;
  }
  in_background(
      this,
      [map = map_, file = module_->file_name(), folder = folder_](const Cancel& cancel) {
        return read_files(*map, file, folder, cancel);
      },
      [this, map = map_](const Outcome<std::vector<ReadFile>>& outcome) {
        if (map != map_) return;
        std::vector<File> files;
        if (outcome.value)
          for (const ReadFile& one : *outcome.value) files.push_back({one.number, one.name, one.text});
        take_files(std::move(files));
      });
}

void SourceView::take_files(std::vector<File> files) {
  files_ = std::move(files);
  choice_->clear();
  shown_ = -1;
  if (files_.empty()) {
    folder_button_->show();
    QString names;
    for (std::size_t i = 0; i < std::min<std::size_t>(map_->files.size(), 4); ++i)
      names +=
          (i == 0 ? QString() : QStringLiteral(", ")) + QString::fromStdString(report::printable(map_->files[i], 80));
    if (map_->files.size() > 4) names += QStringLiteral(", …");
    say(tr("The source is not at hand: %1.\nPut it where the module names it, or choose its folder.").arg(names));
    return;
  }
  for (const File& file : files_) choice_->addItem(QFileInfo(file.name).fileName(), file.name);
  for (int i = 0; i < choice_->count(); ++i)
    choice_->setItemData(i, files_[static_cast<std::size_t>(i)].name, Qt::ToolTipRole);
  stack_->setCurrentIndex(1);
  Q_EMIT has_source_changed();
  follow(nullptr);
  if (shown_ < 0) show_file(0);
}

void SourceView::show_file(int index) {
  if (index < 0 || index >= static_cast<int>(files_.size()) || index == shown_) return;
  shown_ = index;
  choice_->setCurrentIndex(index);
  const File& file = files_[static_cast<std::size_t>(index)];
  text_->mark_line(0);
  text_->setPlainText(file.text);
  std::vector<int> lines;
  for (const SourceRun& run : map_->by_line)
    if (run.file == file.number && (lines.empty() || lines.back() != static_cast<int>(run.line)))
      lines.push_back(static_cast<int>(run.line));
  text_->set_lines_with_code(std::move(lines));
}

// The line of the chosen instruction; of an inlined one, the innermost whose file is there.
void SourceView::follow(const QObject* by) {
  if (map_ == nullptr || files_.empty() || by == this) return;
  const std::uint32_t statement = selection().now().statement;
  if (statement == no_index || map_ == nullptr) return;
  for (const SourceRun& run : map_->of(statement)) {
    const auto file = std::ranges::find(files_, run.file, &File::number);
    if (file == files_.end() || run.line == 0) continue;
    show_file(static_cast<int>(file - files_.begin()));
    text_->mark_line(static_cast<int>(run.line));
    return;
  }
  text_->mark_line(0);
}

// All instructions that came from the line are marked in the code; the cursor goes to the first.
void SourceView::choose_line(int line) {
  if (map_ == nullptr || shown_ < 0 || module_ != this->document().module()) return;
  const auto runs = map_->on_line(files_[static_cast<std::size_t>(shown_)].number, static_cast<std::uint32_t>(line));
  std::vector<Mark> marks;
  constexpr std::size_t most_marks = 100'000;
  std::uint32_t first = no_index;
  for (const SourceRun& run : runs) {
    for (std::uint32_t at = run.first; at <= run.last && marks.size() < most_marks; ++at) {
      if (module_->statement(at).kind() != StatementKind::instruction) continue;
      first = std::min(first, at);
      marks.push_back({at,
                       {},
                       MarkRole::found,
                       tr("from %1, line %2").arg(files_[static_cast<std::size_t>(shown_)].name).arg(line)});
    }
  }
  text_->mark_line(line);
  selection().set_marks(MarkLayer::source, std::move(marks));
  if (first != no_index) selection().choose_statement(first, this, Move::jump);
}

void SourceView::choose_folder() {
  const QString folder = QFileDialog::getExistingDirectory(this, tr("Folder of the source"),
                                                           QFileInfo(this->document().place().path).path());
  if (folder.isEmpty()) return;
  folder_ = folder;
  start_over();
}

}  // namespace ptxscope::gui
