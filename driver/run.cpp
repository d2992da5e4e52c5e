#include "driver/run.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "driver/run_names.h"
#include "driver/run_processes.h"
#include "driver/run_program.h"
#include "driver/run_server.h"
#include "driver/run_signals.h"

namespace ptxscope::driver {

namespace {

namespace fs = std::filesystem;

// In the child: never returns.
[[noreturn]] void become(const std::string& path, const RunOptions& options, const std::string& library,
                         const std::string& folder, const CommandSignals& signals, int failure) {
  const char* already = std::getenv("LD_PRELOAD");
  std::string preload = library;
  if (already != nullptr && already[0] != '\0') preload = std::string(already) + ":" + preload;
  if (!library.empty()) setenv("LD_PRELOAD", preload.c_str(), 1);
  setenv(run::folder_variable, folder.c_str(), 1);
  setenv(run::observe_variable, options.record ? "0" : "1", 1);
  // Longer than a module is worked on here, so that what took too long is told in words.
  setenv(run::patience_variable, std::to_string(options.load_seconds + 10).c_str(), 1);
  std::vector<char*> arguments;
  for (const std::string& word : options.command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  signals.restore_in_child();
  execv(path.c_str(), arguments.data());
  // A script without "#!" is the shell's.
  if (errno == ENOEXEC) {
    arguments.insert(arguments.begin(), const_cast<char*>("sh"));
    arguments[1] = const_cast<char*>(path.c_str());
    execv("/bin/sh", arguments.data());
  }
  const int reason = errno;
  (void)!write(failure, &reason, sizeof reason);
  _exit(not_executable);
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

namespace {

RunResult refusal(std::string error, int exit_code) {
  RunResult result;
  result.error = std::move(error);
  result.exit_code = exit_code;
  return result;
}
constexpr int not_carried_out = 2;

// What stands in LD_PRELOAD: the loader takes spaces and colons for its end there, and $ for the start of a variable. A
// library in such a place gets another name in the folder of the run. Returns a sentence on failure, else "".
std::string name_for_loader(const std::string& library, const std::string& folder, std::string& name) {
  constexpr const char* special = " :$";
  name = library;
  if (name.find_first_of(special) == std::string::npos) return "";
  name = folder + "/libptxscope-preload.so";
  if (name.find_first_of(special) != std::string::npos)
    return library +
           ": the loader takes no path with a space, a colon or $ in it, and that of the folder for temporary "
           "files has one, too; set TMPDIR to a folder without";
  if (symlink(library.c_str(), name.c_str()) == 0) return "";
  return name + ": no link to " + library + " can be made there (" + std::strerror(errno) +
         "); move the library to a path "
         "without a space, a colon or $";
}

// Starts the command, and waits until it has become the program: its process id, or 0 and why not.
pid_t start(const std::string& path, const RunOptions& options, const std::string& library, const std::string& folder,
            const CommandSignals& signals, RunResult& why_not) {
  std::array<int, 2> ends{-1, -1};
  if (signals.descriptor() < 0 || pipe2(ends.data(), O_CLOEXEC) != 0) {
    why_not = refusal(std::string("no descriptor could be had (") + std::strerror(errno) + "); raise ulimit -n",
                      not_carried_out);
    return 0;
  }
  const pid_t command = fork();
  if (command == 0) become(path, options, library, folder, signals, ends[1]);
  const int fork_error = errno;
  close(ends[1]);
  int reason = 0;
  const bool has_failed = command > 0 && read(ends[0], &reason, sizeof reason) == static_cast<ssize_t>(sizeof reason);
  close(ends[0]);
  if (command < 0) {
    why_not = refusal(std::string("no process can be started (") + std::strerror(fork_error) + "); raise ulimit -u",
                      not_carried_out);
    return 0;
  }
  if (!has_failed) return command;
  waitpid(command, nullptr, 0);
  FoundProgram failed = not_started(path, reason);
  why_not = refusal(std::move(failed.error), failed.exit_code);
  return 0;
}

// Takes the ends of processes: the command's, and those of our own that prepare modules. True: the command has ended.
bool take_ends(RunServer& server, pid_t command, analysis::RunReport& report) {
  bool is_over = false;
  int status = 0;
  for (pid_t pid = 0; (pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0;) {
    if (WIFSTOPPED(status)) {
      if (pid == command) CommandSignals::stop_with_command(WSTOPSIG(status));
      continue;
    }
    if (server.take_ended(pid, status) || pid != command) continue;
    is_over = true;
    if (WIFSIGNALED(status)) report.signal = WTERMSIG(status);
    else report.exit_status = WEXITSTATUS(status);
  }
  return is_over;
}

}  // namespace

RunResult run_command(const RunOptions& options) {
  const FoundProgram program = find_program(options.command.front());
  if (program.path.empty()) return refusal(program.error, program.exit_code);
  const CommandSignals signals;  // first: files of ours may be larger than the limit on them
  RunServer server(options);
  if (std::string problem = server.open(); !problem.empty()) return refusal(std::move(problem), not_carried_out);
  bool would_show = false;
  const std::string reason_for_nothing = preload_obstacle(program.path, would_show);
  std::string library;
  if (std::string problem = name_for_loader(options.preload, server.folder(), library); !problem.empty())
    return refusal(std::move(problem), not_carried_out);
  RunResult result;
  const pid_t command = start(program.path, options, would_show ? "" : library, server.folder(), signals, result);
  if (command == 0) return result;
  result.report.command = as_typed(options.command);
  result.report.observed_only = !options.record;
  result.report.pid = command;

  constexpr std::size_t most_traps = 256;
  std::uint64_t more_traps = 0;
  const auto tell = [&](RunClient& client, std::uint32_t slot) {
    if (result.report.traps.size() >= most_traps) {
      ++more_traps;
      return;
    }
    result.report.traps.push_back(collect_trap(server.clients(), client, slot));
    if (!options.on_trap) return;
    analysis::RunReport so_far = result.report;
    collect(server.clients(), so_far);
    options.on_trap(so_far, result.report.traps.back());
  };
  bool is_over = false;
  while (!is_over) {
    server.serve(signals.descriptor(), std::chrono::milliseconds(200));
    signals.pass_on(command);
    is_over = take_ends(server, command, result.report);
    server.look_for_records(tell, false);
  }
  wait_for_rest(server.clients(), command);
  // Messages of processes that have ended; the records themselves are in memory.
  constexpr int most_messages = 100000;
  for (int i = 0; i < most_messages && server.serve(signals.descriptor(), std::chrono::milliseconds(0)); ++i) continue;
  server.look_for_records(tell, true);
  result.exit_code = result.report.signal ? 128 + *result.report.signal : result.report.exit_status.value_or(0);
  read_codes(server.clients(), options.code_bytes);
  collect(server.clients(), result.report);
  mark_trapped(result.report);
  if (std::string unused = names_without_argument(result.report, options.names); !unused.empty())
    result.report.notes.push_back(std::move(unused));
  if (server.clients().all.empty() && !reason_for_nothing.empty()) result.report.notes.push_back(reason_for_nothing);
  if (more_traps != 0)
    result.report.notes.push_back(std::to_string(more_traps) + " more traps were recorded than the " +
                                  std::to_string(most_traps) + " that are told.");
  if (server.clients().has_other_version)
    result.report.notes.push_back(options.preload +
                                  " is of another version than ptxscope, so that a process was not watched. Install "
                                  "both from one build.");
  return result;
}

}  // namespace ptxscope::driver
