#include "gui/file_reader.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "gui/places.h"
#include "parser/container.h"
#include "report/terminal.h"

namespace ptxscope::gui {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("FileReader", text); }

QString shown(const std::string& text) { return QString::fromStdString(report::printable(text)); }

struct Bytes {
  std::string bytes;
  FileProblem problem;
  bool cancelled = false;
};

FileProblem no_regular_file(const QFileInfo& info) {
  if (!info.exists())
    return {tr("There is no such file."), tr("It may have been moved or deleted; open it where it is now.")};
  if (info.isDir()) return {tr("This is a folder."), tr("Open the .ptx files in it.")};
  if (!info.isFile())
    return {tr("This is not a regular file."), tr("Save what it gives to a .ptx file and open that.")};
  if (!info.isReadable())
    return {tr("You may not read this file."), tr("Ask its owner for it, or change its permissions.")};
  return {};
}

Bytes read_bytes(const QString& path, const Cancel& cancel, const Progress& progress) {
  Bytes result;
  result.problem = no_regular_file(QFileInfo(path));
  if (!result.problem.empty()) return result;
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) {
    result.problem = {tr("The file cannot be opened: %1.").arg(file.errorString()),
                      tr("Check that it is there and that you may read it, then reload.")};
    return result;
  }
  const qint64 size = file.size();
  if (size >= qint64{1} << 32) {
    result.problem = {tr("The file is larger than 4 GiB."),
                      tr("Split the module, or extract the image you want to look at.")};
    return result;
  }
  constexpr qint64 step = 4 << 20;
  result.bytes.reserve(static_cast<std::size_t>(size) + 1);
  for (;;) {
    if (cancel.requested()) {
      result.cancelled = true;
      return result;
    }
    const std::size_t used = result.bytes.size();
    if (used >= (std::size_t{1} << 32)) {  // it grew meanwhile
      result.problem = {tr("The file is larger than 4 GiB."), tr("Split the module.")};
      return result;
    }
    result.bytes.resize(used + static_cast<std::size_t>(step));
    const qint64 got = file.read(result.bytes.data() + used, step);
    result.bytes.resize(used + static_cast<std::size_t>(std::max<qint64>(got, 0)));
    if (got < 0) {
      result.problem = {tr("Reading stopped: %1.").arg(file.errorString()),
                        tr("Check the disk or the network, then reload.")};
      return result;
    }
    if (got == 0) break;
    if (size > 0)
      progress(static_cast<int>(std::min<qint64>(100, static_cast<qint64>(result.bytes.size()) * 100 / size)));
  }
  if (result.bytes.empty())
    result.problem = {tr("The file is empty."), tr("PTX begins with .version; compile again, then reload.")};
  return result;
}

// Of what is neither PTX nor a container; empty when it may be PTX.
FileProblem not_ptx(std::string_view text) {
  const auto starts = [&](std::string_view magic) { return text.substr(0, magic.size()) == magic; };
  if (starts("BC\xc0\xde"))
    return {tr("This is LLVM bitcode, not PTX."), tr("Compile it: llc -march=nvptx64 FILE writes PTX.")};
  if (starts("\x1f\x8b") || starts("\x28\xb5\x2f\xfd") || starts("PK\x03\x04") || starts("\xfd\x37zXZ"))
    return {tr("This is a compressed file."), tr("Unpack it and open what is in it.")};
  if (starts("\xff\xfe") || starts("\xfe\xff"))
    return {tr("This is UTF-16 text; PTX is ASCII."), tr("Convert it: iconv -f UTF-16 -t UTF-8 FILE.")};
  const std::string_view head = text.substr(0, 4096);
  const auto controls = std::ranges::count_if(head, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 32 && (byte < 9 || byte > 13) && byte != 0x1a && byte != 0x1b;
  });
  if (static_cast<std::size_t>(controls) * 10 > head.size())
    return {tr("This is a binary file with no PTX that ptxscope can find."),
            tr("Open PTX text (.ptx), or an executable, object or library that CUDA was compiled into.")};
  return {};
}

