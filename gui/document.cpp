#include "gui/document.h"

#include <QFileInfo>
#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

#include "analysis/function_traps.h"
#include "gui/values.h"
#include "gui/words.h"
#include "report/check_parts.h"

namespace ptxscope::gui {

using namespace analysis;

namespace {

// Results of functions that are kept; those not asked for the longest go first.
constexpr std::size_t most_functions = 64;

// Places kept of each need and problem of check().
constexpr std::size_t most_places = 1000;

// Priorities of work: what the eye waits for first.
constexpr int chosen_function = 10;
constexpr int whole_view = 5;
constexpr int whole_module = 0;

std::vector<std::uint32_t> count_traps(const Module& module, const Cancel& cancel) {
  std::vector<std::uint32_t> counts(module.functions().size(), no_index);
  for (const FunctionTraps& one : explain_traps(module, {.kernels = {}, .names = {}, .stop = cancel.flag()}).functions)
    counts[one.function] = static_cast<std::uint32_t>(one.traps.size());
  return counts;
}

FunctionFlow flow_of(const Module& module, std::uint32_t function) {
  NeverReturns never_returns(module);
  return flow_of_function(module, function, never_returns);
}

LiveRanges live_of(const Module& module, std::uint32_t function) {
  CfgOptions options;
  options.post_dominators = false;
  options.loops = false;
  return compute_live_ranges(module, build_cfg(module, function, options));
}

}  // namespace

Document::Document(FilePlace place, QObject* parent)
    : QObject(parent), place_(std::move(place)), values_(std::make_unique<Values>()) {
  settle_.setSingleShot(true);
  settle_.setInterval(200);
  connect(&settle_, &QTimer::timeout, this, &Document::file_changed);
  gone_.setSingleShot(true);
  gone_.setInterval(1000);
  connect(&gone_, &QTimer::timeout, this, &Document::file_gone);
  connect(&watcher_, &QFileSystemWatcher::fileChanged, &settle_, qOverload<>(&QTimer::start));
  connect(&watcher_, &QFileSystemWatcher::directoryChanged, &settle_, qOverload<>(&QTimer::start));
}

Document::~Document() {
  load_cancel_.request();
  results_cancel_.request();
}

QString Document::title() const {
  return shown_path(place_.image.isEmpty() ? QFileInfo(place_.path).fileName() : place_.image);
}

void Document::set_stage(Stage stage) {
  stage_ = stage;
  Q_EMIT stage_changed();
}

void Document::load() {
  load_cancel_.request();
  progress_ = 0;
  stage_ = module_ == nullptr ? Stage::loading : Stage::reloading;
  watch();
  // Progress comes from the other thread; as a percentage changes at most 101 times, every change may be posted.
  const auto last = std::make_shared<int>(0);
  const QPointer<Document> self(this);
  const auto report = [self, last](const Cancel& cancel, int percent) {
    if (percent == *last) return;
    *last = percent;
    call_on_gui_thread([self, cancel, percent] {
      if (self.isNull() || cancel.requested()) return;
      self->progress_ = percent;
      Q_EMIT self->progressed(percent);
    });
  };
  load_cancel_ = in_background(
      this,
      [place = place_, report](const Cancel& cancel) {
        return load_file(place, cancel, [&](int percent) { report(cancel, percent); });
      },
      [this](Outcome<LoadedFile> outcome) { take(std::move(outcome)); }, chosen_function);
  Q_EMIT stage_changed();
}

void Document::cancel() {
  if (stage_ != Stage::loading && stage_ != Stage::reloading) return;
  load_cancel_.request();
  set_stage(module_ == nullptr ? Stage::cancelled : Stage::ready);
}

void Document::take(Outcome<LoadedFile> outcome) {
  watch();  // a writer may have replaced the file, and with it what was watched
  if (!outcome.value) {
    problem_ = {outcome.problem, tr("Close other files, then reload.")};
    set_stage(Stage::failed);
    return;
  }
  if (outcome.value->module == nullptr) {
    problem_ = outcome.value->problem;
    set_stage(Stage::failed);
    return;
  }
  problem_ = {};
  forget_results();
  module_ = std::move(outcome.value->module);
  ++generation_;
  values_->set_module(module_);
  stage_ = Stage::ready;
  Q_EMIT module_changed();
  Q_EMIT stage_changed();
}

void Document::forget_results() {
  results_cancel_.request();
  results_cancel_ = {};
  flow_.clear();
  live_.clear();
  traps_.clear();
  stats_ = {};
  trap_counts_ = {};
  check_ = {};
  diagnostics_ = {};
  outline_ = {};
  source_map_ = {};
}

void Document::set_watching(bool watching) {
  watching_ = watching;
  watch();
}

// The folder too: an editor saves by putting a new file in the old one's place.
void Document::watch() {
  const QStringList old = watcher_.files() + watcher_.directories();
  if (!watching_) {
    if (!old.isEmpty()) watcher_.removePaths(old);
    return;
  }
  const QFileInfo info(place_.path);
  if (info.isFile() && !watcher_.files().contains(place_.path)) watcher_.addPath(place_.path);
  const QString folder = info.absolutePath();
  if (QFileInfo(folder).isDir() && !watcher_.directories().contains(folder)) watcher_.addPath(folder);
  known_ = {info.lastModified(), info.size()};
}

void Document::file_changed() {
  const QFileInfo info(place_.path);
  const FileState state{info.lastModified(), info.size()};
  // Another file of the folder, or one that is about to be replaced.
  if (!info.isFile()) return gone_.start();
  if (state == known_ && watcher_.files().contains(place_.path)) return;
  load();
}

void Document::file_gone() {
  if (stage_ != Stage::ready || QFileInfo(place_.path).isFile()) return;
  problem_ = {tr("The file is not there any more."), tr("It is read again when it comes back.")};
  set_stage(Stage::failed);
}

template <class T, class Work>
Answer<T> Document::ask(Slot<T> Document::*member, ResultKind kind, int priority, Work work) {
  if (module_ == nullptr) return {nullptr, tr("The file has not been read yet.")};
  Slot<T>& slot = this->*member;
  if (slot.started) return slot.answer;
  slot.started = true;
  start<T>(no_index, kind, priority, std::move(work), [member](Document& self) { return &(self.*member); });
  return {};
}

template <class T, class Work>
Answer<T> Document::ask_function(PerFunction<T> Document::*member, ResultKind kind, std::uint32_t function, Work work) {
  if (module_ == nullptr) return {nullptr, tr("The file has not been read yet.")};
  if (function >= module_->functions().size()) return {nullptr, tr("No function is chosen.")};
  if (!module_->functions()[function].has_body)
    return {nullptr, tr("The function has no body here: it is only declared in this module.")};
  PerFunction<T>& slots = this->*member;
  Slot<T>& slot = slots[function];
  slot.used = ++clock_;
  if (slot.started) return slot.answer;
  slot.started = true;
  if (slots.size() > most_functions) {
    auto oldest = slots.end();
    for (auto one = slots.begin(); one != slots.end(); ++one) {
      if (one->first == function || one->second.answer.pending()) continue;
      if (oldest == slots.end() || one->second.used < oldest->second.used) oldest = one;
    }
    if (oldest != slots.end()) slots.erase(oldest);
  }
  start<T>(function, kind, chosen_function, std::move(work), [member, function](Document& self) -> Slot<T>* {
    const auto found = (self.*member).find(function);
    return found == (self.*member).end() ? nullptr : &found->second;
  });
  return {};
}

template <class T, class Work, class FindSlot>
void Document::start(std::uint32_t function, ResultKind kind, int priority, Work work, FindSlot find_slot) {
  in_background(
      this,
      [module = module_, work = std::move(work)](const Cancel& cancel) {
        return std::make_shared<const T>(work(*module, cancel));
      },
      [this, function, kind, find_slot](Outcome<std::shared_ptr<const T>> outcome) {
        if (Slot<T>* const slot = find_slot(*this); slot != nullptr) {
          if (outcome.value) {
            slot->answer.value = std::move(*outcome.value);
          } else {
            slot->answer.problem = outcome.problem;
          }
        }
        Q_EMIT result_ready(kind, function);
      },
      priority, results_cancel_);
}

Answer<FunctionFlow> Document::flow(std::uint32_t function) {
  return ask_function(&Document::flow_, ResultKind::flow, function,
                      [function](const Module& module, const Cancel&) { return flow_of(module, function); });
}

Answer<LiveRanges> Document::live(std::uint32_t function) {
  return ask_function(&Document::live_, ResultKind::live, function,
                      [function](const Module& module, const Cancel&) { return live_of(module, function); });
}

Answer<TrapReport> Document::traps(std::uint32_t function) {
  return ask_function(&Document::traps_, ResultKind::traps, function,
                      [function](const Module& module, const Cancel& cancel) {
                        return explain_traps_of(module, function, cancel.flag());
                      });
}

Answer<ModuleStats> Document::stats() {
  return ask(&Document::stats_, ResultKind::stats, whole_module,
             [](const Module& module, const Cancel& cancel) { return count_module(module, {}, 1, cancel.flag()); });
}

Answer<std::vector<std::uint32_t>> Document::trap_counts() {
  return ask(&Document::trap_counts_, ResultKind::trap_counts, whole_module,
             [](const Module& module, const Cancel& cancel) { return count_traps(module, cancel); });
}

Answer<CheckReport> Document::check() {
  return ask(&Document::check_, ResultKind::check, whole_module, [](const Module& module, const Cancel& cancel) {
    return analysis::check(module, {}, {.places = most_places, .stop = cancel.flag()});
  });
}

Answer<std::vector<Diagnostic>> Document::diagnostics() {
  const Answer<CheckReport> checked = check();
  if (!checked) return {nullptr, checked.problem};
  return ask(&Document::diagnostics_, ResultKind::diagnostics, whole_module,
             [checks = checked.value](const Module& module, const Cancel&) {
               return report::all_diagnostics(module, *checks);
             });
}

Answer<Outline> Document::outline() {
  return ask(&Document::outline_, ResultKind::outline, whole_view,
             [](const Module& module, const Cancel&) { return outline_of(module); });
}

Answer<SourceMap> Document::source_map() {
  return ask(&Document::source_map_, ResultKind::source_map, whole_view,
             [](const Module& module, const Cancel& cancel) { return source_map_of(module, cancel); });
}

}  // namespace ptxscope::gui
