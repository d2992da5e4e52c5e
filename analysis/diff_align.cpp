#include "analysis/diff_align.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace ptxscope::analysis::diff {

std::vector<std::uint32_t> longest_increasing(std::span<const std::uint32_t> values) {
  std::vector<std::uint32_t> tails;  // by length - 1: the index whose value is the smallest end
  std::vector<std::uint32_t> before(values.size(), no_index);
  for (std::uint32_t i = 0; i < values.size(); ++i) {
    const auto place =
        std::ranges::lower_bound(tails, values[i], {}, [&](std::uint32_t index) { return values[index]; });
    if (place != tails.begin()) before[i] = *(place - 1);
    if (place == tails.end()) tails.push_back(i);
    else *place = i;
  }
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = tails.empty() ? no_index : tails.back(); i != no_index; i = before[i]) out.push_back(i);
  std::ranges::reverse(out);
  return out;
}

void Aligner::align(Range a, Range b, Alignment& out) {
  std::vector<Task> work{{a, b, 0, 0}};
  while (!work.empty()) {
    const Task task = work.back();
    work.pop_back();
    split(task, out, work);
  }
}

// Common ends, then the keys that occur once on each side (the patience diff of Bram Cohen), then what lies between.
void Aligner::split(Task task, Alignment& out, std::vector<Task>& work) {
  const Level& level = levels_[task.level];
  Range a = task.a;
  Range b = task.b;
  while (!a.empty() && !b.empty() && level.a[a.begin] == level.b[b.begin]) out.join(a.begin++, b.begin++);
  while (!a.empty() && !b.empty() && level.a[a.end - 1] == level.b[b.end - 1]) out.join(--a.end, --b.end);
  if (a.empty() || b.empty()) return;
  const bool is_last = task.level + 1 == levels_.size();
  const auto next_level = [&](Range x, Range y) {
    if (is_last) shortest_edit(x, y, out);
    else work.push_back({x, y, task.level + 1, 0});
  };
  constexpr std::uint32_t most_tries = 2;  // keys unique only within a stretch make it worth while to look again
  if (task.tries == most_tries || *budget_ < a.size() + b.size()) return next_level(a, b);
  *budget_ -= a.size() + b.size();

  struct Place {
    std::uint32_t a = no_index, b = no_index;  // no_index: none; no_index - 1: several
  };
  constexpr std::uint32_t several = no_index - 1;
  std::unordered_map<Key, Place> places;
  places.reserve(a.size());
  for (std::uint32_t i = a.begin; i < a.end; ++i) {
    Place& place = places[level.a[i]];
    place.a = place.a == no_index ? i : several;
  }
  for (std::uint32_t i = b.begin; i < b.end; ++i) {
    const auto place = places.find(level.b[i]);
    if (place != places.end()) place->second.b = place->second.b == no_index ? i : several;
  }
  std::vector<std::uint32_t> in_a;
  std::vector<std::uint32_t> in_b;
  for (std::uint32_t i = a.begin; i < a.end; ++i) {
    const Place& place = places.find(level.a[i])->second;
    if (place.a != i || place.b >= several) continue;
    in_a.push_back(i);
    in_b.push_back(place.b);
  }
  const std::vector<std::uint32_t> anchors = longest_increasing(in_b);
  if (anchors.empty()) return next_level(a, b);
  Range rest_a = a;
  Range rest_b = b;
  for (const std::uint32_t anchor : anchors) {
    out.join(in_a[anchor], in_b[anchor]);
    const Range gap_a{rest_a.begin, in_a[anchor]};
    const Range gap_b{rest_b.begin, in_b[anchor]};
    if (!gap_a.empty() && !gap_b.empty()) work.push_back({gap_a, gap_b, task.level, task.tries + 1});
    rest_a.begin = in_a[anchor] + 1;
    rest_b.begin = in_b[anchor] + 1;
  }
  if (!rest_a.empty() && !rest_b.empty()) work.push_back({rest_a, rest_b, task.level, task.tries + 1});
}

