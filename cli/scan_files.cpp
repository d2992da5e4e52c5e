#include "cli/scan_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <unordered_set>
#include <utility>

namespace ptxscope::cli {

namespace {

namespace fs = std::filesystem;

class Search {
 public:
  explicit Search(const std::string& leave_out) {
    if (leave_out.empty()) return;
    struct stat status {};
    for (const char* const suffix : {"", ".part", ".jsonl", ".jsonl.part"})
      if (::stat((leave_out + suffix).c_str(), &status) == 0) left_out_.emplace(status.st_dev, status.st_ino);
  }

  void add(const std::string& word, bool is_named) {
    std::error_code error;
    if (fs::is_directory(word, error)) return add_folder(word);
    add_file(word, is_named);
  }

  ScanFiles take() { return std::move(found_); }

 private:
  void add_folder(const std::string& folder) {
    std::vector<std::string> files;
    std::vector<std::string> folders{folder};
    while (!folders.empty()) {
      const std::string one = std::move(folders.back());
      folders.pop_back();
      std::error_code error;
      fs::directory_iterator entries(one, error);
      for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
        std::error_code none;
        if (entries->is_directory(none) && !entries->is_symlink(none)) folders.push_back(entries->path().string());
        else if (entries->is_regular_file(none)) files.push_back(entries->path().string());
      }
      if (error)
        found_.problems.push_back(one + ": cannot be listed: " + error.message() +
                                  "; what is in it has no rows, it must be readable for you");
    }
    std::ranges::sort(files);
    for (const std::string& file : files) add_file(file, false);
  }

  void add_file(const std::string& path, bool is_named) {
    if (!seen_.insert(path).second) return;
    struct stat status {};
    const bool exists = ::stat(path.c_str(), &status) == 0;
    if (exists && left_out_.contains({status.st_dev, status.st_ino})) return;
    ScanFile file;
    file.path = path;
    file.is_named = is_named;
    if (exists && S_ISREG(status.st_mode)) {
      constexpr std::int64_t nanoseconds = 1'000'000'000;
      file.is_there = true;
      file.size = static_cast<std::uint64_t>(status.st_size);
      file.mtime_ns = status.st_mtim.tv_sec * nanoseconds + status.st_mtim.tv_nsec;
    }
    found_.files.push_back(std::move(file));
  }

  ScanFiles found_;
  std::unordered_set<std::string> seen_;
  std::set<std::pair<::dev_t, ::ino_t>> left_out_;  // by whatever names
};

}  // namespace

ScanFiles find_scan_files(const std::vector<std::string>& words, const std::vector<std::string>& listed,
                          const std::string& leave_out) {
  Search search(leave_out);
  for (const std::string& word : words) search.add(word, true);
  for (const std::string& path : listed) search.add(path, false);
  return search.take();
}

bool read_paths(const std::string& path, std::vector<std::string>& paths) {
  std::ifstream file;
  if (path != "-") file.open(path, std::ios::binary);
  std::istream& from = path == "-" ? std::cin : file;
  if (!from) return false;
  std::string text;
  std::array<char, 65536> piece{};
  while (from.read(piece.data(), piece.size()) || from.gcount() > 0)
    text.append(piece.data(), static_cast<std::size_t>(from.gcount()));
  if (from.bad()) return false;
  const char separator = text.find('\0') == std::string::npos ? '\n' : '\0';
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    if (end > begin) paths.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return true;
}

}  // namespace ptxscope::cli
