// What instructions and declarations count as: the one definition behind the numbers of stats and diff.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analysis/liveness.h"
#include "isa/instructions.h"
#include "parser/module.h"

namespace ptxscope::analysis {

/// By RegisterClass; a vector register counts as its elements.
using RegisterCounts = std::array<std::uint64_t, register_class_count>;

/// What one instruction counts as; several may hold.
struct CountedAs {
  bool branch = false;   ///< `bra`, `brx`
  bool call = false;     ///< `call`
  bool trap = false;     ///< `trap`
  bool barrier = false;  ///< the category: `bar`, `fence`, `mbarrier`, waits for asynchronous copies, …
  bool memory = false;   ///< reads or writes memory, barriers apart
  bool load = false;     ///< a memory operation that is no atomic and reads
  bool store = false;    ///< … and writes; a copy is both
  bool atomic = false;   ///< the category
};

/// nullptr: an unknown instruction, which counts as nothing but an instruction.
[[nodiscard]] CountedAs counted_as(const isa::Instruction* row);

/// What a function, or a module, declares: what its registers and memory come to.
struct DeclaredCounts {
  RegisterCounts registers{};      ///< by RegisterClass
  std::uint64_t shared_bytes = 0;  ///< of the function's own variables and of the module's that it names
  std::uint64_t local_bytes = 0;   ///< of its own `.local` variables and of the module's that it names
  bool dynamic_shared = false;     ///< also shared memory whose size the launch gives (`.extern .shared x[]`)

  [[nodiscard]] std::uint64_t register_count() const;  ///< over all classes
};

/// Counts what functions declare and name, one function after another.
class DeclarationCounter {
 public:
  explicit DeclarationCounter(const Module& module);  ///< the Module must outlive it

  /// Begins a function: its registers and variables are counted.
  void start(std::uint32_t function);
  /// An operand of the function names this.
  void name(NameId name);
  /// Of the function begun last.
  [[nodiscard]] const DeclaredCounts& counts() const { return counts_; }
  /// Of all begun so far; a variable of the module counts once, however many functions name it.
  [[nodiscard]] DeclaredCounts totals() const;
  /// Takes the totals of a counter of the same module that looked at other functions into its own.
  void add_totals(const DeclarationCounter& other);

 private:
  struct Outside {
    const Variable* variable = nullptr;
    std::uint32_t named_in = no_index;  // the last function found to name it
    bool is_named = false;
  };
  const Module* module_;
  std::unordered_map<NameId, Outside> outside_;  // `.shared` and `.local` at module level
  std::vector<std::uint32_t> first_local_;       // by function
  std::uint32_t current_ = 0;
  DeclaredCounts counts_;
  DeclaredCounts own_totals_;  // of what functions declare themselves
};

}  // namespace ptxscope::analysis
