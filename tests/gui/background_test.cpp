#include "tests/gui/background_test.h"

#include <QThread>
#include <atomic>
#include <memory>
#include <new>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "gui/background.h"
#include "tests/gui/fixture.h"

using namespace ptxscope::gui;

namespace {

bool wait_for_pool() {
  return wait_for([] { return background_pool().activeThreadCount() == 0; });
}

}  // namespace

void BackgroundTest::brings_a_result_back() {
  const QThread* const gui = QThread::currentThread();
  const QThread* worker = nullptr;
  const QThread* receiver = nullptr;
  int result = 0;
  in_background(
      this,
      [&worker](const Cancel&) {
        worker = QThread::currentThread();
        return 7;
      },
      [&](const Outcome<int>& outcome) {
        receiver = QThread::currentThread();
        result = outcome.value.value_or(-1);
      });
  QCOMPARE(result, 0);
  QVERIFY(wait_for([&] { return result != 0; }));
  QCOMPARE(result, 7);
  QVERIFY(worker != nullptr && worker != gui);
  QCOMPARE(receiver, gui);
}

void BackgroundTest::tells_what_went_wrong() {
  QStringList problems;
  const auto done = [&](const Outcome<int>& outcome) {
    problems << (outcome.value ? QStringLiteral("a value") : outcome.problem);
  };
  in_background(
      this, [](const Cancel&) -> int { throw std::bad_alloc(); }, done);
  QVERIFY(wait_for([&] { return problems.size() == 1; }));
  in_background(
      this, [](const Cancel&) -> int { throw std::runtime_error("seven"); }, done);
  QVERIFY(wait_for([&] { return problems.size() == 2; }));
  QVERIFY2(problems[0].contains(QLatin1String("not enough memory")), qPrintable(problems[0]));
  QVERIFY2(problems[1].contains(QLatin1String("seven")), qPrintable(problems[1]));
}

// What a piece of work says on its way comes before its result, and in order.
void BackgroundTest::keeps_the_order() {
  constexpr int most = 1000;
  std::vector<int> said;
  in_background(
      this,
      [&said](const Cancel&) {
        for (int i = 0; i < most; ++i) call_on_gui_thread([&said, i] { said.push_back(i); });
        return most;
      },
      [&said](const Outcome<int>& outcome) { said.push_back(*outcome.value); });
  QVERIFY(wait_for([&] { return said.size() == most + 1; }));
  std::vector<int> expected(most + 1);
  std::iota(expected.begin(), expected.end(), 0);
  QVERIFY(said == expected);
}

void BackgroundTest::drops_what_was_cancelled() {
  std::atomic<const QThread*> freed_on = nullptr;
  // Says where it ends.
  const auto result = [&freed_on] {
    return std::shared_ptr<int>(new int(1), [&freed_on](const int* one) {
      freed_on = QThread::currentThread();
      delete one;
    });
  };
  bool called = false;
  std::atomic<bool> started = false;
  Cancel cancel = in_background(
      this,
      [result, &started](const Cancel& own) {
        auto made = result();
        started = true;
        while (!own.requested()) QThread::yieldCurrentThread();
        return made;
      },
      [&called](const Outcome<std::shared_ptr<int>>&) { called = true; });
  QVERIFY(wait_for([&] { return started.load(); }));
  cancel.request();
  QVERIFY(wait_for_pool());
  QTest::qWait(20);
  QVERIFY(!called);
  QVERIFY(freed_on != nullptr && freed_on != QThread::currentThread());
}

void BackgroundTest::drops_what_is_for_nobody() {
  bool called = false;
  auto receiver = std::make_unique<QObject>();
  in_background(
      receiver.get(), [](const Cancel&) { return 1; }, [&called](const Outcome<int>&) { called = true; });
  receiver.reset();
  QVERIFY(wait_for_pool());
  QTest::qWait(20);
  QVERIFY(!called);
}

// There and back with memory that either side writes to: nothing of it for the thread sanitizer to find.
void BackgroundTest::hands_over_what_was_written() {
  constexpr int rounds = 200;
  int back = 0;
  std::int64_t sum = 0;
  for (int round = 0; round < rounds; ++round) {
    auto numbers = std::make_shared<std::vector<int>>(100, round);
    in_background(
        this,
        [numbers = std::move(numbers)](const Cancel&) {
          for (int& number : *numbers) ++number;
          return numbers;
        },
        [&](const Outcome<std::shared_ptr<std::vector<int>>>& outcome) {
          for (int& number : **outcome.value) sum += number++;
          ++back;
        },
        round % 3);
  }
  QVERIFY(wait_for([&] { return back == rounds; }));
  QCOMPARE(sum, std::int64_t{100} * rounds * (rounds + 1) / 2);
}
