// What the subcommands share: the options every one of them takes, reading files, and writing results.
// A subcommand is one short file: it adds itself to the Program with its own flags and a function that takes a
// parsed module, calls one analysis and hands the result to one writer.
#pragma once

#include <CLI/App.hpp>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/input.h"
#include "parser/module.h"
#include "report/sink.h"
#include "report/terminal.h"

namespace ptxscope::cli {

class Output;

/// Exit codes (docs/json.md). `objection`: done, and the answer is "no".
enum ExitCode : int { done = 0, objection = 1, failure = 2 };

/// What a person asked for, as far as it is the same for all commands.
struct Options {
  std::vector<std::string> files;  ///< "-": standard input
  std::vector<std::string> words;  ///< of commands that take words, not files
  std::string format = "text";
  std::string output;  ///< empty: standard output
  std::string color = "auto";
  unsigned jobs = 0;  ///< threads to work with; 0: as many as there are cores
};

/// One run of one command.
class Run {
 public:
  /// `reader` may hold the file already.
  Run(std::string command, Options options, InputReader reader);

  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

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

  /// The same for what takes time: `prepare` may run for several files at once, on threads of its own, and may itself use
  /// as many threads as it is told; it says and changes nothing. `command` then runs for one file after another.
  template <class Prepared>
  void each_module(const std::function<Prepared(const Module&, unsigned jobs)>& prepare,
                   const std::function<std::string(const Module&, Prepared&)>& command) {
    each_prepared(
        [&](const Module& module, unsigned jobs) -> std::shared_ptr<void> {
          return std::make_shared<Prepared>(prepare(module, jobs));
        },
        [&](const Module& module, void* prepared) {
          add_document(command(module, *static_cast<Prepared*>(prepared)), module.file_name());
        });
  }

  /// Writes what is wrong with the text and what `checks` found to standard error, in order of place.
  void report_all(const Module& module, Found checks);

  /// The text of a file that holds one module, and what it is called; nullopt: it cannot be read, which is reported.
  [[nodiscard]] std::optional<TextBuffer> read_text(const std::string& path, std::string& name);
  /// Reads two modules at once. One that cannot be read is reported, and is not there.
  using TwoModules = std::array<std::optional<Module>, 2>;
  [[nodiscard]] TwoModules parse_both(std::array<std::optional<TextBuffer>, 2> texts,
                                      const std::array<std::string, 2>& names);
  /// Threads that an analysis may use.
  [[nodiscard]] unsigned jobs() const;

  /// A document that `write` writes. Where there is only one, it goes out piece by piece, and "" is returned.
  [[nodiscard]] std::string document(const std::function<void(const report::Sink&)>& write);
  /// Whether there is one document at the most: not of several files, nor of standard input, which may hold several.
  [[nodiscard]] bool has_one_document() const;
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
  /// What -o says, for a command that writes there itself; it is then not written again.
  [[nodiscard]] std::string take_output() { return std::exchange(options_.output, ""); }
  /// The exit code from now on: of a command that passes on that of another program.
  void exit_with(int code) { exit_code_ = code; }
  /// The command could not be carried out: a sentence on standard error (place, reason, way out), exit code 2.
  void fail(std::string_view sentence);
  /// A remark on standard error that changes nothing.
  void warn(std::string_view sentence);

  /// Writes what was collected, and gives the exit code. With `-o FILE` a run that failed leaves FILE as it was.
  [[nodiscard]] int finish();

 private:
  using Prepare = std::function<std::shared_ptr<void>(const Module&, unsigned jobs)>;
  using Visit = std::function<void(const Module&, void* prepared)>;
  /// Reads and parses each file; one that cannot be read is reported and the others go on. Several are parsed and prepared
  /// at once, and visited in their order.
  void each_prepared(const Prepare& prepare, const Visit& visit);
  struct Pending;
  void work_off(std::vector<Pending>& batch, const Prepare& prepare, const Visit& visit);
  /// An empty one is left out.
  void add_document(std::string text, const std::string& name);

  std::string command_;
  Options options_;
  InputReader reader_;
  std::vector<std::string> documents_;    // one per file that could be read
  std::vector<std::string> names_;        // theirs
  std::unique_ptr<Output> one_document_;  // as far as it was written; then there are no others
  int exit_code_ = done;
  bool refused_ = false;
};

/// What ptxas would refuse, for commands whose answer is about something else: of a large text only its declarations,
/// because looking into all bodies would take as long again as the answer.
[[nodiscard]] std::vector<Diagnostic> cheap_checks(const Module& module, unsigned jobs = 1);

/// How a command is presented.
struct Presentation {
  std::string name;                          ///< "explain-trap"
  std::string summary;                       ///< one line
  std::vector<std::string> formats{"text"};  ///< of --format; the first is the default
  std::vector<std::string> examples;         ///< command lines
  /// Of a command that reads no file: the words it takes instead, "WORD...", "[NAME...]"; "": none.
  std::optional<std::string> words = std::nullopt;
  bool writes_ptx = false;  ///< its output is a module, which may take the place of the one read
  bool takes_jobs = false;  ///< it can use several threads: --jobs
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
  /// How each is presented, with its options.
  [[nodiscard]] std::vector<std::pair<const Presentation*, const CLI::App*>> commands() const;

 private:
  struct Command;
  CLI::App app_;
  std::vector<std::unique_ptr<Command>> commands_;
};

// The subcommands, each in its own file.
void add_bench(Program& program);
void add_check(Program& program);
void add_completion(Program& program);
void add_print(Program& program);
void add_cfg(Program& program);
void add_diff(Program& program);
void add_doctor(Program& program);
void add_load(Program& program);
void add_lsp(Program& program);
void add_man(Program& program);
void add_explain_trap(Program& program);
void add_explain(Program& program);
void add_extract(Program& program);
void add_gui(Program& program);
void add_instrument(Program& program);
void add_releases(Program& program);
void add_report(Program& program);
void add_retarget(Program& program);
void add_run(Program& program);
void add_scan(Program& program);
void add_stats(Program& program);
void add_targets(Program& program);

}  // namespace ptxscope::cli
