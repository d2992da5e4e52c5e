// How text is put before a person: numbers with their nouns, names that others chose, sentences that wrap.
#pragma once

#include <QLabel>
#include <QString>
#include <Qt>
#include <cstddef>

#include "report/terminal.h"

namespace ptxscope::gui {

/// "1 function", "3 functions". A noun whose plural is another is given it.
[[nodiscard]] inline QString counted(std::size_t count, const QString& noun, const QString& plural = {}) {
  return QStringLiteral("%1 %2").arg(count).arg(count == 1         ? noun
                                                : plural.isEmpty() ? noun + QLatin1Char('s')
                                                                   : plural);
}

/// A file's name or path as it can be shown: what would turn the direction of writing, or is not seen, is spelled out.
[[nodiscard]] inline QString shown_path(const QString& path) {
  return QString::fromStdString(report::printable(path.toStdString()));
}

/// With the middle left out where it is longer: the end of a file's name says what it is.
[[nodiscard]] inline QString shortened(const QString& text, qsizetype longest) {
  if (text.size() <= longest) return text;
  return text.first((longest - 1) / 2) + QChar(0x2026) + text.last(longest - 1 - (longest - 1) / 2);
}

/// For tips, which take for HTML what looks like it: `f<a>(int)`, a folder called `<b>`.
[[nodiscard]] inline QString plain_tip(const QString& text) {
  if (!Qt::mightBeRichText(text)) return text;
  return QStringLiteral("<p style=\"white-space: pre-wrap\">%1</p>").arg(text.toHtmlEscaped());
}

/// Makes a label one of plain sentences that wrap. A word that is too long for it, as paths are, is cut off and makes
/// no window wider.
inline void make_wrapping(QLabel& label) {
  label.setTextFormat(Qt::PlainText);
  label.setWordWrap(true);
  QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  policy.setHeightForWidth(true);
  label.setSizePolicy(policy);
}

}  // namespace ptxscope::gui
