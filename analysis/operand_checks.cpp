#include "analysis/operand_checks.h"

#include <array>
#include <string>

#include "isa/instructions.h"
#include "isa/types.h"

namespace ptxscope::analysis {

namespace {

using isa::Instruction;
using isa::OperandClass;
using isa::Role;
using isa::TypeKind;
using isa::TypeWord;

// What an operand must be.
struct Expected {
  TypeWord type;
  bool or_wider = false;
  bool width_only = false;  // any kind of register of that width but a predicate
  bool is_stated = false;
};

class OperandChecker {
 public:
  OperandChecker(const Function& function, const Statement& instruction, const std::function<void(Diagnostic)>& report)
      : function_(function),
        instruction_(instruction),
        module_(instruction.module()),
        report_(report),
        opcode_(instruction.opcode()) {}

  void run() {
    check_guard();
    row_ = isa::find_instruction(opcode_.mnemonic, opcode_.modifiers);
    if (row_ == nullptr) return;
    const OperandRange operands = instruction_.operands();
    if (row_->flow == isa::Flow::call) return;
    if (operands.size() < row_->minimum_operands || operands.size() > row_->maximum_operands) {
      report_count(operands.size());
      return;
    }
    collect_types();
    check_vector_sizes(operands);
    for (const Operand operand : operands) check_elements(operand, 0);
    for (std::size_t i = 0; i < operands.size(); ++i) check(operands[i], i);
  }

 private:
  void find(Level level, const char* rule, Span span, std::string message) {
    report_({level, rule, span, std::move(message), {}, {}});
  }

  void check_guard() {
    const auto guard = instruction_.guard();
    if (!guard || guard->predicate.kind() != OperandKind::reg) return;
    if (const Type type = type_of(guard->predicate); type != Type::pred)
      find(Level::error, "PTX-TYPE", guard->predicate.span(),
           "the guard " + text_of(guard->predicate) + " is a ." + std::string(spelling(type)) +
               " register, no predicate");
  }

  void report_count(std::size_t count) {
    std::string wanted;
    if (row_->minimum_operands == row_->maximum_operands) wanted = std::to_string(row_->minimum_operands);
    else if (row_->maximum_operands == 255) wanted = "at least " + std::to_string(row_->minimum_operands);
    else wanted = std::to_string(row_->minimum_operands) + " to " + std::to_string(row_->maximum_operands);
    const bool one = wanted == "1";
    find(Level::error, "PTX-OPERANDS", instruction_.span(),
         opcode_.text + " takes " + wanted + (one ? " operand, not " : " operands, not ") + std::to_string(count));
  }

  // The opcode's type words, in order.
  void collect_types() {
    for (const std::string_view modifier : opcode_.modifiers) {
      const TypeWord type = isa::find_type(modifier);
      if (type.kind == TypeKind::none) continue;
      if (type_count_ < types_.size()) types_[type_count_] = type;
      ++type_count_;
    }
  }

  // Loads and stores move as many elements as `.v2`, `.v4` or `.v8` says (PTX ISA 9.7.9.8).
  void check_vector_sizes(const OperandRange& operands) {
    const std::string_view mnemonic = opcode_.mnemonic;
    const bool is_atomic = (mnemonic == "atom" || mnemonic == "red") && !opcode_.has("async");
    if (mnemonic != "ld" && mnemonic != "st" && mnemonic != "ldu" && !is_atomic) return;
    const std::size_t wanted = opcode_.has("v8") ? 8 : opcode_.has("v4") ? 4 : opcode_.has("v2") ? 2 : 1;
    for (std::size_t i = 0; is_atomic && wanted > 1 && i < operands.size(); ++i)
      if (row_->operand_class(i) == OperandClass::first_type && operands[i].kind() == OperandKind::reg &&
          module_.register_declaration(function_, operands[i].reg()).vector_width <= 1)
        find(Level::error, "PTX-OPERANDS", operands[i].span(),
             text_of(operands[i]) + " is one register, where " + opcode_.text + " takes a vector of " +
                 std::to_string(wanted));
    for (const Operand operand : operands)
      if (operand.kind() == OperandKind::vector && operand.children().size() != wanted)
        find(Level::error, "PTX-OPERANDS", operand.span(),
             opcode_.text + " moves " + std::to_string(wanted) + (wanted == 1 ? " element, not " : " elements, not ") +
                 std::to_string(operand.children().size()));
  }

