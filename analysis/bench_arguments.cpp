#include "analysis/bench_arguments.h"

#include <algorithm>
#include <set>

#include "analysis/launch.h"
#include "analysis/slices.h"
#include "analysis/values.h"

namespace ptxscope::analysis {

namespace {

std::string quoted(std::string_view word) { return "\"" + std::string(word) + "\""; }

// One word behind a colon of a buffer; a sentence when it is none.
std::string take_word(std::string_view word, BenchBuffer& buffer, bool& has_fill) {
  for (const auto& [name, direction] :
       {std::pair{"in", Direction::in}, {"out", Direction::out}, {"inout", Direction::in_and_out}}) {
    if (word != name) continue;
    if (buffer.direction != Direction::unknown) return "in, out and inout: one of them is enough";
    buffer.direction = direction;
    return {};
  }
  if (has_fill) return "what the buffer holds is said twice";
  has_fill = true;
  if (word == "zero") {
    buffer.fill = {Fill::Kind::zero, 0, 0, 0};
    return {};
  }
  if (word == "iota") {
    buffer.fill = {Fill::Kind::iota, 0, 0, 0};
    return {};
  }
  if (word == "random") return {};
  if (word.starts_with("random(") && word.ends_with(')')) {
    const std::string_view inside = word.substr(7, word.size() - 8);
    const std::size_t comma = inside.find(',');
    if (comma == std::string_view::npos) return "random takes two bounds: random(0,100)";
    std::array<double, 2> bounds{};
    for (const auto& [text, bound] :
         {std::pair{inside.substr(0, comma), bounds.data()}, {inside.substr(comma + 1), bounds.data() + 1}}) {
      const FormulaResult read = read_formula(text, FormulaNames::none);
      const auto value = read.formula ? read.formula->value({}) : std::nullopt;
      if (!value) return quoted(text) + " is no bound of random: it takes two numbers, random(0,100)";
      *bound = static_cast<double>(value->over) / static_cast<double>(value->under);
    }
    if (!(bounds[0] < bounds[1])) return "the first bound of random must be below the second";
    buffer.fill = {Fill::Kind::random, 0, bounds[0], bounds[1]};
    return {};
  }
  const auto bits = element_bits(word, buffer.type);
  if (!bits)
    return quoted(word) +
           " is neither in, out or inout nor what a buffer can hold: random, random(LOW,HIGH), zero, iota, "
           "or a number of its type";
  buffer.fill = {Fill::Kind::value, *bits, 0, 0};
  return {};
}

// "f32[n]:in:iota"; nullopt: it is no buffer at all.
std::optional<std::string> read_buffer(std::string_view text, BenchBuffer& buffer) {
  const std::size_t open = text.find('[');
  if (open == std::string_view::npos) return std::nullopt;
  const std::string_view type = text.substr(0, open);
  buffer.type = type_from(type);
  if (!is_element_type(buffer.type))
    return quoted(type) + " is no type of a buffer's elements (" + element_types() + ")";
  const std::size_t close = text.find(']', open);
  if (close == std::string_view::npos) return "a ] is missing";
  const FormulaResult count = read_formula(text.substr(open + 1, close - open - 1), FormulaNames::n);
  if (!count.formula) return "the count of elements: " + count.error;
  buffer.count = *count.formula;
  buffer.fill = random_fill(buffer.type);
  bool has_fill = false;
  std::string_view rest = text.substr(close + 1);
  while (!rest.empty()) {
    if (rest.front() != ':') return "unexpected " + quoted(rest) + " behind the ]; there may be :in, :out, :zero, …";
    rest.remove_prefix(1);
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    const std::string error = take_word(rest.substr(0, colon), buffer, has_fill);
    if (!error.empty()) return error;
    rest.remove_prefix(colon);
  }
  if (!has_fill && buffer.direction == Direction::out) buffer.fill = {Fill::Kind::zero, 0, 0, 0};
  return std::string();
}

std::string read_number(std::string_view text, BenchNumber& number) {
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    number.type = type_from(text.substr(0, colon));
    if (!is_element_type(number.type))
      return quoted(text.substr(0, colon)) + " is no type of a number (" + element_types() + ")";
    text.remove_prefix(colon + 1);
  }
  number.text = std::string(text);
  FormulaResult formula = read_formula(text, FormulaNames::n);
  number.formula = std::move(formula.formula);
  if (number.formula) return {};
  const Type type = number.type == Type::none ? Type::f64 : number.type;
  return element_bits(text, type) ? std::string() : quoted(text) + " is no number: " + formula.error;
}

// The bits of a number for a place in the parameters; nullopt: it does not fit.
std::optional<std::uint64_t> number_bits(const BenchNumber& number, Type type, unsigned bytes, std::uint64_t n) {
  // 1e6 is a whole number, unless a floating-point one is asked for: argument_bits() takes it for one of those.
  const bool is_arithmetic =
      number.formula && number.type == Type::none && !is_floating(type) && number.text.find('.') == std::string::npos;
  if (number.type != Type::none) type = number.type;
  const bool half = type == Type::f16 || type == Type::bf16;
  const auto plain = half            ? element_bits(number.text, type)
                     : is_arithmetic ? std::nullopt
                                     : argument_bits(number.text, type, bytes);
  if (plain) return plain;
  const auto value = number.formula ? number.formula->value({.n = n}) : std::nullopt;
  if (!value) return std::nullopt;
  if (is_floating(type))
    return element_bits(static_cast<double>(value->over) / static_cast<double>(value->under), type);
  // Rounded down: -7/2 is -4.
  const std::int64_t whole = value->over / value->under - (value->over % value->under < 0 ? 1 : 0);
  return argument_bits(std::to_string(whole), Type::none, bytes);
}

class Binder {
 public:
  Binder(std::span<const BenchSubjectKernel> kernels, const BenchGiven& given) : kernels_(kernels), given_(given) {}

