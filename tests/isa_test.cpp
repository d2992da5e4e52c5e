#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "isa/instructions.h"
#include "isa/types.h"
#include "tests/catch.h"

namespace {

using namespace ptxscope::isa;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

const Instruction* find_opcode(std::string_view opcode) {
  const auto words = split(opcode, '.');
  return find_instruction(words.front(), std::span(words).subspan(1));
}

// "w r r": the roles of the first operands.
std::string roles_of(std::string_view opcode, std::size_t count) {
  const Instruction* row = find_opcode(opcode);
  if (row == nullptr) return "unknown";
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    constexpr std::string_view letters = "wrxali";
    text += letters[static_cast<std::size_t>(row->role(i))];
  }
  return text;
}

}  // namespace

TEST_CASE("each row of the table is found by its own words") {
  for (const Instruction& row : instructions()) {
    INFO(row.mnemonic << " " << row.modifiers);
    auto words = split(row.modifiers, ' ');
    for (auto& word : words)
      if (word.ends_with('*')) word.remove_suffix(1);
    CHECK(find_instruction(row.mnemonic, words) == &row);
    // Modifiers come in any order.
    std::reverse(words.begin(), words.end());
    CHECK(find_instruction(row.mnemonic, words) == &row);
    CHECK(row.category != Category::unknown);
    CHECK(row.roles.size() == row.classes.size());
    CHECK(row.minimum_operands <= row.maximum_operands);
    CHECK(row.section.starts_with("9.7."));
  }
}

TEST_CASE("what is not in the table is not found") {
  CHECK(find_instruction("mufu") == nullptr);
  CHECK(find_instruction("") == nullptr);
  CHECK(find_opcode("wgmma.something") == nullptr);
  CHECK(find_opcode("tensormap") == nullptr);
  CHECK(find_special_register("%tids") == nullptr);
  CHECK(find_special_register("%envreg32") == nullptr);
  CHECK(find_special_register("%envreg") == nullptr);
}

TEST_CASE("modifiers that change the operands choose the row") {
  CHECK(roles_of("add.s32", 3) == "wrr");
  CHECK(roles_of("st.global.v4.f32", 2) == "ar");
  CHECK(roles_of("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32", 3) == "ara");
  CHECK(roles_of("atom.global.add.u32", 3) == "war");
  CHECK(roles_of("red.global.add.u32", 2) == "ar");
  CHECK(roles_of("bar.sync", 2) == "rr");
  CHECK(roles_of("bar.red.popc.u32", 4) == "wrrr");
  CHECK(roles_of("barrier.cta.red.aligned.and.pred", 3) == "wrr");
  CHECK(roles_of("wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16", 4) == "xrrr");
  CHECK(roles_of("tcgen05.mma.cta_group::1.kind::f16", 5) == "arrrr");
  CHECK(roles_of("tcgen05.mma.sp.cta_group::1.kind::f16", 5) == "arrar");
  CHECK(roles_of("tcgen05.ld.red.sync.aligned.32x32b.x2.min.u32", 3) == "wwa");
  CHECK(roles_of("tcgen05.ld.sync.aligned.32x32b.x2.b32", 2) == "wa");
  CHECK(roles_of("tcgen05.wait::ld.sync.aligned", 0).empty());
  CHECK(roles_of("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64", 3) == "war");
  CHECK(roles_of("mbarrier.try_wait.parity.shared::cta.b64", 3) == "war");
  CHECK(roles_of("mbarrier.expect_tx.relaxed.cta.b64", 2) == "ar");
  CHECK(roles_of("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes", 3) == "aar");
  CHECK(roles_of("cp.async.wait_group", 1) == "i");
  CHECK(roles_of("brx.idx", 2) == "rl");
  CHECK(roles_of("call.uni", 1) == "l");
  CHECK(find_opcode("add.cc.u32")->writes_carry);
  CHECK(find_opcode("addc.u32")->reads_carry);
  CHECK_FALSE(find_opcode("addc.u32")->writes_carry);
  CHECK(find_opcode("atom.cas.b32")->minimum_operands == 4);
  CHECK(find_opcode("ld.volatile.global.u32")->has_side_effect);
  CHECK_FALSE(find_opcode("ld.global.u32")->has_side_effect);
  CHECK(find_opcode("mma.sync.aligned.kind::f8f6f4.sp::ordered_metadata.m16n8k64.row.col.f16.e2m1.e2m1.f16")
            ->minimum_operands == 6);
}

TEST_CASE("flow") {
  CHECK(find_opcode("bra.uni")->flow == Flow::branch);
  CHECK(find_opcode("brx.idx")->flow == Flow::indirect_branch);
  CHECK(find_opcode("call")->flow == Flow::call);
  CHECK(find_opcode("ret.uni")->flow == Flow::ret);
  CHECK(find_opcode("exit")->flow == Flow::exit);
  CHECK(find_opcode("trap")->flow == Flow::trap);
  CHECK(find_opcode("brkpt")->flow == Flow::next);
}

TEST_CASE("special registers and types") {
  REQUIRE(find_special_register("%tid") != nullptr);
  CHECK(find_special_register("%tid")->components == 4);
  CHECK(find_special_register("%clock64")->bits == 64);
  CHECK(find_special_register("%envreg31") != nullptr);
  CHECK(find_special_register("%reserved_smem_offset_1") != nullptr);
  CHECK(find_type("f32").kind == TypeKind::floating);
  CHECK(find_type("e4m3x2").bits == 16);
  CHECK(find_type("global").kind == TypeKind::none);
  CHECK(spelling(Category::matrix) == "matrix");
}

TEST_CASE("every opcode seen in real modules is known") {
  const char* shared = std::getenv("PTXSCOPE_SHARED");
  std::ifstream list(std::string(shared == nullptr ? "../shared" : shared) + "/corpus/OPCODES.tsv");
  if (!list) {
    WARN("no list of opcodes; set PTXSCOPE_SHARED");
    return;
  }
  // Words of comments and of other languages that the list caught, and names that were never PTX.
  const std::set<std::string, std::less<>> not_ptx = {
      "zluda",   "param0",     "param1",  "param2", "param3",   "param4", "param5", "param6", "param7",
      "param20", "output",     "input",   "next",   "function", "for",    "foobar", "extern", "evidently",
      "else",    "compressed", "comment", "code",   "block",    "mufu",   "bsmad"};
  std::string line;
  std::size_t known = 0;
  while (std::getline(list, line)) {
    const std::string opcode = line.substr(0, line.find('\t'));
    const auto words = split(opcode, '.');
    if (not_ptx.contains(words.front())) continue;
    INFO(opcode);
    CHECK(find_opcode(opcode) != nullptr);
    ++known;
  }
  CHECK(known > 1900);
}
