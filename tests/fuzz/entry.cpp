// What libFuzzer calls. The target is the one that the program is called after: fuzz_cfg is `cfg`.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tests/fuzz/command.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/target.h"

namespace {

using namespace ptxscope::fuzz;

const Target* chosen = nullptr;

const Target& target_of(std::string_view program) {
  constexpr std::string_view prefix = "fuzz_";
  program.remove_prefix(program.rfind('/') == std::string_view::npos ? 0 : program.rfind('/') + 1);
  const Target* target = program.starts_with(prefix) ? find_target(program.substr(prefix.size())) : nullptr;
  if (target != nullptr) return *target;
  std::fprintf(stderr, "%.*s: call it by the name of a target:", static_cast<int>(program.size()), program.data());
  for (const Target& one : targets()) std::fprintf(stderr, " fuzz_%s", std::string(one.name).c_str());
  std::fprintf(stderr, "\n");
  std::exit(2);
}

}  // namespace

extern "C" {

std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

int LLVMFuzzerInitialize(int* /*argc*/, char*** argv) {
  chosen = &target_of((*argv)[0]);
  start_catching();
  return 0;
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  run_target(*chosen, {reinterpret_cast<const char*>(data), size});
  return 0;
}

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  return mutate(*chosen, {data, most}, size, seed, LLVMFuzzerMutate);
}

std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* a, std::size_t a_size, const std::uint8_t* b,
                                      std::size_t b_size, std::uint8_t* out, std::size_t most, unsigned seed) {
  const auto text = [](const std::uint8_t* data, std::size_t size) {
    return std::string_view(reinterpret_cast<const char*>(data), size);
  };
  return cross(*chosen, text(a, a_size), text(b, b_size), {out, most}, seed);
}

}  // extern "C"
