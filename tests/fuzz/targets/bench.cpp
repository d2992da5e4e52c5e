// bench: the notation of its arguments, sizes and formulas, held against kernels. It ends where it would open the driver.
#include "analysis/bench_arguments.h"
#include "analysis/bench_data.h"
#include "analysis/bench_formula.h"
#include "cli/command.h"
#include "tests/fuzz/command.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace ptxscope::fuzz {

namespace {

// Each value by itself, whatever the option: the readers take any text.
void read_notation(std::string_view text) {
  using analysis::FormulaNames;
  for (const FormulaNames names : {FormulaNames::none, FormulaNames::n, FormulaNames::n_and_block}) {
    const analysis::FormulaResult formula = analysis::read_formula(text, names);
    require(formula.formula.has_value() == formula.error.empty(), "a formula, or what is wrong with it");
    if (!formula.formula) continue;
    for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1000}, ~std::uint64_t{0}}) {
      const auto value = formula.formula->value({n, 256});
      require(!value || value->under > 0, "the lower part of a fraction is positive");
    }
  }
  const analysis::SizesResult sizes = analysis::read_sizes(text);
  require(sizes.sizes.empty() != sizes.error.empty(), "sizes, or what is wrong with them");
  for (const std::uint64_t size : sizes.sizes) require(!analysis::size_text(size).empty(), "a size has a spelling");
  (void)analysis::read_extents(text, FormulaNames::n);
  const analysis::BenchArgumentResult argument = analysis::read_bench_argument(text);
  require(!argument.error.empty() || !argument.argument.label.empty(), "an argument has a label");
  for (const Type type : {Type::u8, Type::s32, Type::u64, Type::f16, Type::f32, Type::f64}) {
    const auto bits = analysis::element_bits(text, type);
    if (bits) require(!analysis::element_text(*bits, type).empty(), "an element has a spelling");
  }
}

void plan(const Input& input) {
  for (const std::string_view word : input.words) read_notation(word.substr(word.find('=') + 1));
  const MemoryFile a(input.text);
  const MemoryFile b(input.other);
  std::vector<std::string> words{"bench", "--color=always"};
  words.insert(words.end(), input.words.begin(), input.words.end());
  words.push_back(a.path());
  if (!input.other.empty()) words.push_back(b.path());
  require(run_command(cli::add_bench, words).exit_code == 2, "without a driver nothing is measured");
}

}  // namespace

Target bench_target() {
  return {.name = "bench",
          .form = Form::ptx,
          .run = plan,
          .options = {{"--arg",
                       {"a=f32[n]", "b=f32[n]:in:iota", "c=f32[n]:out", "a.len=n", "n=n", "scale=f32:2.0", "b=@a",
                        "#0=f32[n]:inout:random(-1,1)", "#1=u32[2*n+1]:zero", "#2=n", "#3=1e6", "x=f16[n]:in:7"}},
                      {"--arg-a", {"a=f32[n]", "#0=n"}},
                      {"--arg-b", {"a=f32[n]", "#0=n"}},
                      {"--names", {"a,b,c", "a,,c"}},
                      {"--sizes", {"2^10..2^26", "1000..1e6:10", "64..512:+64", "1000,4096", "1"}},
                      {"--block", {"256", "16,16", "4x4x4", "min(n,1024)"}},
                      {"--grid", {"ceil(n/block)", "1", "n/16,4", "max(1,n%7)"}},
                      {"--shared", {"0", "4*block", "2^16"}},
                      {"--bytes", {"12*n", "n^2"}},
                      {"--pairs", {"30", "5", "100001"}},
                      {"--check"},
                      {"--check", {"1e-6", "0"}},
                      {"--seed", {"1", "18446744073709551615"}},
                      {"--margin", {"1%", "0.5", "0"}},
                      {"--confidence", {"99%", "0.5"}},
                      {"--kernel", {"*", "k*"}},
                      {"--kernel-b", {"*", "k*"}},
                      {"--cold"},
                      {"--csv"}}};
}

}  // namespace ptxscope::fuzz
