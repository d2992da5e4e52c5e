#include <algorithm>

#include "isa/releases.h"
#include "report/check.h"
#include "report/check_parts.h"
#include "report/diagnostics.h"

namespace ptxscope::report {

namespace {

using analysis::CheckReport;
using analysis::FeatureNeed;
using analysis::Fit;
using analysis::Problem;

constexpr std::size_t label_width = 11;
constexpr std::size_t most_rows = 8;       // of a part, without --all
constexpr std::size_t most_problems = 20;  // shown, without --all

std::size_t columns_in(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint point = decode_utf8(text, i);
    columns += columns_of(point.value);
    i += point.length;
  }
  return columns;
}

std::string padded(std::string text, std::size_t width) {
  const std::size_t columns = columns_in(text);
  if (columns < width) text.append(width - columns, ' ');
  return text;
}

class Writer {
 public:
  Writer(const Module& module, const CheckReport& report, const CheckWords& asked, const TextStyle& style, bool all)
      : module_(module), report_(report), asked_(asked), style_(style), all_(all) {}

  std::string write() {
    write_title();
    write_needs();
    write_reasons();
    write_features();
    write_header();
    if (report_.against) write_against();
    if (!report_.complete) write_incomplete();
    write_problems(report_.answer().problems);
    write_problems(report_.answer().advice);
    for (const Diagnostic& one : report_.requirement.unknown) out_ += "\n" + to_text(module_, one, style_);
    return std::move(out_);
  }

 private:
  void write_title() {
    out_ += paint(style_, Ink::bold, printable(module_.file_name(), 200));
    const Header& header = module_.header();
    if (header.version_major != 0 || header.version_minor != 0)
      out_ += "  .version " + std::to_string(header.version_major) + "." + std::to_string(header.version_minor);
    for (const std::string_view target : header.targets) out_ += "  .target " + printable(target, 60);
    for (const std::string_view option : header.options) out_ += ", " + printable(option, 60);
    if (const std::string producer = module_.producer(); !producer.empty())
      out_ += "  " + paint(style_, Ink::dim, "by " + printable(producer, 80));
    if (const std::string errors = errors_in_words(report_); !errors.empty())
      out_ += "  " + paint(style_, Ink::error, errors);
    else if (!report_.complete) out_ += "  " + paint(style_, Ink::warning, "not all of it is known");
    out_ += "\n\n";
  }

  // A row with a word in front; several rows of one part have it only once.
  void row(std::string_view label, std::string_view text) {
    const std::string front = "  " + padded(std::string(label), label_width);
    out_ += (label.empty() ? front : paint(style_, Ink::bold, front)) + std::string(text) + "\n";
  }

  void write_needs() {
    const auto lowest = lowest_version(report_);
    if (!lowest) {
      row("needs", paint(style_, Ink::error, "no .version and .target take all of it"));
      return;
    }
    const std::string targets =
        report_.targets == isa::all_targets() ? "any .target" : ".target " + isa::describe(report_.targets);
    row("needs", ".version " + isa::to_string(*lowest) + ", " + targets);
    const auto groups = targets_by_version(report_);
    if (groups.size() < 2 && groups.front().targets.size() < 2) return;
    write_groups(groups);
  }

  // Each target with its lowest version. Without --all as much as two lines hold.
  void write_groups(const std::vector<TargetsByVersion>& groups) {
    const std::size_t room = std::max<std::size_t>(style_.width, 60) - label_width - 2;
    constexpr std::string_view more = "… (--all lists all)";
    std::vector<std::string> lines(1);
    for (std::size_t i = 0; i < groups.size(); ++i) {
      std::string part = isa::to_string(groups[i].version) + ":";
      for (const std::string_view target : groups[i].targets) part += " " + std::string(target);
      const bool last_line = !all_ && lines.size() == 2;
      const std::size_t reserve = columns_in(" · ") + (last_line ? columns_in(more) : 0);
      if (columns_in(lines.back()) + columns_in(part) + reserve > room && !lines.back().empty()) {
        if (last_line) {
          lines.back() += " · " + std::string(more);
          break;
        }
        lines.emplace_back();
      }
      if (!lines.back().empty()) lines.back() += " · ";
      lines.back() += part;
    }
    for (const std::string& line : lines) row("", paint(style_, Ink::dim, line));
  }

