// Errors after which a context is of no more use: noted once each, and told to the parent at once.
#include <unistd.h>

#include <cstring>

#include "driver/preload/client.h"
#include "driver/preload/hooks.h"
#include "driver/preload/known_code.h"
#include "driver/preload/modules.h"
#include "driver/preload/processes.h"

namespace ptxscope::preload {

void look_at(int status, const char* call) {
  if (!is_sticky(status) || !is_active()) return;
  const KeptErrno kept;
  run::SharedMemory* memory = shared();
  if (memory == nullptr) return;
  const Inside inside;
  aside(collect_records);
  for (std::uint32_t i = 0; i < run::max_errors; ++i) {
    const run::ErrorRow& row = memory->error_rows[i];
    if (row.is_there == 0) break;
    if (row.code == status) return;  // the same again
  }
  const std::uint32_t index = memory->errors.fetch_add(1);
  if (index >= run::max_errors) return;
  run::ErrorRow& row = memory->error_rows[index];
  row.code = status;
  row.call = keep_text(call);
  row.is_there.store(1, std::memory_order_release);
  send_notice();
}

void forget_handles() {
  forget_modules();
  forget_links();
  forget_code();
  forget_kernels();
}

namespace {

// What a program that never looked at an error left behind.
__attribute__((destructor)) void at_end() {
  if (!is_active()) return;
  leave_board();
  if (!has_said_hello()) return;
  // A program may end in a signal handler, which came in the middle of whatever holds the lock.
  for (int tries = 0; tries < 100; ++tries) {
    if (try_to_collect_records()) return;
    usleep(1000);
  }
}

}  // namespace

}  // namespace ptxscope::preload
