// Where control goes from item to item of a body, jumps seen through.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/diff_align.h"
#include "analysis/diff_body.h"

namespace ptxscope::analysis::diff {

/// By item, from weak to strong; none depends on which label it is.
struct Keys {
  std::vector<Key> shape;  ///< the item but for variables
  std::vector<Key> near;   ///< and what its registers come from and go to, and the target of a branch
  std::vector<Key> far;    ///< and so for these
};

class BodyFlow {
 public:
  explicit BodyFlow(const Body& body);
  /// The first item other than a jump that runs when control comes to `item`; size(): the end. A jump that leads to itself
  /// is what runs.
  [[nodiscard]] std::uint32_t resolved(std::uint32_t item) const { return resolved_[item]; }
  /// What runs after `item` when it does not branch away.
  [[nodiscard]] std::uint32_t next(std::uint32_t item) const { return resolved_[item + 1]; }
  /// What runs when its branch is taken.
  [[nodiscard]] std::uint32_t taken(std::uint32_t item) const { return resolved_[body_->target(item)]; }
  [[nodiscard]] bool reachable(std::uint32_t item) const { return reachable_[item]; }
  [[nodiscard]] const Body& body() const { return *body_; }
  [[nodiscard]] std::uint32_t size() const { return body_->size(); }
  [[nodiscard]] Goes goes(std::uint32_t item) const { return body_->items[item].goes; }
  [[nodiscard]] bool is_jump(std::uint32_t item) const { return item < size() && goes(item) == Goes::jump; }
  /// Items that control may come to from `item`, jumps not seen through. `labels` stands for every item with a label.
  template <typename Visit>
  void successors(std::uint32_t item, Visit visit) const {
    const Goes goes_to = goes(item);
    if (goes_to == Goes::jump || goes_to == Goes::branch) visit(body_->target(item));
    if (goes_to == Goes::indirect)
      for (const BodyLabel& label : body_->labels) visit(label.target);
    const bool goes_on = goes_to == Goes::on || goes_to == Goes::branch || goes_to == Goes::may_stop ||
                         (goes_to == Goes::indirect && body_->items[item].guarded);
    if (goes_on) visit(item + 1);
  }

 private:
  void resolve();
  void reach();

  const Body* body_;
  std::vector<std::uint32_t> resolved_;  // one more, for the end
  std::vector<bool> reachable_;
};

/// Aligns what control reaches at the same time: from pairs that are aligned already (and from the start) along the edges
/// of both graphs. Finds code whose blocks stand in another order.
void align_along_flow(const BodyFlow& a, const BodyFlow& b, const Keys& a_keys, const Keys& b_keys,
                      Alignment& alignment);

/// What is wrong with the flow of an alignment.
struct FlowFault {
  enum class Kind : std::uint8_t {
    pair,         ///< the aligned pair a, b goes to different places
    next,         ///< what runs after the pair is different
    jump_only_a,  ///< the jump a is missed in B
    jump_only_b,
    jumps_apart,  ///< both
  };
  Kind kind = Kind::pair;
  std::uint32_t a = no_index, b = no_index;
};

/// Every place where control goes on differently; none: corresponding items are followed by corresponding items, jumps seen
/// through. Where an item without partner is next, what follows it is looked at.
[[nodiscard]] std::vector<FlowFault> flow_faults(const BodyFlow& a, const BodyFlow& b, const Alignment& alignment);

/// Whether both places are followed by the same code, as far as it is aligned.
class Correspondence {
 public:
  Correspondence(const BodyFlow& a, const BodyFlow& b, const Alignment& alignment);
  /// Of items that control comes to (jumps seen through or not).
  [[nodiscard]] bool operator()(std::uint32_t a, std::uint32_t b) const;

 private:
  const BodyFlow* a_;
  const BodyFlow* b_;
  const Alignment* alignment_;
  std::vector<std::uint32_t> settled_a_, settled_b_;
};

}  // namespace ptxscope::analysis::diff
