// Runs targets over files without a fuzzer: what was found once stays fixed. Takes folders:
//
//   …/regressions/TARGET/*, …/seeds/TARGET/*   through that target
//   …/regressions/ptx/*                        through every target that takes PTX
//   …/containers/*                             through every target that takes containers
//   any other *.ptx                            through every target that takes PTX
//
// With --mutated COUNT before them, each also COUNT times with changes, which are the same in every run. TARGET FILE...:
// these through that target. --dictionary writes the words of PTX as libFuzzer's dictionary, --targets the targets with
// the form of their inputs.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "isa/instructions.h"
#include "isa/lookup.h"
#include "tests/fuzz/command.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/target.h"

namespace {

using namespace ptxscope;
using namespace ptxscope::fuzz;
namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string_view spelling(Form form) {
  switch (form) {
    case Form::ptx:
      return "ptx";
    case Form::container:
      return "container";
    case Form::text:
      break;
  }
  return "text";
}

// A few bytes other than they were, in the place of the fuzzer's own changes.
std::size_t turn_bytes(std::uint8_t* data, std::size_t size, std::size_t most) {
  if (size == 0 || most == 0) return size;
  std::uint64_t sum = size;
  for (std::size_t i = 0; i < size; ++i) sum = sum * 31 + data[i];
  Chance chance(sum);
  constexpr std::size_t most_turned = 4;
  for (std::size_t left = 1 + chance(most_turned); left > 0; --left)
    data[chance(size)] = static_cast<std::uint8_t>(chance(256));
  return size;
}

class Replay {
 public:
  explicit Replay(std::size_t mutations) : mutations_(mutations) {}
  void folder(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
      if (entry.is_regular_file()) files.push_back(entry.path());
    std::ranges::sort(files);
    for (const fs::path& path : files) file(path);
  }
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  void file(const fs::path& path) {
    const std::string own = path.parent_path().filename().string();
    const std::string kind = path.parent_path().parent_path().filename().string();
    const bool is_sorted = kind == "regressions" || kind == "seeds";
    const Target* const single = is_sorted ? find_target(own) : nullptr;
    const bool is_ptx = is_sorted ? own == "ptx" : path.extension() == ".ptx";
    const bool is_container = own == "containers";
    if (single == nullptr && !is_ptx && !is_container) return;
    const Form form = is_container ? Form::container : Form::ptx;
    const std::string bytes = read(path);
    for (const Target& target : targets()) {
      if (single != nullptr ? &target != single : target.form != form) continue;
      // Before the run: the last one is the one that failed.
      std::fprintf(stderr, "%s %s\n", std::string(target.name).c_str(), path.c_str());
      run_target(target, bytes);
      ++count_;
      for (std::size_t i = 0; i < mutations_ && bytes.size() <= target.most_bytes; ++i) mutated(target, bytes, i);
    }
  }

  void mutated(const Target& target, const std::string& bytes, std::size_t number) {
    std::vector<std::uint8_t> buffer(target.most_bytes);
    std::copy(bytes.begin(), bytes.end(), buffer.begin());
    std::fprintf(stderr, "  with change %zu\n", number + 1);
    const std::size_t size =
        mutate(target, buffer, bytes.size(), static_cast<unsigned>(bytes.size() + number), turn_bytes);
    run_target(target, {reinterpret_cast<const char*>(buffer.data()), size});
    ++count_;
  }

  std::size_t mutations_;
  std::size_t count_ = 0;
};

// As libFuzzer reads it: one in quotes a line, what is not printable as \xAB.
void write_dictionary() {
  std::set<std::string> words{"@",   "@!",  "//! ----\\x0a", "/*",         "*/",
                              "%p1", "%r1", "%rd1",          "0f3F800000", "0d3FF0000000000000"};
  for (const isa::Instruction& row : isa::instructions()) words.emplace(row.mnemonic);
  for (const std::string& name : isa::known_names()) words.insert(name);
  for (const std::string_view name : isa::special_register_names()) words.emplace(name);
  for (const isa::Directive& directive : isa::directives()) words.emplace(directive.name);
  for (const isa::Target& target : isa::targets()) words.emplace(target.name);
  for (const Target& target : targets())
    for (const Option& option : target.options) {
      words.emplace(option.name);
      for (const std::string_view value : option.values) words.emplace(value);
    }
  constexpr std::size_t longest = 60;  // libFuzzer takes words of up to 64 bytes
  for (const std::string& word : words)
    if (!word.empty() && word.size() <= longest && word.find('"') == std::string::npos)
      std::printf("\"%s\"\n", word.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 1 && words[0] == "--dictionary") {
    write_dictionary();
    return 0;
  }
  if (words.size() == 1 && words[0] == "--targets") {
    for (const Target& target : targets())
      std::printf("%s %s %zu\n", std::string(target.name).c_str(), std::string(spelling(target.form)).c_str(),
                  target.most_bytes);
    return 0;
  }
  start_catching();
  if (const Target* const target = words.empty() ? nullptr : find_target(words[0])) {
    for (std::size_t i = 1; i < words.size(); ++i) run_target(*target, read(words[i]));
    return 0;
  }
  const bool mutates = words.size() > 1 && words[0] == "--mutated";
  Replay replay(mutates ? std::strtoull(words[1].c_str(), nullptr, 10) : 0);
  for (std::size_t i = mutates ? 2 : 0; i < words.size(); ++i) replay.folder(words[i]);
  std::printf("%zu runs, nothing failed\n", replay.count());
  return replay.count() == 0 ? 1 : 0;
}
