// Writers of what loading a module on the device gave: a table for people, JSON for programs (docs/json.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/check.h"
#include "driver/load.h"
#include "parser/module.h"
#include "report/terminal.h"

namespace ptxscope::report {

/// A module, loaded, and what there is to say of it.
struct LoadedFile {
  driver::LoadReport load;                       ///< what the driver said
  std::vector<std::string> kernels_left_out;     ///< of the text table, for its length
  std::optional<analysis::CheckReport> reasons;  ///< what check has against this driver and GPU, where it refused
};

/// Time, then a row for each kernel; or the driver's messages and reasons, where it refused.
[[nodiscard]] std::string load_text(const Module& module, const LoadedFile& file, const TextStyle& style);
/// The document of schema ptxscope.load/1.
[[nodiscard]] std::string load_json(const Module& module, const LoadedFile& file);

/// The driver's messages that have a place in the text, rule PTX-JIT: the line they name, or where a function or variable
/// that they quote is declared.
[[nodiscard]] std::vector<Diagnostic> jit_diagnostics(const Module& module, const driver::JitLog& log);
/// Those that have none: "error: …".
[[nodiscard]] std::vector<std::string> jit_remarks(const Module& module, const driver::JitLog& log);

}  // namespace ptxscope::report
