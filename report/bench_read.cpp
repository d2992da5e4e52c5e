// Reads a `ptxscope.bench/1` document, which anyone may have written.
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/bench.h"
#include "report/json_common.h"

namespace ptxscope::report {

namespace {

using namespace analysis;

constexpr std::size_t most_bytes = std::size_t{64} << 20;
constexpr std::size_t most_sizes = 4096;
constexpr std::size_t most_pairs = 1'000'000;
constexpr std::size_t most_texts = 1000;

/// One value of the document with its place, for messages. Each getter reports the first thing wrong and then gives
/// an empty value.
class Value {
 public:
  Value(const Json& json, std::string place, std::string& error)
      : json_(&json), place_(std::move(place)), error_(&error) {}

  [[nodiscard]] bool is_null() const { return json_->is_null(); }
  [[nodiscard]] Value operator[](const char* name) const {
    static const Json none;
    const std::string place = place_.empty() ? name : place_ + "." + name;
    if (!json_->is_object()) {
      fail("an object is expected");
      return {none, place, *error_};
    }
    const auto found = json_->find(name);
    return {found == json_->end() ? none : *found, place, *error_};
  }
  [[nodiscard]] std::string text() const {
    if (is_null()) return {};
    if (json_->is_string()) return json_->get<std::string>();
    fail("a string is expected");
    return {};
  }
  [[nodiscard]] bool flag() const {
    if (is_null()) return false;
    if (json_->is_boolean()) return json_->get<bool>();
    fail("true or false is expected");
    return false;
  }
  [[nodiscard]] std::uint64_t whole() const {
    if (is_null()) return 0;
    if (json_->is_number_unsigned()) return json_->get<std::uint64_t>();
    fail("a whole number is expected");
    return 0;
  }
  /// Not left out either.
  [[nodiscard]] std::uint64_t whole_from(std::uint64_t least) const {
    const std::uint64_t value = whole();
    if (is_null() || value < least) fail("a whole number from " + std::to_string(least) + " on is expected");
    return value;
  }
  [[nodiscard]] std::optional<std::uint64_t> whole_or_none() const {
    return is_null() ? std::nullopt : std::optional(whole());
  }
  /// Not negative.
  [[nodiscard]] double number() const {
    const double value = json_->is_number() ? json_->get<double>() : -1;
    if (std::isfinite(value) && value >= 0) return value;
    fail("a number that is not negative is expected");
    return 0;
  }
  [[nodiscard]] std::vector<Value> list(std::size_t most) const {
    std::vector<Value> out;
    if (is_null()) return out;
    if (!json_->is_array() || json_->size() > most) {
      fail("a list of at most " + std::to_string(most) + " is expected");
      return out;
    }
    out.reserve(json_->size());
    for (const Json& one : *json_) out.emplace_back(one, place_ + "[" + std::to_string(out.size()) + "]", *error_);
    return out;
  }
  [[nodiscard]] std::vector<std::string> texts() const {
    std::vector<std::string> out;
    for (const Value& one : list(most_texts)) out.push_back(one.text());
    return out;
  }
  void fail(std::string_view what) const {
    if (error_->empty()) *error_ = place_ + ": " + std::string(what);
  }

