// Liveness against a dataflow of its own: sets of registers at every instruction, to a fixpoint. On random programs the
// test itself knows what each instruction reads and writes and where it goes on; on the corpus it asks the tables.
#include "analysis/liveness.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "analysis/cfg.h"
#include "tests/catch.h"
#include "tests/parser_corpus.h"

using namespace ptxscope;
using namespace ptxscope::analysis;

namespace {

struct Step {
  std::vector<std::uint32_t> reads, writes;
  bool kills = false;  // not guarded
  std::vector<std::size_t> next;
  std::vector<std::uint32_t> needed;  // after it, by who called
};

struct Points {
  std::vector<std::set<std::uint32_t>> before, after;
};

// Steps that a path from the first of them comes to.
std::vector<bool> reached(const std::vector<Step>& steps, std::vector<std::size_t> work) {
  std::vector<bool> is_reached(steps.size(), false);
  while (!work.empty()) {
    const std::size_t i = work.back();
    work.pop_back();
    if (is_reached[i]) continue;
    is_reached[i] = true;
    work.insert(work.end(), steps[i].next.begin(), steps[i].next.end());
  }
  return is_reached;
}

// Live before: what is read, and what is live after and not overwritten. After also stands what is written and not read.
// Nothing is live where no path from `entries` comes to.
Points fixpoint(const std::vector<Step>& steps, const std::vector<std::size_t>& entries) {
  Points points;
  std::vector<std::set<std::uint32_t>> needed(steps.size());  // after
  points.before.resize(steps.size());
  const std::vector<bool> is_reached = reached(steps, entries);
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (is_reached[i]) needed[i].insert(steps[i].needed.begin(), steps[i].needed.end());
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = steps.size(); i-- > 0;) {
      if (!is_reached[i]) continue;
      for (const std::size_t next : steps[i].next)
        for (const std::uint32_t reg : points.before[next]) changed |= needed[i].insert(reg).second;
      std::set<std::uint32_t> before = needed[i];
      if (steps[i].kills)
        for (const std::uint32_t reg : steps[i].writes) before.erase(reg);
      before.insert(steps[i].reads.begin(), steps[i].reads.end());
      if (before != points.before[i]) {
        points.before[i] = std::move(before);
        changed = true;
      }
    }
  }
  points.after = std::move(needed);
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (is_reached[i]) points.after[i].insert(steps[i].writes.begin(), steps[i].writes.end());
  return points;
}

struct RegisterKind {
  RegisterClass register_class;
  std::uint32_t weight;  // in 32-bit registers
};

// Everything that compute_live_ranges() and compute_liveness() say against the sets. "": all the same.
std::string differences(const Points& points, const LiveRanges& ranges, const Liveness& liveness,
                        const std::vector<RegisterKind>& kinds) {
  if (!ranges.complete || !liveness.complete) return "gave up";
  if (ranges.instructions.size() != points.before.size()) return "number of instructions";
  std::uint32_t largest = 0;
  std::uint32_t largest_predicates = 0;
  std::vector<std::uint64_t> lengths(kinds.size(), 0);
  for (std::size_t i = 0; i < points.before.size(); ++i) {
    std::array<std::uint32_t, register_class_count> most{};
    LiveCount worst;
    for (const bool is_after : {false, true}) {
      const auto& live = is_after ? points.after[i] : points.before[i];
      LiveCount count;
      std::array<std::uint32_t, register_class_count> by_class{};
      for (std::uint32_t reg = 0; reg < kinds.size(); ++reg) {
        const bool is_live = live.contains(reg);
        if (is_live != ranges.is_live_at(reg, static_cast<std::uint32_t>(2 * i + (is_after ? 1 : 0))))
          return "register " + std::to_string(reg) + (is_after ? " after " : " before ") + std::to_string(i);
        if (!is_live) continue;
        ++by_class[static_cast<std::size_t>(kinds[reg].register_class)];
        if (kinds[reg].register_class == RegisterClass::predicate) ++count.predicates;
        else count.registers += kinds[reg].weight;
      }
      worst.registers = std::max(worst.registers, count.registers);
      worst.predicates = std::max(worst.predicates, count.predicates);
      for (std::size_t c = 0; c < most.size(); ++c) most[c] = std::max(most[c], by_class[c]);
    }
    for (std::uint32_t reg = 0; reg < kinds.size(); ++reg)
      lengths[reg] += points.before[i].contains(reg) || points.after[i].contains(reg) ? 1 : 0;
    const InstructionPressure& pressure = ranges.instructions[i];
    if (pressure.live.registers != worst.registers || pressure.live.predicates != worst.predicates)
      return "pressure at " + std::to_string(i);
    if (pressure.by_class != most) return "classes at " + std::to_string(i);
    largest = std::max(largest, worst.registers);
    largest_predicates = std::max(largest_predicates, worst.predicates);
  }
  if (ranges.max_live.registers != largest || liveness.max_live.registers != largest) return "maximum";
  if (ranges.max_live.predicates != largest_predicates || liveness.max_live.predicates != largest_predicates)
    return "maximum of predicates";
  for (std::uint32_t reg = 0; reg < kinds.size(); ++reg)
    if (ranges.length(reg) != lengths[reg]) return "length of " + std::to_string(reg);
  return {};
}

