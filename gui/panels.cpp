#include "gui/panels.h"

#include "gui/graph_view.h"
#include "gui/launch_panel.h"
#include "gui/requirements_panel.h"
#include "gui/trap_panel.h"

// One panel, one line: include its header and return a new one of it.

namespace ptxscope::gui {

Panel* make_graph_panel(Document& document, Selection& selection, QWidget* parent) {
  return new GraphView(document, selection, parent);
}

Panel* make_trap_panel(Document& document, Selection& selection, QWidget* parent) {
  return new TrapPanel(document, selection, parent);
}

Panel* make_launch_panel(Document& document, Selection& selection, QWidget* parent) {
  return new LaunchPanel(document, selection, parent);
}

Panel* make_requirements_panel(Document& document, Selection& selection, QWidget* parent) {
  return new RequirementsPanel(document, selection, parent);
}

}  // namespace ptxscope::gui
