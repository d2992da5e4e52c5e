// A function of the C library that stands behind one of ours of the same name.
#pragma once

namespace ptxscope::preload {

/// Null: there is none. Takes no memory and calls nobody: it may be what sets malloc up that asks, or a sanitizer that has
/// not yet found what stands behind its own functions.
[[nodiscard]] void* c_library_function(const char* name);

}  // namespace ptxscope::preload
