// What instrumenting put into a module, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "analysis/instrument.h"

namespace ptxscope::report {

/// A sentence for each place that records and each that was left alone.
[[nodiscard]] std::vector<std::string> instrument_sentences(const Module& module,
                                                            const analysis::Instrumented& instrumented);
/// The document of schema ptxscope.instrument/1. `output`: where the text was written; empty: nowhere.
[[nodiscard]] std::string instrument_json(const Module& module, const analysis::Instrumented& instrumented,
                                          const std::string& output);

}  // namespace ptxscope::report
