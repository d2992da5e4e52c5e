#include "analysis/diff_names.h"

#include "analysis/diff_spelling.h"

namespace ptxscope::analysis::diff {

SharedNames::SharedNames(const Module& a, const Module& b) {
  const Module* const modules[] = {&a, &b};
  for (std::size_t i = 0; i < 2; ++i) {
    ids_[i].module = modules[i];
    ids_[i].opcodes.assign(modules[i]->opcode_count(), no_index);
    ids_[i].names.assign(modules[i]->name_count(), no_index);
  }
}

std::uint32_t SharedNames::add_opcode(const Ids& ids, OpcodeId id) {
  const Opcode& opcode = ids.module->opcode(id);
  const auto [entry, is_new] = opcode_ids_.try_emplace(opcode.text, static_cast<std::uint32_t>(opcodes_.size()));
  if (is_new) {
    const isa::Instruction* const row = isa::find_instruction(opcode.mnemonic, opcode.modifiers);
    SharedOpcode one{opcode.text, opcode.mnemonic, row, counted_as(row)};
    if (Spelling spelling = spelling_of(opcode); row != nullptr && !spelling.common.empty()) {
      // Numbers of their own: those of opcodes count up, these count down.
      const auto [common, is_first] = common_.try_emplace(std::move(spelling.common), no_index - 1 - common_count_);
      common_count_ += is_first ? 1 : 0;
      one.common = common->second;
      one.exact_bytes = spelling.exact_bytes;
      one.exact_places = spelling.exact_places;
    }
    opcodes_.push_back(one);
  }
  return entry->second;
}

std::uint32_t SharedNames::text(std::string_view word) {
  return texts_.try_emplace(word, static_cast<std::uint32_t>(texts_.size())).first->second;
}

std::uint32_t SharedNames::value(std::uint64_t bits) {
  return values_.try_emplace(bits, static_cast<std::uint32_t>(values_.size())).first->second;
}

void SharedNames::join(NameId a, NameId b) { of(Side::b).names[static_cast<std::uint32_t>(b)] = name(Side::a, a); }

}  // namespace ptxscope::analysis::diff
