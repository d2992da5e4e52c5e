#include "cli/input.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <set>
#include <utility>

namespace ptxscope::cli {
namespace {

// Empty when the bytes may be PTX, or text around it.
std::string not_ptx(std::string_view text) {
  const auto starts = [&](std::string_view magic) { return text.substr(0, magic.size()) == magic; };
  if (starts("BC\xc0\xde")) return "this is LLVM bitcode, not PTX; compile it with: llc -march=nvptx64 FILE";
  if (starts("\x1f\x8b") || starts("\x28\xb5\x2f\xfd") || starts("PK\x03\x04") ||
      starts("\xfd"
             "7zXZ")) {
    return "this is a compressed file; unpack it first";
  }
  if (starts("\xff\xfe") || starts("\xfe\xff")) {
    return "this is UTF-16 text, PTX is ASCII; convert it: iconv -f UTF-16 -t UTF-8 FILE";
  }
  // Sound PTX holds no control characters but white space and the NUL bytes that some drivers' dumps end with.
  const std::string_view head = text.substr(0, 4096);
  const auto control = std::count_if(head.begin(), head.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 32 && (byte < 9 || byte > 13) && byte != 0x1a && byte != 0x1b;
  });
  if (static_cast<std::size_t>(control) * 10 > head.size()) return "this is a binary file, not PTX text";
  return {};
}

constexpr std::string_view version_word = ".version";

// A text from its first directive on, behind comments; nothing where something else stands there.
std::optional<std::string_view> from_first_directive(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // a byte order mark, which is told of elsewhere
  for (;;) {
    const std::size_t first = text.find_first_not_of(" \t\r\n\f\v");
    if (first == std::string_view::npos) return text.substr(text.size());
    text.remove_prefix(first);
    std::size_t end = 0;
    if (text.starts_with("//")) {
      end = text.find('\n');
    } else if (text.starts_with("/*")) {
      end = text.find("*/", 2);
    } else {
      return text.front() == '.' ? std::optional(text) : std::nullopt;
    }
    if (end == std::string_view::npos) return text.substr(text.size());
    text.remove_prefix(std::min(text.size(), end + (text[end] == '*' ? 2 : 1)));
  }
}

bool starts_as_ptx(std::string_view text) { return from_first_directive(text).has_value(); }

// PTX as a whole, with no second module behind it as far as that is quick to see.
bool is_plain_ptx(std::string_view text) {
  if (!starts_as_ptx(text)) return false;
  // What std::string_view::find does takes several times as long: it stops at every dot.
  const auto next_version = [&]() -> const char* {
    return static_cast<const char*>(::memmem(text.data(), text.size(), version_word.data(), version_word.size()));
  };
  const char* first = next_version();
  if (first == nullptr) return true;
  text.remove_prefix(static_cast<std::size_t>(first - text.data()) + version_word.size());
  return next_version() == nullptr;
}

std::string_view spelled(ContainerFormat format) {
  switch (format) {
    case ContainerFormat::fat_binary:
      return "a fat binary";
    case ContainerFormat::elf:
      return "an ELF object or executable";
    case ContainerFormat::cubin:
      return "a cubin (machine code)";
    case ContainerFormat::archive:
      return "an archive of objects";
    case ContainerFormat::thin_archive:
      return "a thin archive of objects";
    case ContainerFormat::pe:
      return "a Windows executable or object";
    case ContainerFormat::unknown:
      return "a binary file";
    case ContainerFormat::text:
      break;
  }
  return "a text";
}

// Why a file has no PTX, and how it could have.
std::string without_ptx(const ContainerListing& listing) {
  std::set<std::string> cubins;
  bool nvvm = false;
  for (const Image& image : listing.images) {
    if (image.kind == ImageKind::cubin) cubins.insert(image.target);
    nvvm = nvvm || image.kind == ImageKind::nvvm;
  }
  std::string text = "this is " + std::string(spelled(listing.format));
  if (!listing.problems.empty() && listing.images.empty()) return text + ": " + listing.problems.front();
  if (listing.format == ContainerFormat::cubin)
    return text + " without PTX; compile with -ptx, or with -lineinfo, which keeps the PTX in the cubin";
  if (!cubins.empty()) {
    std::string targets;
    for (const std::string& target : cubins) targets += (targets.empty() ? "" : ", ") + target;
    return text + " with machine code only (" + targets +
           "), no PTX; have nvcc keep it: -gencode arch=compute_90,code=compute_90 adds PTX for compute capability 9.0 "
           "and later";
  }
  if (nvvm)
    return text + " with NVVM IR for link-time optimization only; have nvcc keep PTX: code=compute_90, not lto_90";
  return text + " without PTX in it; nvcc puts some there unless it is told not to (-arch=native, code=sm_90)";
}

bool is_number(std::string_view word) {
  return !word.empty() && word.size() < 10 && word.find_first_not_of("0123456789") == std::string_view::npos;
}

// "sm_90:2"; of a file that is PTX as a whole there is none.
std::string suffix_of(const Image& image, const std::string& shown) {
  return image.name.size() > shown.size() ? image.name.substr(shown.size() + 1) : std::string();
}

// The one image of a file that is PTX as a whole.
Image plain_image(const InputFile& file) {
  Image image;
  image.kind = ImageKind::ptx;
  image.number = 1;
  image.name = file.shown();
  image.size = image.stored_size = file.bytes.size();
  constexpr std::size_t longest_header = 65536;
  const std::string_view start = file.bytes.view().substr(0, longest_header);
  if (const std::size_t at = start.find("\n.target sm_"); at != std::string_view::npos) {
    const std::string_view word = start.substr(at + 9, 16);
    image.target = std::string(word.substr(0, word.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_")));
  }
  return image;
}

std::vector<std::string> names_of(const std::vector<const Image*>& images) {
  std::vector<std::string> names;
  names.reserve(images.size());
  for (const Image* image : images) names.push_back(image->name);
  return names;
}

Input failed(std::string name, std::string sentence) {
  Input input;
  input.name = std::move(name);
  input.error = std::move(sentence);
  return input;
}

Input extracted(const InputFile& file, const Image& image) {
  Input input;
  input.name = image.name;
  Extracted got = extract(file.view(), image);
  input.error = std::move(got.error);
  if (got.bytes && got.bytes->empty()) input.error = "this image is empty";
  else if (got.bytes) input.text.emplace(std::move(*got.bytes));
  return input;
}

}  // namespace

bool starts_with_version(std::string_view text) {
  const auto directive = from_first_directive(text);
  return directive && directive->starts_with(version_word);
}

std::string name_one_of(const std::vector<std::string>& names) {
  constexpr std::size_t enough = 12;
  std::string text = "; name one of: ";
  for (std::size_t i = 0; i < names.size() && i < enough; ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > enough)
    text += ", … (" + std::to_string(names.size()) + " in all; ptxscope extract --list shows them)";
  return text;
}

std::vector<const Image*> select_images(const InputFile& file, std::string_view selector) {
  std::vector<const Image*> chosen;
  const std::string shown = file.shown();
  for (const Image& image : file.listing.images)
    if (!selector.empty() && (suffix_of(image, shown) == selector || image.name == selector)) chosen.push_back(&image);
  if (!chosen.empty()) return chosen;
  for (const Image& image : file.listing.images) {
    if (image.kind != ImageKind::ptx) continue;
    if (selector.empty() || selector == image.target ||
        (is_number(selector) && selector == std::to_string(image.number)))
      chosen.push_back(&image);
  }
  return chosen;
}

PathAndSelector split_selector(const std::string& path) {
  std::error_code none;
  if (path == "-" || std::filesystem::exists(path, none)) return {path, ""};
  // "app:sm_90:2", "app:sm_90", "app:2": at most two words behind the path.
  std::size_t colon = path.size();
  for (int words = 0; words < 2; ++words) {
    colon = colon == 0 ? std::string::npos : path.rfind(':', colon - 1);
    if (colon == std::string::npos || colon == 0) break;
    const std::string front = path.substr(0, colon);
    if (std::filesystem::is_regular_file(front, none)) return {front, path.substr(colon + 1)};
  }
  return {path, ""};
}

const InputFile& InputReader::open(const std::string& path) {
  if (last_ && last_->path == path) return *last_;
  last_.emplace();
  InputFile& file = *last_;
  file.path = path;
  std::error_code none;
  if (path != "-" && std::filesystem::is_directory(path, none)) {
    file.error = "is a folder without .ptx files; name a file, or a folder that has some";
    return file;
  }
  auto bytes = TextBuffer::read(path, file.error, stop_);
  if (!bytes) return file;
  file.bytes = std::move(*bytes);
  if (file.bytes.empty()) {
    file.error = "empty; expected PTX text, which starts with .version";
    return file;
  }
  file.listing.format = container_format(file.view());
  if (file.listing.format == ContainerFormat::unknown) {
    file.listing.format = ContainerFormat::text;
    file.error = not_ptx(file.bytes);
    if (!file.error.empty()) {
      // A cache or a dump may hold PTX as it is.
      ContainerListing listing = read_container(file.view(), file.shown());
      if (listing.format != ContainerFormat::unknown || listing.images.empty()) return file;
      file.listing = std::move(listing);
      file.is_container = true;
      file.error.clear();
      return file;
    }
    if (is_plain_ptx(file.bytes)) {
      file.listing.images = {plain_image(file)};
      return file;
    }
  }
  file.listing = read_container(file.view(), file.shown());
  // A text in which no module is found, or only the one that it starts with, is taken for PTX, faulty or not; so is a
  // .ptx file that starts with something else, which is its fault and no container.
  const auto is_faulty_ptx = [&] {
    const std::vector<Image>& images = file.listing.images;
    if (images.empty()) return true;
    const bool named_so = path.ends_with(".ptx") && images.front().encoding == Encoding::bytes;
    return images.size() == 1 && (named_so || starts_as_ptx(file.bytes));
  };
  if (file.listing.format == ContainerFormat::text && is_faulty_ptx()) {
    file.listing.images = {plain_image(file)};
    return file;
  }
  file.is_container = true;
  if (select_images(file, "").empty()) file.error = without_ptx(file.listing);
  return file;
}

std::vector<Input> InputReader::read_all(const std::string& path) {
  const auto [front, selector] = split_selector(path);
  const InputFile& file = open(front);
  std::vector<Input> inputs;
  if (!file.error.empty()) {
    inputs.push_back(failed(file.shown(), file.error));
    return inputs;
  }
  if (!file.is_container) {
    Input input;
    input.name = file.shown();
    if (!selector.empty()) {
      input.error = "this is a plain PTX file; nothing in it is called " + selector;
    } else {
      input.text = std::move(last_->bytes);
      last_.reset();
    }
    inputs.push_back(std::move(input));
    return inputs;
  }
  const std::vector<const Image*> chosen = select_images(file, selector);
  if (chosen.empty()) {
    inputs.push_back(
        failed(file.shown(), "nothing in it is called " + selector + name_one_of(names_of(select_images(file, "")))));
    return inputs;
  }
  for (const Image* image : chosen) {
    if (image->kind == ImageKind::ptx) {
      inputs.push_back(extracted(file, *image));
    } else {
      inputs.push_back(failed(image->name, "this is no PTX; ptxscope extract writes it"));
    }
  }
  if (!std::exchange(last_->is_told, true)) inputs.front().warnings = file.listing.problems;
  return inputs;
}

Input InputReader::read(const std::string& path) {
  std::error_code none;
  if (path != "-" && std::filesystem::is_directory(path, none)) {
    const std::vector<std::string> files = expand(path);
    if (files.size() > 1)
      return failed(path, "is a folder with " + std::to_string(files.size()) + " .ptx files" + name_one_of(files));
    if (files.front() != path) return read(files.front());
  }
  const auto [front, selector] = split_selector(path);
  const InputFile& file = open(front);
  if (file.is_container && file.error.empty()) {
    const std::vector<const Image*> chosen = select_images(file, selector);
    if (chosen.size() > 1)
      return failed(file.shown(), "holds " + std::to_string(chosen.size()) + " PTX modules" +
                                      (selector.empty() ? "" : " called " + selector) + name_one_of(names_of(chosen)));
  }
  std::vector<std::string> warnings = file.listing.problems;
  Input input = std::move(read_all(path).front());
  if (input.text) input.warnings = std::move(warnings);
  return input;
}

std::vector<std::string> InputReader::expand(const std::string& path) {
  std::error_code none;
  if (path == "-") return {path};
  if (std::filesystem::is_directory(path, none)) {
    constexpr std::array<std::string_view, 1> ptx{".ptx"};
    std::string note;
    std::vector<std::string> files = files_in(path, ptx, note);
    return files.empty() ? std::vector{path} : files;
  }
  const auto [front, selector] = split_selector(path);
  // Pipes and devices can be read only once.
  if (!std::filesystem::is_regular_file(front, none)) return {path};
  const InputFile& file = open(front);
  if (!file.error.empty() || !file.is_container) return {path};
  std::vector<std::string> names = names_of(select_images(file, selector));
  return names.empty() ? std::vector{path} : names;
}

Input read_input(const std::string& path, const std::atomic<bool>* stop) {
  InputReader reader(stop);
  return reader.read(path);
}

std::vector<std::string> files_in(const std::string& folder, std::span<const std::string_view> extensions,
                                  std::string& note) {
  constexpr std::size_t most_entries = 100000;
  constexpr int deepest = 8;
  std::vector<std::string> files;
  std::error_code error;
  std::size_t seen = 0;
  // Links to folders are not followed: they may lead in circles.
  std::filesystem::recursive_directory_iterator entries(
      folder, std::filesystem::directory_options::skip_permission_denied, error);
  for (; !error && entries != std::filesystem::recursive_directory_iterator(); entries.increment(error)) {
    if (++seen > most_entries) {
      note = "only the first " + std::to_string(most_entries) + " files and folders in it were looked at";
      break;
    }
    std::error_code none;
    if (entries.depth() >= deepest) entries.disable_recursion_pending();
    const std::string extension = entries->path().extension().string();
    if (std::ranges::find(extensions, extension) != extensions.end() && entries->is_regular_file(none))
      files.push_back(entries->path().string());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace ptxscope::cli
