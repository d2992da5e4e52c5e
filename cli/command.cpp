#include "cli/command.h"

#include <signal.h>
#include <unistd.h>

#include <CLI/Config.hpp>
#include <CLI/Error.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "analysis/checks.h"
#include "analysis/parallel.h"
#include "cli/help.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "report/diagnostics.h"
#include "report/terminal.h"

namespace ptxscope::cli {
namespace {

bool wants_color(const std::string& choice, int stream) {
  if (choice == "always") return true;
  if (choice == "never") return false;
  // https://no-color.org: any non-empty value.
  if (const char* no_color = std::getenv("NO_COLOR"); no_color != nullptr && *no_color != '\0') return false;
  if (const char* terminal = std::getenv("TERM"); terminal == nullptr || std::string_view(terminal) == "dumb")
    return false;
  return ::isatty(stream) == 1;
}

using report::printable;

void say(std::string_view text) {
  hide_progress();
  std::fwrite(text.data(), 1, text.size(), stderr);
}

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += separator;
    out += word;
  }
  return out;
}

// Where the words start that are no options of `app` nor values of them, `--` included; words[0] is the command.
std::size_t begin_of_words(const CLI::App& app, const std::vector<std::string>& words) {
  std::size_t at = 1;
  for (; at < words.size() && words[at] != "--"; ++at) {
    const std::string& word = words[at];
    if (word.size() < 2 || word.front() != '-') break;
    const bool is_short = word[1] != '-';
    const CLI::Option* option = app.get_option_no_throw(is_short ? word.substr(0, 2) : word);
    const bool wants_value =
        option != nullptr && option->get_expected_min() != 0 && option->get_items_expected_max() != 0;
    if (wants_value && (!is_short || word.size() == 2)) ++at;
  }
  return std::min(at, words.size());
}

// What names a file, and was given an empty name: a shell's variable that is not set, most often.
std::string option_without_name(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    const std::string type = option->get_type_name();
    // The words of a command that is run are its own.
    const bool names_file =
        option->get_positional() ? !type.starts_with("-- ") : type.starts_with("FILE") || type.starts_with("FOLDER");
    const auto& given = option->results();
    if (names_file && std::find(given.begin(), given.end(), "") != given.end())
      return option->get_positional() ? "''" : option->get_name() + " ''";
  }
  return {};
}

}  // namespace

Run::Run(std::string command, Options options, InputReader reader)
    : command_(std::move(command)), options_(std::move(options)), reader_(std::move(reader)) {}
Run::~Run() = default;

report::TextStyle Run::style() const {
  const bool to_file = !options_.output.empty() && options_.output != "-";
  const bool color = !(to_file && options_.color == "auto") && wants_color(options_.color, STDOUT_FILENO);
  return {color, to_file ? report::TextStyle{}.width : report::terminal_width()};
}

std::vector<Diagnostic> cheap_checks(const Module& module, unsigned jobs) {
  constexpr std::size_t large = std::size_t{8} << 20;  // bytes
  return module.text().size() > large ? analysis::check_declarations(module)
                                      : analysis::check_semantics(module, {.jobs = jobs});
}

unsigned Run::jobs() const { return options_.jobs == 0 ? analysis::available_jobs() : options_.jobs; }

// A file that was read and waits to be parsed; without a text, what is wrong with it.
struct Run::Pending {
  Input input;
  std::string path;
  std::optional<Module> module;
  std::shared_ptr<void> prepared;
};

void Run::each_prepared(const Prepare& prepare, const Visit& visit) {
  // Of many small files as many at once as keeps all threads busy; of large ones as few as keeps memory bounded.
  constexpr std::size_t most_bytes = std::size_t{32} << 20;
  const std::size_t most_files = jobs() == 1 ? 1 : 8 * std::size_t{jobs()};
  std::vector<Pending> batch;
  std::size_t bytes = 0;
  for (const std::string& path : options_.files) {
    show_progress("reading " + (path == "-" ? std::string("standard input") : path));
    for (Input& input : reader_.read_all(path)) {
      const std::size_t size = input.text ? input.text->size() : 0;
      if (!batch.empty() && (batch.size() >= most_files || bytes + size > most_bytes)) {
        work_off(batch, prepare, visit);
        bytes = 0;
      }
      bytes += size;
      batch.push_back({std::move(input), path, std::nullopt, nullptr});
    }
  }
  work_off(batch, prepare, visit);
  show_progress("");
}

