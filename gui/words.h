// Numbers with their nouns.
#pragma once

#include <QString>
#include <cstddef>

namespace ptxscope::gui {

/// "1 function", "3 functions". A noun whose plural is another is given it.
[[nodiscard]] inline QString counted(std::size_t count, const QString& noun, const QString& plural = {}) {
  return QStringLiteral("%1 %2").arg(count).arg(count == 1         ? noun
                                                : plural.isEmpty() ? noun + QLatin1Char('s')
                                                                   : plural);
}

}  // namespace ptxscope::gui
