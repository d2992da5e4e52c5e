// The syntax tree of one PTX module. It owns the text; every node is a span of it, so that line, column and
// bytes are always known and text(module) is the input, byte for byte. Names follow the PTX ISA manual.
//
// Storage is flat arrays of small values. The classes below are views into them: cheap to copy, valid as long
// as the Module lives. Statements stand in the order of the text; functions, scopes and lists are index ranges.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parser/diagnostic.h"
#include "parser/text_buffer.h"

namespace ptxscope {

/// An interned name; equal spelling, equal id (within one Module).
enum class NameId : std::uint32_t {};
/// No name: of what has none, and what find_name() gives for a spelling that does not occur.
inline constexpr NameId no_name{0xffffffffU};

/// An interned opcode with all its modifiers, e.g. `ld.global.v4.f32` (within one Module).
enum class OpcodeId : std::uint32_t {};

/// A register, numbered densely from 0 within its function (nested scopes included).
using RegisterNumber = std::uint32_t;

/// Fundamental types (PTX ISA 5.2) and the opaque ones (5.3). `other`: a type word not in the list.
enum class Type : std::uint8_t {
  none,
  pred,  ///< there is no type, or none is stated
  b8,
  u8,
  s8,
  b16,
  u16,
  s16,
  f16,
  f16x2,
  bf16,
  bf16x2,
  b32,
  u32,
  s32,
  f32,
  b64,
  u64,
  s64,
  f64,
  b128,
  texref,
  samplerref,
  surfref,
  other,
};  ///< a type word that is not known here
/// Size in bytes; 0 for pred, the opaque types and `other`.
[[nodiscard]] unsigned size_of(Type type);
/// The manual's spelling without the dot: "u32"; "" for none.
[[nodiscard]] std::string_view spelling(Type type);
/// Parses "u32" (no dot); Type::none when it is not a type word.
[[nodiscard]] Type type_from(std::string_view word);

/// State spaces (PTX ISA 5.1). `tex` is the deprecated one of PTX 1.x.
enum class StateSpace : std::uint8_t { none, reg, sreg, constant, global, local, param, shared, tex };
[[nodiscard]] std::string_view spelling(StateSpace space);  ///< without the dot: "const", "param"; "" for none

/// Element selectors on registers, vectors and special registers: `%tid.x`, `%r1.b0`, `%r1.h1`.
enum class Selector : std::uint8_t { none, x, y, z, w, r, g, b, a, b0, b1, b2, b3, h0, h1, other };
[[nodiscard]] std::string_view spelling(Selector selector);  ///< behind the dot: "x", "b0"; "" for none

class Module;
class OperandRange;
class Builder;

namespace detail {

/// How a statement is kept: 16 bytes. `first`: its first operand record, or what payload() gives.
struct StatementRecord {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t first = 0;
  std::uint32_t kind : 5 = 0;
  std::uint32_t has_guard : 1 = 0;  // the first record is the guard predicate
  std::uint32_t has_operands : 1 = 0;
  std::uint32_t opcode : 25 = 0;
};

/// An operand is kept in 8 bytes: flags, then 48 bits of value.
namespace record {
inline constexpr std::uint64_t kind_mask = 0xf;
inline constexpr std::uint64_t negated = 1U << 4U;
inline constexpr std::uint64_t single = 1U << 5U;
inline constexpr std::uint64_t last = 1U << 6U;  // of the statement's operands
// numbers: value is an index of `wide`; addresses: parts are children
inline constexpr std::uint64_t wide = 1U << 7U;
inline constexpr unsigned selector_shift = 8;           // 5 bits
inline constexpr std::uint64_t named_base = 1U << 13U;  // addresses: the base is a name, not a register
inline constexpr unsigned value_shift = 16;
}  // namespace record

/// Which part of an address an Operand stands for.
enum class Part : std::uint8_t { whole, base, index };

/// Where the arrays are, so that the accessors below can be inline.
struct Arrays {
  const StatementRecord* statements = nullptr;
  const std::uint64_t* operands = nullptr;
  const std::uint64_t* wide = nullptr;
  const char* text = nullptr;
  std::uint32_t statement_count = 0;
  std::uint32_t text_size = 0;
};

}  // namespace detail

/// What an operand is, by its form in the text (PTX ISA 6.1 to 6.4).
enum class OperandKind : std::uint8_t {
  reg,            ///< a declared register of this function
  name,           ///< any other name: variable, label, function, special register, undeclared register
  integer,        ///< integer literal or constant expression with a known value
  floating,       ///< 0f…, 0d… or decimal floating literal: the bit pattern
  sink,           ///< `_`
  vector,         ///< `{a, b, …}`
  pair,           ///< `p|q`: two children
  address,        ///< `[base]`, `[base+offset]`: see Operand::base() and displacement()
  tuple_address,  ///< `[t, {x, y}]`, `[t, s, {x}]`, …: children are the elements
  list,           ///< `( … )` of a call
  /// a constant expression whose value is not a plain integer (symbols, generic(x)+8, …); the text is in span()
  expression,
  string,  ///< `"…"`: text() has the quotes and escapes
};

/// One operand, as a small value. Which accessors make sense depends on kind().
class Operand {
 public:
  Operand() = default;                                           ///< of no module: only kind() may be asked
  [[nodiscard]] OperandKind kind() const { return kind_; }       ///< which of the accessors mean something
  [[nodiscard]] bool negated() const { return negated_; }        ///< `!p` or, before a register, `-r`
  [[nodiscard]] Selector selector() const { return selector_; }  ///< of reg and name
  /// Of reg only; other kinds give bits without a meaning.
  [[nodiscard]] RegisterNumber reg() const { return static_cast<RegisterNumber>(value_); }
  [[nodiscard]] NameId name() const { return static_cast<NameId>(value_); }  ///< of name only
  /// integer: the value, sign-extended to 64 bits. floating: the bits (f32 in the low half when is_single()).
  [[nodiscard]] std::int64_t integer() const { return static_cast<std::int64_t>(value_); }
  [[nodiscard]] std::uint64_t bits() const { return value_; }  ///< floating: IEEE bits; integer: as integer()
  [[nodiscard]] bool is_single() const { return single_; }     ///< floating: `0f…`, of 32 bits; else 64
  /// vector, pair, tuple_address, list: the elements. Empty for other kinds.
  [[nodiscard]] OperandRange children() const;
  /// address: what stands before the displacement (reg, name, integer, or expression).
  [[nodiscard]] Operand base() const;
  /// address: the constant added to base(), 0 if none; the sign is applied (`[r+-4]` gives -4).
  [[nodiscard]] std::int64_t displacement() const;
  /// address: a `[base+other]` whose second part is not a constant (register or symbol); nullopt otherwise.
  [[nodiscard]] std::optional<Operand> index() const;
  /// The bytes of this operand.
  [[nodiscard]] Span span() const;
  [[nodiscard]] std::string_view text() const;  ///< that of span(): as written, comments inside included
  [[nodiscard]] const Module& module() const { return *module_; }  ///< the one it points into

