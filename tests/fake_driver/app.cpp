// A program of the Driver API, for tests of what stands in front of the driver: adds two vectors with samples/vecadd.
//   app [--via linked|dlsym|proc] [--load data|dataex|file|library|early|link|fat|objects|nvrtc] [--len N] [--threads N] [--fork] [--linger]
//       [--kill] [--twice] [--contexts] [--close] [--limit] [--exit] [--no-memory] [--no-descriptors] [--devices]
//       [--confine HOW] [--descriptors] [--modules N] [--reload N] [--children N] [--daemon] [--again FUNCTION] FILE.ptx
// `confine`: afterwards it shuts off the system calls that it does not need any more, and returns, or ends by _exit or
// quick_exit. `again`: it becomes, or starts, itself by that function of the C library, with the driver then.
// `via` dlvsym and by-hand: the driver's functions by other ways than dlsym. Prints each status that is not 0 and a sum; ends with status 3 when the kernel failed.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

using Handle = void*;
using DevicePointer = unsigned long long;

#define FUNCTIONS(X)                                                                                        \
  X(Init, "cuInit", "cuInit", (unsigned))                                                                   \
  X(DeviceGet, "cuDeviceGet", "cuDeviceGet", (int*, int))                                                   \
  X(Retain, "cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRetain", (Handle*, int))                         \
  X(Create, "cuCtxCreate", "cuCtxCreate_v2", (Handle*, unsigned, int))                                      \
  X(Destroy, "cuCtxDestroy", "cuCtxDestroy_v2", (Handle))                                                   \
  X(SetCurrent, "cuCtxSetCurrent", "cuCtxSetCurrent", (Handle))                                             \
  X(Synchronize, "cuCtxSynchronize", "cuCtxSynchronize", ())                                                \
  X(Load, "cuModuleLoad", "cuModuleLoad", (Handle*, const char*))                                           \
  X(LoadData, "cuModuleLoadData", "cuModuleLoadData", (Handle*, const void*))                               \
  X(LoadDataEx, "cuModuleLoadDataEx", "cuModuleLoadDataEx", (Handle*, const void*, unsigned, int*, void**)) \
  X(Unload, "cuModuleUnload", "cuModuleUnload", (Handle))                                                   \
  X(GetFunction, "cuModuleGetFunction", "cuModuleGetFunction", (Handle*, Handle, const char*))              \
  X(LibraryLoad, "cuLibraryLoadData", "cuLibraryLoadData",                                                  \
    (Handle*, const void*, int*, void**, unsigned, int*, void**, unsigned))                                 \
  X(LibraryKernel, "cuLibraryGetKernel", "cuLibraryGetKernel", (Handle*, Handle, const char*))              \
  X(LinkCreate, "cuLinkCreate", "cuLinkCreate_v2", (unsigned, int*, void**, Handle*))                       \
  X(LinkAdd, "cuLinkAddData", "cuLinkAddData_v2",                                                           \
    (Handle, int, void*, std::size_t, const char*, unsigned, int*, void**))                                 \
  X(LinkComplete, "cuLinkComplete", "cuLinkComplete", (Handle, void**, std::size_t*))                       \
  X(LinkDestroy, "cuLinkDestroy", "cuLinkDestroy", (Handle))                                                \
  X(Alloc, "cuMemAlloc", "cuMemAlloc_v2", (DevicePointer*, std::size_t))                                    \
  X(ToDevice, "cuMemcpyHtoD", "cuMemcpyHtoD_v2", (DevicePointer, const void*, std::size_t))                 \
  X(ToHost, "cuMemcpyDtoH", "cuMemcpyDtoH_v2", (void*, DevicePointer, std::size_t))                         \
  X(Launch, "cuLaunchKernel", "cuLaunchKernel",                                                             \
    (Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void**, void**))

#ifdef LINKED
#define X(member, name, symbol, parameters) extern "C" int linked_##member parameters __asm__(symbol);
FUNCTIONS(X)
#undef X
#endif

