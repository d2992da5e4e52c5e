#include "driver/preload/known_code.h"

#include <cstring>
#include <deque>
#include <mutex>

#include "driver/preload/client.h"

namespace ptxscope::preload {

namespace {

constexpr std::size_t most_bytes = std::size_t{128} << 20U;
constexpr std::size_t most_codes = 4096;

struct Store {
  std::deque<std::shared_ptr<const KnownCode>> codes;
  std::size_t bytes = 0;
};
// Never destroyed: the program may load code until its very end. Under tables_mutex().
Store* current_store = nullptr;
Store& store() {
  if (current_store == nullptr) current_store = new Store;
  return *current_store;
}

std::size_t size_of(const KnownCode& one) { return one.code.size() + one.ptx.size(); }

}  // namespace

void keep_code(KnownCode one) {
  const std::size_t bytes = size_of(one);
  if (one.code.empty() || bytes > most_bytes) return;
  auto kept = std::make_shared<const KnownCode>(std::move(one));
  const std::lock_guard lock(tables_mutex());
  Store& all = store();
  while (!all.codes.empty() && (all.bytes + bytes > most_bytes || all.codes.size() >= most_codes)) {
    all.bytes -= size_of(*all.codes.front());
    all.codes.pop_front();
  }
  all.bytes += bytes;
  all.codes.push_back(std::move(kept));
}

std::shared_ptr<const KnownCode> find_code(const ImageView& image) {
  if (image.form != run::ImageForm::elf || image.bytes == 0) return nullptr;
  const std::lock_guard lock(tables_mutex());
  const auto& codes = store().codes;
  for (auto one = codes.rbegin(); one != codes.rend(); ++one)
    if ((*one)->code.size() <= image.bytes && std::memcmp((*one)->code.data(), image.data, (*one)->code.size()) == 0)
      return *one;
  return nullptr;
}

// After a fork: another thread may have been in the middle of it, so that it cannot even be cleared.
void forget_code() { current_store = nullptr; }

}  // namespace ptxscope::preload
