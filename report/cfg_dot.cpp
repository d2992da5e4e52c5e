#include <algorithm>
#include <vector>

#include "analysis/names.h"
#include "report/cfg.h"
#include "report/cfg_parts.h"
#include "report/html.h"
#include "report/one_line.h"

namespace ptxscope::report {

namespace {

using analysis::Block;
using analysis::BlockEnd;
using analysis::BlockId;
using analysis::Cfg;
using analysis::Edge;
using analysis::EdgeKind;
using analysis::FunctionFlow;

// Names come from the text and may hold anything: they only ever stand inside of quotes or of an HTML-like label.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

// How a block is drawn.
struct Look {
  std::string_view fill;
  std::string_view border;
  std::string_view title;  // behind the block's name
};

constexpr std::string_view ink = "#24292f";
constexpr std::string_view quiet = "#6e7781";
constexpr std::string_view alarm = "#cf222e";
constexpr std::string_view loop_ink = "#0969da";

Look look_of(const Cfg& cfg, const Block& block) {
  if (analysis::is_trap_block(block)) return {"#ffebe9", alarm, "#ffcecb"};
  if (loop_headed_by(cfg, block.id) != no_index) return {"#ffffff", loop_ink, "#ddf4ff"};
  if (block.falls_off_end) return {"#ffffff", "#bf8700", "#fff8c5"};
  if (!block.conditional_end && (block.end == BlockEnd::ret || block.end == BlockEnd::exit))
    return {"#ffffff", "#1a7f37", "#dafbe1"};
  return {"#ffffff", "#8c959f", "#f6f8fa"};
}

class DotWriter {
 public:
  DotWriter(const Sink& sink, const Module& module, const CfgDotOptions& options)
      : sink_(sink), module_(module), options_(options) {}

  void write(const analysis::FlowReport& report) {
    out_ =
        "digraph cfg {\n"
        "  graph [fontname=\"Helvetica\", fontsize=14, labelloc=t, labeljust=l, ranksep=0.45, nodesep=0.35, "
        "compound=true]\n"
        "  node [shape=plain, fontname=\"Courier\", fontsize=10]\n"
        "  edge [fontname=\"Courier\", fontsize=9, color=\"#57606a\", fontcolor=\"#57606a\", arrowsize=0.7]\n";
    for (const FunctionFlow& flow : report.functions) write_function(flow);
    out_ += "}\n";
    sink_(out_);
  }

 private:
  std::string node(const Cfg& cfg, BlockId block) const {
    return "f" + std::to_string(cfg.function) + "b" + std::to_string(block);
  }

  void write_function(const FunctionFlow& flow) {
    const Cfg& cfg = flow.cfg;
    const Function& function = module_.functions()[cfg.function];
    const std::string_view name = module_.name(function.name);
    const std::string demangled = analysis::demangled(name);
    out_ += "  subgraph cluster_f" + std::to_string(cfg.function) + " {\n    penwidth=0\n";
    std::string title =
        "<b>" + html_escaped(printable(demangled.empty() ? name : std::string_view(demangled), 120)) + "</b>";
    title += function.kind == FunctionKind::entry ? "  kernel" : "  function";
    title += ", line " + std::to_string(module_.position(function.span).line) + ": " +
             counted_or_none(cfg.blocks.size(), "block");
    title += ", " + counted_or_none(cfg.loops.size(), "loop");
    if (const std::uint32_t traps = count_trap_blocks(cfg); traps != 0)
      title += ", <font color=\"" + std::string(alarm) + "\">" +
               (traps == 1 ? "1 block traps" : std::to_string(traps) + " blocks trap") + "</font>";
    if (const auto left_out = std::ranges::count(cfg.blocks, false, &Block::reachable); left_out != 0)
      title += ", " + counted_or_none(static_cast<std::size_t>(left_out), "unreachable block") + " not drawn";
    if (!cfg.complete) title += ", <font color=\"" + std::string(alarm) + "\">incomplete</font>";
    if (options_.titles) out_ += "    label=<" + title + ">\n    fontcolor=\"" + std::string(ink) + "\"\n";
    write_loops(flow);
    for (std::uint32_t i = 0; i < cfg.edges.size(); ++i) write_edge(flow, i);
    out_ += "  }\n";
  }

