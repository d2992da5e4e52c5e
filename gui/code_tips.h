// What report/tips.h says, as rich text.
#pragma once

#include <QString>

#include "report/tips.h"

namespace ptxscope::gui {

/// Plain text as a paragraph.
[[nodiscard]] QString tip_paragraph(const QString& text);
[[nodiscard]] QString tip_html(const report::Tip& tip);

}  // namespace ptxscope::gui
