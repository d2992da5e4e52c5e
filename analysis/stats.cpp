#include "analysis/stats.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "analysis/cfg.h"
#include "analysis/names.h"
#include "analysis/parallel.h"

namespace ptxscope::analysis {

namespace {

// What an opcode counts as, looked up once for each spelling.
struct CountedOpcode {
  const isa::Instruction* row = nullptr;
  CountedAs as;
  std::uint32_t memory_kind = no_index;
  std::uint32_t bytes = 0;
  bool asks_operands = false;  // how many bytes, each instruction says for itself
};

std::string_view space_word(std::string_view modifier) {
  for (const std::string_view space : {"global", "local", "shared", "param", "const"}) {
    if (modifier == space) return space;
    if (modifier.starts_with(space) && modifier.substr(space.size()).starts_with("::"))
      return modifier == "shared::cluster" ? modifier : space;
  }
  return {};
}

// Words of a row that change how memory is accessed, not which operation it is.
bool is_manner(std::string_view word) {
  for (const std::string_view manner : {"nc", "volatile", "relaxed", "acquire", "release", "mmio", "weak"})
    if (word == manner) return true;
  return word.ends_with('*');
}

// "ld.global", "cp.async.shared.global", "atom.generic", "ldmatrix.shared", "tex": the mnemonic, the words that make
// another operation of it, and the state spaces. Where an address is generic, that word.
std::string memory_kind_of(const Opcode& opcode, const isa::Instruction& row) {
  std::string kind(opcode.mnemonic);
  std::string_view words = row.modifiers;
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    const std::string_view word = words.substr(0, end);
    if (!word.empty() && !is_manner(word) && space_word(word).empty()) kind += "." + std::string(word);
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  bool has_space = false;
  for (const std::string_view modifier : opcode.modifiers) {
    const std::string_view space = space_word(modifier);
    if (space.empty()) continue;
    kind += "." + std::string(space);
    has_space = true;
  }
  const bool has_generic_form = row.category == isa::Category::memory || row.category == isa::Category::atomic ||
                                row.category == isa::Category::matrix;
  if (!has_space && has_generic_form) kind += ".generic";
  return kind;
}

// Loads, stores and atomics say type and vector. Of a texture the first type is what is read, the other a coordinate's.
std::uint32_t bytes_of(const Opcode& opcode) {
  for (const std::string_view mnemonic :
       {"ld", "ldu", "st", "atom", "red", "multimem", "suld", "sust", "tex", "tld4"}) {
    if (opcode.mnemonic != mnemonic) continue;
    std::uint32_t elements = 1;
    std::uint32_t bytes = 0;
    for (const std::string_view modifier : opcode.modifiers) {
      if (modifier == "bulk") return 0;
      if (modifier == "v2") elements = 2;
      if (modifier == "v4") elements = 4;
      if (modifier == "v8") elements = 8;
      if (const unsigned size = size_of(type_from(modifier)); size != 0 && bytes == 0) bytes = size;
    }
    return elements * bytes;
  }
  return 0;
}

// Matrix loads and stores: the registers that they fill or that they store.
bool is_matrix_transfer(const Opcode& opcode) {
  if (opcode.mnemonic == "ldmatrix" || opcode.mnemonic == "stmatrix") return true;
  if (opcode.mnemonic != "wmma" && opcode.mnemonic != "tcgen05") return false;
  return std::ranges::any_of(opcode.modifiers, [](std::string_view word) {
    return word == "load" || word == "store" || word == "ld" || word == "st";
  });
}

// Copies have their size as an operand: `cp.async [to], [from], 16`, `discard.global.L2 [a], 128`. Tensors do not.
std::optional<std::size_t> place_of_size(const Opcode& opcode) {
  const auto has = [&](std::string_view word) {
    return std::ranges::find(opcode.modifiers, word) != opcode.modifiers.end();
  };
  if (has("tensor")) return std::nullopt;
  if (opcode.mnemonic == "discard" || (opcode.mnemonic == "st" && has("bulk"))) return 1;
  if (has("prefetch")) return std::nullopt;
  const bool copies = opcode.mnemonic == "cp" || (opcode.mnemonic == "multimem" && (has("cp") || has("bulk")));
  return copies ? std::optional<std::size_t>(2) : std::nullopt;
}

using MemoryTallies = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>;  // by memory kind and bytes

std::vector<MemoryTally> listed(const MemoryTallies& tallies) {
  std::vector<MemoryTally> list;
  list.reserve(tallies.size());
  for (const auto& [key, count] : tallies) list.push_back({key.first, key.second, count});
  return list;
}

// What each opcode of a module counts as; the same for all of its functions.
class OpcodeTable {
 public:
  OpcodeTable(const Module& module, ModuleStats& stats) {
    std::unordered_map<std::string, std::uint32_t> kinds;
    opcodes_.resize(module.opcode_count());
    stats.opcodes.reserve(opcodes_.size());
    for (std::uint32_t i = 0; i < opcodes_.size(); ++i) {
      const Opcode& opcode = module.opcode(OpcodeId{i});
      stats.opcodes.push_back(opcode.text);
      CountedOpcode& one = opcodes_[i];
      one.row = isa::find_instruction(opcode.mnemonic, opcode.modifiers);
      if (one.row == nullptr) continue;
      one.as = counted_as(one.row);
      if (!one.as.memory) continue;
      const auto [place, is_new] =
          kinds.emplace(memory_kind_of(opcode, *one.row), static_cast<std::uint32_t>(stats.memory_kinds.size()));
      if (is_new) stats.memory_kinds.push_back(place->first);
      one.memory_kind = place->second;
      one.bytes = bytes_of(opcode);
      one.asks_operands = one.bytes == 0 && (is_matrix_transfer(opcode) || place_of_size(opcode));
    }
  }
  [[nodiscard]] const CountedOpcode& operator[](std::uint32_t id) const { return opcodes_[id]; }

