// The ways in which a process becomes another program, or ends. Only plain memory is touched on the way: a child of vfork
// shares ours, one of fork may have found locks held.
#include "driver/preload/processes.h"

#include <alloca.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <linux/prctl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <optional>

#include "driver/preload/client.h"
#include "driver/preload/driver_table.h"
#include "driver/preload/hooks.h"

extern char** environ;

namespace ptxscope::preload {

namespace {

std::atomic<run::Board*> board{nullptr};
std::atomic<run::ProcessRow*> own_row{nullptr};
std::atomic<bool> linked_with_driver{false};
std::atomic<bool> confined{false};

run::Stage stage_of(std::uint64_t who) { return static_cast<run::Stage>(who & 0xffU); }
std::int64_t pid_of(std::uint64_t who) { return static_cast<std::int64_t>(who >> 8U); }

// Nothing of it would be told.
bool is_of_no_more_use(const run::ProcessRow& row, std::uint64_t who) {
  return stage_of(who) == run::Stage::left && row.flags.load() == 0 && row.launches.load() == 0;
}

run::ProcessRow* find_row(run::Board& all, std::int64_t pid, const run::ProcessRow* other_than = nullptr) {
  const std::uint32_t count = std::min(all.rows.load(), run::max_processes);
  for (std::uint32_t i = 0; i < count; ++i) {
    run::ProcessRow& row = all.process_rows[i];
    if (pid_of(row.who.load(std::memory_order_acquire)) == pid && &row != other_than) return &row;
  }
  return nullptr;
}

run::ProcessRow* take_row(run::Board& all, std::uint64_t who) {
  if (all.rows.load() < run::max_processes) {
    const std::uint32_t index = all.rows.fetch_add(1);
    if (index < run::max_processes) {
      all.process_rows[index].who.store(who, std::memory_order_release);
      return &all.process_rows[index];
    }
    all.rows.store(run::max_processes);
  }
  // One after the other: a row that was left a moment ago may still be looked for.
  for (std::uint32_t tries = 0; tries < run::max_processes; ++tries) {
    run::ProcessRow& row = all.process_rows[all.next.fetch_add(1) % run::max_processes];
    std::uint64_t before = row.who.load();
    if (is_of_no_more_use(row, before) && row.who.compare_exchange_strong(before, who)) return &row;
  }
  all.left_over.fetch_add(1);
  return nullptr;
}

void set_name(run::ProcessRow& row, const char* path) {
  const char* slash = std::strrchr(path, '/');
  const char* name = slash == nullptr ? path : slash + 1;
  std::memcpy(row.name, name, strnlen(name, sizeof row.name - 1) + 1);
  row.name[sizeof row.name - 1] = '\0';
}

run::ProcessRow* note_process(std::int64_t pid, run::Stage stage, const char* path) {
  run::Board* all = board.load(std::memory_order_acquire);
  if (all == nullptr) return nullptr;
  run::ProcessRow* row = find_row(*all, pid);
  if (row != nullptr) row->who.store(run::who_is(pid, stage));
  else row = take_row(*all, run::who_is(pid, stage));
  if (row != nullptr && path != nullptr) set_name(*row, path);
  return row;
}

// The row of this process; not the cached one in a child of vfork, which has another id.
run::ProcessRow* row_of(std::int64_t pid) {
  run::ProcessRow* own = own_row.load(std::memory_order_acquire);
  if (own != nullptr && pid_of(own->who.load()) == pid) return own;
  run::Board* all = board.load(std::memory_order_acquire);
  return all == nullptr ? nullptr : find_row(*all, pid);
}

// Nothing: that cannot be seen, and errno says why.
std::optional<bool> is_mapped(const char* file) {
  const int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (maps < 0) return std::nullopt;
  const std::size_t length = std::strlen(file);
  char text[4096];
  std::size_t kept = 0;
  bool is_found = false;
  for (;;) {
    const ssize_t got = read(maps, text + kept, sizeof text - kept);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    const std::size_t size = kept + static_cast<std::size_t>(got);
    if (memmem(text, size, file, length) != nullptr) {
      is_found = true;
      break;
    }
    kept = std::min(size, length);
    std::memmove(text, text + size - kept, kept);
  }
  close(maps);
  return is_found;
}

// Not by getenv: shells bring their own, which may be past its end by then.
const char* variable(const char* name) {
  const std::size_t length = std::strlen(name);
  for (char** one = environ; one != nullptr && *one != nullptr; ++one)
    if (std::strncmp(*one, name, length) == 0 && (*one)[length] == '=') return *one + length + 1;
  return nullptr;
}

std::atomic<const char*> own_file{nullptr};

bool passes_library_on() {
  const char* preload = variable("LD_PRELOAD");
  const char* file = own_file.load();
  return variable(run::folder_variable) != nullptr && preload != nullptr &&
         (file == nullptr || std::strstr(preload, file) != nullptr);
}

constexpr const char* driver_file = "/libcuda.so";

int is_driver(dl_phdr_info* info, std::size_t, void*) {
  return info->dlpi_name != nullptr && std::strstr(info->dlpi_name, driver_file) != nullptr ? 1 : 0;
}

// One that has the driver and did not come by us has found the functions in a way of its own.
void look_for_driver(run::ProcessRow& row) {
  const bool was_asked = (row.flags.load() & run::opened_driver) != 0;
  if (was_asked || linked_with_driver) return;
  const std::optional<bool> is_there = confined ? dl_iterate_phdr(is_driver, nullptr) != 0 : is_mapped(driver_file);
  if (!is_there) row.error.store(errno);
  if (is_there.value_or(true)) row.flags.fetch_or(is_there ? run::bypassed : run::unlooked);
}

// What this process is about to become, until that is taken back: it did not come to it.
class Becoming {
 public:
  explicit Becoming(const char* path) {
    const int before = errno;
    const std::int64_t pid = getpid();
    row_ = row_of(pid);
    if (row_ != nullptr) who_ = row_->who.load(), std::memcpy(name_, row_->name, sizeof name_);
    row_ = note_process(pid, run::Stage::starting, path);
    if (who_ == 0) who_ = run::who_is(pid, run::Stage::left);
    errno = before;
  }
  ~Becoming() {
    if (row_ == nullptr) return;
    row_->who.store(who_);
    std::memcpy(row_->name, name_, sizeof name_);
  }
  Becoming(const Becoming&) = delete;
  Becoming& operator=(const Becoming&) = delete;