void Run::work_off(std::vector<Pending>& batch, const Prepare& prepare, const Visit& visit) {
  const unsigned each = batch.size() == 1 ? jobs() : 1;
  if (!batch.empty()) {
    const std::string more = batch.size() == 1 ? "" : " and " + std::to_string(batch.size() - 1) + " more";
    show_progress(command_ + " of " + batch.front().path + more);
  }
  analysis::for_each_index(batch.size(), jobs(), [&](std::size_t i) {
    Pending& one = batch[i];
    if (!one.input.text) return;
    one.module = parse(std::move(*one.input.text), one.input.name);
    if (prepare) one.prepared = prepare(*one.module, each);
  });
  for (Pending& one : batch) {
    for (const std::string& warning : one.input.warnings) warn(one.path + ": " + warning);
    if (one.module) visit(*one.module, one.prepared.get());
    else fail((one.input.name == "<stdin>" ? "standard input" : one.input.name) + ": " + one.input.error);
    one = {};
  }
  batch.clear();
}

std::optional<TextBuffer> Run::read_text(const std::string& path, std::string& name) {
  Input input = read_input(path);
  if (!input.text) {
    fail((path == "-" ? "standard input" : path) + ": " + input.error);
    return std::nullopt;
  }
  for (const std::string& warning : input.warnings) warn(path + ": " + warning);
  name = input.name;
  return std::move(input.text);
}

Run::TwoModules Run::parse_both(std::array<std::optional<TextBuffer>, 2> texts,
                                const std::array<std::string, 2>& names) {
  TwoModules modules;
  show_progress("reading " + names[0] + " and " + names[1]);
  analysis::for_each_index(2, jobs(), [&](std::size_t i) {
    if (texts[i]) modules[i] = parse(std::move(*texts[i]), names[i]);
  });
  show_progress(command_ + " of " + names[0] + " and " + names[1]);
  return modules;
}

void Run::each_module(const std::function<std::string(const Module&)>& command) {
  each_prepared({}, [&](const Module& module, void*) { add_document(command(module), module.file_name()); });
}

void Run::each_module(const std::function<std::string(const Module&, Found)>& command,
                      const std::function<std::vector<Diagnostic>(const Module&)>& checks) {
  using Diagnostics = std::vector<Diagnostic>;
  each_prepared([&](const Module& module, unsigned) { return std::make_shared<Diagnostics>(checks(module)); },
                [&](const Module& module, void* prepared) {
                  const auto& found = *static_cast<const Diagnostics*>(prepared);
                  report_all(module, found);
                  documents_.push_back(command(module, found));
                  names_.push_back(module.file_name());
                });
}

void Run::report_all(const Module& module, Found checks) {
  std::vector<Diagnostic> diagnostics(module.diagnostics().begin(), module.diagnostics().end());
  diagnostics.insert(diagnostics.end(), checks.begin(), checks.end());
  report(module, diagnostics);
}

bool Run::has_one_document() const {
  return options_.files.empty() || (options_.files.size() == 1 && options_.files.front() != "-");
}

std::string Run::document(const std::function<void(const report::Sink&)>& write) {
  if (!has_one_document()) return report::collected(write);
  one_document_ = std::make_unique<Output>(options_.output);
  write([&](std::string_view piece) {
    hide_progress();
    one_document_->write(piece);
  });
  return {};
}

void Run::add_document(std::string text, const std::string& name) {
  if (text.empty()) return;
  documents_.push_back(std::move(text));
  names_.push_back(name);
}

