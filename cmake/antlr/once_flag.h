// The parsers that ANTLR 4.11 and later write use antlr4::internal::OnceFlag, which the 4.10 runtime (Ubuntu 24.04)
// does not have yet. All else they use is the same there, the serialised tables too, so this is what it
// takes to put them together. Included in front of the generated sources, and only with that runtime.
#pragma once

#include <mutex>
#include <utility>

namespace antlr4::internal {

using OnceFlag = std::once_flag;

template <typename Callable>
void call_once(OnceFlag& flag, Callable&& callable) {
  std::call_once(flag, std::forward<Callable>(callable));
}

}  // namespace antlr4::internal
