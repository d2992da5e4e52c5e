// JSON-RPC 2.0 and the shapes of LSP 3.17 that the answers share. What comes from the other side may be anything: reading
// it never throws.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "lsp/snapshot.h"
#include "lsp/text.h"

namespace ptxscope::lsp {

using Json = nlohmann::json;

/// JSON-RPC 2.0, 5.1, and LSP 3.17, ErrorCodes.
enum class ErrorCode : std::int32_t {
  parse_error = -32700,
  invalid_request = -32600,
  method_not_found = -32601,
  invalid_params = -32602,
  internal_error = -32603,
  server_not_initialized = -32002,
  request_failed = -32803,
  server_cancelled = -32802,
  content_modified = -32801,
  request_cancelled = -32800,
};

struct Failure {
  ErrorCode code = ErrorCode::internal_error;
  std::string message;
};
using Answer = std::variant<Json, Failure>;

/// The message; of what is none, or nests or lists more than any message of the protocol: why not.
[[nodiscard]] Answer parse_message(std::string_view text);

/// nullptr: no object, or no such member.
[[nodiscard]] const Json* member(const Json& object, std::string_view name);
/// The member at the end of a path "textDocument/uri".
[[nodiscard]] const Json* member_at(const Json& object, std::string_view path);
[[nodiscard]] std::optional<std::string> string_at(const Json& object, std::string_view path);
[[nodiscard]] bool is_true_at(const Json& object, std::string_view path);
/// Whether the member is a list that holds this word.
[[nodiscard]] bool lists(const Json& object, std::string_view path, std::string_view word);
[[nodiscard]] std::optional<TextPosition> read_position(const Json* json);
[[nodiscard]] std::optional<TextRange> read_range(const Json* json);

[[nodiscard]] Json json_of(TextPosition position);
[[nodiscard]] Json json_of(const TextRange& range);

[[nodiscard]] std::string response(const Json& id, const Answer& answer);
[[nodiscard]] std::string notification(std::string_view method, Json params);

}  // namespace ptxscope::lsp
