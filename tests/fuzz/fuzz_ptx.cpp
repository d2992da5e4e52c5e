// Whatever the bytes are, every command ends in bounded time and memory, without undefined behaviour, and a few
// properties hold that need no right answer to compare with.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "parser/module.h"
#include "report/diagnostics.h"

namespace {

void require(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", property);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ptxscope;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const Module module = parse(text, "fuzz.ptx");

  require(module.text() == text, "the module's text is the input");
  for (const Diagnostic& diagnostic : module.diagnostics()) {
    require(diagnostic.span.begin <= diagnostic.span.end && diagnostic.span.end <= size, "diagnostics lie in the text");
  }
  std::uint32_t end = 0;
  for (std::uint32_t i = 0; i < module.statement_count(); ++i) {
    const Span span = module.statement(i).span();
    require(span.begin >= end && span.begin <= span.end && span.end <= size, "statements stand in order, apart");
    end = span.end;
  }
  (void)report::to_text(module, module.diagnostics(), {});
  return 0;
}
