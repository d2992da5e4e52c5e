// Comparing from MainWindow: by the menu, the command line, a drop, the last session.
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QMimeData>
#include <QSettings>
#include <algorithm>

#include "gui/main_window.h"
#include "gui/theme.h"
#include "gui/words.h"

namespace ptxscope::gui {
namespace {

QStringList files_in(const QMimeData& data) {
  QStringList paths;
  for (const QUrl& url : data.urls())
    if (url.isLocalFile()) paths.append(url.toLocalFile());
  return paths;
}

}  // namespace

void MainWindow::compare_files(const QString& a, const QString& b) {
  hide_problems();
  // One that is not there is shown as that, in its place, and read when it comes.
  const auto find = [this](const QString& path, const TakePlace& take) {
    const bool is_image = path.contains(QLatin1Char(':'));
    if (QFileInfo::exists(path) || is_image) return find_places(path, take);
    take({QFileInfo(path).absoluteFilePath(), {}});
  };
  find(a, [this, find, b](const FilePlace& first) {
    find(b, [this, first](const FilePlace& second) { compare_places(first, second); });
  });
}

void MainWindow::compare_places(const FilePlace& a, const FilePlace& b) {
  open_place(a);
  open_place(b);
  DocumentPage* const first = page_of(a);
  DocumentPage* const second = page_of(b);
  if (first != nullptr && second != nullptr) compare_pages(*first, *second);
}

DiffPage* MainWindow::compare_pages(DocumentPage& a, DocumentPage& b) {
  for (int i = 0; i < tabs_->count(); ++i) {
    auto* const open = qobject_cast<DiffPage*>(tabs_->widget(i));
    if (open == nullptr || &open->document(DiffSide::a) != &a.document() ||
        &open->document(DiffSide::b) != &b.document())
      continue;
    tabs_->setCurrentIndex(i);
    return open;
  }
  auto* const page = new DiffPage(a.document(), b.document(), tabs_);
  connect(page, &DiffPage::title_changed, this, &MainWindow::show_titles);
  connect(page, &DiffPage::place_changed, this, [this, page] {
    if (page == current_comparison()) show_status();
  });
  connect(page, &DiffPage::line_opened, this, [this](const Document* document, std::uint32_t line) {
    DocumentPage* const of = page_of(*document);
    if (of == nullptr) return;
    tabs_->setCurrentWidget(of);
    of->selection().choose_line(line, nullptr, Move::jump);
    of->code().setFocus();
  });
  tabs_->setCurrentIndex(tabs_->addTab(page, page->title()));
  page->area().setFocus();
  show_titles();
  return page;
}

// They have nothing to show any more.
void MainWindow::close_comparisons_of(const Document& document) {
  for (int i = tabs_->count() - 1; i >= 0; --i) {
    auto* const page = qobject_cast<DiffPage*>(tabs_->widget(i));
    if (page == nullptr || (&page->document(DiffSide::a) != &document && &page->document(DiffSide::b) != &document))
      continue;
    page->save_layout();
    tabs_->removeTab(i);
    delete page;
  }
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
    names.append(
        tr("%1  (%2)")
            .arg(shortened(one->document().title(), 60), shortened(shown_path(one->document().place().path), 100)));
  }
  const QString other = tr("Another file …");
  names.append(other);
  bool chosen = false;
  const QString name =
      QInputDialog::getItem(this, tr("Compare"), tr("Compare %1 with:").arg(shortened(page->document().title(), 60)),
                            names, 0, false, &chosen);
  if (!chosen) return;
  if (name != other) {
    compare_pages(*page, *pages[static_cast<std::size_t>(names.indexOf(name))]);
    return;
  }
  const FilePlace place = page->document().place();
  const QString path =
      QFileDialog::getOpenFileName(this, tr("Compare with"), QFileInfo(place.path).path(),
                                   tr("PTX (*.ptx);;Executables, objects, libraries and all others (*)"));
  if (path.isEmpty()) return;
  find_places(path, [this, place](const FilePlace& second) { compare_places(place, second); });
}

// On a module: the right third of its page. On a comparison: the half of the side that the file is to take.
MainWindow::DropTarget MainWindow::drop_target(QPoint position) const {
  const QRect page(tabs_->mapTo(this, QPoint(0, 0)), tabs_->size());
  if (DocumentPage* const of = current_page()) {
    const QRect area = page.adjusted(page.width() * 2 / 3, 0, 0, 0);
    if (area.contains(position)) return {&of->document(), DiffSide::b, area};
  }
  if (DiffPage* const comparison = current_comparison(); comparison != nullptr && page.contains(position)) {
    const int half = page.width() / 2;
    if (position.x() < page.left() + half)
      return {&comparison->document(DiffSide::b), DiffSide::a, page.adjusted(0, 0, -half, 0)};
    return {&comparison->document(DiffSide::a), DiffSide::b, page.adjusted(half, 0, 0, 0)};
  }
  return {};
}

