#include "gui/code_tips.h"

namespace ptxscope::gui {
namespace {

QString as_code(const QString& text) {
  return QStringLiteral("<pre style='margin:0'>%1</pre>").arg(text.toHtmlEscaped());
}

}  // namespace

QString tip_paragraph(const QString& text) {
  return QStringLiteral("<p style='margin:0 0 4px 0;white-space:pre-wrap'>%1</p>").arg(text.toHtmlEscaped());
}

QString tip_html(const report::Tip& tip) {
  QString html;
  for (const report::TipPart& part : tip) {
    const QString text = QString::fromStdString(part.text);
    html += part.is_code ? as_code(text) : tip_paragraph(text);
  }
  return html;
}

}  // namespace ptxscope::gui
