#include "cli/worker_pool.h"

#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/catch.h"

using namespace ptxscope::cli;

namespace {

std::vector<WorkOutcome> outcomes(std::size_t count, const WorkerLimits& limits,
                                  const std::function<std::string(std::size_t)>& work) {
  std::vector<WorkOutcome> all;
  REQUIRE(run_workers(count, limits, work, [&](const WorkOutcome& one) {
            all.push_back(one);
            return true;
          }).empty());
  return all;
}

}  // namespace

TEST_CASE("answers come in order, whatever the number of processes") {
  for (const unsigned jobs : {1U, 3U, 16U}) {
    const auto all = outcomes(200, {.jobs = jobs}, [](std::size_t i) {
      if (i % 17 == 0) ::usleep(5000);
      return std::string(i * 997 % 70000, static_cast<char>('a' + i % 26));
    });
    REQUIRE(all.size() == 200);
    for (std::size_t i = 0; i < all.size(); ++i) {
      CHECK(all[i].item == i);
      CHECK(all[i].end == WorkEnd::done);
      CHECK(all[i].answer == std::string(i * 997 % 70000, static_cast<char>('a' + i % 26)));
    }
  }
  CHECK(outcomes(0, {}, [](std::size_t) { return std::string(); }).empty());
}

TEST_CASE("a crash, an end and a time-out cost their own item") {
  const auto all = outcomes(12, {.jobs = 2, .seconds = 1}, [](std::size_t i) {
    if (i == 3) ::raise(SIGKILL);
    if (i == 5) ::_exit(7);
    if (i == 8)
      for (;;) ::pause();
    return std::to_string(i);
  });
  REQUIRE(all.size() == 12);
  CHECK(all[3].end == WorkEnd::crashed);
  CHECK(all[3].reason == "signal 9 (Killed)");
  CHECK(all[5].end == WorkEnd::crashed);
  CHECK(all[5].reason == "exit status 7");
  CHECK(all[8].end == WorkEnd::timeout);
  for (const std::size_t i : {0U, 1U, 2U, 4U, 6U, 7U, 9U, 10U, 11U}) CHECK(all[i].answer == std::to_string(i));
}

TEST_CASE("what does not fit into memory is told of") {
  const auto all = outcomes(3, {}, [](std::size_t i) {
    if (i == 1) throw std::bad_alloc();
    return std::to_string(i);
  });
  CHECK(all[1].end == WorkEnd::out_of_memory);
  CHECK(all[2].answer == "2");
}

TEST_CASE("it ends where it is told to") {
  std::size_t taken = 0;
  const std::string problem = run_workers(
      1000, {.jobs = 4}, [](std::size_t i) { return std::to_string(i); },
      [&](const WorkOutcome&) { return ++taken < 10; });
  CHECK(problem.empty());
  CHECK(taken == 10);
}
