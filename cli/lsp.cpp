// ptxscope lsp: the language server on standard input and output.
#include "lsp/server.h"

#include <unistd.h>

#include <cerrno>

#include "cli/command.h"

namespace ptxscope::cli {
namespace {

std::size_t read_some(char* to, std::size_t most) {
  for (;;) {
    const ssize_t count = ::read(STDIN_FILENO, to, most);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) return 0;
  }
}

// An editor that is gone closes standard input, too: the end is seen there.
void write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
    else if (count == 0 || errno != EINTR) return;
  }
}

}  // namespace

void add_lsp(Program& program) {
  program.add({.name = "lsp",
               .summary = "language server for editors, on standard input and output: diagnostics, hover, definitions",
               .examples = {"ptxscope lsp"},
               .words = ""},
              [](Run& run) {
                if (::isatty(STDIN_FILENO) == 1) {
                  run.fail("an editor starts this command and speaks with it; docs/lsp.md says how to set one up");
                  return;
                }
                if (lsp::serve({read_some, write_all}, PTXSCOPE_VERSION)) return;
                run.warn("ended by the other side without the request shutdown");
                run.object();
              });
}

}  // namespace ptxscope::cli
