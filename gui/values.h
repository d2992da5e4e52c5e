// What registers hold, asked one place at a time. The engine behind it keeps what it found and is not for several
// threads at once: questions are answered in turn, off the GUI thread.
#pragma once

#include <QObject>
#include <QPointer>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>

#include "gui/background.h"
#include "parser/module.h"
#include "report/tips.h"

namespace ptxscope::gui {

using RegisterValue = report::RegisterText;

class Values : public QObject {
  Q_OBJECT
 public:
  using Done = std::function<void(const RegisterValue&)>;

  explicit Values(QObject* parent = nullptr);
  ~Values() override;

  /// Another module; questions about the old one are dropped. nullptr: none.
  void set_module(std::shared_ptr<const Module> module);

  /// The register just before the statement runs, in a function with a body. `done` is called on the GUI thread, if
  /// `receiver` is still there and the module still the same. When many questions wait, the oldest are dropped.
  void ask(std::uint32_t function, RegisterNumber reg, std::uint32_t statement, QObject* receiver, Done done);

 private:
  struct Question {
    std::uint32_t function = 0;
    RegisterNumber reg = 0;
    std::uint32_t statement = 0;
    QPointer<QObject> receiver;
    Done done;
  };
  void start_next();

  std::shared_ptr<analysis::RegisterValues> engine_;
  std::deque<Question> waiting_;
  bool busy_ = false;
  Cancel running_;
};

}  // namespace ptxscope::gui
