#include "gui/panel.h"

namespace ptxscope::gui {

Panel::Panel(Document& document, Selection& selection, QWidget* parent)
    : QWidget(parent), document_(document), selection_(selection) {}

}  // namespace ptxscope::gui
