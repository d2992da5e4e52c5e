// What the subcommands share: the options every one of them takes, reading files, and writing results.
// A subcommand is one short file: it adds itself to the Program with its own flags and a function that takes a
// parsed module, calls one analysis and hands the result to one writer.
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parser/module.h"
#include "report/terminal.h"

namespace ptxscope::cli {

/// Exit codes (docs/json.md). `objection`: done, and the answer is "no".
enum ExitCode : int { done = 0, objection = 1, failure = 2 };

/// What a person asked for, as far as it is the same for all commands.
struct Options {
  std::vector<std::string> files;  ///< "-": standard input
  std::vector<std::string> words;  ///< of commands that take words, not files
  std::string format = "text";
  std::string output;  ///< empty: standard output
  std::string color = "auto";
};

/// One run of one command.
class Run {
 public:
  Run(std::string command, Options options) : command_(std::move(command)), options_(std::move(options)) {}

  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] const std::string& format() const { return options_.format; }
  [[nodiscard]] bool is_json() const { return options_.format == "json"; }
  /// For text output: colour by `--color`, NO_COLOR and whether it goes to a terminal, and the width.
  [[nodiscard]] report::TextStyle style() const;

  /// Reads and parses each file in turn, writes its diagnostics and those of `checks` to standard error, in order of
  /// place, and calls `command` with it and with what `checks` found; what that returns is the file's output. A file
  /// that cannot be read is reported and the others go on.
  using Found = std::span<const Diagnostic>;
  void each_module(const std::function<std::string(const Module&, Found)>& command,
                   const std::function<std::vector<Diagnostic>(const Module&)>& checks);

  /// The same, without a word on what is wrong with the text: `command` reports that. An empty output is left out.
  void each_module(const std::function<std::string(const Module&)>& command);

  /// For commands without files, or with one document for all of them: what they have to say.
  void add_document(std::string text);

  /// Writes diagnostics to standard error; one of level error makes the exit code 1.
  void report(const Module& module, std::span<const Diagnostic> diagnostics);
  /// Done, and the answer is "no": exit code 1.
  void object();
  /// Done, and the answer is "no": what -o names is not written.
  void refuse();
  /// Writes `text` where -o says, now; the documents go to standard output. Without -o, and after refuse(): nothing.
  /// False: it could not be written, which has been said.
  bool write_apart(std::string_view text);
  /// The exit code from now on: of a command that passes on that of another program.
  void exit_with(int code) { exit_code_ = code; }
  /// The command could not be carried out: a sentence on standard error (place, reason, way out), exit code 2.
  void fail(std::string_view sentence);
  /// A remark on standard error that changes nothing.
  void warn(std::string_view sentence);

  /// Writes what was collected, and gives the exit code. With `-o FILE` a run that failed leaves FILE as it was.
  [[nodiscard]] int finish();

 private:
  /// Reads and parses each file in turn; one that cannot be read is reported and the others go on.
  void each_file(const std::function<void(const Module&)>& visit);

  std::string command_;
  Options options_;
  std::vector<std::string> documents_;  // one per file that could be read
  std::vector<std::string> names_;      // theirs
  int exit_code_ = done;
  bool refused_ = false;
};

/// What ptxas would refuse, for commands whose answer is about something else: of a large text only its declarations,
/// because looking into all bodies would take as long again as the answer.
[[nodiscard]] std::vector<Diagnostic> cheap_checks(const Module& module);

/// How a command is presented.
struct Presentation {
  std::string name;                          ///< "explain-trap"
  std::string summary;                       ///< one line
  std::vector<std::string> formats{"text"};  ///< of --format; the first is the default
  std::vector<std::string> examples;         ///< command lines
  /// Of a command that reads no file: the words it takes instead, "WORD...", "[NAME...]"; "": none.
  std::optional<std::string> words = std::nullopt;
  bool writes_ptx = false;  ///< its output is a module, which may take the place of the one read
};

/// The command line: all subcommands.
class Program {
 public:
  Program();
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  /// Adds a command; the caller adds its own flags to what is returned.
  CLI::App& add(const Presentation& presentation, std::function<void(Run&)> body);
  [[nodiscard]] int run(int argc, char** argv);

 private:
  struct Command;
  CLI::App app_;
  std::vector<std::unique_ptr<Command>> commands_;
};

// The subcommands, each in its own file.
void add_bench(Program& program);
void add_check(Program& program);
void add_print(Program& program);
void add_cfg(Program& program);
void add_diff(Program& program);
void add_doctor(Program& program);
void add_load(Program& program);
void add_explain_trap(Program& program);
void add_explain(Program& program);
void add_extract(Program& program);
void add_gui(Program& program);
void add_instrument(Program& program);
void add_releases(Program& program);
void add_report(Program& program);
void add_retarget(Program& program);
void add_run(Program& program);
void add_stats(Program& program);
void add_targets(Program& program);

}  // namespace ptxscope::cli