 private:
  std::vector<CountedOpcode> opcodes_;  // by OpcodeId
};

class Counter {
 public:
  Counter(const Module& module, const OpcodeTable& opcodes, const DeclarationCounter& declared)
      : module_(module), opcodes_(opcodes), never_returns_(module), declared_(declared) {
    opcode_counts_.assign(module.opcode_count(), 0);
  }

  [[nodiscard]] FunctionStats count(std::uint32_t index) {
    const Function& function = module_.functions()[index];
    FunctionStats one;
    one.function = index;
    one.name = std::string(module_.name(function.name));
    one.kind = function.kind;
    one.line = module_.position(function.span).line;
    CodeStats& counts = one.counts;
    current_ = index;
    declared_.start(index);
    count_instructions(function, counts);
    set_declared(declared_.counts(), counts);
    count_flow(index, counts);
    take_opcode_counts(counts);
    return one;
  }

  [[nodiscard]] const DeclarationCounter& declared() const { return declared_; }

  static void set_declared(const DeclaredCounts& declared, CodeStats& counts) {
    counts.declared = declared.registers;
    counts.shared_bytes = declared.shared_bytes;
    counts.local_bytes = declared.local_bytes;
    counts.dynamic_shared = declared.dynamic_shared;
  }

 private:
  void count_instructions(const Function& function, CodeStats& counts) {
    if (used_in_.size() < function.register_count) used_in_.resize(function.register_count, no_index);
    function_ = &function;
    for (std::uint32_t i = function.body_begin; i < function.body_end && i < module_.statement_count(); ++i) {
      const Statement statement = module_.statement(i);
      if (statement.kind() != StatementKind::instruction) continue;
      const auto id = static_cast<std::uint32_t>(statement.opcode_id());
      const CountedOpcode& opcode = opcodes_[id];
      if (opcode_counts_[id]++ == 0) seen_.push_back(id);
      ++counts.instructions;
      const std::optional<Guard> guard = statement.guard();
      if (guard) use(guard->predicate, counts);
      for (const Operand operand : statement.operands()) look_at(operand, counts, 0);
      if (opcode.as.branch && guard) ++counts.conditional_branches;
      if (opcode.asks_operands) ++asked_[{opcode.memory_kind, bytes_by_operands(statement)}];
    }
  }

