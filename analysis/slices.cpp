#include "analysis/slices.h"

#include <algorithm>
#include <map>
#include <unordered_set>

namespace ptxscope::analysis {

namespace {

constexpr unsigned max_call_depth = 8;
constexpr std::size_t max_terms = 64;

ExprId without_widening(const ExprPool& pool, ExprId id) {
  while (pool[id].op == ExprOp::zext || pool[id].op == ExprOp::sext || pool[id].op == ExprOp::trunc)
    id = pool.kid(id, 0);
  return id;
}

// The terms of a sum, outermost first.
std::vector<ExprId> terms_of(const ExprPool& pool, ExprId sum) {
  std::vector<ExprId> terms;
  std::vector<ExprId> stack{sum};
  while (!stack.empty() && terms.size() < max_terms) {
    const ExprId top = stack.back();
    stack.pop_back();
    if (pool[top].op == ExprOp::add) {
      stack.push_back(pool.kid(top, 1));
      stack.push_back(pool.kid(top, 0));
    } else {
      terms.push_back(top);
    }
  }
  return terms;
}

class Collector {
 public:
  Collector(ModuleValues& values, ParameterUse& use) : values_(values), pool_(values.pool()), use_(use) {}

  // `path`: the call statements from the outermost function inwards, with the function each stands in.
  void collect(std::uint32_t function, std::vector<std::pair<std::uint32_t, std::uint32_t>>& path) {
    FunctionValues& fv = values_.of(function);
    const Module& module = values_.module();
    const auto outward = [&](ExprId e) {
      for (auto at = path.rbegin(); at != path.rend(); ++at) e = values_.of(at->first).at_call(e, at->second);
      return e;
    };
    for (const Block& block : fv.cfg().blocks) {
      if (!block.reachable || block.first_instruction == no_index) continue;
      for (std::uint32_t s = block.first_instruction; s <= block.last_instruction; ++s) {
        const Statement statement = module.statement(s);
        if (statement.kind() != StatementKind::instruction) continue;
        const OpcodeForm& form = values_.form(statement.opcode_id());
        const auto operands = statement.operands();
        if (form.operation == Operation::call) {
          const NameId callee = direct_callee(statement);
          const auto body = callee == no_name ? std::nullopt : values_.defined(callee);
          const bool recursive =
              body && std::any_of(path.begin(), path.end(), [&](const auto& p) { return p.first == *body; });
          if (body && *body != function && !recursive && path.size() < max_call_depth && ++calls_followed_ <= 64) {
            path.emplace_back(function, s);
            collect(*body, path);
            path.pop_back();
          }
          continue;
        }
        if (form.operation == Operation::setp || form.operation == Operation::set) {
          for (std::size_t i = 1; i < 3 && i < operands.size(); ++i) {
            if (operands[i].kind() != OperandKind::reg || form.is_float()) continue;
            const ExprId side = outward(fv.before(operands[i].reg(), s));
            note_bound(side);
            if (operands.size() > 2) {
              const Operand& across = operands[3 - i];
              const unsigned bits = pool_[side].bits;
              note_compare(side, outward(fv.value_of(across, bits == 1 ? 1 : bits, s)),
                           form.compare != "eq" && form.compare != "ne");
            }
            const Type type =
                form.operation == Operation::set && form.source_type != Type::none ? form.source_type : form.type;
            if (const auto op = integer_compare(form.compare, type); op && *op != ExprOp::eq && *op != ExprOp::ne)
              note_sign(side, *op >= ExprOp::lt_s);
          }
        } else if (form.operation == Operation::cvt && form.source_type != Type::none && !form.is_float()) {
          if (operands.size() > 1 && operands[1].kind() == OperandKind::reg &&
              form.bits() > size_of(form.source_type) * 8) {
            note_sign(outward(fv.before(operands[1].reg(), s)), is_signed(form.source_type));
          }
        } else if ((form.operation == Operation::mul || form.operation == Operation::mad) &&
                   form.product == Product::wide) {
          for (std::size_t i = 1; i < 3 && i < operands.size(); ++i) {
            if (operands[i].kind() == OperandKind::reg)
              note_sign(outward(fv.before(operands[i].reg(), s)), form.is_signed());
          }
        } else if (form.operation == Operation::div || form.operation == Operation::rem) {
          if (operands.size() > 2 && operands[2].kind() == OperandKind::reg) {
            const ExprId divisor = without_widening(pool_, outward(fv.before(operands[2].reg(), s)));
            use_.divisors.insert(divisor);
            if (pool_[divisor].op == ExprOp::parameter)
              use_.divisor_places.emplace(pool_[divisor].payload, pool_[divisor].value);
          }
        } else if (form.operation == Operation::shl || form.operation == Operation::shr) {
          if (operands.size() > 2 && operands[2].kind() == OperandKind::reg)
            use_.shift_amounts.insert(without_widening(pool_, outward(fv.before(operands[2].reg(), s))));
        } else if (form.operation == Operation::cvta && operands.size() > 1 && operands[1].kind() == OperandKind::reg) {
          const ExprId pointer = outward(fv.before(operands[1].reg(), s));
          if (pool_[pointer].op == ExprOp::parameter)
            use_.pointers.emplace(pool_[pointer].payload, pool_[pointer].value);
        }
        if (form.space == StateSpace::param || form.space == StateSpace::constant) {
          if (form.operation == Operation::ld && path.empty()) note_read(fv, statement, s);
          if (form.space == StateSpace::param) continue;
        }
        for (const Operand operand : operands) {
          if (operand.kind() == OperandKind::address) note_access(outward(fv.address_of(operand, s)));
          if (operand.kind() == OperandKind::tuple_address && !operand.children().empty() &&
              operand.children()[0].kind() == OperandKind::reg) {
            note_access(outward(fv.before(operand.children()[0].reg(), s)));
          }
        }
      }
    }
  }

