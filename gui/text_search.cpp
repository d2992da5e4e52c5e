#include "gui/text_search.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <algorithm>
#include <string_view>

namespace ptxscope::gui {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("TextSearch", text); }

constexpr std::size_t longest_line = std::size_t{1} << 20;

bool is_ascii(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

// Byte of a place in the line as QString counts it.
std::size_t byte_of(const QString& line, qsizetype at) {
  return static_cast<std::size_t>(QStringView(line).first(at).toUtf8().size());
}

}  // namespace

SearchResult search_text(const Module& module, const SearchQuestion& question, const Cancel& cancel,
                         std::size_t limit) {
  SearchResult result;
  if (question.pattern.isEmpty()) return result;
  QString pattern = question.is_regex ? question.pattern : QRegularExpression::escape(question.pattern);
  if (question.whole_words) pattern = QStringLiteral("(?<![\\w$%])(?:%1)(?![\\w$])").arg(pattern);
  QRegularExpression expression(pattern);
  if (!question.case_sensitive) expression.setPatternOptions(QRegularExpression::CaseInsensitiveOption);
  if (!expression.isValid()) {
    result.problem =
        tr("Not a regular expression: %1, at character %2. Write a backslash before ( ) [ ] { } . * + ? | ^ $ "
           "to mean just that.")
            .arg(expression.errorString())
            .arg(expression.patternErrorOffset() + 1);
    return result;
  }
  expression.optimize();
  const std::string_view text = module.text();
  std::size_t begin = 0;
  while (begin <= text.size() && !cancel.requested()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view bytes = text.substr(begin, std::min(end - begin, longest_line));
    if (bytes.ends_with('\r')) bytes.remove_suffix(1);
    const bool ascii = is_ascii(bytes);
    const QString line = ascii ? QString::fromLatin1(bytes.data(), static_cast<qsizetype>(bytes.size()))
                               : QString::fromUtf8(bytes.data(), static_cast<qsizetype>(bytes.size()));
    auto matches = expression.globalMatch(line);
    while (matches.hasNext()) {
      const QRegularExpressionMatch match = matches.next();
      if (match.capturedLength() == 0) continue;
      if (result.found.size() >= limit) {
        result.cut_short = true;
        return result;
      }
      const std::size_t first =
          ascii ? static_cast<std::size_t>(match.capturedStart()) : byte_of(line, match.capturedStart());
      const std::size_t last =
          ascii ? static_cast<std::size_t>(match.capturedEnd()) : byte_of(line, match.capturedEnd());
      result.found.push_back(
          {static_cast<std::uint32_t>(begin + first), static_cast<std::uint32_t>(std::min(begin + last, text.size()))});
    }
    begin = end + 1;
  }
  return result;
}

}  // namespace ptxscope::gui
