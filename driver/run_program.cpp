#include "driver/run_program.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace ptxscope::driver {

namespace {

enum class Candidate { absent, folder, unusable, program };

Candidate look_at(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return Candidate::absent;
  if (S_ISDIR(status.st_mode)) return Candidate::folder;
  return S_ISREG(status.st_mode) && access(path.c_str(), X_OK) == 0 ? Candidate::program : Candidate::unusable;
}

FoundProgram nothing(std::string error, int exit_code) { return {"", std::move(error), exit_code}; }

// Not in PATH: what stands in this folder may have been meant.
FoundProgram not_in_path(const std::string& name) {
  const std::string here = "./" + name;
  std::string way_out = "; check its spelling, or give its path";
  if (look_at(here) == Candidate::program) way_out = "; the one in this folder is " + here;
  if (look_at(here) == Candidate::folder) way_out = "; " + here + " is a folder: give the path of a program in it";
  return nothing(name + ": no such program in PATH" + way_out, not_found);
}

// The program that is asked to run a script: "/usr/bin/python3" of "#!/usr/bin/python3 -u"; empty: none.
std::string interpreter_of(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return "";
  std::array<char, 256> start{};
  const ssize_t got = read(file, start.data(), start.size());
  close(file);
  std::string_view line(start.data(), got < 0 ? 0 : static_cast<std::size_t>(got));
  if (!line.starts_with("#!")) return "";
  line = line.substr(0, line.find('\n')).substr(2);
  line.remove_prefix(std::min(line.size(), line.find_first_not_of(" \t")));
  return std::string(line.substr(0, line.find_first_of(" \t")));
}

}  // namespace

FoundProgram find_program(const std::string& name) {
  if (name.empty()) return nothing("'': an empty word is no program; name one, as in ptxscope run -- ./app", not_found);
  if (name.find('/') != std::string::npos) return {name, "", 0};
  if (name == "." || name == "..") return not_started(name, EACCES);
  const char* variable = std::getenv("PATH");
  std::string_view path = variable == nullptr ? "/usr/local/bin:/usr/bin:/bin" : variable;
  std::string unusable;
  while (true) {
    const std::size_t end = std::min(path.find(':'), path.size());
    const std::string folder = end == 0 ? "." : std::string(path.substr(0, end));
    const std::string candidate = folder + "/" + name;
    const Candidate kind = look_at(candidate);
    if (kind == Candidate::program) return {candidate, "", 0};
    if (kind != Candidate::absent && unusable.empty()) unusable = candidate;
    if (end == path.size()) break;
    path.remove_prefix(end + 1);
  }
  return unusable.empty() ? not_in_path(name) : not_started(unusable, EACCES);
}

FoundProgram not_started(const std::string& path, int reason) {
  std::string why = std::strerror(reason);
  std::string way_out = "give the path of a program, or its name in PATH";
  const Candidate kind = look_at(path);
  const std::string interpreter = kind == Candidate::program ? interpreter_of(path) : "";
  if (kind == Candidate::folder) {
    why = "it is a folder";
    way_out = "give the path of a program in it";
  } else if (kind == Candidate::unusable && reason == EACCES) {
    way_out = "if it is a program, chmod +x makes it one that may be started";
  } else if (reason == ENOENT && kind == Candidate::program) {
    why = interpreter.empty() ? "the loader that it asks for is not on this system"
                              : "its first line asks for " + interpreter + ", which is not there";
    way_out = interpreter.empty() ? "build it for this system" : "correct that line, or install what it names";
  } else if (reason == E2BIG) {
    way_out = "its arguments and the environment are too long together: shorten them";
  } else if (reason == EACCES && kind == Candidate::program) {
    way_out = "what its first line asks for must be executable, and its file system not be mounted noexec";
  }
  return nothing(path + ": cannot be started (" + why + "); " + way_out, reason == ENOENT ? not_found : not_executable);
}

std::string preload_obstacle(const std::string& path, bool& would_show) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return "";
  const bool other_user = (status.st_mode & S_ISUID) != 0 && status.st_uid != geteuid();
  const bool other_group = (status.st_mode & S_ISGID) != 0 && status.st_gid != getegid();
  if (other_user || other_group)
    return path + " is setuid or setgid: the system lets no library be preloaded into it. Run a copy without that bit.";
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
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
      would_show = std::string_view(loader.data()).find("musl") != std::string_view::npos;
  }
  close(file);
  if (would_show)
    return path +
           " is linked with musl: the library that run preloads needs glibc, so that nothing is seen of what it "
           "loads. Build it for a target with glibc.";
  if (!is_elf || has_interpreter) return "";
  would_show = !is_64;
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

}  // namespace ptxscope::driver
