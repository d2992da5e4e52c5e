// Workflow commands of GitHub Actions ("Setting an error message"): what stands behind `::` is data, what stands before
// it are properties, each with its own escapes.
#include "report/check.h"
#include "report/check_parts.h"
#include "report/rules.h"

namespace ptxscope::report {

namespace {

std::string escaped(std::string_view text, bool is_property) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '%':
        out += "%25";
        break;
      case '\r':
        out += "%0D";
        break;
      case '\n':
        out += "%0A";
        break;
      case ':':
        out += is_property ? "%3A" : ":";
        break;
      case ',':
        out += is_property ? "%2C" : ",";
        break;
      default:
        out += c;
        break;
    }
  }
  return out;
}

std::string_view command_of(Level level) {
  switch (level) {
    case Level::error:
      return "error";
    case Level::warning:
      return "warning";
    case Level::note:
      return "notice";
  }
  return "error";
}

}  // namespace

std::string check_github(const Module& module, const analysis::CheckReport& report) {
  std::string out;
  for (const Diagnostic& one : all_diagnostics(module, report)) {
    const Position begin = module.position(one.span);
    const Position end = module.position(one.span.end);
    out += "::" + std::string(command_of(one.level)) + " file=" + escaped(printable(module.file_name()), true) +
           ",line=" + std::to_string(begin.line) + ",col=" + std::to_string(begin.column);
    if (end.line == begin.line && end.column > begin.column) out += ",endColumn=" + std::to_string(end.column);
    const Rule* const rule = find_rule(one.rule);
    out += ",title=" + escaped(printable(one.rule + (rule == nullptr ? "" : ": " + std::string(rule->summary))), true) +
           "::";
    out += escaped(printable(one.message), false);
    for (const Diagnostic::Note& note : one.notes) {
      out += "%0Anote: " + escaped(printable(note.message), false);
      if (!note.span.empty()) out += " (line " + std::to_string(module.position(note.span).line) + ")";
    }
    if (!one.remedy.empty()) out += "%0Ahelp: " + escaped(printable(one.remedy), false);
    out += '\n';
  }
  return out;
}

}  // namespace ptxscope::report
