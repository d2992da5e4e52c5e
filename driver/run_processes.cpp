#include "driver/run_processes.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <vector>

namespace ptxscope::driver {

namespace {

using analysis::LaunchVerdict;
using analysis::RunUnwatched;

// A run::ProcessRow's bytes: the processes may write anything there at any time.
struct Row {
  std::uint64_t who;
  std::uint64_t launches;
  std::uint32_t flags;
  std::int32_t error;
  std::array<char, sizeof run::ProcessRow::name> name;

  [[nodiscard]] std::int64_t pid() const { return static_cast<std::int64_t>(who >> 8U); }
  [[nodiscard]] run::Stage stage() const { return static_cast<run::Stage>(who & 0xffU); }
};
static_assert(sizeof(Row) == sizeof(run::ProcessRow) && offsetof(Row, name) == offsetof(run::ProcessRow, name));

struct BoardContent {
  std::vector<Row> rows;
  std::uint64_t left_over = 0;
};

std::optional<BoardContent> read_board(int file) {
  std::string bytes(sizeof(run::Board), '\0');
  if (file < 0 || pread(file, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return std::nullopt;
  BoardContent content;
  std::uint32_t left_over = 0;
  std::memcpy(&left_over, bytes.data() + offsetof(run::Board, left_over), sizeof left_over);
  content.left_over = left_over;
  for (std::size_t i = 0; i < run::max_processes; ++i) {
    Row row{};
    std::memcpy(&row, bytes.data() + offsetof(run::Board, process_rows) + i * sizeof row, sizeof row);
    if (row.who != 0) content.rows.push_back(row);
  }
  const auto has_row_of_its_own = [&](const Row& row) {
    return row.stage() == run::Stage::expected && std::ranges::any_of(content.rows, [&](const Row& other) {
             return other.pid() == row.pid() && other.stage() != run::Stage::expected;
           });
  };
  std::vector<Row> rows;
  std::ranges::copy_if(content.rows, std::back_inserter(rows), std::not_fn(has_row_of_its_own));
  content.rows = std::move(rows);
  return content;
}

// One that has ended and was not waited for is there, too, until then.
bool is_running(std::int64_t pid) {
  if (pid <= 0 || kill(static_cast<pid_t>(pid), 0) != 0) return false;
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t name_end = text.rfind(')');
  return name_end == std::string::npos || name_end + 2 >= text.size() || text[name_end + 2] != 'Z';
}

struct Words {
  const char* reason;
  const char* remedy;
};

Words words_of_error(int error) {
  if (error == EMFILE || error == ENFILE)
    return {"had no descriptor left by which it could be watched", "raise ulimit -n"};
  if (error == EFBIG) return {"may not write files of the size that watching it takes", "raise ulimit -f"};
  if (error == ENOMEM) return {"had no memory left for being watched", "raise ulimit -v"};
  return {"could not reach ptxscope",
          "let it keep the user, the root folder and the name space that it was started in"};
}

Words words_of_blindness(int error) {
  if (error == EMFILE || error == ENFILE)
    return {"had no descriptor left by which to see, at its end, whether it had opened the driver", "raise ulimit -n"};
  return {"kept it from being seen, at its end, whether it had opened the driver", "let it have /proc"};
}

// What of the process was not seen; nothing: all was. One that ended without a word was killed: had it become another
// program, it would have said so.
std::optional<Words> words_of(const Row& row, bool is_running) {
  if (row.stage() == run::Stage::starting || (row.stage() == run::Stage::expected && !is_running))
    return Words{"was started without the library, or where that cannot reach ptxscope",
                 "link it with glibc as a shared library, leave LD_PRELOAD and PTXSCOPE_RUN_FOLDER in its environment, "
                 "and let it "
                 "keep the user and the root folder"};
  if (is_running) return Words{"runs on, though the command has ended", "have the command wait for it"};
  if ((row.flags & run::unconnected) != 0) return words_of_error(row.error);
  if ((row.flags & run::bypassed) != 0)
    return Words{"looked the driver's functions up in a way that is not seen",
                 "have it take them by dlsym of the C library, or be linked with libcuda.so"};
  if ((row.flags & run::unlooked) != 0) return words_of_blindness(row.error);
  if ((row.flags & run::short_of_memory) != 0) return Words{"had no memory left for being watched", "raise ulimit -v"};
  if ((row.flags & run::stripped) != 0)
    return Words{"took the library out of its environment, so that what it started was not watched",
                 "have it leave LD_PRELOAD and PTXSCOPE_RUN_FOLDER alone"};
  return std::nullopt;
}

void add_unwatched(analysis::RunReport& report, RunUnwatched one) {
  constexpr std::size_t most = 16;
  if (report.unwatched.size() < most) report.unwatched.push_back(std::move(one));
  else ++report.more_unwatched;
}

// No process can be told of.
RunUnwatched without_board(int error) {
  if (error == 0)
    return {0, "", "was not noted: the list of processes was written over",
            "have the command leave the folder of PTXSCOPE_RUN_FOLDER alone", false};
  return {0, "", std::string("could not be noted: no list of processes could be made (") + std::strerror(error) + ")",
          error == EFBIG ? "raise ulimit -f" : "make room in the folder for temporary files, or set TMPDIR to another",
          false};
}

void look_at(const Row& row, analysis::RunReport& report) {
  const bool is_over = row.stage() == run::Stage::left || row.pid() == report.pid;
  const auto words = words_of(row, !is_over && is_running(row.pid()));
  const bool opened = (row.flags & run::opened_driver) != 0;
  report.driver_opened |= opened;
  if (!words) return;
  add_unwatched(report, {row.pid(), std::string(row.name.data(), strnlen(row.name.data(), row.name.size())),
                         words->reason, words->remedy, opened || (row.flags & run::bypassed) != 0});
}

}  // namespace

int make_board(const std::string& folder, int& error) {
  const std::string path = folder + "/" + run::board_name;
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) {
    error = errno;
    return -1;
  }
  const std::uint32_t version = run::protocol_version;
  const std::int32_t parent = getpid();
  // All of it is there at once: a page that no room is found for later would end a process.
  error = posix_fallocate(file, 0, sizeof(run::Board));
  if (error == 0 && pwrite(file, &parent, sizeof parent, offsetof(run::Board, parent)) == sizeof parent &&
      pwrite(file, &version, sizeof version, offsetof(run::Board, version)) == sizeof version)
    return file;
  if (error == 0) error = errno;
  close(file);
  unlink(path.c_str());
  return -1;
}

void wait_for_rest(const RunClients& clients, std::int64_t command) {
  constexpr int most_milliseconds = 300, step = 10;
  const auto is_left = [&](const Row& row) {
    return row.stage() == run::Stage::watched && row.pid() != command && is_running(row.pid());
  };
  for (int waited = 0; waited < most_milliseconds; waited += step) {
    const auto board = read_board(clients.board);
    if (!board || std::ranges::none_of(board->rows, is_left)) return;
    usleep(step * 1000);
  }
}

void settle_verdict(const RunClients& clients, analysis::RunReport& report) {
  report.unwatched.clear();
  report.more_unwatched = clients.lost;
  std::uint64_t launches = report.graph_launches;
  for (const analysis::RunKernel& kernel : report.kernels) launches += kernel.launches - kernel.failed;
  for (const auto& client : clients.all)
    if (client->memory != nullptr) launches += (*client->memory)->dropped_launches;
  const auto board = read_board(clients.board);
  bool has_command = false;
  if (board) {
    report.more_unwatched += board->left_over;
    for (const Row& row : board->rows) {
      launches += row.launches;
      has_command |= row.pid() == report.pid;
      look_at(row, report);
    }
  }
  if (!board) {
    add_unwatched(report, without_board(clients.board_error));
  } else if (!has_command) {
    Row none{};
    none.who = run::who_is(report.pid, run::Stage::starting);
    look_at(none, report);
  }
  const bool all_watched = report.unwatched.empty() && report.more_unwatched == 0;
  report.verdict = launches != 0 ? LaunchVerdict::launched
                   : all_watched ? LaunchVerdict::nothing_launched
                                 : LaunchVerdict::cannot_tell;
}

}  // namespace ptxscope::driver
