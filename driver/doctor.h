// What stands between this machine and running PTX: what was found, and what of it does not go together. Finding and
// judging are apart: judge() is a plain function of what was found.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "driver/cuda_api.h"
#include "driver/nvvm_ir.h"
#include "isa/releases.h"
#include "isa/targets.h"

namespace ptxscope::driver {

struct FoundDevice {
  std::string name;
  unsigned capability = 0;  ///< 90 for compute capability 9.0
  std::size_t memory = 0;   ///< bytes
};

struct FoundDriver {
  std::string path;          ///< of the library that was opened; empty: none was
  bool is_named = false;     ///< PTXSCOPE_LIBCUDA named it
  bool is_searched = false;  ///< the linker's own search finds it
  std::string elsewhere;     ///< the first one that is there, though the linker's search does not find it
  OpenFailure failure = OpenFailure::none;
  std::string trouble;          ///< why it could not be asked, or not to the end: a sentence
  std::string library_version;  ///< "580.65.06", from the name of the file behind libcuda.so.1; empty: not told
  std::string kernel_version;   ///< of the kernel module; empty: not told
  std::string told_version;     ///< by NVML, as nvidia-smi shows it; empty: not told
  std::optional<unsigned> told_devices;  ///< by NVML, which does not heed CUDA_VISIBLE_DEVICES
  std::optional<isa::CudaVersion> cuda;  ///< the newest it supports
  std::optional<Status> init;            ///< what cuInit and counting devices gave
  std::string init_words;                ///< the driver's words for it
  std::vector<FoundDevice> devices;
  bool has_jit_compiler = true;  ///< libnvidia-ptxjitcompiler.so.1 is where the driver is
  std::string link_library;      ///< libcuda.so as `-lcuda` finds it; empty: it does not
  std::string link_elsewhere;    ///< one that is there

  /// "580.65.06"; empty: not known.
  [[nodiscard]] std::string version() const;
  /// The newest PTX ISA it takes; nullopt: not known.
  [[nodiscard]] std::optional<isa::Version> newest_ptx() const;
  /// newest_ptx() is a lower bound: the driver is newer than the table of releases.
  [[nodiscard]] bool is_newer_than_table() const;
};

enum class Part : std::uint8_t { nvcc, ptxas, libnvvm, libdevice, nvjitlink, nvrtc };
[[nodiscard]] std::string_view spelling(Part part);

struct Component {
  Part part = Part::nvcc;
  std::string path;
  std::optional<isa::CudaVersion> version;
  std::string full_version;       ///< "13.0.88"; empty: not told
  std::optional<NvvmVersion> ir;  ///< of libNVVM: the newest it takes
  std::string trouble;            ///< why it could not be asked
};

/// A folder with parts of CUDA in it.
struct Toolkit {
  enum class Kind : std::uint8_t { toolkit, wheels, triton };
  Kind kind = Kind::toolkit;
  std::string folder;
  std::vector<std::string> found_by;  ///< "PATH", "CUDA_HOME", "/usr/local/cuda", "python3"
  bool in_use = false;                ///< PATH's first, named by a variable, or of the active Python environment
  std::vector<Component> components;

  [[nodiscard]] const Component* find(Part part) const;
  /// The newest of those that write PTX.
  [[nodiscard]] std::optional<isa::CudaVersion> version() const;
  /// "CUDA 13.0"; "CUDA" where it is not told.
  [[nodiscard]] std::string name() const;
};

struct Findings {
  std::string root;  ///< looked into instead of /; empty: /
  bool is_wsl = false;
  std::optional<std::string> visible_devices;  ///< CUDA_VISIBLE_DEVICES
  bool jit_disabled = false;                   ///< CUDA_DISABLE_PTX_JIT
  std::vector<std::string> empty_variables;    ///< "CUDA_HOME=/opt/cuda": nothing of CUDA is there
  FoundDriver driver;
  bool asked_driver = true;
  std::vector<Toolkit> toolkits;  ///< those in use first
};

struct SearchOptions {
  std::string root;        ///< look into this folder as if it were /
  bool ask_driver = true;  ///< false: toolkits only
};
[[nodiscard]] Findings look_around(const SearchOptions& options);

enum class Mark : std::uint8_t { good, warning, wrong };

struct Check {
  Mark mark = Mark::good;
  std::string group;  ///< "driver", "GPUs", "toolkits", "NVVM IR"
  std::string id;     ///< stable, for programs: "driver-library"
  std::string text;
  std::string remedy;  ///< lines; empty: none
  std::string detail;  ///< a line more about it; empty: none
};

/// In order of reading.
[[nodiscard]] std::vector<Check> judge(const Findings& findings);
/// Of one module of NVVM IR against the libNVVMs found.
[[nodiscard]] std::vector<Check> judge_module(const Findings& findings, const NvvmModule& module);
/// None of them is wrong.
[[nodiscard]] bool all_well(const std::vector<Check>& checks);

/// The targets of PTX that a GPU takes from a driver of that PTX ISA: specific ones, and the highest base one.
struct TakenTargets {
  std::vector<isa::TargetIndex> specific;  ///< sm_90a, sm_120f
  std::optional<isa::TargetIndex> base;
};
[[nodiscard]] TakenTargets targets_taken(unsigned capability, std::optional<isa::Version> newest);

}  // namespace ptxscope::driver
