// The objects that all JSON documents share (docs/json.md), and how a document is written.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/traps.h"
#include "parser/module.h"

namespace ptxscope::report {

using Json = nlohmann::ordered_json;  ///< keeps the order in which fields are added

/// A string for JSON: bytes that are not UTF-8 replaced.
[[nodiscard]] Json json_string(std::string_view text);
/// {"version", "target", "address_size", "producer", …}
[[nodiscard]] Json module_json(const Module& module);
/// {"name", "demangled", "kind", "line"}
[[nodiscard]] Json function_json(const Module& module, const Function& function);
/// {"index", "name", "type", "role", "slice", "label", "fields"}
[[nodiscard]] Json param_json(const analysis::ParameterInfo& param);
/// {"level", "rule", "line", "column", "end_column", "message", "remedy", "notes"}
[[nodiscard]] Json diagnostic_json(const Module& module, const Diagnostic& diagnostic);
/// Those of reading the text, and more, in order of place.
[[nodiscard]] std::vector<const Diagnostic*> ordered_diagnostics(const Module& module,
                                                                 std::span<const Diagnostic> more);
/// The same.
[[nodiscard]] Json diagnostics_json(const Module& module, std::span<const Diagnostic> more);

/// {"schema": "ptxscope.<command>/1", "file", "module"}: how every document starts.
[[nodiscard]] Json document(std::string_view command, const Module& module);

/// The document's text, indented by two, ending in a newline. Only printable characters reach a terminal.
[[nodiscard]] std::string dump(const Json& json);
/// The same without the newline at the end, its lines but the first moved in by `indent`; see JsonText for large ones.
void append_json(std::string& out, const Json& json, std::size_t indent);

[[nodiscard]] std::string_view spelling(analysis::ParameterRole role);  ///< "pointer", "length", …

}  // namespace ptxscope::report
