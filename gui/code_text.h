// One line of PTX in its colours, for all who draw code.
#pragma once

#include <QPainter>
#include <string_view>

#include "gui/line_layout.h"
#include "gui/places.h"
#include "parser/module.h"

namespace ptxscope::gui {

/// Where the line is drawn: in pixels, but for columns, which are of the whole line.
struct CodePlace {
  double left = 0;  ///< of column 0, also when it is out of sight
  int top = 0;
  double character = 8;  ///< width
  int ascent = 12;
  double first_column = 0, last_column = 0;  ///< in sight
};

/// `outline` may be nullptr: the inside of long comments is not known then.
void draw_code(QPainter& painter, const Module& module, const Outline* outline, std::uint32_t line,
               const LineLayout& layout, const CodePlace& place);

}  // namespace ptxscope::gui
