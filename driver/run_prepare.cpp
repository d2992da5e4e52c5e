// What is loaded in the place of an image: its best PTX for the devices, instrumented.
#include <algorithm>
#include <charconv>

#include "analysis/instrument.h"
#include "driver/run.h"
#include "isa/targets.h"
#include "parser/container.h"

namespace ptxscope::driver {

namespace {

struct Candidate {
  const Image* image = nullptr;
  unsigned number = 0;
  int specific = 0;  // sm_90 before sm_90f before sm_90a, on a device that takes all of them
};

int specific_of(char suffix) { return suffix == 'a' ? 2 : suffix == 'f' ? 1 : 0; }

bool runs_on_all(const isa::Target& target, std::span<const unsigned> capabilities) {
  return std::ranges::all_of(capabilities, [&](unsigned number) { return isa::runs_on(target, number); });
}

// Machine code runs on the devices of its own major number, from its minor number on; that of an `a` target on its own
// device alone (CUDA C++ Programming Guide, "Binary Compatibility").
bool is_code_for(const isa::Target& target, std::span<const unsigned> capabilities) {
  return !capabilities.empty() && std::ranges::all_of(capabilities, [&](unsigned number) {
    if (target.suffix == 'a') return number == target.number;
    return number / 10 == target.number / 10U && number >= target.number;
  });
}

std::string in_words(std::span<const unsigned> capabilities) {
  std::string words;
  for (const unsigned number : capabilities) {
    const std::string name = "sm_" + std::to_string(number);
    if (words.find(name) == std::string::npos) words += (words.empty() ? "" : " and ") + name;
  }
  return words;
}

std::string compute_flag(std::span<const unsigned> capabilities) {
  const std::string number = capabilities.empty() ? "XX" : std::to_string(*std::ranges::min_element(capabilities));
  return "compile with -gencode arch=compute_" + number + ",code=compute_" + number + " as well, which keeps the PTX";
}

// The number behind a word of the options, as in -maxrregcount=32, --maxrregcount 32, -O1.
std::optional<unsigned> number_behind(std::string_view options, std::string_view word) {
  std::size_t at = options.rfind(word);
  if (at == std::string_view::npos) return std::nullopt;
  at += word.size();
  while (at < options.size() && (options[at] == '=' || options[at] == ' ')) ++at;
  unsigned number = 0;
  const char* begin = options.data() + at;
  const auto read = std::from_chars(begin, options.data() + options.size(), number);
  if (read.ec != std::errc() || read.ptr == begin) return std::nullopt;
  return number;
}

// Its PTX goes into `prepared.ptx`; false: there is none that can be used.
bool choose(std::span<const std::byte> bytes, std::span<const unsigned> capabilities, PreparedImage& prepared) {
  const ContainerListing listing = read_container(bytes, "image");
  std::optional<Candidate> best;
  unsigned texts = 0;
  std::string targets;
  for (const Image& image : listing.images) {
    const auto index = isa::find_target(image.target);
    if (image.kind == ImageKind::cubin && index)
      prepared.had_machine_code |= is_code_for(isa::targets()[*index], capabilities);
    if (image.kind != ImageKind::ptx) continue;
    ++texts;
    targets += (targets.empty() ? "" : ", ") + image.target;
    if (!index) continue;
    const isa::Target& target = isa::targets()[*index];
    if (!runs_on_all(target, capabilities)) continue;
    const Candidate one{&image, target.number, specific_of(target.suffix)};
    if (!best || std::pair(one.number, one.specific) > std::pair(best->number, best->specific)) best = one;
  }
  prepared.has_ptx = texts != 0;
  if (!best) {
    if (texts != 0) prepared.reason = "none of its PTX (" + targets + ") is for " + in_words(capabilities);
    else if (!listing.problems.empty()) prepared.reason = listing.problems.front();
    prepared.remedy = compute_flag(capabilities);
    return false;
  }
  Extracted extracted = extract(bytes, *best->image, {.image = std::uint64_t{1} << 28U});
  if (!extracted.bytes) {
    prepared.reason = "its PTX could not be taken out: " + extracted.error;
    return false;
  }
  prepared.target = best->image->target;
  // A kernel that was kept small may be launched with blocks that need it so.
  prepared.max_registers = std::min(number_behind(best->image->options, "-maxrregcount").value_or(0), 255U);
  if (const auto level = number_behind(best->image->options, "-O"); level && *level <= 4)
    prepared.optimization = static_cast<int>(*level);
  prepared.ptx = std::move(*extracted.bytes);
  return true;
}

std::string reason_to_leave(const analysis::Instrumented& made) {
  for (const analysis::LeftAlone& one : made.left_alone)
    if (one.function == no_index) return one.reason;
  if (made.left_alone.empty()) return "nothing in it can trap";
  return std::to_string(made.left_alone.size()) +
         " traps or functions of it were left alone: " + made.left_alone.front().reason;
}

}  // namespace

PreparedImage prepare_image(std::span<const std::byte> image, bool is_text, std::span<const unsigned> capabilities) {
  PreparedImage prepared;
  if (is_text) {
    prepared.has_ptx = true;
    prepared.ptx.assign(reinterpret_cast<const char*>(image.data()), image.size());
  } else if (!choose(image, capabilities, prepared)) {
    return prepared;
  }
  const Module module = parse(prepared.ptx, "module");
  if (module.header().targets.empty()) {
    prepared.reason = "it is no PTX: there is no .target in it";
    prepared.remedy = "a PTX module starts with .version, .target and .address_size";
    return prepared;
  }
  if (prepared.target.empty()) prepared.target = module.header().targets.front();
  analysis::Instrumented made = analysis::instrument(module);
  prepared.kernels = std::move(made.kernels);
  prepared.beyond_limit = made.beyond_limit;
  if (!made.changed) {
    prepared.reason = reason_to_leave(made);
    return prepared;
  }
  prepared.is_replaced = true;
  prepared.text = std::move(made.text);
  prepared.record_name = std::move(made.record_name);
  return prepared;
}

}  // namespace ptxscope::driver
