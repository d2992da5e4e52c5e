#include "tests/fuzz/command.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

#include "cli/command.h"
#include "tests/fuzz/outputs.h"
#include "tests/fuzz/require.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PTXSCOPE_FUZZ_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#endif

namespace ptxscope::fuzz {

namespace {

// The standard error that the process began with.
int own_error = STDERR_FILENO;

void say(std::string_view text) {
  while (!text.empty()) {
    const ::ssize_t written = ::write(own_error, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

// A standard stream that goes to a file in memory for a while.
class Caught {
 public:
  explicit Caught(int stream) : stream_(stream), kept_(::dup(stream)) {
    if (kept_ < 0 || ::dup2(file_.descriptor(), stream) < 0) fail("a standard stream can be caught");
  }
  ~Caught() {
    ::dup2(kept_, stream_);
    ::close(kept_);
  }
  Caught(const Caught&) = delete;
  Caught& operator=(const Caught&) = delete;
  [[nodiscard]] std::string bytes() const { return file_.bytes(); }

 private:
  int stream_;
  int kept_;
  MemoryFile file_;
};

}  // namespace

void fail(std::string_view property, std::string_view detail) {
  std::string text = "does not hold: " + std::string(property) + "\n";
  if (!detail.empty()) text += std::string(detail.substr(0, 4096)) + "\n";
  say(text);
  std::abort();
}

void start_catching() {
  if (own_error != STDERR_FILENO) return;
  own_error = ::dup(STDERR_FILENO);
#ifdef PTXSCOPE_FUZZ_ASAN
  __sanitizer_set_report_fd(reinterpret_cast<void*>(static_cast<std::intptr_t>(own_error)));
#endif
  ::setenv("PATH", "/nowhere", 1);  // no other program takes part: no dot, no ptxas
  ::setenv("COLUMNS", "80", 1);
}

MemoryFile::MemoryFile()
    : descriptor_(::memfd_create("ptx", MFD_CLOEXEC)), path_("/proc/self/fd/" + std::to_string(descriptor_)) {
  if (descriptor_ < 0) fail("a file can be made in memory");
}

MemoryFile::~MemoryFile() { ::close(descriptor_); }

void MemoryFile::set(std::string_view bytes) const {
  const bool is_set = ::ftruncate(descriptor_, 0) == 0 &&
                      ::pwrite(descriptor_, bytes.data(), bytes.size(), 0) == static_cast<::ssize_t>(bytes.size());
  if (!is_set) fail("a file in memory can be written");
}

std::string MemoryFile::bytes() const {
  std::string bytes(static_cast<std::size_t>(::lseek(descriptor_, 0, SEEK_END)), '\0');
  const ::ssize_t got = ::pread(descriptor_, bytes.data(), bytes.size(), 0);
  if (got != static_cast<::ssize_t>(bytes.size())) fail("a file in memory can be read");
  return bytes;
}

Outcome run_command(void (*add)(cli::Program&), std::vector<std::string> words) {
  words.insert(words.begin(), "ptxscope");
  std::vector<char*> arguments;
  arguments.reserve(words.size());
  for (std::string& word : words) arguments.push_back(word.data());
  Outcome outcome;
  {
    const Caught out(STDOUT_FILENO);
    const Caught err(STDERR_FILENO);
    cli::Program program;
    add(program);
    outcome.exit_code = program.run(static_cast<int>(arguments.size()), arguments.data());
    outcome.out = out.bytes();
    outcome.err = err.bytes();
  }
  require(outcome.exit_code >= 0 && outcome.exit_code <= 2, "the exit code is 0, 1 or 2");
  require(outcome.exit_code != 2 || !outcome.err.empty(), "what could not be carried out is told");
  require_terminal(outcome.err, "standard error");
  return outcome;
}

}  // namespace ptxscope::fuzz
