// Whether a module fits: what its header says, another .target or .version, a CUDA release, a driver, a device; and if
// not, which lines do not, and what to change (PTX ISA 11.1; for the header's targets 11.1.2).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/requirements.h"
#include "analysis/stop.h"
#include "isa/targets.h"
#include "parser/module.h"

namespace ptxscope::analysis {

/// What reads the text: a toolkit or a driver.
struct Reader {
  std::string name;        ///< "CUDA 12.0"; "driver 528.02"
  isa::Version highest;    ///< the newest PTX ISA version it takes
  bool is_driver = false;  ///< else a toolkit: messages say what to change by it
};

/// What the code is to run on.
struct CheckedDevice {
  std::string name;     ///< "NVIDIA H200"; empty: only its number is known
  unsigned number = 0;  ///< of its compute capability: 90 for 9.0
};

/// What a module is asked to fit. `target` and `version` stand in for those of its header; empty: the header's.
struct CheckQuestion {
  std::optional<isa::TargetIndex> target;  ///< nullopt: the header's
  std::optional<isa::Version> version;     ///< nullopt: the header's
  std::vector<Reader> readers;             ///< all of which must take the text
  std::vector<CheckedDevice> devices;      ///< on all of which it must run
  /// Nothing is asked but the header itself.
  [[nodiscard]] bool empty() const { return !target && !version && readers.empty() && devices.empty(); }
};

/// Needs that people call by one name and that ask for the same.
struct FeatureNeed {
  std::string name;              ///< isa::Clause::feature()
  isa::Requirement requirement;  ///< as ModuleRequirement::needed, of this one alone
  std::string_view section;      ///< of the manual
  std::uint32_t count = 0;       ///< places in all
  std::vector<Span> places;      ///< all of them or the first few, as asked for
  /// No other need of the module asks for as much or more everywhere: it is among those that set the module's need.
  bool decides = false;
};

/// One thing that does not fit, or a piece of advice: the diagnostic is of its first place.
struct Problem {
  Diagnostic diagnostic;     ///< message and remedy for people
  std::vector<Span> places;  ///< where it is so: all of them or the first few, as asked for
  std::uint32_t count = 1;   ///< places in all
  std::uint32_t quoted = 0;  ///< the message begins with this much of the first place's text
};

/// The answer for one header.
struct Fit {
  std::optional<isa::TargetIndex> target;  ///< nullopt: the header has none that exists
  std::optional<isa::Version> version;     ///< nullopt: the header has none that exists
  std::vector<Problem> problems;           ///< in order of place
  std::vector<Problem> advice;             ///< works, and the manual recommends otherwise
  /// What the target's suffix means for where the code runs, in sentences.
  std::vector<std::string> explanations;
  [[nodiscard]] bool ok() const { return problems.empty(); }  ///< no problem; advice does not count
};

/// Whether a module fits, and what of it does not. Refers to the Module by Span.
struct CheckReport {
  std::vector<Diagnostic> diagnostics;  ///< of reading the text and of check_semantics(), in order of place
  ModuleRequirement requirement;        ///< of all of the module
  std::vector<FeatureNeed> needs;       ///< those that decide first, then in order of place
  isa::TargetSet targets;               ///< that take all of it at some version
  Fit declared;                         ///< for its own header
  std::optional<Fit> against;           ///< for the question; nullopt: nothing was asked
  /// False: something is not known to the table or did not parse; the answer holds for the rest.
  bool complete = true;

  /// Of the question, where there was one.
  [[nodiscard]] const Fit& answer() const { return against ? *against : declared; }
  /// It fits, all of it is known, and the text has no errors.
  [[nodiscard]] bool ok() const;
};

/// How much check() is to keep.
struct CheckOptions {
  std::size_t places = 5;   ///< kept of each need and problem; 0: all
  unsigned jobs = 1;        ///< threads that may work at it; the answer is the same
  StopFlag stop = nullptr;  ///< ends it early
};

/// All of it at once: what the module needs, whether its header satisfies that, and whether it fits what is asked.
[[nodiscard]] CheckReport check(const Module& module, const CheckQuestion& question, const CheckOptions& options = {});

/// The lowest version at which `target` takes the module; nullopt: at none.
[[nodiscard]] std::optional<isa::Version> lowest_version(const ModuleRequirement& requirement, isa::TargetIndex target);

/// Whether a header of that target and version would do; what is wrong with it and what to change. check() with only
/// this part of it.
[[nodiscard]] Fit fit_header(const Module& module, const ModuleRequirement& requirement,
                             std::span<const FeatureNeed> needs, const CheckQuestion& question);

/// Needs by the name people call them by.
[[nodiscard]] std::vector<FeatureNeed> feature_needs(const ModuleRequirement& requirement);

/// The .target of the header that counts: the last that exists (ptxas checks by the last of several).
[[nodiscard]] std::optional<isa::TargetIndex> declared_target(const Module& module);
/// The last `.version` of the header; nullopt: there is none, or no such version.
[[nodiscard]] std::optional<isa::Version> declared_version(const Module& module);

}  // namespace ptxscope::analysis