  // 0: a register holds the size.
  [[nodiscard]] std::uint32_t bytes_by_operands(const Statement& statement) const {
    const OperandRange operands = statement.operands();
    if (const auto place = place_of_size(statement.opcode())) {
      if (*place >= operands.size() || operands[*place].kind() != OperandKind::integer) return 0;
      const std::int64_t size = operands[*place].integer();
      return size >= 0 && size <= 0xffffffff ? static_cast<std::uint32_t>(size) : 0;
    }
    std::uint32_t bytes = 0;
    for (const Operand operand : operands) {
      if (operand.kind() != OperandKind::vector) continue;
      for (const Operand child : operand.children())
        if (child.kind() == OperandKind::reg)
          bytes += size_of(module_.register_declaration(*function_, child.reg()).type);
    }
    return bytes;
  }

  void use(const Operand& operand, CodeStats& counts) {
    if (operand.kind() != OperandKind::reg || std::exchange(used_in_[operand.reg()], current_) == current_) return;
    const RegisterDeclaration& declaration = module_.register_declaration(*function_, operand.reg());
    counts.used[static_cast<std::size_t>(class_of(declaration.type))] +=
        std::max<std::uint8_t>(1, declaration.vector_width);
  }

  void look_at(const Operand& operand, CodeStats& counts, unsigned depth) {
    constexpr unsigned deepest = 8;  // operands nest three deep at most
    switch (operand.kind()) {
      case OperandKind::reg:
        use(operand, counts);
        break;
      case OperandKind::name:
        declared_.name(operand.name());
        break;
      case OperandKind::address:
        if (depth == deepest) break;
        look_at(operand.base(), counts, depth + 1);
        if (const auto index = operand.index()) look_at(*index, counts, depth + 1);
        break;
      case OperandKind::vector:
      case OperandKind::pair:
      case OperandKind::tuple_address:
      case OperandKind::list:
        if (depth == deepest) break;
        for (const Operand child : operand.children()) look_at(child, counts, depth + 1);
        break;
      default:
        break;
    }
  }

  void count_flow(std::uint32_t index, CodeStats& counts) {
    CfgOptions options;
    options.post_dominators = false;
    options.never_returns = &never_returns_;
    const Cfg cfg = build_cfg(module_, index, options);
    counts.blocks = cfg.blocks.size();
    counts.loops = cfg.loops.size();
    for (const Loop& loop : cfg.loops) counts.max_loop_depth = std::max(counts.max_loop_depth, loop.depth);
    const Liveness liveness = compute_liveness(module_, cfg);
    if (!liveness.complete) {
      counts.max_live = counts.max_live_predicates = std::nullopt;
      return;
    }
    counts.max_live = liveness.max_live.registers;
    counts.max_live_predicates = liveness.max_live.predicates;
    if (liveness.max_live_statement != no_index)
      counts.max_live_line = module_.line_of_statement(liveness.max_live_statement);
  }

  void take_opcode_counts(CodeStats& counts) {
    std::ranges::sort(seen_);
    for (const std::uint32_t id : seen_) {
      const std::uint64_t count = opcode_counts_[id];
      counts.by_opcode.push_back({id, count});
      opcode_counts_[id] = 0;
      const isa::Instruction* const row = opcodes_[id].row;
      if (row == nullptr) {
        counts.unknown_instructions += count;
        counts.by_category[static_cast<std::size_t>(isa::Category::unknown)] += count;
        continue;
      }
      counts.by_category[static_cast<std::size_t>(row->category)] += count;
      const CountedAs& as = opcodes_[id].as;
      if (as.branch) counts.branches += count;
      if (as.call) counts.calls += count;
      if (as.trap) counts.traps += count;
      if (as.barrier) counts.barriers += count;
    }
    seen_.clear();
    fill_memory(counts);
    asked_.clear();
  }

  void fill_memory(CodeStats& counts) const {
    MemoryTallies tallies = asked_;
    for (const OpcodeTally& tally : counts.by_opcode) {
      const CountedOpcode& opcode = opcodes_[tally.opcode];
      if (opcode.memory_kind != no_index && !opcode.asks_operands)
        tallies[{opcode.memory_kind, opcode.bytes}] += tally.count;
    }
    counts.memory = listed(tallies);
  }

