#include "analysis/panics.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace ptxscope::analysis {

namespace {

constexpr std::size_t max_message = 4096;

struct NamedCheck {
  std::string_view word;
  Check check;
};

// Words in mangled or plain names, the more telling first.
constexpr std::array<NamedCheck, 27> named_checks = {{
    {"panic_bounds_check", Check::bounds},
    {"boundserror", Check::bounds},
    {"bounds_error", Check::bounds},
    {"out_of_bounds", Check::bounds},
    {"out_of_range", Check::bounds},
    {"slice_index", Check::bounds},
    {"slice_start_index", Check::bounds},
    {"slice_end_index", Check::bounds},
    {"index_len_fail", Check::bounds},
    {"index_order_fail", Check::bounds},
    {"index_overflow_fail", Check::bounds},
    {"slice_error_fail", Check::bounds},
    {"div_by_zero", Check::divide_by_zero},
    {"rem_by_zero", Check::divide_by_zero},
    {"divide_by_zero", Check::divide_by_zero},
    {"dividebyzero", Check::divide_by_zero},
    {"diverror", Check::divide_by_zero},
    {"divideerror", Check::divide_by_zero},
    {"overflow", Check::overflow},
    {"inexacterror", Check::overflow},
    {"misaligned_pointer", Check::alignment},
    {"null_pointer", Check::null},
    {"assertfail", Check::assertion},
    {"assert_fail", Check::assertion},
    {"assert_failed", Check::assertion},
    {"cuda_assert", Check::assertion},
    {"device_assert", Check::assertion},
}};

constexpr std::array<std::string_view, 10> panic_words = {"panic", "unwrap_failed", "expect_failed", "throw",
                                                          "abort", "__trap",        "terminate",     "exception",
                                                          "fail",  "len_mismatch"};

// Text of a `.b8` variable from `offset` on, up to a NUL or `length` bytes.
std::optional<std::string> string_at(const Module& module, const ExprPool& pool, ExprId pointer,
                                     std::optional<std::uint64_t> length) {
  const Expr& e = pool[pointer];
  if (e.op != ExprOp::symbol) return std::nullopt;
  const Variable* variable = module.find_variable(NameId{e.payload});
  if (variable == nullptr) return std::nullopt;
  const auto bytes = module.initializer_bytes(*variable);
  if (!bytes || e.value > bytes->size()) return std::nullopt;
  std::string text = bytes->substr(e.value, length ? std::min<std::uint64_t>(*length, max_message) : max_message);
  if (!length) {
    if (const auto end = text.find('\0'); end != std::string::npos) text.resize(end);
  } else {
    while (!text.empty() && text.back() == '\0') text.pop_back();
  }
  return text;
}

// Rust's core::panic::Location: {file pointer, file length, line, column}, line and column 32 bits each.
std::optional<SourcePlace> location_at(const Module& module, ExprPool& pool, ExprId pointer) {
  const Expr e = pool[pointer];
  if (e.op != ExprOp::symbol) return std::nullopt;
  const Variable* variable = module.find_variable(NameId{e.payload});
  if (variable == nullptr || variable->initializer.empty() || variable->size < e.value + 20 || variable->size > 4096)
    return std::nullopt;
  const auto values = module.initializer(*variable);
  const unsigned width = size_of(variable->type);
  if (width == 0) return std::nullopt;
  // Bytes, with the symbol that stands at an offset.
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(variable->size), 0);
  std::optional<std::pair<NameId, std::int64_t>> file;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t at = i * width;
    if (values[i].is_symbol) {
      if (at == e.value && (values[i].mask == 0 || values[i].mask == 0xff)) file = {values[i].symbol, values[i].value};
      continue;
    }
    for (unsigned b = 0; b < width && at + b < bytes.size(); ++b) {
      bytes[at + b] = static_cast<std::uint8_t>(static_cast<std::uint64_t>(values[i].value) >> (8 * b));
    }
  }
  if (!file) return std::nullopt;
  const unsigned pointer_bytes = module.header().address_size == 32 ? 4 : 8;
  const auto number = [&](std::uint64_t offset, unsigned size) {
    std::uint64_t n = 0;
    for (unsigned b = 0; b < size && e.value + offset + b < bytes.size(); ++b)
      n |= static_cast<std::uint64_t>(bytes[e.value + offset + b]) << (8 * b);
    return n;
  };
  const std::uint64_t length = number(pointer_bytes, pointer_bytes);
  SourcePlace place;
  place.line = static_cast<std::uint32_t>(number(2ULL * pointer_bytes, 4));
  place.column = static_cast<std::uint32_t>(number((2ULL * pointer_bytes) + 4, 4));
  const auto name = string_at(module, pool, pool.symbol(file->first, file->second, 64), length);
  if (!name || name->empty() || place.line == 0 || length == 0 || length > max_message) return std::nullopt;
  place.file = *name;
  return place;
}

