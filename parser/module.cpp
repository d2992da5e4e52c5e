// The accessors of a Module that are not called for every operand.
#include "parser/module.h"

#include <algorithm>
#include <cstring>

#include "parser/builder.h"
#include "parser/constant.h"
#include "parser/initializer.h"
#include "parser/scanner.h"
#include "parser/storage.h"

namespace ptxscope {

Module::Module() : storage_(std::make_unique<Storage>()) { arrays_.text = ""; }
Module::~Module() = default;
Module::Module(Module&&) noexcept = default;
Module& Module::operator=(Module&&) noexcept = default;

const std::string& Module::file_name() const { return storage_->file_name; }

Position Module::position(std::uint32_t offset) const {
  std::call_once(storage_->lines_once, [&] { storage_->lines.build(text()); });
  return storage_->lines.position(text(), offset);
}

std::uint32_t Module::line_of_statement(std::uint32_t statement) const {
  return position(arrays_.statements[statement].begin).line;
}

std::string_view Module::line_text(std::uint32_t line) const {
  std::call_once(storage_->lines_once, [&] { storage_->lines.build(text()); });
  return text(storage_->lines.line(text(), line));
}

const Header& Module::header() const { return storage_->header; }

std::span<const Function> Module::functions() const { return storage_->functions; }
std::span<const Variable> Module::variables() const { return storage_->variables; }
std::span<const Variable> Module::local_variables() const { return storage_->local_variables; }
std::span<const SourceFile> Module::source_files() const { return storage_->files; }
std::span<const Diagnostic> Module::diagnostics() const { return storage_->diagnostics; }

bool Module::has_errors() const {
  return std::any_of(storage_->diagnostics.begin(), storage_->diagnostics.end(),
                     [](const Diagnostic& diagnostic) { return diagnostic.level == Level::error; });
}

std::vector<InitializerValue> Module::initializer(const Variable& variable) const {
  return initializer_values(text(), variable, storage_->names);
}

std::optional<std::string> Module::initializer_bytes(const Variable& variable) const {
  if (variable.initializer.empty() || size_of(variable.type) != 1) return std::nullopt;
  const std::vector<InitializerValue> values = initializer(variable);
  std::string bytes;
  bytes.reserve(values.size());
  for (const InitializerValue& value : values) {
    if (value.is_symbol) return std::nullopt;
    bytes.push_back(static_cast<char>(value.value));
  }
  // The declared size may be huge without a byte of text behind it: what is not written is zero up to a sane size.
  constexpr std::uint64_t most = std::uint64_t{1} << 26U;
  if (variable.size > bytes.size()) bytes.resize(std::min(variable.size, std::max<std::uint64_t>(most, bytes.size())));
  return bytes;
}

SourceLocation Module::source_location(std::uint32_t loc_statement) const {
  SourceLocation location;
  if (loc_statement >= statement_count() || statement(loc_statement).kind() != StatementKind::loc) return location;
  const Span span = statement(loc_statement).span();
  Scanner scanner(text().substr(0, span.end), span.begin);
  std::vector<Token> tokens;
  for (Token token = scanner.next(); token.kind() != TokenKind::end_of_text; token = scanner.next()) {
    tokens.push_back(token);
  }
  const auto spelling = [&](std::size_t i) { return text(tokens[i].span()); };
  const auto number = [&](std::size_t i) {
    return i < tokens.size() && tokens[i].kind() == TokenKind::integer
               ? static_cast<std::uint32_t>(integer_value(spelling(i)))
               : 0U;
  };
  location.file = number(1);
  location.line = number(2);
  location.column = number(3);
  for (std::size_t i = 4; i + 1 < tokens.size(); ++i) {
    if (tokens[i].kind() != TokenKind::comma) continue;
    const std::string_view word = spelling(i + 1);
    if (word == "function_name" && i + 2 < tokens.size()) {
      location.function_name = find_name(spelling(i + 2));
      if (i + 4 < tokens.size() && tokens[i + 4].kind() == TokenKind::integer &&
          (tokens[i + 3].kind() == TokenKind::plus || tokens[i + 3].kind() == TokenKind::minus)) {
        location.function_name_offset = number(i + 4);
        if (tokens[i + 3].kind() == TokenKind::minus) location.function_name_offset *= -1;
      }
    } else if (word == "inlined_at") {
      location.has_inlined_at = true;
      location.inlined_file = number(i + 2);
      location.inlined_line = number(i + 3);
      location.inlined_column = number(i + 4);
    }
  }
  return location;
}

std::string_view Module::name(NameId id) const { return storage_->names.spelling(id); }
NameId Module::find_name(std::string_view spelling) const { return storage_->names.find(spelling); }
std::uint32_t Module::name_count() const { return storage_->names.size(); }
const Opcode& Module::opcode(OpcodeId id) const { return storage_->opcodes[static_cast<std::uint32_t>(id)]; }
std::uint32_t Module::opcode_count() const { return storage_->opcodes.size(); }

const RegisterDeclaration& Module::register_declaration(const Function& function, RegisterNumber number) const {
  const auto after = std::upper_bound(function.registers.begin(), function.registers.end(), number,
                                      [](RegisterNumber n, const RegisterDeclaration& d) { return n < d.first; });
  return *(after - 1);
}

std::string Module::register_name(const Function& function, RegisterNumber number) const {
  const RegisterDeclaration& declaration = register_declaration(function, number);
  std::string result(name(declaration.name));
  if (declaration.count != 0) result += std::to_string(number - declaration.first);
  return result;
}

const Function* Module::find_function(NameId name) const {
  const auto found = storage_->function_by_name.find(static_cast<std::uint32_t>(name));
  return found == storage_->function_by_name.end() ? nullptr : &storage_->functions[found->second];
}

const Variable* Module::find_variable(NameId name) const {
  const auto found = storage_->variable_by_name.find(static_cast<std::uint32_t>(name));
  return found == storage_->variable_by_name.end() ? nullptr : &storage_->variables[found->second];
}

std::string Module::producer() const {
  // Compilers write it into comments at the head of the file.
  const std::string_view head = text().substr(0, 4096);
  // The word after the first `mark`: "13.0" after "release ".
  const auto word_after = [&](std::string_view mark) -> std::string {
    const std::size_t at = head.find(mark);
    if (at == std::string_view::npos) return {};
    const std::string_view rest = head.substr(at + mark.size());
    const std::string_view word = rest.substr(0, rest.find_first_not_of("0123456789."));
    return word.empty() ? std::string() : " " + std::string(word);
  };
  const auto has = [&](std::string_view mark) { return head.find(mark) != std::string_view::npos; };
  if (has("NVIDIA NVVM Compiler") || has("Based on NVVM")) {
    std::string version = word_after("compilation tools, release ");
    if (version.empty()) version = word_after("Based on NVVM ");
    return "NVIDIA NVVM" + version;
  }
  if (has("Generated by LLVM NVPTX")) return "LLVM NVPTX";
  if (has("// nvopencc ")) return "nvopencc" + word_after("// nvopencc ");

  constexpr std::string_view by = "// Generated by ";
  const std::size_t at = head.find(by);
  if (at == std::string_view::npos) return {};
  std::string_view rest = head.substr(at + by.size());
  rest = rest.substr(0, std::min(rest.find_first_of("\r\n"), std::size_t{80}));
  std::string result(rest);
  for (char& c : result) {
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) c = '?';
  }
  return result;
}

