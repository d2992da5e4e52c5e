#include "analysis/liveness.h"

#include <algorithm>
#include <span>
#include <utility>

namespace ptxscope::analysis {

namespace {

// Instead of a set of registers per block, which would be blocks × registers bits, each register is followed by itself
// from its uses back to its definitions. That costs as much as the live ranges are long, in blocks, and keeps counts.
class LivenessSolver {
  using Local = std::uint32_t;  // a register: its number, or its place among those that are mentioned

 public:
  LivenessSolver(const Module& module, const Cfg& cfg)
      : module_(module),
        cfg_(cfg),
        function_(module.functions()[cfg.function]),
        returned_(returned_registers(function_)) {}

  Liveness solve() {
    result_.blocks.resize(cfg_.blocks.size());
    if (!collect_accesses()) return give_up();
    number_registers();
    weigh_registers();
    find_mentions();
    sort_mentions_by_register();
    for (Local reg = 0; reg < local_count_; ++reg) {
      follow(reg);
      if (steps_ > step_limit || pieces_.size() > most_pieces) return give_up();
    }
    for (const Block& block : cfg_.blocks) scan(block);
    for (const BlockLiveness& block : result_.blocks) {
      if (block.max_live.registers > result_.max_live.registers) {
        result_.max_live.registers = block.max_live.registers;
        result_.max_live_statement = block.max_live_statement;
      }
      result_.max_live.predicates = std::max(result_.max_live.predicates, block.max_live.predicates);
    }
    return std::move(result_);
  }

  LiveRanges solve_ranges() {
    LiveRanges ranges;
    records_ranges_ = true;
    ranges.complete = solve().complete && pieces_.size() <= most_pieces;
    if (!ranges.complete) return ranges;
    sort_pieces(ranges);
    count_pressure(ranges);
    return ranges;
  }

 private:
  static constexpr std::uint64_t step_limit = 400'000'000;  // a second or so
  static constexpr std::size_t most_pieces = 30'000'000;    // 360 MB

  struct Weight {
    std::uint32_t registers = 0;
    std::uint32_t predicates = 0;
  };
  // One register in one block.
  struct Mention {
    Local reg = 0;
    BlockId block = 0;
    bool exposed = false;  // read before it is surely written
    bool defined = false;  // surely written
    bool live_out = false;
  };
  struct Access {
    Local reg = 0;
    bool write = false;
    bool kills = false;
    bool dead = false;  // written and not read; found while scanning
  };
  struct Instruction {
    std::uint32_t statement = 0;
    std::uint32_t first_access = 0;
  };
  // A register's live range in one block, or a part of it.
  struct Piece {
    Local reg = 0;
    LiveSegment segment;
  };

  Liveness give_up() {
    Liveness result;
    result.complete = false;
    return result;
  }

  [[nodiscard]] bool is_counted(const Block& block) const { return block.reachable || !cfg_.complete; }

  // False: too many.
  bool collect_accesses() {
    RegisterUses uses;
    std::size_t given = 0;  // what is read by a `ret`, over all of them
    first_instruction_.reserve(cfg_.blocks.size() + 1);
    std::size_t count = 0;
    for (const Block& block : cfg_.blocks) count += block.instructions;
    instructions_.reserve(count);
    accesses_.reserve(3 * count);
    for (const Block& block : cfg_.blocks) {
      first_instruction_.push_back(static_cast<std::uint32_t>(instructions_.size()));
      if (block.instructions == 0) continue;
      for (std::uint32_t i = block.first_instruction; i <= block.last_instruction; ++i) {
        const Statement statement = module_.statement(i);
        if (statement.kind() != StatementKind::instruction) continue;
        instructions_.push_back({i, static_cast<std::uint32_t>(accesses_.size())});
        if (!is_counted(block)) continue;
        register_uses(statement, uses);
        for (const RegisterNumber reg : uses.reads) accesses_.push_back({reg, false, false, false});
        for (const RegisterNumber reg : uses.writes) accesses_.push_back({reg, true, !uses.guarded, false});
        if (block.end != BlockEnd::ret || i != block.last_instruction) continue;
        given += returned_.size();
        if (given > most_pieces) return false;
        for (const RegisterNumber reg : returned_) accesses_.push_back({reg, false, false, false});
      }
    }
    first_instruction_.push_back(static_cast<std::uint32_t>(instructions_.size()));
    return true;
  }

