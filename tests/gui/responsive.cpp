// How long the viewer keeps a person waiting: gui_responsive FILE [LIMIT_MS [OTHER]]. Opens the file, scrolls, folds,
// searches, goes from kernel to kernel (with OTHER: compares the two, scrolls, goes from difference to difference), and
// prints for each the longest time between two rounds of the event loop: on the clock, which counts what else the machine
// does, and in CPU time of the GUI's thread. Exit status 1 when the latter is above LIMIT_MS, which is for tests.
#include <QApplication>
#include <QElapsedTimer>
#include <QScrollBar>
#include <QTest>
#include <QTimer>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <utility>

#include "gui/background.h"
#include "gui/main_window.h"
#include "gui/theme.h"
#include "tests/gui/test_settings.h"

namespace {

using namespace ptxscope::gui;

struct Gap {
  double clock = 0, cpu = 0;  // milliseconds
};

double cpu_now() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

// Ticks whenever the event loop is free and remembers the longest times between two ticks.
class Pulse : public QObject {
 public:
  Pulse() {
    timer_.setInterval(0);
    connect(&timer_, &QTimer::timeout, this, [this] {
      const double cpu = cpu_now();
      longest_.clock = std::max(longest_.clock, static_cast<double>(clock_.nsecsElapsed()) / 1e6);
      longest_.cpu = std::max(longest_.cpu, cpu - cpu_);
      clock_.start();
      cpu_ = cpu;
    });
    clock_.start();
    cpu_ = cpu_now();
    timer_.start();
  }
  Gap take() { return std::exchange(longest_, {}); }

 private:
  QTimer timer_;
  QElapsedTimer clock_;
  double cpu_ = 0;
  Gap longest_;
};

bool wait_for(const std::function<bool()>& condition) { return QTest::qWaitFor(condition, 120'000); }

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("gui_responsive: name a PTX file\n", stderr);
    return 2;
  }
  const double limit = argc > 2 ? std::atof(argv[2]) : 0;
  QElapsedTimer since_start;
  since_start.start();
  QApplication application(argc, argv);
  const TestSettings settings;
  static_cast<void>(Theme::instance());
  MainWindow window;
  window.resize(1400, 900);
  window.show();
  if (!QTest::qWaitForWindowExposed(&window)) return 1;
  std::printf("window stands after            %8.0f ms\n", static_cast<double>(since_start.nsecsElapsed()) / 1e6);
  Pulse pulse;
  Gap longest;
  const auto report = [&](const char* what) {
    const Gap gap = pulse.take();
    longest = {std::max(longest.clock, gap.clock), std::max(longest.cpu, gap.cpu)};
    std::printf("%-30s %8.1f ms, CPU %6.1f ms\n", what, gap.clock, gap.cpu);
    std::fflush(stdout);
  };
  QTest::qWait(100);
  static_cast<void>(pulse.take());

  QElapsedTimer since_open;
  since_open.start();
  if (argc > 3) {
    window.compare_files(QString::fromLocal8Bit(argv[1]), QString::fromLocal8Bit(argv[3]));
    DiffPage* const page = window.current_comparison();
    if (page == nullptr || !wait_for([&] { return page->diff() != nullptr; })) return 1;
    std::printf("compared after                 %8.0f ms\n", static_cast<double>(since_open.nsecsElapsed()) / 1e6);
    std::puts("longest time without an event:");
    report("  until both are compared");
    for (int i = 0; i <= 200; ++i) {
      page->area().verticalScrollBar()->setValue(
          static_cast<int>(static_cast<double>(page->area().verticalScrollBar()->maximum()) * i / 200));
      QTest::qWait(5);
    }
    report("  scrolling from end to end");
    page->area().go_to_row(0);
    for (int i = 0; i < 100; ++i) {
      page->step(false);
      QTest::qWait(5);
    }
    report("  from difference to difference");
    page->set_only_differences(true);
    QTest::qWait(50);
    page->set_only_differences(false);
    QTest::qWait(50);
    report("  only differences, and all");
    page->swap_sides();
    if (!wait_for([&] { return page->diff() != nullptr; })) return 1;
    QTest::qWait(50);
    report("  swapped and compared again");
    std::printf("%-30s %8.1f ms, CPU %6.1f ms\n", "longest of all", longest.clock, longest.cpu);
    return limit > 0 && longest.cpu > limit ? 1 : 0;
  }
  window.open_files({QString::fromLocal8Bit(argv[1])});
  DocumentPage* const page = window.current_page();
  if (page == nullptr || !wait_for([&] { return page->document().module() != nullptr; })) return 1;
  QTest::qWait(1);
  std::printf("text in sight after            %8.0f ms\n", static_cast<double>(since_open.nsecsElapsed()) / 1e6);
  std::puts("longest time without an event:");
  report("  until the text is in sight");
  if (!wait_for([] { return background_pool().activeThreadCount() == 0; })) return 1;
  QTest::qWait(300);
  if (!wait_for([] { return background_pool().activeThreadCount() == 0; })) return 1;
  std::printf("all counts and checks after    %8.0f ms\n", static_cast<double>(since_open.nsecsElapsed()) / 1e6);
  report("  while everything is counted");

  CodeArea& code = page->code().area();
  for (int i = 0; i <= 200; ++i) {
    code.verticalScrollBar()->setValue(
        static_cast<int>(static_cast<double>(code.verticalScrollBar()->maximum()) * i / 200));
    QTest::qWait(5);
  }
  report("  scrolling from end to end");
  const int kernels = std::min(60, page->kernels().table().model()->rowCount());
  for (int i = 0; i < kernels; ++i) {
    const int row = static_cast<int>(static_cast<double>(page->kernels().table().model()->rowCount()) * i / kernels);
    page->kernels().table().setCurrentIndex(page->kernels().table().model()->index(row, 0));
    QTest::qWait(20);
  }
  report("  from kernel to kernel");
  page->kernels().filter().setText(QStringLiteral("a"));
  QTest::qWait(50);
  page->kernels().filter().setText(QStringLiteral("reduce"));
  QTest::qWait(50);
  page->kernels().filter().clear();
  page->kernels().table().sortByColumn(KernelModel::instructions, Qt::DescendingOrder);
  QTest::qWait(50);
  report("  filter and sort kernels");
  code.fold_all_functions();
  QTest::qWait(50);
  code.unfold_all();
  QTest::qWait(50);
  report("  fold and unfold everything");
  page->code().find_bar().open();
  page->code().find_bar().set_pattern(QStringLiteral("ld\\.global.*%rd1\\d"), true);
  if (!wait_for([&] { return !page->code().find_bar().is_searching(); })) return 1;
  page->code().find_bar().find_next(false);
  QTest::qWait(50);
  report("  search by regular expression");
  const auto module = page->document().module();
  const auto at = module->text().find("%tid");
  if (at != std::string_view::npos)
    page->selection().choose_offset(static_cast<std::uint32_t>(at), nullptr, Move::jump);
  QTest::qWait(50);
  page->document().load();
  if (!wait_for([&] { return page->document().stage() == Stage::ready && page->document().generation() == 2; }))
    return 1;
  QTest::qWait(50);
  if (!wait_for([] { return background_pool().activeThreadCount() == 0; })) return 1;
  report("  read again");
  std::printf("%-30s %8.1f ms, CPU %6.1f ms\n", "longest of all", longest.clock, longest.cpu);
  return limit > 0 && longest.cpu > limit ? 1 : 0;
}