  std::string lines_of(const std::vector<Span>& places, std::uint32_t count) const {
    std::string text;
    std::uint32_t previous = 0;
    std::size_t shown = 0;
    for (const Span place : places) {
      const std::uint32_t line = module_.position(place).line;
      if (line == previous) continue;
      text += (text.empty() ? "" : ", ") + std::to_string(line);
      previous = line;
      ++shown;
    }
    const bool more = count > places.size();
    text = (shown == 1 && !more ? "line " : "lines ") + text + (more ? ", …" : "");
    if (count > 1) text += " (" + std::to_string(count) + "×)";
    return text;
  }

  void write_reasons() {
    std::vector<const FeatureNeed*> shown;
    for (const FeatureNeed& need : report_.needs)
      if (need.decides || all_) shown.push_back(&need);
    if (shown.empty()) return;
    std::size_t name_width = 0;
    std::size_t needs_width = 0;
    const std::size_t rows = all_ ? shown.size() : std::min(shown.size(), most_rows);
    for (std::size_t i = 0; i < rows; ++i) {
      name_width = std::max(name_width, columns_in(shown[i]->name));
      needs_width = std::max(needs_width, columns_in(describe(shown[i]->requirement)));
    }
    name_width = std::min<std::size_t>(name_width, 40);
    needs_width = std::min<std::size_t>(needs_width, 40);
    for (std::size_t i = 0; i < rows; ++i) {
      row(i == 0 ? "because" : "", paint(style_, Ink::code, padded(printable(shown[i]->name), name_width)) + "  " +
                                       padded(describe(shown[i]->requirement), needs_width) + "  " +
                                       paint(style_, Ink::dim, lines_of(shown[i]->places, shown[i]->count)));
    }
    if (rows < shown.size()) row("", std::to_string(shown.size() - rows) + " more (--all lists all)");
  }

  void write_features() {
    std::size_t width = 0;
    for (const std::string& tag : report_.requirement.features) width = std::max(width, tag.size());
    bool first = true;
    for (const std::string& tag : report_.requirement.features) {
      row(first ? "uses" : "", padded(tag, width) + "  " + paint(style_, Ink::dim, describe_feature(tag)));
      first = false;
    }
  }

  std::string verdict(const Fit& fit, std::string_view yes, std::string_view no) const {
    const Verdict verdict = verdict_on(report_, fit, yes, no);
    return paint(style_, verdict.ink, verdict.head) + verdict.rest;
  }

  void write_header() {
    const Fit& fit = report_.declared;
    row("header", header_words(module_.header(), fit) + ": " + verdict(fit, "satisfies this", "does not satisfy this"));
    if (report_.against) return;
    write_runs(fit);
  }

  void write_runs(const Fit& fit) {
    for (std::size_t i = 0; i < fit.explanations.size(); ++i) row(i == 0 ? "runs on" : "", fit.explanations[i]);
    const isa::Release* const release = first_reader(fit);
    if (release == nullptr) return;
    row("loads with", describe_reader(*release));
  }

  void write_against() {
    const Fit& fit = *report_.against;
    std::string words = header_words(module_.header(), fit);
    if (asked_.cuda) words += ", CUDA " + *asked_.cuda;
    if (asked_.driver) words += ", driver " + *asked_.driver;
    for (const std::string& device : asked_.devices) words += ", on " + printable(device, 100);
    out_ += '\n';
    row("asked for", words + ": " + verdict(fit, "fits", "does not fit"));
    for (const std::string& remark : asked_.remarks) row("", printable(remark));
    write_runs(fit);
  }

  void write_incomplete() {
    row("not known", paint(style_, Ink::warning, "some of the text; all of this holds for the rest of it"));
  }

  void write_problems(const std::vector<Problem>& problems) {
    const std::size_t shown = all_ ? problems.size() : std::min(problems.size(), most_problems);
    for (std::size_t i = 0; i < shown; ++i) {
      out_ += "\n" + to_text(module_, problems[i].diagnostic, style_);
      if (problems[i].count > 1)
        out_ += "  " + paint(style_, Ink::note, "all:") + " " + lines_of(problems[i].places, problems[i].count) + "\n";
    }
    if (shown < problems.size())
      out_ += "\n" + std::to_string(problems.size() - shown) + " more problems (--all shows them)\n";
  }

  const Module& module_;
  const CheckReport& report_;
  const CheckWords& asked_;
  const TextStyle& style_;
  bool all_;
  std::string out_;
};

}  // namespace

std::string check_text(const Module& module, const CheckReport& report, const CheckWords& asked, const TextStyle& style,
                       bool all) {
  return Writer(module, report, asked, style, all).write();
}

}  // namespace ptxscope::report
