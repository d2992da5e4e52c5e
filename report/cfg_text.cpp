#include <algorithm>

#include "analysis/names.h"
#include "report/cfg.h"
#include "report/cfg_parts.h"
#include "report/one_line.h"

namespace ptxscope::report {

namespace {

using analysis::Block;
using analysis::BlockId;
using analysis::Cfg;
using analysis::Edge;
using analysis::EdgeKind;
using analysis::FunctionFlow;

class TextWriter {
 public:
  TextWriter(const Sink& sink, const Module& module, const TextStyle& style, const CfgTextOptions& options)
      : sink_(sink), module_(module), style_(style), options_(options) {}

  void write(const analysis::FlowReport& report) {
    for (const FunctionFlow& flow : report.functions) {
      if (&flow != report.functions.data()) out_ += '\n';
      const std::optional<analysis::LiveRanges> ranges =
          options_.live_of ? std::optional(options_.live_of(flow)) : std::nullopt;
      ranges_ = ranges ? &*ranges : nullptr;
      write_function(flow);
      ranges_ = nullptr;
    }
    if (report.functions.empty()) out_ += "no function with a body\n";
    sink_(out_);
  }

 private:
  static std::string name_of(BlockId block) { return "B" + std::to_string(block); }

  std::string label_of(const Block& block) const {
    return block.label == no_name ? std::string() : printable(module_.name(block.label), 60);
  }

  void write_function(const FunctionFlow& flow) {
    const Cfg& cfg = flow.cfg;
    const Function& function = module_.functions()[cfg.function];
    const std::string_view name = module_.name(function.name);
    const std::string demangled = analysis::demangled(name);
    out_ += paint(style_, Ink::bold, printable(demangled.empty() ? name : std::string_view(demangled), 200));
    out_ += function.kind == FunctionKind::entry ? "  kernel" : "  function";
    out_ += ", line " + std::to_string(module_.position(function.span).line) + "\n";
    if (!demangled.empty()) out_ += "  " + paint(style_, Ink::dim, printable(name, 200)) + "\n";
    out_ += "  " + counted_or_none(cfg.blocks.size(), "block") + ", " + counted_or_none(cfg.edges.size(), "edge") +
            ", " + counted_or_none(cfg.loops.size(), "loop");
    if (const std::uint32_t traps = count_trap_blocks(cfg); traps != 0)
      out_ += ", " + paint(style_, Ink::error, traps == 1 ? "1 block traps" : std::to_string(traps) + " blocks trap");
    if (flow.liveness.complete) {
      out_ += "; at most " + std::to_string(flow.liveness.max_live.registers) + " registers live";
      if (flow.liveness.max_live_statement != no_index)
        out_ += " (line " + std::to_string(module_.line_of_statement(flow.liveness.max_live_statement)) + ")";
    }
    out_ += '\n';
    for (const std::string& reason : cfg.incomplete_reasons)
      out_ += "  " + paint(style_, Ink::warning, "incomplete: ") + printable(reason, 200) + "\n";
    if (!cfg.irreducible_headers.empty()) {
      out_ += "  " + paint(style_, Ink::warning, "irreducible: ") + "control enters one region at";
      for (const BlockId block : cfg.irreducible_headers) out_ += " " + name_of(block);
      out_ += '\n';
    }
    for (const Block& block : cfg.blocks) write_block(flow, block);
  }

  // A bar for each loop around, so that loops stand out in the text's order.
  std::string bars(const Block& block) const {
    std::string text;
    const std::uint32_t depth = std::min<std::uint32_t>(block.loop_depth, 8);
    for (std::uint32_t i = 0; i < depth; ++i) text += (i == 0 ? "" : " ") + paint(style_, Ink::code, "│");
    return text;
  }

  void write_block(const FunctionFlow& flow, const Block& block) {
    const Cfg& cfg = flow.cfg;
    const std::string rail = bars(block);
    const std::string indent = "  " + rail + (rail.empty() ? "" : " ");
    const LineRange lines = lines_of(module_, block);
    out_ += (rail.empty() ? "" : "  " + rail) + "\n" + indent;
    const bool is_trap = analysis::is_trap_block(block);
    const std::string label = label_of(block);
    out_ += paint(style_, is_trap ? Ink::error : Ink::bold, name_of(block.id) + (label.empty() ? "" : " " + label));
    out_ += lines.first == lines.last ? "  line " + std::to_string(lines.first)
                                      : "  lines " + std::to_string(lines.first) + "-" + std::to_string(lines.last);
    out_ += ", " + counted_or_none(block.instructions, "instruction");
    if (flow.liveness.complete) {
      const auto& live = flow.liveness.blocks[block.id];
      out_ += ", " + std::to_string(live.live_in.registers) + " live in, " + std::to_string(live.max_live.registers) +
              " at most";
    }
    if (!block.reachable) out_ += ", " + paint(style_, Ink::dim, "not reachable");
    if (const std::uint32_t loop = loop_headed_by(cfg, block.id); loop != no_index)
      out_ += ", " + paint(style_, Ink::code,
                           "head of loop " + std::to_string(loop) + " (" +
                               counted_or_none(cfg.loops[loop].blocks.size(), "block") + ")");
    out_ += '\n';
    const std::uint32_t shown = ranges_ != nullptr && options_.lines == 0 ? block.instructions : options_.lines;
    for (const std::uint32_t statement : last_instructions(module_, block, shown))
      out_ += indent + "    " + pressure(statement) +
              paint(style_, Ink::dim, one_line(module_.statement(statement), width())) + "\n";
    write_end(cfg, block, indent);
    for (const std::uint32_t edge : block.successors) write_edge(flow, cfg.edges[edge], edge, indent);
    hand_on(out_, sink_);
  }

