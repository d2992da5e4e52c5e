// The window: tabs, menus, what was open last time.
#pragma once

#include <QLabel>
#include <QMainWindow>
#include <QMenu>
#include <QStackedWidget>
#include <QStringList>
#include <QTabWidget>
#include <QTimer>
#include <functional>
#include <vector>

#include "gui/diff_page.h"
#include "gui/document_page.h"
#include "gui/file_reader.h"

namespace ptxscope::gui {

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  explicit MainWindow(QWidget* parent = nullptr);

  /// Opens each; of a file with several modules inside asks which. "FILE:IMAGE" names one of them.
  void open_files(const QStringList& paths);
  void open_place(const FilePlace& place);
  /// Opens both, if they are not open yet, and a tab with the two side by side. A file that is not there is waited for.
  void compare_files(const QString& a, const QString& b);
  /// What was open when the window was last closed.
  void restore_session();
  [[nodiscard]] DocumentPage* current_page() const;
  [[nodiscard]] DiffPage* current_comparison() const;
  [[nodiscard]] int page_count() const { return tabs_->count(); }
  void close_tab(int index);
  void show_keys();
  /// The commands of the menus with their keys, for the list of keys.
  [[nodiscard]] std::vector<std::pair<QString, QString>> key_list() const;

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dragMoveEvent(QDragMoveEvent* event) override;
  void dragLeaveEvent(QDragLeaveEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void closeEvent(QCloseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void build_menus();
  void build_file_menu();
  void build_edit_menu();
  void build_view_menu();
  void build_go_menu();
  void build_help_menu();
  QWidget* build_welcome();
  void ask_files();
  using TakePlace = std::function<void(const FilePlace&)>;
  void find_places(const QString& path, const TakePlace& take);
  void take_listing(const QString& path, const FileListing& listing, const TakePlace& take);
  [[nodiscard]] DocumentPage* page_of(const FilePlace& place) const;
  [[nodiscard]] DocumentPage* page_of(const Document& document) const;

  // main_window_compare.cpp
  struct DropTarget {  // what a file dropped there is compared with, and in the place of which side
    Document* with = nullptr;
    DiffSide side = DiffSide::b;
    QRect area;  // in the window
  };
  void ask_comparison();
  void compare_places(const FilePlace& a, const FilePlace& b);
  DiffPage* compare_pages(DocumentPage& a, DocumentPage& b);
  void close_comparisons_of(const Document& document);
  [[nodiscard]] DropTarget drop_target(QPoint position) const;
  void show_drop_target(const QDropEvent& event);
  void save_comparisons() const;
  void restore_comparisons();

  /// Above the tabs, below those said before it, until the next file is opened.
  void say_problem(const QString& path, const FileProblem& problem);
  void hide_problems();
  void connect_page(DocumentPage& page);
  void page_changed();
  void show_titles();
  void show_status();
  void rebuild_panel_menus();
  void rebuild_recent();
  void add_recent(const QString& path);
  void update_commands();
  void save_session() const;
  void keep_session();

  QTimer keep_;  // what is open is written down soon after it changed, not only when the window is closed
  bool keeps_ = false, told_settings_ = false;
  QTabWidget* tabs_;
  QStackedWidget* stack_;
  QLabel* problem_;
  QStringList problems_;
  QLabel* place_;
  QLabel* statement_;
  QLabel* busy_;
  QLabel* drop_target_;
  QMenu* recent_ = nullptr;
  QMenu* panels_menu_ = nullptr;
  QMenu* go_menu_ = nullptr;
  QList<QAction*> go_to_panels_;
  QAction* help_anchor_ = nullptr;
  QList<QMenu*> page_menus_;
  QList<QAction*> page_commands_;  // that need a page
  QAction* back_ = nullptr;
  QAction* forward_ = nullptr;
  QAction* reload_ = nullptr;
  QAction* close_ = nullptr;
  QAction* export_comparison_ = nullptr;
  QAction* cancel_ = nullptr;
};

}  // namespace ptxscope::gui