// A program of single instructions with a label each, that go anywhere.
struct RandomProgram {
  std::string text;
  std::vector<Step> steps;
  std::vector<RegisterKind> kinds;
};

RandomProgram make_program(std::mt19937& random, std::size_t size) {
  RandomProgram program;
  const auto pick = [&](std::uint32_t count) { return static_cast<std::uint32_t>(random() % count); };
  // Numbers follow the order of declaration: the register that is returned, if any, %r0-7, %d0-3, %p0-2, %h0-1.
  const std::uint32_t returned = pick(2);
  if (returned == 1) program.kinds.push_back({RegisterClass::bits32, 1});
  constexpr std::uint32_t words = 8, longs = 4, predicates = 3, halves = 2;
  for (std::uint32_t i = 0; i < words; ++i) program.kinds.push_back({RegisterClass::bits32, 1});
  for (std::uint32_t i = 0; i < longs; ++i) program.kinds.push_back({RegisterClass::bits64, 2});
  for (std::uint32_t i = 0; i < predicates; ++i) program.kinds.push_back({RegisterClass::predicate, 0});
  for (std::uint32_t i = 0; i < halves; ++i) program.kinds.push_back({RegisterClass::bits16, 1});
  struct Name {
    std::uint32_t number;
    std::string text;
  };
  const auto word = [&] {
    const auto n = pick(words + returned);
    if (n == words) return Name{0, "back"};
    return Name{returned + n, "%r" + std::to_string(n)};
  };
  const auto wide = [&] {
    const auto n = pick(longs);
    return Name{returned + words + n, "%d" + std::to_string(n)};
  };
  const auto predicate = [&] {
    const auto n = pick(predicates);
    return Name{returned + words + longs + n, "%p" + std::to_string(n)};
  };
  const auto half = [&] {
    const auto n = pick(halves);
    return Name{returned + words + longs + predicates + n, "%h" + std::to_string(n)};
  };
  program.text = std::string(".version 8.0\n.target sm_75\n.address_size 64\n") +
                 (returned == 1 ? ".func (.reg .b32 back) k()" : ".visible .entry k()") +
                 "\n{\n.reg .b32 %r<8>;\n.reg .b64 %d<4>;\n.reg .pred %p<3>;\n.reg .b16 %h<2>;\n";
  // More registers than are looked at one by one.
  if (pick(2) == 0) program.text += ".reg .b32 %unused<100000>;\n";
  for (std::size_t i = 0; i < size; ++i) {
    Step step;
    std::string guard;
    if (pick(4) == 0) {
      const Name p = predicate();
      guard = std::string("@") + (pick(2) == 0 ? "" : "!") + p.text + " ";
      step.reads.push_back(p.number);
    }
    const bool is_last = i + 1 == size;
    step.kills = guard.empty();
    bool goes_on = !is_last;
    std::string code;
    const bool falls_off_end = is_last && pick(3) == 0;
    const std::uint32_t what = falls_off_end ? 4 + pick(10) : is_last ? 99 : pick(14);
    if (falls_off_end && returned == 1) step.needed.push_back(0);
    if (what == 99) {
      code = "ret;";
      guard.clear();
      step.reads.clear();
      if (returned == 1) step.reads.push_back(0);
    } else if (what <= 2) {
      const std::size_t target = pick(static_cast<std::uint32_t>(size));
      code = "bra L" + std::to_string(target) + ";";
      step.next.push_back(target);
      goes_on = !guard.empty();
    } else if (what == 3 && pick(2) == 0) {
      const bool is_return = pick(2) == 0;
      code = is_return ? "ret;" : "trap;";
      if (is_return && returned == 1) step.reads.push_back(0);
      goes_on = !guard.empty();
    } else if (what <= 5) {
      const Name d = word();
      code = "mov.u32 " + d.text + ", 7;";
      step.writes = {d.number};
    } else if (what <= 7) {
      const Name d = word(), a = word(), b = word();
      code = "add.s32 " + d.text + ", " + a.text + ", " + b.text + ";";
      step.writes = {d.number};
      step.reads.insert(step.reads.end(), {a.number, b.number});
    } else if (what == 8) {
      const Name p = predicate(), q = predicate(), a = word(), b = word();
      code = "setp.lt.s32 " + p.text + "|" + q.text + ", " + a.text + ", " + b.text + ";";
      step.writes = {p.number, q.number};
      step.reads.insert(step.reads.end(), {a.number, b.number});
    } else if (what == 9) {
      const Name d = wide(), a = wide(), b = wide();
      code = "add.s64 " + d.text + ", " + a.text + ", " + b.text + ";";
      step.writes = {d.number};
      step.reads.insert(step.reads.end(), {a.number, b.number});
    } else if (what == 10) {
      const Name d = wide(), a = word();
      code = "cvt.u64.u32 " + d.text + ", " + a.text + ";";
      step.writes = {d.number};
      step.reads.push_back(a.number);
    } else if (what == 11) {
      const Name d = word(), e = word(), a = wide();
      code = "ld.global.v2.u32 {" + d.text + ", " + e.text + "}, [" + a.text + "+8];";
      step.writes = {d.number, e.number};
      step.reads.push_back(a.number);
    } else if (what == 12) {
      const Name a = wide(), d = half();
      code = "st.global.u16 [" + a.text + "], " + d.text + ";";
      step.reads.insert(step.reads.end(), {a.number, d.number});
    } else {
      const Name d = half(), a = word();
      code = "cvt.u16.u32 " + d.text + ", " + a.text + ";";
      step.writes = {d.number};
      step.reads.push_back(a.number);
    }
    if (goes_on) step.next.push_back(i + 1);
    program.text += "L" + std::to_string(i) + ":\n" + guard + code + "\n";
    program.steps.push_back(std::move(step));
  }
  program.text += "}\n";
  return program;
}

}  // namespace

