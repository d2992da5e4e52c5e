#include "gui/export_explanation.h"

#include <QFileInfo>
#include <string_view>

#include "gui/save_file.h"
#include "report/explain.h"
#include "report/html.h"
#include "report/terminal.h"

namespace ptxscope::gui {
namespace {

// Class of the span for the parameters of a terminal's colour escape ("1;31"); empty: the end of one.
std::string_view class_of(std::string_view escape) {
  if (escape == "1") return "strong";
  if (escape == "2") return "dim";
  if (escape == "1;31") return "error";
  if (escape == "1;33") return "warning";
  if (escape == "36") return "note";
  if (escape == "32") return "good";
  if (escape == "34") return "code";
  return "";
}

constexpr std::string_view head =
    "<style>\n"
    ":root { color-scheme: light dark }\n"
    "body { margin: 2em; font: 14px/1.5 ui-monospace, monospace; background: #fff; color: #1f2328 }\n"
    ".strong { font-weight: bold } .dim { color: #656d76 } .error { font-weight: bold; color: #cf222e }\n"
    ".warning { font-weight: bold; color: #9a6700 } .note { color: #0a706e } .good { color: #1a7f37 }\n"
    ".code { color: #0969da } pre { white-space: pre-wrap }\n"
    "@media (prefers-color-scheme: dark) {\n"
    "  body { background: #161b22; color: #e1e6eb } .dim { color: #939ca6 } .error { color: #ff7b72 }\n"
    "  .warning { color: #e3b341 } .note { color: #6fd6d0 } .good { color: #56d364 } .code { color: #58a6ff }\n"
    "}\n"
    "</style>\n";

}  // namespace

std::string explanation_html(const std::string& title, const std::string& text) {
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>" +
                    report::html_escaped(title) + "</title>\n";
  out += head;
  out += "</head>\n<body>\n<pre>";
  bool open = false;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t escape = rest.find("\x1b[");
    out += report::html_escaped(rest.substr(0, escape));
    if (escape == std::string_view::npos) break;
    rest.remove_prefix(escape + 2);
    const std::size_t end = rest.find('m');
    if (end == std::string_view::npos) break;
    const std::string_view name = class_of(rest.substr(0, end));
    if (open) out += "</span>";
    open = !name.empty();
    if (open) out += "<span class=\"" + std::string(name) + "\">";
    rest.remove_prefix(end + 1);
  }
  if (open) out += "</span>";
  return out + "</pre>\n</body>\n</html>\n";
}

QString export_explanation(const Module& module, const analysis::TrapReport& report, const QString& path) {
  const QString ending = QFileInfo(path).suffix().toLower();
  const bool html = ending == QLatin1String("html") || ending == QLatin1String("htm");
  if (!html && ending != QLatin1String("txt")) return QStringLiteral("its name must end in .txt or .html");
  std::string text = report::explain_trap_text(module, report, std::nullopt, {html, 110});
  if (html) text = explanation_html(report::printable(module.file_name()), text);
  return save_file(path, text);
}

}  // namespace ptxscope::gui