  void note_access(ExprId address);

 private:
  void note_read(FunctionValues& fv, const Statement& statement, std::uint32_t s) {
    const auto operands = statement.operands();
    if (operands.size() < 2 || operands[1].kind() != OperandKind::address) return;
    const ExprId address = fv.address_of(operands[1], s);
    if (pool_[address].op != ExprOp::symbol) return;
    const NameId name{pool_[address].payload};
    const auto& parameters = fv.function().parameters;
    const OpcodeForm& form = values_.form(statement.opcode_id());
    const unsigned size = size_of(form.type);
    for (std::uint32_t i = 0; i < parameters.size(); ++i) {
      if (parameters[i].name != name) continue;
      for (unsigned e = 0; e < form.vector_width; ++e) {
        const ParameterPlace place{i, pool_[address].value + (static_cast<std::uint64_t>(e) * size)};
        use_.read.insert(place);
        note_bytes(place, size);
        if (is_signed(form.type)) use_.signed_uses.insert(place);
      }
    }
  }

  void note_compare(ExprId side, ExprId other, bool order) {
    side = without_widening(pool_, side);
    const Expr e = pool_[side];
    if (e.op == ExprOp::parameter) use_.compares.push_back({{e.payload, e.value}, other, order});
    if (e.op != ExprOp::min_u && e.op != ExprOp::min_s) return;
    for (const ExprId k : pool_.kids(side)) {
      const Expr& kid = pool_[without_widening(pool_, k)];
      if (kid.op == ExprOp::parameter) use_.compares.push_back({{kid.payload, kid.value}, other, order});
    }
  }

  void note_bytes(ParameterPlace place, unsigned bytes) {
    unsigned& most = use_.bytes[place];
    most = std::max(most, bytes);
  }

  // Compared or widened with or without a sign; a widening before the compare counts as what it is.
  void note_sign(ExprId side, bool with_sign) {
    while (pool_[side].op == ExprOp::zext || pool_[side].op == ExprOp::sext) {
      with_sign = pool_[side].op == ExprOp::sext;
      side = pool_.kid(side, 0);
    }
    const Expr& e = pool_[side];
    if (e.op == ExprOp::parameter) (with_sign ? use_.signed_uses : use_.unsigned_uses).emplace(e.payload, e.value);
  }

  void note_bound(ExprId side) {
    side = without_widening(pool_, side);
    const Expr& e = pool_[side];
    if (e.op == ExprOp::parameter) {
      use_.bounds.emplace(e.payload, e.value);
      note_bytes({e.payload, e.value}, e.bits / 8U);
    }
    if (e.op == ExprOp::min_u || e.op == ExprOp::min_s || e.op == ExprOp::max_u || e.op == ExprOp::max_s) {
      for (const ExprId k : pool_.kids(side)) {
        const ExprId kid = without_widening(pool_, k);
        if (pool_[kid].op == ExprOp::parameter) use_.bounds.emplace(pool_[kid].payload, pool_[kid].value);
      }
    }
  }

