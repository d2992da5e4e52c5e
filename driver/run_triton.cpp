#include "driver/run_triton.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace ptxscope::driver {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t longest_ptx = std::uintmax_t{1} << 28U;
constexpr auto longest_search = std::chrono::seconds(5);

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The code is as long as its ELF header says; there may be some bytes more in the file.
constexpr std::uintmax_t most_padding = 4096;

bool has_bytes(const fs::path& path, std::span<const std::byte> code) {
  const std::string bytes = read(path);
  return bytes.size() >= code.size() && std::memcmp(bytes.data(), code.data(), code.size()) == 0;
}

bool is_file_of(const fs::directory_entry& entry, std::uintmax_t size) {
  std::error_code failed;
  const std::uintmax_t found = entry.is_regular_file(failed) ? entry.file_size(failed) : 0;
  return !failed && found >= size && found - size <= most_padding;
}

}  // namespace

std::optional<std::string> find_triton_ptx(const std::string& folder, std::span<const std::byte> code) {
  if (code.empty()) return std::nullopt;
  const auto until = std::chrono::steady_clock::now() + longest_search;
  std::error_code failed;
  fs::directory_iterator kernels(folder, failed);
  for (; !failed && kernels != fs::directory_iterator(); kernels.increment(failed)) {
    if (std::chrono::steady_clock::now() > until) return std::nullopt;
    std::error_code no_folder;
    fs::directory_iterator files(kernels->path(), no_folder);
    for (; !no_folder && files != fs::directory_iterator(); files.increment(no_folder)) {
      if (files->path().extension() != ".cubin" || !is_file_of(*files, code.size()) || !has_bytes(files->path(), code))
        continue;
      const fs::path beside = fs::path(files->path()).replace_extension(".ptx");
      std::error_code none;
      const std::uintmax_t size = fs::is_regular_file(beside, none) ? fs::file_size(beside, none) : 0;
      if (none || size == 0 || size > longest_ptx) continue;
      std::string text = read(beside);
      text.resize(std::min(text.size(), text.find('\0')));
      if (!text.empty()) return text;
    }
  }
  return std::nullopt;
}

}  // namespace ptxscope::driver
