// What a record tells, as names and numbers: one trap of a run, made ready for text and JSON.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/run_report.h"

namespace ptxscope::report {

/// A named number. Texts are not escaped yet.
struct NamedNumber {
  std::string name;
  Type type = Type::none;
  bool is_pointer = false;
  std::optional<std::uint64_t> bits;  ///< nullopt: not known
};
[[nodiscard]] std::string number_text(const NamedNumber& number);

struct TrapAccount {
  bool decoded = false;
  std::string problem;  ///< where it could not be decoded

  std::uint32_t module = 0;
  std::string origin;
  std::vector<std::string> kernels;  ///< as in the module; several: it is not known which
  std::uint32_t trap = 0;            ///< as explain-trap numbers them; 0: not known
  std::uint32_t site = 0;
  std::string function;                ///< where the trap stands
  std::uint32_t line = 0, column = 0;  ///< in the PTX
  analysis::TrapKind kind = analysis::TrapKind::trap;
  analysis::Check check = analysis::Check::unknown;
  std::string callee;
  std::optional<std::string> message;
  std::optional<analysis::SourcePlace> source;
  std::vector<std::string> via;

  std::optional<std::uint32_t> way;  ///< of the site
  std::string condition;             ///< "global.x >= a.len"; empty: not known
  std::string relation;              ///< "ge" …, of a single compare
  std::vector<NamedNumber> sides;    ///< what the condition compares, left to right; constants left out
  std::optional<std::string> bound;  ///< "4": the right side, where it is a constant
  std::vector<NamedNumber> values;   ///< what else was recorded

  bool whole = false;
  std::array<std::uint32_t, 3> block{}, thread{}, grid{}, block_size{};
  std::optional<std::array<std::uint32_t, 3>> cluster, clusters;
  std::uint32_t lane = 0, warp = 0, sm = 0;
  std::uint64_t grid_id = 0;
  std::vector<NamedNumber> parameters;
  struct Threads {
    std::uint64_t trapping = 0, of = 0;
    bool exact = true;  ///< false: at least so many
  };
  std::optional<Threads> threads;  ///< of the launch, by the condition
  std::vector<std::string> notes;
};

[[nodiscard]] TrapAccount account_of(const analysis::RunReport& report, const analysis::RunTrap& trap);

/// "index out of bounds: global.x = 512, a.len = 512". Escaped for a terminal.
[[nodiscard]] std::string headline(const TrapAccount& account);

}  // namespace ptxscope::report
