#include "lsp/protocol.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ptxscope::lsp {
namespace {

constexpr std::size_t deepest = 64;
constexpr std::size_t most_values = 1'000'000;

// Why a text is not to be taken apart: one of brackets or commas alone would grow to many times its size.
std::optional<std::string> too_much(std::string_view text) {
  std::size_t depth = 0;
  std::size_t values = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      const std::size_t end = text.find_first_of("\"\\", at);
      if (end == std::string_view::npos) break;
      at = end;
      if (text[end] == '\\') ++at;
      else in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > deepest) return "the message nests more than " + std::to_string(deepest) + " deep";
    } else if (c == ']' || c == '}') {
      depth -= std::min<std::size_t>(depth, 1);
    } else if (c == ',' && ++values > most_values) {
      return "the message holds more than " + std::to_string(most_values) + " values";
    }
  }
  return std::nullopt;
}

std::optional<std::uint32_t> number_of(const Json* json) {
  if (json == nullptr || !json->is_number_unsigned()) return std::nullopt;
  constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::uint32_t>(std::min(json->get<std::uint64_t>(), most));
}

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

Answer parse_message(std::string_view text) {
  if (auto reason = too_much(text)) return Failure{ErrorCode::invalid_request, std::move(*reason)};
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return Failure{ErrorCode::parse_error, "the message is not JSON in UTF-8"};
  return json;
}

const Json* member(const Json& object, std::string_view name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

const Json* member_at(const Json& object, std::string_view path) {
  const Json* at = &object;
  while (at != nullptr && !path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    at = member(*at, path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return at;
}

std::optional<std::string> string_at(const Json& object, std::string_view path) {
  const Json* const found = member_at(object, path);
  if (found == nullptr || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

bool is_true_at(const Json& object, std::string_view path) {
  const Json* const found = member_at(object, path);
  return found != nullptr && found->is_boolean() && found->get<bool>();
}

bool lists(const Json& object, std::string_view path, std::string_view word) {
  const Json* const found = member_at(object, path);
  return found != nullptr && found->is_array() &&
         std::ranges::any_of(*found, [&](const Json& one) { return one.is_string() && one == word; });
}

std::optional<TextPosition> read_position(const Json* json) {
  if (json == nullptr) return std::nullopt;
  const auto line = number_of(member(*json, "line"));
  const auto character = number_of(member(*json, "character"));
  if (!line || !character) return std::nullopt;
  return TextPosition{*line, *character};
}

std::optional<TextRange> read_range(const Json* json) {
  if (json == nullptr) return std::nullopt;
  const auto begin = read_position(member(*json, "start"));
  const auto end = read_position(member(*json, "end"));
  if (!begin || !end) return std::nullopt;
  return TextRange{*begin, *end};
}

Json json_of(TextPosition position) { return {{"line", position.line}, {"character", position.character}}; }

Json json_of(const TextRange& range) { return {{"start", json_of(range.begin)}, {"end", json_of(range.end)}}; }

std::string response(const Json& id, const Answer& answer) {
  Json message = {{"jsonrpc", "2.0"}, {"id", id}};
  if (const auto* const failure = std::get_if<Failure>(&answer)) {
    message["error"] = {{"code", static_cast<std::int32_t>(failure->code)}, {"message", failure->message}};
  } else {
    message["result"] = std::get<Json>(answer);
  }
  return dump(message);
}

std::string notification(std::string_view method, Json params) {
  return dump({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
}

}  // namespace ptxscope::lsp
