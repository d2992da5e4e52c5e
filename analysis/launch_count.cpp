// Counting the threads that meet a condition: whole boxes by their ranges, what is left thread by thread in arrays.
#include <algorithm>
#include <bit>

#include "analysis/expr_fold.h"
#include "analysis/launch_program.h"

namespace ptxscope::analysis::launch {
namespace {

// Threads evaluated at a time: as many as keep the arrays of all nodes within the cache, or at least within memory.
constexpr std::size_t most_lanes = 512;
constexpr std::size_t least_lanes = 16;
constexpr std::size_t most_values = std::size_t{1} << 20;
// Boxes are split until they are small in threads, and for large conditions in work too: a range costs no more than a
// few threads do, and mostly settles the larger half of the box.
constexpr std::uint64_t batch_threads = 4096;
constexpr std::uint64_t batch_operations = std::uint64_t{1} << 16;
constexpr std::uint64_t least_threads = 64;
// What the range of one node costs, in operations on one thread.
constexpr std::uint64_t range_cost = 16;

constexpr std::uint64_t all_known = ~std::uint64_t{0};

std::uint64_t saturating_multiply(std::uint64_t a, std::uint64_t b) {
  return a != 0 && b > ~std::uint64_t{0} / a ? ~std::uint64_t{0} : a * b;
}
void saturating_add(std::uint64_t& sum, std::uint64_t more) { sum = more > ~sum ? ~std::uint64_t{0} : sum + more; }

std::uint64_t volume(const Box& box) {
  std::uint64_t all = 1;
  for (const std::uint32_t n : box.count) all = saturating_multiply(all, n);
  return all;
}

Coordinates thread_at(const Box& box, std::uint64_t index) {
  Coordinates place{};
  for (unsigned d = dimensions; d-- > 0;) {
    place[d] = box.low[d] + static_cast<std::uint32_t>(index % box.count[d]);
    index /= box.count[d];
  }
  return place;
}

// A condition as far as it is open within some box, with what its nodes can be there.
struct Part {
  std::vector<Node> nodes;
  std::vector<Range> ranges;
};

// The operand that says the same as the node, where the other ones are settled.
std::optional<Slot> equivalent(const Node& node, const std::vector<Range>& ranges) {
  if (node.op == ExprOp::select) {
    const Range& condition = ranges[node.kids[0]];
    if (condition.single()) return node.kids[condition.low != 0 ? 1 : 2];
  } else if (node.bits == 1 && (node.op == ExprOp::and_ || node.op == ExprOp::or_)) {
    const std::uint64_t neutral = node.op == ExprOp::and_ ? 1 : 0;
    for (unsigned i = 0; i < 2; ++i) {
      const Range& kid = ranges[node.kids[i]];
      if (kid.single() && kid.low == neutral) return node.kids[1 - i];
    }
  }
  return std::nullopt;
}

// What of `nodes` is still needed where they have these ranges. What is settled becomes a constant, or unknown.
Part open_part(const std::vector<Node>& nodes, const std::vector<Range>& ranges) {
  std::vector<Slot> place(nodes.size());
  std::vector<bool> needed(nodes.size(), false);
  needed.back() = true;
  for (std::size_t i = nodes.size(); i-- > 0;) {
    if (!needed[i] || ranges[i].decided()) continue;
    if (const auto other = equivalent(nodes[i], ranges)) {
      needed[*other] = true;
      continue;
    }
    for (unsigned k = 0; k < nodes[i].kid_count; ++k) needed[nodes[i].kids[k]] = true;
  }
  Part part;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!needed[i]) continue;
    Node node = nodes[i];
    if (ranges[i].decided()) {
      node.op = ranges[i].always_unknown() ? ExprOp::unknown : ExprOp::constant;
      node.value = ranges[i].low;
      node.kid_count = 0;
    } else if (const auto other = equivalent(node, ranges)) {
      place[i] = place[*other];
      continue;
    }
    for (unsigned k = 0; k < node.kid_count; ++k) node.kids[k] = place[node.kids[k]];
    place[i] = static_cast<Slot>(part.nodes.size());
    part.nodes.push_back(node);
    part.ranges.push_back(ranges[i]);
  }
  return part;
}

class Counter {
 public:
  Counter(std::uint64_t& work, const std::atomic<bool>* stop) : work_(work), stop_(stop) {}

  Tally run(const std::vector<Node>& nodes, const Box& whole) {
    visit(nodes, whole, 1);
    return tally_;
  }