  // The registers of one vector are equally wide.
  void check_elements(const Operand& operand, int depth) {
    const OperandKind kind = operand.kind();
    if (depth > 4 || (kind != OperandKind::vector && kind != OperandKind::pair && kind != OperandKind::tuple_address))
      return;
    unsigned width = 0;
    for (const Operand child : operand.children()) {
      check_elements(child, depth + 1);
      if (kind != OperandKind::vector || child.kind() != OperandKind::reg || child.selector() != Selector::none)
        continue;
      const RegisterDeclaration& declaration = module_.register_declaration(function_, child.reg());
      const unsigned bytes = declaration.vector_width > 1 ? 0 : size_of(declaration.type);
      if (bytes == 0) continue;
      if (width == 0) width = bytes;
      if (bytes == width) continue;
      find(Level::error, "PTX-TYPE", child.span(),
           text_of(child) + " has " + std::to_string(8 * bytes) + " bits, the elements before it " +
               std::to_string(8 * width));
      return;
    }
  }

  TypeWord nth_type(std::size_t n) const {
    // A type word of a newer PTX that is not known here would shift the others.
    if (opcode_.mnemonic == "cvt" && type_count_ < 2) return {};
    if (type_count_ == 0 || type_count_ > types_.size()) return {};
    return types_[std::min(n, type_count_ - 1)];
  }

  Expected expected_of(OperandClass operand_class) const {
    const auto of_type = [](TypeWord type, bool or_wider) {
      return Expected{type, or_wider, type.kind == TypeKind::packed || type.kind == TypeKind::untyped,
                      type.kind != TypeKind::none && type.bits != 0};
    };
    const auto of_width = [](std::uint8_t bits) { return Expected{{TypeKind::untyped, bits}, false, true, true}; };
    switch (operand_class) {
      case OperandClass::any:
        return {};
      case OperandClass::first_type:
        return of_type(nth_type(0), false);
      case OperandClass::second_type:
        return of_type(nth_type(1), false);
      case OperandClass::third_type:
        return of_type(nth_type(2), false);
      case OperandClass::at_least_first:
        return of_type(nth_type(0), true);
      case OperandClass::at_least_second:
        return of_type(nth_type(1), true);
      case OperandClass::double_width: {
        TypeWord type = nth_type(0);
        type.bits = static_cast<std::uint8_t>(type.bits * 2);
        return of_type(type, false);
      }
      case OperandClass::predicate:
        return {{TypeKind::predicate, 1}, false, false, true};
      case OperandClass::bits16:
        return of_width(16);
      case OperandClass::bits32:
        return of_width(32);
      case OperandClass::bits64:
        return of_width(64);
      case OperandClass::bits128:
        return of_width(128);
      case OperandClass::bits32_or_64:
        return {};
    }
    return {};
  }

  void check(const Operand& operand, std::size_t index) {
    const Role role = row_->role(index);
    const OperandKind kind = operand.kind();
    const bool is_memory = kind == OperandKind::address || kind == OperandKind::tuple_address;
    if (is_memory) {
      check_base(operand);
      check_fixed_address(operand, role);
      // Where the table does not say what an operand is, an address may be meant (tcgen05.mma).
      if ((role == Role::read || role == Role::write) && row_->operand_class(index) != OperandClass::any)
        find(Level::error, "PTX-OPERANDS", operand.span(),
             "operand " + place(index) + " of " + opcode_.text + " is no address");
      return;
    }
    if (role == Role::address) {
      find(Level::error, "PTX-OPERANDS", operand.span(),
           "operand " + place(index) + " of " + opcode_.text + " is an address: [" + text_of(operand) + "]");
      return;
    }
    if (role == Role::write && (kind == OperandKind::integer || kind == OperandKind::floating)) {
      find(Level::error, "PTX-OPERANDS", operand.span(), "the result of " + opcode_.text + " needs a register");
      return;
    }
    if (kind == OperandKind::name && isa::find_special_register(module_.name(operand.name())) != nullptr)
      check_special_register(operand, role);
    check_type(operand, expected_of(row_->operand_class(index)), 0);
  }