 private:
  friend class Statement;
  friend class OperandRange;
  friend class Builder;
  using Part = detail::Part;
  Operand(const Module& module, std::uint32_t statement, std::uint32_t index, std::uint64_t record);
  [[nodiscard]] Operand part(std::uint32_t child, Part part) const;

  const Module* module_ = nullptr;
  std::uint64_t value_ = 0;
  std::uint32_t index_ = 0;      // of the record
  std::uint32_t statement_ = 0;  // it belongs to
  OperandKind kind_ = OperandKind::sink;
  Selector selector_ = Selector::none;
  bool negated_ = false;
  bool single_ = false;
  bool wide_ = false;        // an address whose parts are records of their own
  bool named_base_ = false;  // an address whose base is a name
  Part part_ = Part::whole;  // of an address
};

/// A random-access range of operands, made on the fly.
class OperandRange {
 public:
  OperandRange() = default;  ///< empty
  /// `count` records of the statement from index `first` on; made by the accessors of Operand and Statement.
  OperandRange(const Module* module, std::uint32_t statement, std::uint32_t first, std::uint32_t count)
      : module_(module), statement_(statement), first_(first), count_(count) {}
  [[nodiscard]] std::size_t size() const { return count_; }  ///< how many operands
  [[nodiscard]] bool empty() const { return count_ == 0; }   ///< also for a range made by default
  [[nodiscard]] Operand operator[](std::size_t i) const;     ///< made anew each time; i below size()