  // A function may have far more registers than it mentions: a module's `.reg .b32 %r<1000000>` is each one's.
  void number_registers() {
    local_count_ = function_.register_count;
    if (local_count_ <= 8 * accesses_.size() + 1000) return;
    numbers_.reserve(accesses_.size() + returned_.size());
    for (const Access& access : accesses_) numbers_.push_back(access.reg);
    numbers_.insert(numbers_.end(), returned_.begin(), returned_.end());
    std::ranges::sort(numbers_);
    numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());  // clang 14 takes no ranges here
    const auto place_of = [&](RegisterNumber reg) {
      return static_cast<Local>(std::ranges::lower_bound(numbers_, reg) - numbers_.begin());
    };
    for (Access& access : accesses_) access.reg = place_of(access.reg);
    for (RegisterNumber& reg : returned_) reg = place_of(reg);
    local_count_ = static_cast<Local>(numbers_.size());
    is_renumbered_ = true;
  }

  [[nodiscard]] RegisterNumber number_of(Local reg) const { return is_renumbered_ ? numbers_[reg] : reg; }

  // Each register with its declaration.
  template <class Visit>
  void for_each_local(Visit visit) const {
    for (Local reg = 0; is_renumbered_ && reg < local_count_; ++reg)
      visit(reg, module_.register_declaration(function_, numbers_[reg]));
    if (is_renumbered_) return;
    for (const RegisterDeclaration& declaration : function_.registers) {
      const RegisterNumber end = declaration.first + std::max<std::uint32_t>(1, declaration.count);
      for (RegisterNumber reg = declaration.first; reg < end && reg < local_count_; ++reg) visit(reg, declaration);
    }
  }

  void weigh_registers() {
    weights_.assign(local_count_, {1, 0});
    for_each_local([&](Local reg, const RegisterDeclaration& declaration) {
      if (declaration.type == Type::pred) weights_[reg] = {0, 1};
      else
        weights_[reg].registers =
            std::max(1U, (size_of(declaration.type) + 3) / 4) * std::max<std::uint32_t>(1, declaration.vector_width);
    });
  }

  [[nodiscard]] std::span<Access> accesses_of(std::uint32_t instruction) {
    const std::uint32_t first = instructions_[instruction].first_access;
    const std::size_t end =
        instruction + 1 < instructions_.size() ? instructions_[instruction + 1].first_access : accesses_.size();
    return std::span(accesses_).subspan(first, end - first);
  }

  void find_mentions() {
    std::vector<std::uint32_t> mention_of(local_count_, no_index);
    first_mention_.reserve(cfg_.blocks.size() + 1);
    for (const Block& block : cfg_.blocks) {
      const auto first = static_cast<std::uint32_t>(mentions_.size());
      first_mention_.push_back(first);
      for (std::uint32_t n = first_instruction_[block.id]; n < first_instruction_[block.id + 1U]; ++n) {
        for (const Access& access : accesses_of(n)) {
          std::uint32_t& place = mention_of[access.reg];
          if (place == no_index || place < first) {
            place = static_cast<std::uint32_t>(mentions_.size());
            mentions_.push_back({access.reg, block.id, false, false, false});
          }
          Mention& mention = mentions_[place];
          if (access.write) mention.defined = mention.defined || access.kills;
          else mention.exposed = mention.exposed || !mention.defined;
        }
      }
    }
    first_mention_.push_back(static_cast<std::uint32_t>(mentions_.size()));
  }

  void sort_mentions_by_register() {
    first_of_register_.assign(local_count_ + 1U, 0);
    for (const Mention& mention : mentions_) ++first_of_register_[mention.reg + 1U];
    for (std::size_t i = 1; i < first_of_register_.size(); ++i) first_of_register_[i] += first_of_register_[i - 1];
    by_register_.resize(mentions_.size());
    std::vector<std::uint32_t> next(first_of_register_.begin(), first_of_register_.end() - 1);
    for (std::uint32_t i = 0; i < mentions_.size(); ++i) by_register_[next[mentions_[i].reg]++] = i;
    live_in_of_.assign(cfg_.blocks.size(), no_index);
    live_out_of_.assign(cfg_.blocks.size(), no_index);
    defined_by_.assign(cfg_.blocks.size(), no_index);
    if (!records_ranges_) return;
    mentioned_in_.assign(cfg_.blocks.size(), no_index);
    live_until_.assign(local_count_, 0);
  }

