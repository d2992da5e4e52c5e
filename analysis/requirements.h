// What a module needs: for each .target, the lowest PTX ISA version that takes all of it, the lines that set it, and
// whether its own header satisfies them (PTX ISA 11.1, and the Target ISA Notes of each instruction).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/stop.h"
#include "isa/requirements.h"
#include "parser/module.h"

namespace ptxscope::analysis {

/// One need of one place.
struct Need {
  Span span;                                     ///< the opcode, or the word of the directive
  const isa::Clause* clause = nullptr;           ///< the line of the table that asks for it
  bool operator==(const Need&) const = default;  ///< the same line at the same place
};

/// The same need, rolled up over the module.
struct Reason {
  const isa::Clause* clause = nullptr;  ///< never nullptr
  std::uint32_t count = 0;              ///< how often in the module
  std::vector<Span> places;             ///< all of them with `all_places`, else the first few, in order
};

/// What all of a module needs. Refers to the tables of isa/, and to the module by Span.
struct ModuleRequirement {
  isa::Requirement needed;            ///< never at a target that does not take it at any version
  isa::Requirement last;              ///< the last version that takes it; `never` (255) where all do
  std::vector<Reason> reasons;        ///< needs, in order of first place
  std::vector<Reason> removed;        ///< lines that later versions refuse (ClauseKind::until)
  std::vector<Reason> advised;        ///< works, but ptxas advises against it on some targets
  std::vector<std::string> features;  ///< tags, in the order of isa/features.def
  std::vector<Diagnostic> unknown;    ///< instructions and words the table does not know: nothing is said of them
};

/// How much requirements() is to keep.
struct RequirementOptions {
  std::size_t places = 5;   ///< kept per reason; 0: all
  unsigned jobs = 1;        ///< threads that may work at it; the answer is the same
  StopFlag stop = nullptr;  ///< ends it early
};

/// Looks at the header, declarations and each instruction.
[[nodiscard]] ModuleRequirement requirements(const Module& module, const RequirementOptions& options = {});

/// The spelling of an instruction as the table sees it; views into `module` and into `storage`.
struct SpellingStorage {
  std::vector<std::string_view> words;      ///< filled in anew by each call
  std::vector<isa::OperandShape> operands;  ///< likewise
};
/// Of an instruction of `function`. What it gives holds until the next call with that `storage`.
[[nodiscard]] isa::Spelling spelling_of(const Statement& instruction, const Function& function,
                                        SpellingStorage& storage);

}  // namespace ptxscope::analysis