  /// Walks the range and gives operands by value.
  class iterator {
   public:
    using value_type = Operand;                         ///< what `*` gives
    using difference_type = std::ptrdiff_t;             ///< of positions
    using iterator_category = std::input_iterator_tag;  ///< input: what `*` gives is not a place in memory
    iterator() = default;                               ///< of no range: to be assigned to
    iterator(const OperandRange* range, std::size_t i) : range_(range), i_(i) {}  ///< at place i of the range
    Operand operator*() const { return (*range_)[i_]; }                           ///< valid while the range is
    iterator& operator++() {                                                      ///< to the next one
      ++i_;
      return *this;
    }
    iterator operator++(int) {  ///< the next one, giving the old
      auto old = *this;
      ++i_;
      return old;
    }
    /// Of the same range: the place.
    friend bool operator==(const iterator& a, const iterator& b) { return a.i_ == b.i_; }

   private:
    const OperandRange* range_ = nullptr;
    std::size_t i_ = 0;
  };
  [[nodiscard]] iterator begin() const { return {this, 0}; }     ///< its first operand, or end()
  [[nodiscard]] iterator end() const { return {this, count_}; }  ///< behind its last

 private:
  const Module* module_ = nullptr;
  std::uint32_t statement_ = 0;
  std::uint32_t first_ = 0;
  std::uint32_t count_ = 0;
};

/// The words of an opcode, kept once per distinct spelling.
struct Opcode {
  std::string text;                         ///< "ld.global.v4.f32", white space and comments inside removed
  std::string_view mnemonic;                ///< "ld"
  std::vector<std::string_view> modifiers;  ///< {"global", "v4", "f32"}; "::" forms stay whole: "shared::cta"
  /// Whether it is one of `modifiers`: the whole word, no dot.
  [[nodiscard]] bool has(std::string_view modifier) const;
};

/// What a statement is. What a statement of each kind has beside its text: see the accessors of Statement.
enum class StatementKind : std::uint8_t {
  instruction,     ///< `opcode operands;`, with or without a guard
  label,           ///< `name:`
  scope_begin,     ///< `{` (also the one that opens a function body)
  scope_end,       ///< `}`
  registers,       ///< `.reg …`
  variable,        ///< a declaration in any other state space, in a function or at module level
  function,        ///< the header of `.entry` / `.func` (prototype or definition)
  loc,             ///< `.loc`
  file,            ///< `.file`
  section,         ///< `.section name { … }`, and `@@DWARF` lines
  pragma,          ///< `.pragma "…";`
  branch_targets,  ///< `.branchtargets`; its label is the label statement before it
  call_targets,    ///< `.calltargets`
  call_prototype,  ///< `.callprototype`
  alias,           ///< `.alias a, b;`
  version,         ///< `.version`
  target,          ///< `.target`
  address_size,    ///< `.address_size`
  directive,       ///< any other directive, known or not
  empty,           ///< a stray `;`
  line_marker,     ///< `# 12 "file.cu"`
  unparsed,        ///< text that did not parse: there is a diagnostic for it
};

/// The guard predicate of an instruction (`@p`, `@!p`).
struct Guard {
  Operand predicate;     ///< of kind reg, or name where it is not declared
  bool negated = false;  ///< `@!p`
};

/// A view of one statement. `index` is its place in Module::statements.
class Statement {
 public:
  /// 0 ≤ index < Module::statement_count(), not checked.
  Statement(const Module& module, std::uint32_t index) : module_(&module), index_(index) {}
  [[nodiscard]] std::uint32_t index() const { return index_; }  ///< in Module::statement()
  [[nodiscard]] StatementKind kind() const;     ///< what it is, which tells the accessors that mean something
  [[nodiscard]] Span span() const;              ///< from the first token to the last, `;` included
  [[nodiscard]] std::string_view text() const;  ///< that of span()
  [[nodiscard]] const Module& module() const { return *module_; }  ///< the one it was made from

  // instruction
  [[nodiscard]] OpcodeId opcode_id() const;          ///< of an instruction; equal for equal opcodes
  [[nodiscard]] const Opcode& opcode() const;        ///< of an instruction: its words
  [[nodiscard]] std::optional<Guard> guard() const;  ///< of an instruction; nullopt: always executed
  /// The operands as written, destination first; the guard is not among them.
  /// `call (ret), f, (a, b), proto` has: list, name|reg, list, name. `call f;` has: name.
  [[nodiscard]] OperandRange operands() const;