 private:
  run::ProcessRow* row_ = nullptr;
  std::uint64_t who_ = 0;
  char name_[sizeof run::ProcessRow::name] = "";
};

// The C library's own functions, looked up while there is one thread: dlsym takes a lock, which a child of fork may find
// held for ever.
#define FUNCTIONS(X) \
  X(_exit)           \
  X(_Exit)           \
  X(fork) X(execve) X(execv) X(execvp) X(execvpe) X(fexecve) X(execveat) X(posix_spawn) X(posix_spawnp) X(prctl)
enum Name : std::size_t {
#define X(name) name_of_##name,
  FUNCTIONS(X)
#undef X
      names
};
constexpr std::array<const char*, names> symbols{
#define X(name) #name,
    FUNCTIONS(X)
#undef X
};
std::array<std::atomic<void*>, names> real_functions{};

void* real_function(Name name) {
  void* found = real_functions[name].load(std::memory_order_acquire);
  if (found != nullptr) return found;
  found = real_symbol(RTLD_NEXT, symbols[name]);
  real_functions[name].store(found, std::memory_order_release);
  return found;
}

template <class Function>
Function next(Name name) {
  return reinterpret_cast<Function>(real_function(name));
}

template <class Function, class... Arguments>
int become(Name name, const char* path, Arguments... arguments) {
  const auto real = next<Function>(name);
  if (real == nullptr) {
    errno = ENOSYS;
    return -1;
  }
  const Becoming becoming(path == nullptr ? "" : path);
  return real(arguments...);
}

// A process that was started just now. It notes itself, as soon as it comes to that, or has done so already. A child of
// fork has the library; one that was spawned shows that by noting itself.
void expect(std::int64_t pid, run::Stage stage, const char* path) {
  const KeptErrno kept;
  run::Board* all = board.load(std::memory_order_acquire);
  if (all == nullptr || find_row(*all, pid) != nullptr) return;
  run::ProcessRow* row = take_row(*all, run::who_is(pid, stage));
  if (row == nullptr) return;
  if (path != nullptr) set_name(*row, path);
  // Both at once.
  std::uint64_t who = run::who_is(pid, stage);
  if (find_row(*all, pid, row) != nullptr) row->who.compare_exchange_strong(who, run::who_is(pid, run::Stage::left));
}

template <class Function>
int spawn(Name name, pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions,
          const posix_spawnattr_t* attributes, char* const arguments[], char* const variables[]) {
  const auto real = next<Function>(name);
  if (real == nullptr) return ENOSYS;
  pid_t started = 0;
  const int status = real(&started, path, actions, attributes, arguments, variables);
  if (status != 0) return status;
  if (pid != nullptr) *pid = started;
  expect(started, run::Stage::expected, path);
  return status;
}

pid_t fork_watched() {
  const auto real = next<pid_t (*)()>(name_of_fork);
  if (real == nullptr) {
    errno = ENOSYS;
    return -1;
  }
  const pid_t pid = real();
  if (pid > 0) expect(pid, run::Stage::watched, program_invocation_short_name);
  return pid;
}

// What shuts off system calls: one of ours at the end would then be the end by a signal. What we ask of the system we ask
// before.
void prepare_for_confinement() {
  const KeptErrno kept;
  run::ProcessRow* own = own_row.load(std::memory_order_acquire);
  // A child of vfork does it for itself alone, as a rule to become another program.
  if (own == nullptr || pid_of(own->who.load()) != getpid()) return;
  look_for_driver(*own);
  confined = true;
}

[[noreturn]] void end(Name name, int status) {
  leave_board();
  if (const auto real = next<void (*)(int)>(name)) real(status);
  for (;;) syscall(SYS_exit_group, status);
}

}  // namespace

void find_process_functions() {
  for (std::size_t i = 0; i < names; ++i) (void)real_function(static_cast<Name>(i));
}

void join_board(const char* folder) {
  char path[384];
  std::snprintf(path, sizeof path, "%s/%s", folder, run::board_name);
  const int file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return;
  void* mapped = mmap(nullptr, sizeof(run::Board), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (mapped == MAP_FAILED) return;
  auto* all = static_cast<run::Board*>(mapped);
  if (all->version != run::protocol_version) {
    munmap(mapped, sizeof(run::Board));
    return;
  }
  board.store(all, std::memory_order_release);
  linked_with_driver = driver_is_open();
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(join_board), &info) != 0 && info.dli_fname != nullptr) {
    const char* slash = std::strrchr(info.dli_fname, '/');
    own_file = slash == nullptr ? info.dli_fname : slash + 1;
  }
  join_board_again();
  at_quick_exit(leave_board);
}

