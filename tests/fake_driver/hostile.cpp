// A process that says nonsense to its parent, `ptxscope run`: shared memory and messages of random bytes. The parent must
// neither end nor hang.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "driver/run_protocol.h"

namespace run = ptxscope::run;

namespace {

bool send_with(int socket, const void* bytes, std::size_t size, int file) {
  iovec data{const_cast<void*>(bytes), size};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  if (file >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &file, sizeof file);
  }
  return sendmsg(socket, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(size);
}

}  // namespace

int connect_to(const char* folder) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path, sizeof address.sun_path, "%s/%s", folder, run::socket_name);
  const int made = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  return connect(made, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ? made : -1;
}

// The board of all processes: rows of anything, and then a file that is too short.
void spoil_board(const char* folder, std::mt19937_64& random) {
  const std::string path = std::string(folder) + "/" + run::board_name;
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  for (std::uint32_t i = 0; i < run::max_processes; ++i) {
    const std::uint64_t row[2] = {random() & 0xffffff03ffULL, random() & 1U};
    (void)!pwrite(file, row, sizeof row, static_cast<off_t>(offsetof(run::Board, process_rows) + i * 64UL));
  }
  if (random() % 2 == 0) (void)!ftruncate(file, 100);
  close(file);
}

int main(int argc, char** argv) {
  const char* folder = std::getenv(run::folder_variable);
  if (folder == nullptr) return 1;
  std::mt19937_64 random(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1);
  for (int round = 0; round < 6; ++round) {
    const int file = memfd_create("hostile", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    const std::size_t size = round == 0 ? 4096 : sizeof(run::SharedMemory);
    if (ftruncate(file, static_cast<off_t>(size)) != 0) return 1;
    if (round != 1) fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK);
    void* mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED) return 1;
    auto* words = static_cast<std::uint64_t*>(mapped);
    for (std::size_t i = 0; i < size / 8; ++i) words[i] = round % 2 == 0 ? random() : random() & 0x0000000700000007ULL;
    if (size == sizeof(run::SharedMemory)) {
      auto& memory = *static_cast<run::SharedMemory*>(mapped);
      // Rows that look as if they were there.
      for (std::uint32_t i = 0; i < 64; ++i) memory.module_rows[i].number = i + 1;
      for (std::uint32_t i = 0; i < 3; ++i) {
        memory.slots[i].module = static_cast<std::uint32_t>(random());
        const std::uint32_t state = 2;
        std::memcpy(memory.records[i], &state, sizeof state);
      }
      for (std::uint32_t i = 3; i < run::max_slots; ++i) memory.slots[i].module = 0;
    }
    const int made = connect_to(folder);
    if (made < 0) return 2;
    run::Hello hello{};
    hello.kind = run::MessageKind::hello;
    hello.version = run::protocol_version;
    hello.pid = -1;
    std::memset(hello.program, 'x', sizeof hello.program);
    std::snprintf(hello.prefix, sizeof hello.prefix, round == 2 ? "../../%d" : "%d", round);
    send_with(made, &hello, sizeof hello, round == 3 ? -1 : file);
    std::vector<char> noise(random() % 300 + 1);
    for (char& byte : noise) byte = static_cast<char>(random());
    const int noisy = connect_to(folder);
    send_with(noisy, noise.data(), noise.size(), file);
    for (std::uint32_t module : {0U, 1U, 1U, 70000U, 2U}) {
      run::Load load{};
      load.kind = run::MessageKind::load;
      load.module = module;
      load.form = static_cast<run::ImageForm>(random());
      load.devices = 0xffffffffU;
      load.bytes = random();
      std::memcpy(load.prefix, hello.prefix, sizeof load.prefix);
      if (module == 2) std::memset(load.prefix, '/', sizeof load.prefix);
      const int asking = connect_to(folder);
      send_with(asking, &load, sizeof load, -1);
      if (module != 1) close(asking);
    }
    if (round != 4) close(made);
    if (round == 5) spoil_board(folder, random);
  }
  usleep(300000);
  std::puts("said");
  return 0;
}