  std::span<const std::uint32_t> mentions_of(Local reg) const {
    return std::span(by_register_)
        .subspan(first_of_register_[reg], first_of_register_[reg + 1U] - first_of_register_[reg]);
  }

  void add(LiveCount& count, Local reg) const {
    count.registers += weights_[reg].registers;
    count.predicates += weights_[reg].predicates;
  }
  void remove(LiveCount& count, Local reg) const {
    count.registers -= weights_[reg].registers;
    count.predicates -= weights_[reg].predicates;
  }

  void enter(BlockId block, Local reg) {
    if (live_in_of_[block] == reg) return;
    live_in_of_[block] = reg;
    add(result_.blocks[block].live_in, reg);
    work_.push_back(block);
  }

  void leave(BlockId block, Local reg) {
    if (live_out_of_[block] == reg) return;
    live_out_of_[block] = reg;
    add(result_.blocks[block].live_out, reg);
    if (defined_by_[block] != reg) enter(block, reg);
  }

  // The end of a body without `ret` returns as well: only the last block can come there.
  void return_at_end(Local reg) {
    const Block& last = cfg_.blocks.back();
    if (last.falls_off_end && is_counted(last) && !instructions_.empty()) leave(last.id, reg);
  }

  void follow(Local reg) {
    const auto mentions = mentions_of(reg);
    for (const std::uint32_t i : mentions)
      if (mentions_[i].defined) defined_by_[mentions_[i].block] = reg;
    for (const std::uint32_t i : mentions)
      if (mentions_[i].exposed) enter(mentions_[i].block, reg);
    if (std::ranges::binary_search(returned_, reg)) return_at_end(reg);
    while (!work_.empty()) {
      const BlockId block = work_.back();
      work_.pop_back();
      if (records_ranges_) entered_.push_back(block);
      for (const std::uint32_t edge : cfg_.blocks[block].predecessors) {
        ++steps_;
        const BlockId from = cfg_.edges[edge].from;
        if (is_counted(cfg_.blocks[from])) leave(from, reg);
      }
    }
    for (const std::uint32_t i : mentions) mentions_[i].live_out = live_out_of_[mentions_[i].block] == reg;
    if (records_ranges_) record_passing(reg, mentions);
  }

  // Blocks that the register lives through without being mentioned; the others are scanned.
  void record_passing(Local reg, std::span<const std::uint32_t> mentions) {
    for (const std::uint32_t i : mentions) mentioned_in_[mentions_[i].block] = reg;
    for (const BlockId block : entered_)
      if (mentioned_in_[block] != reg)
        add_piece(reg, 2 * first_instruction_[block], 2 * first_instruction_[block + 1U]);
    entered_.clear();
  }

  // From the point `first` to before the point `end`.
  void add_piece(Local reg, std::uint32_t first, std::uint32_t end) {
    if (first < end) pieces_.push_back({reg, {first, end - 1}});
  }

