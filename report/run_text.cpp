#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/names.h"
#include "report/run.h"
#include "report/run_trap.h"

namespace ptxscope::report {
namespace {

using analysis::LaunchVerdict;
using analysis::RunKernel;
using analysis::RunModule;
using analysis::RunOutcome;
using analysis::RunReport;

constexpr std::size_t max_shown = 12;  // of things that may be many; JSON has all of them
constexpr std::size_t max_log_lines = 6;

std::string coordinates(const std::array<std::uint32_t, 3>& c) { return fmt::format("({},{},{})", c[0], c[1], c[2]); }

std::string counted(std::uint64_t n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

std::string launches(std::uint64_t n) { return fmt::format("{} launch{}", n, n == 1 ? "" : "es"); }

std::string readable(std::string_view name) {
  const std::string words = analysis::demangled_without_parameters(name);
  return printable(words.empty() ? name : std::string_view(words), 160);
}

std::string alternatives(const std::vector<std::string>& names) {
  if (names.empty()) return "a kernel";
  std::string out;
  for (std::size_t i = 0; i < names.size() && i < 4; ++i) out += (i == 0 ? "" : " or ") + readable(names[i]);
  return out + (names.size() > 4 ? " or others" : "");
}

// "GPU 1, NVIDIA H200 (sm_90)": said where there is more than one.
std::string device_name(const RunReport& report, std::uint32_t device) {
  std::string text = fmt::format("GPU {}", device);
  if (device < report.devices.size()) text += ", " + printable(report.devices[device], 120);
  return text;
}

std::string place_of(const TrapAccount& account) {
  if (account.source) return fmt::format("{}:{}", printable(account.source->file, 200), account.source->line);
  return account.line == 0 ? std::string() : fmt::format("PTX line {}", account.line);
}

class Writer {
 public:
  Writer(const RunReport& report, const TextStyle& style) : report_(report), style_(style) {}

  std::string trap(const analysis::RunTrap& trap) {
    const TrapAccount account = account_of(report_, trap);
    if (!account.decoded) {
      line(0, fmt::format("module {} trapped, but its record cannot be read: {}", account.module,
                          printable(account.problem)));
      return std::move(out_);
    }
    std::string first = fmt::format("{} trapped: {}", paint(style_, Ink::bold, alternatives(account.kernels)),
                                    paint(style_, Ink::error, headline(account)));
    if (const std::string place = place_of(account); !place.empty()) first += fmt::format("   ({})", place);
    line(0, first);
    where(account, trap);
    values(account);
    launch(account);
    for (const std::string& note : account.notes) remark(2, "note: " + printable(note));
    return std::move(out_);
  }

  std::string summary(bool verbose) {
    const bool is_known = report_.verdict != LaunchVerdict::cannot_tell;
    if (!report_.driver_opened) {
      if (is_known) line(0, "the program did not open the CUDA driver: nothing to report");
      else unwatched("no process was seen to open the CUDA driver, but not all was watched");
      notes();
      return std::move(out_);
    }
    if (verbose) modules();
    else {
      unusual_modules();
      machine_code();
    }
    if (verbose) kernels();
    else failed_kernels();
    errors();
    if (report_.verdict == LaunchVerdict::nothing_launched) line(0, paint(style_, Ink::warning, "no kernel ran"));
    else if (!is_known) unwatched("no kernel was seen to run, but not all was watched");
    else if ((verbose && !report_.unwatched.empty()) || is_missing_traps()) unwatched("not all was watched");
    notes();
    return std::move(out_);
  }

 private:
  void line(unsigned indent, std::string_view text) {
    out_.append(indent, ' ');
    out_ += text;
    out_ += '\n';
  }
  void remark(unsigned indent, std::string_view text) { line(indent, paint(style_, Ink::dim, text)); }

  void where(const TrapAccount& account, const analysis::RunTrap& trap) {
    std::string text = fmt::format("block {} thread {}", coordinates(account.block), coordinates(account.thread));
    if (trap.device && report_.devices.size() > 1) text += " on " + device_name(report_, *trap.device);
    if (account.cluster && *account.clusters != account.grid)
      text += fmt::format(" of cluster {}", coordinates(*account.cluster));
    if (account.threads) {
      const auto& threads = *account.threads;
      text += fmt::format("; {}{} of {} threads would trap", threads.exact ? "" : "at least ", threads.trapping,
                          threads.of);
    }
    text += fmt::format("; module {}", account.module);
    if (!account.origin.empty()) text += fmt::format(" of {}", printable(account.origin, 200));
    if (account.trap != 0) text += fmt::format(", trap {}", account.trap);
    if (trap.pid != report_.pid && trap.pid != 0) text += fmt::format(", process {}", trap.pid);
    line(2, text);
    const bool inside = account.kernels.size() != 1 || account.kernels.front() != account.function;
    if (inside) line(2, fmt::format("in function {}", readable(account.function)));
  }

  void values(const TrapAccount& account) {
    std::string text;
    for (const NamedNumber& value : account.values)
      text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", printable(value.name, 160), number_text(value));
    if (!text.empty()) line(2, "where " + text);
  }

  void launch(const TrapAccount& account) {
    std::string text = fmt::format("kernel launched with grid {} block {}", coordinates(account.grid),
                                   coordinates(account.block_size));
    std::string parameters;
    for (const NamedNumber& parameter : account.parameters) {
      if (!parameter.bits) continue;
      parameters += fmt::format("{}{}={}", parameters.empty() ? "" : ", ", printable(parameter.name, 120),
                                number_text(parameter));
    }
    if (!parameters.empty()) text += ": " + parameters;
    line(2, text);
  }

  [[nodiscard]] std::string name_of(const RunModule& module) const {
    std::string text = fmt::format("module {}", module.number);
    if (!module.origin.empty()) text += fmt::format(" of {}", printable(module.origin, 200));
    std::vector<std::string> more;
    if (!module.target.empty()) more.push_back(printable(module.target, 40));
    if (!module.call.empty()) more.push_back(printable(module.call, 60));
    if (module.pid != report_.pid && module.pid != 0) more.push_back(fmt::format("process {}", module.pid));
    for (std::size_t i = 0; i < more.size(); ++i) text += (i == 0 ? " (" : ", ") + more[i];
    return text + (more.empty() ? "" : ")");
  }

  void log(std::string_view words) {
    std::size_t shown = 0;
    for (std::size_t begin = 0; begin < words.size() && shown < max_log_lines;) {
      const std::size_t end = std::min(words.find('\n', begin), words.size());
      const std::string_view one = words.substr(begin, end - begin);
      if (one.find_first_not_of(" \t\r") != std::string_view::npos) {
        remark(4, printable(one, 300));
        ++shown;
      }
      begin = end + 1;
    }
  }

  void module(const RunModule& module) {
    std::string text = name_of(module) + ": ";
    switch (module.outcome) {
      case RunOutcome::instrumented: {
        // Its text may not have been read here: too large, or linked from others.
        if (module.code == nullptr) text += "recording";
        else text += fmt::format("records at {}", counted(module.code->instrumented.sites.size(), "place"));
        if (!module.unrecorded.empty())
          text = name_of(module) + ": " + paint(style_, Ink::warning, "its traps are not recorded") + ": " +
                 printable(module.unrecorded, 400);
        break;
      }
      case RunOutcome::untouched:
        text += "loaded as it was";
        break;
      case RunOutcome::fell_back:
        text += paint(style_, Ink::warning, "the driver did not take the recording text; loaded as it was");
        break;
      case RunOutcome::refused:
        text += paint(style_, Ink::error, "the driver refused it");
        break;
      case RunOutcome::no_ptx:
        text += "no PTX in it; loaded as it was";
        break;
    }
    if (!module.error.empty()) text += " (" + printable(module.error, 80) + ")";
    if (!module.reason.empty()) text += ": " + printable(module.reason, 400);
    if (module.load_ms) text += fmt::format("; loaded in {:.1f} ms", *module.load_ms);
    if (module.prepared_ms) text += fmt::format(", prepared in {:.1f} ms", *module.prepared_ms);
    if (module.had_machine_code) text += "; the PTX took the place of machine code for the device";
    line(0, text);
    if (module.outcome == RunOutcome::fell_back) log(module.our_log);
    if (module.outcome == RunOutcome::refused) log(module.jit_log);
    if (!module.remedy.empty()) line(4, printable(module.remedy, 400));
    left_alone(module);
  }

  void left_alone(const RunModule& module) {
    if (module.code == nullptr || module.outcome != RunOutcome::instrumented) return;
    const auto& left = module.code->instrumented.left_alone;
    for (std::size_t i = 0; i < left.size() && i < max_shown; ++i) {
      const Module& text = module.code->module;
      const std::string name =
          left[i].function == no_index ? "" : readable(text.name(text.functions()[left[i].function].name)) + ": ";
      remark(4, fmt::format("not recorded: {}{}", name, printable(left[i].reason, 300)));
    }
    if (left.size() > max_shown) remark(4, fmt::format("and {} more", left.size() - max_shown));
  }

  void modules() {
    for (const RunModule& one : report_.modules) module(one);
  }

  // What keeps a trap from being told of, or the program from running.
  void unusual_modules() {
    std::size_t shown = 0;
    std::size_t more = 0;
    for (const RunModule& one : report_.modules) {
      const bool has_reason = one.outcome == RunOutcome::untouched && !one.remedy.empty();
      const bool unusual = one.outcome == RunOutcome::refused || one.outcome == RunOutcome::fell_back || has_reason ||
                           !one.unrecorded.empty();
      if (!unusual) continue;
      if (shown++ < max_shown) module(one);
      else ++more;
    }
    if (more != 0) line(0, fmt::format("and {} more modules of that kind (-v lists all)", more));
  }

  // Most of what libraries load is machine code alone: that is said where it may be why nothing else is.
  void machine_code() {
    const auto has_outcome = [this](RunOutcome outcome) {
      return std::ranges::find(report_.modules, outcome, &RunModule::outcome);
    };
    const auto first = has_outcome(RunOutcome::no_ptx);
    const bool unexplained = std::ranges::any_of(report_.errors, [](const auto& error) { return !error.explained; });
    if (first == report_.modules.end() ||
        (!unexplained && has_outcome(RunOutcome::instrumented) != report_.modules.end()))
      return;
    const auto count = std::ranges::count(report_.modules, RunOutcome::no_ptx, &RunModule::outcome);
    line(0, fmt::format("{} of {} without PTX: what traps there is not recorded", count,
                        counted(report_.modules.size(), "module")));
    if (!first->remedy.empty()) line(4, printable(first->remedy, 400));
  }

  void kernel(const RunKernel& one) {
    std::string text = one.name.empty() ? "a kernel whose name is not known" : readable(one.name);
    if (one.module != 0) text += fmt::format(" of module {}", one.module);
    text += fmt::format(": {}, last with grid {} block {}", launches(one.launches), coordinates(one.grid),
                        coordinates(one.block));
    if (one.shared_bytes != 0) text += fmt::format(" and {} bytes of shared memory", one.shared_bytes);
    if (report_.devices.size() > 1)
      for (std::size_t i = 0; i < one.devices.size(); ++i)
        text += (i == 0 ? " on " : " and ") + device_name(report_, one.devices[i]);
    if (one.failed != 0) {
      text += "; " + paint(style_, Ink::error, fmt::format("{} refused", one.failed));
      if (!one.error.empty()) text += fmt::format(" ({})", printable(one.error, 80));
    }
    if (one.trapped) text += "; " + paint(style_, Ink::error, "trapped");
    line(0, text);
  }

  void kernels() {
    for (const RunKernel& one : report_.kernels) kernel(one);
    if (report_.graph_launches != 0)
      line(0, fmt::format("{} of graphs, whose kernels are not counted", launches(report_.graph_launches)));
  }

  void failed_kernels() {
    std::size_t shown = 0;
    for (const RunKernel& one : report_.kernels)
      if (one.failed != 0 && shown++ < max_shown) kernel(one);
  }

  void errors() {
    std::set<std::string> said;
    for (const analysis::RunError& one : report_.errors) {
      if (one.explained || said.size() >= max_shown || !said.insert(one.call + one.name).second) continue;
      line(0, fmt::format("{} said {} ({}); no record tells why", printable(one.call, 80),
                          paint(style_, Ink::error, printable(one.name, 80)), one.code));
    }
  }

  // Processes of which not all was seen, behind what that leaves open.
  void unwatched(std::string_view opening) {
    line(0, paint(style_, Ink::warning, opening));
    std::size_t shown = 0;
    for (const analysis::RunUnwatched& one : report_.unwatched) {
      if (shown++ == max_shown) break;
      std::string text = one.pid == 0 ? std::string("a process") : fmt::format("process {}", one.pid);
      if (!one.program.empty()) text += fmt::format(" ({})", printable(one.program, 200));
      line(2, text + " " + printable(one.reason, 400));
      if (!one.remedy.empty()) line(4, printable(one.remedy, 400));
    }
    const std::uint64_t all = report_.unwatched.size() + report_.more_unwatched;
    if (all > max_shown) line(2, fmt::format("and {} more", all - std::min(all, std::uint64_t{max_shown})));
  }

  // Whether one that opened the driver, so that it may have trapped, is among those.
  [[nodiscard]] bool is_missing_traps() const {
    return std::ranges::any_of(report_.unwatched, &analysis::RunUnwatched::opened_driver);
  }

  void notes() {
    for (const std::string& note : report_.notes) remark(0, printable(note, 600));
  }

  const RunReport& report_;
  const TextStyle& style_;
  std::string out_;
};

}  // namespace

std::string run_trap_text(const RunReport& report, const analysis::RunTrap& trap, const TextStyle& style) {
  return Writer(report, style).trap(trap);
}

std::string run_summary_text(const RunReport& report, const TextStyle& style, bool verbose) {
  return Writer(report, style).summary(verbose);
}

}  // namespace ptxscope::report
