// Kernels by their handles, and their launches.
#pragma once

#include <memory>
#include <string_view>

#include "driver/preload/modules.h"

namespace ptxscope::preload {

/// `function`, a CUfunction or CUkernel, is that kernel of that module (null: not known) from now on.
void add_function(Handle function, const std::shared_ptr<LoadedModule>& loaded, std::string_view name);
/// A CUfunction of a CUkernel that is known.
void add_function_of_kernel(Handle function, Handle kernel);

}  // namespace ptxscope::preload
