// The panels that a page is made of, made by name here so that the page knows none of their classes. A panel that is not
// built in gives nullptr, and the page leaves its place to the others.
#pragma once

#include "gui/panel.h"

namespace ptxscope::gui {

[[nodiscard]] Panel* make_graph_panel(Document& document, Selection& selection, QWidget* parent);
[[nodiscard]] Panel* make_trap_panel(Document& document, Selection& selection, QWidget* parent);
[[nodiscard]] Panel* make_launch_panel(Document& document, Selection& selection, QWidget* parent);
[[nodiscard]] Panel* make_requirements_panel(Document& document, Selection& selection, QWidget* parent);

}  // namespace ptxscope::gui
