// One function for each row of functions.def. Each gets the driver's own function first, then the caller's arguments,
// and gives the status that the caller sees.
#pragma once

#include <cerrno>
#include <exception>

#include "driver/preload/cuda_types.h"

namespace ptxscope::preload {

#define PTXSCOPE_AND(...) __VA_OPT__(, ) __VA_ARGS__
#define HOOK1(hook, name, since, parameters, arguments, ...) int hook(int(*real) parameters PTXSCOPE_AND parameters);
#define HOOK2 HOOK1
#define NOTICE1(hook, ...)
#define NOTICE2(hook, ...)
namespace hooks {
#include "driver/preload/functions.def"
}
#undef HOOK1
#undef HOOK2
#undef NOTICE1
#undef NOTICE2

/// Calls made while one of these lives go straight to the driver: they are our own, or the driver's to itself.
class Inside {
 public:
  Inside() { ++depth_; }
  ~Inside() { --depth_; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  [[nodiscard]] static bool is() { return depth_ != 0; }

 private:
  static constinit thread_local int depth_;
};

/// What we do on the way is not seen in errno.
class KeptErrno {
 public:
  KeptErrno() : number_(errno) {}
  ~KeptErrno() { errno = number_; }
  KeptErrno(const KeptErrno&) = delete;
  KeptErrno& operator=(const KeptErrno&) = delete;

 private:
  int number_;
};

/// Does what is done on our account beside a call of the program's. Where there is no memory for it (std::bad_alloc, or a
/// length that no string can have), it is left undone and noted, and the call goes on. Nothing else is caught: a thread
/// that is cancelled goes through here, too.
void note_shortage();
template <class Work>
void aside(Work&& work) {
  try {
    work();
  } catch (const std::exception&) {
    note_shortage();
  }
}

/// Looks at what the driver answered: an error that ends a context is noted and told to the parent at once.
void look_at(int status, const char* call);

}  // namespace ptxscope::preload
