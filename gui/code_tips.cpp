#include "gui/code_tips.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <string>

#include "analysis/names.h"
#include "isa/instructions.h"
#include "isa/lookup.h"
#include "report/explain_instruction.h"
#include "report/one_line.h"
#include "report/terminal.h"

namespace ptxscope::gui {
namespace {

constexpr int most_lines = 14;
constexpr unsigned tip_width = 92;
constexpr std::size_t most_characters = 400;

QString tr(const char* text) { return QCoreApplication::translate("CodeTips", text); }

QString shown(std::string_view text) { return QString::fromStdString(report::printable(text, most_characters)); }

QString as_code(const QString& text) {
  return QStringLiteral("<pre style='margin:0'>%1</pre>").arg(text.toHtmlEscaped());
}

QString explained(report::WordKind kind, std::string_view word, int limit = most_lines) {
  const std::string text = report::explain_text({kind, word}, {{false, tip_width}, false});
  QStringList lines = QString::fromStdString(text).split(QLatin1Char('\n'));
  while (!lines.isEmpty() && lines.last().isEmpty()) lines.removeLast();
  if (lines.size() > limit) {
    lines = lines.first(limit);
    lines.append(tr("… the rest: ptxscope explain %1").arg(shown(word)));
  }
  return as_code(lines.join(QLatin1Char('\n')));
}

}  // namespace

QString tip_paragraph(const QString& text) {
  return QStringLiteral("<p style='margin:0 0 4px 0;white-space:pre-wrap'>%1</p>").arg(text.toHtmlEscaped());
}

QString tip_of_register(const Module& module, const Symbol& symbol) {
  const Function& function = module.functions()[symbol.function];
  const RegisterDeclaration& declaration = module.register_declaration(function, symbol.reg);
  const std::string_view type = spelling(declaration.type);
  return tip_paragraph(
      tr("%1  .%2, declared on line %3")
          .arg(shown(spelling(module, symbol)), QString::fromUtf8(type.data(), static_cast<qsizetype>(type.size())))
          .arg(module.position(declaration.span).line));
}

QString tip_of_value(const Module& module, const RegisterValue& value) {
  QString html;
  if (!value.text.isEmpty()) {
    html = as_code(QStringLiteral("= ") + value.text);
  } else {
    html = tip_paragraph(value.reason.isEmpty() ? tr("What it holds is not known.")
                                                : tr("What it holds is not known: %1.").arg(value.reason));
  }
  if (value.definition != no_index && value.definition < module.statement_count()) {
    html += tip_paragraph(tr("line %1: %2")
                              .arg(module.line_of_statement(value.definition))
                              .arg(shown(report::one_line(module.statement(value.definition), most_characters))));
  }
  return html;
}

QString tip_of_opcode(const Opcode& opcode, bool all) {
  if (isa::find_instruction(opcode.mnemonic) == nullptr)
    return tip_paragraph(tr("%1 is not in the instruction tables; nothing is said of what it does or needs.")
                             .arg(shown(opcode.mnemonic)));
  constexpr int most_forms = 400;
  return explained(report::WordKind::opcode, opcode.text, all ? most_forms : most_lines);
}

QString tip_of_word(const Module& module, std::string_view word, const std::optional<SymbolPlace>& place,
                    std::uint32_t statement, std::uint32_t offset) {
  if (statement != no_index) {
    const Statement at = module.statement(statement);
    if (at.kind() == StatementKind::instruction && at.span().begin <= offset && !place && !word.empty() &&
        word.front() != '%' && !(word.front() >= '0' && word.front() <= '9')) {
      const Opcode& opcode = at.opcode();
      // The word is the opcode, not a number or something behind it.
      if (opcode.text.find(word) != std::string::npos) {
        return tip_of_opcode(opcode, false);
      }
    }
  }
  if (!word.empty() && word.front() == '%') {
    const std::string_view name = word.substr(0, word.find('.'));
    if (isa::find_special_register(name) != nullptr) return explained(report::WordKind::special_register, name);
  }
  if (place && place->symbol.kind == Symbol::Kind::name) {
    const std::string name = spelling(module, place->symbol);
    const std::string readable = analysis::demangled(name);
    QString html = readable.empty() ? QString() : tip_paragraph(shown(readable));
    if (const auto declared = declaration_of(module, place->symbol); declared && *declared != place->span) {
      html += tip_paragraph(tr("line %1: %2")
                                .arg(module.position(*declared).line)
                                .arg(shown(report::one_line(module.text(*declared), most_characters))));
    }
    return html;
  }
  if (word.starts_with('.')) {
    const auto directives = isa::directives();
    const auto found = std::ranges::find(directives, word, &isa::Directive::name);
    if (found != directives.end()) return explained(report::WordKind::directive, found->name);
  }
  return {};
}

}  // namespace ptxscope::gui