  // label: its name. variable, function, file: index into the Module's array of that kind. registers: index into the
  // function's `registers`, no_index at module level. branch_targets, call_targets, alias, pragma: operands().
  [[nodiscard]] NameId label() const;           ///< of a label: its name, without the `:`
  [[nodiscard]] std::uint32_t payload() const;  ///< see above; of kinds not named there without meaning

 private:
  const Module* module_;
  std::uint32_t index_;
};

/// No such thing: no statement, no function, no payload.
inline constexpr std::uint32_t no_index = 0xffffffffU;

/// `.reg .b32 %r<100>, x;` gives one of these per declarator.
struct RegisterDeclaration {
  NameId name = no_name;          ///< `%r` for `%r<100>`, else the whole name
  std::uint32_t count = 0;        ///< 100 for `%r<100>` (`%r0` … `%r99`); 0: a single register
  Type type = Type::none;         ///< of each register
  std::uint8_t vector_width = 1;  ///< 2 for .v2, 4 for .v4
  RegisterNumber first = 0;       ///< dense number of the first register
  std::uint32_t statement = 0;    ///< index of its `registers` statement; before the function for one of the module
  std::uint32_t scope_end = 0;    ///< index of the scope_end statement that closes its scope
  Span span;                      ///< of the declarator
};

/// Linking directives (PTX ISA 11.6): `.extern` is `external`; `none`: seen in this module only.
enum class Linkage : std::uint8_t { none, external, visible, weak, common };

/// A declaration outside `.reg`: module-level or function-level variable, or a parameter.
struct Variable {
  NameId name = no_name;                ///< without `<n>`, where parameterized
  StateSpace space = StateSpace::none;  ///< where it stands: param for parameters, reg for a parameter in a register
  Type type = Type::none;               ///< of one element
  Linkage linkage = Linkage::none;      ///< always none in a body
  std::uint8_t vector_width = 1;        ///< elements of `.v2`, `.v4`; 1: no vector
  bool is_array = false;                ///< has `dimensions`
  bool is_pointer = false;              ///< `.ptr` on a kernel parameter
  StateSpace pointer_space = StateSpace::none;  ///< of `.ptr .global`; none: generic
  std::uint32_t alignment = 0;                  ///< bytes, 0: not stated
  std::uint32_t pointer_alignment = 0;          ///< bytes, of `.ptr .align`; 0: not stated
  std::vector<std::uint64_t> dimensions;        ///< `[4][]`: {4, 0}; inferred ones filled in from the initialiser
  std::uint32_t parameterized_count = 0;        ///< `.param .b32 p<4>` style names; 0: none
  std::uint64_t size = 0;                       ///< bytes in all; 0: not known (`.extern .shared x[]`)
  Span initializer;                             ///< `= …` without the `=`; empty: none
  std::uint32_t statement = no_index;  ///< index of its statement; of a parameter, that of the function's header
  std::uint32_t function = no_index;   ///< the function it belongs to; no_index: module level
  Span span;                           ///< of the declarator
};

/// One value of an initialiser, flattened in order.
struct InitializerValue {
  bool is_symbol = false;   ///< symbol + addend, else a plain number in `value`
  bool is_generic = false;  ///< generic(symbol)
  NameId symbol = no_name;  ///< no_name where `is_symbol` is false
  std::int64_t value = 0;   ///< number, or addend; a floating literal gives its bits
  std::uint64_t mask = 0;   ///< of `0xff00(x)` / mask(): 0: none
};

/// What a function is: a kernel, launched from the host (`.entry`), or called from device code (`.func`).
enum class FunctionKind : std::uint8_t { entry, func };

/// A performance or launch directive of a function: `.maxntid 256, 1, 1`, `.noreturn`, `.pragma "…"`.
struct FunctionDirective {
  std::string_view word;             ///< with the dot
  std::vector<std::int64_t> values;  ///< one a number, in the text's order; other operands are in `span` only
  Span span;                         ///< of the directive with its numbers
};

/// A `.entry` or `.func`: definition (has_body) or prototype.
struct Function {
  FunctionKind kind = FunctionKind::func;  ///< `.entry` or `.func`
  NameId name = no_name;                   ///< as in the text: mangled where the compiler mangles
  Linkage linkage = Linkage::none;         ///< as the manual has it for functions (PTX ISA 11.6)
  bool has_body = false;                   ///< false: a prototype; body_begin and body_end are then without meaning
  bool noreturn = false;                   ///< `.noreturn` (PTX ISA 11.4)
  std::uint32_t header = 0;                ///< index of its `function` statement
  std::uint32_t body_begin = 0;            ///< index of the scope_begin statement that opens the body
  /// index of the scope_end that closes it (or one past the last statement when it is missing)
  std::uint32_t body_end = 0;
  std::vector<Variable> parameters;            ///< in order, as declared
  std::vector<Variable> return_parameters;     ///< of a `.func`: those before its name
  std::vector<FunctionDirective> directives;   ///< between header and body, in order
  std::vector<RegisterDeclaration> registers;  ///< declared in the body, nested scopes included, in order
  std::uint32_t register_count = 0;            ///< dense numbers in use: 0 … register_count-1
  Span span;                                   ///< header and body
  Span name_span;                              ///< of the name in the header
};

/// `.loc file line column [, function_name label+offset, inlined_at file line column]`.
struct SourceLocation {
  std::uint32_t file = 0;                 ///< index of `.file`
  std::uint32_t line = 0;                 ///< from 1 as compilers write it; 0 where it is left out
  std::uint32_t column = 0;               ///< from 1; 0: not known to the compiler
  NameId function_name = no_name;         ///< label in .debug_str, where given
  std::int64_t function_name_offset = 0;  ///< bytes, added to the label
  bool has_inlined_at = false;            ///< whether the three below mean something
  std::uint32_t inlined_file = 0;         ///< as `file`: where the call that was inlined stands
  std::uint32_t inlined_line = 0;         ///< as `line`
  std::uint32_t inlined_column = 0;       ///< as `column`
};

/// A `.file` directive (PTX ISA 11.5): what `.loc` means by a number.
struct SourceFile {
  std::uint32_t index = 0;  ///< the number that it gives itself
  std::string name;         ///< escapes resolved
  Span span;                ///< of the whole directive
};

/// `.version`, `.target` and `.address_size` of a module (PTX ISA 11.1).
struct Header {
  unsigned version_major = 0;             ///< 8 of 8.7; 0: no `.version`. Of several, which is an error: the last
  unsigned version_minor = 0;             ///< 7 of 8.7
  Span version_span;                      ///< of the number; empty: there is no `.version`
  std::vector<std::string_view> targets;  ///< "sm_90a"; options apart
  std::vector<std::string_view> options;  ///< "debug", "texmode_independent", "map_f64_to_f32"
  Span target_span;                       ///< of the words of the last `.target`; empty: there is none
  unsigned address_size = 0;              ///< 0: not stated
  Span address_size_span;                 ///< of the number; empty: there is none that is 32 or 64
  /// Whether `.version` is that one or a later one; false without one.
  bool at_least(unsigned major, unsigned minor) const {
    return version_major > major || (version_major == major && version_minor >= minor);
  }
};

/// How parse() reads.
struct ParseOptions {
  bool use_shape_cache = true;         ///< false: every statement through the ANTLR parser (for the equivalence test)
  std::size_t max_diagnostics = 1000;  ///< kept; one more says how many there would have been
  /// Set on another thread, it ends the reading early: the module is what was read until then, and an error says so.
  const std::atomic<bool>* stop = nullptr;
};

/// A module that was read: text, statements, names, diagnostics. Move only; one moved from may be destroyed or assigned
/// to. Several threads may read one at once.
class Module {
 public:
  Module();  ///< of no text: no statements, no names
  ~Module();
  Module(Module&&) noexcept;  ///< views into the text and spans of results stay valid, Statement and Operand do not
  Module& operator=(Module&&) noexcept;  ///< as above; what this one held is gone
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  /// The input, byte for byte.
  [[nodiscard]] std::string_view text() const { return {arrays_.text, arrays_.text_size}; }
  /// Of a span within the text.
  [[nodiscard]] std::string_view text(Span span) const { return {arrays_.text + span.begin, span.size()}; }
  [[nodiscard]] const std::string& file_name() const;           ///< as given to parse(); never opened again
  [[nodiscard]] Position position(std::uint32_t offset) const;  ///< of a byte; finds line ends on the first call
  [[nodiscard]] Position position(Span span) const { return position(span.begin); }  ///< of its first byte
  [[nodiscard]] std::uint32_t line_of_statement(std::uint32_t statement) const;      ///< line of its first token
  /// without the line end; line from 1
  [[nodiscard]] std::string_view line_text(std::uint32_t line) const;