 private:
  const Json* json_;
  std::string place_;
  std::string* error_;
};

BenchSubject subject_of(const Value& value) {
  return {value["file"].text(), value["kernel"].text(), value["registers"].whole_or_none()};
}

std::array<std::uint32_t, 3> extents_of(const Value& value) {
  std::array<std::uint32_t, 3> out{1, 1, 1};
  std::size_t axis = 0;
  for (const Value& one : value.list(3)) {
    const std::uint64_t size = one.whole();
    if (size > UINT32_MAX) one.fail("a number of 32 bits is expected");
    out[axis++] = static_cast<std::uint32_t>(size);
  }
  return out;
}

std::vector<BenchPair> pairs_of(const Value& value, bool has_b) {
  const std::vector<Value> a = value["a_us"].list(most_pairs);
  const std::vector<Value> b = value["b_us"].list(most_pairs);
  const std::string order = value["first"].text();
  if (has_b && a.size() != b.size()) value.fail("a_us and b_us must have the same length");
  if (has_b && (order.size() != a.size() || order.find_first_not_of("ab") != std::string::npos))
    value["first"].fail("a letter for each pair is expected, a or b: which was measured first");
  std::vector<BenchPair> out;
  for (std::size_t i = 0; i < a.size() && (!has_b || i < b.size()); ++i)
    out.push_back({a[i].number(), has_b ? b[i].number() : 0, i < order.size() && order[i] == 'b'});
  return out;
}

BenchCheck check_of(const Value& value) {
  BenchCheck out;
  out.buffer = value["buffer"].text();
  out.tolerance = value["tolerance"].number();
  out.difference.compared = value["compared"].whole_from(0);
  out.difference.different = value["different"].whole_from(0);
  if (out.difference.different == 0) return out;
  out.difference.first = value["first"].whole();
  const Value worst = value["worst"];
  out.difference.worst = worst["index"].whole();
  out.difference.worst_distance = worst["distance"].is_null() ? INFINITY : worst["distance"].number();
  out.difference.worst_a = worst["a"].text();
  out.difference.worst_b = worst["b"].text();
  return out;
}

BenchSize size_of(const Value& value, bool has_b) {
  BenchSize out;
  out.n = value["n"].whole_from(0);
  out.grid = extents_of(value["grid"]);
  out.block = extents_of(value["block"]);
  out.launches = value["launches"].whole_from(1);
  out.bytes = value["bytes"].whole_or_none();
  if (!value["empty_us"].is_null()) out.empty_us = value["empty_us"].number();
  out.pairs = pairs_of(value["pairs"], has_b);
  if (const Value clocks = value["clocks"]; !clocks.is_null())
    out.clocks = BenchClocks{clocks["sm_mhz"].whole(), clocks["memory_mhz"].whole(), clocks["slowed_by"].texts()};
  for (const Value& check : value["checks"].list(most_texts)) out.checks.push_back(check_of(check));
  return out;
}

BenchMeasurement measurement_of(const Value& document) {
  BenchMeasurement out;
  out.a = subject_of(document["a"]);
  if (!document["b"].is_null()) out.b = subject_of(document["b"]);
  const Value device = document["device"];
  out.device = {device["name"].text(),       document["driver"].text(),         document["cuda"].text(),
                device["capability"].text(), device["multiprocessors"].whole(), device["l2_bytes"].whole()};
  out.arguments = document["arguments"].texts();
  out.notes = document["notes"].texts();
  out.grid = document["grid"].text();
  out.block = document["block"].text();
  out.cold = document["cold"].flag();
  out.checked = document["checked"].flag();
  out.seed = document["seed"].whole();
  for (const Value& size : document["sizes"].list(most_sizes)) out.sizes.push_back(size_of(size, out.b.has_value()));
  if (const Value stop = document["stopped"]; !stop.is_null())
    out.stop = BenchStop{stop["n"].whole(), stop["message"].text()};
  if (out.sizes.empty() && !out.stop) document["sizes"].fail("a list of sizes is expected: nothing was measured");
  return out;
}

}  // namespace

BenchReadResult read_bench_json(std::string_view text) {
  if (text.size() > most_bytes) return {std::nullopt, "it is larger than 64 MiB"};
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded())
    return {std::nullopt, "it is not JSON; what bench --format json or --keep wrote is expected"};
  std::string error;
  const Value document(json, "", error);
  const auto schema = json.is_object() ? json.find("schema") : json.end();
  if (schema == json.end() || *schema != "ptxscope.bench/1")
    return {std::nullopt, "its schema is not ptxscope.bench/1; what bench --format json or --keep wrote is expected"};
  BenchMeasurement measurement = measurement_of(document);
  if (!error.empty()) return {std::nullopt, error};
  return {std::move(measurement), {}};
}

}  // namespace ptxscope::report
