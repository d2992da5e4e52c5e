#include "driver/run_server.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "driver/run_processes.h"
#include "driver/run_triton.h"

namespace ptxscope::driver {

namespace {

constexpr std::size_t most_clients = 4096;
constexpr std::chrono::seconds silence{10};  // after which a connection by which nothing came is closed
constexpr std::size_t most_running = 4;
constexpr std::size_t most_waiting = 4096;
constexpr std::uint64_t most_kept = std::uint64_t{1} << 30U;  // of the modules' texts, in the private folder
constexpr rlim_t most_memory = rlim_t{16} << 30U;             // of a process that prepares a module

void copy_words(auto& field, const std::string& words) {
  const std::size_t length = std::min(words.size(), field.size() - 1);
  std::memcpy(field.data(), words.data(), length);
  field[length] = '\0';
}

// Whole, or not there.
bool write_file(const std::string& path, std::initializer_list<std::span<const char>> pieces) {
  const std::string unfinished = path + ".unfinished";
  const int file = ::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return false;
  bool is_written = true;
  for (std::span<const char> piece : pieces)
    while (is_written && !piece.empty()) {
      const ssize_t wrote = write(file, piece.data(), piece.size());
      if (wrote < 0 && errno == EINTR) continue;
      is_written = wrote > 0;
      if (is_written) piece = piece.subspan(static_cast<std::size_t>(wrote));
    }
  is_written &= close(file) == 0;
  if (is_written && rename(unfinished.c_str(), path.c_str()) == 0) return true;
  unlink(unfinished.c_str());
  return false;
}

template <class T>
void append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

bool write_answer(const std::string& path, const PreparedImage& prepared) {
  std::string table;
  for (const analysis::KernelLayout& kernel : prepared.kernels) {
    append(table, run::KernelHeader{static_cast<std::uint32_t>(kernel.name.size()), kernel.bytes,
                                    static_cast<std::uint32_t>(kernel.parameters.size())});
    table += kernel.name;
    for (const analysis::ParameterBytes& one : kernel.parameters)
      append(table, run::ParameterHeader{one.offset, one.size});
  }
  run::Answer head{};
  head.version = run::protocol_version;
  head.kernels = static_cast<std::uint32_t>(prepared.kernels.size());
  head.text_at = sizeof head + table.size();
  head.text_size = prepared.text.size();
  head.max_registers = prepared.max_registers;
  head.optimization = prepared.optimization;
  if (prepared.record_name.size() >= sizeof head.record_name) return false;
  std::memcpy(head.record_name, prepared.record_name.data(), prepared.record_name.size());
  return write_file(
      path,
      {{reinterpret_cast<const char*>(&head), sizeof head}, table, {prepared.text.c_str(), prepared.text.size() + 1}});
}

// Machine code that may lie in Triton's cache.
PreparedImage prepare_triton(const std::optional<std::string>& ptx, bool is_wanted,
                             std::span<const unsigned> capabilities) {
  PreparedImage prepared;
  if (!ptx) return prepared;
  if (!is_wanted) {
    prepared.remedy = "Triton's cache holds its PTX: run with --triton-cache";
    return prepared;
  }
  prepared = prepare_image(std::as_bytes(std::span(*ptx)), true, capabilities);
  const std::string origin = "its PTX was taken from Triton's cache";
  prepared.reason = prepared.reason.empty() ? origin : origin + "; " + prepared.reason;
  prepared.had_machine_code = true;
  return prepared;
}

// What the child process does: everything in files, so that one that fails has changed nothing.
void prepare_in_child(const std::string& base, const run::Load& load, bool takes_triton) {
  const std::string image_path = base + "image";
  const int file = ::open(image_path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  struct stat status {};
  if (file < 0 || fstat(file, &status) != 0 || status.st_size <= 0 ||
      static_cast<std::uint64_t>(status.st_size) > run::max_image)
    _exit(1);
  const auto bytes = static_cast<std::size_t>(status.st_size);
  const void* mapped = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
  if (mapped == MAP_FAILED) _exit(1);
  std::vector<unsigned> capabilities;
  for (std::uint32_t i = 0; i < std::min(load.devices, run::max_devices); ++i)
    capabilities.push_back(load.capabilities[i]);
  const std::span image(static_cast<const std::byte*>(mapped), bytes);
  const std::string cache(load.triton_cache, strnlen(load.triton_cache, sizeof load.triton_cache));
  PreparedImage prepared;
  if (load.form == run::ImageForm::elf && !cache.empty()) {
    prepared = prepare_triton(find_triton_ptx(cache, image), takes_triton, capabilities);
  } else {
    prepared = prepare_image(image, load.form == run::ImageForm::text, capabilities);
  }
  if (!prepared.ptx.empty() && !write_file(base + "ptx", {prepared.ptx})) _exit(1);
  AnswerSummary summary;
  summary.is_replaced = prepared.is_replaced ? 1 : 0;
  summary.has_ptx = prepared.has_ptx ? 1 : 0;
  summary.had_machine_code = prepared.had_machine_code ? 1 : 0;
  summary.beyond_limit = prepared.beyond_limit;
  copy_words(summary.target, prepared.target);
  copy_words(summary.reason, prepared.reason);
  copy_words(summary.remedy, prepared.remedy);
  if (!prepared.is_replaced && load.wants_text == 1) prepared.text = prepared.ptx;
  summary.is_answered = prepared.text.empty() ? 0 : 1;
  if (summary.is_answered != 0 && !write_answer(base + "answer", prepared)) _exit(1);
  if (!write_file(base + "summary", {{reinterpret_cast<const char*>(&summary), sizeof summary}})) _exit(1);
  _exit(0);
}

bool read_summary(const std::string& path, AnswerSummary& summary) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return false;
  const bool is_read = read(file, &summary, sizeof summary) == static_cast<ssize_t>(sizeof summary);
  close(file);
  unlink(path.c_str());
  return is_read;
}

bool is_file_prefix(const char (&prefix)[48]) {
  const std::size_t length = strnlen(prefix, sizeof prefix);
  return length != 0 && length < sizeof prefix && std::strspn(prefix, "0123456789abcdef-") == length;
}

}  // namespace

RunServer::~RunServer() {
  for (const Work& work : running_)
    if (work.pid > 0) {
      kill(work.pid, SIGKILL);
      waitpid(work.pid, nullptr, 0);
    }
  for (const Connection& one : connections_) close(one.socket);
  for (const auto* works : {&running_, &waiting_})
    for (const Work& work : *works) close(work.socket);
  if (listener_ >= 0) close(listener_);
  if (clients_.board >= 0) close(clients_.board);
}

std::string RunServer::open() {
  if (std::string problem = folder_.make(); !problem.empty()) return problem;
  clients_.folder = folder_.path();
  clients_.names = options_.names;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = clients_.folder + "/" + run::socket_name;
  std::memcpy(address.sun_path, path.c_str(), std::min(path.size() + 1, sizeof address.sun_path - 1));
  listener_ = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener_ < 0 || bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      listen(listener_, 4096) != 0) {
    const int reason = errno;
    return path + ": no socket can be made there (" + std::strerror(reason) +
           (reason == EMFILE ? "); raise ulimit -n" : "); set TMPDIR to a folder on a local disk");
  }
  clients_.board = make_board(clients_.folder, clients_.board_error);
  cache_.open(clients_.folder);
  // Enough are left for files and for the processes that read modules.
  rlimit descriptors{};
  if (getrlimit(RLIMIT_NOFILE, &descriptors) != 0) descriptors.rlim_cur = 64;
  most_connections_ = std::clamp<std::size_t>(descriptors.rlim_cur / 4, 4, 256);
  return "";
}