namespace {

struct Api {
#define X(member, name, symbol, parameters) int(*member) parameters = nullptr;
  FUNCTIONS(X)
#undef X
} cu;

// As programs do that want to be seen by nobody: the library's own table.
[[maybe_unused]] void* find_by_hand(void* library, const char* wanted) {
  const auto* map = static_cast<const link_map*>(library);
  const ElfW(Sym)* symbols = nullptr;
  const char* names = nullptr;
  for (const ElfW(Dyn)* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(entry->d_un.d_ptr);
    if (entry->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(entry->d_un.d_ptr);
  }
  for (++symbols; reinterpret_cast<const char*>(symbols) < names; ++symbols)
    if (symbols->st_shndx != SHN_UNDEF && std::strcmp(names + symbols->st_name, wanted) == 0)
      return reinterpret_cast<void*>(map->l_addr + symbols->st_value);
  return nullptr;
}

bool find_functions([[maybe_unused]] const std::string& via) {
#ifdef LINKED
#define X(member, name, symbol, parameters) cu.member = linked_##member;
  FUNCTIONS(X)
#undef X
  return true;
#else
  dlerror();
  if (dlsym(RTLD_DEFAULT, "cuModuleLoad") != nullptr || dlerror() == nullptr)
    std::printf("cuModuleLoad without a library, or no word about it\n");
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) return false;
  if (via == "dlsym") {
#define X(member, name, symbol, parameters) cu.member = reinterpret_cast<int(*) parameters>(dlsym(library, symbol));
    FUNCTIONS(X)
#undef X
    if (const char* error = dlerror()) std::printf("dlerror: %s\n", error);
    return true;
  }
  if (via == "dlvsym" || via == "by-hand") {
    const bool by_hand = via == "by-hand";
#define X(member, name, symbol, parameters)                                               \
  cu.member = reinterpret_cast<int(*) parameters>(by_hand ? find_by_hand(library, symbol) \
                                                          : dlvsym(library, symbol, "FAKE_1"));
    FUNCTIONS(X)
#undef X
    return cu.Init != nullptr;
  }
  auto* get =
      reinterpret_cast<int (*)(const char*, void**, int, std::uint64_t, int*)>(dlsym(library, "cuGetProcAddress_v2"));
  void* again = nullptr;  // as the runtime does
  if (get == nullptr || get("cuGetProcAddress", &again, 12000, 0, nullptr) != 0) return false;
  get = reinterpret_cast<decltype(get)>(again);
  void* found = nullptr;
#define X(member, name, symbol, parameters)                    \
  if (get(name, &found, 12000, 0, nullptr) != 0) return false; \
  cu.member = reinterpret_cast<int(*) parameters>(found);
  FUNCTIONS(X)
#undef X
  return true;
#endif
}

#define NVRTC_FUNCTIONS(X)                                                                                          \
  X(create, "nvrtcCreateProgram", (Handle*, const char*, const char*, int, const char* const*, const char* const*)) \
  X(compile, "nvrtcCompileProgram", (Handle, int, const char* const*))                                              \
  X(code_size, "nvrtcGetCUBINSize", (Handle, std::size_t*))                                                         \
  X(get_code, "nvrtcGetCUBIN", (Handle, char*))

#ifdef NVRTC_LINKED
#define X(member, symbol, parameters) extern "C" int linked_##member parameters __asm__(symbol);
NVRTC_FUNCTIONS(X)
#undef X
#endif

// Machine code of the source, and no look at the PTX.
std::string compile(const std::string& source) {
  struct {
#define X(member, symbol, parameters) int(*member) parameters = nullptr;
    NVRTC_FUNCTIONS(X)
#undef X
  } nvrtc;
#ifdef NVRTC_LINKED
#define X(member, symbol, parameters) nvrtc.member = linked_##member;
  NVRTC_FUNCTIONS(X)
#undef X
#else
  if (dlsym(RTLD_DEFAULT, "nvrtcGetCUBIN") != nullptr) std::printf("nvrtcGetCUBIN without a library\n");
  void* library = dlopen("libnvrtc.so.13", RTLD_NOW);
  if (library == nullptr) return {};
#define X(member, symbol, parameters) nvrtc.member = reinterpret_cast<int(*) parameters>(dlsym(library, symbol));
  NVRTC_FUNCTIONS(X)
#undef X
#endif
  Handle program = nullptr;
  std::size_t bytes = 0;
  nvrtc.create(&program, source.c_str(), "kernel.cu", 0, nullptr, nullptr);
  if (nvrtc.compile(program, 0, nullptr) != 0 || nvrtc.code_size(program, &bytes) != 0) return {};
  std::string code(bytes, '\0');
  return nvrtc.get_code(program, code.data()) == 0 ? code : std::string();
}

struct Options {
  std::string via = "dlsym", load = "data", file;
  std::uint64_t length = 1024;  // of a
  int threads = 1;
  bool forks = false, lingers = false, dies = false, twice = false, contexts = false, closes = false, limits = false;
  bool exits = false, no_memory = false, no_descriptors = false, devices = false, counts_descriptors = false;
  bool is_daemon = false;
  int modules = 0, reloads = 0, children = 0;
  std::string again, confine;
};

int wait_for(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return WEXITSTATUS(status);
}

int start_again(const std::string& how, const char* program, const char* file) {
  char* const words[] = {const_cast<char*>(program), const_cast<char*>(file), nullptr};
  pid_t pid = 0;
  if (how == "execl") execl(program, program, file, nullptr);
  if (how == "execlp") execlp(program, program, file, nullptr);
  if (how == "execle") execle(program, program, file, nullptr, environ);
  if (how == "execv") execv(program, words);
  if (how == "execve") execve(program, words, environ);
  if (how == "execvp") execvp(program, words);
  if (how == "execvpe") execvpe(program, words, environ);
  if (how == "fexecve") fexecve(open(program, O_RDONLY | O_CLOEXEC), words, environ);
  if (how == "posix_spawn") return posix_spawn(&pid, program, nullptr, nullptr, words, environ) + wait_for(pid);
  if (how == "posix_spawnp") return posix_spawnp(&pid, program, nullptr, nullptr, words, environ) + wait_for(pid);
  if (how == "vfork") {
    pid = vfork();
    if (pid == 0) {
      execv("/nowhere", words);
      execv(program, words);
      _exit(9);
    }
    return wait_for(pid);
  }
  return 9;
}

// The limit that is just above what the process has; what malloc has in reserve is used up, too.
void use_up_memory() {
  std::ifstream status("/proc/self/statm");
  rlim_t pages = 0;
  status >> pages;
  const rlimit none{pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)), RLIM_INFINITY};
  setrlimit(RLIMIT_AS, &none);
  for (std::size_t bytes = std::size_t{1} << 20U; bytes >= 16; bytes /= 2)
    while (std::malloc(bytes) != nullptr) continue;
}

