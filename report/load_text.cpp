#include <fmt/format.h>

#include <algorithm>

#include "isa/devices.h"
#include "report/check_parts.h"
#include "report/columns.h"
#include "report/load.h"
#include "report/number_table.h"

namespace ptxscope::report {

namespace {

using driver::LoadedKernel;
using driver::LoadReport;
using driver::Occupancy;

std::string milliseconds(double number) {
  return fmt::format("{:.{}f} ms", number, number < 10 ? 2 : number < 100 ? 1 : 0);
}

std::string device_words(const driver::DeviceInfo& device) {
  return printable(device.name) + " (compute capability " + isa::capability_of(device.capability) +
         ", driver of CUDA " + std::to_string(device.cuda_major) + "." + std::to_string(device.cuda_minor) + ")";
}

std::string times(const LoadReport& load) {
  std::string text = milliseconds(load.median());
  const std::size_t count = load.milliseconds.size();
  if (count > 1) {
    const auto [low, high] = std::ranges::minmax(load.milliseconds);
    text += " (the median of " + std::to_string(count) + ", " + milliseconds(low) + " to " + milliseconds(high) + ")";
  }
  if (load.compiler_milliseconds > 0)
    text += ", the driver's compiler " + milliseconds(load.compiler_milliseconds) + " of it";
  return text;
}

std::string occupancy_words(const Occupancy& one) {
  if (one.blocks == 0) return "does not fit";
  return std::to_string(one.blocks) + " × " + std::to_string(one.block) + " = " +
         fmt::format("{:.0f}%", one.share() * 100);
}

const driver::JitUsage* usage_of(const LoadReport& load, const std::string& name) {
  const auto found = std::ranges::find(load.log.usage, name, &driver::JitUsage::function);
  return found != load.log.usage.end() ? &*found : nullptr;
}

std::string kernels_table(const LoadedFile& file, const TextStyle& style) {
  const LoadReport& load = file.load;
  const bool has_spills = std::ranges::any_of(
      load.log.usage, [](const auto& one) { return one.spill_stores != 0 || one.spill_loads != 0; });
  NumberTable table(style);
  std::vector<NumberTable::Cell> head{{"kernel", Ink::dim}};
  for (const char* name : {"registers", "local", "shared", "const", "threads", "PTX", "code"})
    head.push_back({name, Ink::dim});
  if (has_spills) head.push_back({"spilled", Ink::dim});
  const auto first = std::ranges::find_if(load.kernels, [](const LoadedKernel& one) { return one.error.empty(); });
  if (first != load.kernels.end())
    for (const Occupancy& one : first->occupancy) head.push_back({"block " + std::to_string(one.block), Ink::dim});
  table.add(std::move(head));
  constexpr std::size_t name_width = 48;
  for (const LoadedKernel& kernel : load.kernels) {
    if (std::ranges::find(file.kernels_left_out, kernel.name) != file.kernels_left_out.end()) continue;
    std::vector<NumberTable::Cell> row{{printable(kernel.name, name_width)}};
    if (!kernel.error.empty()) {
      row.push_back({printable(kernel.error), Ink::error, true});
      table.add(std::move(row));
      continue;
    }
    for (const int number :
         {kernel.registers, kernel.local_bytes, kernel.shared_bytes, kernel.const_bytes, kernel.max_threads})
      row.push_back({grouped(static_cast<std::uint64_t>(std::max(number, 0)))});
    row.push_back({"compute_" + std::to_string(kernel.ptx_version)});
    row.push_back({"sm_" + std::to_string(kernel.binary_version)});
    if (has_spills) {
      const driver::JitUsage* const usage = usage_of(load, kernel.name);
      row.push_back({usage != nullptr ? grouped(usage->spill_stores + usage->spill_loads) : "?"});
    }
    for (const Occupancy& one : kernel.occupancy) row.push_back({occupancy_words(one)});
    table.add(std::move(row));
  }
  return table.text();
}

std::string remarks(const Module& module, const LoadReport& load, const TextStyle& style) {
  constexpr std::size_t shown = 20;
  std::string out;
  const std::vector<std::string> all = jit_remarks(module, load.log);
  for (std::size_t i = 0; i < std::min(all.size(), shown); ++i)
    out += "  " + wrapped("driver's compiler: " + printable(all[i]), 2, 4, style) + "\n";
  if (all.size() > shown)
    out += "  and " + std::to_string(all.size() - shown) + " more such messages: --format json has all\n";
  return out;
}

}  // namespace

std::string load_text(const Module& module, const LoadedFile& file, const TextStyle& style) {
  const LoadReport& load = file.load;
  const std::string name = printable(module.file_name());
  std::string out;
  if (!load.is_loaded) {
    out += paint(style, Ink::error, "refused") + "  " + name + " on " + device_words(load.device) + "\n";
    out += "  " + wrapped(printable(load.error.sentence), 2, 2, style) + "\n" + remarks(module, load, style);
    if (!file.reasons) return out;
    const std::size_t reasons = file.reasons->answer().problems.size() + count_errors(*file.reasons);
    if (reasons != 0)
      out += "  ptxscope check has " + (reasons == 1 ? std::string("a reason") : std::to_string(reasons) + " reasons") +
             " for it, marked above\n";
    else
      out += "  " +
             wrapped(
                 "ptxscope check has nothing against the module on this driver and GPU: the reason is in the "
                 "driver's words alone",
                 2, 2, style) +
             "\n";
    return out;
  }
  out += paint(style, Ink::good, "loaded") + "  " + name + " on " + device_words(load.device) + "\n";
  out += "  " + wrapped("in " + times(load), 2, 2, style) + "\n" + remarks(module, load, style);
  if (load.kernels.empty()) {
    const bool has_kernels = std::ranges::any_of(
        module.functions(), [](const Function& one) { return one.kind == FunctionKind::entry && one.has_body; });
    return out + (has_kernels ? "  no kernel of that name in it\n" : "  no kernel in it\n");
  }
  out += "\n" + kernels_table(file, style);
  if (!file.kernels_left_out.empty())
    out += "and " + std::to_string(file.kernels_left_out.size()) + " more kernels: --all-kernels lists them\n";
  out += "\n" +
         wrapped(std::string("local, shared, const: bytes; threads: the most a block may have") +
                     (load.kernels.front().occupancy.empty()
                          ? ""
                          : "; block: how many fit on a multiprocessor at once, and how much of its threads that is"),
                 0, 0, style) +
         "\n";
  return out;
}

}  // namespace ptxscope::report
