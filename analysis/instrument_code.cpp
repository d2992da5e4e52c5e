#include "analysis/instrument_code.h"

#include <fmt/format.h>

namespace ptxscope::analysis {
namespace {

// Names of the code's own: instrument() leaves a module alone that has any such name.
constexpr std::string_view p = "%__ptxscope_p";        // predicate
constexpr std::string_view r = "%__ptxscope_r";        // 32 bits
constexpr std::string_view n = "%__ptxscope_n";        // 32 bits: polls; the site
constexpr std::string_view d = "%__ptxscope_d";        // 64 bits
constexpr std::string_view base = "%__ptxscope_base";  // 64 bits: address of the record; 0: nothing is to be written

// A thread that did not get the claim waits this often for the record to become whole; then it traps all the same.
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

std::string declared_registers() {
  return fmt::format("\t.reg .pred {};\n\t.reg .b32 {}, {};\n\t.reg .b64 {}, {};\n", p, r, n, d, base);
}

}  // namespace

std::string RecordingCode::module_part() const {
  return fmt::format("\n.visible .global .align 8 .u64 {};\n.visible .global .align 4 .u32 {};\n", names_.record_name,
                     names_.claim_name) +
         begin_function() + finish_function();
}

std::string RecordingCode::registers() { return "\n" + declared_registers(); }

// Something that ptxas cannot move code across: without it, it reads all that is to be stored into registers first.
void RecordingCode::pause(std::string& out) const {
  line(out, "ld.volatile.global.u32 {}, [{}]", r, names_.claim_name);
  line(out, "setp.ne.u32 {}, {}, 1", p, r);
  line(out, "@{} bra $__ptxscope_end", p);
}

void RecordingCode::special(std::string& out, std::string_view name, std::uint32_t offset) const {
  line(out, "mov.u32 {}, {}", r, name);
  line(out, "st.global.u32 {}, {}", at(offset), r);
}

void RecordingCode::special3(std::string& out, std::string_view name, std::uint32_t offset) const {
  for (std::uint32_t i = 0; i < 3; ++i) special(out, fmt::format("{}.{}", name, "xyz"[i]), offset + 4 * i);
  pause(out);
}

// The address of the record for the first thread of all, 0 for the others. Nobody waits here: on devices whose warps run
// in lockstep, and where ptxas lets a warp converge behind the call, the first one would wait for those who wait for it.
std::string RecordingCode::begin_function() const {
  std::string out =
      fmt::format(".func (.param .b64 __ptxscope_result) {}(.param .b32 __ptxscope_site)\n{{\n", names_.begin_name);
  out += declared_registers();
  line(out, "ld.global.u64 {}, [{}]", base, names_.record_name);
  line(out, "setp.eq.u64 {}, {}, 0", p, base);
  line(out, "@{} bra $__ptxscope_end", p);
  line(out, "atom.global.cas.b32 {}, [{}], 0, 1", r, names_.claim_name);
  line(out, "setp.ne.u32 {}, {}, 0", p, r);
  line(out, "@{} mov.u64 {}, 0", p, base);
  line(out, "@{} bra $__ptxscope_end", p);
  line(out, "ld.param.u32 {}, [__ptxscope_site]", n);
  line(out, "st.global.u32 {}, {}", at(record::site_at), n);
  line(out, "st.global.u32 {}, {}", at(record::version_at), record::version);
  line(out, "st.global.u32 {}, {}", at(record::module_at), names_.tag);
  line(out, "st.global.u32 {}, {}", at(record::state_at), record::state_started);
  label(out, "$__ptxscope_end");
  line(out, "st.param.b64 [__ptxscope_result], {}", base);
  line(out, "ret");
  return out + "}\n";
}

// The thread, and the record's end; then all wait until it is whole.
std::string RecordingCode::finish_function() const {
  std::string out = fmt::format(".func {}(.param .b64 __ptxscope_address)\n{{\n", names_.finish_name);
  out += declared_registers();
  line(out, "ld.param.u64 {}, [__ptxscope_address]", base);
  line(out, "setp.eq.u64 {}, {}, 0", p, base);
  line(out, "@{} bra $__ptxscope_wait", p);
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
  pause(out);
  if (dialect_.wide_grid_id) {
    line(out, "mov.u64 {}, %gridid", d);
    line(out, "st.global.u64 {}, {}", at(record::grid_id_at), d);
  } else {
    special(out, "%gridid", record::grid_id_at);
  }
  // The host may see the state only after all else, and other threads may trap only after the host can see the state.
  line(out, "membar.sys");
  line(out, "st.volatile.global.u32 {}, {}", at(record::state_at), record::state_whole);
  line(out, "membar.sys");
  line(out, "st.volatile.global.u32 [{}], 2", names_.claim_name);
  label(out, "$__ptxscope_wait");
  line(out, "ld.global.u64 {}, [{}]", base, names_.record_name);
  line(out, "setp.eq.u64 {}, {}, 0", p, base);
  line(out, "@{} bra $__ptxscope_end", p);
  line(out, "mov.u32 {}, 0", n);
  label(out, "$__ptxscope_poll");
  line(out, "ld.volatile.global.u32 {}, [{}]", r, names_.claim_name);
  line(out, "setp.eq.u32 {}, {}, 2", p, r);
  line(out, "@{} bra $__ptxscope_end", p);
  if (dialect_.nanosleep) line(out, "nanosleep.u32 {}", pause_ns);
  line(out, "add.u32 {}, {}, 1", n, n);
  line(out, "setp.lt.u32 {}, {}, {}", p, n, polls);
  line(out, "@{} bra $__ptxscope_poll", p);
  label(out, "$__ptxscope_end");
  line(out, "ret");
  return out + "}\n";
}

std::string RecordingCode::record(const SiteCode& site) const {
  std::string out;
  const std::string done = site.way == 0 ? fmt::format("$__ptxscope_done{}", site.number)
                                         : fmt::format("$__ptxscope_done{}_{}", site.number, site.way);
  out += "\t{\n";
  line(out, ".param .b32 __ptxscope_site");
  line(out, ".param .b64 __ptxscope_address");
  line(out, "st.param.b32 [__ptxscope_site], {}", site.number);
  line(out, "call (__ptxscope_address), {}, (__ptxscope_site)", names_.begin_name);
  line(out, "ld.param.b64 {}, [__ptxscope_address]", base);
  out += "\t}\n";
  std::uint32_t valid = 0;
  std::string stores;
  for (const StoredRegister& value : site.values) {
    valid |= 1U << value.slot;
    const std::string place = at(record::values_at + 8 * value.slot);
    if (value.bits == 1) {
      line(stores, "selp.u32 {}, 1, 0, {}", r, value.name);
      line(stores, "st.global.u32 {}, {}", place, r);
    } else {
      line(stores, "st.global.b{} {}, {}", value.bits, place, value.name);
    }
  }
  if (valid != 0) line(stores, "st.global.u32 {}, {}", at(record::valid_at), valid);
  if (site.way != 0) line(stores, "st.global.u32 {}, {}", at(record::way_at), site.way);
  std::uint32_t copied = 0;
  for (const CopiedParameter& parameter : site.parameters) {
    const unsigned bits = 8 * parameter.chunk;
    const std::string_view through = bits == 64 ? d : r;
    for (std::uint32_t i = 0; i < parameter.place.size; i += parameter.chunk) {
      line(stores, "ld.param.u{} {}, [{}+{}]", bits, through, parameter.name, i);
      line(stores, "st.global.u{} {}, {}", bits, at(record::parameters_at + parameter.place.offset + i), through);
    }
    copied = parameter.place.offset + parameter.place.size;
  }
  if (copied != 0) line(stores, "st.global.u32 {}, {}", at(record::parameter_bytes_at), copied);
  if (!stores.empty()) {
    line(out, "setp.eq.u64 {}, {}, 0", p, base);
    line(out, "@{} bra {}", p, done);
    out += stores;
    label(out, done);
  }
  out += "\t{\n";
  line(out, ".param .b64 __ptxscope_address");
  line(out, "st.param.b64 [__ptxscope_address], {}", base);
  line(out, "call {}, (__ptxscope_address)", names_.finish_name);
  out += "\t}\n";
  return out;
}

std::string RecordingCode::before_call(const SiteCode& site) const { return "\n" + record(site) + "\t"; }

// An end of its own: ptxas takes `trap` for something that comes back, and would keep what the code behind it uses.
std::string RecordingCode::before_trap(const SiteCode& site) const {
  return "\n" + record(site) + "\ttrap;\n\texit;\n\t";
}

std::string RecordingCode::branch(std::string_view guard, const SiteCode& site) {
  return fmt::format("{} bra $__ptxscope_site{};", guard, site.number);
}

std::string RecordingCode::way_label(const SiteCode& site) {
  return fmt::format("$__ptxscope_way{}_{}", site.number, site.way);
}

// The site that it goes on to finds the record claimed.
std::string RecordingCode::way_apart(const SiteCode& site, std::string_view label) const {
  return way_label(site) + ":\n" + record(site) + fmt::format("\tbra {};\n", label);
}

std::string RecordingCode::way_behind(const SiteCode& site) const { return "\n" + record(site); }

std::string RecordingCode::trap_apart(const SiteCode& site) const {
  return fmt::format("$__ptxscope_site{}:\n", site.number) + record(site) + "\ttrap;\n\texit;\n";
}

}  // namespace ptxscope::analysis
