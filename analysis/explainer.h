// What explain_traps() is made of: one kernel after another, each with the functions that it calls.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/debug_names.h"
#include "analysis/failures.h"
#include "analysis/parameter_sets.h"
#include "analysis/slices.h"
#include "analysis/trap_checks.h"
#include "analysis/traps.h"
#include "analysis/values.h"

namespace ptxscope::analysis {

// What the explainers of a module's pieces share.
struct Surroundings {
  const Module& module;
  const TrapOptions& options;
  std::vector<FunctionScan> scans;  // by function
  DebugNames debug_names;           // one asks at a time
  std::mutex debug_names_mutex;
};

class Explainer {
 public:
  Explainer(Surroundings& surroundings, std::shared_ptr<ExprPool> pool)
      : surroundings_(surroundings),
        module_(surroundings.module),
        options_(surroundings.options),
        pool_(std::move(pool)),
        values_(module_, pool_),
        parameters_(*pool_),
        unknowns_(*pool_) {
    values_.call_fails = [this](std::uint32_t function, std::uint32_t call) { return call_fails(function, call); };
  }

  FunctionTraps explain(std::uint32_t function);

 private:
  // One step of a call path: the call statement and the function that makes the call.
  struct Step {
    std::uint32_t function;
    CallSite site;
  };

  [[nodiscard]] const FunctionScan& scan(std::uint32_t function) const { return surroundings_.scans[function]; }
  const std::vector<Failure>& failures(std::uint32_t function);
  const std::vector<CallSite>& calls(std::uint32_t function);
  bool may_fail(std::uint32_t function);
  std::optional<ExprId> fails_when(std::uint32_t function);
  std::optional<ExprId> call_fails(std::uint32_t function, std::uint32_t call);
  bool fails_itself(std::uint32_t function);

  ParameterNames names_of(std::uint32_t function);
  void visit(std::uint32_t function, std::vector<Step>& path);
  void record(const Failure& failure, std::uint32_t function, const std::vector<Step>& path);
  void add_ways(Trap& trap, const Failure& failure, std::uint32_t function, const std::vector<Step>& path);
  void finish(FunctionTraps& result, std::uint32_t function);
  void find_error_codes(FunctionTraps& result, std::uint32_t function);
  void add_notes(Trap& trap) const;
  std::optional<SourcePlace> source_at(std::uint32_t function, std::uint32_t statement);
  void note_not_followed(std::uint32_t function);
  void finish_notes(FunctionTraps& result, std::uint32_t function);
  void mark_range_checks(Trap& trap) const;
  ExprId outward(ExprId expr, std::span<const Step> path);
  std::optional<ExprId> guard_of(FunctionValues& values, std::uint32_t statement);
  Check check_of(const Trap& trap, const Way& way, const CheckContext& context);

  Surroundings& surroundings_;
  const Module& module_;
  const TrapOptions& options_;
  std::shared_ptr<ExprPool> pool_;
  ModuleValues values_;
  ParameterSets parameters_;
  UnknownFinder unknowns_;
  std::unordered_map<std::uint32_t, std::vector<Failure>> failures_;
  std::unordered_map<std::uint32_t, std::vector<CallSite>> calls_;
  std::unordered_map<std::uint32_t, char> may_fail_;
  std::unordered_map<std::uint32_t, std::optional<ExprId>> fails_when_;
  std::set<std::uint32_t> failing_in_progress_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> locations_;  // by function: where its `.loc` stand
  std::unordered_map<std::uint32_t, std::vector<std::vector<std::uint32_t>>> dependences_;

  // Of the kernel at hand: traps by where they stand; and for each way what classification needs.
  struct Found {
    Trap trap;
    std::uint32_t function = 0;          // where it stands
    std::set<std::uint32_t> on_the_way;  // functions on the call paths to it
    std::vector<bool> named_by_callee;   // per way: the failing function has no condition of its own
    std::vector<bool> guarded_in_scope;  // per way: `@p trap` with p declared in an inner scope
  };
  std::map<std::uint32_t, Found> found_;
  std::set<std::uint32_t> recursive_;   // functions on a call cycle: only their first round is followed
  std::set<std::string> not_followed_;  // calls whose callee is not known or has no body here
  std::size_t visits_ = 0;
  bool gave_up_ = false;
};

}  // namespace ptxscope::analysis
