// Writers of what a module needs and whether it fits: text, JSON (docs/json.md), SARIF 2.1.0, GitHub annotations.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/check.h"
#include "report/terminal.h"

namespace ptxscope::report {

/// What was asked, in words.
struct CheckWords {
  std::optional<std::string> cuda;    ///< "12.8"
  std::optional<std::string> driver;  ///< "595.97"
  std::vector<std::string> devices;   ///< "NVIDIA H200, compute capability 9.0"
  std::vector<std::string> remarks;   ///< how it was understood: "595.97 is a Windows driver of branch R595: …"
};

/// The answer first, then what the module needs and why. `all`: every need and problem, not the first few.
[[nodiscard]] std::string check_text(const Module& module, const analysis::CheckReport& report, const CheckWords& asked,
                                     const TextStyle& style, bool all);

/// The document of schema ptxscope.check/1 (docs/json.md).
[[nodiscard]] std::string check_json(const Module& module, const analysis::CheckReport& report,
                                     const CheckWords& asked);

/// Workflow commands for GitHub Actions, one a place: level, file, line and columns, message.
[[nodiscard]] std::string check_github(const Module& module, const analysis::CheckReport& report);

/// One SARIF log for all files of a run.
class SarifLog {
 public:
  explicit SarifLog(std::string_view tool_version);  ///< of ptxscope: "0.1.0"
  ~SarifLog();                                       ///< lets go of what add() took
  SarifLog(const SarifLog&) = delete;
  SarifLog& operator=(const SarifLog&) = delete;

  /// The module's results; it need not outlive this.
  void add(const Module& module, const analysis::CheckReport& report);
  [[nodiscard]] std::string text() const;  ///< the log so far, as JSON

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

}  // namespace ptxscope::report
