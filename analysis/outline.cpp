#include "analysis/outline.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "parser/comments.h"

namespace ptxscope::analysis {
namespace {

class FoldFinder {
 public:
  explicit FoldFinder(const Module& module) : module_(module) {}

  std::vector<Fold> run() {
    for (const Function& function : module_.functions())
      if (function.has_body) body(function);
    for (const Variable& variable : module_.variables()) {
      if (!variable.initializer.empty())
        add(line(variable.span.begin), line(variable.initializer.end), Fold::Kind::data);
    }
    for (std::uint32_t at = 0; at < module_.statement_count(); ++at) {
      const Statement statement = module_.statement(at);
      if (statement.kind() == StatementKind::section)
        add(line(statement.span().begin), line(statement.span().end), Fold::Kind::data);
    }
    std::ranges::stable_sort(
        folds_, [](const Fold& a, const Fold& b) { return a.first != b.first ? a.first < b.first : a.last > b.last; });
    const auto is_same_line = [](const Fold& a, const Fold& b) { return a.first == b.first; };
    folds_.erase(std::unique(folds_.begin(), folds_.end(), is_same_line), folds_.end());
    return std::move(folds_);
  }

 private:
  [[nodiscard]] std::uint32_t line(std::uint32_t offset) const { return module_.position(offset).line; }

  void add(std::uint32_t first, std::uint32_t last, Fold::Kind kind) {
    if (last > first) folds_.push_back({first, last, kind});
  }

  // The body, its scopes, and what stands behind each label up to the next one.
  void body(const Function& function) {
    const std::uint32_t end = std::min(function.body_end, module_.statement_count() - 1);
    const std::uint32_t last_line = line(module_.statement(end).span().begin);
    add(line(module_.statement(function.header).span().begin), last_line, Fold::Kind::function);
    std::vector<std::uint32_t> open;  // lines of the scopes
    std::optional<std::uint32_t> label;
    const auto close_label = [&](std::uint32_t before_line) {
      if (label && before_line > 0) add(*label, before_line - 1, Fold::Kind::block);
      label.reset();
    };
    for (std::uint32_t at = function.body_begin + 1; at < end; ++at) {
      const Statement statement = module_.statement(at);
      switch (statement.kind()) {
        case StatementKind::scope_begin:
          open.push_back(line(statement.span().begin));
          break;
        case StatementKind::scope_end:
          if (!open.empty()) {
            add(open.back(), line(statement.span().begin), Fold::Kind::scope);
            open.pop_back();
          }
          break;
        case StatementKind::label:
          // Labels inside a scope stay with it: folds must nest.
          if (open.empty()) {
            const std::uint32_t here = line(statement.span().begin);
            close_label(here);
            label = here;
          }
          break;
        default:
          break;
      }
    }
    close_label(last_line);
  }

  const Module& module_;
  std::vector<Fold> folds_;
};

std::vector<Span> find_long_comments(std::string_view text) {
  std::vector<Span> found;
  std::size_t at = 0;
  // Comments and strings hide each other's beginnings.
  while ((at = text.find_first_of("/\"", at)) != std::string_view::npos) {
    if (text[at] == '"') {
      const std::size_t end = text.find_first_of("\"\n", at + 1);
      if (end == std::string_view::npos) break;
      at = end + 1;
      continue;
    }
    const std::size_t end = end_of_comment(text, at);
    if (end == at) {
      ++at;
      continue;
    }
    if (text[at + 1] == '*' && text.substr(at, end - at).find('\n') != std::string_view::npos)
      found.push_back({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end)});
    at = end;
  }
  return found;
}

}  // namespace

Outline outline_of(const Module& module) {
  Outline outline;
  if (module.statement_count() != 0) outline.folds = FoldFinder(module).run();
  const std::string_view text = module.text();
  outline.long_comments = find_long_comments(text);
  std::size_t begin = 0;
  for (;;) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    ++outline.lines;
    outline.longest_line = std::max(outline.longest_line, static_cast<std::uint32_t>(end - begin));
    if (end == text.size()) break;
    begin = end + 1;
  }
  return outline;
}

}  // namespace ptxscope::analysis