  [[nodiscard]] const Header& header() const;  ///< all empty where the directives are missing
  /// "NVIDIA NVVM 13.0" (the release of CUDA), "LLVM NVPTX", "nvopencc 3.2"; empty when the text does not tell.
  [[nodiscard]] std::string producer() const;

  /// Of the whole text, in order.
  [[nodiscard]] std::uint32_t statement_count() const { return arrays_.statement_count; }
  /// Index below statement_count(), not checked.
  [[nodiscard]] Statement statement(std::uint32_t index) const { return {*this, index}; }
  [[nodiscard]] std::span<const Function> functions() const;  ///< in order of their headers, prototypes too
  /// Module-level variables, in order.
  [[nodiscard]] std::span<const Variable> variables() const;
  /// Variables declared in function bodies (`.local`, `.shared`, `.param` of call sequences, …), in order. A
  /// `variable` statement's payload is an index here (in a body) or into variables() (at module level); a
  /// statement with several declarators names the first, the others follow it and carry the same `statement`.
  [[nodiscard]] std::span<const Variable> local_variables() const;
  /// Of that variable, flattened; empty without one.
  [[nodiscard]] std::vector<InitializerValue> initializer(const Variable& variable) const;
  /// The bytes of a `.b8` / `.s8` / `.u8` variable's initialiser, zero-filled to its size; nullopt when it has none or holds symbols.
  [[nodiscard]] std::optional<std::string> initializer_bytes(const Variable& variable) const;
  /// Of a `loc` statement; all 0 for another one.
  [[nodiscard]] SourceLocation source_location(std::uint32_t loc_statement) const;
  [[nodiscard]] std::span<const SourceFile> source_files() const;  ///< in order of place

