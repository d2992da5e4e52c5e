#include "gui/values.h"

#include <utility>

#include "analysis/register_values.h"

namespace ptxscope::gui {

using namespace analysis;

Values::Values(QObject* parent) : QObject(parent) {}
Values::~Values() { running_.request(); }

void Values::set_module(std::shared_ptr<const Module> module) {
  running_.request();  // it has the old engine for itself
  busy_ = false;
  waiting_.clear();
  engine_ = module == nullptr ? nullptr : std::make_shared<RegisterValues>(std::move(module));
}

void Values::ask(std::uint32_t function, RegisterNumber reg, std::uint32_t statement, QObject* receiver, Done done) {
  if (engine_ == nullptr || !may_ask(engine_->module(), function, reg, statement)) return;
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
        return report::value_before(*engine, function, reg, statement);
      },
      [this, receiver = next.receiver, done = std::move(next.done)](const Outcome<RegisterValue>& outcome) {
        busy_ = false;
        if (!receiver.isNull())
          done(outcome.value ? *outcome.value : RegisterValue{{}, outcome.problem.toStdString(), no_index});
        if (!busy_) start_next();
      });
}

}  // namespace ptxscope::gui
