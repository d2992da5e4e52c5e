#include "driver/run.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "driver/run_server.h"

namespace ptxscope::driver {

namespace {

namespace fs = std::filesystem;

bool is_program(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && access(path.c_str(), X_OK) == 0;
}

// By PATH, as execvp does; empty: not there.
std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* variable = std::getenv("PATH");
  std::string_view path = variable == nullptr ? "/usr/local/bin:/usr/bin:/bin" : variable;
  while (true) {
    const std::size_t end = std::min(path.find(':'), path.size());
    const std::string folder = end == 0 ? "." : std::string(path.substr(0, end));
    if (is_program(folder + "/" + name)) return folder + "/" + name;
    if (end == path.size()) return "";
    path.remove_prefix(end + 1);
  }
}

std::string tried(const std::string& path) {
  const std::string reason = std::strerror(errno);
  return path + ": cannot be started (" + reason + "); give the path of a program, or its name in PATH";
}

// What keeps a library from being preloaded, in words; empty: nothing that is seen here. `would_fail`: the program would
// not even start.
std::string obstacle(const std::string& path, bool& would_fail) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return "";
  const bool other_user = (status.st_mode & S_ISUID) != 0 && status.st_uid != geteuid();
  const bool other_group = (status.st_mode & S_ISGID) != 0 && status.st_gid != getegid();
  if (other_user || other_group)
    return path + " is setuid or setgid: the system lets no library be preloaded into it. Run a copy without that bit.";
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return "";
  Elf64_Ehdr header{};
  bool has_interpreter = false;
  bool is_elf = read(file, &header, sizeof header) == static_cast<ssize_t>(sizeof header) &&
                std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0;
  const bool is_64 = is_elf && header.e_ident[EI_CLASS] == ELFCLASS64;
  for (unsigned i = 0; is_64 && i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    const auto at = static_cast<off_t>(header.e_phoff + std::uint64_t{i} * header.e_phentsize);
    if (pread(file, &segment, sizeof segment, at) != static_cast<ssize_t>(sizeof segment)) is_elf = false;
    if (segment.p_type != PT_INTERP) continue;
    has_interpreter = true;
    std::array<char, 256> loader{};
    if (pread(file, loader.data(), std::min<std::size_t>(segment.p_filesz, loader.size() - 1),
              static_cast<off_t>(segment.p_offset)) > 0)
      would_fail = std::string_view(loader.data()).find("musl") != std::string_view::npos;
  }
  close(file);
  if (would_fail)
    return path +
           " is linked with musl: the library that run preloads needs glibc, so that nothing is seen of what it "
           "loads. Build it for a target with glibc.";
  if (!is_elf || has_interpreter) return "";
  if (!is_64) return path + " is no 64-bit program: the library that run preloads cannot be loaded into it.";
  return path +
         " is linked statically: no library can be preloaded into it, so that nothing is seen of what it loads. "
         "Link it with the C library as a shared one (leave out -static).";
}

std::string as_typed(const std::vector<std::string>& command) {
  std::string text;
  for (const std::string& word : command) {
    if (!text.empty()) text += ' ';
    const bool is_plain = !word.empty() && word.find_first_of(" \t\n'\"\\$`*?&|;<>()") == std::string::npos;
    if (is_plain) {
      text += word;
      continue;
    }
    text += '\'';
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += '\'';
  }
  return text;
}

sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
  return set;
}

// What this process was started with, taken before main() changes any of it: the command gets it back.
struct Inherited {
  struct sigaction pipe {};
  struct sigaction child {};
  Inherited() {
    sigaction(SIGPIPE, nullptr, &pipe);
    sigaction(SIGCHLD, nullptr, &child);
  }
};
const Inherited inherited;

