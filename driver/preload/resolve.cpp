// How calls of the driver come to us: by the exported symbols (programs linked with libcuda), by dlsym and by
// cuGetProcAddress. Each way leads to a wrapper that knows which function of the driver stands behind it.
#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cstring>
#include <new>

#include "driver/preload/c_library.h"
#include "driver/preload/client.h"
#include "driver/preload/driver_table.h"
#include "driver/preload/hooks.h"
#include "driver/preload/nvrtc.h"
#include "driver/preload/processes.h"

namespace ptxscope::preload {

namespace {

// A hook has a wrapper for each symbol of its signature, and some more for functions that cuGetProcAddress gives and
// that are none of those.
constexpr int symbol_slots = 2;
constexpr int slots = 6;

enum Family : int {
#define HOOK1(hook, ...) family_##hook,
#define HOOK2 HOOK1
#define NOTICE1 HOOK1
#define NOTICE2 HOOK1
#include "driver/preload/functions.def"
#undef HOOK1
#undef HOOK2
#undef NOTICE1
#undef NOTICE2
  family_count
};

std::array<std::array<std::atomic<void*>, slots>, family_count> real_functions{};

void* real_function(Family family, int slot, const char* symbol) {
  auto& place = real_functions[static_cast<std::size_t>(family)][static_cast<std::size_t>(slot)];
  void* function = place.load(std::memory_order_acquire);
  if (function != nullptr || symbol == nullptr) return function;
  function = driver_symbol(symbol);
  place.store(function, std::memory_order_release);
  return function;
}

const char* symbol_at(std::initializer_list<const char*> symbols, int slot) {
  return slot < static_cast<int>(symbols.size()) ? symbols.begin()[slot] : nullptr;
}

}  // namespace

// The wrappers. A hook is passed by while we are inside: those are our own calls, or the driver's to itself.
#define REAL(hook, parameters, ...) \
  reinterpret_cast<int(*) parameters>(real_function(family_##hook, Slot, symbol_at({__VA_ARGS__}, Slot)))
#define HOOK(hook, parameters, arguments, ...)               \
  template <int Slot>                                        \
  int hook##_at parameters {                                 \
    const auto real = REAL(hook, parameters, __VA_ARGS__);   \
    if (real == nullptr) return not_found;                   \
    if (Inside::is() || !is_active()) return real arguments; \
    const KeptErrno kept;                                    \
    return hooks::hook(real PTXSCOPE_AND arguments);         \
  }
#define NOTICE(hook, name, parameters, arguments, ...)             \
  template <int Slot>                                              \
  int hook##_at parameters {                                       \
    const auto real = REAL(hook, parameters, __VA_ARGS__);         \
    if (real == nullptr) return not_found;                         \
    const int status = real arguments;                             \
    if (is_sticky(status) && !Inside::is()) look_at(status, name); \
    return status;                                                 \
  }
#define EXPORT(symbol, hook, slot, parameters, arguments) \
  extern "C" __attribute__((visibility("default"))) int symbol parameters { return hook##_at<slot> arguments; }

#define HOOK1(hook, name, since, parameters, arguments, a) \
  HOOK(hook, parameters, arguments, #a)                    \
  EXPORT(a, hook, 0, parameters, arguments)
#define HOOK2(hook, name, since, parameters, arguments, a, b) \
  HOOK(hook, parameters, arguments, #a, #b)                   \
  EXPORT(a, hook, 0, parameters, arguments)                   \
  EXPORT(b, hook, 1, parameters, arguments)
#define NOTICE1(hook, name, since, parameters, arguments, a) \
  NOTICE(hook, name, parameters, arguments, #a)              \
  EXPORT(a, hook, 0, parameters, arguments)
#define NOTICE2(hook, name, since, parameters, arguments, a, b) \
  NOTICE(hook, name, parameters, arguments, #a, #b)             \
  EXPORT(a, hook, 0, parameters, arguments)                     \
  EXPORT(b, hook, 1, parameters, arguments)
#include "driver/preload/functions.def"
#undef HOOK1
#undef HOOK2
#undef NOTICE1
#undef NOTICE2

namespace {

struct FamilyRow {
  const char* name;  // what cuGetProcAddress is asked for
  int since;
  std::array<const char*, symbol_slots> symbols;
  std::array<void*, symbol_slots> exported;
  std::array<void*, slots> wrappers;
};

#define WRAPPERS(hook)                                                                \
  {                                                                                   \
    reinterpret_cast<void*>(hook##_at<0>), reinterpret_cast<void*>(hook##_at<1>),     \
        reinterpret_cast<void*>(hook##_at<2>), reinterpret_cast<void*>(hook##_at<3>), \
        reinterpret_cast<void*>(hook##_at<4>), reinterpret_cast<void*>(hook##_at<5>)  \
  }
#define HOOK1(hook, name, since, parameters, arguments, a) \
  {name, since, {#a, nullptr}, {reinterpret_cast<void*>(a), nullptr}, WRAPPERS(hook)},
#define HOOK2(hook, name, since, parameters, arguments, a, b) \
  {name, since, {#a, #b}, {reinterpret_cast<void*>(a), reinterpret_cast<void*>(b)}, WRAPPERS(hook)},
#define NOTICE1 HOOK1
#define NOTICE2 HOOK2
const std::array<FamilyRow, family_count> families{{
#include "driver/preload/functions.def"
}};

// The wrapper that has `function` behind it. `function` itself when there is no room for one more.
void* wrapper_of(int family, void* function) {
  const FamilyRow& row = families[static_cast<std::size_t>(family)];
  auto& reals = real_functions[static_cast<std::size_t>(family)];
  for (std::size_t slot = 0; slot < slots; ++slot) {
    if (row.wrappers[slot] == function) return function;
    if (slot >= symbol_slots) continue;
    if (row.exported[slot] == function) return function;
    if (row.symbols[slot] == nullptr) continue;
    if (real_function(static_cast<Family>(family), static_cast<int>(slot), row.symbols[slot]) == function)
      return row.exported[slot];
  }
  for (std::size_t slot = symbol_slots; slot < slots; ++slot) {
    void* none = nullptr;
    if (reals[slot].load() == function || reals[slot].compare_exchange_strong(none, function) || none == function)
      return row.wrappers[slot];
  }
  return function;
}

bool is_ours(void* function) {
  for (const FamilyRow& row : families)
    for (void* exported : row.exported)
      if (exported == function) return true;
  return false;
}

// What cuGetProcAddress gave for a name and a version. Versions of CUDA that are not out yet may have another
// signature under the name: those are wrapped only where the address says which function it is.
void* wrapper_for_query(const char* name, int version, void* function) {
  constexpr int last_known = 13999;
  int best = -1;
  for (int i = 0; i < family_count; ++i) {
    const FamilyRow& row = families[static_cast<std::size_t>(i)];
    for (std::size_t slot = 0; slot < symbol_slots; ++slot)
      if (row.symbols[slot] != nullptr &&
          (std::strcmp(row.name, name) == 0 || std::strcmp(row.symbols[slot], name) == 0) &&
          driver_symbol(row.symbols[slot]) == function)
        return wrapper_of(i, function);
    if (std::strcmp(row.name, name) != 0 || row.since > version) continue;
    if (best < 0 || families[static_cast<std::size_t>(best)].since < row.since) best = i;
  }
  return best < 0 || version > last_known ? function : wrapper_of(best, function);
}

using DlsymFunction = void* (*)(void*, const char*);
using DlvsymFunction = void* (*)(void*, const char*, const char*);
std::atomic<void*> driver_library{nullptr};

}  // namespace

constinit thread_local int Inside::depth_ = 0;

// The C library's own, for the entries below.
extern "C" {
__attribute__((visibility("hidden"))) DlsymFunction ptxscope_real_dlsym = nullptr;
__attribute__((visibility("hidden"))) DlvsymFunction ptxscope_real_dlvsym = nullptr;
__attribute__((visibility("hidden"))) char ptxscope_no_symbol = 0;
}

namespace {

template <class Function>
Function in_c_library(const char* name, Function& kept) {
  if (kept == nullptr) kept = reinterpret_cast<Function>(c_library_function(name));
  return kept;
}

DlsymFunction real_dlsym() { return in_c_library("dlsym", ptxscope_real_dlsym); }

void* open_driver() {
  if (void* library = driver_library.load(std::memory_order_acquire)) return library;
  void* library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (library != nullptr) driver_library.store(library, std::memory_order_release);
  return library;
}

}  // namespace

void note_driver(void* address) {
  if (driver_library.load(std::memory_order_acquire) != nullptr) return;
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return;
  if (void* library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD))
    driver_library.store(library, std::memory_order_release);
}

void* real_symbol(void* library, const char* name) {
  const DlsymFunction find = real_dlsym();
  return find == nullptr ? nullptr : find(library, name);
}

bool driver_is_open() { return open_driver() != nullptr; }

void* driver_symbol(const char* name) {
  void* library = open_driver();
  const DlsymFunction find = real_dlsym();
  return library == nullptr || find == nullptr ? nullptr : find(library, name);
}

const Driver& driver() {
  // No static local: its guard might be held by another thread when the program forks.
  static std::atomic<const Driver*> table{nullptr};
  if (const Driver* found = table.load(std::memory_order_acquire)) return *found;
  auto* made = new (std::nothrow) Driver;
  if (made == nullptr) {
    static constexpr Driver nothing;  // what needs one of these is left undone
    return nothing;
  }
#define FUNCTION(member, symbol, ...) made->member = reinterpret_cast<int (*)(__VA_ARGS__)>(driver_symbol(symbol));
#include "driver/preload/own_calls.def"
#undef FUNCTION
  const Driver* none = nullptr;
  if (table.compare_exchange_strong(none, made)) return *made;
  delete made;
  return *none;
}

int hooks::get_proc_address(int (*real)(const char*, void**, int, std::uint64_t, int*), const char* symbol,
                            void** function, int version, std::uint64_t flags, int* status) {
  const int result = real(symbol, function, version, flags, status);
  if (result == success && symbol != nullptr && function != nullptr && *function != nullptr)
    *function = wrapper_for_query(symbol, version, *function);
  return result;
}

int hooks::get_proc_address_v1(int (*real)(const char*, void**, int, std::uint64_t), const char* symbol,
                               void** function, int version, std::uint64_t flags) {
  const int result = real(symbol, function, version, flags);
  if (result == success && symbol != nullptr && function != nullptr && *function != nullptr)
    *function = wrapper_for_query(symbol, version, *function);
  return result;
}

namespace {

void* find_of_nvrtc(void* handle, const char* name) {
  void* function = real_dlsym()(handle, name);
  if (function == nullptr) return nullptr;  // asked once more, for the error's words
  void* wrapper = nvrtc_wrapper_of(function);
  return wrapper == nullptr ? &ptxscope_no_symbol : wrapper;
}

void* find_of_driver(void* handle, const char* name) {
  for (int i = 0; i < family_count; ++i)
    for (const char* symbol : families[static_cast<std::size_t>(i)].symbols) {
      if (symbol == nullptr || std::strcmp(symbol, name) != 0) continue;
      void* function = real_dlsym()(handle, name);
      if (function == nullptr) return nullptr;
      // Found because we are loaded, not because the driver is.
      if (is_ours(function)) return driver_is_open() ? function : &ptxscope_no_symbol;
      note_driver(function);
      say_hello();
      return wrapper_of(i, function);
    }
  return nullptr;
}

// dlerror() is to have words: many print them without looking.
void say_undefined(const char* name) {
  static std::atomic<void*> library{nullptr};
  if (library.load() == nullptr) library.store(dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD));
  if (library.load() != nullptr) (void)real_symbol(library.load(), name);
}

}  // namespace

// What dlsym or, with a version, dlvsym is to answer: null: what the C library's own answers; the address of
// ptxscope_no_symbol: null.
extern "C" __attribute__((visibility("hidden"))) void* ptxscope_find_symbol(void* handle, const char* name,
                                                                            const char* version) {
  const DlsymFunction find = real_dlsym();
  if (find == nullptr) return &ptxscope_no_symbol;
  if (in_c_library("dlvsym", ptxscope_real_dlvsym) == nullptr && version != nullptr) return &ptxscope_no_symbol;
  if (name == nullptr || handle == RTLD_NEXT) return nullptr;
  const bool is_of_driver = name[0] == 'c' && name[1] == 'u' && name[2] >= 'A' && name[2] <= 'Z';
  const bool is_of_nvrtc = name[0] == 'n' && is_nvrtc_hook(name);
  if (!is_of_driver && !is_of_nvrtc) return nullptr;
  const KeptErrno kept;
  if (!is_active()) {
    // Found because we are loaded, not because the driver is.
    const bool is_missing = is_of_driver && is_ours(find(handle, name)) && !driver_is_open();
    if (is_missing) say_undefined(name);
    return is_missing ? &ptxscope_no_symbol : nullptr;
  }
  if (is_of_driver && driver_is_open()) flag_process(run::opened_driver);
  // The functions have no versions: one that is asked for is there, or it is not, whatever the name says.
  if (version != nullptr && ptxscope_real_dlvsym(handle, name, version) == nullptr) return nullptr;
  void* found = is_of_nvrtc ? find_of_nvrtc(handle, name) : find_of_driver(handle, name);
  if (found == &ptxscope_no_symbol) say_undefined(name);
  else if (found != nullptr) dlerror();  // of what we looked for in vain ourselves: nothing is to be told
  return found;
}

// These functions look at their return address to tell whose RTLD_NEXT and RTLD_DEFAULT are meant, so the C library's are
// entered by a jump, with the caller's return address in place.
#if defined(__x86_64__)
#define ENTRY(name, version_argument)                                                          \
  __asm__(".pushsection .text\n.globl " #name "\n.type " #name ", @function\n" #name           \
          ":\n"                                                                                \
          ".cfi_startproc\n  endbr64\n"                                                        \
          "  push %rdi\n  .cfi_adjust_cfa_offset 8\n  push %rsi\n  .cfi_adjust_cfa_offset 8\n" \
          "  push %rdx\n  .cfi_adjust_cfa_offset 8\n" version_argument                         \
          "  call ptxscope_find_symbol\n"                                                      \
          "  pop %rdx\n  .cfi_adjust_cfa_offset -8\n  pop %rsi\n  .cfi_adjust_cfa_offset -8\n" \
          "  pop %rdi\n  .cfi_adjust_cfa_offset -8\n"                                          \
          "  test %rax, %rax\n  jnz 1f\n  jmp *ptxscope_real_" #name                           \
          "(%rip)\n"                                                                           \
          "1:\n  lea ptxscope_no_symbol(%rip), %rdx\n  xor %ecx, %ecx\n"                       \
          "  cmp %rdx, %rax\n  cmove %rcx, %rax\n  ret\n"                                      \
          ".cfi_endproc\n.size " #name ", .-" #name "\n.popsection\n");
ENTRY(dlsym, "  xor %edx, %edx\n")
ENTRY(dlvsym, "")
#elif defined(__aarch64__)
#define ENTRY(name, version_argument)                                                  \
  __asm__(".pushsection .text\n.globl " #name "\n.type " #name ", %function\n" #name   \
          ":\n"                                                                        \
          ".cfi_startproc\n"                                                           \
          "  stp x29, x30, [sp, -48]!\n  .cfi_adjust_cfa_offset 48\n"                  \
          "  stp x0, x1, [sp, 16]\n  str x2, [sp, 32]\n" version_argument              \
          "  bl ptxscope_find_symbol\n"                                                \
          "  mov x9, x0\n  ldr x2, [sp, 32]\n  ldp x0, x1, [sp, 16]\n"                 \
          "  ldp x29, x30, [sp], 48\n  .cfi_adjust_cfa_offset -48\n  cbz x9, 1f\n"     \
          "  adrp x10, ptxscope_no_symbol\n  add x10, x10, :lo12:ptxscope_no_symbol\n" \
          "  cmp x9, x10\n  csel x0, xzr, x9, eq\n  ret\n"                             \
          "1:\n  adrp x16, ptxscope_real_" #name                                       \
          "\n"                                                                         \
          "  ldr x16, [x16, :lo12:ptxscope_real_" #name                                \
          "]\n  br x16\n"                                                              \
          ".cfi_endproc\n.size " #name ", .-" #name "\n.popsection\n");
ENTRY(dlsym, "  mov x2, xzr\n")
ENTRY(dlvsym, "")
#else
#error "the preloaded library knows x86-64 and 64-bit Arm"
#endif

}  // namespace ptxscope::preload
