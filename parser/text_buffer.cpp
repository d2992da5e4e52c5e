#include "parser/text_buffer.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>

#include "parser/array.h"

// NOLINTBEGIN(cppcoreguidelines-no-malloc,cppcoreguidelines-owning-memory,performance-no-int-to-ptr): blocks in huge pages,
// grown by realloc.
namespace ptxscope {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20U;

// Larger files than this are not read: offsets are 32 bits wide.
constexpr std::size_t largest = std::numeric_limits<std::uint32_t>::max();
// /dev/zero and its like have no end.
constexpr std::size_t most_of_device = std::size_t{1} << 26U;

std::string sentence(int error) {
  switch (error) {
    case ENOENT:
      return "no such file";
    case EACCES:
      return "permission denied; it must be readable for you";
    case EISDIR:
      return "is a folder, not a file";
    case ECANCELED:
      return "was not read to its end: that was stopped; read it again";
    default:
      return std::string("cannot be read: ") + std::strerror(error);
  }
}

// A block for a text, in huge pages where the system has them: the first touch of a page costs more than what is done to
// its bytes.
char* allocate(std::size_t size) {
  if (size < 4 * huge_page) return static_cast<char*>(std::malloc(size));
  const std::size_t rounded = (size + huge_page - 1) / huge_page * huge_page;
  void* block = std::aligned_alloc(huge_page, rounded);
  if (block != nullptr) use_huge_pages(block, rounded);
  return static_cast<char*>(block);
}

// Comes back when there are bytes to read or none will come any more. False: it was stopped.
bool wait_for_bytes(int file, const std::atomic<bool>& stop) {
  constexpr int milliseconds_between_looks = 50;
  pollfd waiting{file, POLLIN, 0};
  while (!stop.load(std::memory_order_relaxed))
    if (::poll(&waiting, 1, milliseconds_between_looks) > 0) return true;
  return false;
}

}  // namespace

void use_huge_pages(void* block, std::size_t size) {
#ifdef MADV_HUGEPAGE
  if (size < 2 * huge_page) return;
  const auto begin = (reinterpret_cast<std::uintptr_t>(block) + huge_page - 1) / huge_page * huge_page;
  const auto end = (reinterpret_cast<std::uintptr_t>(block) + size) / huge_page * huge_page;
  if (begin < end) (void)madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#else
  (void)block;
  (void)size;
#endif
}

TextBuffer::TextBuffer(std::string text) : text_(std::move(text)) {}

TextBuffer::~TextBuffer() { std::free(block_); }

TextBuffer::TextBuffer(TextBuffer&& other) noexcept
    : text_(std::move(other.text_)),
      block_(std::exchange(other.block_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

TextBuffer& TextBuffer::operator=(TextBuffer&& other) noexcept {
  text_ = std::move(other.text_);
  std::swap(block_, other.block_);
  std::swap(size_, other.size_);
  return *this;
}

std::optional<TextBuffer> TextBuffer::read(const std::string& path, std::string& error, const std::atomic<bool>* stop) {
  const bool standard_input = path == "-";
  // Where nobody has a named pipe open for writing, open() would wait, and cannot be stopped; wait_for_bytes() does it then.
  const int at_once = stop != nullptr ? O_NONBLOCK : 0;
  const int file = standard_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | at_once);
  if (file < 0) {
    error = sentence(errno);
    return std::nullopt;
  }
  struct stat status {};
  const bool is_known = ::fstat(file, &status) == 0;
  const bool is_device = is_known && S_ISCHR(status.st_mode);
  const std::size_t most = is_device ? most_of_device : largest;
  std::size_t capacity = std::size_t{1} << 16U;
  if (is_known && S_ISREG(status.st_mode)) capacity = static_cast<std::size_t>(status.st_size) + 1;
  capacity = std::min(capacity, most + 1);

  TextBuffer result;
  result.block_ = allocate(capacity + 1);
  int failure = result.block_ == nullptr ? ENOMEM : 0;
  while (failure == 0 && result.size_ <= most) {
    if (result.size_ == capacity) {
      capacity = std::min(capacity * 2, most + 1);
      auto* larger = static_cast<char*>(std::realloc(result.block_, capacity + 1));
      if (larger == nullptr) {
        failure = ENOMEM;
        break;
      }
      result.block_ = larger;
    }
    if (stop != nullptr && !wait_for_bytes(file, *stop)) {
      failure = ECANCELED;
      break;
    }
    const ssize_t got = ::read(file, result.block_ + result.size_, capacity - result.size_);
    if (got == 0) break;
    if (got > 0) {
      result.size_ += static_cast<std::size_t>(got);
    } else if (errno != EINTR && errno != EAGAIN) {
      failure = errno;
    }
  }
  if (!standard_input) ::close(file);
  if (failure != 0) {
    error = sentence(failure);
  } else if (result.size_ > most) {
    error = is_device ? "is a device that gives more than 64 MiB; name a file" : "larger than 4 GiB; split the module";
  } else {
    result.block_[result.size_] = '\0';
    return result;
  }
  return std::nullopt;
}

}  // namespace ptxscope
// NOLINTEND(cppcoreguidelines-no-malloc,cppcoreguidelines-owning-memory,performance-no-int-to-ptr)