// In the child: never returns.
[[noreturn]] void become(const std::string& path, const RunOptions& options, bool can_preload,
                         const std::string& folder, const sigset_t& mask, int failure) {
  const char* already = std::getenv("LD_PRELOAD");
  std::string preload = options.preload;
  if (already != nullptr && already[0] != '\0') preload = std::string(already) + ":" + preload;
  if (can_preload) setenv("LD_PRELOAD", preload.c_str(), 1);
  setenv(run::folder_variable, folder.c_str(), 1);
  setenv(run::observe_variable, options.record ? "0" : "1", 1);
  // Longer than a module is worked on here, so that what took too long is told in words.
  setenv(run::patience_variable, std::to_string(options.load_seconds + 10).c_str(), 1);
  std::vector<char*> arguments;
  for (const std::string& word : options.command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  sigaction(SIGPIPE, &inherited.pipe, nullptr);
  sigaction(SIGCHLD, &inherited.child, nullptr);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  execv(path.c_str(), arguments.data());
  // A script without "#!" is the shell's.
  if (errno == ENOEXEC) {
    arguments.insert(arguments.begin(), const_cast<char*>("sh"));
    arguments[1] = const_cast<char*>(path.c_str());
    execv("/bin/sh", arguments.data());
  }
  const int reason = errno;
  (void)!write(failure, &reason, sizeof reason);
  _exit(reason == ENOENT ? 127 : 126);
}

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() { reset(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return value_; }
  void reset() {
    if (value_ >= 0) close(value_);
    value_ = -1;
  }

 private:
  int value_;
};

class SignalsBlocked {
 public:
  SignalsBlocked() {
    const sigset_t set = watched_signals();
    sigprocmask(SIG_BLOCK, &set, &before_);
  }
  ~SignalsBlocked() {
    // What came meanwhile was for the command.
    const sigset_t set = watched_signals();
    const timespec none{};
    while (sigtimedwait(&set, nullptr, &none) > 0) continue;
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  [[nodiscard]] const sigset_t& before() const { return before_; }

 private:
  sigset_t before_{};
};

// Interrupts of a terminal reach the command by themselves; what was sent to us alone is passed on.
void take_signals(int descriptor, pid_t command) {
  signalfd_siginfo info{};
  while (read(descriptor, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    const auto signal = static_cast<int>(info.ssi_signo);
    const bool from_process = info.ssi_code <= 0;  // SI_USER, SI_QUEUE, SI_TKILL; SI_KERNEL is positive
    if (signal != SIGCHLD && from_process) kill(command, signal);
  }
}

// The kernels that a record may be of; the last launch of one of them, by grid and block, is the one.
void mark_trapped(analysis::RunReport& report) {
  for (const analysis::RunTrap& trap : report.traps) {
    const auto module = std::ranges::find(report.modules, trap.module, &analysis::RunModule::number);
    if (module == report.modules.end() || module->code == nullptr) continue;
    const Module& text = module->code->module;
    const auto record = analysis::decode_record(trap.record, module->code->instrumented);
    if (!record) continue;
    const auto may_be = [&](const analysis::RunLaunch& launch) {
      return launch.grid == record->nctaid && launch.block == record->ntid &&
             std::ranges::any_of(record->site->traps, [&](const analysis::SiteTrap& one) {
               const auto& entry = module->code->instrumented.report.functions[one.entry];
               return text.name(text.functions()[entry.function].name) == launch.kernel;
             });
    };
    const auto launch = std::ranges::find_if(trap.launches, may_be);
    if (launch == trap.launches.end()) continue;
    for (analysis::RunKernel& kernel : report.kernels)
      kernel.trapped |= kernel.pid == trap.pid && kernel.module == trap.module && kernel.name == launch->kernel;
  }
}

}  // namespace

std::string find_preload() {
  constexpr const char* name = "libptxscope-preload.so";
  if (const char* named = std::getenv("PTXSCOPE_PRELOAD"); named != nullptr && named[0] != '\0') {
    std::error_code ignored;
    const fs::path path = fs::absolute(named, ignored);
    return access(path.c_str(), R_OK) == 0 ? path.string() : "";
  }
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (failed) return "";
  for (const fs::path& folder :
       {program.parent_path(), program.parent_path() / "../lib/ptxscope", program.parent_path() / "../lib64/ptxscope"})
    if (access((folder / name).c_str(), R_OK) == 0) return fs::weakly_canonical(folder / name, failed).string();
  return "";
}

RunResult run_command(const RunOptions& options) {
  RunResult result;
  result.report.command = as_typed(options.command);
  result.report.observed_only = !options.record;
  const std::string path = find_program(options.command.front());
  if (path.empty()) {
    result.exit_code = 127;
    result.error =
        options.command.front() + ": no such program in PATH; give its path, as in ./" + options.command.front();
    return result;
  }
  RunServer server(options);
  result.error = server.open();
  if (!result.error.empty()) {
    result.exit_code = 2;
    return result;
  }
  const SignalsBlocked blocked;
  const sigset_t watched = watched_signals();
  const Descriptor signals(signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK));
  std::array<int, 2> ends{-1, -1};
  if (signals.get() < 0 || pipe2(ends.data(), O_CLOEXEC) != 0) {
    result.exit_code = 2;
    result.error = std::string("no descriptor could be had (") + std::strerror(errno) + "); raise ulimit -n";
    return result;
  }
  Descriptor failure_read(ends[0]);
  Descriptor failure_write(ends[1]);
  bool would_fail = false;
  const std::string reason_for_nothing = obstacle(path, would_fail);
  // Where SIGCHLD is ignored the kernel keeps no exit status, and nothing tells that the command has ended.
  signal(SIGCHLD, SIG_DFL);
  const pid_t command = fork();
  if (command == 0) become(path, options, !would_fail, server.folder(), blocked.before(), failure_write.get());
  failure_write.reset();
  int reason = 0;
  if (command < 0) reason = errno;
  else if (read(failure_read.get(), &reason, sizeof reason) != static_cast<ssize_t>(sizeof reason)) reason = 0;
  if (reason != 0) {
    if (command > 0) waitpid(command, nullptr, 0);
    errno = reason;
    result.exit_code = reason == ENOENT ? 127 : 126;
    result.error = tried(path);
    return result;
  }
  result.report.pid = command;

  constexpr std::size_t most_traps = 256;
  const auto tell = [&](RunClient& client, std::uint32_t slot) {
    if (result.report.traps.size() >= most_traps) return;
    result.report.traps.push_back(collect_trap(server.clients(), client, slot));
    if (!options.on_trap) return;
    analysis::RunReport so_far = result.report;
    collect(server.clients(), so_far);
    options.on_trap(so_far, result.report.traps.back());
  };
  bool is_over = false;
  while (!is_over) {
    server.serve(signals.get(), std::chrono::milliseconds(200));
    take_signals(signals.get(), command);
    int status = 0;
    for (pid_t pid = 0; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
      if (server.take_ended(pid, status) || pid != command) continue;
      is_over = true;
      if (WIFSIGNALED(status)) result.report.signal = WTERMSIG(status);
      else result.report.exit_status = WEXITSTATUS(status);
    }
    server.look_for_records(tell, false);
  }
  // Messages of processes that have ended; the records themselves are in memory.
  for (int i = 0; i < 3; ++i) server.serve(signals.get(), std::chrono::milliseconds(0));
  server.look_for_records(tell, true);
  result.exit_code = result.report.signal ? 128 + *result.report.signal : result.report.exit_status.value_or(0);
  read_codes(server.clients(), options.code_bytes);
  collect(server.clients(), result.report);
  mark_trapped(result.report);
  if (server.clients().all.empty() && !reason_for_nothing.empty()) result.report.notes.push_back(reason_for_nothing);
  if (server.clients().has_other_version)
    result.report.notes.push_back(options.preload +
                                  " is of another version than ptxscope, so that a process was not watched. Install "
                                  "both from one build.");
  return result;
}

}  // namespace ptxscope::driver