  BenchBinding bind() {
    for (const BenchSubjectKernel& kernel : kernels_) {
      binding_.plan.kernels.push_back(described(kernel));
      ModuleValues values(*kernel.module, std::make_shared<ExprPool>());
      addresses_.push_back(parameter_use(values, kernel.function).pointers);
    }
    add_buffers(given_.both, true, true);
    add_buffers(given_.a, true, false);
    add_buffers(given_.b, false, true);
    place(given_.both, "--arg", true, true);
    place(given_.a, "--arg-a", true, false);
    if (kernels_.size() > 1) place(given_.b, "--arg-b", false, true);
    else if (!given_.b.empty()) fail("--arg-b " + given_.b.front().text + ": there is no B; name a second file");
    for (std::size_t i = 0; i < kernels_.size(); ++i) complete(i);
    return std::move(binding_);
  }

 private:
  struct Named {
    std::size_t buffer;
    const BenchArgument* argument;
    bool a, b;  // which kernel it was given for
  };

  void fail(std::string sentence) { binding_.errors.push_back(std::move(sentence)); }

  static BenchKernel described(const BenchSubjectKernel& subject) {
    const Function& function = subject.module->functions()[subject.function];
    BenchKernel kernel;
    kernel.file = subject.module->file_name();
    kernel.name = std::string(subject.module->name(function.name));
    for (const Variable& parameter : function.parameters) kernel.parameter_bytes.push_back(parameter.size);
    for (const FunctionDirective& directive : function.directives) {
      std::uint64_t threads = 1;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::int64_t size = axis < directive.values.size() ? directive.values[axis] : 1;
        if (size < 1 || size > 1024) continue;
        if (directive.word == ".reqntid") kernel.required_block[axis] = static_cast<std::uint32_t>(size);
        threads *= static_cast<std::uint64_t>(size);
      }
      if (directive.word == ".maxntid")
        kernel.most_threads = static_cast<std::uint32_t>(std::min<std::uint64_t>(threads, 1024));
    }
    return kernel;
  }

  [[nodiscard]] std::string who(std::size_t i) const {
    const std::string& name = binding_.plan.kernels[i].name;
    return kernels_[i].who.empty() ? name : name + " (" + kernels_[i].who + ")";
  }