  // Loops as nested clusters: each opens, lists its own blocks, and then its inner loops.
  void write_loops(const FunctionFlow& flow) {
    const Cfg& cfg = flow.cfg;
    constexpr std::uint32_t deepest = 24;  // Graphviz nests its own calls as deeply
    const auto box_of = [&](std::uint32_t loop) {
      while (loop != no_index && cfg.loops[loop].depth > deepest) loop = cfg.loops[loop].parent;
      return loop;
    };
    std::vector<std::vector<BlockId>> own(cfg.loops.size());
    std::vector<std::vector<std::uint32_t>> inner(cfg.loops.size());
    std::vector<std::uint32_t> outermost;
    for (const Block& block : cfg.blocks) {
      if (!block.reachable) continue;
      const std::uint32_t loop = box_of(block.loop);
      if (loop == no_index) write_block(flow, block);
      else own[loop].push_back(block.id);
    }
    for (std::uint32_t loop = 0; loop < cfg.loops.size(); ++loop) {
      if (cfg.loops[loop].depth > deepest) continue;
      if (cfg.loops[loop].parent == no_index) outermost.push_back(loop);
      else inner[cfg.loops[loop].parent].push_back(loop);
    }
    struct Place {
      std::uint32_t loop;
      bool close;
    };
    std::vector<Place> work;
    work.reserve(outermost.size());
    for (const std::uint32_t loop : outermost) work.push_back({loop, false});
    while (!work.empty()) {
      const Place place = work.back();
      work.pop_back();
      if (place.close) {
        out_ += "    }\n";
        continue;
      }
      const analysis::Loop& loop = cfg.loops[place.loop];
      out_ += "    subgraph cluster_f" + std::to_string(cfg.function) + "l" + std::to_string(place.loop) +
              " {\n    style=\"rounded,dashed,filled\"\n    color=\"" + std::string(loop_ink) + "\"\n    fillcolor=\"" +
              (loop.depth % 2 == 1 ? "#f3faff" : "#e6f4ff") + "\"\n    fontcolor=\"" + std::string(loop_ink) +
              "\"\n    fontsize=10\n    label=\"loop " + std::to_string(place.loop) + ", depth " +
              std::to_string(loop.depth) + "\"\n";
      for (const BlockId block : own[place.loop]) write_block(flow, cfg.blocks[block]);
      work.push_back({place.loop, true});
      for (const std::uint32_t other : inner[place.loop]) work.push_back({other, false});
    }
  }

  void write_block(const FunctionFlow& flow, const Block& block) {
    const Cfg& cfg = flow.cfg;
    const Look look = look_of(cfg, block);
    const LineRange lines = lines_of(module_, block);
    std::string title = "<b>B" + std::to_string(block.id) + "</b>";
    if (block.label != no_name) title += "  " + html_escaped(printable(module_.name(block.label), 60));
    if (analysis::is_trap_block(block)) title += "  <font color=\"" + std::string(alarm) + "\"><b>TRAP</b></font>";
    std::string place = lines.first == lines.last
                            ? "line " + std::to_string(lines.first)
                            : "lines " + std::to_string(lines.first) + "-" + std::to_string(lines.last);
    out_ += "    " + node(cfg, block.id) + " [label=<<table border=\"" + (analysis::is_trap_block(block) ? "2" : "1") +
            "\" cellborder=\"0\" cellspacing=\"0\" cellpadding=\"3\" color=\"" + std::string(look.border) +
            "\" bgcolor=\"" + std::string(look.fill) + "\"><tr><td align=\"left\" bgcolor=\"" +
            std::string(look.title) + "\">" + title + "</td><td align=\"right\" bgcolor=\"" + std::string(look.title) +
            "\"><font color=\"" + std::string(quiet) + "\">" + place + "</font></td></tr>";
    write_instructions(block);
    if (block.falls_off_end) write_row("<font color=\"#9a6700\">falls off the end</font>");
    out_ += "</table>>, tooltip=" + quoted(tooltip(flow, block)) + "]\n";
    hand_on(out_, sink_);
  }

