// Writing what is exported.
#pragma once

#include <QString>
#include <string>

namespace ptxscope::gui {

/// The file is replaced only when all of it could be written. Returns what was in the way and the way out, in a clause;
/// empty: nothing.
[[nodiscard]] QString save_file(const QString& path, const std::string& bytes);

}  // namespace ptxscope::gui
