// A control flow graph as a picture in a file.
#pragma once

#include <QString>

namespace ptxscope::gui {

class GraphScene;

/// As SVG, PNG or PDF, by the ending of the path, in the colours it is shown in. The file is replaced only when all of it
/// could be written. Returns what was in the way and the way out, in a clause; empty: nothing.
[[nodiscard]] QString export_graph(GraphScene& scene, const QString& path);

}  // namespace ptxscope::gui
