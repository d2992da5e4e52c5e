#include "analysis/record.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/expr_fold.h"
#include "analysis/instrument.h"
#include "analysis/run_report.h"

namespace ptxscope::analysis {
namespace {

std::uint64_t little_endian(std::span<const std::byte> bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) value = value << 8U | std::to_integer<std::uint64_t>(bytes[at + i]);
  return value;
}

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  [[nodiscard]] std::uint32_t u32(std::size_t at) const {
    return static_cast<std::uint32_t>(little_endian(bytes_, at, 4));
  }
  [[nodiscard]] std::uint64_t u64(std::size_t at) const { return little_endian(bytes_, at, 8); }
  [[nodiscard]] std::array<std::uint32_t, 3> u32x3(std::size_t at) const { return {u32(at), u32(at + 4), u32(at + 8)}; }

 private:
  std::span<const std::byte> bytes_;
};

std::optional<Record> nothing(std::string* why, std::string reason) {
  if (why != nullptr) *why = std::move(reason);
  return std::nullopt;
}

bool is_compare(ExprOp op) { return op >= ExprOp::eq && op <= ExprOp::ge_s; }

}  // namespace

std::optional<Record> decode_record(std::span<const std::byte> bytes, const Instrumented& instrumented,
                                    std::string* why) {
  if (bytes.size() < record::parameters_at + record::max_parameter_bytes)
    return nothing(why, fmt::format("a record has {} bytes, not {}", record::bytes, bytes.size()));
  const Reader reader(bytes);
  const std::uint32_t state = reader.u32(record::state_at);
  if (state == record::state_empty) return nothing(why, "nothing was recorded");
  if (state > record::state_whole) return nothing(why, fmt::format("the record's state is {}", state));
  if (const std::uint32_t version = reader.u32(record::version_at); version != record::version)
    return nothing(why, fmt::format("the record has version {}, not {}", version, record::version));
  if (reader.u32(record::module_at) != instrumented.tag)
    return nothing(why, "the record was written by another module");
  const std::uint32_t number = reader.u32(record::site_at);
  if (number == 0 || number > instrumented.sites.size())
    return nothing(why, fmt::format("the record names place {} of {}", number, instrumented.sites.size()));

  Record result;
  result.whole = state == record::state_whole;
  result.site = &instrumented.sites[number - 1];
  if (const std::uint32_t way = reader.u32(record::way_at); way != 0 && way <= result.site->ways.size())
    result.way = way - 1;
  result.grid_id = reader.u64(record::grid_id_at);
  result.ctaid = reader.u32x3(record::ctaid_at);
  result.tid = reader.u32x3(record::tid_at);
  result.nctaid = reader.u32x3(record::nctaid_at);
  result.ntid = reader.u32x3(record::ntid_at);
  if (const auto clusters = reader.u32x3(record::nclusterid_at); clusters != std::array<std::uint32_t, 3>{}) {
    result.nclusterid = clusters;
    result.clusterid = reader.u32x3(record::clusterid_at);
  }
  result.laneid = reader.u32(record::laneid_at);
  result.warpid = reader.u32(record::warpid_at);
  result.smid = reader.u32(record::smid_at);
  const std::uint32_t valid = reader.u32(record::valid_at);
  for (const RecordedValue& value : result.site->values) {
    if (value.slot >= record::max_values || (valid >> value.slot & 1U) == 0) continue;
    result.values[value.slot] = fold::mask(reader.u64(record::values_at + 8 * value.slot), value.bits);
  }
  const std::uint32_t parameters = reader.u32(record::parameter_bytes_at);
  if (parameters <= record::max_parameter_bytes) {
    const auto from = bytes.begin() + record::parameters_at;
    result.parameters.assign(from, from + parameters);
  }
  return result;
}

RecordNumbers::RecordNumbers(const Record& record, const Instrumented& instrumented,
                             std::span<const std::byte> parameters, std::uint32_t function)
    : record_(record),
      pool_(*instrumented.report.pool),
      parameters_(parameters.size() > record.parameters.size() ? parameters : record.parameters) {
  for (const KernelLayout& layout : instrumented.kernels)
    if (layout.function == (function == no_index ? record.site->function : function)) layout_ = &layout;
  if (function != no_index && function != record.site->function) return;
  ExprPool& pool = *instrumented.report.pool;
  for (const RecordedValue& value : record.site->values) {
    const auto number = record.values[value.slot];
    if (!number) continue;
    done_[static_cast<std::uint32_t>(value.expr)] = number;
    if (value.bits == 1) done_[static_cast<std::uint32_t>(pool.negate(value.expr))] = *number ^ 1U;
  }
}

std::optional<std::uint64_t> RecordNumbers::known(ExprId expr) const {
  const auto at = done_.find(static_cast<std::uint32_t>(expr));
  return at == done_.end() ? std::nullopt : at->second;
}

std::optional<std::uint64_t> RecordNumbers::operator()(ExprId expr) {
  // Operands first, without recursion. What has been entered and is met again is a loop through a phi: not known.
  std::vector<std::pair<ExprId, bool>> open{{expr, false}};
  while (!open.empty()) {
    const auto [id, ready] = open.back();
    open.pop_back();
    const auto key = static_cast<std::uint32_t>(id);
    if (ready) {
      done_[key] = computed(id);
      continue;
    }
    if (done_.contains(key)) continue;
    const Expr& e = pool_[id];
    if (e.kid_count == 0 || e.op == ExprOp::load || e.op == ExprOp::phi || e.op == ExprOp::function ||
        e.op == ExprOp::call) {
      done_[key] = leaf(id);
      continue;
    }
    done_[key] = std::nullopt;
    open.emplace_back(id, true);
    for (const ExprId kid : pool_.kids(id)) open.emplace_back(kid, false);
  }
  return known(expr);
}

