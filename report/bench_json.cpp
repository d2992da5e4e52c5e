#include <cmath>
#include <nlohmann/json.hpp>

#include "report/bench.h"
#include "report/bench_parts.h"
#include "report/json_common.h"

namespace ptxscope::report {

namespace {

using namespace analysis;

// Six digits behind the point are less than a clock tick of any GPU, in microseconds.
Json number(double value) {
  if (!std::isfinite(value)) return nullptr;
  return std::abs(value) < 1e9 ? std::round(value * 1e6) / 1e6 : value;
}
Json number(const std::optional<double>& value) { return value ? number(*value) : Json(nullptr); }
template <typename Integer>
Json whole(const std::optional<Integer>& value) {
  return value ? Json(*value) : Json(nullptr);
}
Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : json_string(text); }

Json texts(const std::vector<std::string>& lines) {
  Json out = Json::array();
  for (const std::string& line : lines) out.push_back(json_string(line));
  return out;
}

Json subject_json(const BenchSubject& subject) {
  return {{"file", json_string(subject.file)},
          {"kernel", json_string(subject.kernel)},
          {"registers", whole(subject.registers)}};
}

Json summary_json(const Summary& summary) {
  if (summary.count == 0) return nullptr;
  Json out;
  out["median"] = number(summary.median);
  out["lowest"] = number(summary.lowest);
  out["highest"] = number(summary.highest);
  const auto& interval = summary.interval;
  out["interval"] = interval ? Json::array({number(interval->low), number(interval->high)}) : Json(nullptr);
  out["coverage"] = interval ? number(interval->coverage) : Json(nullptr);
  return out;
}

Json times_json(const BenchSize& size, const Summary& summary) {
  Json out = summary_json(summary);
  if (!out.is_null()) {
    const auto rate = bytes_per_second(size, summary);
    out["bytes_per_second"] = rate ? Json(std::round(*rate)) : Json(nullptr);
  }
  return out;
}

Json verdict_json(const BenchJudgement& judgement, const BenchRules& rules) {
  if (judgement.verdict == BenchVerdict::none) return nullptr;
  Json out;
  out["kind"] = spelling(judgement.verdict);
  out["text"] = json_string(bench_verdict(judgement, rules));
  const bool differs = judgement.verdict == BenchVerdict::slower || judgement.verdict == BenchVerdict::faster;
  out["by"] = differs ? Json::array({number(judgement.low), number(judgement.high)}) : Json(nullptr);
  out["reason"] = text_or_null(judgement.reason);
  out["pairs_needed"] = whole(judgement.pairs_needed);
  return out;
}

Json clocks_json(const std::optional<BenchClocks>& clocks) {
  if (!clocks) return nullptr;
  return {{"sm_mhz", clocks->sm_mhz}, {"memory_mhz", clocks->memory_mhz}, {"slowed_by", texts(clocks->slowed_by)}};
}

Json check_json(const BenchCheck& check) {
  const Difference& difference = check.difference;
  Json out;
  out["buffer"] = json_string(check.buffer);
  out["tolerance"] = check.tolerance;
  out["compared"] = difference.compared;
  out["different"] = difference.different;
  if (difference.different == 0) return out;
  out["first"] = difference.first;
  out["worst"] = {
      {"index", difference.worst},
      {"distance", std::isfinite(difference.worst_distance) ? Json(difference.worst_distance) : Json(nullptr)},
      {"a", json_string(difference.worst_a)},
      {"b", json_string(difference.worst_b)}};
  return out;
}

Json size_json(const BenchSize& size, bool has_b, const BenchRules& rules) {
  const BenchJudgement judgement = judge(size, has_b, rules);
  Json out;
  out["n"] = size.n;
  out["grid"] = size.grid;
  out["block"] = size.block;
  out["launches"] = size.launches;
  out["bytes"] = whole(size.bytes);
  out["empty_us"] = number(size.empty_us);
  out["a"] = times_json(size, judgement.a);
  out["b"] = times_json(size, judgement.b);
  out["ratio"] = summary_json(judgement.ratio);
  out["launch_share"] = number(judgement.launch_share);
  out["verdict"] = verdict_json(judgement, rules);
  out["clocks"] = clocks_json(size.clocks);
  out["checks"] = Json::array();
  for (const BenchCheck& check : size.checks) out["checks"].push_back(check_json(check));
  // One array a column: a document stays readable with hundreds of pairs.
  Json a = Json::array();
  Json b = Json::array();
  std::string order;
  for (const BenchPair& pair : size.pairs) {
    a.push_back(number(pair.a_us));
    if (has_b) b.push_back(number(pair.b_us));
    order += pair.b_first ? 'b' : 'a';
  }
  out["pairs"] = {{"a_us", std::move(a)}, {"b_us", std::move(b)}, {"first", order}};
  return out;
}

}  // namespace

std::string bench_json(const BenchMeasurement& measurement, const BenchRules& rules) {
  Json out;
  out["schema"] = "ptxscope.bench/1";
  out["file"] = json_string(measurement.a.file);
  out["a"] = subject_json(measurement.a);
  out["b"] = measurement.b ? subject_json(*measurement.b) : Json(nullptr);
  const BenchDevice& device = measurement.device;
  out["device"] = {{"name", json_string(device.name)},
                   {"capability", json_string(device.capability)},
                   {"multiprocessors", device.multiprocessors},
                   {"l2_bytes", device.l2_bytes}};
  out["driver"] = text_or_null(device.driver);
  out["cuda"] = text_or_null(device.cuda);
  out["arguments"] = texts(measurement.arguments);
  out["notes"] = texts(measurement.notes);
  out["grid"] = json_string(measurement.grid);
  out["block"] = json_string(measurement.block);
  out["cold"] = measurement.cold;
  out["checked"] = measurement.checked;
  out["seed"] = measurement.seed;
  out["rules"] = {{"method", "sign test"}, {"confidence", number(rules.confidence)}, {"margin", number(rules.margin)}};
  out["sizes"] = Json::array();
  for (const BenchSize& size : measurement.sizes)
    out["sizes"].push_back(size_json(size, measurement.b.has_value(), rules));
  out["stopped"] = measurement.stop
                       ? Json{{"n", measurement.stop->n}, {"message", json_string(measurement.stop->message)}}
                       : Json(nullptr);
  return dump(out);
}

}  // namespace ptxscope::report