void Run::add_document(std::string text) {
  documents_.push_back(std::move(text));
  names_.emplace_back();
}

void Run::report(const Module& module, std::span<const Diagnostic> diagnostics) {
  if (diagnostics.empty()) return;
  if (std::any_of(diagnostics.begin(), diagnostics.end(), [](const auto& one) { return one.level == Level::error; }))
    object();
  const report::TextStyle style{wants_color(options_.color, STDERR_FILENO), report::terminal_width()};
  say(report::to_text(module, diagnostics, style));
}

void Run::object() { exit_code_ = std::max<int>(exit_code_, objection); }

void Run::refuse() {
  object();
  refused_ = true;
}

bool Run::write_apart(std::string_view text) {
  const std::string path = take_output();
  if (path.empty() || path == "-" || refused_) return true;
  bool closed_pipe = false;
  const std::string error = write_output(path, text, closed_pipe);
  if (!error.empty()) fail(error);
  return error.empty();
}

void Run::fail(std::string_view sentence) {
  exit_code_ = failure;
  say("ptxscope " + command_ + ": " + printable(sentence) + "\n");
}

void Run::warn(std::string_view sentence) { say("ptxscope " + command_ + ": " + printable(sentence) + "\n"); }

int Run::finish() {
  const bool to_file = !options_.output.empty() && options_.output != "-";
  if ((exit_code_ == failure || refused_) && to_file) {
    say("ptxscope " + command_ + ": " + printable(options_.output) + " was not written, because of the above\n");
    return exit_code_;
  }
  bool closed_pipe = false;
  if (one_document_ != nullptr) {
    if (const std::string error = one_document_->finish(closed_pipe); !error.empty()) fail(error);
    if (closed_pipe) exit_code_ = failure;
    return exit_code_;
  }
  std::string text;
  if (options_.files.size() <= 1 && documents_.size() <= 1) {  // of standard input there may be several
    if (!documents_.empty()) text = std::move(documents_.front());
  } else if (is_json()) {
    text = "{\n\"schema\": \"ptxscope." + command_ + "/1\",\n\"files\": [\n";
    for (std::size_t i = 0; i < documents_.size(); ++i) {
      while (documents_[i].ends_with('\n')) documents_[i].pop_back();
      text += documents_[i] + (i + 1 < documents_.size() ? ",\n" : "\n");
    }
    text += "]\n}\n";
  } else {
    for (std::size_t i = 0; i < documents_.size(); ++i) {
      if (format() == "text" && command_ != "print" && !names_[i].empty())
        text += (i == 0 ? "==> " : "\n==> ") + printable(names_[i]) + " <==\n";
      text += documents_[i];
    }
  }
  if (const std::string error = write_output(options_.output, text, closed_pipe); !error.empty()) fail(error);
  if (closed_pipe) exit_code_ = failure;
  return exit_code_;
}

struct Program::Command {
  Presentation presentation;
  Options options;
  std::function<void(Run&)> body;
  CLI::App* app = nullptr;
};

Program::Program() : app_("ptxscope - reads NVIDIA PTX and says what it does", "ptxscope") {
  app_.formatter(std::make_shared<HelpFormatter>());
  app_.require_subcommand(1);  // what follows may be called like another: a file `stats`, a word `report`
  app_.set_help_flag("-h,--help", "this text; after a COMMAND, that command's")->group(common_group);
  app_.add_flag_callback(
          "--version", [] {}, "the version of ptxscope")
      ->group(common_group);
  app_.footer(
      "exit status\n"
      "  0  done\n"
      "  1  done, and the answer is \"no\": the text has errors, a given launch runs into a trap\n"
      "  2  could not be carried out: bad usage, unreadable file\n");
}

Program::~Program() = default;