  // " 12 " before an instruction, marked where most registers are live.
  std::string pressure(std::uint32_t statement) const {
    if (ranges_ == nullptr) return {};
    const analysis::InstructionPressure* const found = pressure_at(*ranges_, statement);
    const std::string number = found == nullptr ? "?" : std::to_string(found->live.registers);
    const bool is_peak = found != nullptr && found->live.registers == ranges_->max_live.registers;
    const std::string gap(number.size() < 4 ? 4 - number.size() : 0, ' ');
    return gap + (is_peak ? paint(style_, Ink::warning, number + " *") : number + "  ") + " ";
  }

  std::size_t width() const { return std::max<std::size_t>(40, style_.width - 12); }

  // What ends the thread or function here, if anything does.
  void write_end(const Cfg& cfg, const Block& block, const std::string& indent) {
    std::string text;
    if (block.last_instruction != no_index && (analysis::is_trap_block(block) || block.end == analysis::BlockEnd::ret ||
                                               block.end == analysis::BlockEnd::exit)) {
      text = one_line(module_.statement(block.last_instruction), width());
      text = paint(style_, analysis::is_trap_block(block) ? Ink::error : Ink::good, text);
    }
    if (block.falls_off_end)
      text += (text.empty() ? "" : "  else ") + paint(style_, Ink::warning, "falls off the end of the function");
    if (text.empty() && block.successors.empty() && !cfg.complete)
      text = paint(style_, Ink::warning, "goes on where it is not known");
    if (!text.empty()) out_ += indent + "  " + text + "\n";
  }

  void write_edge(const FunctionFlow& flow, const Edge& edge, std::uint32_t index, const std::string& indent) {
    const Cfg& cfg = flow.cfg;
    const Block& to = cfg.blocks[edge.to];
    const bool traps = flow.bound_to_trap[edge.to];
    std::string line = "  -> " + name_of(edge.to);
    std::string painted = "  -> " + paint(style_, traps ? Ink::error : Ink::bold, name_of(edge.to));
    const auto add = [&](const std::string& text, std::optional<Ink> ink = std::nullopt) {
      line += text;
      painted += ink ? paint(style_, *ink, text) : text;
    };
    if (const std::string label = label_of(to); !label.empty()) add(" " + label);
    if (traps) add(" traps", Ink::error);
    if (is_back_edge(cfg, edge)) add(" back", Ink::code);
    if (const std::string cases = cases_text(edge); !cases.empty()) add("  " + cases);
    if (const std::string predicate = predicate_text(module_, cfg, edge); !predicate.empty()) {
      add("  if " + predicate);
      // The fall-through edge has the same setp as the one before it.
      const std::uint32_t setp = flow.guard_definitions[index];
      const bool is_first = edge.kind != EdgeKind::fallthrough || cfg.blocks[edge.from].conditional_end;
      if (setp != no_index && is_first) add_definition(line, painted, setp);
    }
    out_ += indent + painted + "\n";
  }

  void add_definition(const std::string& line, std::string& painted, std::uint32_t setp) {
    constexpr std::size_t column = 40;
    const std::string place = "line " + std::to_string(module_.line_of_statement(setp)) + ": ";
    const std::size_t used = std::max(column, line.size() + 2);
    const std::size_t room = style_.width > used + place.size() + 30 ? style_.width - used - place.size() - 4 : 30;
    painted +=
        std::string(used - line.size(), ' ') + paint(style_, Ink::dim, place + one_line(module_.statement(setp), room));
  }

  const Sink& sink_;
  const Module& module_;
  const TextStyle& style_;
  const CfgTextOptions& options_;
  const analysis::LiveRanges* ranges_ = nullptr;  // of the function being written
  std::string out_;
};

}  // namespace

void cfg_text(const Sink& sink, const Module& module, const analysis::FlowReport& report, const TextStyle& style,
              const CfgTextOptions& options) {
  TextWriter(sink, module, style, options).write(report);
}

std::string cfg_text(const Module& module, const analysis::FlowReport& report, const TextStyle& style,
                     const CfgTextOptions& options) {
  return collected([&](const Sink& sink) { cfg_text(sink, module, report, style, options); });
}

}  // namespace ptxscope::report
