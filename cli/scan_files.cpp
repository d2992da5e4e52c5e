#include "cli/scan_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <unordered_set>
#include <utility>

namespace ptxscope::cli {

namespace {

namespace fs = std::filesystem;

class Search {
 public:
  explicit Search(const std::string& leave_out) {
    if (leave_out.empty()) return;
    for (const char* const suffix : {"", ".part", ".jsonl", ".jsonl.part"})
      left_out_.insert(absolute(leave_out + suffix));
  }

  void add(const std::string& word, bool is_named) {
    std::error_code error;
    if (fs::is_directory(word, error)) return add_folder(word);
    add_file(word, is_named);
  }

  ScanFiles take() { return std::move(found_); }

 private:
  static std::string absolute(const std::string& path) {
    std::error_code none;
    return fs::weakly_canonical(path, none).string();
  }

  void add_folder(const std::string& folder) {
    std::error_code error;
    std::vector<std::string> files;
    fs::recursive_directory_iterator entries(folder, fs::directory_options::skip_permission_denied, error);
    if (error) found_.problems.push_back(folder + ": cannot be listed: " + error.message());
    for (; !error && entries != fs::recursive_directory_iterator(); entries.increment(error)) {
      std::error_code none;
      if (entries->is_regular_file(none)) files.push_back(entries->path().string());
    }
    if (error) found_.problems.push_back(folder + ": not all of it could be listed: " + error.message());
    std::ranges::sort(files);
    for (const std::string& file : files) add_file(file, false);
  }

  void add_file(const std::string& path, bool is_named) {
    if (!seen_.insert(path).second) return;
    if (!left_out_.empty() && left_out_.contains(absolute(path))) return;
    ScanFile file;
    file.path = path;
    file.is_named = is_named;
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode)) {
      constexpr std::int64_t nanoseconds = 1'000'000'000;
      file.is_there = true;
      file.size = static_cast<std::uint64_t>(status.st_size);
      file.mtime_ns = status.st_mtim.tv_sec * nanoseconds + status.st_mtim.tv_nsec;
    }
    found_.files.push_back(std::move(file));
  }

  ScanFiles found_;
  std::unordered_set<std::string> seen_, left_out_;
};

}  // namespace

ScanFiles find_scan_files(const std::vector<std::string>& words, const std::vector<std::string>& listed,
                          const std::string& leave_out) {
  Search search(leave_out);
  for (const std::string& word : words) search.add(word, true);
  for (const std::string& path : listed) search.add(path, false);
  return search.take();
}

bool read_lines(const std::string& path, std::vector<std::string>& lines) {
  std::ifstream file;
  if (path != "-") file.open(path, std::ios::binary);
  std::istream& from = path == "-" ? std::cin : file;
  if (!from) return false;
  for (std::string line; std::getline(from, line);)
    if (!line.empty()) lines.push_back(line);
  return true;
}

}  // namespace ptxscope::cli
