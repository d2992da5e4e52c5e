#include <algorithm>
#include <atomic>
#include <thread>

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
  if (const std::size_t begin = svg.find("<svg"); begin != std::string::npos) svg.erase(0, begin);
  drop_all(svg, "<!--", "-->\n");
  drop_all(svg, " id=\"", "\"");
  drop_all(svg, " font-family=\"", "\"");
  drop_all(svg, " font-size=\"10", "\"");
  drop_all(svg, " text-anchor=\"start", "\"");
  return svg;
}

}  // namespace

std::vector<Drawing> draw_functions(const Module& module, const analysis::FlowReport& flow,
                                    const DrawOptions& options) {
  std::vector<Drawing> drawings(flow.functions.size());
  std::vector<std::size_t> wanted;
  std::size_t blocks = 0;
  for (std::size_t i = 0; i < drawings.size(); ++i) {
    const std::size_t count = flow.functions[i].cfg.blocks.size();
    if (count > options.most_blocks) {
      drawings[i].error = "its " + std::to_string(count) + " blocks are too many for one picture";
    } else if (blocks + count > options.most_blocks_all) {
      drawings[i].error =
          "the pictures of the functions before it are as many as a page takes; --kernel chooses others";
    } else {
      blocks += count;
      wanted.push_back(i);
    }
  }
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> is_missing = false;
  const auto work = [&] {
    for (std::size_t n = next++; n < wanted.size(); n = next++) {
      Drawing& drawing = drawings[wanted[n]];
      analysis::FlowReport one;
      one.functions.push_back(flow.functions[wanted[n]]);
      if (!is_missing) drawing = draw_svg(cfg_dot(module, one, {options.lines, false}), options.seconds);
      if (drawing.is_missing) is_missing = true;
      if (drawing.svg) drawing.svg = as_element(std::move(*drawing.svg));
      else if (!is_missing) drawing.error = "Graphviz did not draw it: " + drawing.error;
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < std::min(options.programs_at_a_time, wanted.size()); ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (is_missing)
    for (const std::size_t i : wanted)
      drawings[i].error = "Graphviz draws it, whose program dot was not in PATH when this page was made";
  return drawings;
}

}  // namespace ptxscope::report
