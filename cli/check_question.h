// What `check` is asked, as people write it: of the command line and of the Python module.
#pragma once

#include <string>

#include "analysis/check.h"
#include "report/check.h"

namespace ptxscope::cli {

/// Empty: not asked.
struct CheckRequest {
  std::string target;  ///< "sm_120a"
  std::string isa;     ///< "8.7"
  std::string cuda;    ///< "12.8"
  std::string driver;  ///< "595.97"
  std::string device;  ///< "this": this machine's; "12.0"
};

struct AskedCheck {
  analysis::CheckQuestion question;
  report::CheckWords words;
  std::string error;  ///< a sentence that starts with the field's name: "target sm_200: there is no such .target …"
};

[[nodiscard]] AskedCheck understand(const CheckRequest& request);

}  // namespace ptxscope::cli
