// The record that an instrumented module writes when a thread of it is about to trap: where each piece stands.
// Little-endian; the memory must be all zero before. One place says it for the code that writes it (instrument.h), for
// what sets the memory up, and for what reads it (decode_record).
#pragma once

#include <cstdint>

namespace ptxscope::analysis::record {

/// Changes when the layout does; a record of another version is not read.
inline constexpr std::uint32_t version = 1;
inline constexpr std::uint32_t bytes = 4096;  ///< what a record takes, alignment included

// u32, unless another type is stated.
inline constexpr std::uint32_t state_at = 0;  ///< 0: nothing; 1: being written; 2: whole (written last)
/// `version`, as the code that wrote it had it.
inline constexpr std::uint32_t version_at = 4;
inline constexpr std::uint32_t site_at = 8;         ///< Site::number
inline constexpr std::uint32_t module_at = 12;      ///< Instrumented::tag
inline constexpr std::uint32_t way_at = 16;         ///< from 1, of Site::ways; 0: to be told by the values
inline constexpr std::uint32_t valid_at = 20;       ///< bit n: value n was recorded
inline constexpr std::uint32_t grid_id_at = 24;     ///< u64
inline constexpr std::uint32_t ctaid_at = 32;       ///< x, y, z
inline constexpr std::uint32_t tid_at = 44;         ///< x, y, z
inline constexpr std::uint32_t nctaid_at = 56;      ///< x, y, z
inline constexpr std::uint32_t ntid_at = 68;        ///< x, y, z
inline constexpr std::uint32_t clusterid_at = 80;   ///< x, y, z; of targets that have clusters
inline constexpr std::uint32_t nclusterid_at = 92;  ///< x, y, z; all zero: the target has none
/// %laneid.
inline constexpr std::uint32_t laneid_at = 104;
/// %warpid.
inline constexpr std::uint32_t warpid_at = 108;
/// %smid.
inline constexpr std::uint32_t smid_at = 112;
inline constexpr std::uint32_t parameter_bytes_at = 116;  ///< how many were copied
inline constexpr std::uint32_t values_at = 128;           ///< u64 each
/// Room for values; a site with more leaves the rest out.
inline constexpr std::uint32_t max_values = 16;
/// The kernel's parameter bytes, from the first on.
inline constexpr std::uint32_t parameters_at = 256;
/// Room for them, in bytes.
inline constexpr std::uint32_t max_parameter_bytes = 2048;

/// What stands at `state_at`: nothing yet; a thread has begun to write; all of it is there.
///@{
inline constexpr std::uint32_t state_empty = 0;
inline constexpr std::uint32_t state_started = 1;
inline constexpr std::uint32_t state_whole = 2;
///@}

static_assert(values_at + 8 * max_values <= parameters_at);
static_assert(parameters_at + max_parameter_bytes <= bytes);

}  // namespace ptxscope::analysis::record