CLI::App& Program::add(const Presentation& presentation, std::function<void(Run&)> body) {
  auto command = std::make_unique<Command>();
  command->presentation = presentation;
  command->body = std::move(body);
  command->options.format = presentation.formats.front();
  CLI::App* app = app_.add_subcommand(presentation.name, presentation.summary);
  command->app = app;
  Options& options = command->options;
  if (!presentation.words) {
    app->add_option("files", options.files, "PTX files; - is standard input")->type_name("FILE...");
  } else if (!presentation.words->empty()) {
    app->add_option("words", options.words, "what it is about")->type_name(*presentation.words);
  }
  if (presentation.formats.size() > 1) {
    app->add_option("--format", options.format,
                    joined(presentation.formats, ", ") + " (default: " + options.format + ")")
        ->type_name("FORMAT")
        ->group(common_group);
  }
  app->add_option("-o,--output", options.output, "write to FILE, not to standard output")
      ->type_name("FILE")
      ->group(common_group);
  app->add_option("--color", options.color, "auto, always or never (default: auto; NO_COLOR is obeyed)")
      ->type_name("WHEN")
      ->group(common_group);
  if (presentation.takes_jobs) {
    app->add_option("-j,--jobs", options.jobs, "work with at most N threads (default: one for each core)")
        ->type_name("N")
        ->check(CLI::Range(1U, 1024U).description(""))
        ->group(common_group);
  }
  app->set_help_flag("-h,--help", "this text")->group(common_group);
  std::string footer = "examples\n";
  for (const std::string& example : presentation.examples) footer += "  " + example + "\n";
  app->footer(footer);
  commands_.push_back(std::move(command));
  return *app;
}

std::vector<std::pair<const Presentation*, const CLI::App*>> Program::commands() const {
  std::vector<std::pair<const Presentation*, const CLI::App*>> all;
  for (const auto& command : commands_) all.emplace_back(&command->presentation, command->app);
  return all;
}