  // The same label with the same text, for A and for B apart, is one buffer: both are to have the same data.
  void add_buffers(const std::vector<BenchArgument>& arguments, bool a, bool b) {
    for (const BenchArgument& argument : arguments) {
      if (argument.kind != BenchArgument::Kind::buffer) continue;
      const auto same = std::ranges::find_if(buffers_, [&](const Named& named) {
        return named.argument->text == argument.text && (!(named.a && a) || !(named.b && b));
      });
      std::size_t index = binding_.plan.buffers.size();
      if (same != buffers_.end()) index = same->buffer;
      else binding_.plan.buffers.push_back(argument.buffer);
      buffers_.push_back({index, &argument, a, b});
    }
  }

  // A label as it is, as that of a slice, as that of a pointer that has no slice.
  [[nodiscard]] std::optional<LabelledValue> find(std::size_t kernel, const std::string& label) const {
    const auto params = kernels_[kernel].params;
    if (auto place = find_label(params, label)) return place;
    if (auto place = find_label(params, label + ".ptr")) return place;
    if (label.ends_with(".ptr")) return find_label(params, label.substr(0, label.size() - 4));
    return std::nullopt;
  }

  [[nodiscard]] std::string labels() const {
    std::string text;
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      text += (text.empty() ? "" : "; ") + who(i) + " has ";
      std::string list;
      for (const std::string& label : labels_of(kernels_[i].params)) list += (list.empty() ? "" : ", ") + label;
      text += list.empty() ? "no parameters" : list;
    }
    return text;
  }

  void place(const std::vector<BenchArgument>& arguments, const std::string& flag, bool a, bool b) {
    for (const BenchArgument& argument : arguments) {
      bool found = false;
      for (std::size_t i = 0; i < kernels_.size(); ++i) {
        if (i == 0 ? !a : !b) continue;
        const auto where = find(i, argument.label);
        if (!where) continue;
        found = true;
        place_in(i, *where, argument, flag + " " + argument.text + ": ");
      }
      if (!found) fail(flag + " " + argument.text + ": no parameter is called " + argument.label + "; " + labels());
    }
  }

  void place_in(std::size_t kernel, const LabelledValue& where, const BenchArgument& argument,
                const std::string& flag) {
    BenchPlacement placement{where.index,  where.offset,    where.bytes,   where.type,
                             std::nullopt, argument.number, argument.label};
    for (const BenchPlacement& other : binding_.plan.kernels[kernel].placements) {
      if (other.parameter != placement.parameter || placement.offset >= other.offset + other.bytes ||
          other.offset >= placement.offset + placement.bytes)
        continue;
      fail(flag + who(kernel) + " has that already, by " + other.label + "=…");
      return;
    }
    if (argument.kind == BenchArgument::Kind::number) {
      const unsigned stated = size_of(argument.number.type);
      if (argument.number.type != Type::none && stated != where.bytes) {
        fail(flag + "the parameter of " + who(kernel) + " has " + std::to_string(where.bytes) + " bytes, a " +
             std::string(spelling(argument.number.type)) + " has " + std::to_string(stated));
        return;
      }
      if (where.bytes == 0 || where.bytes > 8) {
        fail(flag + "the parameter of " + who(kernel) + " has " + std::to_string(where.bytes) +
             " bytes; a number is given to one of 1 to 8 bytes, or to a field of it");
        return;
      }
      if (addresses_[kernel].contains({where.index, where.offset}) &&
          number_bits(argument.number, where.type, where.bytes, 1) != 0) {
        fail(flag + who(kernel) + " uses it as an address: give it a buffer, " + argument.label + "=f32[n], or 0");
        return;
      }
    } else {
      if (where.bytes != 8) {
        fail(flag + "the parameter of " + who(kernel) + " has " + std::to_string(where.bytes) +
             " bytes; an address has 8");
        return;
      }
      placement.buffer = buffer_of(kernel, argument);
      if (!placement.buffer) {
        fail(flag + "there is no buffer called " + argument.reference + "; give one by --arg " + argument.reference +
             "=f32[n]");
        return;
      }
    }
    binding_.plan.kernels[kernel].placements.push_back(std::move(placement));
  }

  [[nodiscard]] std::optional<std::size_t> buffer_of(std::size_t kernel, const BenchArgument& argument) const {
    std::optional<std::size_t> own;
    for (const Named& named : buffers_) {
      if (argument.kind == BenchArgument::Kind::buffer) {
        if (named.argument == &argument) return named.buffer;
        continue;
      }
      if (named.argument->label != argument.reference) continue;
      // One that both have, or the other's, before the kernel's own: a reference is there to share.
      if (kernel == 0 ? named.b : named.a) return named.buffer;
      own = named.buffer;
    }
    return own;
  }

  // Lengths of slices whose pointer has a buffer; then what has no value.
  void complete(std::size_t i) {
    BenchKernel& kernel = binding_.plan.kernels[i];
    const auto placed = [&](std::uint32_t parameter, std::uint64_t offset) -> const BenchPlacement* {
      for (const BenchPlacement& one : kernel.placements)
        if (one.parameter == parameter && one.offset == offset) return &one;
      return nullptr;
    };
    struct Part {
      std::uint32_t parameter;
      std::uint64_t offset;
      unsigned bytes;
      Type type;
      ParameterRole role;
      std::optional<std::uint32_t> slice;
      std::string label;
    };
    std::vector<Part> parts;
    for (const ParameterInfo& param : kernels_[i].params) {
      if (param.fields.empty())
        parts.push_back({param.index, 0, static_cast<unsigned>(std::min<std::uint64_t>(param.size, 64)), param.type,
                         param.role, param.slice, param.label});
      for (const ParameterInfo::Field& field : param.fields)
        parts.push_back({param.index, field.offset, field.bytes, Type::none, field.role, field.slice, field.label});
    }
    std::string filled;
    for (const Part& length : parts) {
      if (length.role != ParameterRole::length || !length.slice || placed(length.parameter, length.offset)) continue;
      for (const Part& pointer : parts) {
        if (pointer.role != ParameterRole::pointer || pointer.slice != length.slice) continue;
        const BenchPlacement* buffer = placed(pointer.parameter, pointer.offset);
        if (buffer == nullptr || !buffer->buffer || (length.bytes != 4 && length.bytes != 8)) continue;
        const Formula& count = binding_.plan.buffers[*buffer->buffer].count;
        filled += (filled.empty() ? "" : ", ") + length.label + "=" + count.text();
        kernel.placements.push_back({length.parameter, length.offset, length.bytes, length.type, std::nullopt,
                                     BenchNumber{Type::none, count.text(), count}, length.label});
        break;
      }
    }
    if (!filled.empty()) binding_.plan.notes.push_back(who(i) + ": " + filled + ", the lengths of the buffers");
    std::string missing;
    std::string example;
    for (const Part& part : parts) {
      // An empty struct, and what the kernel does not read of one.
      if (part.bytes == 0 || placed(part.parameter, part.offset)) continue;
      missing += (missing.empty() ? "" : ", ") + part.label;
      if (example.empty()) example = part.label + (part.role == ParameterRole::pointer ? "=f32[n]" : "=n");
    }
    if (!missing.empty()) fail(who(i) + ": nothing is given for " + missing + "; give it by --arg " + example);
  }

  std::span<const BenchSubjectKernel> kernels_;
  const BenchGiven& given_;
  BenchBinding binding_;
  std::vector<Named> buffers_;
  std::vector<std::set<ParameterPlace>> addresses_;  // of each kernel: what it uses as one
};