  [[nodiscard]] std::string_view name(NameId id) const;             ///< its spelling; valid as long as the module
  [[nodiscard]] NameId find_name(std::string_view spelling) const;  ///< no_name when it does not occur
  [[nodiscard]] std::uint32_t name_count() const;                   ///< ids are 0 … name_count()-1
  [[nodiscard]] const Opcode& opcode(OpcodeId id) const;            ///< of an id of this module
  [[nodiscard]] std::uint32_t opcode_count() const;  ///< distinct spellings; ids are 0 … opcode_count()-1
  /// Spelling of a register of that function: "%r17".
  [[nodiscard]] std::string register_name(const Function& function, RegisterNumber number) const;
  /// The declaration that gave the register its number, which must be below Function::register_count.
  [[nodiscard]] const RegisterDeclaration& register_declaration(const Function& function, RegisterNumber number) const;
  /// First definition, else first declaration, of that name; nullptr when there is none. For module-level names.
  [[nodiscard]] const Function* find_function(NameId name) const;
  [[nodiscard]] const Variable* find_variable(NameId name) const;  ///< as find_function(), of variables()

  [[nodiscard]] std::span<const Diagnostic> diagnostics() const;  ///< of reading the text, in order of place
  [[nodiscard]] bool has_errors() const;                          ///< one diagnostic at least is of Level::error

 private:
  friend class Builder;
  friend class Statement;
  friend class Operand;
  friend class OperandRange;
  struct Storage;
  [[nodiscard]] Span operand_span(std::uint32_t statement, std::uint32_t record, detail::Part part) const;

