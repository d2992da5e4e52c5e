// What of a function's control flow is drawn, and how large each piece of it is: all of it, or the part around one block.
// Plain data, made off the GUI thread; graph_layout.h finds the places.
#pragma once

#include <QRectF>
#include <QString>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analysis/function_flow.h"
#include "parser/module.h"

namespace ptxscope::gui {

/// How text is measured: all of it has one width a character.
struct GraphMetrics {
  double character = 7;
  double line = 15;
  friend bool operator==(const GraphMetrics&, const GraphMetrics&) = default;
};

struct GraphOptions {
  std::uint32_t lines = 8;        ///< instructions shown of each block, the last ones; 0: none
  std::size_t most_blocks = 400;  ///< more are shown in parts
  analysis::BlockId around = 0;   ///< the block in the middle of a part
  friend bool operator==(const GraphOptions&, const GraphOptions&) = default;
};

struct GraphRow {
  std::uint32_t statement = no_index;  ///< no_index: a remark
  QString text;
};

struct GraphNode {
  analysis::BlockId block = analysis::no_block;  ///< of a stub: the first block that it stands for
  /// Not a block but blocks that are not shown, on the way in or out of one that is.
  std::size_t stands_for = 0;
  QString title;  ///< "B3  $L__BB0_2"
  QString place;  ///< "lines 30-41"
  QString says;   ///< for a tooltip, and for those who cannot see the picture
  std::vector<GraphRow> rows;
  bool traps = false;
  bool returns = false;
  double width = 0, height = 0;
};

struct GraphLine {
  std::uint32_t from = 0, to = 0;  ///< indices into nodes
  std::uint32_t edge = no_index;   ///< of Cfg::edges; no_index: leads to or from a stub
  QString label;                   ///< "!%p1"
  QString condition;               ///< what computed it: "setp.ge.u64 %p1, %rd1, %rd2;"; empty: not shown
  bool to_trap = false;
  bool back = false;      ///< to the head of a loop
  bool retreats = false;  ///< against the order of the code: a loop's, or of a cycle that is none; drawn upwards
  bool dashed = false;
};

struct GraphLoop {
  std::uint32_t loop = no_index;  ///< of Cfg::loops
  std::uint32_t parent = no_index;
  std::uint32_t depth = 1;
  std::vector<std::uint32_t> nodes;  ///< those in no inner loop
  QString title;                     ///< "loop 0"
};

struct GraphPlan {
  std::shared_ptr<const Module> module;
  std::shared_ptr<const analysis::FunctionFlow> flow;
  std::uint32_t function = no_index;
  GraphOptions options;
  GraphMetrics metrics;
  std::vector<GraphNode> nodes;
  std::vector<GraphLine> lines;
  std::vector<GraphLoop> loops;  ///< a parent before its children
  std::size_t reachable = 0;     ///< blocks of the function that can be reached; others are not drawn
  std::size_t unreachable = 0;
  bool is_part = false;
  bool places_labels = true;  ///< Graphviz finds room for the labels; false: they stand at the start of their edges
  std::vector<std::uint32_t> node_of;  ///< by block: index into nodes; no_index: not shown
};

[[nodiscard]] GraphPlan plan_graph(std::shared_ptr<const Module> module,
                                   std::shared_ptr<const analysis::FunctionFlow> flow, const GraphOptions& options,
                                   const GraphMetrics& metrics);

/// The plan in Graphviz' language: boxes of the sizes that the plan has, without text, for their places alone.
[[nodiscard]] std::string layout_dot(const GraphPlan& plan);

inline constexpr double graph_padding = 5;  ///< between a block's border and its text

}  // namespace ptxscope::gui
