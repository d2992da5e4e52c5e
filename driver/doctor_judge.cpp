#include <algorithm>
#include <set>

#include "driver/doctor.h"
#include "isa/devices.h"

namespace ptxscope::driver {

namespace {

// The newest release that is not newer.
const isa::Release* release_of(isa::CudaVersion version) {
  const isa::Release* newest = nullptr;
  for (const isa::Release& release : isa::releases())
    if (release.cuda != isa::CudaVersion{} && release.cuda <= version) newest = &release;
  return newest;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

class Judge {
 public:
  explicit Judge(const Findings& found) : found_(found), driver_(found.driver) {}

  std::vector<Check> take() {
    if (found_.asked_driver) {
      group_ = "driver";
      if (library()) {
        start();
        version();
        pieces();
      }
      debugger();
      if (driver_.init) {
        group_ = "GPUs";
        devices();
      }
    }
    group_ = "toolkits";
    toolkits();
    return std::move(checks_);
  }

 private:
  void add(Mark mark, std::string id, std::string text, std::string remedy = {}, std::string detail = {}) {
    checks_.push_back({mark, group_, std::move(id), std::move(text), std::move(remedy), std::move(detail)});
  }

  // False: there is no library to say more about.
  bool library() {
    const std::string id = "driver-library";
    if (driver_.failure == OpenFailure::not_found && driver_.is_named) {
      add(Mark::wrong, id, driver_.trouble, "correct or unset PTXSCOPE_LIBCUDA");
      return false;
    }
    if (!driver_.is_named && !driver_.is_searched && !driver_.elsewhere.empty()) {
      add(Mark::wrong, id, "libcuda.so.1 is there, " + driver_.elsewhere + ", and programs do not find it",
          put_on_path(folder_of(driver_.elsewhere)));
      return !driver_.path.empty();
    }
    if (driver_.path.empty() && driver_.failure == OpenFailure::not_found) {
      add(Mark::wrong, id, "there is no libcuda.so.1: no NVIDIA driver, or none that is seen here",
          found_.is_wsl
              ? "install NVIDIA's driver on Windows, none in here; it brings /usr/lib/wsl/lib (after: wsl --shutdown)"
              : "install the driver; in a container: start it with the GPU (docker run --gpus all …)");
      return false;
    }
    if (driver_.path.empty()) {
      add(Mark::wrong, id, driver_.trouble.empty() ? "libcuda.so.1 cannot be used" : driver_.trouble,
          "install the driver again");
      return false;
    }
    if (found_.is_wsl && !driver_.is_named && !driver_.path.starts_with("/usr/lib/wsl/")) {
      add(Mark::wrong, id, "libcuda.so.1 is " + driver_.path + ": a Linux driver's, which does not work in WSL",
          "remove it, Windows' driver is enough: sudo apt remove --purge '^libnvidia-compute-.*'");
      return true;
    }
    add(Mark::good, id, "libcuda.so.1: " + driver_.path + (driver_.is_named ? " (PTXSCOPE_LIBCUDA)" : ""));
    return true;
  }

  [[nodiscard]] std::string put_on_path(const std::string& folder) const {
    const std::string file = found_.is_wsl ? "ld.wsl.conf" : "nvidia.conf";
    return "echo " + folder + " | sudo tee /etc/ld.so.conf.d/" + file + " && sudo ldconfig\n" +
           "or, for this shell: export LD_LIBRARY_PATH=" + folder + "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}";
  }

  // What cuInit said, apart from "no device", which is the GPUs' matter.
  void start() {
    const std::string id = "driver-start";
    if (is_mismatch()) {
      add(Mark::wrong, id,
          "the driver's library is of version " + driver_.library_version + ", its kernel module of " +
              driver_.kernel_version + ": they must be the same" + (failed() ? " (" + driver_.init_words + ")" : ""),
          "reboot; an update of the driver takes effect then");
      return;
    }
    if (!driver_.init) {
      add(Mark::wrong, id,
          "cuInit does not come back: " + (driver_.trouble.empty() ? "no reason known" : driver_.trouble),
          "does nvidia-smi answer? the kernel's log says why not: sudo dmesg | grep -i -e nvrm -e xid");
      return;
    }
    if (!failed() || *driver_.init == Status::no_device) return;
    add(Mark::wrong, id, "cuInit fails: " + driver_.init_words, way_out(*driver_.init));
  }

  [[nodiscard]] bool failed() const { return driver_.init && *driver_.init != Status::success; }

  // With NVIDIA's forward-compatibility package the library is newer than the kernel module, and meant to be.
  [[nodiscard]] bool is_compatibility() const { return driver_.path.find("/compat") != std::string::npos; }

  [[nodiscard]] bool is_mismatch() const {
    if (driver_.init && *driver_.init == Status::system_driver_mismatch) return true;
    return !driver_.library_version.empty() && !driver_.kernel_version.empty() &&
           driver_.library_version != driver_.kernel_version && !is_compatibility() && failed();
  }

  [[nodiscard]] std::string way_out(Status status) const {
    if (status == Status::stub_library)
      return "this is a toolkit's libcuda.so for linking only: take its stubs folder off LD_LIBRARY_PATH";
    if (status == Status::compat_not_supported_on_device)
      return "take the folder of cuda-compat off LD_LIBRARY_PATH: forward compatibility is for data-center GPUs";
    if (status == Status::system_not_ready)
      return "with NVSwitch the fabric manager must run: sudo systemctl start nvidia-fabricmanager";
    if (!found_.is_wsl && driver_.kernel_version.empty())
      return "the kernel module is not loaded: sudo modprobe nvidia";
    if (found_.is_wsl) return "restart WSL (on Windows: wsl --shutdown); is Windows' NVIDIA driver up to date?";
    return "does nvidia-smi work, and may this user open /dev/nvidia*?";
  }

  void version() {
    if (!driver_.cuda) return;
    const std::string name = driver_.version().empty() ? "the driver" : "driver " + driver_.version();
    const auto newest = driver_.newest_ptx();
    if (!newest) {
      add(Mark::warning, "driver-version",
          name + " is of CUDA " + isa::to_string(*driver_.cuda) + ", whose PTX ISA is not known here");
      return;
    }
    std::string text = name + " is of CUDA " + isa::to_string(*driver_.cuda) + " and takes PTX up to ISA " +
                       isa::to_string(*newest) + (driver_.is_newer_than_table() ? ", or newer" : "");
    if (is_compatibility()) text += " (forward compatibility: the kernel module is " + driver_.kernel_version + ")";
    add(Mark::good, "driver-version", text);
  }

  void pieces() {
    if (!driver_.has_jit_compiler)
      add(Mark::wrong, "jit-compiler",
          "libnvidia-ptxjitcompiler.so.1 is missing beside the driver: PTX cannot be compiled "
          "(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, 221)",
          "install it with the driver; in a container: NVIDIA_DRIVER_CAPABILITIES=compute,utility");
    if (found_.jit_disabled)
      add(Mark::wrong, "jit-disabled",
          "CUDA_DISABLE_PTX_JIT is set: the driver refuses all PTX (CUDA_ERROR_JIT_COMPILATION_DISABLED, 223)",
          "unset CUDA_DISABLE_PTX_JIT");
    if (driver_.link_library.empty() && !driver_.link_elsewhere.empty())
      add(Mark::warning, "link-library",
          "programs that link with -lcuda do not find libcuda.so, though it is there: " + driver_.link_elsewhere,
          "export LIBRARY_PATH=" + folder_of(driver_.link_elsewhere) + "${LIBRARY_PATH:+:$LIBRARY_PATH}");
  }

  void debugger() {
    if (!found_.is_wsl) return;
    add(Mark::warning, "wsl-debugger", "WSL: cuda-gdb and compute-sanitizer work only once Windows' registry allows it",
        "on Windows, as administrator: reg add \"HKLM\\SOFTWARE\\NVIDIA Corporation\\GPUDebugger\" /v EnableInterface "
        "/t REG_DWORD /d 1\n"
        "ptxscope run needs neither of them to tell why a kernel trapped");
  }

  void devices() {
    const std::size_t count = driver_.devices.size();
    const bool is_limited = found_.visible_devices && driver_.told_devices && *driver_.told_devices > count;
    if (count == 0 && (!failed() || *driver_.init == Status::no_device)) {
      if (found_.visible_devices)
        add(Mark::wrong, "gpu",
            "CUDA_VISIBLE_DEVICES=" + *found_.visible_devices + " hides " +
                (is_limited ? (*driver_.told_devices == 1 ? std::string("the GPU")
                                                          : "all " + std::to_string(*driver_.told_devices) + " GPUs")
                            : "every GPU, if there is one"),
            "unset CUDA_VISIBLE_DEVICES");
      else
        add(Mark::wrong, "gpu", "there is a driver, but no GPU that it knows",
            found_.is_wsl ? "update Windows' NVIDIA driver, and WSL (on Windows: wsl --update)"
                          : "does nvidia-smi -L list one? in a container: start it with --gpus all");
      return;
    }
    for (std::size_t ordinal = 0; ordinal < count; ++ordinal) device(ordinal);
    if (is_limited)
      add(Mark::good, "visible-devices",
          "CUDA_VISIBLE_DEVICES=" + *found_.visible_devices + " shows " + std::to_string(count) + " of " +
              std::to_string(*driver_.told_devices) + " GPUs");
  }

  void device(std::size_t ordinal) {
    const FoundDevice& device = driver_.devices[ordinal];
    std::string text =
        std::to_string(ordinal) + ": " + device.name + ", compute capability " + isa::capability_of(device.capability);
    if (device.memory != 0) text += ", " + std::to_string((device.memory + (std::size_t{1} << 29)) >> 30) + " GiB";
    const TakenTargets taken = targets_taken(device.capability, driver_.newest_ptx());
    std::vector<std::string> names;
    for (const isa::TargetIndex index : taken.specific) names.emplace_back(isa::targets()[index].name);
    if (taken.base)
      names.insert(names.begin(), std::string(isa::targets()[*taken.base].name) + " and every lower base target");
    if (names.empty()) {
      add(Mark::wrong, "gpu", text + ": no .target is known that runs on it");
      return;
    }
    add(Mark::good, "gpu", text + ": runs .target " + joined(names));
  }

  void toolkits() {
    for (const std::string& variable : found_.empty_variables)
      add(Mark::wrong, "toolkit-variable", variable + ": there is nothing of CUDA in that folder",
          "name the folder that holds bin/nvcc, or unset it");
    if (found_.toolkits.empty()) {
      add(Mark::warning, "toolkit",
          "no CUDA toolkit was found, neither by PATH, CUDA_HOME and CUDA_PATH, nor in /usr/local, nor in Python's "
          "wheels",
          "loading PTX needs none; writing it from CUDA C++ or NVVM IR does");
      return;
    }
    for (const Toolkit& toolkit : found_.toolkits) this_toolkit(toolkit);
    several();
  }

  void this_toolkit(const Toolkit& toolkit) {
    const std::string name = toolkit.name() + " in " + toolkit.folder;
    std::vector<std::string> by = toolkit.found_by;
    std::erase(by, toolkit.folder);
    const std::string title = name + (by.empty() ? "" : " (" + joined(by) + ")");
    const auto version = toolkit.version();
    const isa::Release* const release = version ? release_of(*version) : nullptr;
    const auto takes = driver_.newest_ptx();
    if (release != nullptr && takes && release->ptx > *takes && !driver_.is_newer_than_table()) {
      const std::string limit = isa::to_string(*takes);
      add(toolkit.in_use ? Mark::wrong : Mark::warning, "toolkit-newer",
          title + " writes PTX ISA " + isa::to_string(release->ptx) + ", newer than the driver takes (" + limit +
              "): CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222)",
          older_ptx(*takes) + "\nor update the driver: " + isa::describe_driver(*release), parts_of(toolkit));
    } else {
      std::string text = title;
      if (release != nullptr)
        text += " writes PTX up to ISA " + isa::to_string(release->ptx) + (takes ? ", which the driver takes" : "");
      add(Mark::good, "toolkit", text, {}, parts_of(toolkit));
    }
    older_than_devices(toolkit, release);
    parts(toolkit);
  }

  // How to come by PTX of a version that the driver takes.
  [[nodiscard]] std::string older_ptx(isa::Version version) const {
    const std::string name = isa::to_string(version);
    const std::string feature = "ptx" + std::to_string(version.major_number()) + std::to_string(version.minor_number());
    std::string lines = "ask for .version " + name + ": ptxscope retarget --isa " + name + " FILE; llc -mattr=+" +
                        feature + "; rustc -C target-feature=+" + feature + "\n";
    const unsigned capability = driver_.devices.empty() ? 0 : driver_.devices.front().capability;
    lines += "or leave PTX out: nvcc -arch=sm_" + (capability == 0 ? "XX" : std::to_string(capability)) +
             " makes machine code, which the driver of an older minor version takes";
    return lines;
  }

  // A toolkit that does not know the GPU: its PTX for an older target is compiled for it all the same.
  void older_than_devices(const Toolkit& toolkit, const isa::Release* release) {
    if (release == nullptr) return;
    std::set<unsigned> said;
    for (const FoundDevice& device : driver_.devices) {
      const auto target = isa::find_target("sm_" + std::to_string(device.capability));
      if (!target || isa::targets()[*target].lowest <= release->ptx || !said.insert(device.capability).second) continue;
      add(Mark::warning, "toolkit-older",
          toolkit.name() + " does not know " + std::string(isa::targets()[*target].name) + ", the target of " +
              device.name,
          "its PTX for a lower base target runs there; its machine code does not");
    }
  }

  // "nvcc 13.0.88, ptxas 13.0.88, libNVVM (NVVM IR 2.0)"
  [[nodiscard]] static std::string parts_of(const Toolkit& toolkit) {
    std::vector<std::string> words;
    for (const Component& part : toolkit.components) {
      if (!part.trouble.empty()) continue;
      std::string word(spelling(part.part));
      if (!part.full_version.empty()) word += " " + part.full_version;
      if (part.ir) word += " (NVVM IR " + to_string(*part.ir) + ")";
      words.push_back(std::move(word));
    }
    return joined(words);
  }

  void parts(const Toolkit& toolkit) {
    for (const Component& part : toolkit.components)
      if (!part.trouble.empty())
        add(toolkit.in_use ? Mark::wrong : Mark::warning, "toolkit-part",
            std::string(spelling(part.part)) + " " + part.path + ": " + part.trouble, "install it again");
    const Component* const libnvvm = toolkit.find(Part::libnvvm);
    if (libnvvm != nullptr && toolkit.find(Part::libdevice) == nullptr)
      add(Mark::warning, "libdevice",
          "libNVVM without libdevice.10.bc: compilers that call its mathematical functions will not find them",
          "install the whole of it (wheel nvidia-cuda-nvcc, package cuda-nvvm)");
    linker(toolkit);
  }

  // nvJitLink takes code up to its own version (nvJitLink manual, "Compatibility").
  void linker(const Toolkit& toolkit) {
    const Component* const linker = toolkit.find(Part::nvjitlink);
    const auto version = toolkit.version();
    if (linker == nullptr || !linker->version || !version || *linker->version >= *version) return;
    add(Mark::warning, "nvjitlink-older",
        "nvJitLink is of CUDA " + isa::to_string(*linker->version) +
            ", older than what writes the code it links (CUDA " + isa::to_string(*version) + ")",
        "bring both to one version");
  }

  // Several toolkits in use that are not of one version.
  void several() {
    const Toolkit* by_path = nullptr;
    std::vector<const Toolkit*> on_path;
    std::vector<const Component*> libraries;
    for (const Toolkit& toolkit : found_.toolkits) {
      const auto is_by = [&](const char* way) {
        return std::ranges::find(toolkit.found_by, way) != toolkit.found_by.end();
      };
      if (is_by("PATH")) {
        if (by_path == nullptr || (toolkit.in_use && !by_path->in_use)) by_path = &toolkit;
        on_path.push_back(&toolkit);
      }
      if (const Component* one = toolkit.find(Part::libnvvm); one != nullptr && one->ir) libraries.push_back(one);
    }
    const bool differ =
        std::ranges::any_of(on_path, [&](const Toolkit* one) { return one->version() != on_path.front()->version(); });
    if (differ) {
      std::vector<std::string> names;
      for (const Toolkit* one : on_path) names.push_back(one->name() + " in " + one->folder);
      add(Mark::warning, "several-on-path", "several toolkits are on PATH, the first is taken: " + joined(names),
          "leave one on PATH");
    }
    for (const Toolkit& toolkit : found_.toolkits) {
      if (by_path == nullptr || &toolkit == by_path || toolkit.kind != Toolkit::Kind::toolkit) continue;
      for (const char* name : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDA_TOOLKIT_ROOT_DIR"}) {
        if (std::ranges::find(toolkit.found_by, name) == toolkit.found_by.end()) continue;
        add(Mark::warning, "variable-and-path",
            std::string(name) + " names " + toolkit.name() + ", PATH finds " + by_path->name() +
                ": build systems differ in which they take",
            "export " + std::string(name) + "=" + by_path->folder + "\nor: export PATH=" + toolkit.folder +
                "/bin:$PATH");
        break;
      }
    }
    for (const Component* one : libraries) {
      if (one->ir->major_number == libraries.front()->ir->major_number) continue;
      add(Mark::warning, "several-libnvvm",
          "two libNVVM that take different NVVM IR: " + libraries.front()->path + " (" +
              to_string(*libraries.front()->ir) + ") and " + one->path + " (" + to_string(*one->ir) + ")",
          "ptxscope doctor FILE.ll says which of them takes a module");
      break;
    }
  }

  const Findings& found_;
  const FoundDriver& driver_;
  std::string group_;
  std::vector<Check> checks_;
};

}  // namespace

std::optional<isa::Version> FoundDriver::newest_ptx() const {
  if (!cuda) return std::nullopt;
  const isa::Release* const release = release_of(*cuda);
  return release != nullptr ? std::optional(release->ptx) : std::nullopt;
}

bool FoundDriver::is_newer_than_table() const { return cuda && *cuda > isa::releases().back().cuda; }

TakenTargets targets_taken(unsigned capability, std::optional<isa::Version> newest) {
  TakenTargets taken;
  for (std::size_t index = 0; index < isa::targets().size(); ++index) {
    const isa::Target& target = isa::targets()[index];
    if (!isa::runs_on(target, capability) || (newest && target.lowest > *newest)) continue;
    if (target.suffix == ' ') taken.base = static_cast<isa::TargetIndex>(index);
    else taken.specific.push_back(static_cast<isa::TargetIndex>(index));
  }
  return taken;
}

std::vector<Check> judge(const Findings& findings) { return Judge(findings).take(); }

std::vector<Check> judge_module(const Findings& findings, const NvvmModule& module) {
  std::vector<Check> checks;
  const auto add = [&](Mark mark, std::string id, std::string text, std::string remedy = {}) {
    checks.push_back({mark, "NVVM IR", std::move(id), std::move(text), std::move(remedy), {}});
  };
  std::string declared = "declares no NVVM IR version, which counts as 1.0";
  if (!module.versions.empty()) {
    declared = "declares NVVM IR ";
    for (std::size_t i = 0; i < module.versions.size(); ++i) {
      const std::vector<unsigned>& numbers = module.versions[i].numbers;
      if (i != 0) declared += ", and ";
      if (numbers.size() == 4) declared += to_string(NvvmVersion{numbers[0], numbers[1], numbers[2], numbers[3]});
      else if (numbers.size() == 2) declared += to_string(NvvmVersion{numbers[0], numbers[1], 0, 0});
      else declared += "a version that is not two or four numbers";
    }
  } else if (module.version_line != 0) {
    declared = "lists no version in !nvvmir.version";
  }
  bool is_compared = false;
  for (const Toolkit& toolkit : findings.toolkits) {
    for (const Component& part : toolkit.components) {
      if (!part.ir) continue;
      is_compared = true;
      const std::string library =
          "libNVVM of " + toolkit.name() + " (" + part.path + ", NVVM IR " + to_string(*part.ir) + ")";
      if (const std::string words = refusal(module, *part.ir, false); !words.empty()) {
        add(toolkit.in_use ? Mark::wrong : Mark::warning, "nvvm-ir",
            declared + "; the " + library + " refuses it: " + words, lines_to_write(module, *part.ir));
      } else if (const std::string debug_words = refusal(module, *part.ir, module.has_debug_info);
                 !debug_words.empty()) {
        add(Mark::warning, "nvvm-ir",
            declared + "; the " + library + " takes it, but not with its debug information (option -g): " + debug_words,
            lines_to_write(module, *part.ir));
      } else {
        add(Mark::good, "nvvm-ir", declared + "; the " + library + " takes it");
      }
    }
  }
  if (!is_compared) {
    // What the libNVVM of CUDA 12 and 13 take, and the oldest debug metadata among them.
    constexpr NvvmVersion usual{2, 0, 3, 1};
    const bool refused = !refusal(module, usual, module.has_debug_info).empty();
    add(refused ? Mark::wrong : Mark::warning, "nvvm-ir",
        declared + "; no libNVVM was found here to compare it with; those of CUDA 12 and 13 " +
            (refused ? "refuse it: they take 2.0" : "take it"),
        refused ? lines_to_write(module, usual) : std::string());
  }
  if (module.has_debug_info && module.debug_info_version != 3U)
    add(Mark::warning, "debug-info-version",
        module.debug_info_version
            ? "the module flag \"Debug Info Version\" is " + std::to_string(*module.debug_info_version) +
                  ", not 3: the debug information is dropped without a word"
            : "has debug information but no module flag \"Debug Info Version\": it is dropped without a word",
        "in !llvm.module.flags: !{i32 2, !\"Debug Info Version\", i32 3}");
  return checks;
}

bool all_well(const std::vector<Check>& checks) {
  return std::ranges::none_of(checks, [](const Check& one) { return one.mark == Mark::wrong; });
}

}  // namespace ptxscope::driver