std::string RunServer::file_of(const Work& work, const char* what) const {
  return clients_.folder + "/" + clients_.all[work.client]->prefix + "-" + std::to_string(work.load.module) + "." +
         what;
}

// The others wait in the queue of the system: a descriptor that comes with a message and finds no room is lost.
bool RunServer::has_room() const { return connections_.size() + waiting_.size() + running_.size() < most_connections_; }

void RunServer::accept_all() {
  while (has_room()) {
    const int made = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (made < 0) return;
    connections_.push_back({made, std::chrono::steady_clock::now()});
  }
}

void RunServer::take_hello(const run::Hello& hello, int descriptor) {
  const bool is_known_version = hello.version == run::protocol_version;
  clients_.has_other_version |= !is_known_version;
  if (!is_known_version || !is_file_prefix(hello.prefix) || descriptor < 0 || clients_.all.size() >= most_clients) {
    if (is_known_version) ++clients_.lost;
    if (descriptor >= 0) close(descriptor);
    return;
  }
  auto client = std::make_unique<RunClient>();
  client->pid = hello.pid;
  client->program.assign(hello.program, strnlen(hello.program, sizeof hello.program));
  client->prefix = hello.prefix;
  client->memory = SharedView::map(descriptor);
  if (client->memory != nullptr) clients_.all.push_back(std::move(client));
  else ++clients_.lost;
}

