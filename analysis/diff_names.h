// Numbers for opcodes, names and words that mean the same in both of two modules.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/code_counts.h"
#include "isa/instructions.h"
#include "parser/module.h"

namespace ptxscope::analysis::diff {

enum class Side : std::uint8_t { a, b };

struct SharedOpcode {
  std::string_view text;
  std::string_view mnemonic;
  const isa::Instruction* row = nullptr;
  CountedAs as;
  std::uint32_t common = no_index;  ///< number of what this and other spellings do, see diff_spelling.h
  std::uint8_t exact_bytes = 0, exact_places = 0;
};

class SharedNames {
 public:
  SharedNames(const Module& a, const Module& b);

  [[nodiscard]] std::uint32_t opcode(Side side, OpcodeId id) {
    std::uint32_t& known = of(side).opcodes[static_cast<std::uint32_t>(id)];
    if (known == no_index) known = add_opcode(of(side), id);
    return known;
  }
  [[nodiscard]] std::uint32_t name(Side side, NameId id) {
    std::uint32_t& known = of(side).names[static_cast<std::uint32_t>(id)];
    if (known == no_index) known = text(of(side).module->name(id));
    return known;
  }
  /// The view must live as long as this does.
  [[nodiscard]] std::uint32_t text(std::string_view word);
  /// A number for a value that does not fit into a token.
  [[nodiscard]] std::uint32_t value(std::uint64_t bits);
  /// From now on `b` means what `a` means.
  void join(NameId a, NameId b);

  [[nodiscard]] const SharedOpcode& opcode(std::uint32_t id) const { return opcodes_[id]; }
  [[nodiscard]] std::uint32_t opcode_count() const { return static_cast<std::uint32_t>(opcodes_.size()); }

 private:
  struct Ids {
    const Module* module = nullptr;
    std::vector<std::uint32_t> opcodes, names;
  };
  [[nodiscard]] Ids& of(Side side) { return ids_[static_cast<std::size_t>(side)]; }
  [[nodiscard]] std::uint32_t add_opcode(const Ids& ids, OpcodeId id);

  Ids ids_[2];
  std::vector<SharedOpcode> opcodes_;
  std::unordered_map<std::string, std::uint32_t> common_;
  std::uint32_t common_count_ = 0;
  std::unordered_map<std::string_view, std::uint32_t> opcode_ids_, texts_;
  std::unordered_map<std::uint64_t, std::uint32_t> values_;
};

}  // namespace ptxscope::analysis::diff
