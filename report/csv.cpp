#include "report/csv.h"

#include "report/terminal.h"

namespace ptxscope::report {

std::string csv_field(std::string_view text) {
  std::string out = printable(text, text.size());
  if (!out.empty() && std::string_view("=+-@").find(out.front()) != std::string_view::npos) out.insert(0, "'");
  if (out.find_first_of(",\"") == std::string::npos) return out;
  std::string quoted = "\"";
  for (const char c : out) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace ptxscope::report