 private:
  void visit(const std::vector<Node>& nodes, Box box, std::uint64_t times) {
    if (!charge(nodes.size() * range_cost)) return;
    std::vector<Range> ranges;
    evaluate(nodes, box, ranges);
    const Range answer = ranges.back();
    if (answer.decided()) {
      const std::uint64_t threads = saturating_multiply(volume(box), times);
      if (answer.always_unknown()) {
        add_undecided(threads, box.low);
      } else if (answer.low == 1) {
        add_met(threads, box.low);
      }
      return;
    }
    for (unsigned d = 0; d < dimensions; ++d) {
      if (box.count[d] == 1 || ((answer.depends >> d) & 1U) != 0) continue;
      times = saturating_multiply(times, box.count[d]);
      box.count[d] = 1;
    }
    const Part part = open_part(nodes, ranges);
    ranges = {};
    const std::uint64_t threads = volume(box);
    const bool small = threads <= batch_threads && threads * part.nodes.size() <= batch_operations;
    if (small || threads <= least_threads) {
      evaluate_threads(part, box, times);
      return;
    }
    unsigned outermost = 0;
    while (box.count[outermost] == 1) ++outermost;
    Box lower = box;
    lower.count[outermost] /= 2;
    Box upper = box;
    upper.low[outermost] += lower.count[outermost];
    upper.count[outermost] -= lower.count[outermost];
    visit(part.nodes, lower, times);
    visit(part.nodes, upper, times);
  }

  bool charge(std::uint64_t operations) {
    const bool stopped = stop_ != nullptr && stop_->load(std::memory_order_relaxed);
    if (stopped || work_ < operations) {
      tally_.gave_up = true;
      work_ = 0;
      return false;
    }
    work_ -= operations;
    return true;
  }

  void add_met(std::uint64_t threads, const Coordinates& first) {
    saturating_add(tally_.met, threads);
    if (!tally_.first_met) tally_.first_met = first;
  }
  void add_undecided(std::uint64_t threads, const Coordinates& first) {
    saturating_add(tally_.undecided, threads);
    if (!tally_.first_undecided) tally_.first_undecided = first;
  }

  void evaluate_threads(const Part& part, const Box& box, std::uint64_t times) {
    nodes_ = part.nodes;
    ranges_ = part.ranges;
    const std::size_t size = nodes_.size();
    const std::uint64_t all = volume(box);
    if (!charge(size * all)) return;
    const std::size_t lanes = std::clamp(most_values / size, least_lanes, most_lanes);
    storage_.resize(2 * lanes * size);
    arrays_.resize(size);
    for (Slot slot = 0; slot < size; ++slot) {
      std::uint64_t* start = storage_.data() + 2 * lanes * slot;
      arrays_[slot] = {start, start + lanes};
      // The same for all threads of the box.
      const Range& range = ranges_[slot];
      if (!range.decided()) continue;
      std::fill_n(arrays_[slot].value, lanes, range.may_be_known ? range.low : 0);
      std::fill_n(arrays_[slot].known, lanes, range.may_be_unknown ? 0 : all_known);
    }
    for (std::uint64_t begin = 0; begin < all; begin += lanes) {
      const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(lanes, all - begin));
      for (Slot slot = 0; slot < size; ++slot) {
        if (!ranges_[slot].decided()) compute(slot, box, begin, n);
      }
      collect(box, begin, n, times);
    }
  }

  void collect(const Box& box, std::uint64_t begin, std::size_t n, std::uint64_t times) {
    const Arrays& answer = arrays_.back();
    std::uint64_t met = 0;
    for (std::size_t i = 0; i < n; ++i) met += answer.value[i];
    if (met != 0) {
      std::size_t first = 0;
      while (!tally_.first_met && answer.value[first] == 0) ++first;
      add_met(saturating_multiply(met, times), thread_at(box, begin + first));
    }
    if (!ranges_.back().may_be_unknown) return;
    std::uint64_t undecided = 0;
    for (std::size_t i = 0; i < n; ++i) undecided += answer.known[i] == 0 ? 1U : 0U;
    if (undecided != 0) {
      std::size_t first = 0;
      while (!tally_.first_undecided && answer.known[first] != 0) ++first;
      add_undecided(saturating_multiply(undecided, times), thread_at(box, begin + first));
    }
  }

  void coordinates(Slot slot, unsigned dimension, const Box& box, std::uint64_t begin, std::size_t n) {
    std::uint64_t stride = 1;
    for (unsigned d = dimension + 1; d < dimensions; ++d) stride *= box.count[d];
    const std::uint64_t low = box.low[dimension];
    const std::uint64_t count = box.count[dimension];
    std::uint64_t* out = arrays_[slot].value;
    std::uint64_t value = (begin / stride) % count;
    if (stride == 1) {
      for (std::size_t i = 0; i < n;) {
        const std::size_t run = std::min<std::size_t>(n - i, static_cast<std::size_t>(count - value));
        for (std::size_t k = 0; k < run; ++k) out[i + k] = low + value + k;
        i += run;
        value = 0;
      }
      return;
    }
    std::uint64_t left = stride - begin % stride;
    for (std::size_t i = 0; i < n;) {
      const auto run = static_cast<std::size_t>(std::min<std::uint64_t>(n - i, left));
      std::fill(out + i, out + i + run, low + value);
      i += run;
      value = value + 1 == count ? 0 : value + 1;
      left = stride;
    }
  }

  void compute(Slot slot, const Box& box, std::uint64_t begin, std::size_t n);
  void compute_known(Slot slot, std::size_t n);
  void compute_logical(Slot slot, std::size_t n);

  // Values of one node, and beside them where they are known (all ones; value 0 where not). The latter only means
  // something when the node's range says that it may be unknown.
  struct Arrays {
    std::uint64_t* value = nullptr;
    std::uint64_t* known = nullptr;
  };

  std::uint64_t& work_;
  const std::atomic<bool>* stop_;
  // Of the part that is evaluated thread by thread.
  std::span<const Node> nodes_;
  std::span<const Range> ranges_;
  std::vector<Arrays> arrays_;
  std::vector<std::uint64_t> storage_;
  Tally tally_;
};