  // Special registers are read by mov and cvt alone (PTX ISA 10).
  void check_special_register(const Operand& operand, Role role) {
    if (role == Role::write)
      find(Level::error, "PTX-OPERANDS", operand.span(),
           text_of(operand) + " is a special register and cannot be written");
    else if (opcode_.mnemonic != "mov" && opcode_.mnemonic != "cvt")
      find(Level::error, "PTX-OPERANDS", operand.span(),
           text_of(operand) + " is a special register, which only mov can read; " + opcode_.text +
               " needs a copy of it");
    else if (opcode_.mnemonic == "mov" && type_count_ == 1)
      check_special_width(operand, *isa::find_special_register(module_.name(operand.name())));
  }

  // mov has the type of the special register it reads. ptxas takes those that once were narrower as such too.
  void check_special_width(const Operand& operand, const isa::SpecialRegister& special) {
    const TypeWord type = types_[0];
    if (special.components > 1 && operand.selector() == Selector::none) {
      if (opcode_.has("v4") || type.bits == 128) return;
      find(Level::error, "PTX-OPERANDS", operand.span(),
           text_of(operand) + " is a vector, where " + opcode_.text + " takes one element: " + text_of(operand) + ".x");
      return;
    }
    if (type.bits == 0) return;
    const bool was_narrower = special.name == "%tid" || special.name == "%ntid" || special.name == "%ctaid" ||
                              special.name == "%nctaid" || special.name == "%gridid";
    const bool is_float = type.kind == TypeKind::floating;
    if (!is_float && (type.bits == special.bits || (was_narrower && type.bits < special.bits && type.bits >= 16)))
      return;
    const std::string wanted = special.bits == 1 ? "mov.pred" : "mov.u" + std::to_string(special.bits);
    find(Level::error, "PTX-TYPE", operand.span(),
         text_of(operand) + " has " + (special.bits == 1 ? "1 bit" : std::to_string(special.bits) + " bits") +
             " and is read by " + wanted + ", not by " + opcode_.text);
  }

  // Registers as addresses must hold integers (PTX ISA 6.4).
  void check_base(const Operand& operand) {
    if (operand.kind() != OperandKind::address || operand.base().kind() != OperandKind::reg) return;
    const Type type = type_of(operand.base());
    if (type == Type::pred || type == Type::f16 || type == Type::f32 || type == Type::f64)
      find(Level::error, "PTX-TYPE", operand.span(),
           text_of(operand.base()) + " is a ." + std::string(spelling(type)) + " register, which cannot be an address");
  }

  // Numbers are addresses of local memory alone.
  void check_fixed_address(const Operand& operand, Role role) {
    if (role != Role::address || operand.kind() != OperandKind::address) return;
    if (operand.base().kind() != OperandKind::integer || opcode_.has("local")) return;
    // Tensor memory has addresses of its own, and ptxas does not look at the one of a fence.
    if (opcode_.mnemonic == "tcgen05" || opcode_.mnemonic == "fence" || opcode_.mnemonic == "txq") return;
    find(Level::error, "PTX-OPERANDS", operand.span(),
         "a number as address, " + text_of(operand) + ", is taken in .local alone; " + opcode_.text +
             " needs a register or a variable");
  }

