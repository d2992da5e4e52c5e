// Arithmetic on a problem's size, as a person writes it on a command line: "n", "2*n", "ceil(n/256)", "2^10", "1e6".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptxscope::analysis {

/// What the names in a formula stand for.
struct FormulaValues {
  std::uint64_t n = 0;      ///< the size
  std::uint64_t block = 1;  ///< threads of a block; only where FormulaNames::block lets it be named
};

/// Which names a formula may have: a number alone; the size; the size and the threads of a block.
enum class FormulaNames : std::uint8_t { none, n, n_and_block };

/// An exact quotient of whole numbers. `/` is exact: n/256 is rounded by ceil(), floor(), or at the very end (down).
struct Fraction {
  std::int64_t over = 0;   ///< may be negative
  std::int64_t under = 1;  ///< positive
};

/// Arithmetic that was read and can be evaluated for many sizes. Small, and free to be copied.
class Formula {
 public:
  Formula() = default;                                             ///< 0
  [[nodiscard]] const std::string& text() const { return text_; }  ///< as it was written
  /// nullopt: a number on the way does not fit into 63 bits, or a division by zero.
  [[nodiscard]] std::optional<Fraction> value(const FormulaValues& values) const;
  /// The value rounded down. nullopt: as above, or negative.
  [[nodiscard]] std::optional<std::uint64_t> whole(const FormulaValues& values) const;

 private:
  friend class FormulaReader;
  enum class Operation : std::uint8_t {
    number,
    n,
    block,
    negate,
    add,
    subtract,
    multiply,
    divide,
    remainder,
    power,
    ceil,
    floor,
    least,
    most
  };
  struct Step {
    Operation operation = Operation::number;
    Fraction number;
  };
  static std::optional<Fraction> apply(Operation operation, Fraction a, Fraction b);
  std::string text_{"0"};
  std::vector<Step> steps_{Step{}};  // in the order in which a stack machine takes them
};

/// A formula, or what is wrong with it.
struct FormulaResult {
  std::optional<Formula> formula;  ///< nullopt: `error` says why
  std::string error;               ///< what is wrong with the text, and what would do
};
/// Operators + - * / % ^, parentheses, ceil() and floor(), min() and max(); numbers as 1e6 and 2^10.
[[nodiscard]] FormulaResult read_formula(std::string_view text, FormulaNames names);

/// "256", "16,16", "ceil(n/16),4", "4x2x1": one to three formulas; those left out are 1.
struct ExtentsResult {
  std::array<Formula, 3> axes;  ///< x, y, z
  std::string error;            ///< a sentence; empty: it was read
};
/// See ExtentsResult.
[[nodiscard]] ExtentsResult read_extents(std::string_view text, FormulaNames names);

/// "2^10", "1000,4096", "2^10..2^26" (doubling), "2^10..2^26:4" (times 4), "1000..5000:+500": in the order given, each
/// once.
struct SizesResult {
  std::vector<std::uint64_t> sizes;  ///< never empty without an error
  std::string error;                 ///< a sentence; empty: it was read
};
/// See SizesResult.
[[nodiscard]] SizesResult read_sizes(std::string_view text);

/// "2^20", "3*2^20", "1,000": a size as a person reads it.
[[nodiscard]] std::string size_text(std::uint64_t size);

}  // namespace ptxscope::analysis