// Three-valued `and` and `or` (Kleene): one side may decide alone.
void Counter::compute_logical(Slot slot, std::size_t n) {
  const Node& node = nodes_[slot];
  const auto known = [&](Slot kid, std::size_t i) {
    return ranges_[kid].may_be_unknown ? arrays_[kid].known[i] : all_known;
  };
  const std::uint64_t* a = arrays_[node.kids[0]].value;
  const std::uint64_t* b = arrays_[node.kids[1]].value;
  std::uint64_t* out = arrays_[slot].value;
  const bool is_and = node.op == ExprOp::and_;
  if (is_and) {
    for (std::size_t i = 0; i < n; ++i) out[i] = a[i] & b[i];
  } else {
    for (std::size_t i = 0; i < n; ++i) out[i] = a[i] | b[i];
  }
  if (!ranges_[slot].may_be_unknown) return;
  std::uint64_t* out_known = arrays_[slot].known;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t ka = known(node.kids[0], i);
    const std::uint64_t kb = known(node.kids[1], i);
    // 0 - 1 is all ones. A value that is not known is 0, so "yes" needs no look at the mask.
    const std::uint64_t alone = is_and ? (ka & ~(0 - a[i])) | (kb & ~(0 - b[i])) : (0 - a[i]) | (0 - b[i]);
    out_known[i] = (ka & kb) | alone;
  }
}

void Counter::compute_known(Slot slot, std::size_t n) {
  const Node& node = nodes_[slot];
  std::uint64_t* out = arrays_[slot].value;
  std::uint64_t* out_known = arrays_[slot].known;
  const auto known = [&](unsigned k, std::size_t i) {
    return ranges_[node.kids[k]].may_be_unknown ? arrays_[node.kids[k]].known[i] : all_known;
  };
  if (node.op == ExprOp::select) {
    const std::uint64_t* condition = arrays_[node.kids[0]].value;
    for (std::size_t i = 0; i < n; ++i) out_known[i] = known(0, i) & (condition[i] != 0 ? known(1, i) : known(2, i));
  } else if (node.kid_count == 1) {
    for (std::size_t i = 0; i < n; ++i) out_known[i] = known(0, i);
  } else {
    for (std::size_t i = 0; i < n; ++i) out_known[i] = known(0, i) & known(1, i);
    const bool divides =
        node.op == ExprOp::div_u || node.op == ExprOp::div_s || node.op == ExprOp::rem_u || node.op == ExprOp::rem_s;
    const std::uint64_t* b = arrays_[node.kids[1]].value;
    // PTX ISA 9.7.1.8: the result of a division by zero is not specified.
    for (std::size_t i = 0; divides && i < n; ++i) out_known[i] = b[i] == 0 ? 0 : out_known[i];
    const bool comparable = node.op != ExprOp::fcmp || node.type == Type::f32 || node.type == Type::f64;
    if (!comparable) std::fill(out_known, out_known + n, 0);
  }
  for (std::size_t i = 0; i < n; ++i) out[i] &= out_known[i];
}

