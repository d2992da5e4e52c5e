#include "cli/ptxas.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <vector>

extern char** environ;

namespace ptxscope::cli {

namespace {

namespace fs = std::filesystem;

// A new folder that only this user can look into, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code error;
    const fs::path base = fs::temp_directory_path(error);
    std::string name = ((error ? fs::path("/tmp") : base) / "ptxscope-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct Finished {
  std::string output;  // both streams
  int status = 0;
  bool in_time = false;
  int error = 0;  // errno of starting it
};

// Reads until the other end is closed; false when the time is up.
bool read_all(int from, std::string& output, std::chrono::steady_clock::time_point end) {
  constexpr std::size_t most = std::size_t{64} << 20;
  std::array<char, 65536> buffer{};
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
    if (left <= 0) return false;
    pollfd waiting{from, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t count = ::read(from, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return true;
    if (output.size() < most) output.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

Finished run_program(std::vector<std::string> words, unsigned seconds) {
  Finished finished;
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    finished.error = errno;
    return finished;
  }
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  // A group of its own, so that what it starts ends with it.
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  finished.error = ::posix_spawn(&child, words.front().c_str(), &actions, &attributes, arguments.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (finished.error == 0) {
    finished.in_time =
        read_all(ends[0], finished.output, std::chrono::steady_clock::now() + std::chrono::seconds(seconds));
    if (!finished.in_time) ::kill(-child, SIGKILL);
    while (::waitpid(child, &finished.status, 0) < 0 && errno == EINTR) {
    }
  }
  ::close(ends[0]);
  return finished;
}

// The number right before ` words` in the line.
std::optional<std::uint64_t> number_before(std::string_view line, std::string_view words) {
  for (std::size_t at = line.find(words); at != std::string_view::npos; at = line.find(words, at + 1)) {
    std::size_t begin = at;
    while (begin != 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
    std::uint64_t value = 0;
    if (begin != at && std::from_chars(line.data() + begin, line.data() + at, value).ec == std::errc()) return value;
  }
  return std::nullopt;
}

std::string_view between(std::string_view line, std::string_view before, std::string_view after) {
  const std::size_t at = line.find(before);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = line.substr(at + before.size());
  return after.empty() ? rest : rest.substr(0, rest.find(after));
}

// 400 bytes cmem[0], 8 bytes cmem[2]: all banks. Newer targets have none of it in the report.
std::optional<std::uint64_t> constant_bytes(std::string_view line) {
  constexpr std::string_view words = " bytes cmem[";
  std::optional<std::uint64_t> sum;
  for (std::size_t at = line.find(words); at != std::string_view::npos; at = line.find(words)) {
    sum = sum.value_or(0) + number_before(line.substr(0, at + words.size()), words).value_or(0);
    line.remove_prefix(at + words.size());
  }
  return sum;
}

// What -v says:
//   ptxas info    : Compiling entry function 'k' for 'sm_80'
//   ptxas info    : Function properties for k
//       0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
//   ptxas info    : Used 12 registers, used 1 barriers, 1024 bytes smem, 400 bytes cmem[0]
void read_report(std::string_view output, report::CompiledModule& compiled) {
  bool is_of_kernel = false;  // the properties that follow
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    const std::string_view line = output.substr(0, end);
    output.remove_prefix(std::min(end + 1, output.size()));
    if (const auto name = between(line, "Compiling entry function '", "'"); !name.empty()) {
      compiled.kernels.emplace_back().name = std::string(name);
      continue;
    }
    if (compiled.kernels.empty()) continue;
    report::CompiledKernel& kernel = compiled.kernels.back();
    if (const auto name = between(line, "Function properties for ", ""); !name.empty()) {
      is_of_kernel = name == kernel.name;
    } else if (line.find("bytes stack frame") != std::string_view::npos) {
      if (!is_of_kernel) continue;
      kernel.stack = number_before(line, " bytes stack frame").value_or(0);
      kernel.spill_stores = number_before(line, " bytes spill stores").value_or(0);
      kernel.spill_loads = number_before(line, " bytes spill loads").value_or(0);
    } else if (line.find(": Used ") != std::string_view::npos) {
      kernel.registers = number_before(line, " registers").value_or(0);
      kernel.barriers = number_before(line, " barriers").value_or(0);
      kernel.shared = number_before(line, " bytes smem").value_or(0);
      kernel.constant = constant_bytes(line);
    }
  }
}

// ptxas' complaints without what -v adds, and with the file called what the user calls it.
std::string refusal_of(std::string output, const std::string& path, const std::string& file_name) {
  for (std::size_t at = output.find(path); at != std::string::npos; at = output.find(path, at + file_name.size()))
    output.replace(at, path.size(), file_name);
  constexpr std::size_t most_lines = 3;
  std::string words;
  std::size_t lines = 0;
  for (std::size_t at = 0; at < output.size() && lines < most_lines;) {
    const std::size_t end = std::min(output.find('\n', at), output.size());
    const std::string line = output.substr(at, end - at);
    at = end + 1;
    if (line.empty() || line.find("ptxas info") == 0 || line.find("bytes stack frame") != std::string::npos) continue;
    words += (words.empty() ? "" : " / ") + line;
    ++lines;
  }
  return words.empty() ? "no reason given" : words;
}

}  // namespace

std::string find_ptxas(const std::string& wanted) {
  const auto is_program = [](const std::string& path) {
    std::error_code error;
    return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
  };
  if (wanted.find('/') != std::string::npos) return is_program(wanted) ? wanted : "";
  std::vector<std::string> folders;
  if (const char* path = std::getenv("PATH"); path != nullptr) {
    std::string_view rest = path;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(':'), rest.size());
      if (end != 0) folders.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  for (const char* variable : {"CUDA_PATH", "CUDA_HOME"})
    if (const char* root = std::getenv(variable); root != nullptr) folders.push_back(std::string(root) + "/bin");
  folders.emplace_back("/usr/local/cuda/bin");
  for (const std::string& folder : folders)
    if (const std::string path = folder + "/" + wanted; is_program(path)) return path;
  return {};
}

PtxasAnswer ask_ptxas(const std::string& path, std::string_view text, const std::string& file_name,
                      const std::string& target, unsigned seconds) {
  PtxasAnswer answer;
  answer.compiled.target = target;
  const TemporaryFolder folder;
  const std::string input = folder.path() + "/input.ptx";
  std::ofstream file(input, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (folder.path().empty() || !file) {
    answer.error = "the module could not be written to a temporary file for ptxas";
    return answer;
  }
  const Finished finished =
      run_program({path, "-v", "-arch=" + target, "-o", folder.path() + "/output.cubin", input}, seconds);
  if (finished.error != 0) {
    answer.error = path + ": could not be started: " + std::strerror(finished.error);
  } else if (!finished.in_time) {
    answer.error = path + ": not done with " + file_name + " after " + std::to_string(seconds) + " s";
  } else if (WIFEXITED(finished.status) && WEXITSTATUS(finished.status) == 0) {
    answer.compiled.accepted = true;
    read_report(finished.output, answer.compiled);
  } else {
    answer.compiled.refusal = refusal_of(finished.output, input, file_name);
  }
  return answer;
}

}  // namespace ptxscope::cli