std::optional<std::uint64_t> RecordNumbers::leaf(ExprId expr) const {
  const Expr& e = pool_[expr];
  if (e.op == ExprOp::constant) return e.value;
  if (e.op == ExprOp::parameter) {
    if (layout_ == nullptr || e.payload >= layout_->parameters.size() || e.bits % 8 != 0 || e.bits > 64)
      return std::nullopt;
    const ParameterBytes place = layout_->parameters[e.payload];
    const std::uint64_t size = e.bits / 8U;
    if (e.value > place.size || size > place.size - e.value || place.offset + e.value + size > parameters_.size())
      return std::nullopt;
    return little_endian(parameters_, place.offset + e.value, size);
  }
  if (e.op != ExprOp::special) return std::nullopt;
  const std::string_view name = pool_.special_name(expr);
  const auto triple = [&](std::string_view word,
                          const std::array<std::uint32_t, 3>& of) -> std::optional<std::uint64_t> {
    if (name.size() != word.size() + 2 || !name.starts_with(word) || name[word.size()] != '.') return std::nullopt;
    const char axis = name.back();
    if (axis < 'x' || axis > 'z') return std::nullopt;
    return fold::mask(of[static_cast<std::size_t>(axis - 'x')], e.bits);
  };
  for (const auto& [word, of] :
       {std::pair<std::string_view, const std::array<std::uint32_t, 3>&>{"ctaid", record_.ctaid},
        {"tid", record_.tid},
        {"nctaid", record_.nctaid},
        {"ntid", record_.ntid}}) {
    if (const auto number = triple(word, of)) return number;
  }
  if (name == "laneid") return record_.laneid;
  if (name == "warpid") return record_.warpid;
  if (name == "smid") return record_.smid;
  if (name == "gridid") return fold::mask(record_.grid_id, e.bits);
  return std::nullopt;
}

std::optional<std::uint64_t> RecordNumbers::computed(ExprId expr) const {
  const Expr& e = pool_[expr];
  const auto kid = [&](unsigned i) { return known(pool_.kid(expr, i)); };
  switch (e.op) {
    case ExprOp::zext:
      return kid(0);
    case ExprOp::sext: {
      const auto a = kid(0);
      return a ? std::optional(fold::mask(fold::sign_extend(*a, pool_[pool_.kid(expr, 0)].bits), e.bits))
               : std::nullopt;
    }
    case ExprOp::trunc: {
      const auto a = kid(0);
      return a ? std::optional(fold::mask(*a, e.bits)) : std::nullopt;
    }
    case ExprOp::select: {
      const auto chosen = kid(0);
      return chosen ? kid(*chosen != 0 ? 1 : 2) : std::nullopt;
    }
    case ExprOp::fcmp: {
      const auto a = kid(0);
      const auto b = kid(1);
      if (!a || !b) return std::nullopt;
      const auto holds = fold::float_compare(static_cast<FloatCompare>(e.value), *a, *b, e.type);
      return holds ? std::optional<std::uint64_t>(*holds ? 1 : 0) : std::nullopt;
    }
    default:
      break;
  }
  const auto a = kid(0);
  if (e.kid_count == 1) return a ? fold::unary(e.op, *a, e.bits) : std::nullopt;
  if (e.kid_count != 2) return std::nullopt;
  const auto b = kid(1);
  // One side may decide alone.
  if (e.op == ExprOp::and_ && ((a && *a == 0) || (b && *b == 0))) return 0;
  if (e.op == ExprOp::or_ && e.bits == 1 && ((a && *a == 1) || (b && *b == 1))) return 1;
  if (!a || !b) return std::nullopt;
  if (is_compare(e.op)) return fold::compare(e.op, *a, *b, pool_[pool_.kid(expr, 0)].bits) ? 1 : 0;
  return fold::binary(e.op, *a, *b, e.bits);
}

std::string_view spelling(LaunchVerdict verdict) {
  switch (verdict) {
    case LaunchVerdict::launched:
      return "launched";
    case LaunchVerdict::nothing_launched:
      return "nothing-launched";
    case LaunchVerdict::cannot_tell:
      break;
  }
  return "cannot-tell";
}

std::string_view spelling(RunOutcome outcome) {
  switch (outcome) {
    case RunOutcome::instrumented:
      return "instrumented";
    case RunOutcome::untouched:
      return "untouched";
    case RunOutcome::fell_back:
      return "fell-back";
    case RunOutcome::refused:
      return "refused";
    case RunOutcome::no_ptx:
      return "no-ptx";
  }
  return "untouched";
}

std::optional<std::uint32_t> way_taken(const Record& record, RecordNumbers& numbers) {
  if (record.way) return record.way;
  const std::vector<SiteWay>& ways = record.site->ways;
  std::vector<std::uint32_t> possible;
  std::vector<std::uint32_t> certain;
  for (std::uint32_t i = 0; i < ways.size(); ++i) {
    const auto condition = numbers(ways[i].condition);
    const auto path = numbers(ways[i].path);
    if ((condition && *condition == 0) || (path && *path == 0)) continue;
    possible.push_back(i);
    if (path) certain.push_back(i);
  }
  if (possible.size() == 1) return possible.front();
  if (certain.size() == 1) return certain.front();
  return std::nullopt;
}

}  // namespace ptxscope::analysis