  void check_type(const Operand& operand, const Expected& expected, int depth) {
    if (!expected.is_stated || depth > 4) return;
    switch (operand.kind()) {
      case OperandKind::reg:
        check_register(operand, expected, depth > 0);
        break;
      case OperandKind::pair: {
        // p|q of setp are alike; of shfl, match, lop3 and elect the second is a predicate.
        const OperandRange both = operand.children();
        if (!both.empty()) check_type(both[0], expected, depth + 1);
        if (both.size() > 1) check_type(both[1], {{TypeKind::predicate, 1}, false, false, true}, depth + 1);
        break;
      }
      case OperandKind::vector:
        // ld, st and cvt take vectors of elements; mov takes a wide register apart, which has rules of its own.
        if (expected.or_wider)
          for (const Operand child : operand.children()) check_type(child, expected, depth + 1);
        break;
      case OperandKind::floating:
        if (expected.type.kind == TypeKind::integer || expected.type.kind == TypeKind::predicate)
          find(Level::error, "PTX-TYPE", operand.span(),
               text_of(operand) + " is a floating point literal, where " + opcode_.text + " takes " + words(expected));
        break;
      case OperandKind::integer:
        if (expected.type.kind == TypeKind::floating)
          find(Level::error, "PTX-TYPE", operand.span(),
               text_of(operand) + " is an integer, where " + opcode_.text + " takes " + words(expected));
        break;
      default:
        break;
    }
  }

  void check_register(const Operand& operand, const Expected& expected, bool is_element) {
    if (operand.selector() != Selector::none) return;
    const RegisterDeclaration& declaration = module_.register_declaration(function_, operand.reg());
    if (declaration.vector_width > 1) return;
    const TypeWord found = isa::find_type(spelling(declaration.type));
    if (found.kind == TypeKind::none) return;
    const bool is_predicate = found.kind == TypeKind::predicate;
    const bool wants_predicate = expected.type.kind == TypeKind::predicate;
    if (is_predicate != wants_predicate) {
      // ptxas reads predicates as elements of vectors, and fails later.
      mismatch(is_element && is_predicate ? Level::warning : Level::error, operand, declaration, expected);
      return;
    }
    if (is_predicate) return;
    const bool is_float = found.kind == TypeKind::floating;
    const bool wants_float = expected.type.kind == TypeKind::floating;
    if (!expected.width_only) {
      // Typed operands: integers with integers, floating point with floating point, untyped with both (PTX ISA 9.2).
      if ((wants_float && found.kind == TypeKind::integer) || (!wants_float && is_float)) {
        mismatch(Level::error, operand, declaration, expected);
        return;
      }
    }
    const bool exact = !expected.or_wider || (wants_float && is_float);
    if (exact ? found.bits != expected.type.bits : found.bits < expected.type.bits)
      mismatch(Level::error, operand, declaration, expected);
  }

  void mismatch(Level level, const Operand& operand, const RegisterDeclaration& declaration, const Expected& expected) {
    Diagnostic diagnostic{level,
                          "PTX-TYPE",
                          operand.span(),
                          text_of(operand) + " is a ." + std::string(spelling(declaration.type)) + " register, where " +
                              opcode_.text + " takes " + words(expected),
                          {},
                          {}};
    diagnostic.notes.push_back({declaration.span, "declared here"});
    report_(std::move(diagnostic));
  }

  std::string words(const Expected& expected) const {
    const std::string bits = std::to_string(expected.type.bits);
    std::string text;
    switch (expected.type.kind) {
      case TypeKind::predicate:
        return "a predicate";
      case TypeKind::integer:
        text = "an integer of " + bits + " bits";
        break;
      case TypeKind::floating:
        text = "a floating point number of " + bits + " bits";
        break;
      default:
        text = bits + " bits";
        break;
    }
    return text + (expected.or_wider ? " or more" : "");
  }

  Type type_of(const Operand& operand) const { return module_.register_declaration(function_, operand.reg()).type; }
  static std::string text_of(const Operand& operand) { return std::string(operand.text().substr(0, 60)); }
  static std::string place(std::size_t index) { return std::to_string(index + 1); }

  const Function& function_;
  const Statement& instruction_;
  const Module& module_;
  const std::function<void(Diagnostic)>& report_;
  const Opcode& opcode_;
  const Instruction* row_ = nullptr;
  std::array<TypeWord, 4> types_{};
  std::size_t type_count_ = 0;
};

}  // namespace

void check_operands(const Function& function, const Statement& instruction,
                    const std::function<void(Diagnostic)>& report) {
  OperandChecker(function, instruction, report).run();
}

}  // namespace ptxscope::analysis
