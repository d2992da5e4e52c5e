// The files of the shared corpus, for tests that run over all of them.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace ptxscope::corpus {

struct File {
  std::string path;       ///< relative to the corpus
  bool accepted = false;  ///< ptxas takes it
  std::string message;    ///< what ptxas says
};

inline std::filesystem::path folder() {
  const char* shared = std::getenv("PTXSCOPE_SHARED");
  return std::filesystem::path(shared == nullptr ? "../shared" : shared) / "corpus";
}

/// Whether everything is to be run over everything, which takes minutes (PTXSCOPE_FULL=1).
inline bool full_run() {
  const char* full = std::getenv("PTXSCOPE_FULL");
  return full != nullptr && *full != '\0' && *full != '0';
}

inline std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// From INDEX.tsv; empty when the corpus is not there.
inline std::vector<File> files() {
  std::vector<File> result;
  std::ifstream index(folder() / "INDEX.tsv");
  std::string line;
  std::getline(index, line);  // the names of the columns
  while (std::getline(index, line)) {
    std::istringstream columns(line);
    File file;
    std::string verdict;
    std::string ignored;
    std::getline(columns, file.path, '\t');
    std::getline(columns, verdict, '\t');
    std::getline(columns, ignored, '\t');
    std::getline(columns, file.message, '\t');
    file.accepted = verdict == "ok";
    result.push_back(std::move(file));
  }
  return result;
}

}  // namespace ptxscope::corpus