constexpr std::uint64_t most_buffer_bytes = std::uint64_t{1} << 40;

std::string evaluate_extent(const std::array<Formula, 3>& formulas, const FormulaValues& values, const char* what,
                            std::array<std::uint32_t, 3>& out) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto size = formulas[axis].whole(values);
    if (!size || *size < 1 || *size > 0x7fffffff)
      return std::string(what) + " " + formulas[axis].text() + " is " +
             (size ? std::to_string(*size) : std::string("no number")) + ", which is no count of " +
             (std::string_view(what) == "--grid" ? "blocks" : "threads");
    out[axis] = static_cast<std::uint32_t>(*size);
  }
  return {};
}

}  // namespace

BenchArgumentResult read_bench_argument(std::string_view text) {
  BenchArgumentResult result;
  result.argument.text = std::string(text);
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size()) {
    result.error = "must be LABEL=VALUE, like a=f32[n], a.len=n or scale=f32:2.0";
    return result;
  }
  result.argument.label = std::string(text.substr(0, equals));
  const std::string_view value = text.substr(equals + 1);
  if (value.starts_with('@')) {
    result.argument.kind = BenchArgument::Kind::reference;
    result.argument.reference = std::string(value.substr(1));
    return result;
  }
  result.argument.buffer.label = result.argument.label;
  if (const auto error = read_buffer(value, result.argument.buffer)) {
    result.argument.kind = BenchArgument::Kind::buffer;
    result.error = *error;
    return result;
  }
  result.error = read_number(value, result.argument.number);
  return result;
}

