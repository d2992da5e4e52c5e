// ptxscope diff: what is different between two modules, names and places of registers, labels and blocks apart.
#include "analysis/diff.h"

#include <unistd.h>

#include <CLI/App.hpp>
#include <CLI/Validators.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "cli/command.h"
#include "report/diagnostics.h"
#include "report/diff.h"

namespace ptxscope::cli {

namespace {

struct DiffFlags {
  report::DiffTextOptions text;
  std::vector<std::string> kernels;
  bool strict = false;
};

// The two files of a command line, and what they are called.
struct Sides {
  std::string a, b;
  std::string a_name, b_name;
  bool from_git = false;
};

// git calls GIT_EXTERNAL_DIFF with `path old-file old-hex old-mode new-file new-hex new-mode`, and with two more words
// when the file was renamed (git(1)).
std::optional<Sides> sides_of(Run& run) {
  const std::vector<std::string>& words = run.options().words;
  if (words.size() == 7 || words.size() == 9)
    return Sides{words[1], words[4], "a/" + words[0], "b/" + (words.size() == 9 ? words[7] : words[0]), true};
  if (words.size() == 2) {
    if (words[0] == "-" && words[1] == "-") {
      run.fail("standard input (-) can be read only once");
      return std::nullopt;
    }
    const auto name = [](const std::string& path) { return path == "-" ? std::string("<stdin>") : path; };
    return Sides{words[0], words[1], name(words[0]), name(words[1])};
  }
  run.fail(words.size() < 2
               ? "two files are compared; name both, as in ptxscope diff old.ptx new.ptx (- is standard input)"
               : "two files are compared, " + std::to_string(words.size()) + " were given");
  return std::nullopt;
}

// What is wrong with a text is told, but is no difference: it does not count for the exit status.
void tell_errors(const Run& run, const Module& module) {
  report::TextStyle style = run.style();
  style.color = style.color && (run.options().color == "always" || ::isatty(STDERR_FILENO) == 1);
  const std::string text = report::to_text(module, module.diagnostics(), style);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

// The text of a file, and what it is called.
std::optional<TextBuffer> read(Run& run, const std::string& path, std::string& name, bool from_git) {
  // What git has for a file that was added or deleted.
  if (from_git && path == "/dev/null") {
    name = path;
    return TextBuffer();
  }
  std::string of_temporary;  // git's own, which means nothing to a person
  return run.read_text(path, from_git ? of_temporary : name);
}

// git takes any exit status but 0 for a failure, unless it was told to look at it.
bool git_looks_at_status() {
  const char* trust = std::getenv("GIT_EXTERNAL_DIFF_TRUST_EXIT_CODE");
  const std::string_view word = trust == nullptr ? "" : trust;
  return word == "1" || word == "true" || word == "yes" || word == "on";
}

void compare(Run& run, const DiffFlags& flags) {
  const std::optional<Sides> sides = sides_of(run);
  if (!sides) return;
  for (const std::string& file : {sides->a, sides->b}) {
    std::error_code none;
    if (file != "-" && std::filesystem::equivalent(file, run.options().output, none)) {
      run.fail("-o " + run.options().output + ": this file is read, and would be lost; choose another name");
      return;
    }
  }
  std::array<std::string, 2> names{sides->a_name, sides->b_name};
  std::array<std::optional<TextBuffer>, 2> texts;
  texts[0] = read(run, sides->a, names[0], sides->from_git);
  texts[1] = read(run, sides->b, names[1], sides->from_git);
  const auto [a, b] = run.parse_both(std::move(texts), names);
  for (const auto* module : {&a, &b}) {
    const bool is_nothing = sides->from_git && *module && (*module)->file_name() == "/dev/null";
    if (*module && !is_nothing) tell_errors(run, **module);
  }
  if (!a || !b) return;
  analysis::DiffOptions options;
  options.patterns = flags.kernels;
  const analysis::ModuleDiff diff = analysis::diff_modules(*a, *b, options);
  for (const std::string& pattern : diff.unmatched)
    run.fail("--kernel " + pattern + ": neither file has a function of this name");
  if (!diff.unmatched.empty()) return;
  if (!analysis::is_same(diff, flags.strict) && (!sides->from_git || git_looks_at_status())) run.object();
  if (run.is_json()) return run.add_document(report::diff_json(*a, *b, diff));
  if (run.format() == "html") return run.add_document(report::diff_html(*a, *b, diff, {flags.text.context}));
  report::DiffTextOptions text = flags.text;
  text.style = run.style();
  std::string document = report::diff_text(*a, *b, diff, text);
  if (sides->from_git)
    document = "diff " + report::printable(a->file_name()) + " " + report::printable(b->file_name()) + "\n" + document;
  run.add_document(std::move(document));
}

}  // namespace

void add_diff(Program& program) {
  auto flags = std::make_shared<DiffFlags>();
  CLI::App& app = program.add(
      {.name = "diff",
       .summary =
           "what is different between two modules; renumbered registers, renamed labels and moved blocks are not",
       .formats = {"text", "json", "html"},
       .examples = {"ptxscope diff old.ptx new.ptx", "ptxscope diff --summary old.ptx new.ptx",
                    "ptxscope diff --side-by-side --kernel 'vec*' old.ptx new.ptx",
                    "git difftool --extcmd 'ptxscope diff' HEAD~1 -- kernel.ptx"},
       .words = "A B",
       .takes_jobs = true},
      [flags](Run& run) { compare(run, *flags); });
  app.add_option("--kernel", flags->kernels, "only functions of this name, mangled or demangled; * stands for anything")
      ->type_name("NAME");
  app.add_flag("--summary", flags->text.summary, "the verdict, the counts, the functions; no edits");
  app.add_flag("--word", flags->text.word, "a statement that was replaced on one line, what differs marked");
  app.add_flag("--side-by-side", flags->text.side_by_side, "both sides beside each other, as wide as the terminal");
  app.add_flag("--registers", flags->text.registers,
               "also which register, label, local name and variable of A is which of B");
  app.add_option("--context", flags->text.context, "statements around an edit (default: 2; at most 100000)")
      ->type_name("N")
      ->check(CLI::Range(0, 100'000).description(""));
  app.add_flag("--all", flags->text.all, "all edits and all functions, not the first ones");
  app.add_flag("--strict", flags->strict, "exit status 1 also where only header, names or dead code differ");
}

}  // namespace ptxscope::cli
