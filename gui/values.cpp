#include "gui/values.h"

#include <map>
#include <utility>
#include <vector>

#include "analysis/debug_names.h"
#include "analysis/slices.h"
#include "analysis/values.h"
#include "report/expression.h"

namespace ptxscope::gui {

using namespace analysis;

struct Values::Engine {
  explicit Engine(std::shared_ptr<const Module> of) : module(std::move(of)), debug_names(*module) { begin(); }

  void begin() {
    parameters.clear();
    kept = 0;
    pool = std::make_shared<ExprPool>();
    values = std::make_unique<ModuleValues>(*module, pool);
  }

  const std::vector<ParameterInfo>& parameters_of(std::uint32_t index) {
    const auto found = parameters.find(index);
    if (found != parameters.end()) return found->second;
    const Function& function = module->functions()[index];
    // What is known of values is kept by function; it is let go when it may have become large.
    constexpr std::size_t most_kept = 20'000'000;
    kept += function.register_count + std::size_t{16} * (function.body_end - function.body_begin);
    if (kept > most_kept && !parameters.empty()) begin();
    return parameters
        .emplace(index, describe_parameters(*pool, *module, function, parameter_use(*values, index),
                                            {{}, debug_names.of_parameters(function)}))
        .first->second;
  }

  RegisterValue answer(std::uint32_t function, RegisterNumber reg, std::uint32_t statement) {
    const std::vector<ParameterInfo>& params = parameters_of(function);
    FunctionValues& of_function = values->of(function);
    RegisterValue result;
    result.definition = of_function.reaching_definition(reg, statement);
    const ExprId value = of_function.before(reg, statement);
    if ((*pool)[value].op == ExprOp::unknown) {
      const std::string_view reason = pool->reason(value);
      result.reason = QString::fromUtf8(reason.data(), static_cast<qsizetype>(reason.size()));
    } else {
      result.text = QString::fromStdString(report::to_text(*module, *pool, value, report::Labels(params)));
    }
    return result;
  }

  std::shared_ptr<const Module> module;
  std::shared_ptr<ExprPool> pool;
  std::unique_ptr<ModuleValues> values;
  DebugNames debug_names;
  std::map<std::uint32_t, std::vector<ParameterInfo>> parameters;
  std::size_t kept = 0;
};

Values::Values(QObject* parent) : QObject(parent) {}
Values::~Values() { running_.request(); }

void Values::set_module(std::shared_ptr<const Module> module) {
  running_.request();  // it has the old engine for itself
  busy_ = false;
  waiting_.clear();
  engine_ = module == nullptr ? nullptr : std::make_shared<Engine>(std::move(module));
}

void Values::ask(std::uint32_t function, RegisterNumber reg, std::uint32_t statement, QObject* receiver, Done done) {
  if (engine_ == nullptr || function >= engine_->module->functions().size()) return;
  const Function& of = engine_->module->functions()[function];
  if (!of.has_body || statement <= of.body_begin || statement >= of.body_end || reg >= of.register_count) return;
  constexpr std::size_t most_waiting = 8;
  waiting_.push_back({function, reg, statement, receiver, std::move(done)});
  if (waiting_.size() > most_waiting) waiting_.pop_front();
  if (!busy_) start_next();
}

void Values::start_next() {
  if (waiting_.empty() || engine_ == nullptr) return;
  busy_ = true;
  Question next = std::move(waiting_.front());
  waiting_.pop_front();
  running_ = in_background(
      this,
      [engine = engine_, function = next.function, reg = next.reg, statement = next.statement](const Cancel&) {
        return engine->answer(function, reg, statement);
      },
      [this, receiver = next.receiver, done = std::move(next.done)](const Outcome<RegisterValue>& outcome) {
        busy_ = false;
        if (!receiver.isNull()) done(outcome.value ? *outcome.value : RegisterValue{{}, outcome.problem, no_index});
        if (!busy_) start_next();
      });
}

}  // namespace ptxscope::gui