BenchBinding bind_arguments(std::span<const BenchSubjectKernel> kernels, const BenchGiven& given) {
  return Binder(kernels, given).bind();
}

BenchLaunch launch_of(const BenchPlan& plan, std::uint64_t n) {
  BenchLaunch launch;
  launch.error = evaluate_extent(plan.block, {.n = n}, "--block", launch.block);
  if (!launch.error.empty()) return launch;
  const std::uint64_t threads = std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  launch.error = evaluate_extent(plan.grid, {.n = n, .block = threads}, "--grid", launch.grid);
  if (!launch.error.empty()) return launch;
  if (const auto limits = launch_limits({.grid = launch.grid, .block = launch.block, .arguments = {}});
      !limits.empty()) {
    launch.error = "no GPU launches this: " + limits.front();
    return launch;
  }
  const auto shared = plan.shared.whole({.n = n, .block = threads});
  if (!shared || *shared > (1U << 20U)) {
    launch.error = "--shared " + plan.shared.text() + ": there is less than 1 MiB of shared memory";
    return launch;
  }
  launch.shared = static_cast<std::uint32_t>(*shared);
  std::uint64_t known_bytes = 0;
  bool is_known = !plan.buffers.empty();
  for (const BenchBuffer& buffer : plan.buffers) {
    const auto count = buffer.count.whole({.n = n});
    if (!count || *count > most_buffer_bytes / size_of(buffer.type)) {
      launch.error = buffer.label + ": " + buffer.count.text() + " is no count of elements from 0 to 2^40 bytes";
      return launch;
    }
    launch.counts.push_back(*count);
    const std::uint64_t bytes = *count * size_of(buffer.type);
    is_known = is_known && buffer.direction != Direction::unknown;
    known_bytes += buffer.direction == Direction::in_and_out ? 2 * bytes : bytes;
  }
  if (plan.bytes) {
    launch.bytes = plan.bytes->whole({.n = n, .block = threads});
    if (!launch.bytes) {
      launch.error = "--bytes " + plan.bytes->text() + " is no count of bytes";
      return launch;
    }
  } else if (is_known) {
    launch.bytes = known_bytes;
  }
  for (const BenchKernel& kernel : plan.kernels) {
    auto& values = launch.values.emplace_back();
    for (const std::uint64_t bytes : kernel.parameter_bytes)
      values.emplace_back(std::min<std::uint64_t>(bytes, 1U << 16U));
    for (const BenchPlacement& placement : kernel.placements) {
      if (placement.buffer) continue;
      const auto bits = number_bits(placement.number, placement.type, placement.bytes, n);
      if (!bits) {
        launch.error = placement.label + "=" + placement.number.text + " does not fit into the " +
                       std::to_string(8 * placement.bytes) + " bits of " + kernel.name + "'s parameter";
        return launch;
      }
      auto& bytes = values[placement.parameter];
      for (unsigned i = 0; i < placement.bytes && placement.offset + i < bytes.size(); ++i)
        bytes[placement.offset + i] = static_cast<std::byte>((*bits >> (8 * i)) & 0xffU);
    }
  }
  return launch;
}

}  // namespace ptxscope::analysis
