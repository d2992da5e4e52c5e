#include "driver/preload/client.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>

#include "driver/preload/driver_table.h"
#include "driver/preload/hooks.h"
#include "driver/preload/processes.h"

namespace ptxscope::preload {

namespace {

// All that is of one process.
struct Client {
  std::mutex connecting;
  std::mutex asking;
  std::mutex tables;
  std::atomic<bool> said_hello{false};
  std::atomic<bool> devices_noted{false};
  std::atomic<bool> is_gone{false};  // the parent
  std::atomic<run::SharedMemory*> memory{nullptr};
  int unanswered = 0;  // questions in a row
  char prefix[48] = "";
};

// For one message and its answer. The program may close all descriptors meanwhile, and get the number again.
class Connection {
 public:
  explicit Connection(int socket) : socket_(socket) {
    struct stat status {};
    if (socket_ < 0 || fstat(socket_, &status) != 0) return;
    device_ = status.st_dev;
    inode_ = status.st_ino;
  }
  ~Connection() {
    if (is_there()) close(socket_);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  [[nodiscard]] bool is_there() const {
    struct stat status {};
    return socket_ >= 0 && fstat(socket_, &status) == 0 && status.st_dev == device_ && status.st_ino == inode_;
  }
  [[nodiscard]] int get() const { return socket_; }

 private:
  int socket_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

// A thread that is cancelled while it waits for the parent would leave a lock behind.
class NotCancelled {
 public:
  NotCancelled() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~NotCancelled() { pthread_setcancelstate(before_, nullptr); }
  NotCancelled(const NotCancelled&) = delete;
  NotCancelled& operator=(const NotCancelled&) = delete;

 private:
  int before_ = 0;
};

// Beyond the limit on files' sizes comes a signal that ends the program.
bool is_within_limit(std::uint64_t bytes) {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur;
}

// A forked child starts with a new one in the same place: locks of it that other threads held are no matter then.
alignas(Client) std::byte client_memory[sizeof(Client)];
Client* current = nullptr;  // set while there is one thread
char folder[256] = "";
bool observing = false;
int patience_seconds = 30;
std::atomic<int> activity{-1};  // not looked yet

Client& client() { return *current; }

void start_anew() {
  if (run::SharedMemory* memory = current->memory.load()) munmap(memory, sizeof(run::SharedMemory));
  current = new (client_memory) Client;
  forget_handles();
  join_board_again();
}

int look_for_parent() {
  const char* named = std::getenv(run::folder_variable);
  if (named == nullptr || named[0] != '/' || std::strlen(named) + 80 >= sizeof folder) return 0;
  std::strcpy(folder, named);
  const char* observe = std::getenv(run::observe_variable);
  observing = observe != nullptr && observe[0] == '1';
  const char* patience = std::getenv(run::patience_variable);
  if (patience != nullptr) patience_seconds = std::clamp(std::atoi(patience), 1, 3600);
  current = new (client_memory) Client;
  pthread_atfork(nullptr, nullptr, start_anew);
  join_board(folder);
  return 1;
}

// Why no shared memory could be had, for the board.
int why_not(int number) { return number == 0 ? EIO : number; }

// Memory that the parent can read when this process is gone, and that the driver can pin: no file system stands behind.
int make_memory(run::SharedMemory*& memory) {
  if (!is_within_limit(sizeof(run::SharedMemory))) {
    errno = EFBIG;
    return -1;
  }
  const int file = memfd_create("ptxscope-run", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) return -1;
  constexpr auto bytes = static_cast<off_t>(sizeof(run::SharedMemory));
  void* mapped = MAP_FAILED;
  if (ftruncate(file, bytes) == 0 && fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0)
    mapped = mmap(nullptr, sizeof(run::SharedMemory), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED) {
    const int reason = errno;
    close(file);
    errno = reason;
    return -1;
  }
  memory = static_cast<run::SharedMemory*>(mapped);
  memory->version = run::protocol_version;
  memory->text_used = 1;
  return file;
}

bool send_hello(int socket, const Client& self, int file) {
  run::Hello hello{};
  hello.kind = run::MessageKind::hello;
  hello.version = run::protocol_version;
  hello.pid = getpid();
  std::memcpy(hello.prefix, self.prefix, sizeof hello.prefix);
  const ssize_t length = readlink("/proc/self/exe", hello.program, sizeof hello.program - 1);
  if (length < 0) hello.program[0] = '\0';
  iovec data{&hello, sizeof hello};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &file, sizeof file);
  return sendmsg(socket, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof hello);
}

int connect_to_parent() {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (std::snprintf(address.sun_path, sizeof address.sun_path, "%s/%s", folder, run::socket_name) >=
      static_cast<int>(sizeof address.sun_path))
    return -1;
  const int made = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (made < 0) return -1;
  const timeval patience{5, 0};
  setsockopt(made, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (connect(made, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const int reason = errno;
    close(made);
    errno = reason;
    return -1;
  }
  return made;
}

double milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

void file_name(char (&path)[384], const Client& self, std::uint32_t module, const char* what) {
  std::snprintf(path, sizeof path, "%s/%s-%u.%s", folder, self.prefix, module, what);
}

bool write_image(const char* path, const void* image, std::size_t bytes) {
  if (!is_within_limit(bytes)) return false;
  const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return false;
  const char* at = static_cast<const char*>(image);
  std::size_t left = bytes;
  while (left > 0) {
    const ssize_t written = write(file, at, std::min<std::size_t>(left, 1U << 24U));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    at += written;
    left -= static_cast<std::size_t>(written);
  }
  return close(file) == 0 && left == 0;
}

std::string read_file(const char* path) {
  std::string text;
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return text;
  struct stat status {};
  if (fstat(file, &status) == 0 && status.st_size > 0 &&
      static_cast<std::uint64_t>(status.st_size) <= 4 * run::max_image) {
    aside([&] { text.resize(static_cast<std::size_t>(status.st_size)); });
    std::size_t done = 0;
    while (done < text.size()) {
      const ssize_t got = read(file, text.data() + done, text.size() - done);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      done += static_cast<std::size_t>(got);
    }
    if (done != text.size()) text.clear();
  }
  close(file);
  return text;
}

// Whether the process is stopped (SIGSTOP, a debugger): /proc/PID/stat has its state behind the name in parentheses.
bool is_stopped(std::int64_t pid) {
  char path[48];
  std::snprintf(path, sizeof path, "/proc/%lld/stat", static_cast<long long>(pid));
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  char text[512];
  const ssize_t got = read(file, text, sizeof text);
  close(file);
  const void* end = got <= 0 ? nullptr : memrchr(text, ')', static_cast<std::size_t>(got));
  if (end == nullptr) return false;
  const char* state = static_cast<const char*>(end) + 2;
  return state < text + got && (*state == 'T' || *state == 't');
}

enum class Reply { none, original, replaced };

Reply wait_for_reply(const Connection& connection, std::uint32_t module) {
  const double until = milliseconds() + patience_seconds * 1e3;
  // After Ctrl-Z and fg it goes on again as soon as we do: only one that stays stopped is given up.
  constexpr double look_every = 1e3;
  int seen_stopped = 0;
  for (;;) {
    const double left = until - milliseconds();
    if (left <= 0) return Reply::none;
    pollfd waiting{connection.get(), POLLIN, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(std::min(left, look_every)) + 1);
    if (!connection.is_there()) return Reply::none;
    if (ready < 0 && errno != EINTR) return Reply::none;
    if (ready == 0) {
      seen_stopped = is_stopped(parent_process()) ? seen_stopped + 1 : 0;
      if (seen_stopped >= 3) return Reply::none;
    }
    if (ready <= 0) continue;
    run::LoadReply reply{};
    const ssize_t got = recv(connection.get(), &reply, sizeof reply, MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) return Reply::none;
    if (got != static_cast<ssize_t>(sizeof reply) || reply.kind != run::MessageKind::reply || reply.module != module)
      continue;
    return reply.replaced == 1 ? Reply::replaced : Reply::original;
  }
}

}  // namespace

bool is_active() {
  int known = activity.load(std::memory_order_acquire);
  if (known < 0) {
    static std::mutex looking;
    const std::lock_guard lock(looking);
    known = activity.load();
    if (known < 0) {
      known = look_for_parent();
      activity.store(known, std::memory_order_release);
    }
  }
  return known == 1;
}

bool is_observing() { return observing; }

namespace {

// Looked for while there is one thread: a fork then cannot come in between.
__attribute__((constructor)) void at_start() {
  find_process_functions();
  (void)is_active();
}

}  // namespace

std::mutex& tables_mutex() { return client().tables; }

void say_hello() {
  if (!is_active()) return;
  Client& self = client();
  if (self.said_hello.load(std::memory_order_acquire)) return;
  const NotCancelled undisturbed;
  const std::lock_guard lock(self.connecting);
  if (self.said_hello.load()) return;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  std::snprintf(
      self.prefix, sizeof self.prefix, "%x-%llx", static_cast<unsigned>(getpid()),
      static_cast<unsigned long long>(now.tv_sec) * 1000000000ULL + static_cast<unsigned long long>(now.tv_nsec));
  flag_process(run::opened_driver);
  run::SharedMemory* memory = nullptr;
  {
    const Connection connection(connect_to_parent());
    const int file = connection.get() < 0 ? -1 : make_memory(memory);
    if (file >= 0 && send_hello(connection.get(), self, file)) {
      self.memory.store(memory, std::memory_order_release);
    } else {
      flag_process(run::unconnected, why_not(errno));
      self.is_gone = true;
      if (memory != nullptr) munmap(memory, sizeof(run::SharedMemory));
    }
    if (file >= 0) close(file);
  }
  self.said_hello.store(true, std::memory_order_release);
}

bool has_said_hello() { return current != nullptr && current->said_hello.load(std::memory_order_acquire); }

run::SharedMemory* shared() {
  if (current == nullptr) return nullptr;
  Client& self = client();
  if (!self.said_hello.load(std::memory_order_acquire)) say_hello();
  return self.memory.load(std::memory_order_acquire);
}

run::TextPlace keep_text(std::string_view text) {
  run::SharedMemory* memory = shared();
  if (memory == nullptr || text.empty()) return {};
  const auto length = static_cast<std::uint32_t>(std::min<std::size_t>(text.size(), run::longest_text));
  const std::uint32_t at = memory->text_used.fetch_add(length);
  if (at >= run::text_bytes || run::text_bytes - at < length) {
    memory->text_used.store(run::text_bytes);
    memory->dropped_texts.fetch_add(1);
    return {};
  }
  std::memcpy(memory->text + at, text.data(), length);
  return {at, length};
}

run::ModuleRow* add_module(std::string_view call, std::string_view origin, run::ImageForm form, std::uint64_t bytes) {
  run::SharedMemory* memory = shared();
  if (memory == nullptr) return nullptr;
  const std::uint32_t index = memory->modules.fetch_add(1);
  if (index >= run::max_modules) {
    memory->modules.store(run::max_modules);
    memory->dropped_modules.fetch_add(1);
    return nullptr;
  }
  run::ModuleRow& row = memory->module_rows[index];
  row.loaded = run::Loaded::asked;
  row.form = form;
  row.bytes = bytes;
  row.call = keep_text(call);
  row.origin = keep_text(origin);
  row.number.store(index + 1, std::memory_order_release);
  return &row;
}

run::KernelRow* add_kernel(std::string_view name, std::uint32_t module) {
  run::SharedMemory* memory = shared();
  if (memory == nullptr) return nullptr;
  const std::uint32_t index = memory->kernels.fetch_add(1);
  if (index >= run::max_kernels) {
    memory->kernels.store(run::max_kernels);
    memory->dropped_kernels.fetch_add(1);
    return nullptr;
  }
  run::KernelRow& row = memory->kernel_rows[index];
  row.module = module;
  row.name = keep_text(name);
  row.is_there.store(1, std::memory_order_release);
  return &row;
}

void send_notice() {
  Client& self = client();
  if (self.memory.load() == nullptr || self.is_gone) return;
  const Connection connection(connect_to_parent());
  const run::Notice notice{run::MessageKind::notice};
  // The parent also looks from time to time: one that is not taken now is no loss.
  if (connection.get() >= 0) (void)!send(connection.get(), &notice, sizeof notice, MSG_NOSIGNAL | MSG_DONTWAIT);
}

std::string ask(run::ModuleRow& row, run::ImageForm form, const void* image, std::size_t bytes, bool wants_text,
                std::string_view triton_cache) {
  Client& self = client();
  run::SharedMemory* memory = shared();
  if (memory == nullptr || bytes > run::max_image) return {};
  const NotCancelled undisturbed;
  const std::lock_guard lock(self.asking);
  const auto give_up = [&](const char* sentence) {
    row.note = keep_text(sentence);
    return std::string();
  };
  if (self.is_gone) return give_up("ptxscope no longer answered when it was loaded");
  const std::uint32_t module = row.number;
  char path[384];
  file_name(path, self, module, "image");
  constexpr const char* no_descriptor =
      "the program had no descriptor left by which it could be handed over (ulimit -n)";
  if (!write_image(path, image, bytes)) {
    const int reason = errno;
    unlink(path);
    return give_up(!is_within_limit(bytes) ? "it is larger than the files that the program may write (ulimit -f)"
                   : reason == EMFILE      ? no_descriptor
                                           : "it could not be written into the folder of the run");
  }
  const Connection connection(connect_to_parent());
  if (connection.get() < 0) {
    const int reason = errno;
    unlink(path);
    if (reason == ECONNREFUSED || reason == ENOENT) self.is_gone = true;
    return give_up(reason == EMFILE ? no_descriptor : "ptxscope could not be asked");
  }
  run::Load load{};
  load.kind = run::MessageKind::load;
  std::memcpy(load.prefix, self.prefix, sizeof load.prefix);
  load.module = module;
  load.form = form;
  load.bytes = bytes;
  load.wants_text = wants_text ? 1 : 0;
  if (triton_cache.size() < sizeof load.triton_cache)
    std::memcpy(load.triton_cache, triton_cache.data(), triton_cache.size());
  load.devices = memory->devices;
  std::memcpy(load.capabilities, memory->capabilities, sizeof load.capabilities);
  Reply reply = Reply::none;
  if (send(connection.get(), &load, sizeof load, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof load))
    reply = wait_for_reply(connection, module);
  // One that is stopped, or has too much to do, is not waited for again and again.
  constexpr int most_unanswered = 3;
  self.unanswered = reply == Reply::none ? self.unanswered + 1 : 0;
  if (self.unanswered >= most_unanswered) self.is_gone = true;
  if (reply == Reply::none) return give_up("ptxscope did not answer in time");
  if (reply == Reply::original) return {};
  file_name(path, self, module, "answer");
  std::string answer = read_file(path);
  unlink(path);
  if (answer.empty()) return give_up("what ptxscope answered could not be read");
  return answer;
}

void note_devices() {
  Client& self = client();
  run::SharedMemory* memory = shared();
  if (memory == nullptr || self.devices_noted.exchange(true)) return;
  const Inside inside;
  constexpr int major = 75, minor = 76;  // CUdevice_attribute
  const Driver& table = driver();
  int version = 0;
  if (table.driver_get_version != nullptr && table.driver_get_version(&version) == success)
    memory->driver_version = version;
  int count = 0;
  if (table.device_get_count == nullptr || table.device_get == nullptr || table.device_get_attribute == nullptr) return;
  if (table.device_get_count(&count) != success) {
    self.devices_noted = false;  // not initialised yet
    return;
  }
  std::uint32_t noted = 0;
  for (int i = 0; i < count && noted < run::max_devices; ++i) {
    int device = 0, high = 0, low = 0;
    if (table.device_get(&device, i) != success || table.device_get_attribute(&high, major, device) != success ||
        table.device_get_attribute(&low, minor, device) != success)
      continue;
    char name[256] = "";
    if (table.device_get_name != nullptr) table.device_get_name(name, sizeof name - 1, device);
    memory->device_names[noted] = keep_text(name);
    memory->device_handles[noted] = device;
    memory->capabilities[noted++] = static_cast<std::uint32_t>(10 * high + low);
  }
  memory->devices = noted;
}

}  // namespace ptxscope::preload
