// Machine code whose PTX is known: linked from texts of ours (cuLink), or compiled by NVRTC, which hands over both. The
// program loads it later, and then it is known again by its bytes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "driver/preload/modules.h"

namespace ptxscope::preload {

struct KnownCode {
  std::string code;                                ///< all bytes: another code of the same hash would be a wrong result
  std::vector<std::shared_ptr<const Part>> parts;  ///< what it was linked from
  std::string ptx;                                 ///< what NVRTC made beside it
};

/// Kept up to a bound, the oldest go first.
void keep_code(KnownCode one);
/// The latest one of these bytes; null: none.
[[nodiscard]] std::shared_ptr<const KnownCode> find_code(const ImageView& image);
void forget_code();

}  // namespace ptxscope::preload