  // Backwards through one block, from what is live at its end.
  void scan(const Block& block) {
    BlockLiveness& result = result_.blocks[block.id];
    is_live_.resize(local_count_, false);
    for (std::uint32_t i = first_mention_[block.id]; i < first_mention_[block.id + 1U]; ++i) {
      is_live_[mentions_[i].reg] = mentions_[i].live_out;
      if (records_ranges_) live_until_[mentions_[i].reg] = 2 * first_instruction_[block.id + 1U];
    }
    LiveCount live = result.live_out;
    result.max_live = live;
    const auto note = [&](std::uint32_t statement) {
      if (live.registers >= result.max_live.registers && live.registers != 0) {
        result.max_live.registers = live.registers;
        result.max_live_statement = statement;
      }
      result.max_live.predicates = std::max(result.max_live.predicates, live.predicates);
    };
    for (std::uint32_t n = first_instruction_[block.id + 1U]; n-- > first_instruction_[block.id];) {
      const std::span<Access> accesses = accesses_of(n);
      // A result needs a register even when nobody reads it.
      for (Access& access : accesses)
        if (access.write && !is_live_[access.reg]) {
          access.dead = true;
          is_live_[access.reg] = true;
          add(live, access.reg);
          if (records_ranges_) live_until_[access.reg] = 2 * n + 2;
        }
      note(instructions_[n].statement);
      for (const Access& access : accesses)
        if (access.write && (access.kills || access.dead) && is_live_[access.reg]) {
          is_live_[access.reg] = false;
          remove(live, access.reg);
          if (records_ranges_) add_piece(access.reg, 2 * n + 1, live_until_[access.reg]);
        }
      for (const Access& access : accesses)
        if (!access.write && !is_live_[access.reg]) {
          is_live_[access.reg] = true;
          add(live, access.reg);
          if (records_ranges_) live_until_[access.reg] = 2 * n + 1;
        }
      note(instructions_[n].statement);
    }
    if (!records_ranges_) return;
    for (std::uint32_t i = first_mention_[block.id]; i < first_mention_[block.id + 1U]; ++i)
      if (const Local reg = mentions_[i].reg; is_live_[reg])
        add_piece(reg, 2 * first_instruction_[block.id], live_until_[reg]);
  }

  // By register and place; pieces that meet become one segment.
  void sort_pieces(LiveRanges& ranges) {
    std::ranges::sort(pieces_, {}, [](const Piece& piece) { return std::pair(piece.reg, piece.segment.first); });
    Local latest = no_index;
    for (const Piece& piece : pieces_) {
      if (piece.reg != latest) {
        ranges.registers.push_back(number_of(piece.reg));
        ranges.first_segment.push_back(static_cast<std::uint32_t>(ranges.segments.size()));
        ranges.segments.push_back(piece.segment);
      } else if (ranges.segments.back().last + 1 >= piece.segment.first) {
        ranges.segments.back().last = std::max(ranges.segments.back().last, piece.segment.last);
      } else {
        ranges.segments.push_back(piece.segment);
      }
      latest = piece.reg;
    }
    ranges.first_segment.push_back(static_cast<std::uint32_t>(ranges.segments.size()));
  }

  void count_pressure(LiveRanges& ranges) const {
    std::vector<RegisterClass> classes(local_count_, RegisterClass::other);
    std::vector<std::uint32_t> widths(local_count_, 1);
    for_each_local([&](Local reg, const RegisterDeclaration& declaration) {
      classes[reg] = class_of(declaration.type);
      widths[reg] = std::max<std::uint32_t>(1, declaration.vector_width);
    });
    // What begins and ends at each point; unsigned numbers wrap around on the way and come out right.
    struct Change {
      LiveCount live;
      std::array<std::uint32_t, register_class_count> by_class{};
    };
    std::vector<Change> changes(2 * instructions_.size() + 1);
    for (const Piece& piece : pieces_) {
      const auto of_class = static_cast<std::size_t>(classes[piece.reg]);
      add(changes[piece.segment.first].live, piece.reg);
      changes[piece.segment.first].by_class[of_class] += widths[piece.reg];
      remove(changes[piece.segment.last + 1U].live, piece.reg);
      changes[piece.segment.last + 1U].by_class[of_class] -= widths[piece.reg];
    }
    Change now;
    ranges.instructions.reserve(instructions_.size());
    for (std::size_t i = 0; i < instructions_.size(); ++i) {
      InstructionPressure pressure;
      pressure.statement = instructions_[i].statement;
      for (std::size_t point = 2 * i; point < 2 * i + 2; ++point) {
        now.live.registers += changes[point].live.registers;
        now.live.predicates += changes[point].live.predicates;
        pressure.live.registers = std::max(pressure.live.registers, now.live.registers);
        pressure.live.predicates = std::max(pressure.live.predicates, now.live.predicates);
        for (std::size_t c = 0; c < register_class_count; ++c) {
          now.by_class[c] += changes[point].by_class[c];
          pressure.by_class[c] = std::max(pressure.by_class[c], now.by_class[c]);
        }
      }
      ranges.max_live.registers = std::max(ranges.max_live.registers, pressure.live.registers);
      ranges.max_live.predicates = std::max(ranges.max_live.predicates, pressure.live.predicates);
      ranges.instructions.push_back(pressure);
    }
  }

