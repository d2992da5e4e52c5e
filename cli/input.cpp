#include "cli/input.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace ptxscope::cli {
namespace {

Input failed(std::string sentence) { return {std::nullopt, std::move(sentence)}; }

// Empty when the text may be PTX.
std::string not_ptx(std::string_view text) {
  const auto starts = [&](std::string_view magic) { return text.substr(0, magic.size()) == magic; };
  constexpr std::string_view extract = "take the PTX out of it first: cuobjdump --dump-ptx FILE";
  if (starts("\x7f"
             "ELF")) {
    // e_machine of a cubin is EM_CUDA (190).
    const bool cubin = text.size() > 19 && static_cast<unsigned char>(text[18]) == 190 && text[19] == 0;
    return cubin ? "this is a cubin (machine code), not PTX; compile with -ptx, or take the PTX out of the executable: "
                   "cuobjdump --dump-ptx FILE"
                 : "this is an ELF object or executable, not PTX text; " + std::string(extract);
  }
  if (starts("\x50\xed\x55\xba")) return "this is a fat binary, not PTX text; " + std::string(extract);
  if (starts("BC\xc0\xde")) return "this is LLVM bitcode, not PTX; compile it with: llc -march=nvptx64 FILE";
  if (starts("!<arch>\n")) return "this is an archive of objects, not PTX text; " + std::string(extract);
  if (starts("\x1f\x8b") || starts("\x28\xb5\x2f\xfd") || starts("PK\x03\x04") ||
      starts("\xfd"
             "7zXZ")) {
    return "this is a compressed file; unpack it first";
  }
  if (starts("MZ")) return "this is a Windows executable, not PTX text; " + std::string(extract);
  if (starts("\xff\xfe") || starts("\xfe\xff")) {
    return "this is UTF-16 text, PTX is ASCII; convert it: iconv -f UTF-16 -t UTF-8 FILE";
  }
  // Sound PTX holds no control characters but white space and the NUL bytes that some drivers' dumps end with.
  const std::string_view head = text.substr(0, 4096);
  const auto control = std::count_if(head.begin(), head.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 32 && (byte < 9 || byte > 13) && byte != 0x1a && byte != 0x1b;
  });
  if (static_cast<std::size_t>(control) * 10 > head.size()) return "this is a binary file, not PTX text";
  return {};
}

}  // namespace

Input read_input(const std::string& path) {
  const bool standard_input = path == "-";
  const int file = standard_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    if (errno == ENOENT) return failed("no such file");
    if (errno == EACCES) return failed("permission denied; it must be readable for you");
    return failed(std::strerror(errno));
  }
  struct stat status {};
  std::string text;
  const bool known_size = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  if (S_ISDIR(status.st_mode)) {
    if (!standard_input) ::close(file);
    return failed("is a directory; name the .ptx files in it");
  }
  int error = 0;
  std::size_t used = 0;
  text.resize(known_size && status.st_size > 0 ? static_cast<std::size_t>(status.st_size) + 1 : 1U << 16);
  for (;;) {
    if (used == text.size()) text.resize(text.size() * 2);
    const ::ssize_t got = ::read(file, text.data() + used, text.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) error = errno;
    if (got <= 0) break;
    used += static_cast<std::size_t>(got);
    if (used >= (std::size_t{1} << 32)) {
      if (!standard_input) ::close(file);
      return failed("larger than 4 GiB; split the module");
    }
  }
  if (!standard_input) ::close(file);
  if (error != 0) return failed(std::string("cannot be read: ") + std::strerror(error));
  text.resize(used);
  if (text.empty()) return failed("empty; expected PTX text, which starts with .version");
  if (std::string reason = not_ptx(text); !reason.empty()) return failed(std::move(reason));
  return {std::move(text), {}};
}

}  // namespace ptxscope::cli
