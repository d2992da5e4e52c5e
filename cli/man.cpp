// ptxscope man: manual pages, from what --help says.
#include <algorithm>
#include <filesystem>
#include <system_error>

#include "cli/command.h"
#include "cli/command_words.h"
#include "cli/output.h"

namespace ptxscope::cli {
namespace {

// In the language of roff (man(7)): no character is taken for a request, a dash is one that can be copied.
std::string escaped(std::string_view text) {
  std::string out;
  bool at_start = true;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (at_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') out += "\\e";
    else if (c == '-') out += "\\-";
    else if (c == '~') out += "\\(ti";
    else if (c == '^') out += "\\(ha";
    else if (c == '`') out += "\\(ga";
    else if (c == '\'') out += "\\(aq";
    else if (c == '"') out += "\\(dq";
    else if (text.substr(at).starts_with("…")) {
      out += "...";
      at += std::string_view("…").size() - 1;
    } else {
      out += c;
    }
    at_start = c == '\n';
  }
  return out;
}

std::string upper(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

std::string head(const std::string& name, const std::string& summary) {
  return ".TH " + upper(name) +
         " 1 \"" PTXSCOPE_DATE "\" \"ptxscope " PTXSCOPE_VERSION "\" \"ptxscope manual\"\n.SH NAME\n" + escaped(name) +
         " \\- " + escaped(summary) + "\n";
}

std::string option_entry(const OptionWords& option) {
  std::string names;
  for (const std::string& name : option.names) names += (names.empty() ? "\\fB" : ", \\fB") + escaped(name) + "\\fR";
  const ValueWords& value = option.value;
  if (value.kind != ValueKind::none)
    names += value.is_optional ? "[=\\fI" + escaped(value.name.empty() ? "VALUE" : value.name) + "\\fR]"
                               : " \\fI" + escaped(value.name) + "\\fR";
  std::string out = ".TP\n" + names + "\n" + escaped(option.description) + "\n";
  // Of targets and versions there are too many, and they have a command of their own.
  constexpr std::size_t most = 8;
  if (value.kind == ValueKind::list && value.values.size() > most)
    out += value.name.starts_with("TARGET") ? "(\\fBptxscope targets\\fR lists all)\n"
                                            : "(\\fBptxscope releases\\fR lists all)\n";
  return out;
}

constexpr const char* files_section = R"(.SH FILES
A file is PTX, or holds PTX: an executable, a library, an object, a fat binary, an archive.
A folder stands for the files in it, \fB\-\fR for standard input.
)";

constexpr const char* exit_status = R"(.SH EXIT STATUS
.TP
0
done
.TP
1
done, and the answer is \(dqno\(dq: the text has errors, it does not fit, two modules differ,
a given launch runs into a trap
.TP
2
could not be carried out: bad usage, unreadable file
)";

constexpr const char* environment = R"(.SH ENVIRONMENT
.TP
NO_COLOR
any value: no colours, unless \fB\-\-color\fR asks for them
)";

void write_page(Run& run, const std::vector<CommandWords>& commands, const std::string& name) {
  const auto found = std::ranges::find(commands, name, &CommandWords::name);
  if (found != commands.end()) run.add_document(command_page(*found));
  else run.fail(name + ": not a command (ptxscope --help lists all)");
}

void write_pages(Run& run, const std::vector<CommandWords>& commands, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    run.fail("--folder " + folder + ": cannot be made: " + error.message());
    return;
  }
  const auto write = [&](const std::string& name, const std::string& page) {
    bool closed_pipe = false;
    const std::string problem = write_output(folder + "/" + name + ".1", page, closed_pipe);
    if (!problem.empty()) run.fail(problem);
  };
  write("ptxscope", program_page(commands));
  for (const CommandWords& command : commands) write("ptxscope-" + command.name, command_page(command));
}

}  // namespace

std::string command_page(const CommandWords& command) {
  const std::string name = "ptxscope-" + command.name;
  std::string out =
      head(name, command.summary) + ".SH SYNOPSIS\n.B ptxscope " + escaped(command.name) + "\n[\\fIOPTION\\fR]...";
  if (!command.operand.name.empty()) out += " \\fI" + escaped(command.operand.name) + "\\fR";
  out += "\n.SH OPTIONS\n";
  for (const bool common : {false, true})
    for (const OptionWords& option : command.options)
      if (option.is_common == common) out += option_entry(option);
  if (command.operand.kind == ValueKind::ptx) out += files_section;
  out += exit_status;
  out += ".SH EXAMPLES\n";
  for (const std::string& example : command.examples)
    out += (&example == &command.examples.front() ? "" : ".PP\n") + (".nf\n" + escaped(example) + "\n.fi\n");
  return out + ".SH SEE ALSO\n.BR ptxscope (1)\n";
}

std::string program_page(const std::vector<CommandWords>& commands) {
  std::string out = head("ptxscope", "reads NVIDIA PTX and says what it does") +
                    ".SH SYNOPSIS\n.B ptxscope\n\\fICOMMAND\\fR [\\fIOPTION\\fR]... [\\fIFILE\\fR]...\n.SH COMMANDS\n";
  for (const CommandWords& command : commands)
    out += ".TP\n.BR ptxscope\\-" + escaped(command.name) + " (1)\n" + escaped(command.summary) + "\n";
  out += ".SH OPTIONS OF ALL COMMANDS\n";
  for (const OptionWords& option : commands.front().options)
    if (option.is_common) out += option_entry(option);
  return out + exit_status + environment;
}

void add_man(Program& program) {
  const auto folder = std::make_shared<std::string>();
  CLI::App& app =
      program.add({.name = "man",
                   .summary = "the manual page of ptxscope or of a command, for man(1)",
                   .examples = {"ptxscope man check | man -l -", "ptxscope man --folder ~/.local/share/man/man1"},
                   .words = "[COMMAND]"},
                  [&program, folder](Run& run) {
                    const std::vector<CommandWords> commands = words_of(program);
                    const std::vector<std::string>& wanted = run.options().words;
                    if (!folder->empty() && !wanted.empty())
                      run.fail("--folder writes all pages; leave out " + wanted.front());
                    else if (wanted.size() > 1) run.fail("one page at a time; " + wanted[1] + " is a second one");
                    else if (!folder->empty()) write_pages(run, commands, *folder);
                    else if (wanted.empty()) run.add_document(program_page(commands));
                    else write_page(run, commands, wanted.front());
                  });
  app.add_option("--folder", *folder, "write all pages into FOLDER, which is made")->type_name("FOLDER");
}

}  // namespace ptxscope::cli