void use_up_descriptors() {
  const rlimit few{16, 16};
  setrlimit(RLIMIT_NOFILE, &few);
  while (dup(0) >= 0) continue;
}

// Any other call ends the process.
void shut_off_system_calls() {
  std::vector<sock_filter> filter{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const unsigned number : {SYS_write, SYS_exit_group, SYS_futex, SYS_brk, SYS_munmap, SYS_madvise})
    filter.insert(filter.end(),
                  {BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)});
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) std::printf("not confined\n");
}

int count_descriptors() {
  int count = 0;
  DIR* folder = opendir("/proc/self/fd");
  while (readdir(folder) != nullptr) ++count;
  closedir(folder);
  return count - 3;  // ".", ".." and the folder itself
}

int say(const char* what, int status) {
  if (status != 0) std::printf("%s: %d\n", what, status);
  return status;
}

int load_library(const std::string& text, Handle& library) {
  return say("load", cu.LibraryLoad(&library, text.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
}

// `early`: a library that is loaded already.
Handle load_kernel(const Options& options, std::string& text, Handle early, int& status) {
  Handle module = nullptr;
  Handle kernel = nullptr;
  char log[256] = "";
  int names[2] = {5, 6};
  void* values[2] = {log, reinterpret_cast<void*>(sizeof log)};
  if (options.load == "file") status = cu.Load(&module, options.file.c_str());
  else if (options.load == "dataex") status = cu.LoadDataEx(&module, text.c_str(), 2, names, values);
  else if (options.load == "library" || options.load == "early") {
    module = early;
    if (module == nullptr) status = load_library(text, module);
    if (status == 0) status = say("kernel", cu.LibraryKernel(&kernel, module, "vecadd"));
    return kernel;
  } else if (options.load == "link") {
    Handle link = nullptr;
    void* cubin = nullptr;
    std::size_t bytes = 0;
    cu.LinkCreate(0, nullptr, nullptr, &link);
    status = cu.LinkAdd(link, 1, text.data(), text.size() + 1, "a.ptx", 0, nullptr, nullptr);
    if (status == 0) status = cu.LinkComplete(link, &cubin, &bytes);
    std::string copy(static_cast<char*>(cubin), bytes);
    cu.LinkDestroy(link);
    if (status == 0) status = cu.LoadData(&module, copy.data());
  } else if (options.load == "nvrtc") {
    const std::string code = compile(text);
    if (code.empty()) std::printf("no code\n");
    status = code.empty() ? 1 : cu.LoadData(&module, code.data());
  } else if (options.load == "fat" || options.load == "objects") {
    // As nvcc wraps them; version 2: linked code, and the objects that it was linked from, twice the same here.
    const void* objects[] = {text.data(), text.data(), nullptr};
    const bool is_linked = options.load == "objects";
    struct {
      std::uint32_t magic, version;
      const void* data;
      const void* objects;
    } wrapper{0x466243b1, is_linked ? 2U : 1U, text.data(), is_linked ? objects : nullptr};
    status = cu.LoadData(&module, &wrapper);
  } else {
    status = cu.LoadData(&module, text.c_str());
  }
  if (say("load", status) != 0) {
    if (log[0] != '\0') std::printf("log: %s\n", log);
    return nullptr;
  }
  if (options.twice) {
    Handle other = nullptr;
    cu.LoadData(&other, text.c_str());
    cu.Unload(other);
  }
  status = say("function", cu.GetFunction(&kernel, module, "vecadd"));
  return kernel;
}

// As a program does that becomes a daemon; then all numbers are sockets of its own.
std::vector<int> take_all_descriptors() {
  std::vector<int> pairs;
  for (int one = 3; one < 1024; ++one) close(one);
  for (int ends[2]; pairs.size() < 600 && socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0;) {
    pairs.push_back(ends[0]);
    pairs.push_back(ends[1]);
  }
  return pairs;
}

// `created`: in a context of its own, which is destroyed afterwards.
int add_vectors(const Options& options, bool created = false, int ordinal = 0) {
  std::ifstream file(options.file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  Handle context = nullptr;
  int device = 0;
  cu.Init(0);
  say("device", cu.DeviceGet(&device, ordinal));
  Handle early = nullptr;  // before there is any context
  if (options.load == "early" && load_library(text, early) != 0) return 2;
  if (created) say("create", cu.Create(&context, 0, device));
  else cu.Retain(&context, device);
  cu.SetCurrent(context);
  int status = 0;
  std::vector<int> pairs;
  if (options.closes) pairs = take_all_descriptors();
  if (options.no_descriptors) use_up_descriptors();
  std::vector<Handle> others_loaded;
  for (int i = 0; i < options.modules; ++i) cu.LoadData(&others_loaded.emplace_back(), text.c_str());
  for (int i = 0; i < options.reloads; ++i) {
    Handle again = nullptr;
    Handle one = nullptr;
    if (cu.LoadData(&again, text.c_str()) != 0 || cu.GetFunction(&one, again, "vecadd") != 0 || cu.Unload(again) != 0)
      std::printf("reload %d\n", i);
  }
  if (options.counts_descriptors) std::printf("descriptors %d\n", count_descriptors());
  Handle kernel = load_kernel(options, text, early, status);
  if (kernel == nullptr) return 2;
  if (options.counts_descriptors) std::printf("descriptors %d\n", count_descriptors());
  constexpr std::uint64_t n = 1024;
  std::vector<float> a(n), b(n), c(n);
  for (std::uint64_t i = 0; i < n; ++i) a[i] = static_cast<float>(i), b[i] = 0.5F;
  DevicePointer pointers[3];
  for (DevicePointer& one : pointers) cu.Alloc(&one, n * sizeof(float));
  cu.ToDevice(pointers[0], a.data(), n * sizeof(float));
  cu.ToDevice(pointers[1], b.data(), n * sizeof(float));
  std::uint64_t lengths[3] = {options.length, n, n};
  const auto run = [&] {
    cu.SetCurrent(context);
    void* parameters[6] = {&pointers[0], &lengths[0], &pointers[1], &lengths[1], &pointers[2], &lengths[2]};
    say("launch", cu.Launch(kernel, 4, 1, 1, 256, 1, 1, 0, nullptr, parameters, nullptr));
  };
  if (options.no_memory) {
    // All that the program itself needs is there; what it asks of the driver from here on finds no memory.
    run();
    std::fflush(stdout);
    use_up_memory();
    char* image = text.data();
    for (int i = 0; i < 4; ++i) {
      Handle again = nullptr;
      Handle one = nullptr;
      status = cu.LoadData(&again, image);
      if (status == 0) status = cu.GetFunction(&one, again, "vecadd");
      cu.Unload(again);
      run();
    }
    const rlimit all{RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_AS, &all);
  }
  std::vector<std::thread> others;
  for (int i = 1; i < options.threads; ++i) others.emplace_back(run);
  run();
  for (std::thread& one : others) one.join();
  if (options.dies) raise(SIGKILL);
  if (options.exits) {
    std::signal(SIGALRM, [](int) { std::exit(5); });
    raise(SIGALRM);
  }
  status = say("synchronize", cu.Synchronize());
  for (const int one : pairs) {
    char byte = 0;
    if (recv(one, &byte, 1, MSG_DONTWAIT) > 0) std::printf("something came by descriptor %d\n", one);
  }
  cu.ToHost(c.data(), pointers[2], n * sizeof(float));
  double sum = 0;
  for (const float one : c) sum += static_cast<double>(one);
  std::printf("sum %.1f\n", sum);
  std::fflush(stdout);
  if (options.lingers) sleep(3);
  if (created) say("destroy", cu.Destroy(context));
  return status == 0 ? 0 : 3;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--via") options.via = argv[++i];
    else if (word == "--load") options.load = argv[++i];
    else if (word == "--len") options.length = std::strtoull(argv[++i], nullptr, 10);
    else if (word == "--threads") options.threads = std::atoi(argv[++i]);
    else if (word == "--fork") options.forks = true;
    else if (word == "--linger") options.lingers = true;
    else if (word == "--kill") options.dies = true;
    else if (word == "--twice") options.twice = true;
    else if (word == "--contexts") options.contexts = true;
    else if (word == "--close") options.closes = true;
    else if (word == "--limit") options.limits = true;
    else if (word == "--exit") options.exits = true;
    else if (word == "--no-memory") options.no_memory = true;
    else if (word == "--no-descriptors") options.no_descriptors = true;
    else if (word == "--devices") options.devices = true;
    else if (word == "--descriptors") options.counts_descriptors = true;
    else if (word == "--daemon") options.is_daemon = true;
    else if (word == "--confine") options.confine = argv[++i];
    else if (word == "--again") options.again = argv[++i];
    else if (word == "--modules") options.modules = std::atoi(argv[++i]);
    else if (word == "--reload") options.reloads = std::atoi(argv[++i]);
    else if (word == "--children") options.children = std::atoi(argv[++i]);
    else options.file = word;
  }
  if (!options.again.empty()) return start_again(options.again, argv[0], options.file.c_str());
  if (options.limits) {
    const rlimit small{4096, 4096};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  if (!find_functions(options.via)) {
    std::printf("no driver\n");
    return 4;
  }
  if (options.is_daemon) {
    if (fork() != 0) return 0;
    setsid();
    for (int one = 0; one < 3; ++one) close(one);
    sleep(3);
    return add_vectors(options);
  }
  for (int i = 0; i < options.children; ++i)
    if (fork() == 0) _exit(add_vectors(options));
  for (int i = 0; i < options.children; ++i) wait(nullptr);
  if (options.children != 0) return 0;
  if (options.devices) {
    // The second one traps, and after it the first one is as it was.
    Options fine = options;
    fine.length = 1024;
    return add_vectors(fine, false, 0) + add_vectors(options, false, 1) + add_vectors(fine, false, 0);
  }
  if (options.contexts) {
    // One after the other, the second of which traps.
    Options fine = options;
    fine.length = 1024;
    return add_vectors(fine, true) + add_vectors(options, true) + add_vectors(fine, true) + add_vectors(fine);
  }
  if (options.forks) {
    // Both use the driver afterwards, each for itself.
    const pid_t child = fork();
    if (child == 0) _exit(add_vectors(options));
    int status = 0;
    waitpid(child, &status, 0);
    std::printf("child %d\n", WEXITSTATUS(status));
  }
  if (!options.confine.empty()) {
    // After it used the driver, or without ever having done so.
    const int status = options.load == "none" ? 6 : add_vectors(options);
    std::fflush(stdout);
    shut_off_system_calls();
    if (options.confine == "_exit") _exit(status);
    if (options.confine == "quick_exit") std::quick_exit(status);
    return status;
  }
  return add_vectors(options);
}
