// What `bench` passes to its kernels: a small notation for buffers and numbers, held against the parameters of one
// kernel or two.
//
//   a=f32[n]                a buffer of n elements; in:, out: and inout: say what a launch does with it, random, zero,
//   a=f32[n]:in:iota        iota or a number what it holds
//   a.len=n                 a number: arithmetic on n, the size
//   scale=f32:2.0           a number of that type
//   dst=@c                  the buffer that the label c stands for
//
// A label is one of explain-trap's, a parameter's name in the PTX, or #index. The label of a slice stands for its
// pointer, and its length is the count of elements unless it is given.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/bench_data.h"
#include "analysis/bench_formula.h"
#include "analysis/traps.h"

namespace ptxscope::analysis {

enum class Direction : std::uint8_t { unknown, in, out, in_and_out };

struct BenchBuffer {
  std::string label;
  Type type = Type::none;
  Formula count;  ///< of elements
  Direction direction = Direction::unknown;
  Fill fill;
  [[nodiscard]] bool may_be_written() const { return direction != Direction::in; }
};

/// A number, as text and as arithmetic: which of the two it is depends on what takes it.
struct BenchNumber {
  Type type = Type::none;  ///< stated before a colon; none: the parameter's
  std::string text;
  std::optional<Formula> formula;
};

/// One --arg, before anything is known of the kernels.
struct BenchArgument {
  enum class Kind : std::uint8_t { buffer, number, reference };
  std::string text;   ///< as given
  std::string label;  ///< before the =
  Kind kind = Kind::number;
  BenchBuffer buffer;
  BenchNumber number;
  std::string reference;  ///< the label behind the @
};
struct BenchArgumentResult {
  BenchArgument argument;
  std::string error;
};
[[nodiscard]] BenchArgumentResult read_bench_argument(std::string_view text);

/// Where a value goes in a kernel's parameters.
struct BenchPlacement {
  std::uint32_t parameter = 0;
  std::uint64_t offset = 0;
  unsigned bytes = 0;
  Type type = Type::none;
  std::optional<std::size_t> buffer;  ///< index into BenchPlan::buffers; else `number`
  BenchNumber number;
  std::string label;
};

struct BenchKernel {
  std::string file, name;
  std::vector<std::uint64_t> parameter_bytes;
  std::vector<BenchPlacement> placements;
  std::array<std::uint32_t, 3> required_block{0, 0, 0};  ///< .reqntid; 0: none
  std::uint32_t most_threads = 0;                        ///< .maxntid, multiplied; 0: not said
};

/// Everything about a measurement but the sizes and how to measure.
struct BenchPlan {
  std::vector<BenchKernel> kernels;  ///< A, and B if there is one
  std::vector<BenchBuffer> buffers;
  std::array<Formula, 3> grid, block;
  Formula shared;                ///< dynamic shared memory, bytes
  std::optional<Formula> bytes;  ///< read and written by a launch; else what the directions of the buffers tell
  std::vector<std::string> notes;
};

/// A kernel with its parameters described, to be bound.
struct BenchSubjectKernel {
  const Module* module = nullptr;
  std::uint32_t function = 0;
  std::span<const ParameterInfo> params;
  std::string who;  ///< "A" or "B", for messages; "" when there is just one
};

struct BenchGiven {
  std::vector<BenchArgument> both, a, b;
};
struct BenchBinding {
  BenchPlan plan;                   ///< kernels, buffers, notes
  std::vector<std::string> errors;  ///< sentences; empty: every parameter has a value
};
/// `kernels`: one or two.
[[nodiscard]] BenchBinding bind_arguments(std::span<const BenchSubjectKernel> kernels, const BenchGiven& given);

/// One size of the plan, all formulas evaluated.
struct BenchLaunch {
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::uint32_t shared = 0;
  std::vector<std::uint64_t> counts;                        ///< elements of each buffer
  std::optional<std::uint64_t> bytes;                       ///< read and written
  std::vector<std::vector<std::vector<std::byte>>> values;  ///< of each kernel, of each parameter; buffers are 0 still
  std::string error;
};
[[nodiscard]] BenchLaunch launch_of(const BenchPlan& plan, std::uint64_t n);

}  // namespace ptxscope::analysis