  detail::Arrays arrays_;
  std::unique_ptr<Storage> storage_;
};

/// Parses the text. Never fails: what does not parse is a diagnostic and an `unparsed` statement.
/// Texts of 4 GiB and more are refused (one diagnostic, no statements).
[[nodiscard]] Module parse(std::string text, std::string file_name, const ParseOptions& options = {});
/// The same of a text that was read from a file.
[[nodiscard]] Module parse(TextBuffer text, std::string file_name, const ParseOptions& options = {});

/// Reads a file ("-": standard input) and parses it. On failure to read: an error sentence instead.
struct ReadResult {
  std::optional<Module> module;  ///< nullopt: the file could not be read
  std::string error;             ///< the path, what happened, the way out; empty on success
};
/// Reads a file ("-": standard input) and parses it.
[[nodiscard]] ReadResult parse_file(const std::string& path, const ParseOptions& options = {});

// ---- The accessors that are called for every operand ---------------------------------------------------------------------

inline Operand::Operand(const Module& module, std::uint32_t statement, std::uint32_t index, std::uint64_t record)
    : module_(&module),
      value_(static_cast<std::uint64_t>(static_cast<std::int64_t>(record) >> detail::record::value_shift)),
      index_(index),
      statement_(statement),
      kind_(static_cast<OperandKind>(record & detail::record::kind_mask)),
      selector_(static_cast<Selector>(record >> detail::record::selector_shift & 31U)),
      negated_((record & detail::record::negated) != 0),
      single_((record & detail::record::single) != 0),
      wide_((record & detail::record::wide) != 0),
      named_base_((record & detail::record::named_base) != 0) {
  if (wide_ && kind_ != OperandKind::address) value_ = module.arrays_.wide[value_];
}

inline OperandRange Operand::children() const {
  switch (kind_) {
    case OperandKind::vector:
    case OperandKind::pair:
    case OperandKind::tuple_address:
    case OperandKind::list:
      return {module_, statement_, index_ + static_cast<std::uint32_t>(value_ & 0xffffffU),
              static_cast<std::uint32_t>(value_ >> 24U & 0xffffffU)};
    default:
      return {};
  }
}

inline Operand Operand::part(std::uint32_t child, Part part) const {
  const std::uint32_t record = index_ + static_cast<std::uint32_t>(value_ & 0xffffffU) + child;
  Operand result(*module_, statement_, index_, module_->arrays_.operands[record]);
  result.part_ = part;
  return result;
}

inline Operand Operand::base() const {
  if (kind_ != OperandKind::address) return *this;
  if (wide_) return part(0, Part::base);
  Operand result = *this;
  result.kind_ = named_base_ ? OperandKind::name : OperandKind::reg;
  result.value_ = value_ & 0xffffffU;
  result.part_ = Part::base;
  return result;
}

inline std::int64_t Operand::displacement() const {
  if (kind_ != OperandKind::address) return 0;
  if (wide_) return part(1, Part::whole).integer();
  return static_cast<std::int64_t>(value_) >> 24U;
}

inline std::optional<Operand> Operand::index() const {
  if (kind_ != OperandKind::address || !wide_ || (value_ >> 24U & 0xffffffU) < 3) return std::nullopt;
  return part(2, Part::index);
}

inline Span Operand::span() const { return module_->operand_span(statement_, index_, part_); }
inline std::string_view Operand::text() const { return module_->text(span()); }

inline Operand OperandRange::operator[](std::size_t i) const {
  const std::uint32_t index = first_ + static_cast<std::uint32_t>(i);
  return {*module_, statement_, index, module_->arrays_.operands[index]};
}

inline StatementKind Statement::kind() const {
  return static_cast<StatementKind>(module_->arrays_.statements[index_].kind);
}

inline Span Statement::span() const {
  const detail::StatementRecord& record = module_->arrays_.statements[index_];
  return {record.begin, record.end};
}

inline std::string_view Statement::text() const { return module_->text(span()); }

inline OpcodeId Statement::opcode_id() const { return OpcodeId{module_->arrays_.statements[index_].opcode}; }

inline std::optional<Guard> Statement::guard() const {
  const detail::StatementRecord& record = module_->arrays_.statements[index_];
  if (record.has_guard == 0) return std::nullopt;
  const Operand predicate(*module_, index_, record.first, module_->arrays_.operands[record.first]);
  return Guard{predicate, predicate.negated()};
}

inline OperandRange Statement::operands() const {
  const detail::StatementRecord& record = module_->arrays_.statements[index_];
  if (record.has_operands == 0) return {};
  const std::uint32_t first = record.first + record.has_guard;
  std::uint32_t last = first;
  while ((module_->arrays_.operands[last] & detail::record::last) == 0) ++last;
  return {module_, index_, first, last - first + 1};
}

}  // namespace ptxscope
