#include <algorithm>
#include <atomic>
#include <string>
#include <string_view>

#include "analysis/parallel.h"
#include "report/page.h"

namespace ptxscope::report {

namespace {

// Takes out all that stands from `begin` up to and with `end`.
void drop_all(std::string& text, std::string_view begin, std::string_view end) {
  std::string out;
  std::size_t from = 0;
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, from)) {
    const std::size_t stop = text.find(end, at + begin.size());
    if (stop == std::string::npos) break;
    out.append(text, from, at - from);
    from = stop + end.size();
  }
  text = out.append(text, from);
}

// The drawing without what the page's style says once, or has no use for. Names are escaped: they hold no quote and no `<`.
std::string as_element(std::string svg) {
  drop_all(svg, "<!--", "-->\n");
  drop_all(svg, " id=\"", "\"");
  drop_all(svg, " font-family=\"", "\"");
  drop_all(svg, " font-size=\"10", "\"");
  drop_all(svg, " text-anchor=\"start", "\"");
  return svg;
}

// Graphviz draws one graph after the other: its output taken apart.
std::vector<std::string> split_drawings(std::string_view svg) {
  constexpr std::string_view end = "</svg>";
  std::vector<std::string> parts;
  for (std::size_t at = svg.find("<svg"); at != std::string_view::npos; at = svg.find("<svg", at)) {
    const std::size_t stop = svg.find(end, at);
    if (stop == std::string_view::npos) break;
    parts.emplace_back(svg.substr(at, stop + end.size() - at));
    at = stop;
  }
  return parts;
}

// Places in FlowReport::functions that one run of Graphviz draws; starting it takes as long as drawing some dozen blocks.
using Batch = std::vector<std::size_t>;

class Drawer {
 public:
  Drawer(const Module& module, const analysis::FlowReport& flow, const DrawOptions& options,
         std::vector<Drawing>& drawings)
      : module_(module), flow_(flow), options_(options), drawings_(drawings) {}

  void draw(const Batch& batch) {
    if (is_missing_) return;
    std::string dot;
    for (const std::size_t i : batch) {
      analysis::FlowReport one;
      one.functions.push_back(flow_.functions[i]);
      dot += cfg_dot(module_, one, {options_.lines, false});
    }
    const Drawing drawn = draw_svg(dot, options_.seconds);
    const std::vector<std::string> parts = split_drawings(drawn.svg.value_or(""));
    if (parts.size() == batch.size()) {
      for (std::size_t n = 0; n < batch.size(); ++n) drawings_[batch[n]].svg = as_element(parts[n]);
    } else if (drawn.is_missing) {
      is_missing_ = true;
    } else if (batch.size() > 1) {
      for (const std::size_t i : batch) draw({i});
    } else {
      drawings_[batch.front()].error = "Graphviz did not draw it: " + drawn.error;
    }
  }

  [[nodiscard]] bool is_missing() const { return is_missing_; }

 private:
  const Module& module_;
  const analysis::FlowReport& flow_;
  const DrawOptions& options_;
  std::vector<Drawing>& drawings_;  // each thread writes those of its batches
  std::atomic<bool> is_missing_ = false;
};

}  // namespace

std::vector<Drawing> draw_functions(const Module& module, const analysis::FlowReport& flow,
                                    const DrawOptions& options) {
  std::vector<Drawing> drawings(flow.functions.size());
  std::vector<Batch> batches;
  std::size_t blocks = 0;
  std::size_t in_batch = options.blocks_at_a_time;
  for (std::size_t i = 0; i < drawings.size(); ++i) {
    const std::size_t count = flow.functions[i].cfg.blocks.size();
    const std::size_t edges = flow.functions[i].cfg.edges.size();
    if (count > options.most_blocks) {
      drawings[i].error = "its " + std::to_string(count) + " blocks are too many for one picture";
    } else if (edges > 4 * options.most_blocks) {
      drawings[i].error = "the " + std::to_string(edges) + " ways between its blocks are too many for one picture";
    } else if (blocks + count > options.most_blocks_all) {
      drawings[i].error =
          "the pictures of the functions before it are as many as a page takes; --kernel chooses others";
    } else {
      if (in_batch + count > options.blocks_at_a_time) {
        batches.emplace_back();
        in_batch = 0;
      }
      batches.back().push_back(i);
      in_batch += count;
      blocks += count;
    }
  }
  Drawer drawer(module, flow, options, drawings);
  analysis::for_each_index(batches.size(), options.programs_at_a_time, [&](std::size_t n) { drawer.draw(batches[n]); });
  if (drawer.is_missing())
    for (const Batch& batch : batches)
      for (const std::size_t i : batch)
        drawings[i].error = "Graphviz draws it, whose program dot was not in PATH when this page was made";
  return drawings;
}

}  // namespace ptxscope::report
