// What was made of a module, for the next one with the same bytes: programs load a text in each of their processes, or
// again and again.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "driver/run_client.h"

namespace ptxscope::driver {

class RunCache {
 public:
  /// The folder of the run: what is kept lies there, in files named "kept-…", as long as the folder.
  void open(std::string folder) { folder_ = std::move(folder); }

  /// `base`: the name of the module's files, up to what is different in them. Its answer and its text are put there when
  /// the same image, for the same devices, was seen before.
  [[nodiscard]] std::optional<AnswerSummary> find(const std::string& base, const run::Load& load);
  /// Keeps the image, the answer and the text that stand at `base`.
  void keep(const std::string& base, const run::Load& load, const AnswerSummary& summary);

 private:
  struct Kept {
    std::string base;
    std::uint64_t hash = 0, bytes = 0;
    run::Load load{};
    AnswerSummary summary;
  };
  void forget_oldest();

  std::string folder_;
  std::deque<Kept> kept_;
  std::uint64_t bytes_ = 0;
  std::uint64_t made_ = 0;
};

}  // namespace ptxscope::driver
