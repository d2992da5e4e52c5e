// The parser: everything is kept, and the result does not depend on what the shape cache knows or on the layout.
#include "cli/command.h"
#include "cli/input.h"
#include "parser/normalize.h"
#include "tests/fuzz/command.h"
#include "tests/fuzz/module_properties.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"
#include "tests/parser_compare.h"

namespace ptxscope::fuzz {

namespace {

// What did not parse is kept as it is, so the layout is stable only where all did.
void require_normalizing(const Module& module) {
  const std::string once = normalized(module);
  const Module again = parse(once, "normalized.ptx");
  if (module.has_errors()) return;
  require(!again.has_errors(), "a normalized module parses");
  require(again.statement_count() == module.statement_count(), "normalizing keeps the statements");
  require(normalized(again) == once, "normalizing again changes nothing");
}

// Of other texts, print gives the modules in them.
bool is_one_module(std::string_view text) {
  constexpr std::string_view word = ".version";
  const std::size_t first = text.find(word);
  return cli::starts_with_version(text) && text.find(word, first + 1) == std::string_view::npos;
}

// Through ANTLR each statement costs a thousand times as much.
constexpr std::size_t most_uncached = 2048;

void read(const Input& input) {
  const Module module = parse(input.bytes, "fuzz.ptx");
  require_module(module, input.bytes);
  require_normalizing(module);
  if (input.bytes.size() <= most_uncached) {
    const auto differs = difference(module, parse(input.bytes, "fuzz.ptx", {.use_shape_cache = false}));
    require(!differs, "the shape cache changes nothing", differs.value_or(""));
  }
  const MemoryFile file(input.bytes);
  const Outcome printed = run_command(cli::add_print, {"print", "--color=always", file.path()});
  if (is_one_module(input.bytes)) require(printed.out == input.bytes, "print gives the text back");
}

}  // namespace

Target parser_target() { return {.name = "parser", .form = Form::ptx, .run = read}; }

}  // namespace ptxscope::fuzz
