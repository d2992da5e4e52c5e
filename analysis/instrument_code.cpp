#include "analysis/instrument_code.h"

#include <fmt/format.h>

namespace ptxscope::analysis {
namespace {

// Names of the code's own: instrument() leaves a module alone that has any such name.
constexpr std::string_view p = "%__ptxscope_p";        // predicate
constexpr std::string_view r = "%__ptxscope_r";        // 32 bits
constexpr std::string_view n = "%__ptxscope_n";        // 32 bits: polls
constexpr std::string_view d = "%__ptxscope_d";        // 64 bits
constexpr std::string_view base = "%__ptxscope_base";  // 64 bits: address of the record

// A thread that lost the claim waits this often for the record to become whole; then it traps all the same.
constexpr unsigned polls = 1U << 20U;
constexpr unsigned pause_ns = 100;

std::string at(std::uint32_t offset) { return fmt::format("[{}+{}]", base, offset); }

// One instruction on a line of its own.
template <class... Args>
void line(std::string& out, fmt::format_string<Args...> format, Args&&... args) {
  out += '\t';
  out += fmt::format(format, std::forward<Args>(args)...);
  out += ";\n";
}

void label(std::string& out, std::string_view name) { out += fmt::format("{}:\n", name); }

void special(std::string& out, std::string_view name, std::uint32_t offset) {
  line(out, "mov.u32 {}, {}", r, name);
  line(out, "st.global.u32 {}, {}", at(offset), r);
}

void special3(std::string& out, std::string_view name, std::uint32_t offset) {
  for (std::uint32_t i = 0; i < 3; ++i) special(out, fmt::format("{}.{}", name, "xyz"[i]), offset + 4 * i);
}

}  // namespace

std::string RecordingCode::module_variables() const {
  return fmt::format("\n.visible .global .align 8 .u64 {};\n.visible .global .align 4 .u32 {};\n", names_.record_name,
                     names_.claim_name);
}

std::string RecordingCode::registers() {
  return fmt::format("\n\t.reg .pred {};\n\t.reg .b32 {}, {};\n\t.reg .b64 {}, {};\n", p, r, n, d, base);
}

// The first thread of all goes on behind it.
std::string RecordingCode::claim(const SiteCode& site, std::string_view unset, std::string_view lost) const {
  std::string out;
  line(out, "ld.global.u64 {}, [{}]", base, names_.record_name);
  line(out, "setp.eq.u64 {}, {}, 0", p, base);
  line(out, "@{} bra {}", p, unset);
  line(out, "atom.global.cas.b32 {}, [{}], 0, 1", r, names_.claim_name);
  line(out, "setp.ne.u32 {}, {}, 0", p, r);
  line(out, "@{} bra {}", p, lost);
  line(out, "st.global.u32 {}, {}", at(record::site_at), site.number);
  std::uint32_t valid = 0;
  for (const StoredRegister& value : site.values) {
    valid |= 1U << value.slot;
    const std::string place = at(record::values_at + 8 * value.slot);
    if (value.bits == 1) {
      line(out, "selp.u32 {}, 1, 0, {}", r, value.name);
      line(out, "st.global.u32 {}, {}", place, r);
    } else {
      line(out, "st.global.b{} {}, {}", value.bits, place, value.name);
    }
  }
  line(out, "st.global.u32 {}, {}", at(record::valid_at), valid);
  return out;
}

std::string RecordingCode::thread_and_parameters(std::span<const CopiedParameter> parameters) const {
  std::string out;
  line(out, "st.global.u32 {}, {}", at(record::state_at), record::state_started);
  line(out, "st.global.u32 {}, {}", at(record::version_at), record::version);
  line(out, "st.global.u32 {}, {}", at(record::module_at), names_.tag);
  special3(out, "%ctaid", record::ctaid_at);
  special3(out, "%tid", record::tid_at);
  special3(out, "%nctaid", record::nctaid_at);
  special3(out, "%ntid", record::ntid_at);
  if (dialect_.clusters) {
    special3(out, "%clusterid", record::clusterid_at);
    special3(out, "%nclusterid", record::nclusterid_at);
  }
  special(out, "%laneid", record::laneid_at);
  special(out, "%warpid", record::warpid_at);
  special(out, "%smid", record::smid_at);
  if (dialect_.wide_grid_id) {
    line(out, "mov.u64 {}, %gridid", d);
    line(out, "st.global.u64 {}, {}", at(record::grid_id_at), d);
  } else {
    special(out, "%gridid", record::grid_id_at);
  }
  std::uint32_t copied = 0;
  for (const CopiedParameter& parameter : parameters) {
    const unsigned bits = 8 * parameter.chunk;
    const std::string_view through = bits == 64 ? d : r;
    for (std::uint32_t i = 0; i < parameter.place.size; i += parameter.chunk) {
      line(out, "ld.param.u{} {}, [{}+{}]", bits, through, parameter.name, i);
      line(out, "st.global.u{} {}, {}", bits, at(record::parameters_at + parameter.place.offset + i), through);
    }
    copied = parameter.place.offset + parameter.place.size;
  }
  if (copied != 0) line(out, "st.global.u32 {}, {}", at(record::parameter_bytes_at), copied);
  // The host may see the state only after all else, and other threads may trap only after the host can see the state.
  line(out, "membar.sys");
  line(out, "st.volatile.global.u32 {}, {}", at(record::state_at), record::state_whole);
  line(out, "membar.sys");
  line(out, "st.volatile.global.u32 [{}], 2", names_.claim_name);
  return out;
}

std::string RecordingCode::wait(std::string_view poll, std::string_view done) const {
  std::string out;
  line(out, "mov.u32 {}, 0", n);
  label(out, poll);
  line(out, "ld.volatile.global.u32 {}, [{}]", r, names_.claim_name);
  line(out, "setp.eq.u32 {}, {}, 2", p, r);
  line(out, "@{} bra {}", p, done);
  if (dialect_.nanosleep) line(out, "nanosleep.u32 {}", pause_ns);
  line(out, "add.u32 {}, {}, 1", n, n);
  line(out, "setp.lt.u32 {}, {}, {}", p, n, polls);
  line(out, "@{} bra {}", p, poll);
  return out;
}

std::string RecordingCode::before_trap(const SiteCode& site) const {
  const std::string go_on = fmt::format("$__ptxscope_trap{}", site.number);
  // The branch that the losers take leads to where the winner gets too: on devices whose warps run in lockstep they
  // wait there for it, not before it.
  std::string out = claim(site, go_on, "$__ptxscope_wait");
  line(out, "bra $__ptxscope_note");
  label(out, go_on);
  out += '\t';
  return "\n" + out;
}

std::string RecordingCode::branch(std::string_view guard, const SiteCode& site) {
  return fmt::format("{} bra $__ptxscope_site{};", guard, site.number);
}

std::string RecordingCode::trap_apart(const SiteCode& site) const {
  std::string out;
  label(out, fmt::format("$__ptxscope_site{}", site.number));
  out += claim(site, "$__ptxscope_end", "$__ptxscope_wait");
  line(out, "bra $__ptxscope_note");
  return out;
}

std::string RecordingCode::before_call(const SiteCode& site, std::span<const CopiedParameter> parameters) const {
  const std::string go_on = fmt::format("$__ptxscope_call{}", site.number);
  const std::string lost = fmt::format("$__ptxscope_wait{}", site.number);
  std::string out = claim(site, go_on, lost);
  out += thread_and_parameters(parameters);
  label(out, lost);
  out += wait(fmt::format("$__ptxscope_poll{}", site.number), go_on);
  label(out, go_on);
  out += '\t';
  return "\n" + out;
}

std::string RecordingCode::shared_end(std::span<const CopiedParameter> parameters) const {
  std::string out;
  label(out, "$__ptxscope_note");
  out += thread_and_parameters(parameters);
  label(out, "$__ptxscope_wait");
  out += wait("$__ptxscope_poll", "$__ptxscope_end");
  label(out, "$__ptxscope_end");
  line(out, "trap");
  line(out, "exit");
  return out;
}

}  // namespace ptxscope::analysis