  ModuleValues& values_;
  ExprPool& pool_;
  ParameterUse& use_;
  unsigned calls_followed_ = 0;
};

void Collector::note_access(ExprId address) {
  std::optional<ParameterPlace> base;
  std::vector<ExprId> indices;
  const auto terms = terms_of(pool_, address);
  for (const ExprId term : terms) {
    const Expr& e = pool_[term];
    const unsigned pointer_bits = values_.module().header().address_size == 32 ? 32 : 64;
    if (!base && e.op == ExprOp::parameter && e.bits == pointer_bits) {
      base = ParameterPlace{e.payload, e.value};
    } else if (e.op != ExprOp::constant && e.op != ExprOp::symbol) {
      indices.push_back(bare_index(pool_, term));
    }
  }
  // Two parameters in one sum: the one declared or used as a pointer elsewhere is the base; the first is a guess
  // that describe_parameters() checks against declarations.
  if (base) use_.pointers.insert(*base);
  for (const ExprId index : indices) {
    use_.indices.insert(index);
    if (base) use_.indexed.emplace_back(*base, index);
    else use_.slice_free_indices.insert(index);
    for (const ExprId part : terms_of(pool_, index)) use_.indices.insert(bare_index(pool_, part));
  }
  if (terms.size() > 2) {
    // The sum of all that is added to the base, as one index (i + 1 spelt as two terms).
    ExprId sum{};
    bool any = false;
    for (const ExprId index : indices) {
      const ExprId wide = pool_.extend(index, 64, false);
      sum = any ? pool_.binary(ExprOp::add, sum, wide) : wide;
      any = true;
    }
    if (any) use_.indices.insert(bare_index(pool_, sum));
  }
}

bool is_integer_word(const Variable& parameter, std::uint64_t bytes) {
  return !parameter.is_array && parameter.size == bytes && parameter.type != Type::f32 && parameter.type != Type::f64;
}

std::vector<ParameterInfo> basic_parameters(const Module& module, const Function& function) {
  std::vector<ParameterInfo> list;
  for (std::uint32_t i = 0; i < function.parameters.size(); ++i) {
    const Variable& p = function.parameters[i];
    ParameterInfo info;
    info.index = i;
    info.name = std::string(module.name(p.name));
    info.type = p.type;
    info.size = p.size;
    if (p.is_array) info.role = ParameterRole::aggregate;
    else if (p.is_pointer) info.role = ParameterRole::pointer;
    list.push_back(std::move(info));
  }
  return list;
}

// How many of the parameters from `i` on are one argument of the source.
std::size_t parts_of_argument(const std::vector<ParameterInfo>& list, std::size_t i, const ParameterNames& names) {
  const auto& known = names.of_parameters;
  std::size_t end = i + 1;
  if (known.size() == list.size() && !known[i].empty()) {
    while (end < list.size() && known[end] == known[i]) ++end;
    return end - i;
  }
  const bool pair =
      list[i].role == ParameterRole::pointer && list[i].slice && end < list.size() && list[end].slice == list[i].slice;
  return pair && (known.size() != list.size() || known[end].empty()) ? 2 : 1;
}

void label(std::vector<ParameterInfo>& list, const ParameterNames& names) {
  const auto name_of = [&](std::size_t argument, std::size_t parameter) {
    if (argument < names.of_arguments.size() && !names.of_arguments[argument].empty())
      return names.of_arguments[argument];
    if (names.of_parameters.size() == list.size() && !names.of_parameters[parameter].empty())
      return names.of_parameters[parameter];
    return "arg" + std::to_string(argument);
  };
  std::size_t argument = 0;
  for (std::size_t i = 0; i < list.size(); ++argument) {
    const std::string name = name_of(argument, i);
    const std::size_t end = i + parts_of_argument(list, i, names);
    if (end == i + 1) {
      ParameterInfo& info = list[i];
      info.label = name;
      for (ParameterInfo::Field& field : info.fields) {
        if (field.role == ParameterRole::pointer && field.slice) field.label = name + ".ptr";
        else if (field.role == ParameterRole::length) field.label = name + ".len";
        else field.label = name + "[" + std::to_string(field.offset) + "]";
      }
    }
    // An argument in parts: a slice, or a structure that was taken apart.
    const bool slice = end > i + 1 && list[i].slice && list[i].slice == list[i + 1].slice;
    std::uint64_t offset = 0;
    for (std::size_t part = i; end > i + 1 && part < end; ++part) {
      const std::uint64_t size = std::max<std::uint64_t>(list[part].size, 1);
      offset = (offset + size - 1) / size * size;
      if (slice && part < i + 2) list[part].label = name + (part == i ? ".ptr" : ".len");
      else list[part].label = name + "+" + std::to_string(offset);
      offset += size;
    }
    i = end;
  }
}

}  // namespace

ExprId bare_index(const ExprPool& pool, ExprId index) {
  for (;;) {
    index = without_widening(pool, index);
    const Expr& e = pool[index];
    const bool by_constant =
        (e.op == ExprOp::add || e.op == ExprOp::mul || e.op == ExprOp::shl) && pool.is_constant(pool.kid(index, 1));
    if (!by_constant) return index;
    index = pool.kid(index, 0);
  }
}

std::set<ExprId> indices_after(ModuleValues& values, std::uint32_t function, std::uint32_t statement) {
  FunctionValues& fv = values.of(function);
  const Cfg& cfg = fv.cfg();
  const Module& module = values.module();
  std::set<ExprId> indices;
  const BlockId block = cfg.block_of(statement);
  if (block == no_block) return indices;
  ParameterUse use;
  Collector collector(values, use);
  const auto note = [&](std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t s = first; s <= last; ++s) {
      if (module.statement(s).kind() != StatementKind::instruction) continue;
      for (const Operand operand : module.statement(s).operands()) {
        if (operand.kind() == OperandKind::address) collector.note_access(fv.address_of(operand, s));
      }
    }
  };
  if (cfg.blocks[block].last_instruction != no_index && cfg.blocks[block].last_instruction > statement)
    note(statement + 1, cfg.blocks[block].last_instruction);
  std::vector<char> seen(cfg.blocks.size(), 0);
  std::vector<BlockId> work;
  const auto enter = [&](BlockId b) {
    if (b < cfg.blocks.size() && seen[b] == 0) {
      seen[b] = 1;
      work.push_back(b);
    }
  };
  enter(block + 1);
  for (const std::uint32_t e : cfg.blocks[block].successors) enter(cfg.edges[e].to);
  while (!work.empty()) {
    const Block& b = cfg.blocks[work.back()];
    work.pop_back();
    if (b.first_instruction != no_index && b.reachable) note(b.first_instruction, b.last_instruction);
    for (const std::uint32_t e : b.successors) enter(cfg.edges[e].to);
  }
  return use.indices;
}

