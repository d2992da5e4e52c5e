// A library that is preloaded, too, and stands before the driver by RTLD_NEXT: what other tools do.
#include <dlfcn.h>

#include <cstdio>

extern "C" __attribute__((visibility("default"))) int cuLaunchKernel(void* function, unsigned gx, unsigned gy,
                                                                     unsigned gz, unsigned bx, unsigned by, unsigned bz,
                                                                     unsigned shared, void* stream, void** parameters,
                                                                     void** extra) {
  using Launch = decltype(&cuLaunchKernel);
  const auto next = reinterpret_cast<Launch>(dlsym(RTLD_NEXT, "cuLaunchKernel"));
  std::printf(next == nullptr ? "no next cuLaunchKernel\n" : "on the way\n");
  return next == nullptr ? 500 : next(function, gx, gy, gz, bx, by, bz, shared, stream, parameters, extra);
}