  void write_row(std::string_view content) {
    out_ += "<tr><td align=\"left\" colspan=\"2\">";
    out_ += content;
    out_ += "</td></tr>";
  }

  static std::string red(const std::string& content) {
    return "<font color=\"" + std::string(alarm) + "\">" + content + "</font>";
  }

  void write_instructions(const Block& block) {
    constexpr std::size_t width = 72;
    const std::vector<std::uint32_t> shown = last_instructions(module_, block, options_.lines);
    if (options_.lines == 0) return;
    if (shown.size() < block.instructions)
      write_row("<font color=\"" + std::string(quiet) + "\">… " +
                counted_or_none(block.instructions - shown.size(), "instruction") + " before</font>");
    for (const std::uint32_t statement : shown) {
      const std::string line = html_escaped(one_line(module_.statement(statement), width));
      const bool traps = statement == block.last_instruction && analysis::is_trap_block(block);
      write_row(traps ? red("<b>" + line + "</b>") : line);
    }
  }

  std::string tooltip(const FunctionFlow& flow, const Block& block) const {
    std::string text = "B" + std::to_string(block.id) + ": " + counted_or_none(block.instructions, "instruction");
    if (flow.liveness.complete) {
      const auto& live = flow.liveness.blocks[block.id];
      text += ", " + std::to_string(live.live_in.registers) + " registers live at its start, at most " +
              std::to_string(live.max_live.registers) + " in it";
    }
    if (block.immediate_dominator != analysis::no_block)
      text += ", dominated by B" + std::to_string(block.immediate_dominator);
    return text;
  }

  void write_edge(const FunctionFlow& flow, std::uint32_t index) {
    const Cfg& cfg = flow.cfg;
    const Edge& edge = cfg.edges[index];
    if (!cfg.blocks[edge.from].reachable) return;
    const bool to_trap = flow.bound_to_trap[edge.to];
    const bool back = is_back_edge(cfg, edge);
    std::vector<std::string> attributes;
    std::string label = html_escaped(predicate_text(module_, cfg, edge));
    if (const std::string cases = cases_text(edge); !cases.empty())
      label += (label.empty() ? "" : " ") + html_escaped(cases);
    // The condition stands on the branch taken, and on a way into a trap in any case.
    const std::uint32_t setp = flow.guard_definitions[index];
    if (setp != no_index && (edge.kind == EdgeKind::taken || to_trap))
      label += "<br align=\"left\"/>&nbsp;<font color=\"" + std::string(quiet) + "\">" +
               html_escaped(one_line(module_.statement(setp), 60)) + "</font>";
    if (!label.empty()) attributes.push_back("label=<&nbsp;" + label + "<br align=\"left\"/>>");
    if (to_trap)
      attributes.push_back("color=\"" + std::string(alarm) + "\", fontcolor=\"" + std::string(alarm) +
                           "\", penwidth=2");
    else if (back)
      attributes.push_back("color=\"" + std::string(loop_ink) + "\", fontcolor=\"" + std::string(loop_ink) +
                           "\", penwidth=1.6");
    if (edge.kind == EdgeKind::indirect) attributes.emplace_back("style=dashed");
    // Graphviz puts the end of an arrow below its start, but the head of a loop is above.
    const bool turned = back && edge.from != edge.to;
    if (turned) attributes.emplace_back("dir=back");
    out_ += "    " + node(cfg, turned ? edge.to : edge.from) + " -> " + node(cfg, turned ? edge.from : edge.to);
    for (std::size_t i = 0; i < attributes.size(); ++i) out_ += (i == 0 ? " [" : ", ") + attributes[i];
    out_ += attributes.empty() ? "\n" : "]\n";
    hand_on(out_, sink_);
  }

  const Sink& sink_;
  const Module& module_;
  const CfgDotOptions& options_;
  std::string out_;
};

}  // namespace

void cfg_dot(const Sink& sink, const Module& module, const analysis::FlowReport& report, const CfgDotOptions& options) {
  DotWriter(sink, module, options).write(report);
}

std::string cfg_dot(const Module& module, const analysis::FlowReport& report, const CfgDotOptions& options) {
  return collected([&](const Sink& sink) { cfg_dot(sink, module, report, options); });
}

}  // namespace ptxscope::report
