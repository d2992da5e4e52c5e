// The NVVM IR version a module declares (NVVM IR specification, "NVVM Metadata", !nvvmir.version) and whether a libNVVM
// takes it.
//
// Measured on the libNVVM of CUDA 11.8, 12.0, 12.4, 12.8 and 13.0: a module without !nvvmir.version counts as 1.0 (debug
// metadata 1.0); one where it lists nothing is taken, but not with -g and debug information; each node it lists must have
// two or four numbers; the major number must be the library's, the minor number not above it, and the same for the debug
// metadata. Debug information in a module is compiled only with the option -g, and then needs the four. It is dropped in
// silence unless the module flag "Debug Info Version" is 3.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptxscope::driver {

/// A version of NVVM IR and of its debug metadata, each "2.0" as two numbers.
struct NvvmVersion {
  unsigned major_number = 0;  ///< 2 of 2.0
  unsigned minor_number = 0;  ///< 0 of 2.0
  unsigned debug_major = 0;   ///< 3 of 3.2; 0 with debug_minor 0: not told
  unsigned debug_minor = 0;   ///< 2 of 3.2
  friend constexpr bool operator==(const NvvmVersion&, const NvvmVersion&) = default;  ///< all four numbers
};
/// "2.0"; "2.0, debug metadata 3.2".
[[nodiscard]] std::string to_string(const NvvmVersion& version);

/// One node of !nvvmir.version.
struct NvvmDeclaration {
  std::uint32_t line = 0;         ///< of the node; 0: it is named, and not there
  std::vector<unsigned> numbers;  ///< two, or four with the debug metadata's
};

/// What a module of NVVM IR says of its version.
struct NvvmModule {
  std::string file;                            ///< as given
  std::vector<NvvmDeclaration> versions;       ///< the nodes of !nvvmir.version, in order
  std::uint32_t version_line = 0;              ///< of the first !nvvmir.version; 0: there is none
  bool has_debug_info = false;                 ///< !llvm.dbg.cu
  std::optional<unsigned> debug_info_version;  ///< the module flag
  unsigned free_number = 0;                    ///< a number that no metadata node has
  std::string error;                           ///< not NVVM IR text, or not to be read: a sentence with the way out
};

/// Reads the metadata of a module in text form, also with the older spelling `metadata !{…}`.
[[nodiscard]] NvvmModule read_nvvm_module(std::string file, std::string_view text);

/// Why a libNVVM of that version refuses the module, in its own words; empty: the version is taken. `with_debug_info`: it
/// is called with -g, and the module has debug information.
[[nodiscard]] std::string refusal(const NvvmModule& module, const NvvmVersion& library, bool with_debug_info);
/// What to write so that such a library takes it, a line of text or two.
[[nodiscard]] std::string lines_to_write(const NvvmModule& module, const NvvmVersion& library);

}  // namespace ptxscope::driver
