#include "gui/requirement_rows.h"

#include <algorithm>

#include "analysis/places.h"
#include "gui/words.h"
#include "report/check_parts.h"
#include "report/diagnostics.h"

namespace ptxscope::gui {

using analysis::CheckReport;
using analysis::FeatureNeed;
using analysis::Fit;
using analysis::Problem;
using report::Ink;

namespace {

constexpr std::size_t most_rows = 500;  // of a group
constexpr std::size_t most_marks = 100'000;
constexpr report::TextStyle plain{false, 90};

QString shown(std::string_view text) { return QString::fromStdString(report::printable(text, 400)); }

class Writer {
 public:
  Writer(const Module& module, const CheckReport& report) : module_(module), report_(report) {}

  void write(const Fit& fit, bool asked) {
    write_answer(fit, asked);
    write_advice(fit);
    write_reader(fit);
    write_needs();
    write_features();
    write_unknown();
  }

  void mark(const std::vector<Problem>& problems) {
    for (const Problem& problem : problems) {
      std::size_t marked = 0;
      for (const Span place : problem.places) {
        if (rows_.marks.size() == most_marks) break;
        const std::uint32_t statement = analysis::statement_at(module_, place.begin);
        if (statement == no_index) continue;
        const Diagnostic one = report::diagnostic_at(module_, problem, place);
        QString note = shown(one.message);
        if (!one.remedy.empty()) note += QLatin1Char('\n') + shown(one.remedy);
        rows_.marks.push_back({statement, place, MarkRole::unfit, note});
        ++marked;
      }
      rows_.unmarked += problem.count - std::min<std::uint64_t>(problem.count, marked);
    }
  }

  RequirementRows take() { return std::move(rows_); }

 private:
  RequirementGroup& add_group(const QString& title, std::size_t rows, Ink ink = Ink::bold) {
    rows_.groups.push_back({title, ink, true, {}, rows - std::min(rows, most_rows)});
    rows_.groups.back().rows.reserve(std::min(rows, most_rows));
    return rows_.groups.back();
  }
  [[nodiscard]] static bool is_full(const RequirementGroup& group) { return group.rows.size() == most_rows; }

  void write_answer(const Fit& fit, bool asked) {
    const auto [ink, head, rest] = report::verdict_on(report_, fit, asked ? "fits" : "satisfies this",
                                                      asked ? "does not fit" : "does not satisfy this");
    const QString words = QString::fromStdString(report::header_words(module_.header(), fit));
    RequirementGroup& group = add_group(QStringLiteral("%1 %2: %3")
                                            .arg(asked ? QStringLiteral("asked for") : QStringLiteral("header"), words,
                                                 QString::fromStdString(head + rest)),
                                        fit.problems.size(), ink);
    add_problems(group, fit.problems, Ink::error);
    if (report_.complete) return;
    RequirementRow row;
    row.text = QStringLiteral("some of the text is not known; all of this holds for the rest of it");
    row.details = row.text;
    row.ink = Ink::warning;
    group.rows.push_back(std::move(row));
  }

  void write_advice(const Fit& fit) {
    if (fit.advice.empty()) return;
    add_problems(add_group(QStringLiteral("advice"), fit.advice.size()), fit.advice, Ink::warning);
  }

  void add_problems(RequirementGroup& group, const std::vector<Problem>& problems, Ink ink) const {
    for (const Problem& problem : problems) {
      if (is_full(group)) return;
      RequirementRow row;
      row.text = shown(problem.diagnostic.message);
      if (problem.count > 1) row.text += QStringLiteral(" (%1×)").arg(problem.count);
      row.details = QString::fromStdString(report::to_text(module_, problem.diagnostic, plain));
      row.ink = ink;
      row.place = problem.diagnostic.span;
      row.remedy = shown(problem.diagnostic.remedy);
      add_places(row, problem.places, problem.count);
      group.rows.push_back(std::move(row));
    }
  }

  static void add_places(RequirementRow& row, const std::vector<Span>& places, std::uint32_t count) {
    if (count < 2) return;
    row.places.assign(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(std::min(places.size(), most_rows)));
    row.missing = count - std::min(count, static_cast<std::uint32_t>(row.places.size()));
  }

