#include "gui/trap_marks.h"

#include <QString>
#include <algorithm>
#include <map>

#include "report/terminal.h"

namespace ptxscope::gui {
namespace {

QString shown(std::string_view text) { return QString::fromStdString(report::printable(text, 80)); }

class Collector {
 public:
  Collector(const Module& module, const analysis::FunctionTraps& kernel) : module_(module), kernel_(kernel) {}

  void add(std::uint32_t statement, MarkRole role, const QString& note) {
    if (statement >= module_.statement_count()) return;
    marks_.try_emplace(statement, Mark{statement, {}, role, note});
  }

  void add_way(const analysis::Way& way, const QString& name, std::uint32_t trap) {
    if (way.branch != trap) {
      const auto instruction =
          way.branch < module_.statement_count() ? module_.statement(way.branch) : Statement(module_, 0);
      const bool is_branch = way.branch < module_.statement_count() && instruction.kind() == StatementKind::instruction;
      const auto guard = is_branch ? instruction.guard() : std::nullopt;
      const bool taken = !guard || guard->negated == way.negated;
      add(way.branch, MarkRole::guard,
          taken ? QStringLiteral("%1: reached when this is taken").arg(name)
                : QStringLiteral("%1: reached when this is not taken").arg(name));
    }
    add(way.setp, MarkRole::compare, QStringLiteral("%1: computes %2").arg(name, shown(way.predicate)));
    add(way.call_site, MarkRole::guard, QStringLiteral("%1: the call on the way there").arg(name));
    for (const std::uint32_t statement : way.evidence) {
      if (statement >= module_.statement_count()) continue;
      const bool loads = module_.statement(statement).text().find("ld.param") != std::string_view::npos;
      add(statement, loads ? MarkRole::parameter : MarkRole::definition,
          loads ? QStringLiteral("%1: loads a parameter behind it").arg(name)
                : QStringLiteral("%1: a value behind it").arg(name));
    }
    params_.insert(params_.end(), way.params.begin(), way.params.end());
  }

  std::vector<Mark> take() {
    std::vector<Mark> all;
    for (auto& [statement, mark] : marks_) all.push_back(std::move(mark));
    std::sort(params_.begin(), params_.end());
    params_.erase(std::unique(params_.begin(), params_.end()), params_.end());
    const Function& function = module_.functions()[kernel_.function];
    for (const std::uint32_t index : params_) {
      if (index >= function.parameters.size()) continue;
      const auto info = std::ranges::find(kernel_.params, index, &analysis::ParameterInfo::index);
      all.push_back({function.header, function.parameters[index].span, MarkRole::parameter,
                     QStringLiteral("parameter %1")
                         .arg(info == kernel_.params.end() ? QString::number(index) : shown(info->label))});
    }
    return all;
  }

 private:
  const Module& module_;
  const analysis::FunctionTraps& kernel_;
  std::map<std::uint32_t, Mark> marks_;
  std::vector<std::uint32_t> params_;
};

}  // namespace

std::vector<Mark> trap_marks(const Module& module, const analysis::FunctionTraps& kernel, const analysis::Trap& trap,
                             std::optional<std::size_t> way) {
  constexpr std::size_t most_ways = 200;
  Collector collector(module, kernel);
  const QString name = QStringLiteral("trap %1").arg(trap.id);
  collector.add(trap.statement, MarkRole::trap, name);
  // What decides goes before what a value comes from.
  for (std::size_t i = 0; i < std::min(most_ways, trap.ways.size()); ++i)
    if (!way || *way == i) collector.add_way(trap.ways[i], name, trap.statement);
  if (way && *way >= most_ways && *way < trap.ways.size()) collector.add_way(trap.ways[*way], name, trap.statement);
  return collector.take();
}

const analysis::Trap* find_trap(const analysis::FunctionTraps& kernel, std::uint32_t id) {
  for (const auto* const list : {&kernel.traps, &kernel.soft_failures}) {
    const auto found = std::ranges::find(*list, id, &analysis::Trap::id);
    if (found != list->end()) return &*found;
  }
  return nullptr;
}

}  // namespace ptxscope::gui
