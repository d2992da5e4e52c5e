// The time of launches on a GPU, by device events.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "driver/context.h"

namespace ptxscope::driver {

/// A kernel ready to be launched.
struct BenchCall {
  FunctionHandle function = nullptr;
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::uint32_t shared = 0;
  std::vector<std::vector<std::byte>> values;  ///< of each parameter
  [[nodiscard]] Error launch(const Session& session) const;
};

class BenchTimer {
 public:
  /// `limit`: how long launches waited for at once may take.
  BenchTimer(const Session& session, bool cold, std::chrono::seconds limit)
      : session_(session), cold_(cold), limit_(limit), most_launches_(cold ? 64 : 512) {}
  ~BenchTimer();
  BenchTimer(const BenchTimer&) = delete;
  BenchTimer& operator=(const BenchTimer&) = delete;

  [[nodiscard]] Error open();
  /// An empty kernel of one block.
  [[nodiscard]] const BenchCall& empty() const { return empty_; }

  /// Microseconds of one of so many launches.
  [[nodiscard]] Error time(const BenchCall& call, std::uint64_t launches, double& microseconds);
  /// Waits for all that is queued.
  [[nodiscard]] Error finish();
  /// Waiting was given up: what is queued is still running.
  [[nodiscard]] bool is_stuck() const { return is_stuck_; }
  /// The most launches that one measurement can have; fewer from when so many could not be queued.
  [[nodiscard]] std::uint64_t most_launches() const { return most_launches_; }

 private:
  [[nodiscard]] Error time_warm(const BenchCall& call, std::uint64_t launches, double& microseconds);
  [[nodiscard]] Error time_cold(const BenchCall& call, std::uint64_t launches, double& microseconds);
  [[nodiscard]] Error hold();
  void let_go();
  [[nodiscard]] Error wait(Event event);
  [[nodiscard]] Error record(Event event);
  [[nodiscard]] Error overwrite_cache();

  const Session& session_;
  bool cold_;
  std::chrono::seconds limit_;
  std::uint64_t most_launches_;
  LoadedModule module_;
  BenchCall hold_, empty_;
  volatile std::uint32_t* flags_ = nullptr;  // go on; waited too long. Pinned memory, which the GPU sees as well
  OwnedEvent end_;
  std::vector<OwnedEvent> events_;  // before and after each launch; warm: of all of them
  Buffer scratch_;
  std::size_t scratch_bytes_ = 0;
  bool is_stuck_ = false;
};

}  // namespace ptxscope::driver
