#include "cli/progress.h"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>

#include "report/terminal.h"

namespace ptxscope::cli {
namespace {

using Clock = std::chrono::steady_clock;

bool is_for_a_person() {
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

// One line, written by a thread that sleeps most of the time. It begins with the first work that is shown and ends with
// the program.
class Line {
 public:
  Line() {
    if (!is_for_a_person()) return;
    try {
      thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
    } catch (const std::system_error&) {
      // No thread to be had: the work goes on without a word.
    }
  }
  ~Line() {
    thread_.request_stop();
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
    hide();
  }

  void show(std::string what) {
    const std::lock_guard lock(mutex_);
    what_ = std::move(what);
    if (what_.empty()) erase();
  }
  void hide() {
    const std::lock_guard lock(mutex_);
    erase();
  }

 private:
  static constexpr std::chrono::milliseconds patience{1000}, pause{250};

  void run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      changed_.wait_for(lock, pause);
      const auto since = Clock::now() - begin_;
      if (!stop.stop_requested() && !what_.empty() && since >= patience) draw(since);
    }
  }

  void draw(Clock::duration since) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since).count();
    const std::string text = what_ + ", " + std::to_string(seconds) + " s";
    const std::string line = "\r\x1b[K" + report::printable(text, report::terminal_width() - 1);
    std::fwrite(line.data(), 1, line.size(), stderr);
    std::fflush(stderr);
    is_drawn_ = true;
  }

  void erase() {
    if (is_drawn_) std::fputs("\r\x1b[K", stderr);
    is_drawn_ = false;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string what_;
  Clock::time_point begin_ = Clock::now();
  bool is_drawn_ = false;
  std::jthread thread_;
};

Line& line() {
  static Line the_line;
  return the_line;
}

}  // namespace

void show_progress(std::string what) { line().show(std::move(what)); }

void hide_progress() { line().hide(); }

}  // namespace ptxscope::cli