// Myers, "An O(ND) difference algorithm and its variations" (1986), in linear space.
void Aligner::shortest_edit(Range whole_a, Range whole_b, Alignment& out) {
  const Level& level = levels_.back();
  std::vector<std::pair<Range, Range>> work{{whole_a, whole_b}};
  while (!work.empty()) {
    auto [a, b] = work.back();
    work.pop_back();
    while (!a.empty() && !b.empty() && level.a[a.begin] == level.b[b.begin]) out.join(a.begin++, b.begin++);
    while (!a.empty() && !b.empty() && level.a[a.end - 1] == level.b[b.end - 1]) out.join(--a.end, --b.end);
    if (a.empty() || b.empty()) continue;
    const Snake snake = middle(a, b);
    if (!snake.found) {
      coarse_.push_back({a, b});
      continue;
    }
    // Not split: nothing is common.
    if ((snake.a == a.begin && snake.b == b.begin) || (snake.a == a.end && snake.b == b.end)) continue;
    work.push_back({{snake.a, a.end}, {snake.b, b.end}});
    work.push_back({{a.begin, snake.a}, {b.begin, snake.b}});
  }
}

// A point on a shortest path, or, where that is too far to seek, on one that got furthest.
Aligner::Snake Aligner::middle(Range a, Range b) {
  const Level& level = levels_.back();
  const auto n = static_cast<std::int64_t>(a.size());
  const auto m = static_cast<std::int64_t>(b.size());
  const std::int64_t delta = n - m;
  const bool odd = (delta & 1) != 0;
  const auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(n + m)));
  const std::int64_t limit = std::min((n + m + 1) / 2, std::max<std::int64_t>(256, root));
  const std::int64_t offset = limit + 1;
  forward_.assign(static_cast<std::size_t>(2 * limit + 3), -1);
  backward_.assign(static_cast<std::size_t>(2 * limit + 3), -1);
  const auto at = [&](std::vector<std::int64_t>& of, std::int64_t k) -> std::int64_t& {
    return of[static_cast<std::size_t>(k + offset)];
  };
  const auto equal = [&](std::int64_t x, std::int64_t y) {
    return level.a[a.begin + static_cast<std::uint32_t>(x)] == level.b[b.begin + static_cast<std::uint32_t>(y)];
  };
  const auto snake = [&](std::int64_t x, std::int64_t y) {
    return Snake{a.begin + static_cast<std::uint32_t>(x), b.begin + static_cast<std::uint32_t>(y), true};
  };
  at(forward_, 1) = 0;
  at(backward_, 1) = 0;
  for (std::int64_t d = 0; d <= limit; ++d) {
    const std::uint64_t cost = 2 * static_cast<std::uint64_t>(d + 1);
    if (*budget_ < cost) return {};
    *budget_ -= cost;
    for (std::int64_t k = -d; k <= d; k += 2) {
      std::int64_t x = k == -d || (k != d && at(forward_, k - 1) < at(forward_, k + 1)) ? at(forward_, k + 1)
                                                                                        : at(forward_, k - 1) + 1;
      std::int64_t y = x - k;
      if (x > n || y > m || x < 0 || y < 0) {
        at(forward_, k) = -1;  // left the rectangle: never to come back
        continue;
      }
      while (x < n && y < m && equal(x, y)) ++x, ++y;
      at(forward_, k) = x;
      const std::int64_t other = delta - k;
      if (odd && other >= -(d - 1) && other <= d - 1 && x + at(backward_, other) >= n) return snake(x, y);
    }
    for (std::int64_t k = -d; k <= d; k += 2) {
      std::int64_t x = k == -d || (k != d && at(backward_, k - 1) < at(backward_, k + 1)) ? at(backward_, k + 1)
                                                                                          : at(backward_, k - 1) + 1;
      std::int64_t y = x - k;
      if (x > n || y > m || x < 0 || y < 0) {
        at(backward_, k) = -1;
        continue;
      }
      while (x < n && y < m && equal(n - 1 - x, m - 1 - y)) ++x, ++y;
      at(backward_, k) = x;
      const std::int64_t other = delta - k;
      if (!odd && other >= -d && other <= d && x + at(forward_, other) >= n) return snake(n - x, m - y);
    }
  }
  // Too far apart: go on from where one of the two got furthest.
  std::int64_t best = 0;
  Snake furthest{};
  for (std::int64_t k = -limit; k <= limit; ++k) {
    const std::int64_t x = at(forward_, k);
    if (x >= 0 && x <= n && x - k >= 0 && x - k <= m && x + x - k > best) {
      best = x + x - k;
      furthest = snake(x, x - k);
    }
    const std::int64_t u = at(backward_, k);
    if (u >= 0 && u <= n && u - k >= 0 && u - k <= m && u + u - k > best) {
      best = u + u - k;
      furthest = snake(n - u, m - (u - k));
    }
  }
  return furthest;
}

}  // namespace ptxscope::analysis::diff
