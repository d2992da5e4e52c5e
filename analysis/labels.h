// Labels of one function and where they are visible. A label belongs to the scope (`{ … }`) it stands in and is seen
// there and in the scopes inside; an inner one hides an outer one of the same name (PTX ISA 9.7.12.1).
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "parser/module.h"

namespace ptxscope::analysis {

/// Follows a walk over the statements of a body, in order; at each place tells what a label's name means there. The whole
/// walk is linear in the statements.
class LabelScopes {
 public:
  LabelScopes(const Module& module, const Function& function);

  /// Call for each statement after body_begin, in order, before asking about it.
  void visit(const Statement& statement) {
    const StatementKind kind = statement.kind();
    if (kind == StatementKind::scope_begin) enter();
    if (kind == StatementKind::scope_end) leave();
  }
  /// Statement of the label that `name` means here; no_index when none is visible.
  [[nodiscard]] std::uint32_t find(NameId name) const;
  /// Statement of the only label of that name in the function, visible here or not; no_index when there is none or several.
  [[nodiscard]] std::uint32_t find_hidden(NameId name) const;
  /// Labels declared again in the same scope: the second one's statement, the first one's.
  [[nodiscard]] const std::vector<std::pair<std::uint32_t, std::uint32_t>>& duplicates() const { return duplicates_; }
  [[nodiscard]] bool empty() const { return labels_.empty(); }

 private:
  struct Label {
    std::uint32_t name = 0;  // index into names_
    std::uint32_t statement = 0;
    std::uint32_t scope = 0;
  };
  struct Name {
    std::uint32_t visible = no_index;  // statement
    std::uint32_t only = no_index;     // statement, when there is just one in the function
    std::uint32_t scope = no_index;    // that declared it last
    std::uint32_t count = 0;
  };
  struct Hidden {
    std::uint32_t name;
    std::uint32_t statement;
  };
  void enter();
  void leave();
  void collect(const Module& module, const Function& function);

  std::unordered_map<std::uint32_t, std::uint32_t> name_index_;
  std::vector<Name> names_;
  std::vector<Label> labels_;                // by scope
  std::vector<std::uint32_t> scope_labels_;  // where each scope's labels begin in labels_; one more at the end
  std::vector<Hidden> hidden_;               // what the open scopes' labels hide
  std::vector<std::size_t> open_;            // size of hidden_ at the start of each open scope
  std::uint32_t next_scope_ = 0;             // scopes are numbered in the order they open; 0 is the body
  std::vector<std::pair<std::uint32_t, std::uint32_t>> duplicates_;
};

}  // namespace ptxscope::analysis
