// Random functions, rewritten in ways that change nothing, and in one that does.
#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tests/diff_text.h"

using namespace ptxscope::analysis::testing;

namespace {

struct RandomFunction {
  struct Block {
    std::vector<std::string> lines;  // registers are written {0}, {1}, …; predicates <0>, <1>
    int condition = -1;              // predicate of the branch at the end; -1: none
    std::size_t taken = 0;           // where it leads
    std::size_t next = 0;            // where it goes on; the number of blocks: it returns
  };
  std::vector<Block> blocks;

  explicit RandomFunction(unsigned seed) : random(seed) {
    const std::size_t count = 2 + pick(7);
    for (std::size_t b = 0; b < count; ++b) {
      Block block;
      for (unsigned i = 0, lines = 1 + pick(5); i < lines; ++i) block.lines.push_back(line());
      if (b + 1 < count && pick(3) != 0) block.condition = static_cast<int>(pick(3));
      block.taken = pick(count);
      block.next = pick(5) == 0 ? 1 + pick(count) : b + 1;  // mostly the one behind it
      blocks.push_back(block);
    }
  }

  unsigned pick(std::size_t bound) { return static_cast<unsigned>(random() % bound); }
  std::string reg() { return "{" + std::to_string(pick(6)) + "}"; }

  std::string line() {
    static const std::vector<std::string> words{"add.u32", "sub.u32", "mul.lo.u32", "xor.b32"};
    switch (pick(4)) {
      case 0:
        return "st.global.u32 [%rd1+" + std::to_string(4 * pick(4)) + "], " + reg() + ";";
      case 1:
        return "setp.lt.u32 <" + std::to_string(pick(3)) + ">, " + reg() + ", " + reg() + ";";
      case 2:
        return "ld.global.u32 " + reg() + ", [%rd1+" + std::to_string(4 * pick(4)) + "];";
      default:
        return words[pick(words.size())] + " " + reg() + ", " + reg() + ", " + reg() + ";";
    }
  }

  // In that order of blocks (the first stays), with those numbers of registers, predicates and labels.
  [[nodiscard]] std::string text(const std::vector<std::size_t>& order, const std::vector<unsigned>& numbers,
                                 const std::string& label) const {
    std::string out =
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry f(.param .u64 p)\n{\n.reg .pred %p<9>;\n"
        ".reg .b32 %r<20>;\n.reg .b64 %rd<3>;\nld.param.u64 %rd1, [p];\n";
    const auto name = [&](std::size_t block) { return label + std::to_string(block); };
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Block& block = blocks[order[i]];
      out += name(order[i]) + ":\n";
      for (const std::string& one : block.lines) out += named(one, numbers) + "\n";
      if (block.condition >= 0)
        out += named("@<" + std::to_string(block.condition) + ">", numbers) + " bra " + name(block.taken) + ";\n";
      if (block.next >= blocks.size()) out += "ret;\n";
      else if (i + 1 == order.size() || order[i + 1] != block.next) out += "bra " + name(block.next) + ";\n";
    }
    return out + "}\n";
  }

  static std::string named(const std::string& line, const std::vector<unsigned>& numbers) {
    std::string out;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '{' || line[i] == '<') {
        const auto number = static_cast<std::size_t>(line[i + 1] - '0');
        out += line[i] == '{' ? "%r" + std::to_string(numbers[number]) : "%p" + std::to_string(numbers[number] % 9);
        i += 2;
      } else {
        out += line[i];
      }
    }
    return out;
  }

  std::mt19937 random;
};

}  // namespace

TEST_CASE("other names and another order of blocks are the same code; one line more, less or other is not") {
  for (unsigned seed = 0; seed < 150; ++seed) {
    INFO("seed " << seed);
    RandomFunction function(seed);
    std::vector<std::size_t> order(function.blocks.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<unsigned> numbers{1, 2, 3, 4, 5, 6};
    const std::string before = function.text(order, numbers, "L");
    // Registers differ modulo 9, so that predicates do, too.
    std::vector<unsigned> others{10, 3, 14, 6, 17, 11};
    std::shuffle(others.begin(), others.end(), function.random);
    std::shuffle(order.begin() + 1, order.end(), function.random);
    const std::string after = function.text(order, others, "$other");
    const DiffText rewritten(before, after);
    INFO(before << after);
    CHECK(rewritten.diff().same_code);
    CHECK(DiffText(after, before).diff().same_code);
    for (const auto& edit : rewritten.diff().functions.at(0).edits)
      CHECK(edit.effect != ptxscope::analysis::EditEffect::changes);

    // A store of its own in the first block, which runs in any case: one line is put in, taken out, or another.
    std::vector<std::string>& lines = function.blocks[0].lines;
    const std::size_t place = function.pick(lines.size() + 1);
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(place), "st.global.u32 [%rd1+64], {0};");
    const std::string longer = function.text(order, others, "$other");
    lines[place] = "st.global.u32 [%rd1+68], {0};";
    const std::string changed = function.text(order, others, "$other");
    const auto edits = [](const DiffText& told) {
      unsigned count = 0;
      for (const auto& edit : told.diff().functions.at(0).edits)
        count += edit.effect == ptxscope::analysis::EditEffect::changes ? 1 : 0;
      return count;
    };
    CHECK(edits(DiffText(after, longer)) == 1);
    CHECK(edits(DiffText(longer, after)) == 1);
    CHECK(edits(DiffText(longer, changed)) == 1);
    CHECK_FALSE(DiffText(before, longer).diff().same_code);
    CHECK_FALSE(DiffText(longer, before).diff().same_code);
  }
}