  const Module& module_;
  const Cfg& cfg_;
  const Function& function_;
  std::vector<RegisterNumber> returned_;  // as Local, once they have been numbered
  Liveness result_;
  Local local_count_ = 0;
  bool is_renumbered_ = false;
  std::vector<RegisterNumber> numbers_;  // by Local, ascending; only when renumbered
  std::vector<Weight> weights_;
  std::vector<Mention> mentions_;             // by block
  std::vector<std::uint32_t> first_mention_;  // by block, one more at the end
  std::vector<Instruction> instructions_;     // by block
  std::vector<std::uint32_t> first_instruction_;
  std::vector<Access> accesses_;
  std::vector<std::uint32_t> by_register_, first_of_register_;
  std::vector<Local> live_in_of_, live_out_of_, defined_by_;  // by block: the last register found so
  std::vector<BlockId> work_;
  std::vector<bool> is_live_;
  std::uint64_t steps_ = 0;
  bool records_ranges_ = false;
  std::vector<Piece> pieces_;
  std::vector<BlockId> entered_;           // by the register being followed
  std::vector<Local> mentioned_in_;        // by block: the last register found so
  std::vector<std::uint32_t> live_until_;  // by register: the point after its last, in the block being scanned
};

}  // namespace

std::vector<RegisterNumber> returned_registers(const Function& function) {
  std::vector<RegisterNumber> registers;
  for (const Variable& parameter : function.return_parameters) {
    if (parameter.space != StateSpace::reg) continue;
    // Of that name there may be others in scopes of the body.
    const auto declaration = std::ranges::find_if(function.registers, [&](const RegisterDeclaration& one) {
      return one.name == parameter.name && one.statement == function.header;
    });
    if (declaration == function.registers.end()) continue;
    for (std::uint32_t i = 0; i < std::max<std::uint32_t>(1, declaration->count); ++i)
      registers.push_back(declaration->first + i);
  }
  std::ranges::sort(registers);
  return registers;
}

Liveness compute_liveness(const Module& module, const Cfg& cfg) { return LivenessSolver(module, cfg).solve(); }

LiveRanges compute_live_ranges(const Module& module, const Cfg& cfg) {
  return LivenessSolver(module, cfg).solve_ranges();
}

std::span<const LiveSegment> LiveRanges::of(RegisterNumber reg) const {
  const auto found = std::ranges::lower_bound(registers, reg);
  if (found == registers.end() || *found != reg) return {};
  const auto place = static_cast<std::size_t>(found - registers.begin());
  return std::span(segments).subspan(first_segment[place], first_segment[place + 1] - first_segment[place]);
}

bool LiveRanges::is_live_at(RegisterNumber reg, std::uint32_t point) const {
  const auto segments_of_it = of(reg);
  const auto after = std::ranges::upper_bound(segments_of_it, point, {}, &LiveSegment::first);
  return after != segments_of_it.begin() && point <= std::prev(after)->last;
}

std::uint64_t LiveRanges::length(RegisterNumber reg) const {
  std::uint64_t instructions_live = 0;
  std::uint32_t counted = 0;  // instructions below this one are
  for (const LiveSegment& segment : of(reg)) {
    const std::uint32_t first = std::max(segment.first / 2, counted);
    const std::uint32_t end = segment.last / 2 + 1;
    if (end > first) instructions_live += end - first;
    counted = std::max(counted, end);
  }
  return instructions_live;
}

RegisterClass class_of(Type type) {
  if (type == Type::pred) return RegisterClass::predicate;
  switch (size_of(type)) {
    case 1:
      return RegisterClass::bits8;
    case 2:
      return RegisterClass::bits16;
    case 4:
      return RegisterClass::bits32;
    case 8:
      return RegisterClass::bits64;
    case 16:
      return RegisterClass::bits128;
    default:
      return RegisterClass::other;
  }
}

std::string_view spelling(RegisterClass register_class) {
  constexpr std::array<std::string_view, register_class_count> words{"pred", "b8",   "b16",  "b32",
                                                                     "b64",  "b128", "other"};
  return words[static_cast<std::size_t>(register_class)];
}

}  // namespace ptxscope::analysis
