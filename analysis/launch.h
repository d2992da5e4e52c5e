// What would happen: each check of explain-trap evaluated for every thread of one launch.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/traps.h"

namespace ptxscope::analysis {

/// A launch that did not happen: its shape and what is known of the arguments.
struct Launch {
  std::array<std::uint32_t, 3> grid{1, 1, 1};   ///< blocks, x y z
  std::array<std::uint32_t, 3> block{1, 1, 1};  ///< threads of a block, x y z
  /// A value for a parameter, or for a part of it.
  struct Argument {
    std::string label;                  ///< a ParameterInfo or Field label, a PTX parameter name, or "#3" for the index
    std::uint64_t value = 0;            ///< bit pattern; truncated to the parameter's width
    std::uint32_t function = no_index;  ///< only for this kernel (index into Module::functions)
  };
  std::vector<Argument> arguments;  ///< in any order; what none of them names is not known
  /// Operations to spend in all. A launch whose checks need more is answered as far as it goes (Given::gave_up).
  std::uint64_t work = std::uint64_t{1} << 33;
};

/// Sets Trap::given of the kernels in the report. Returns labels in `launch` that name nothing there, each with one that
/// is spelt nearly so, if there is one: "a.ln (did you mean a.len?)".
/// Three-valued: a condition whose needed values are not all known is "cannot tell" unless the known part decides it.
/// Special registers that the launch does not settle (%smid, %warpid, %clock, …) are not known; %laneid is taken to
/// follow from %tid. A pointer without an argument is taken as not null, except by a check that is about just that.
/// `stop`, set on another thread, ends it early: checks that were not got to have no answer.
[[nodiscard]] std::vector<std::string> evaluate_launch(const Module& module, TrapReport& report, const Launch& launch,
                                                       const std::atomic<bool>* stop = nullptr);

/// A parameter, or the field of one, that a label means.
struct LabelledValue {
  std::uint32_t index = 0;   ///< of the parameter
  std::uint64_t offset = 0;  ///< bytes from the parameter's start
  unsigned bytes = 0;        ///< its size
  Type type = Type::none;    ///< of the parameter; none for a field
};
/// nullopt: no parameter, field, or `#index` of that label.
[[nodiscard]] std::optional<LabelledValue> find_label(std::span<const ParameterInfo> params, std::string_view label);

/// All labels that find_label() would know, without PTX names and indices: for a message.
[[nodiscard]] std::vector<std::string> labels_of(std::span<const ParameterInfo> params);

/// The bits of a number as a person writes it: 512, -1, 0x1F, and 1.5, 1e-3, nan, inf for floating-point. A floating-point
/// parameter takes whole numbers too. nullopt: not a number, or it does not fit into that many bytes.
[[nodiscard]] std::optional<std::uint64_t> argument_bits(std::string_view text, Type type, unsigned bytes);

/// What the hardware would not launch at all, in words; empty: nothing. Limits of compute capability 5.0 and later
/// (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability").
[[nodiscard]] std::vector<std::string> launch_limits(const Launch& launch);

/// Where the launch contradicts what the function declares (.reqntid, .maxntid; PTX ISA 11.4), in words.
[[nodiscard]] std::vector<std::string> launch_contradictions(const Module& module, const Function& function,
                                                             const Launch& launch);

}  // namespace ptxscope::analysis