void join_board_again() { own_row.store(note_process(getpid(), run::Stage::watched, program_invocation_short_name)); }

void flag_process(std::uint32_t flags, int error) {
  run::ProcessRow* row = own_row.load(std::memory_order_acquire);
  if (row == nullptr) return;
  if ((row->flags.load(std::memory_order_relaxed) & flags) != flags) row->flags.fetch_or(flags);
  if (error != 0) row->error.store(error);
}

bool is_confined() { return confined; }

void note_shortage() { flag_process(run::short_of_memory); }

void count_launch() {
  if (run::ProcessRow* row = own_row.load(std::memory_order_acquire)) row->launches.fetch_add(1);
}

std::int64_t parent_process() {
  const run::Board* all = board.load(std::memory_order_acquire);
  return all == nullptr ? 0 : all->parent;
}

void leave_board() {
  if (board.load(std::memory_order_acquire) == nullptr) return;
  const int before = errno;
  const run::ProcessRow* own = own_row.load(std::memory_order_acquire);
  const std::int64_t pid = confined && own != nullptr ? pid_of(own->who.load()) : getpid();
  run::ProcessRow* row = row_of(pid);
  if (row != nullptr && stage_of(row->who.load()) != run::Stage::left) {
    // In a child of vfork it is not ours to say what became of the parent.
    if (row == own_row.load()) {
      look_for_driver(*row);
      if (!passes_library_on()) row->flags.fetch_or(run::stripped);
    }
    row->who.store(run::who_is(pid, run::Stage::left));
  }
  errno = before;
}

}  // namespace ptxscope::preload