TEST_CASE("live ranges of random programs are those of a plain dataflow") {
  std::mt19937 random(20240611);
  for (int round = 0; round < 1500; ++round) {
    const RandomProgram program = make_program(random, 2 + random() % 40);
    const Module module = parse(program.text, "random.ptx");
    REQUIRE(module.diagnostics().empty());
    const Cfg cfg = build_cfg(module, 0);
    const std::string found = differences(fixpoint(program.steps, {0}), compute_live_ranges(module, cfg),
                                          compute_liveness(module, cfg), program.kinds);
    if (!found.empty()) {
      FAIL("round " << round << ": " << found << "\n" << program.text);
    }
  }
}

TEST_CASE("live ranges of the corpus are those of a plain dataflow") {
  std::size_t compared = 0;
  for (const corpus::File& file : corpus::files()) {
    if (!file.accepted) continue;
    const Module module = parse(corpus::read(corpus::folder() / file.path), file.path);
    const auto functions = module.functions();
    for (std::uint32_t f = 0; f < functions.size(); ++f) {
      constexpr std::uint32_t largest = 600;  // the sets grow with registers times instructions
      if (!functions[f].has_body || functions[f].register_count > largest) continue;
      const Cfg cfg = build_cfg(module, f);
      std::vector<Step> steps;
      std::vector<std::size_t> first_of(cfg.blocks.size() + 1, 0);
      RegisterUses uses;
      std::vector<RegisterNumber> given;  // by `ret`
      for (const Variable& parameter : functions[f].return_parameters)
        for (RegisterNumber reg = 0; reg < functions[f].register_count && parameter.space == StateSpace::reg; ++reg)
          if (module.register_name(functions[f], reg) == module.name(parameter.name)) given.push_back(reg);
      if (!given.empty() && cfg.blocks.back().falls_off_end) continue;  // the random programs have those
      for (const Block& block : cfg.blocks) {
        first_of[block.id] = steps.size();
        if (block.instructions == 0) continue;
        for (std::uint32_t i = block.first_instruction; i <= block.last_instruction; ++i) {
          if (module.statement(i).kind() != StatementKind::instruction) continue;
          register_uses(module.statement(i), uses);
          if (module.statement(i).opcode().mnemonic == "ret")
            uses.reads.insert(uses.reads.end(), given.begin(), given.end());
          steps.push_back({uses.reads, uses.writes, !uses.guarded, {steps.size() + 1}, {}});
        }
      }
      first_of.back() = steps.size();
      if (steps.size() > largest) continue;
      // Where a block without instructions stands for the first one behind it.
      const auto enter = [&](BlockId block) {
        std::vector<BlockId> work{block};
        std::set<BlockId> seen{block};
        std::vector<std::size_t> found;
        while (!work.empty()) {
          const BlockId at = work.back();
          work.pop_back();
          if (first_of[at] != first_of[at + 1U]) {
            found.push_back(first_of[at]);
            continue;
          }
          for (const std::uint32_t edge : cfg.blocks[at].successors)
            if (seen.insert(cfg.edges[edge].to).second) work.push_back(cfg.edges[edge].to);
        }
        return found;
      };
      for (const Block& block : cfg.blocks) {
        if (first_of[block.id] == first_of[block.id + 1U]) continue;
        Step& last = steps[first_of[block.id + 1U] - 1];
        last.next.clear();
        for (const std::uint32_t edge : block.successors)
          for (const std::size_t next : enter(cfg.edges[edge].to)) last.next.push_back(next);
      }
      std::vector<RegisterKind> kinds;
      bool has_vectors = false;
      for (RegisterNumber reg = 0; reg < functions[f].register_count; ++reg) {
        const RegisterDeclaration& declaration = module.register_declaration(functions[f], reg);
        has_vectors = has_vectors || declaration.vector_width > 1;
        kinds.push_back({class_of(declaration.type), std::max(1U, (size_of(declaration.type) + 3) / 4)});
      }
      if (has_vectors) continue;
      std::vector<std::size_t> entries = enter(0);
      if (!cfg.complete)
        for (std::size_t i = 0; i < steps.size(); ++i) entries.push_back(i);
      const std::string found =
          differences(fixpoint(steps, entries), compute_live_ranges(module, cfg), compute_liveness(module, cfg), kinds);
      if (!found.empty()) {
        FAIL(file.path << ", " << module.name(functions[f].name) << ": " << found);
      }
      ++compared;
    }
  }
  if (corpus::files().empty()) WARN("no corpus: PTXSCOPE_SHARED says where it is");
  else CHECK(compared > 500);
}
