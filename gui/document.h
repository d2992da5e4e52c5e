// One opened module: read and parsed off the GUI thread, and what the analyses say of it, worked out when first asked for
// and kept. A result is immutable and shared; who holds it may use it on any thread for as long as it likes.
#pragma once

#include <QDateTime>
#include <QFileSystemWatcher>
#include <QObject>
#include <QString>
#include <QTimer>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "analysis/check.h"
#include "analysis/function_flow.h"
#include "analysis/liveness.h"
#include "analysis/stats.h"
#include "analysis/traps.h"
#include "gui/background.h"
#include "gui/file_reader.h"
#include "gui/places.h"
#include "gui/source_map.h"
#include "parser/module.h"

namespace ptxscope::gui {

class Values;

enum class Stage : std::uint8_t {
  idle,     ///< load() was not called
  loading,  ///< for the first time; there is no module
  ready,
  reloading,  ///< the old module is still there
  failed,     ///< problem() says why; after a reload that failed, the old module is still there
  cancelled,
};

enum class ResultKind : std::uint8_t { flow, live, traps, stats, trap_counts, check, diagnostics, outline, source_map };

/// A result that may not be there yet. Neither value nor problem: it is being worked out, and
/// Document::result_ready() tells when asking again will give it.
template <class T>
struct Answer {
  std::shared_ptr<const T> value;
  QString problem;  ///< why there will be none: a sentence with the way out
  [[nodiscard]] bool pending() const { return value == nullptr && problem.isEmpty(); }
  [[nodiscard]] const T* operator->() const { return value.get(); }
  [[nodiscard]] const T& operator*() const { return *value; }
  [[nodiscard]] explicit operator bool() const { return value != nullptr; }
};

class Document : public QObject {
  Q_OBJECT
 public:
  explicit Document(FilePlace place, QObject* parent = nullptr);
  ~Document() override;

  [[nodiscard]] const FilePlace& place() const { return place_; }
  [[nodiscard]] QString title() const;  ///< "vecadd.ptx", "app:sm_90:1"
  [[nodiscard]] Stage stage() const { return stage_; }
  [[nodiscard]] const FileProblem& problem() const { return problem_; }
  /// Bytes that have been read, in percent; -1 while they are being parsed.
  [[nodiscard]] int progress() const { return progress_; }

  /// Reads the file, again when it was read before.
  void load();
  /// Stops reading or parsing; a module that was there stays.
  void cancel();
  /// Reload whenever the file changes on disk; on from the start.
  void set_watching(bool watching);

  /// nullptr until the first one is ready. Hold the pointer for as long as you use what belongs to it.
  [[nodiscard]] std::shared_ptr<const Module> module() const { return module_; }
  /// Counts modules: what was worked out for another generation is about another text.
  [[nodiscard]] std::uint64_t generation() const { return generation_; }

  // Results. The first call starts the work; `function` is an index into Module::functions.
  // Without a module, or for a function without a body, all of them say so in `problem`.
  [[nodiscard]] Answer<analysis::FunctionFlow> flow(std::uint32_t function);
  [[nodiscard]] Answer<analysis::LiveRanges> live(std::uint32_t function);
  /// The report of this function alone: its one entry is in `functions`, or none where explain-trap says nothing of it
  /// (a function that kernels call is told of in their reports). To evaluate a launch, copy the report and its pool.
  [[nodiscard]] Answer<analysis::TrapReport> traps(std::uint32_t function);
  [[nodiscard]] Answer<analysis::ModuleStats> stats();
  /// By function: how many traps explain-trap reports of it; no_index where it has no report.
  [[nodiscard]] Answer<std::vector<std::uint32_t>> trap_counts();
  /// What it needs, and whether its own header satisfies that.
  [[nodiscard]] Answer<analysis::CheckReport> check();
  /// All that is to be reported, in order of place, as `ptxscope check` does. Waits for check().
  [[nodiscard]] Answer<std::vector<Diagnostic>> diagnostics();
  [[nodiscard]] Answer<Outline> outline();
  [[nodiscard]] Answer<SourceMap> source_map();
  /// What registers hold.
  [[nodiscard]] Values& values() { return *values_; }

 Q_SIGNALS:
  void stage_changed();
  void progressed(int percent);
  /// Another module, or the first: what came from the old one no longer holds. Sent before stage_changed().
  void module_changed();
  /// `function` is no_index for results of the module as a whole.
  void result_ready(ptxscope::gui::ResultKind kind, std::uint32_t function);

 private:
  template <class T>
  struct Slot {
    Answer<T> answer;
    bool started = false;
    std::uint64_t used = 0;  // when it was last asked for
  };
  template <class T>
  using PerFunction = std::unordered_map<std::uint32_t, Slot<T>>;

  template <class T, class Work>
  Answer<T> ask(Slot<T> Document::*member, ResultKind kind, int priority, Work work);
  template <class T, class Work>
  Answer<T> ask_function(PerFunction<T> Document::*member, ResultKind kind, std::uint32_t function, Work work);
  template <class T, class Work, class FindSlot>
  void start(std::uint32_t function, ResultKind kind, int priority, Work work, FindSlot find_slot);
  void set_stage(Stage stage);
  void take(Outcome<LoadedFile> outcome);
  void forget_results();
  void watch();
  void file_changed();
  void file_gone();

  FilePlace place_;
  Stage stage_ = Stage::idle;
  FileProblem problem_;
  int progress_ = 0;
  std::shared_ptr<const Module> module_;
  std::uint64_t generation_ = 0;
  std::uint64_t clock_ = 0;
  Cancel load_cancel_;
  Cancel results_cancel_;  // of the work for this generation
  QFileSystemWatcher watcher_;
  QTimer settle_;  // a writer changes a file in several steps
  QTimer gone_;    // and may remove it before it puts another there
  bool watching_ = true;
  struct FileState {
    QDateTime changed;
    qint64 size = 0;
    bool operator==(const FileState&) const = default;
  };
  FileState known_;  // of what was read

  PerFunction<analysis::FunctionFlow> flow_;
  PerFunction<analysis::LiveRanges> live_;
  PerFunction<analysis::TrapReport> traps_;
  Slot<analysis::ModuleStats> stats_;
  Slot<std::vector<std::uint32_t>> trap_counts_;
  Slot<analysis::CheckReport> check_;
  Slot<std::vector<Diagnostic>> diagnostics_;
  Slot<Outline> outline_;
  Slot<SourceMap> source_map_;
  std::unique_ptr<Values> values_;
};

}  // namespace ptxscope::gui
