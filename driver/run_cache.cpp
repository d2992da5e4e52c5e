#include "driver/run_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <memory>
#include <string_view>

namespace ptxscope::driver {

namespace {

constexpr std::size_t most_kept = 256;
constexpr std::uint64_t most_bytes = std::uint64_t{256} << 20U;  // of images
constexpr std::uint64_t largest = std::uint64_t{32} << 20U;
constexpr std::initializer_list<const char*> made_files{"answer", "ptx"};

// The process that wrote the file may still change it: it is read, never mapped.
std::optional<std::string> read_image(const std::string& path) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size <= 0 ||
      static_cast<std::uint64_t>(status.st_size) > largest)
    return std::nullopt;
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  std::ifstream file(path, std::ios::binary);
  if (!file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) return std::nullopt;
  return bytes;
}

// All that the answer depends on beside the image. What depends on files elsewhere is not kept.
bool may_be_kept(const run::Load& load) { return load.triton_cache[0] == '\0'; }

bool asks_the_same(const run::Load& a, const run::Load& b) {
  const std::uint32_t devices = std::min(a.devices, run::max_devices);
  return a.form == b.form && a.devices == b.devices && a.wants_text == b.wants_text &&
         std::equal(a.capabilities, a.capabilities + devices, b.capabilities);
}

bool is_there(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

// The file has two names then, and both are the same to whoever reads it.
bool link_all(const std::string& from, const std::string& to) {
  for (const char* what : made_files)
    if (is_there(from + what) && link((from + what).c_str(), (to + what).c_str()) != 0) {
      for (const char* made : made_files) unlink((to + made).c_str());
      return false;
    }
  return true;
}

}  // namespace

std::optional<AnswerSummary> RunCache::find(const std::string& base, const run::Load& load) {
  if (!may_be_kept(load) || kept_.empty()) return std::nullopt;
  const auto image = read_image(base + "image");
  if (!image) return std::nullopt;
  const std::uint64_t hash = std::hash<std::string_view>()(*image);
  for (const Kept& one : kept_) {
    if (one.hash != hash || one.bytes != image->size() || !asks_the_same(one.load, load)) continue;
    if (read_image(one.base + "image") != image) continue;
    if (!link_all(one.base, base)) return std::nullopt;
    return one.summary;
  }
  return std::nullopt;
}

void RunCache::keep(const std::string& base, const run::Load& load, const AnswerSummary& summary) {
  if (!may_be_kept(load)) return;
  const auto image = read_image(base + "image");
  if (!image) return;
  Kept one;
  one.base = folder_ + "/kept-" + std::to_string(++made_) + ".";
  one.bytes = image->size();
  one.hash = std::hash<std::string_view>()(*image);
  one.load = load;
  one.summary = summary;
  if (!link_all(base, one.base)) return;
  // A copy, not the file itself: whoever wrote that may have it open.
  std::ofstream copy(one.base + "image", std::ios::binary);
  copy.write(image->data(), static_cast<std::streamsize>(image->size()));
  copy.close();
  bytes_ += one.bytes;
  kept_.push_back(std::move(one));
  while (kept_.size() > most_kept || bytes_ > most_bytes) forget_oldest();
}

void RunCache::forget_oldest() {
  const Kept& one = kept_.front();
  unlink((one.base + "image").c_str());
  for (const char* what : made_files) unlink((one.base + what).c_str());
  bytes_ -= one.bytes;
  kept_.pop_front();
}

}  // namespace ptxscope::driver