bool RunServer::take_load(int socket, const run::Load& load) {
  const std::string_view prefix(load.prefix, strnlen(load.prefix, sizeof load.prefix));
  const auto found = std::ranges::find_if(clients_.all, [&](const auto& one) { return one->prefix == prefix; });
  if (found == clients_.all.end() || load.module == 0 || load.module > run::max_modules ||
      (*found)->answers.contains(load.module))
    return false;
  (void)module_number(clients_, **found, load.module);
  Work work;
  work.client = static_cast<std::size_t>(found - clients_.all.begin());
  work.socket = socket;
  work.load = load;
  if (waiting_.size() < most_waiting) waiting_.push_back(work);
  else reply(work, {});
  return true;
}

// One message comes by each connection. False: no more use of it.
bool RunServer::read_connection(int socket) {
  union {
    run::MessageKind kind;
    run::Hello hello;
    run::Load load;
  } message{};
  iovec data{&message, sizeof message};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr header{};
  header.msg_iov = &data;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  const ssize_t got = recvmsg(socket, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  int descriptor = -1;
  const cmsghdr* piece = got > 0 ? CMSG_FIRSTHDR(&header) : nullptr;
  if (piece != nullptr && piece->cmsg_level == SOL_SOCKET && piece->cmsg_type == SCM_RIGHTS &&
      piece->cmsg_len == CMSG_LEN(sizeof(int)))
    std::memcpy(&descriptor, CMSG_DATA(piece), sizeof descriptor);
  if (got == static_cast<ssize_t>(sizeof message.hello) && message.kind == run::MessageKind::hello) {
    take_hello(message.hello, descriptor);
  } else {
    if (descriptor >= 0) close(descriptor);
    if (got == static_cast<ssize_t>(sizeof message.load) && message.kind == run::MessageKind::load &&
        take_load(socket, message.load))
      return false;  // the work has it now
  }
  close(socket);
  return false;
}

void RunServer::reply(const Work& work, const AnswerSummary& summary) {
  clients_.all[work.client]->answers[work.load.module] = summary;
  unlink(file_of(work, "image").c_str());
  const run::LoadReply message{run::MessageKind::reply, work.load.module, summary.is_answered};
  (void)!send(work.socket, &message, sizeof message, MSG_NOSIGNAL | MSG_DONTWAIT);
  close(work.socket);
}

void RunServer::start(Work& work) {
  const std::string base = file_of(work, "");
  const pid_t pid = fork();
  if (pid == 0) {
    close(listener_);
    for (const Connection& one : connections_) close(one.socket);
    for (const auto* works : {&running_, &waiting_})
      for (const Work& one : *works) close(one.socket);
    close(work.socket);
#ifndef __SANITIZE_ADDRESS__  // which takes far more
    const rlimit memory{most_memory, most_memory};
    setrlimit(RLIMIT_AS, &memory);
#endif
    const rlimit cores{0, 0};
    setrlimit(RLIMIT_CORE, &cores);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    // An interrupt at the terminal is for the command.
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    prepare_in_child(base, work.load, options_.triton_cache);
    _exit(1);
  }
  work.pid = pid;
  work.until = std::chrono::steady_clock::now() + std::chrono::seconds(options_.load_seconds);
}

void RunServer::start_waiting_work() {
  while (!waiting_.empty() && running_.size() < most_running) {
    Work work = waiting_.front();
    waiting_.pop_front();
    if (const auto known = cache_.find(file_of(work, ""), work.load)) {
      reply(work, *known);
      continue;
    }
    AnswerSummary refusal;
    if (kept_bytes_ > most_kept) {
      copy_words(refusal.reason, "the modules loaded before it take 1 GiB, which is what run keeps of them");
      refusal.has_ptx = 1;
      reply(work, refusal);
      continue;
    }
    start(work);
    if (work.pid > 0) {
      running_.push_back(work);
      continue;
    }
    refusal.has_ptx = 1;
    copy_words(refusal.reason, std::string("no process could be started to read it: ") + std::strerror(errno));
    reply(work, refusal);
  }
}

void RunServer::stop_overdue_work() {
  const auto now = std::chrono::steady_clock::now();
  for (Work& work : running_)
    if (now > work.until && !work.is_overdue) {
      work.is_overdue = true;
      kill(work.pid, SIGKILL);
    }
}

bool RunServer::take_ended(pid_t pid, int status) {
  const auto found = std::ranges::find(running_, pid, &Work::pid);
  if (found == running_.end()) return false;
  const Work work = *found;
  running_.erase(found);
  AnswerSummary summary;
  const bool is_done = WIFEXITED(status) && WEXITSTATUS(status) == 0 && read_summary(file_of(work, "summary"), summary);
  if (!is_done) {
    summary = {};
    summary.has_ptx = 1;
    copy_words(summary.reason,
               work.is_overdue ? "reading it took longer than " + std::to_string(options_.load_seconds) + " seconds"
               : WIFSIGNALED(status) ? "reading it ended by signal " + std::to_string(WTERMSIG(status)) +
                                           ", which is a defect of ptxscope"
                                     : std::string("it could not be read or its answer not be written"));
    unlink(file_of(work, "answer").c_str());
  }
  if (is_done) cache_.keep(file_of(work, ""), work.load, summary);
  struct stat kept {};
  if (stat(file_of(work, "ptx").c_str(), &kept) == 0) kept_bytes_ += static_cast<std::uint64_t>(kept.st_size);
  reply(work, summary);
  return true;
}

bool RunServer::serve(int also, std::chrono::milliseconds patience) {
  stop_overdue_work();
  start_waiting_work();
  std::vector<pollfd> watched{{also, POLLIN, 0}};
  for (const Connection& one : connections_) watched.push_back({one.socket, POLLIN, 0});
  if (has_room()) watched.push_back({listener_, POLLIN, 0});
  if (poll(watched.data(), watched.size(), static_cast<int>(patience.count())) < 0) return false;
  // In the order in which they came: a process says hello first.
  std::vector<Connection> left;
  bool is_any = false;
  const auto now = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    const bool is_ready = watched[i + 1].revents != 0;
    is_any |= is_ready;
    if (is_ready ? read_connection(connections_[i].socket) : now - connections_[i].since < silence)
      left.push_back(connections_[i]);
    else if (!is_ready) close(connections_[i].socket);
  }
  connections_ = std::move(left);
  const std::size_t before = connections_.size();
  accept_all();
  is_any |= connections_.size() != before;
  start_waiting_work();
  return is_any;
}

void RunServer::look_for_records(const std::function<void(RunClient&, std::uint32_t slot)>& told,
                                 bool also_unfinished) {
  for (const auto& client : clients_.all)
    for (const std::uint32_t slot : new_records(*client, also_unfinished)) {
      client->is_told[slot] = true;
      told(*client, slot);
    }
}

}  // namespace ptxscope::driver
