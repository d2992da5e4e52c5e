#include "analysis/opcode_forms.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ptxscope::analysis {

bool is_signed(Type type) { return type == Type::s8 || type == Type::s16 || type == Type::s32 || type == Type::s64; }

bool is_integer(Type type) {
  switch (type) {
    case Type::u8:
    case Type::s8:
    case Type::u16:
    case Type::s16:
    case Type::u32:
    case Type::s32:
    case Type::u64:
    case Type::s64:
      return true;
    default:
      return false;
  }
}

bool is_float(Type type) {
  switch (type) {
    case Type::f16:
    case Type::f16x2:
    case Type::bf16:
    case Type::bf16x2:
    case Type::f32:
    case Type::f64:
      return true;
    default:
      return false;
  }
}

bool OpcodeForm::is_signed() const { return analysis::is_signed(type); }
bool OpcodeForm::is_float() const { return analysis::is_float(type); }

namespace {

constexpr std::array<std::pair<std::string_view, Operation>, 50> operations = {{
    {"mov", Operation::mov},
    {"cvt", Operation::cvt},
    {"cvta", Operation::cvta},
    {"add", Operation::add},
    {"sub", Operation::sub},
    {"mul", Operation::mul},
    {"mad", Operation::mad},
    {"mul24", Operation::mul24},
    {"mad24", Operation::mad24},
    {"div", Operation::div},
    {"rem", Operation::rem},
    {"abs", Operation::abs},
    {"neg", Operation::neg},
    {"min", Operation::min},
    {"max", Operation::max},
    {"and", Operation::and_},
    {"or", Operation::or_},
    {"xor", Operation::xor_},
    {"not", Operation::not_},
    {"cnot", Operation::cnot},
    {"shl", Operation::shl},
    {"shr", Operation::shr},
    {"shf", Operation::shf},
    {"lop3", Operation::lop3},
    {"bfe", Operation::bfe},
    {"bfi", Operation::bfi},
    {"prmt", Operation::prmt},
    {"popc", Operation::popc},
    {"clz", Operation::clz},
    {"brev", Operation::brev},
    {"bfind", Operation::bfind},
    {"selp", Operation::selp},
    {"slct", Operation::slct},
    {"set", Operation::set},
    {"setp", Operation::setp},
    {"testp", Operation::testp},
    {"ld", Operation::ld},
    {"ldu", Operation::ld},
    {"vote", Operation::vote},
    {"shfl", Operation::shfl},
    {"activemask", Operation::activemask},
    {"st", Operation::st},
    {"atom", Operation::atom},
    {"red", Operation::atom},
    {"call", Operation::call},
    {"addc", Operation::add},
    {"subc", Operation::sub},
    {"madc", Operation::mad},
    {"isspacep", Operation::isspacep},
    {"fma", Operation::other},
}};

constexpr std::array<std::string_view, 18> compares = {"eq", "ne",  "lt",  "le",  "gt",  "ge",  "lo",  "ls",  "hi",
                                                       "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};

}  // namespace

OpcodeForm read_form(const Opcode& opcode) {
  OpcodeForm form;
  form.instruction = isa::find_instruction(opcode.mnemonic, opcode.modifiers);
  const auto* const known = std::find_if(operations.begin(), operations.end(),
                                         [&](const auto& entry) { return entry.first == opcode.mnemonic; });
  if (known != operations.end()) form.operation = known->second;
  form.carries = opcode.mnemonic == "addc" || opcode.mnemonic == "subc" || opcode.mnemonic == "madc";
  for (const std::string_view word : opcode.modifiers) {
    if (const Type type = type_from(word); type != Type::none && type != Type::other) {
      (form.type == Type::none ? form.type : form.source_type) = type;
      continue;
    }
    if (word == "lo") form.product = Product::low;
    else if (word == "hi") form.product = Product::high;
    else if (word == "wide") form.product = Product::wide;
    else if (word == "sat") form.saturates = true;
    else if (word == "v2") form.vector_width = 2;
    else if (word == "v4") form.vector_width = 4;
    else if (word == "v8") form.vector_width = 8;
    else if (word == "nc") form.read_only = true;
    else if (word == "global") form.space = StateSpace::global;
    else if (word.starts_with("shared")) form.space = StateSpace::shared;
    else if (word == "local") form.space = StateSpace::local;
    else if (word == "const") form.space = StateSpace::constant;
    else if (word.starts_with("param")) form.space = StateSpace::param;
    else if (word == "and") form.combine = Combine::and_;
    else if (word == "or") form.combine = Combine::or_;
    else if (word == "xor") form.combine = Combine::xor_;
    if ((form.operation == Operation::setp || form.operation == Operation::set) && form.compare.empty() &&
        std::find(compares.begin(), compares.end(), word) != compares.end()) {
      form.compare = word;
    }
  }
  if (form.space == StateSpace::constant || form.space == StateSpace::param) form.read_only = true;
  return form;
}

std::optional<ExprOp> integer_compare(std::string_view word, Type type) {
  const bool with_sign = is_signed(type);
  if (word == "eq" || word == "equ") return ExprOp::eq;
  if (word == "ne" || word == "neu") return ExprOp::ne;
  if (word == "lt") return with_sign ? ExprOp::lt_s : ExprOp::lt_u;
  if (word == "le") return with_sign ? ExprOp::le_s : ExprOp::le_u;
  if (word == "gt") return with_sign ? ExprOp::gt_s : ExprOp::gt_u;
  if (word == "ge") return with_sign ? ExprOp::ge_s : ExprOp::ge_u;
  if (word == "lo") return ExprOp::lt_u;
  if (word == "ls") return ExprOp::le_u;
  if (word == "hi") return ExprOp::gt_u;
  if (word == "hs") return ExprOp::ge_u;
  return std::nullopt;
}

std::optional<FloatCompare> float_compare_from(std::string_view word) {
  static constexpr std::array<std::string_view, 14> words = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                                             "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
  const auto* const at = std::find(words.begin(), words.end(), word);
  if (at == words.end()) return std::nullopt;
  return static_cast<FloatCompare>(at - words.begin());
}

}  // namespace ptxscope::analysis