std::span<const std::byte> as_bytes(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// PTX text itself: a directive stands first, behind comments, and there is one module.
bool is_plain_ptx(std::string_view text) {
  const std::size_t first = text.find(".version");
  if (first == std::string_view::npos) return false;
  std::string_view before = text.substr(0, first);
  while (!before.empty()) {
    const std::size_t begin = before.find_first_not_of(" \t\r\n\f\v");
    if (begin == std::string_view::npos) break;
    before.remove_prefix(begin);
    const bool is_line = before.starts_with("//");
    if (!is_line && !before.starts_with("/*")) return before.front() == '.' || before.starts_with("\xef\xbb\xbf");
    const std::size_t end = is_line ? before.find('\n') : before.find("*/", 2);
    if (end == std::string_view::npos) return false;  // the word stands in a comment: let the container reader look
    before.remove_prefix(end + (is_line ? 1 : 2));
  }
  return text.find("\n.version", first + 1) == std::string_view::npos;
}

ContainerListing images_in(const std::string& bytes, const QString& path) {
  ContainerListing listing = read_container(as_bytes(bytes), QFileInfo(path).fileName().toStdString());
  std::erase_if(listing.images, [](const Image& image) { return image.kind != ImageKind::ptx; });
  return listing;
}

FileProblem without_ptx(const ContainerListing& listing, bool has_machine_code) {
  QString what = tr("There is no PTX in this file.");
  if (has_machine_code) what = tr("This file holds machine code (cubins) for GPUs, but no PTX.");
  if (!listing.problems.empty()) what += QLatin1Char(' ') + shown(listing.problems.front());
  return {what, tr("Compile with PTX kept: nvcc -gencode arch=compute_90,code=compute_90, or nvcc -ptx.")};
}

}  // namespace

LoadedFile load_file(const FilePlace& place, const Cancel& cancel, const Progress& progress) {
  LoadedFile result;
  Bytes read = read_bytes(place.path, cancel, progress);
  result.cancelled = read.cancelled;
  result.problem = read.problem;
  if (read.cancelled || !read.problem.empty()) return result;
  progress(-1);
  std::string name = place.path.toStdString();
  if (!place.image.isEmpty()) {
    const ContainerListing listing = images_in(read.bytes, place.path);
    const auto image =
        std::ranges::find_if(listing.images, [&](const Image& one) { return shown(one.name) == place.image; });
    if (image == listing.images.end()) {
      result.problem = {tr("The file no longer holds the image %1.").arg(place.image),
                        tr("Open the file again and choose one of its images.")};
      return result;
    }
    Extracted extracted = extract(as_bytes(read.bytes), *image);
    if (!extracted.bytes) {
      result.problem = {tr("The image %1 cannot be taken out: %2.").arg(place.image, shown(extracted.error)),
                        tr("Another image of the file may do, or the file it was built from.")};
      return result;
    }
    name = QFileInfo(place.path).dir().filePath(place.image).toStdString();
    read.bytes = std::move(*extracted.bytes);
  } else if (result.problem = not_ptx(read.bytes); !result.problem.empty()) {
    return result;
  }
  ParseOptions options;
  options.stop = cancel.flag();
  auto module = std::make_shared<const Module>(parse(std::move(read.bytes), std::move(name), options));
  if (cancel.requested()) {
    result.cancelled = true;
    return result;
  }
  static_cast<void>(line_count(*module));  // builds the table of lines here, not on the thread of the GUI
  result.module = std::move(module);
  return result;
}

FileListing list_file(const QString& path, const Cancel& cancel) {
  FileListing result;
  Bytes read = read_bytes(path, cancel, [](int) {});
  result.problem = read.problem;
  if (read.cancelled || !read.problem.empty()) return result;
  const ContainerFormat format = container_format(as_bytes(read.bytes));
  const bool is_text = format == ContainerFormat::unknown || format == ContainerFormat::text;
  if (is_text && is_plain_ptx(read.bytes)) {
    result.is_text = true;
    return result;
  }
  ContainerListing all = read_container(as_bytes(read.bytes), QFileInfo(path).fileName().toStdString());
  const bool has_machine_code = std::ranges::count(all.images, ImageKind::cubin, &Image::kind) != 0;
  std::erase_if(all.images, [](const Image& image) { return image.kind != ImageKind::ptx; });
  for (const Image& image : all.images)
    result.images.push_back({shown(image.name), shown(image.target), shown(image.source), image.size});
  for (const std::string& problem : all.problems) result.remarks.push_back(shown(problem));
  if (!result.images.empty()) return result;
  if (is_text) {
    // Broken PTX is shown with what is wrong with it; what is no text at all is not.
    result.problem = not_ptx(read.bytes);
    result.is_text = result.problem.empty();
  } else {
    result.problem = without_ptx(all, has_machine_code);
  }
  return result;
}

}  // namespace ptxscope::gui
