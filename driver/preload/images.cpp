// What is behind the pointer that a program gives to the driver: its form, and how long it is.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "driver/preload/client.h"
#include "driver/preload/hooks.h"
#include "driver/preload/modules.h"

namespace ptxscope::preload {

namespace {

template <class T>
T value_at(const void* bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, static_cast<const char*>(bytes) + offset, sizeof value);
  return value;
}

constexpr std::uint32_t wrapper_magic = 0x466243b1;  // in front of a fat binary in a program's data
constexpr std::uint32_t fat_magic = 0xba55ed50;
constexpr std::uint32_t elf_magic = 0x464c457f;

// The end of what an ELF header of 64 bits speaks of: its tables stand after its sections in cubins.
std::size_t elf_size(const void* image) {
  if (value_at<std::uint8_t>(image, 4) != 2) return 0;
  const auto tables = [&](std::size_t offset, std::size_t size, std::size_t count) {
    const auto at = value_at<std::uint64_t>(image, offset);
    const std::uint64_t bytes =
        std::uint64_t{value_at<std::uint16_t>(image, size)} * value_at<std::uint16_t>(image, count);
    return at > run::max_image ? std::uint64_t{0} : at + bytes;
  };
  return std::max(tables(0x28, 0x3a, 0x3c), tables(0x20, 0x36, 0x38));
}

// Version 2 of the wrapper: a list of fat binaries, a null pointer at its end (crt/link.stub of the toolkit).
std::vector<const void*> objects_of(const void* list) {
  std::vector<const void*> objects;
  constexpr std::size_t most = 256;
  for (std::size_t i = 0; list != nullptr && i <= most; ++i) {
    const auto* object = value_at<const void*>(list, i * sizeof(void*));
    if (object == nullptr) return objects;
    if (value_at<std::uint32_t>(object, 0) != fat_magic) break;
    objects.push_back(object);
  }
  return {};
}

bool is_text(const char* image) {
  for (std::size_t i = 0; i < 64 && image[i] != '\0'; ++i) {
    const auto byte = static_cast<unsigned char>(image[i]);
    if (byte < 0x20 && byte != '\n' && byte != '\t' && byte != '\r' && byte != '\f' && byte != '\v') return false;
  }
  return image[0] != '\0';
}

}  // namespace

ImageView look_at_image(const void* image) {
  ImageView view{run::ImageForm::unknown, image, 0, {}};
  if (image == nullptr) return view;
  // A text may be one byte long; it has no such magic number's first byte and is then not read further.
  const auto first = value_at<std::uint8_t>(image, 0);
  if (first == (wrapper_magic & 0xffU) && value_at<std::uint32_t>(image, 0) == wrapper_magic) {
    if (value_at<std::uint32_t>(image, 4) == 2)
      aside([&] { view.objects = objects_of(value_at<const void*>(image, 16)); });
    image = view.data = value_at<const void*>(image, 8);
  }
  if (image == nullptr) return view;
  const auto start = value_at<std::uint8_t>(image, 0);
  if (start == (fat_magic & 0xffU) && value_at<std::uint32_t>(image, 0) == fat_magic) {
    view.form = run::ImageForm::fat_binary;
    view.bytes = value_at<std::uint16_t>(image, 6) + value_at<std::uint64_t>(image, 8);
  } else if (start == (elf_magic & 0xffU) && value_at<std::uint32_t>(image, 0) == elf_magic) {
    view.form = run::ImageForm::elf;
    view.bytes = elf_size(image);
  } else if (is_text(static_cast<const char*>(image))) {
    view.form = run::ImageForm::text;
    view.bytes = std::strlen(static_cast<const char*>(image));
  }
  return view;
}

ImageView look_at_bytes(const std::string& bytes) {
  ImageView view{run::ImageForm::unknown, bytes.data(), bytes.size(), {}};
  if (bytes.size() < 64) return view;
  const auto magic = value_at<std::uint32_t>(bytes.data(), 0);
  if (magic == fat_magic) view.form = run::ImageForm::fat_binary;
  else if (magic == elf_magic) view.form = run::ImageForm::elf;
  else if (is_text(bytes.data())) view.form = run::ImageForm::text;
  return view;
}

