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

/// A GPU, as the driver tells it.
struct FoundDevice {
  std::string name;         ///< "NVIDIA H200"
  unsigned capability = 0;  ///< 90 for compute capability 9.0
  std::size_t memory = 0;   ///< bytes
};

/// What was found of the driver, and what it answered.
struct FoundDriver {
  std::string path;          ///< of the library that was opened; empty: none was
  bool is_named = false;     ///< PTXSCOPE_LIBCUDA named it
  bool is_searched = false;  ///< the linker's own search finds it
  std::string elsewhere;     ///< the first one that is there, though the linker's search does not find it
  OpenFailure failure = OpenFailure::none;  ///< of opening the library
  std::string trouble;                      ///< why it could not be asked, or not to the end: a sentence
  std::string library_version;  ///< "580.65.06", from the name of the file behind libcuda.so.1; empty: not told
  std::string kernel_version;   ///< of the kernel module; empty: not told
  std::string told_version;     ///< by NVML, as nvidia-smi shows it; empty: not told
  std::optional<unsigned> told_devices;  ///< by NVML, which does not heed CUDA_VISIBLE_DEVICES
  std::optional<isa::CudaVersion> cuda;  ///< the newest it supports
  std::optional<Status> init;            ///< what cuInit and counting devices gave
  std::string init_words;                ///< the driver's words for it
  std::vector<FoundDevice> devices;      ///< as CUDA_VISIBLE_DEVICES lets them be seen
  bool has_jit_compiler = true;          ///< libnvidia-ptxjitcompiler.so.1 is where the driver is
  std::string link_library;              ///< libcuda.so as `-lcuda` finds it; empty: it does not
  std::string link_elsewhere;            ///< one that is there

  /// "580.65.06"; empty: not known.
  [[nodiscard]] std::string version() const;
  /// The newest PTX ISA it takes; nullopt: not known.
  [[nodiscard]] std::optional<isa::Version> newest_ptx() const;
  /// newest_ptx() is a lower bound: the driver is newer than the table of releases.
  [[nodiscard]] bool is_newer_than_table() const;
};

/// A part of a toolkit that writes PTX or reads NVVM IR.
enum class Part : std::uint8_t { nvcc, ptxas, libnvvm, libdevice, nvjitlink, nvrtc };
[[nodiscard]] std::string_view spelling(Part part);  ///< the name of its file or library: "nvcc", "libNVVM"

/// A part that was found.
struct Component {
  Part part = Part::nvcc;                   ///< which
  std::string path;                         ///< of the file
  std::optional<isa::CudaVersion> version;  ///< of CUDA; nullopt: not told
  std::string full_version;                 ///< "13.0.88"; empty: not told
  std::optional<NvvmVersion> ir;            ///< of libNVVM: the newest it takes
  std::string trouble;                      ///< why it could not be asked
};

/// A folder with parts of CUDA in it.
struct Toolkit {
  /// How the parts come: NVIDIA's installer or a package; pip's packages of parts; inside the Python package triton.
  enum class Kind : std::uint8_t { toolkit, wheels, triton };
  Kind kind = Kind::toolkit;          ///< how they come
  std::string folder;                 ///< what it is all under
  std::vector<std::string> found_by;  ///< "PATH", "CUDA_HOME", "/usr/local/cuda", "python3"
  bool in_use = false;                ///< PATH's first, named by a variable, or of the active Python environment
  std::vector<Component> components;  ///< in no order that matters

  [[nodiscard]] const Component* find(Part part) const;  ///< the first one of that kind; nullptr: it is not there
  /// The newest of those that write PTX.
  [[nodiscard]] std::optional<isa::CudaVersion> version() const;
  /// "CUDA 13.0"; "CUDA" where it is not told.
  [[nodiscard]] std::string name() const;
};

/// What was found on this machine: what judge() looks at.
struct Findings {
  std::string root;                            ///< looked into instead of /; empty: /
  bool is_wsl = false;                         ///< of Windows, whose driver it uses
  std::optional<std::string> visible_devices;  ///< CUDA_VISIBLE_DEVICES
  bool jit_disabled = false;                   ///< CUDA_DISABLE_PTX_JIT
  std::vector<std::string> empty_variables;    ///< "CUDA_HOME=/opt/cuda": nothing of CUDA is there
  FoundDriver driver;                          ///< asked only where `asked_driver`
  bool asked_driver = true;                    ///< SearchOptions::ask_driver
  std::vector<Toolkit> toolkits;               ///< those in use first
};

/// Where to look, and whom to ask.
struct SearchOptions {
  std::string root;        ///< look into this folder as if it were /
  bool ask_driver = true;  ///< false: toolkits only
};
/// Looks for driver, GPUs and toolkits, each asked in a process of its own that may hang or crash.
[[nodiscard]] Findings look_around(const SearchOptions& options);

/// How a check came out: in order; works, with something to know; does not work.
enum class Mark : std::uint8_t { good, warning, wrong };

/// One thing that was looked at, and the answer.
struct Check {
  Mark mark = Mark::good;  ///< how it came out
  std::string group;       ///< "driver", "GPUs", "toolkits", "NVVM IR"
  std::string id;          ///< stable, for programs: "driver-library"
  std::string text;        ///< the answer, a sentence without a full stop
  std::string remedy;      ///< lines; empty: none
  std::string detail;      ///< a line more about it; empty: none
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
  std::optional<isa::TargetIndex> base;    ///< the highest base target; nullopt: none
};
/// `capability`: 90 for 9.0. `newest`: the PTX ISA the driver takes; nullopt: not known, and no bound.
[[nodiscard]] TakenTargets targets_taken(unsigned capability, std::optional<isa::Version> newest);

}  // namespace ptxscope::driver
