#include "analysis/labels.h"

#include <algorithm>

namespace ptxscope::analysis {

LabelScopes::LabelScopes(const Module& module, const Function& function) {
  collect(module, function);
  enter();  // the body itself
}

void LabelScopes::collect(const Module& module, const Function& function) {
  std::vector<std::uint32_t> open{0};
  std::uint32_t scopes = 1;
  const std::uint32_t end = std::min(function.body_end, module.statement_count());
  for (std::uint32_t i = function.body_begin + 1; i < end; ++i) {
    const Statement statement = module.statement(i);
    switch (statement.kind()) {
      case StatementKind::scope_begin:
        open.push_back(scopes++);
        break;
      case StatementKind::scope_end:
        if (open.size() > 1) open.pop_back();
        break;
      case StatementKind::label: {
        const auto [entry, is_new] = name_index_.try_emplace(static_cast<std::uint32_t>(statement.label()),
                                                             static_cast<std::uint32_t>(names_.size()));
        if (is_new) names_.emplace_back();
        Name& name = names_[entry->second];
        name.only = ++name.count == 1 ? i : no_index;
        labels_.push_back({entry->second, i, open.back()});
        break;
      }
      default:
        break;
    }
  }
  std::ranges::stable_sort(labels_, {}, &Label::scope);
  scope_labels_.assign(scopes + 1U, 0);
  for (const Label& label : labels_) ++scope_labels_[label.scope + 1U];
  for (std::size_t i = 1; i < scope_labels_.size(); ++i) scope_labels_[i] += scope_labels_[i - 1];
}

void LabelScopes::enter() {
  open_.push_back(hidden_.size());
  const std::uint32_t scope = next_scope_++;
  if (scope + 1U >= scope_labels_.size()) return;
  for (std::uint32_t i = scope_labels_[scope]; i < scope_labels_[scope + 1U]; ++i) {
    const Label& label = labels_[i];
    Name& name = names_[label.name];
    // The first of several in one scope counts.
    if (name.scope == scope) {
      duplicates_.emplace_back(label.statement, name.visible);
      continue;
    }
    name.scope = scope;
    hidden_.push_back({label.name, name.visible});
    name.visible = label.statement;
  }
}

void LabelScopes::leave() {
  if (open_.size() <= 1) return;
  while (hidden_.size() > open_.back()) {
    names_[hidden_.back().name].visible = hidden_.back().statement;
    hidden_.pop_back();
  }
  open_.pop_back();
}

std::uint32_t LabelScopes::find(NameId name) const {
  const auto found = name_index_.find(static_cast<std::uint32_t>(name));
  return found == name_index_.end() ? no_index : names_[found->second].visible;
}

std::uint32_t LabelScopes::find_hidden(NameId name) const {
  const auto found = name_index_.find(static_cast<std::uint32_t>(name));
  return found == name_index_.end() ? no_index : names_[found->second].only;
}

}  // namespace ptxscope::analysis
