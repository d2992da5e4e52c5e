#include "lsp/snapshot.h"

#include "analysis/function_traps.h"

namespace ptxscope::lsp {

const std::shared_ptr<const Module>& Snapshot::shared_module() const {
  std::call_once(parse_once_, [&] {
    module_ = std::make_shared<const Module>(parse(text_.bytes(), uri_));
    is_parsed_ = true;
  });
  return module_;
}

const analysis::Outline& Snapshot::outline() const {
  std::call_once(outline_once_, [&] { outline_ = analysis::outline_of(module()); });
  return outline_;
}

analysis::RegisterValues& Snapshot::values() const {
  if (values_ == nullptr) values_ = std::make_unique<analysis::RegisterValues>(shared_module());
  return *values_;
}

const analysis::TrapReport& Snapshot::traps_of(std::uint32_t function) const {
  const auto found = traps_.find(function);
  if (found != traps_.end()) return found->second;
  return traps_.emplace(function, analysis::explain_traps_of(module(), function)).first->second;
}

}  // namespace ptxscope::lsp
