// The PTX that records: text to put in front of a trap, and at the end of a function that has traps.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/instrument.h"
#include "parser/module.h"

namespace ptxscope::analysis {

/// What the module's header lets code use.
struct RecordingDialect {
  bool nanosleep = false;     ///< PTX 6.3, sm_70
  bool clusters = false;      ///< PTX 7.8, sm_90
  bool wide_grid_id = false;  ///< %gridid has 64 bits: PTX 3.0, sm_30
};

/// A register whose value goes into the record.
struct StoredRegister {
  std::uint32_t slot = 0;
  unsigned bits = 0;  ///< 1: a predicate; else 16, 32, 64
  std::string name;
};

/// A parameter of the kernel, to be copied into the record.
struct CopiedParameter {
  std::string name;
  ParameterBytes place;
  unsigned chunk = 1;  ///< bytes read at a time
};

/// One site's part of the code.
struct SiteCode {
  std::uint32_t number = 0;
  std::uint32_t way = 0;  ///< from 1: this is the code for one way only; 0: for all that have none
  std::span<const StoredRegister> values;
  std::span<const CopiedParameter> parameters;
};

/// Writes the code of one module. Most of it stands in two functions that every site calls: ptxas then leaves the code
/// around a site as it was. (Code in place, or shared by branches, makes it hoist addresses and set up convergence
/// barriers on the way that does not trap.)
class RecordingCode {
 public:
  RecordingCode(RecordingDialect dialect, const Instrumented& names) : dialect_(dialect), names_(names) {}

  /// Variables and functions, for behind the header.
  [[nodiscard]] std::string module_part() const;
  /// For the start of a function's body.
  [[nodiscard]] static std::string registers();
  /// In front of a failing call, which comes afterwards in any case.
  [[nodiscard]] std::string before_call(const SiteCode& site) const;
  /// In front of a trap without a guard: traps itself.
  [[nodiscard]] std::string before_trap(const SiteCode& site) const;
  /// In place of `@p trap`, and what it branches to, at the end of the function.
  [[nodiscard]] static std::string branch(std::string_view guard, const SiteCode& site);
  [[nodiscard]] std::string trap_apart(const SiteCode& site) const;
  /// The label that one way's branch leads to instead of `label`, and what stands there: it goes on to `label`.
  [[nodiscard]] static std::string way_label(const SiteCode& site);
  [[nodiscard]] std::string way_apart(const SiteCode& site, std::string_view label) const;
  /// Behind the branch, for the way that does not take it.
  [[nodiscard]] std::string way_behind(const SiteCode& site) const;

 private:
  [[nodiscard]] std::string record(const SiteCode& site) const;
  [[nodiscard]] std::string begin_function() const;
  [[nodiscard]] std::string finish_function() const;
  void pause(std::string& out) const;
  void special(std::string& out, std::string_view name, std::uint32_t offset) const;
  void special3(std::string& out, std::string_view name, std::uint32_t offset) const;
  RecordingDialect dialect_;
  const Instrumented& names_;
};

}  // namespace ptxscope::analysis