unsigned argument_count(const Statement& call) {
  const auto operands = call.operands();
  std::size_t callee = 0;
  while (callee < operands.size() && operands[callee].kind() == OperandKind::list) ++callee;
  if (callee + 1 >= operands.size() || operands[callee + 1].kind() != OperandKind::list) return 0;
  return static_cast<unsigned>(operands[callee + 1].children().size());
}

}  // namespace

std::optional<Check> check_named(std::string_view callee) {
  std::string lower(callee);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const NamedCheck& named : named_checks) {
    if (lower.find(named.word) != std::string::npos) return named.check;
  }
  for (const std::string_view word : panic_words) {
    if (lower.find(word) != std::string::npos) return Check::other;
  }
  return std::nullopt;
}

FailureText failure_text(FunctionValues& values, const Module& module, std::uint32_t call) {
  FailureText text;
  ExprPool& pool = values.pool_of();
  const Statement statement = module.statement(call);
  const NameId callee = direct_callee(statement);
  if (callee == no_name) return text;
  const std::string_view name = module.name(callee);
  const unsigned count = std::min(argument_count(statement), 8U);
  if (name.find("assertfail") != std::string_view::npos && count >= 3) {
    text.message = string_at(module, pool, values.argument(call, 0, 0, 64), std::nullopt);
    const auto file = string_at(module, pool, values.argument(call, 1, 0, 64), std::nullopt);
    const ExprId line = values.argument(call, 2, 0, 32);
    if (file && !file->empty() && pool.is_constant(line) && pool[line].value != 0) {
      text.source = SourcePlace{*file, static_cast<std::uint32_t>(pool[line].value), 0, {}};
    }
    return text;
  }
  // Rust: the last pointer argument is a Location; a (pointer, length) pair before it is the message.
  for (unsigned i = count; i-- > 0 && !text.source;)
    text.source = location_at(module, pool, values.argument(call, i, 0, 64));
  for (unsigned i = 0; i + 1 < count && !text.message; ++i) {
    const ExprId length = values.argument(call, i + 1, 0, 64);
    if (!pool.is_constant(length) || pool[length].value == 0 || pool[length].value > max_message) continue;
    const auto message = string_at(module, pool, values.argument(call, i, 0, 64), pool[length].value);
    const bool printable = message && std::all_of(message->begin(), message->end(),
                                                  [](unsigned char c) { return c >= 0x20 || c == '\n' || c == '\t'; });
    if (printable && !message->empty()) text.message = message;
  }
  return text;
}

std::optional<std::string> reported_text(FunctionValues& values, const Module& module, std::uint32_t statement) {
  const BlockId block = values.cfg().block_of(statement);
  if (block == no_block) return std::nullopt;
  for (std::uint32_t s = statement; s-- > values.cfg().blocks[block].first;) {
    const Statement call = module.statement(s);
    if (call.kind() != StatementKind::instruction || call.opcode().mnemonic != "call") continue;
    const NameId callee = direct_callee(call);
    if (callee == no_name) continue;
    const std::string_view name = module.name(callee);
    if (name.find("printf") == std::string_view::npos && name.find("report") == std::string_view::npos &&
        name.find("puts") == std::string_view::npos)
      continue;
    if (auto text = string_at(module, values.pool_of(), values.argument(s, 0, 0, 64), std::nullopt);
        text && !text->empty())
      return text;
  }
  return std::nullopt;
}

}  // namespace ptxscope::analysis