namespace preload = ptxscope::preload;
#define SHOWN extern "C" __attribute__((visibility("default")))
using Words = char* const*;

SHOWN void _exit(int status) { preload::end(preload::name_of__exit, status); }
SHOWN void _Exit(int status) { preload::end(preload::name_of__Exit, status); }

SHOWN pid_t fork() { return preload::fork_watched(); }

// As the C library has it, but for the dots: these arguments stand in the same registers.
SHOWN int prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d) {
  if (option == PR_SET_SECCOMP || option == PR_SET_NO_NEW_PRIVS) preload::prepare_for_confinement();
  const auto real = preload::next<int (*)(int, ...)>(preload::name_of_prctl);
  if (real != nullptr) return real(option, a, b, c, d);
  return static_cast<int>(syscall(SYS_prctl, option, a, b, c, d));
}

SHOWN int execve(const char* path, Words arguments, Words variables) {
  return preload::become<int (*)(const char*, Words, Words)>(preload::name_of_execve, path, path, arguments, variables);
}
SHOWN int execv(const char* path, Words arguments) {
  return preload::become<int (*)(const char*, Words)>(preload::name_of_execv, path, path, arguments);
}
SHOWN int execvp(const char* file, Words arguments) {
  return preload::become<int (*)(const char*, Words)>(preload::name_of_execvp, file, file, arguments);
}
SHOWN int execvpe(const char* file, Words arguments, Words variables) {
  return preload::become<int (*)(const char*, Words, Words)>(preload::name_of_execvpe, file, file, arguments,
                                                             variables);
}
SHOWN int fexecve(int file, Words arguments, Words variables) {
  return preload::become<int (*)(int, Words, Words)>(preload::name_of_fexecve, "", file, arguments, variables);
}
SHOWN int execveat(int folder, const char* path, Words arguments, Words variables, int flags) {
  return preload::become<int (*)(int, const char*, Words, Words, int)>(preload::name_of_execveat, path, folder, path,
                                                                       arguments, variables, flags);
}

// The words of execl and its like as an array on the stack, up to the null pointer. `first` may be one, whatever the header
// says.
#define WORDS_OF(arguments, first)                                                   \
  const char* volatile given = first;                                                \
  va_list words;                                                                     \
  va_start(words, first);                                                            \
  std::size_t count = 1;                                                             \
  if (given != nullptr)                                                              \
    while (va_arg(words, char*) != nullptr) ++count;                                 \
  va_end(words);                                                                     \
  auto** const arguments = static_cast<char**>(alloca((count + 1) * sizeof(char*))); \
  (arguments)[0] = const_cast<char*>(given);                                         \
  va_start(words, first);                                                            \
  for (std::size_t i = 1; i < count; ++i) (arguments)[i] = va_arg(words, char*);     \
  (arguments)[count] = nullptr

SHOWN int execl(const char* path, const char* first, ...) {
  WORDS_OF(arguments, first);
  va_end(words);
  return execv(path, arguments);
}
SHOWN int execlp(const char* file, const char* first, ...) {
  WORDS_OF(arguments, first);
  va_end(words);
  return execvp(file, arguments);
}
SHOWN int execle(const char* path, const char* first, ...) {
  WORDS_OF(arguments, first);
  if (given != nullptr) (void)va_arg(words, char*);  // the null pointer
  auto* variables = va_arg(words, char**);
  va_end(words);
  return execve(path, arguments, variables);
}

using Spawn = int (*)(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*, Words, Words);
SHOWN int posix_spawn(pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions,
                      const posix_spawnattr_t* attributes, Words arguments, Words variables) {
  return preload::spawn<Spawn>(preload::name_of_posix_spawn, pid, path, actions, attributes, arguments, variables);
}
SHOWN int posix_spawnp(pid_t* pid, const char* file, const posix_spawn_file_actions_t* actions,
                       const posix_spawnattr_t* attributes, Words arguments, Words variables) {
  return preload::spawn<Spawn>(preload::name_of_posix_spawnp, pid, file, actions, attributes, arguments, variables);
}
