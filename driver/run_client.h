// One process of the command, as the parent of `ptxscope run` knows it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "analysis/run_report.h"
#include "driver/run_protocol.h"

namespace ptxscope::driver {

/// What was answered about a module.
struct AnswerSummary {
  std::uint32_t is_replaced = 0, is_answered = 0, has_ptx = 0, had_machine_code = 0;
  std::uint32_t beyond_limit = 0;  ///< places that do not record, because there are too many
  std::array<char, 32> target{};
  std::array<char, 640> reason{}, remedy{};
};

/// Shared memory of another process, which may write anything there at any time: whatever is read is copied first.
class SharedView {
 public:
  /// Takes the descriptor over. Empty where it is no memory that is as large as it must be and stays so.
  [[nodiscard]] static std::unique_ptr<SharedView> map(int descriptor);
  ~SharedView();
  SharedView(const SharedView&) = delete;
  SharedView& operator=(const SharedView&) = delete;
  [[nodiscard]] const run::SharedMemory& operator*() const { return *memory_; }
  [[nodiscard]] const run::SharedMemory* operator->() const { return memory_; }
  /// A string, cut off where the text ends. Our library lets no two lie over each other: since begin_reading(), strings
  /// are given until they are twice as long as all of the text, and then nothing.
  [[nodiscard]] std::string text(run::TextPlace place) const;
  void begin_reading() const { left_ = most_read; }

 private:
  static constexpr std::size_t most_read = std::size_t{2} * run::text_bytes;
  explicit SharedView(const run::SharedMemory* memory) : memory_(memory) {}
  const run::SharedMemory* memory_;
  mutable std::size_t left_ = most_read;
};

struct RunClient {
  std::int64_t pid = 0;
  std::string prefix;   ///< of its files
  std::string program;  ///< path of its executable
  std::unique_ptr<SharedView> memory;
  std::map<std::uint32_t, AnswerSummary> answers;  ///< by module
  std::map<std::uint32_t, std::uint32_t> numbers;  ///< by module: RunModule::number
  std::map<std::uint32_t, std::shared_ptr<const analysis::RunCode>> codes;
  std::array<bool, run::max_slots> is_told{};  ///< records that on_trap was called for
};

}  // namespace ptxscope::driver
