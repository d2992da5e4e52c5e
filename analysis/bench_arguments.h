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

/// What a launch does with a buffer: reads it, writes it, or both; `unknown`: not told, and taken for both.
enum class Direction : std::uint8_t { unknown, in, out, in_and_out };

/// A buffer of device memory that kernels get a pointer to.
struct BenchBuffer {
  std::string label;                         ///< its argument's; "" for none
  Type type = Type::none;                    ///< of an element: one that is_element_type()
  Formula count;                             ///< of elements
  Direction direction = Direction::unknown;  ///< tells which bytes count, and what has to be filled again
  Fill fill;                                 ///< what it holds before a launch
  /// It has to be filled again before each launch, and may be compared after.
  [[nodiscard]] bool may_be_written() const { return direction != Direction::in; }
};

/// A number, as text and as arithmetic: which of the two it is depends on what takes it.
struct BenchNumber {
  Type type = Type::none;  ///< stated before a colon; none: the parameter's
  std::string text;        ///< as it was written: "2.0", "n"
  /// nullopt: the text is no formula, and then must be a number of the parameter's type.
  std::optional<Formula> formula;
};

/// One --arg, before anything is known of the kernels.
struct BenchArgument {
  /// `a=f32[n]`, `a=2.0`, `a=@b`.
  enum class Kind : std::uint8_t { buffer, number, reference };
  std::string text;          ///< as given
  std::string label;         ///< before the =
  Kind kind = Kind::number;  ///< which of the three below means something
  BenchBuffer buffer;        ///< of kind buffer
  BenchNumber number;        ///< of kind number
  std::string reference;     ///< the label behind the @
};
/// An argument, or what is wrong with it.
struct BenchArgumentResult {
  BenchArgument argument;  ///< without meaning when there is an error
  std::string error;       ///< a sentence with the way out; empty: it was read
};
/// Reads one --arg; the notation is that of the head of this file.
[[nodiscard]] BenchArgumentResult read_bench_argument(std::string_view text);

/// Where a value goes in a kernel's parameters.
struct BenchPlacement {
  std::uint32_t parameter = 0;        ///< index among the kernel's parameters
  std::uint64_t offset = 0;           ///< bytes, within the parameter
  unsigned bytes = 0;                 ///< size of what is written there
  Type type = Type::none;             ///< of the parameter or field; none: not known
  std::optional<std::size_t> buffer;  ///< index into BenchPlan::buffers; else `number`
  BenchNumber number;                 ///< of one without a buffer
  std::string label;                  ///< what the place is called in messages
};

/// One of the kernels to be timed, with what it gets.
struct BenchKernel {
  std::string file;                                      ///< of the module, for messages
  std::string name;                                      ///< as in the PTX
  std::vector<std::uint64_t> parameter_bytes;            ///< of each parameter, in order
  std::vector<BenchPlacement> placements;                ///< in no order that matters; bytes that none writes are 0
  std::array<std::uint32_t, 3> required_block{0, 0, 0};  ///< .reqntid; 0: none
  std::uint32_t most_threads = 0;                        ///< .maxntid, multiplied; 0: not said
};

/// Everything about a measurement but the sizes and how to measure.
struct BenchPlan {
  std::vector<BenchKernel> kernels;  ///< A, and B if there is one
  std::vector<BenchBuffer> buffers;  ///< those that arguments declared, in their order
  std::array<Formula, 3> grid;       ///< blocks of the grid, by axis
  std::array<Formula, 3> block;      ///< threads of a block, by axis
  Formula shared;                    ///< dynamic shared memory, bytes
  std::optional<Formula> bytes;      ///< read and written by a launch; else what the directions of the buffers tell
  std::vector<std::string> notes;    ///< what was filled in without being given, in sentences
};

/// A kernel with its parameters described, to be bound.
struct BenchSubjectKernel {
  const Module* module = nullptr;         ///< must outlive what is asked with it
  std::uint32_t function = 0;             ///< index into Module::functions
  std::span<const ParameterInfo> params;  ///< of the function, as explain-trap labels them
  std::string who;                        ///< "A" or "B", for messages; "" when there is just one
};

/// The --arg of a command line: for both kernels, and for one of them alone.
struct BenchGiven {
  std::vector<BenchArgument> both;  ///< --arg
  std::vector<BenchArgument> a;     ///< --arg-a
  std::vector<BenchArgument> b;     ///< --arg-b
};
/// A plan, or why there is none.
struct BenchBinding {
  BenchPlan plan;                   ///< kernels, buffers, notes
  std::vector<std::string> errors;  ///< sentences; empty: every parameter has a value
};
/// `kernels`: one or two.
[[nodiscard]] BenchBinding bind_arguments(std::span<const BenchSubjectKernel> kernels, const BenchGiven& given);

/// One size of the plan, all formulas evaluated.
/// One size of the plan, all formulas evaluated.
struct BenchLaunch {
  std::array<std::uint32_t, 3> grid{1, 1, 1};               ///< blocks
  std::array<std::uint32_t, 3> block{1, 1, 1};              ///< threads
  std::uint32_t shared = 0;                                 ///< dynamic shared memory, bytes
  std::vector<std::uint64_t> counts;                        ///< elements of each buffer
  std::optional<std::uint64_t> bytes;                       ///< read and written
  std::vector<std::vector<std::vector<std::byte>>> values;  ///< of each kernel, of each parameter; buffers are 0 still
  /// A sentence: what does not come out at this size; empty: it can be launched so far as is known here.
  std::string error;
};
/// `n`: the size. Says in `error` what is too large, zero or negative.
[[nodiscard]] BenchLaunch launch_of(const BenchPlan& plan, std::uint64_t n);

}  // namespace ptxscope::analysis
