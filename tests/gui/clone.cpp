// Stands in for the thread sanitizer's clone(). QProcess starts a program in a process that has this one's memory until it
// is that program, and the thread that starts it waits (CLONE_VM, CLONE_VFORK). The sanitizer of LLVM 14 takes it for a
// fork() and ends: "CHECK failed: tsan_rtl.cpp". Nothing in that process is ours, so it need not be told of it.
#include <dlfcn.h>
#include <sched.h>
#include <sys/types.h>

#include <cstdarg>

extern "C" int clone(int (*function)(void*), void* stack, int flags, void* argument, ...) noexcept {
  va_list more;
  va_start(more, argument);
  auto* const parent_id = va_arg(more, pid_t*);
  void* const storage = va_arg(more, void*);
  auto* const child_id = va_arg(more, pid_t*);
  va_end(more);
  static const auto real = reinterpret_cast<decltype(&clone)>(::dlsym(RTLD_NEXT, "clone"));
  return real(function, stack, flags, argument, parent_id, storage, child_id);
}
