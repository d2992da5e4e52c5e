#include <algorithm>

#include "report/columns.h"
#include "report/doctor.h"

namespace ptxscope::report {

namespace {

using driver::Check;
using driver::Mark;

std::string mark(Mark mark, const TextStyle& style) {
  switch (mark) {
    case Mark::good:
      return paint(style, Ink::good, "✓");
    case Mark::warning:
      return paint(style, Ink::warning, "!");
    case Mark::wrong:
      break;
  }
  return paint(style, Ink::error, "✗");
}

std::string counted(std::size_t count, const char* one, const char* several) {
  return std::to_string(count) + " " + (count == 1 ? one : several);
}

// A line to be copied into a shell or a file is not broken.
std::string remedy_lines(const std::string& remedy, const TextStyle& style) {
  std::string out;
  for (std::size_t at = 0; at < remedy.size();) {
    const std::size_t end = std::min(remedy.find('\n', at), remedy.size());
    out +=
        "      " + (at == 0 ? paint(style, Ink::bold, "→") : " ") + " " + printable(remedy.substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return out;
}

}  // namespace

std::string doctor_text(const DoctorReport& report, const TextStyle& style) {
  std::string out;
  if (report.module) out += printable(report.module->file) + "\n";
  std::string group;
  for (const Check& check : report.checks) {
    if (check.group != group) {
      group = check.group;
      out += (out.empty() || report.module ? "" : "\n") + paint(style, Ink::bold, group) + "\n";
    }
    out += "  " + mark(check.mark, style) + " " + wrapped(printable(check.text), 4, 4, style) + "\n";
    if (!check.detail.empty())
      out += "    " + paint(style, Ink::dim, wrapped(printable(check.detail), 4, 4, style)) + "\n";
    out += remedy_lines(check.remedy, style);
  }
  const auto count = [&](Mark mark) {
    return static_cast<std::size_t>(std::ranges::count(report.checks, mark, &Check::mark));
  };
  const std::size_t wrong = count(Mark::wrong);
  const std::size_t warnings = count(Mark::warning);
  out += "\n" + std::string(wrong == 0 ? "nothing is wrong" : counted(wrong, "thing is wrong", "things are wrong"));
  if (warnings != 0) out += ", " + counted(warnings, "warning", "warnings");
  return out + "\n";
}

}  // namespace ptxscope::report
