#include "analysis/diff_slide.h"

#include <algorithm>

#include "analysis/diff_mapping.h"

namespace ptxscope::analysis::diff {

namespace {

// A run of items without partner on one side (`gap`), and how far it can be moved. `at`: the other side's place.
struct Window {
  bool gap_in_a = true;
  std::uint32_t begin = 0, end = 0, at = 0;
  std::uint32_t up = 0, down = 0;
};

class GapSlider {
 public:
  GapSlider(const Body& a, const Body& b, std::span<const Key> a_keys, std::span<const Key> b_keys,
            Alignment& alignment)
      : a_(a), b_(b), a_keys_(a_keys), b_keys_(b_keys), alignment_(alignment) {}

  void run() {
    find(true);
    find(false);
    if (windows_.empty()) return;
    const Variables variables_a(a_);
    const Variables variables_b(b_);
    std::vector<bool> is_open(a_.size(), false);
    for (const Window& window : windows_) {
      const std::uint32_t first = window.gap_in_a ? window.begin : window.at;
      const std::uint32_t last = window.gap_in_a ? window.end : window.at;
      std::fill(is_open.begin() + (first - window.up), is_open.begin() + (last + window.down), true);
    }
    std::vector<Vote> votes;
    for (std::uint32_t i = 0; i < a_.size(); ++i) {
      const std::uint32_t j = alignment_.a_to_b[i];
      if (is_open[i] || j == no_index || !same_shape(a_, b_, i, j)) continue;
      const std::uint32_t first_a = a_.items[i].first_token;
      const std::uint32_t first_b = b_.items[j].first_token;
      for (std::uint32_t t = 0; t < a_.tokens_of(i).size(); ++t)
        if (variables_a.of(first_a + t) != no_index)
          votes.push_back({variables_a.of(first_a + t), variables_b.of(first_b + t)});
    }
    const Mapping mapping = elect(variables_a, variables_b, votes);
    for (const Window& window : windows_) place(window, variables_a, variables_b, mapping);
  }

 private:
  static constexpr std::uint32_t furthest = 512;

  void find(bool in_a) {
    const std::vector<std::uint32_t>& partners = in_a ? alignment_.a_to_b : alignment_.b_to_a;
    const std::span<const Key> keys = in_a ? a_keys_ : b_keys_;
    const std::span<const Key> other = in_a ? b_keys_ : a_keys_;
    const auto count = static_cast<std::uint32_t>(partners.size());
    for (std::uint32_t i = 0; i < count; ++i) {
      if (partners[i] != no_index) continue;
      Window window{in_a, i, i, 0, 0, 0};
      while (window.end < count && partners[window.end] == no_index) ++window.end;
      i = window.end - 1;
      window.at = window.begin == 0 ? 0 : partners[window.begin - 1] + 1;
      // Nothing without partner on the other side.
      const std::uint32_t after = window.end == count ? static_cast<std::uint32_t>(other.size()) : partners[window.end];
      if (after != window.at) continue;
      while (window.up < furthest && window.begin > window.up &&
             partners[window.begin - 1 - window.up] == window.at - 1 - window.up &&
             keys[window.end - 1 - window.up] == other[window.at - 1 - window.up])
        ++window.up;
      while (window.down < furthest && window.end + window.down < count &&
             partners[window.end + window.down] == window.at + window.down &&
             keys[window.begin + window.down] == other[window.at + window.down])
        ++window.down;
      if (window.up + window.down > 0) windows_.push_back(window);
    }
  }

  int score(const Window& window, std::uint32_t item, std::uint32_t partner, const Variables& va, const Variables& vb,
            const Mapping& mapping) const {
    const std::uint32_t i = window.gap_in_a ? item : partner;
    const std::uint32_t j = window.gap_in_a ? partner : item;
    int sum = 0;
    const std::uint32_t first_a = a_.items[i].first_token;
    const std::uint32_t first_b = b_.items[j].first_token;
    const std::size_t count = std::min(a_.tokens_of(i).size(), b_.tokens_of(j).size());
    for (std::uint32_t t = 0; t < count; ++t) {
      const std::uint32_t x = va.of(first_a + t);
      const std::uint32_t y = vb.of(first_b + t);
      if (x == no_index || y == no_index) continue;
      if (mapping.agrees(x, y)) sum += 4;
      else if (!mapping.open(x, y)) sum -= 4;
    }
    const bool same_text =
        a_.module->statement(a_.items[i].statement).text() == b_.module->statement(b_.items[j].statement).text();
    return sum + (same_text ? 1 : 0);
  }

  // Another gap that was moved may have taken a part of it.
  bool is_untouched(const Window& window) const {
    const std::vector<std::uint32_t>& partners = window.gap_in_a ? alignment_.a_to_b : alignment_.b_to_a;
    for (std::uint32_t k = 1; k <= window.up; ++k)
      if (partners[window.begin - k] != window.at - k) return false;
    for (std::uint32_t k = 0; k < window.down; ++k)
      if (partners[window.end + k] != window.at + k) return false;
    return true;
  }

  void place(const Window& window, const Variables& va, const Variables& vb, const Mapping& mapping) {
    if (!is_untouched(window)) return;
    const std::uint32_t length = window.end - window.begin;
    const std::uint32_t first = window.begin - window.up;  // of the window, on the side with the gap
    const std::uint32_t partner = window.at - window.up;   // and on the other
    const std::uint32_t steps = window.up + window.down;
    int sum = 0;
    for (std::uint32_t k = 0; k < steps; ++k) sum += score(window, first + length + k, partner + k, va, vb, mapping);
    int best_sum = sum;
    std::uint32_t best = 0;
    for (std::uint32_t k = 0; k < steps; ++k) {
      sum += score(window, first + k, partner + k, va, vb, mapping);
      sum -= score(window, first + length + k, partner + k, va, vb, mapping);
      // As good: the place the aligner chose.
      if (sum > best_sum || (sum == best_sum && k + 1 <= window.up)) {
        best_sum = sum;
        best = k + 1;
      }
    }
    const auto join = [&](std::uint32_t item, std::uint32_t other) {
      if (window.gap_in_a) alignment_.join(item, other);
      else alignment_.join(other, item);
    };
    std::vector<std::uint32_t>& partners = window.gap_in_a ? alignment_.a_to_b : alignment_.b_to_a;
    for (std::uint32_t k = 0; k < steps + length; ++k) partners[first + k] = no_index;
    for (std::uint32_t k = 0; k < steps; ++k) join(k < best ? first + k : first + length + k, partner + k);
  }

  const Body& a_;
  const Body& b_;
  std::span<const Key> a_keys_, b_keys_;
  Alignment& alignment_;
  std::vector<Window> windows_;
};

}  // namespace

void slide_gaps(const Body& a, const Body& b, std::span<const Key> a_keys, std::span<const Key> b_keys,
                Alignment& alignment) {
  GapSlider(a, b, a_keys, b_keys, alignment).run();
}

}  // namespace ptxscope::analysis::diff