Span Module::operand_span(std::uint32_t statement, std::uint32_t record, detail::Part part) const {
  return Builder::operand_span(*this, *storage_, statement, record, part);
}

const Opcode& Statement::opcode() const { return module_->opcode(opcode_id()); }
NameId Statement::label() const { return NameId{module_->arrays_.statements[index_].first}; }
std::uint32_t Statement::payload() const { return module_->arrays_.statements[index_].first; }

bool Opcode::has(std::string_view modifier) const {
  return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

std::uint32_t OpcodeTable::add(std::uint32_t hash_value, std::string_view spelling) {
  if (opcodes_.size() == limit) return detail::HashIndex::none;
  Opcode& opcode = opcodes_.emplace_back();
  opcode.text = spelling;
  const std::string_view text = opcode.text;
  std::size_t dot = std::min(text.find('.'), text.size());
  opcode.mnemonic = text.substr(0, dot);
  while (dot < text.size()) {
    const std::size_t next = std::min(text.find('.', dot + 1), text.size());
    opcode.modifiers.push_back(text.substr(dot + 1, next - dot - 1));
    dot = next;
  }
  spellings_.push_back(text);
  const auto id = static_cast<std::uint32_t>(opcodes_.size() - 1);
  index_.insert(hash_value, id);
  return id;
}

void LineTable::build(std::string_view text) {
  const std::size_t blocks = (text.size() >> block_shift) + 1;
  lines_before_.reserve(blocks);
  line_begins_.reserve(blocks);
  std::uint32_t lines = 0;
  std::uint32_t begin = 0;
  for (std::size_t block = 0; block < blocks; ++block) {
    lines_before_.push_back(lines);
    line_begins_.push_back(begin);
    const std::string_view part = text.substr(block << block_shift, std::size_t{1} << block_shift);
    lines += static_cast<std::uint32_t>(std::count(part.begin(), part.end(), '\n'));
    if (const std::size_t last = part.rfind('\n'); last != std::string_view::npos) {
      begin = static_cast<std::uint32_t>((block << block_shift) + last + 1);
    }
  }
}

Position LineTable::position(std::string_view text, std::uint32_t offset) const {
  offset = std::min(offset, static_cast<std::uint32_t>(text.size()));
  const std::uint32_t block = offset >> block_shift;
  const std::string_view before = text.substr(block << block_shift, offset - (block << block_shift));
  const auto line = lines_before_[block] + static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t newline = before.rfind('\n');
  const std::uint32_t begin = newline == std::string_view::npos
                                  ? line_begins_[block]
                                  : (block << block_shift) + static_cast<std::uint32_t>(newline) + 1;
  return {line + 1, offset - begin + 1};
}

Span LineTable::line(std::string_view text, std::uint32_t number) const {
  const auto size = static_cast<std::uint32_t>(text.size());
  if (number == 0) return {size, size};
  const std::uint32_t before = number - 1;
  const auto block = std::upper_bound(lines_before_.begin(), lines_before_.end(), before,
                                      [](std::uint32_t a, std::uint32_t b) { return a <= b; });
  // The line begins in the last block that has fewer line ends before it.
  const auto index = block == lines_before_.begin() ? 0 : block - lines_before_.begin() - 1;
  std::size_t begin = static_cast<std::size_t>(index) << block_shift;
  for (std::uint32_t lines = lines_before_[static_cast<std::size_t>(index)]; lines < before; ++lines) {
    begin = text.find('\n', begin);
    if (begin == std::string_view::npos) return {size, size};
    ++begin;
  }
  std::size_t end = std::min(text.find('\n', begin), text.size());
  if (end > begin && text[end - 1] == '\r') --end;
  return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

}  // namespace ptxscope