void Counter::compute(Slot slot, const Box& box, std::uint64_t begin, std::size_t n) {
  const Node& node = nodes_[slot];
  if (node.op == ExprOp::special) {
    coordinates(slot, static_cast<unsigned>(node.value), box, begin, n);
    return;
  }
  if (node.bits == 1 && (node.op == ExprOp::and_ || node.op == ExprOp::or_)) {
    compute_logical(slot, n);
    return;
  }
  const std::uint64_t* a = arrays_[node.kids[0]].value;
  const std::uint64_t* b = node.kid_count > 1 ? arrays_[node.kids[1]].value : a;
  const std::uint64_t* c = node.kid_count > 2 ? arrays_[node.kids[2]].value : a;
  std::uint64_t* out = arrays_[slot].value;
  const std::uint64_t mask = fold::mask(~0ULL, node.bits);
  const std::uint64_t sign = 1ULL << (node.kid_bits - 1);
  const auto each = [&](auto operation) {
    for (std::size_t i = 0; i < n; ++i) out[i] = operation(a[i], b[i]);
  };
  using U = std::uint64_t;
  switch (node.op) {
    case ExprOp::add:
      each([mask](U x, U y) { return (x + y) & mask; });
      break;
    case ExprOp::sub:
      each([mask](U x, U y) { return (x - y) & mask; });
      break;
    case ExprOp::mul:
      each([mask](U x, U y) { return (x * y) & mask; });
      break;
    case ExprOp::neg:
      each([mask](U x, U) { return (0 - x) & mask; });
      break;
    case ExprOp::not_:
      each([mask](U x, U) { return ~x & mask; });
      break;
    case ExprOp::and_:
      each([](U x, U y) { return x & y; });
      break;
    case ExprOp::or_:
      each([](U x, U y) { return x | y; });
      break;
    case ExprOp::xor_:
      each([](U x, U y) { return x ^ y; });
      break;
    case ExprOp::zext:
      each([](U x, U) { return x; });
      break;
    case ExprOp::trunc:
      each([mask](U x, U) { return x & mask; });
      break;
    case ExprOp::sext:
      each([mask, sign](U x, U) { return ((x ^ sign) - sign) & mask; });
      break;
    case ExprOp::eq:
      each([](U x, U y) { return U{x == y}; });
      break;
    case ExprOp::ne:
      each([](U x, U y) { return U{x != y}; });
      break;
    case ExprOp::lt_u:
      each([](U x, U y) { return U{x < y}; });
      break;
    case ExprOp::le_u:
      each([](U x, U y) { return U{x <= y}; });
      break;
    case ExprOp::gt_u:
      each([](U x, U y) { return U{x > y}; });
      break;
    case ExprOp::ge_u:
      each([](U x, U y) { return U{x >= y}; });
      break;
    // With the sign bit turned over, signed numbers stand in the order of unsigned ones.
    case ExprOp::lt_s:
      each([sign](U x, U y) { return U{(x ^ sign) < (y ^ sign)}; });
      break;
    case ExprOp::le_s:
      each([sign](U x, U y) { return U{(x ^ sign) <= (y ^ sign)}; });
      break;
    case ExprOp::gt_s:
      each([sign](U x, U y) { return U{(x ^ sign) > (y ^ sign)}; });
      break;
    case ExprOp::ge_s:
      each([sign](U x, U y) { return U{(x ^ sign) >= (y ^ sign)}; });
      break;
    case ExprOp::min_u:
      each([](U x, U y) { return x < y ? x : y; });
      break;
    case ExprOp::max_u:
      each([](U x, U y) { return x > y ? x : y; });
      break;
    // By zero: not known, see compute_known().
    case ExprOp::div_u:
      each([](U x, U y) { return y == 0 ? 0 : x / y; });
      break;
    case ExprOp::rem_u:
      each([](U x, U y) { return y == 0 ? 0 : x % y; });
      break;
    case ExprOp::shr_u:
      each([](U x, U y) { return y > 63 ? 0 : x >> y; });
      break;
    case ExprOp::shl:
      each([mask](U x, U y) { return y > 63 ? 0 : (x << y) & mask; });
      break;
    case ExprOp::select:
      for (std::size_t i = 0; i < n; ++i) out[i] = a[i] != 0 ? b[i] : c[i];
      break;
    case ExprOp::fcmp: {
      const auto op = static_cast<FloatCompare>(node.value);
      each([&](U x, U y) { return U{fold::float_compare(op, x, y, node.type).value_or(false)}; });
      break;
    }
    default:
      if (node.kid_count == 1) {
        each([&](U x, U) { return fold::unary(node.op, x, node.bits).value_or(0); });
      } else {
        each([&](U x, U y) { return fold::binary(node.op, x, y, node.bits).value_or(0); });
      }
      break;
  }
  if (ranges_[slot].may_be_unknown) compute_known(slot, n);
}

}  // namespace

Tally count(const Program& program, Slot root, std::uint64_t& work, const std::atomic<bool>* stop) {
  return Counter(work, stop).run(program.extract(root), program.environment().whole());
}

}  // namespace ptxscope::analysis::launch