  void write_reader(const Fit& fit) {
    RequirementGroup& group = add_group(QStringLiteral("where it runs"), 0);
    const auto add = [&](const QString& text) {
      RequirementRow row;
      row.text = row.details = text;
      group.rows.push_back(std::move(row));
    };
    for (const std::string& sentence : fit.explanations) add(shown(sentence));
    if (const isa::Release* const release = report::first_reader(fit))
      add(QStringLiteral("loads with ") + QString::fromStdString(report::describe_reader(*release)));
    if (group.rows.empty()) rows_.groups.pop_back();
  }

  void write_needs() {
    const auto lowest = report::lowest_version(report_);
    QString title = QStringLiteral("needs no .version and .target that there are: none take all of it");
    if (lowest)
      title = QStringLiteral("needs .version %1, %2")
                  .arg(QString::fromStdString(isa::to_string(*lowest)),
                       report_.targets == isa::all_targets()
                           ? QStringLiteral("any .target")
                           : QStringLiteral(".target ") + QString::fromStdString(isa::describe(report_.targets)));
    RequirementGroup& group = add_group(title, report_.needs.size(), lowest ? Ink::bold : Ink::error);
    for (const FeatureNeed& need : report_.needs) {
      if (is_full(group)) return;
      RequirementRow row;
      const QString name = shown(need.name);
      const QString needs = QString::fromStdString(report::describe(need.requirement));
      row.text = QStringLiteral("%1: %2").arg(name, needs);
      if (need.count > 1) row.text += QStringLiteral(" (%1×)").arg(need.count);
      row.details = QStringLiteral("%1\nneeds %2\n").arg(name, needs);
      if (!need.section.empty()) row.details += QStringLiteral("PTX ISA manual %1\n").arg(shown(need.section));
      row.details += counted(need.count, QStringLiteral("place")) + QLatin1Char('\n');
      if (need.decides) row.details += QStringLiteral("It is among those that set what the module needs.\n");
      row.ink = need.decides ? Ink::code : Ink::dim;
      if (!need.places.empty()) row.place = need.places.front();
      add_places(row, need.places, need.count);
      group.rows.push_back(std::move(row));
    }
  }

  void write_features() {
    const auto& features = report_.requirement.features;
    if (features.empty()) return;
    RequirementGroup& group = add_group(QStringLiteral("uses"), features.size());
    for (const std::string& tag : features) {
      if (is_full(group)) return;
      RequirementRow row;
      row.text = row.details =
          QStringLiteral("%1: %2").arg(shown(tag), QString::fromStdString(std::string(report::describe_feature(tag))));
      group.rows.push_back(std::move(row));
    }
  }

  void write_unknown() {
    const auto& unknown = report_.requirement.unknown;
    if (unknown.empty()) return;
    RequirementGroup& group = add_group(QStringLiteral("not known"), unknown.size(), Ink::warning);
    for (const Diagnostic& one : unknown) {
      if (is_full(group)) return;
      RequirementRow row;
      row.text = shown(one.message);
      row.details = QString::fromStdString(report::to_text(module_, one, plain));
      row.ink = Ink::warning;
      row.place = one.span;
      row.remedy = shown(one.remedy);
      group.rows.push_back(std::move(row));
    }
  }

  const Module& module_;
  const CheckReport& report_;
  RequirementRows rows_;
};

bool has_all_places(const std::vector<Problem>& problems) {
  return std::ranges::all_of(problems, [](const Problem& one) { return one.places.size() >= one.count; });
}

}  // namespace

RequirementRows requirement_rows(const Module& module, const CheckReport& report, const HeaderQuestion& question,
                                 const Cancel& cancel) {
  Writer writer(module, report);
  if (question.empty()) {
    writer.write(report.declared, false);
    return writer.take();
  }
  analysis::CheckQuestion asked;
  asked.target = question.target;
  asked.version = question.version;
  const Fit fit = analysis::fit_header(module, report.requirement, report.needs, asked);
  if (cancel.requested()) return {};
  writer.write(fit, true);
  if (has_all_places(fit.problems)) {
    writer.mark(fit.problems);
    return writer.take();
  }
  // The report keeps the first places of each need; to mark them all, they are asked for again.
  const analysis::ModuleRequirement all = analysis::requirements(module, {.places = most_marks, .stop = cancel.flag()});
  if (cancel.requested()) return {};
  writer.mark(analysis::fit_header(module, all, analysis::feature_needs(all), asked).problems);
  return writer.take();
}

}  // namespace ptxscope::gui