int Program::run(int argc, char** argv) {
  ::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of write()
  const auto usage = [](const std::string& who, const std::string& sentence) {
    say(who + ": " + printable(sentence) + "\n");
    return static_cast<int>(failure);
  };
  const auto print = [](std::string_view text) {
    bool closed_pipe = false;
    const std::string error = write_output("", text, closed_pipe);
    if (!error.empty()) say("ptxscope: " + error + "\n");
    return static_cast<int>(error.empty() && !closed_pipe ? done : failure);
  };

  const std::string first = argc > 1 ? argv[1] : "";
  if (first.empty()) {
    say(app_.help());
    return failure;
  }
  if (first == "--version") return print("ptxscope " PTXSCOPE_VERSION "\n");
  if (first == "--help" || first == "-h" || (first == "help" && argc == 2)) return print(app_.help());

  std::vector<std::string> names;
  for (const auto& command : commands_) names.push_back(command->presentation.name);
  const std::string wanted = first == "help" ? argv[2] : first;
  const auto found = std::find_if(commands_.begin(), commands_.end(),
                                  [&](const auto& command) { return command->presentation.name == wanted; });
  if (found == commands_.end()) {
    const std::string guess = nearest(wanted, names);
    const bool is_option = wanted.starts_with('-');
    return usage("ptxscope", (is_option ? "unknown option " : "unknown command ") + wanted +
                                 (guess.empty() ? "" : "; did you mean " + guess + "?") +
                                 (is_option ? "; the command comes first: " : " (commands: ") + joined(names, ", ") +
                                 (is_option ? "" : ")"));
  }
  Command& command = **found;
  const std::string who = "ptxscope " + command.presentation.name;
  if (first == "help") return print(command.app->help());

  // An option takes one value each time it is given: `--kernel a FILE` must not swallow the file.
  for (CLI::Option* option : command.app->get_options()) {
    if (option->nonpositional()) option->allow_extra_args(false);
  }
  // CLI11 takes the next word as the value of `--names=`: a file.
  for (int i = 2; i < argc && std::string_view(argv[i]) != "--"; ++i) {
    const std::string_view word = argv[i];
    if (word.starts_with("--") && word.find('=') == word.size() - 1)
      return usage(who, std::string(word) + ": there is no value behind the = (" + who + " --help lists all options)");
  }
  // A command to be run starts at the first word that is no option, and all behind it is its own.
  std::vector<std::string> words(argv + 1, argv + argc);
  if (command.presentation.words && command.presentation.words->starts_with("-- ")) {
    const std::size_t begin = begin_of_words(*command.app, words);
    if (begin < words.size() && words[begin] != "--")
      words.insert(words.begin() + static_cast<std::ptrdiff_t>(begin), "--");
  }
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  try {
    app_.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    return print(command.app->help());
  } catch (const CLI::ExtrasError&) {
    const std::vector<std::string> extras = command.app->remaining(true);
    const std::string word = extras.empty() ? "?" : extras.front();
    if (!word.starts_with('-')) return usage(who, word + ": this command takes options only (" + who + " --help)");
    std::vector<std::string> options;
    for (const CLI::Option* option : command.app->get_options()) {
      for (const auto& name : option->get_lnames()) options.push_back("--" + name);
    }
    const std::string guess = nearest(word.substr(0, word.find('=')), options);
    return usage(who, "unknown option " + word + (guess.empty() ? "" : "; did you mean " + guess + "?") + " (" + who +
                          " --help lists all)");
  } catch (const CLI::ConversionError& error) {
    const std::string_view reason = error.what();  // "Could not convert: --lines = many"
    return usage(who, std::string(reason.substr(reason.find("--") == reason.npos ? 0 : reason.find("--"))) +
                          ": not what this option takes (" + who + " --help says what it does)");
  } catch (const CLI::ArgumentMismatch& error) {  // "--isa: At Most 1 required but received 2"
    const std::string_view reason = error.what();
    return usage(who, std::string(reason.substr(0, reason.find(':'))) + ": give it once, with one value (" + who +
                          " --help says what it takes)");
  } catch (const CLI::ParseError& error) {
    return usage(who, std::string(error.what()) + " (" + who + " --help lists all options)");
  }

  if (const std::string option = option_without_name(*command.app); !option.empty())
    return usage(who, option + ": an empty word names nothing; is a variable of the shell not set?");
  const Options& options = command.options;
  const auto& formats = command.presentation.formats;
  if (std::find(formats.begin(), formats.end(), options.format) == formats.end()) {
    const std::string guess = nearest(options.format, formats);
    return usage(who, "--format " + options.format + ": not a format of this command" +
                          (guess.empty() ? "" : "; did you mean " + guess + "?") +
                          " (formats: " + joined(formats, ", ") + ")");
  }
  if (options.color != "auto" && options.color != "always" && options.color != "never") {
    return usage(who, "--color " + options.color + ": must be auto, always or never");
  }
  if (options.files.empty() && !command.presentation.words) {
    return usage(who, "no file given; name a PTX file, or - for standard input (" + who + " --help shows examples)");
  }
  if (std::count(options.files.begin(), options.files.end(), "-") > 1) {
    return usage(who, "standard input (-) can be read only once");
  }
  // A file that holds PTX stands for the modules in it, a folder for the files.
  const std::vector<std::string> named = options.files;
  command.options.files.clear();
  InputReader reader;
  for (const std::string& file : named) {
    for (std::string& name : reader.expand(file)) command.options.files.push_back(std::move(name));
  }
  if (options.format == "svg" && options.files.size() > 1) {
    return usage(who, "--format svg takes one file at a time" +
                          (named.size() == 1 ? name_one_of(options.files) : std::string()));
  }
  // `-o *.ptx` would put the report in place of the first kernel.
  for (const std::string& file : options.files) {
    const std::string path = split_selector(file).path;
    const bool may_be_replaced = command.presentation.writes_ptx && options.files.size() == 1 && path == file;
    std::error_code none;
    if (!may_be_replaced && file != "-" && std::filesystem::equivalent(path, options.output, none))
      return usage(who, "-o " + options.output + ": this file is read, and would be lost; choose another name");
  }
  Run run(command.presentation.name, options, std::move(reader));
  command.body(run);
  return run.finish();
}

}  // namespace ptxscope::cli
