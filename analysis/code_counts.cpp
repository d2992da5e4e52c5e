#include "analysis/code_counts.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "analysis/names.h"

namespace ptxscope::analysis {

namespace {

void add_variable(const Variable& variable, DeclaredCounts& counts) {
  if (variable.space == StateSpace::local) counts.local_bytes += variable.size;
  if (variable.space != StateSpace::shared) return;
  counts.shared_bytes += variable.size;
  counts.dynamic_shared = counts.dynamic_shared || variable.size == 0;
}

void add_to(DeclaredCounts& counts, const DeclaredCounts& more) {
  for (std::size_t i = 0; i < register_class_count; ++i) counts.registers[i] += more.registers[i];
  counts.shared_bytes += more.shared_bytes;
  counts.local_bytes += more.local_bytes;
  counts.dynamic_shared = counts.dynamic_shared || more.dynamic_shared;
}

}  // namespace

CountedAs counted_as(const isa::Instruction* row) {
  CountedAs as;
  if (row == nullptr) return as;
  as.branch = row->flow == isa::Flow::branch || row->flow == isa::Flow::indirect_branch;
  as.call = row->flow == isa::Flow::call;
  as.trap = row->flow == isa::Flow::trap;
  as.barrier = row->category == isa::Category::barrier;
  as.atomic = row->category == isa::Category::atomic;
  as.memory = (row->reads_memory || row->writes_memory) && !as.call && !as.barrier;
  as.load = as.memory && !as.atomic && row->reads_memory;
  as.store = as.memory && !as.atomic && row->writes_memory;
  return as;
}

std::uint64_t DeclaredCounts::register_count() const {
  return std::accumulate(registers.begin(), registers.end(), std::uint64_t{0});
}

DeclarationCounter::DeclarationCounter(const Module& module) : module_(&module) {
  for (const Variable& variable : module.variables()) {
    if (variable.space != StateSpace::shared && variable.space != StateSpace::local) continue;
    outside_.emplace(variable.name, Outside{&variable});
  }
  const auto locals = module.local_variables();
  first_local_.assign(module.functions().size() + 1, static_cast<std::uint32_t>(locals.size()));
  for (std::size_t i = locals.size(); i-- > 0;)
    if (locals[i].function < module.functions().size())
      first_local_[locals[i].function] = static_cast<std::uint32_t>(i);
}

void DeclarationCounter::start(std::uint32_t index) {
  current_ = index;
  counts_ = {};
  const Function& function = module_->functions()[index];
  for (const RegisterDeclaration& declaration : function.registers) {
    // Registers of the module that a function names are listed with its own; they are used here, not declared.
    if (declaration.statement < function.header) continue;
    const std::uint64_t count = std::max<std::uint64_t>(1, declaration.count);
    const std::uint64_t width = std::max<std::uint64_t>(1, declaration.vector_width);
    counts_.registers[static_cast<std::size_t>(class_of(declaration.type))] += count * width;
  }
  const auto locals = module_->local_variables();
  for (std::size_t i = first_local_[index]; i < locals.size() && locals[i].function == index; ++i)
    add_variable(locals[i], counts_);
  add_to(own_totals_, counts_);
}

void DeclarationCounter::name(NameId name) {
  if (outside_.empty()) return;
  const auto found = outside_.find(name);
  if (found == outside_.end()) return;
  Outside& one = found->second;
  if (std::exchange(one.named_in, current_) == current_) return;
  add_variable(*one.variable, counts_);
  one.is_named = true;
}

DeclaredCounts DeclarationCounter::totals() const {
  DeclaredCounts totals = own_totals_;
  for (const auto& [name, one] : outside_)
    if (one.is_named) add_variable(*one.variable, totals);
  return totals;
}

void DeclarationCounter::add_totals(const DeclarationCounter& other) {
  add_to(own_totals_, other.own_totals_);
  for (const auto& [name, one] : other.outside_) outside_.at(name).is_named |= one.is_named;
}

}  // namespace ptxscope::analysis