bool is_measured(const ExprPool& pool, const ParameterUse& use, ParameterPlace place, bool open_slices) {
  return std::any_of(use.compares.begin(), use.compares.end(), [&](const ParameterUse::Compare& compare) {
    if (compare.place != place) return false;
    const ExprId other = without_widening(pool, compare.other);
    const Expr& e = pool[other];
    if (e.op == ExprOp::constant) return open_slices && (compare.order || e.value == 0);
    if (!compare.order) return open_slices && e.op != ExprOp::load;  // equal lengths
    const ExprId name = bare_index(pool, other);
    if (use.indices.contains(name) || use.indices.contains(other) || pool.global_index(other) != 0) return true;
    if (!open_slices) return false;
    // A loaded value that is no index is a value; the end of a range, of parameters and thread numbers, is a size.
    return e.op != ExprOp::load && e.op != ExprOp::fcmp;
  });
}

ParameterUse parameter_use(ModuleValues& values, std::uint32_t function) {
  ParameterUse use;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> path;
  Collector(values, use).collect(function, path);
  return use;
}

std::vector<ParameterInfo> declared_parameters(const Module& module, const Function& function,
                                               const ParameterNames& names) {
  auto list = basic_parameters(module, function);
  label(list, names);
  return list;
}

std::vector<ParameterInfo> describe_parameters(const ExprPool& pool, const Module& module, const Function& function,
                                               const ParameterUse& use, const ParameterNames& names) {
  auto list = basic_parameters(module, function);
  const std::uint64_t word = module.header().address_size == 32 ? 4 : 8;
  const auto is_pointer = [&](std::uint32_t i) {
    const Variable& p = function.parameters[i];
    return p.is_pointer || (is_integer_word(p, word) && use.pointers.contains({i, 0}));
  };
  for (std::uint32_t i = 0; i < list.size(); ++i) {
    ParameterInfo& info = list[i];
    if (info.role == ParameterRole::aggregate) {
      std::map<std::uint64_t, ParameterInfo::Field> fields;
      const auto add = [&](const ParameterPlace& place, ParameterRole role) {
        if (place.first != i) return;
        ParameterInfo::Field& field = fields[place.second];
        field.offset = place.second;
        if (field.role == ParameterRole::unknown || role == ParameterRole::pointer) field.role = role;
      };
      for (const auto& place : use.read) add(place, ParameterRole::unknown);
      for (const auto& place : use.bounds) add(place, ParameterRole::scalar);
      for (const auto& place : use.pointers) add(place, ParameterRole::pointer);
      for (auto& [offset, field] : fields) {
        const auto next = fields.upper_bound(offset);
        const std::uint64_t end = next == fields.end() ? info.size : next->first;
        field.bytes = static_cast<unsigned>(std::min<std::uint64_t>(word, end > offset ? end - offset : word));
        if (const auto read = use.bytes.find({i, offset}); read != use.bytes.end() && read->second != 0)
          field.bytes = std::min(field.bytes, read->second);
      }
      for (auto& [offset, field] : fields) info.fields.push_back(field);
      continue;
    }
    info.is_signed = use.signed_uses.contains({i, 0}) && !use.unsigned_uses.contains({i, 0});
    if (is_pointer(i)) info.role = ParameterRole::pointer;
    else if (use.read.contains({i, 0}) || use.bounds.contains({i, 0})) info.role = ParameterRole::scalar;
  }
  // A pointer, and right behind it a word of the same size that is compared with something: a slice.
  std::uint32_t slices = 0;
  const bool open_pairs = module.producer().find("NVIDIA") == std::string::npos;
  std::vector<std::uint32_t> likely_lengths;
  for (std::uint32_t i = 0; i + 1 < list.size(); ++i) {
    if (list[i].role != ParameterRole::pointer || list[i].slice) continue;
    const Variable& next = function.parameters[i + 1];
    if (!is_integer_word(next, word) || next.is_pointer || list[i + 1].role == ParameterRole::pointer) continue;
    if (is_measured(pool, use, {i + 1, 0}, open_pairs)) {
      list[i].slice = list[i + 1].slice = slices++;
      list[i + 1].role = ParameterRole::length;
      ++i;
    } else {
      // Compared with a value from memory only: the end of a range, where slices are passed this way at all.
      const bool compared = std::any_of(use.compares.begin(), use.compares.end(), [&](const auto& c) {
        return c.place == ParameterPlace{i + 1, 0} && c.order;
      });
      if (compared || !use.read.contains({i + 1, 0})) likely_lengths.push_back(i);
    }
  }
  // Where the compiler opens slices into pairs, a word behind a pointer that nobody reads is a length nobody checks.
  if (open_pairs && slices > 0) {
    for (const std::uint32_t i : likely_lengths) {
      if (list[i].slice || list[i + 1].slice) continue;
      list[i].slice = list[i + 1].slice = slices;
      list[i + 1].role = ParameterRole::length;
      ++slices;
    }
    // Number them in the order of the parameters.
    std::map<std::uint32_t, std::uint32_t> order;
    for (ParameterInfo& info : list) {
      if (info.slice)
        info.slice = order.try_emplace(*info.slice, static_cast<std::uint32_t>(order.size())).first->second;
    }
  }
  for (ParameterInfo& info : list) {
    std::vector<std::size_t> pointers;
    std::vector<std::size_t> lengths;
    for (std::size_t f = 0; f < info.fields.size(); ++f) {
      if (info.fields[f].role == ParameterRole::pointer) pointers.push_back(f);
      else if (info.fields[f].role == ParameterRole::scalar && info.fields[f].bytes >= 4 &&
               is_measured(pool, use, {info.index, info.fields[f].offset}, true)) {
        lengths.push_back(f);
      }
    }
    if (pointers.size() != 1 || lengths.empty()) continue;
    const std::uint64_t behind = info.fields[pointers[0]].offset + word;
    const auto adjacent =
        std::find_if(lengths.begin(), lengths.end(), [&](std::size_t f) { return info.fields[f].offset == behind; });
    // Elsewhere in the structure only a single word can be it.
    if (adjacent == lengths.end() && (lengths.size() != 1 || info.fields[lengths.front()].bytes != word)) continue;
    ParameterInfo::Field& length = info.fields[adjacent != lengths.end() ? *adjacent : lengths.front()];
    length.role = ParameterRole::length;
    length.slice = info.fields[pointers[0]].slice = slices++;
  }
  label(list, names);
  return list;
}

}  // namespace ptxscope::analysis
