// What a fuzz target asks of its result: a property that does not hold ends the process, which the fuzzer keeps as a find.
#pragma once

#include <cstdio>
#include <cstdlib>

inline void require(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", property);
  std::abort();
}