void MainWindow::show_drop_target(const QDropEvent& event) {
  DropTarget target;
  QString text;
  if (files_in(*event.mimeData()).size() == 1) {
    target = drop_target(event.position().toPoint());
    if (target.with != nullptr) {
      text = tr("Drop it here to compare it with %1.").arg(target.with->title());
    } else if (current_page() != nullptr) {
      // Where it would be: nobody would look for it.
      const QRect page(tabs_->mapTo(this, QPoint(0, 0)), tabs_->size());
      target = drop_target(QPoint(page.right() - 1, page.center().y()));
      text = tr("Here it is compared with %1; elsewhere it is opened.").arg(current_page()->document().title());
    }
  }
  if (target.with != nullptr) {
    QPalette palette = drop_target_->palette();
    const Colors& colors = Theme::instance().colors();
    palette.setColor(QPalette::Window, colors.current_line);
    palette.setColor(QPalette::WindowText, colors.text);
    drop_target_->setPalette(palette);
    drop_target_->setGeometry(target.area.adjusted(8, 8, -8, -8));
    drop_target_->setText(text);
    drop_target_->raise();
  }
  drop_target_->setVisible(target.with != nullptr);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (files_in(*event->mimeData()).isEmpty()) return;
  event->acceptProposedAction();
  show_drop_target(*event);
}

void MainWindow::dragMoveEvent(QDragMoveEvent* event) {
  event->acceptProposedAction();
  show_drop_target(*event);
}

void MainWindow::dragLeaveEvent(QDragLeaveEvent*) { drop_target_->hide(); }

void MainWindow::dropEvent(QDropEvent* event) {
  drop_target_->hide();
  event->acceptProposedAction();
  const QStringList paths = files_in(*event->mimeData());
  const DropTarget target = paths.size() == 1 ? drop_target(event->position().toPoint()) : DropTarget();
  if (target.with == nullptr) return open_files(paths);
  hide_problems();
  find_places(paths.front(), [this, with = target.with->place(), side = target.side](const FilePlace& place) {
    if (side == DiffSide::a) compare_places(place, with);
    else compare_places(with, place);
  });
}

void MainWindow::save_comparisons() const {
  QSettings settings;
  settings.beginWriteArray(QStringLiteral("comparisons"));
  int count = 0;
  for (int i = 0; i < tabs_->count(); ++i) {
    auto* const page = qobject_cast<DiffPage*>(tabs_->widget(i));
    if (page == nullptr) continue;
    if (i == tabs_->currentIndex()) page->save_layout();
    settings.setArrayIndex(count++);
    for (const DiffSide side : {DiffSide::a, DiffSide::b}) {
      const QString name = side == DiffSide::a ? QStringLiteral("a_") : QStringLiteral("b_");
      settings.setValue(name + QStringLiteral("path"), page->document(side).place().path);
      settings.setValue(name + QStringLiteral("image"), page->document(side).place().image);
    }
    settings.setValue(QStringLiteral("side"), static_cast<int>(page->area().side()));
    settings.setValue(QStringLiteral("line"), page->area().line());
    settings.setValue(QStringLiteral("current"), i == tabs_->currentIndex());
  }
  settings.endArray();
  settings.setValue(QStringLiteral("comparisons/size"), count);
}

// Of files that are open again.
void MainWindow::restore_comparisons() {
  QSettings settings;
  const int count = std::min(settings.beginReadArray(QStringLiteral("comparisons")), 30);
  DiffPage* current = nullptr;
  for (int i = 0; i < count; ++i) {
    settings.setArrayIndex(i);
    const auto page = [&](const QString& name) {
      return page_of(FilePlace{settings.value(name + QStringLiteral("path")).toString(),
                               settings.value(name + QStringLiteral("image")).toString()});
    };
    DocumentPage* const a = page(QStringLiteral("a_"));
    DocumentPage* const b = page(QStringLiteral("b_"));
    if (a == nullptr || b == nullptr) continue;
    DiffPage* const comparison = compare_pages(*a, *b);
    comparison->start_at(settings.value(QStringLiteral("side")).toInt() == 0 ? DiffSide::a : DiffSide::b,
                         settings.value(QStringLiteral("line")).toUInt());
    if (settings.value(QStringLiteral("current")).toBool()) current = comparison;
  }
  settings.endArray();
  if (current != nullptr) tabs_->setCurrentWidget(current);
}

}  // namespace ptxscope::gui