  const Module& module_;
  const OpcodeTable& opcodes_;
  NeverReturns never_returns_;
  DeclarationCounter declared_;
  std::uint32_t current_ = 0;
  std::vector<std::uint64_t> opcode_counts_;
  std::vector<std::uint32_t> seen_;
  MemoryTallies asked_;                 // memory operations whose operands say how many bytes
  const Function* function_ = nullptr;  // being counted
  std::vector<std::uint32_t> used_in_;  // by register number: the last function found to use it
};

// Sums over functions, in the order of the text.
class Totals {
 public:
  explicit Totals(ModuleStats& stats) : stats_(stats) {}

  void add(const FunctionStats& one) {
    CodeStats& totals = stats_.totals;
    const CodeStats& counts = one.counts;
    for (const OpcodeTally& tally : counts.by_opcode) opcodes_[tally.opcode] += tally.count;
    for (const MemoryTally& tally : counts.memory) memory_[{tally.kind, tally.bytes}] += tally.count;
    totals.instructions += counts.instructions;
    totals.branches += counts.branches;
    totals.conditional_branches += counts.conditional_branches;
    totals.calls += counts.calls;
    totals.traps += counts.traps;
    totals.barriers += counts.barriers;
    totals.unknown_instructions += counts.unknown_instructions;
    totals.blocks += counts.blocks;
    totals.loops += counts.loops;
    totals.max_loop_depth = std::max(totals.max_loop_depth, counts.max_loop_depth);
    for (std::size_t i = 0; i < register_class_count; ++i) totals.used[i] += counts.used[i];
    for (std::size_t i = 0; i < category_count; ++i) totals.by_category[i] += counts.by_category[i];
    if (!counts.max_live) {
      totals.max_live = totals.max_live_predicates = std::nullopt;
    } else if (totals.max_live) {
      totals.max_live_predicates = std::max(*totals.max_live_predicates, *counts.max_live_predicates);
      if (*counts.max_live > *totals.max_live) {
        totals.max_live = counts.max_live;
        totals.max_live_line = counts.max_live_line;
        stats_.max_live_function = one.name;
      }
    }
  }

  void finish(const DeclaredCounts& declared) {
    for (const auto& [opcode, count] : opcodes_) stats_.totals.by_opcode.push_back({opcode, count});
    stats_.totals.memory = listed(memory_);
    Counter::set_declared(declared, stats_.totals);
  }

 private:
  ModuleStats& stats_;
  std::map<std::uint32_t, std::uint64_t> opcodes_;
  MemoryTallies memory_;
};

}  // namespace

ModuleStats count_module(const Module& module, std::span<const std::string> patterns, unsigned jobs, StopFlag stop) {
  ModuleStats stats;
  stats.file = module.file_name();
  const OpcodeTable opcodes(module, stats);
  NameSelection selection(patterns);
  std::vector<std::uint32_t> picked;
  const auto functions = module.functions();
  for (std::uint32_t i = 0; i < functions.size(); ++i)
    if (functions[i].has_body && selection.picks(module.name(functions[i].name))) picked.push_back(i);
  stats.unmatched = selection.unmatched();

  DeclarationCounter declared(module);
  const std::vector<IndexRange> pieces = cut_by_statements(module, picked);
  stats.functions.resize(picked.size());
  std::vector<std::optional<DeclarationCounter>> declared_in(pieces.size());
  const auto count_piece = [&](std::size_t piece) {
    Counter counter(module, opcodes, declared);
    for (std::size_t i = pieces[piece].begin; i < pieces[piece].end && !is_stopped(stop); ++i)
      stats.functions[i] = counter.count(picked[i]);
    declared_in[piece] = counter.declared();
  };
  for_each_index(pieces.size(), jobs, count_piece, stop);
  if (is_stopped(stop)) return stats;
  for (const auto& one : declared_in) declared.add_totals(*one);
  Totals totals(stats);
  for (const FunctionStats& one : stats.functions) totals.add(one);
  totals.finish(declared.totals());
  return stats;
}

}  // namespace ptxscope::analysis
