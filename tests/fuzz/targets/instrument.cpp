// instrument: the text with code that records is as sound as it was, and the rest of it is as it was; a record may hold
// anything.
#include "analysis/instrument.h"

#include <memory>

#include "analysis/run_report.h"
#include "cli/command.h"
#include "report/run.h"
#include "tests/fuzz/command.h"
#include "tests/fuzz/outputs.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace ptxscope::fuzz {

namespace {

void require_edits(const Module& module, const analysis::Instrumented& code) {
  if (!code.changed) {
    require(code.text == module.text(), "what is not instrumented is left as it is");
    return;
  }
  std::string expected;
  std::uint32_t end = 0;
  for (const analysis::InstrumentEdit& edit : code.edits) {
    require(edit.span.begin >= end && edit.span.end <= module.text().size(), "edits are in order, apart");
    expected += module.text().substr(end, edit.span.begin - end);
    expected += edit.after;
    end = edit.span.end;
  }
  expected += module.text().substr(end);
  require(code.text == expected, "outside of the edits every byte is as it was");
  require(!parse(code.text, "instrumented.ptx").has_errors(), "an instrumented module parses");
}

// Bytes of the input over and over, under a header that fits, so that the rest of the record is looked at.
std::vector<std::byte> record_of(std::string_view input, const analysis::Instrumented& code, std::uint32_t site) {
  namespace record = analysis::record;
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < record::bytes; ++i) bytes.push_back(std::byte(input[(i + site) % input.size()]));
  const auto put = [&](std::size_t at, std::uint32_t value) {
    for (std::size_t i = 0; i < 4; ++i) bytes[at + i] = static_cast<std::byte>(value >> (8 * i) & 0xffU);
  };
  put(record::state_at, record::state_whole);
  put(record::version_at, record::version);
  put(record::module_at, code.tag);
  put(record::site_at, site);
  for (std::uint32_t axis = 0; axis < 3; ++axis) {  // few enough threads to stay fast
    put(record::nctaid_at + 4 * axis, 1U + static_cast<unsigned char>(input[axis % input.size()]) % 4U);
    put(record::ntid_at + 4 * axis, 1U + static_cast<unsigned char>(input[(axis + 3) % input.size()]) % 4U);
  }
  return bytes;
}

void tell_records(analysis::RunReport& run, std::string_view input) {
  const analysis::Instrumented& code = run.modules.front().code->instrumented;
  constexpr std::uint32_t most_sites = 8;
  for (const analysis::Site& site : code.sites) {
    if (site.number > most_sites) break;
    analysis::RunTrap trap;
    trap.module = 1;
    trap.record = record_of(input, code, site.number);
    run.traps.assign(1, trap);
    require_terminal(report::run_trap_text(run, run.traps.front(), {.color = true, .width = 80}), "run");
    require_json(report::run_json(run), "ptxscope.run/1");
  }
}

void instrument(const Input& input) {
  analysis::RunReport run;
  run.driver_opened = true;
  analysis::RunModule one;
  one.number = 1;
  one.code = std::make_shared<analysis::RunCode>(parse(input.text, "fuzz.ptx"));
  run.modules.push_back(one);
  require_edits(one.code->module, one.code->instrumented);
  if (one.code->instrumented.changed) tell_records(run, input.text);

  const MemoryFile file(input.text);
  std::vector<std::string> words{"instrument", "--color=always"};
  words.insert(words.end(), input.words.begin(), input.words.end());
  words.push_back(file.path());
  const Outcome outcome = run_command(cli::add_instrument, words);
  if (!input.words.empty() && !outcome.out.empty() && input.words.back() == "--format=json")
    require_json(outcome.out, "ptxscope.instrument/1");
}

}  // namespace

Target instrument_target() {
  return {.name = "instrument", .form = Form::ptx, .run = instrument, .options = {{"--format", {"text", "json"}}}};
}

}  // namespace ptxscope::fuzz
