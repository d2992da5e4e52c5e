// ptxscope gui: starts the viewer, which is a program of its own so that this one does not need Qt.
#include <unistd.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace ptxscope::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* viewer = "ptxscope-gui";

// Beside this program, then in PATH. Empty: nowhere.
std::string find_viewer() {
  std::error_code none;
  std::vector<fs::path> folders;
  if (const fs::path self = fs::read_symlink("/proc/self/exe", none); !none) folders.push_back(self.parent_path());
  const char* const path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (end != 0) folders.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  for (const fs::path& folder : folders) {
    const std::string program = (folder / viewer).string();
    if (fs::is_regular_file(program, none) && ::access(program.c_str(), X_OK) == 0) return program;
  }
  return {};
}

bool is_set(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

void start_viewer(Run& run, bool compare) {
  if (compare && run.options().words.size() != 2) {
    run.fail("--diff shows two files side by side; name both, as in ptxscope gui --diff old.ptx new.ptx");
    return;
  }
  const std::string program = find_viewer();
  if (program.empty()) {
    run.fail(
        "the viewer (ptxscope-gui) is neither beside this program nor in PATH; it is built where Qt 6 is installed: "
        "scripts/setup.sh --gui, then build again. Without it, ptxscope report FILE -o report.html writes a page that "
        "any browser shows");
    return;
  }
  if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY") && !is_set("QT_QPA_PLATFORM")) {
    run.fail(
        "there is no display to open a window on (neither DISPLAY nor WAYLAND_DISPLAY is set); on a remote machine use "
        "ssh -X, or write a page that any browser shows: ptxscope report FILE -o report.html");
    return;
  }
  std::vector<std::string> words{program};
  if (compare) words.emplace_back("--diff");
  if (!run.options().words.empty()) words.emplace_back("--");
  words.insert(words.end(), run.options().words.begin(), run.options().words.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv(program.c_str(), arguments.data());
  run.fail(program + " cannot be started: " + std::strerror(errno) + "; build or install it again");
}

}  // namespace

void add_gui(Program& program) {
  auto compare = std::make_shared<bool>(false);
  CLI::App& app =
      program.add({.name = "gui",
                   .summary = "the viewer: code, control flow, traps, launches, requirements and differences",
                   .examples = {"ptxscope gui kernel.ptx", "ptxscope gui a.ptx b.ptx",
                                "ptxscope gui --diff old.ptx new.ptx", "ptxscope gui app:sm_90:1"},
                   .words = "[FILE...]"},
                  [compare](Run& run) { start_viewer(run, *compare); });
  app.add_flag("--diff", *compare, "two files side by side, with what is different between them");
}

}  // namespace ptxscope::cli