bool may_hold_ptx(const ImageView& image) {
  if (image.form == run::ImageForm::text) return true;
  if (image.form != run::ImageForm::fat_binary || image.bytes < 16) return false;
  // Entries: u16 kind, u16 version, u32 header size, u64 size of what follows; 1 is PTX.
  std::uint64_t at = value_at<std::uint16_t>(image.data, 6);
  for (int entries = 0; at + 16 <= image.bytes; ++entries) {
    const auto kind = value_at<std::uint16_t>(image.data, at);
    const auto header = value_at<std::uint32_t>(image.data, at + 4);
    const auto bytes = value_at<std::uint64_t>(image.data, at + 8);
    const bool is_strange = header < 16 || bytes > image.bytes || entries > 1000;
    if (kind == 1 || is_strange) return true;  // the parent looks closer
    at += header + bytes;
  }
  return false;
}

std::string triton_cache() {
  std::string folder;
  if (const char* named = std::getenv("TRITON_CACHE_DIR"); named != nullptr && named[0] != '\0') {
    folder = named;
  } else {
    const char* home = std::getenv("TRITON_HOME");
    if (home == nullptr || home[0] == '\0') home = std::getenv("HOME");
    if (home == nullptr || home[0] == '\0') return folder;
    folder = std::string(home) + "/.triton/cache";
  }
  char whole[PATH_MAX];
  struct stat status {};
  if (realpath(folder.c_str(), whole) == nullptr || stat(whole, &status) != 0 || !S_ISDIR(status.st_mode) ||
      std::strlen(whole) >= sizeof(run::Load::triton_cache))
    return {};
  return whole;
}

std::string read_image_file(const char* path) {
  std::string bytes;
  if (path == nullptr) return bytes;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return bytes;
  struct stat status {};
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0 &&
      static_cast<std::uint64_t>(status.st_size) <= run::max_image) {
    aside([&] { bytes.resize(static_cast<std::size_t>(status.st_size)); });
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t got = read(file, bytes.data() + done, bytes.size() - done);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      done += static_cast<std::size_t>(got);
    }
    bytes.resize(done);
  }
  close(file);
  return bytes;
}

std::string_view origin_of(const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return {};
  return info.dli_fname;
}

std::shared_ptr<const Part> read_answer(const std::string& answer, run::ModuleRow* row) {
  run::Answer head{};
  if (answer.size() < sizeof head) return nullptr;
  std::memcpy(&head, answer.data(), sizeof head);
  if (head.version != run::protocol_version || head.text_at > answer.size() ||
      answer.size() - head.text_at <= head.text_size || answer[head.text_at + head.text_size] != '\0' ||
      std::memchr(head.record_name, 0, sizeof head.record_name) == nullptr || head.text_size == 0)
    return nullptr;
  auto part = std::make_shared<Part>();
  part->row = row;
  part->record_name = head.record_name;
  part->max_registers = head.max_registers;
  part->optimization = head.optimization;
  part->text = answer.substr(head.text_at, head.text_size);
  std::size_t at = sizeof head;
  for (std::uint32_t i = 0; i < head.kernels; ++i) {
    run::KernelHeader kernel{};
    if (head.text_at - at < sizeof kernel) return nullptr;
    std::memcpy(&kernel, answer.data() + at, sizeof kernel);
    at += sizeof kernel;
    const std::uint64_t bytes = kernel.name_length + std::uint64_t{kernel.parameters} * sizeof(run::ParameterHeader);
    if (head.text_at - at < bytes) return nullptr;
    KernelLayout layout{answer.substr(at, kernel.name_length), kernel.bytes, {}};
    at += kernel.name_length;
    layout.parameters.resize(kernel.parameters);
    if (kernel.parameters != 0)
      std::memcpy(layout.parameters.data(), answer.data() + at, kernel.parameters * sizeof(run::ParameterHeader));
    at += kernel.parameters * sizeof(run::ParameterHeader);
    part->kernels.push_back(std::move(layout));
  }
  return part;
}

const KernelLayout* Part::find(std::string_view name) const {
  for (const KernelLayout& kernel : kernels)
    if (kernel.name == name) return &kernel;
  return nullptr;
}

}  // namespace ptxscope::preload
