// ptxscope extract: what a file holds of PTX and cubins, and the images themselves.
#include <CLI/App.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/input.h"
#include "cli/output.h"
#include "report/extract.h"

namespace ptxscope::cli {
namespace {

namespace fs = std::filesystem;

struct ExtractFlags {
  std::vector<std::string> images;
  std::string output;
  bool list = false;
  bool all = false;
  bool force = false;
};

constexpr std::array<std::string_view, 4> folder_extensions{".ptx", ".cubin", ".fatbin", ".json"};

// What Triton writes beside the PTX of a kernel: NAME.json with the target and what a launch needs.
std::optional<report::ExtractedImage> triton_metadata(const std::string& path, const InputFile& file) {
  constexpr std::size_t largest = std::size_t{1} << 20;
  if (file.bytes.size() > largest) return std::nullopt;
  const nlohmann::json json = nlohmann::json::parse(file.bytes.view(), nullptr, false);
  if (!json.is_object() || !json.contains("target") || !json["target"].is_object()) return std::nullopt;
  report::ExtractedImage one;
  one.image.name = path;
  one.image.size = one.image.stored_size = file.bytes.size();
  const nlohmann::json arch = json["target"].value("arch", nlohmann::json());
  if (arch.is_number_unsigned()) one.image.target = "sm_" + std::to_string(arch.get<std::uint64_t>());
  one.remark = "Triton's description of a kernel";
  for (const char* key : {"num_warps", "num_stages", "shared"}) {
    if (json.contains(key) && json[key].is_number_unsigned())
      one.remark += ", " + std::string(key) + " " + std::to_string(json[key].get<std::uint64_t>());
  }
  return one;
}

// "app.sm_90.2.ptx": no folders, no spaces, nothing a shell or terminal takes for something else.
std::string file_name_for(const Image& image, const std::string& path) {
  std::string name = path == "-" ? "stdin" : fs::path(path).filename().string();
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-";
  constexpr std::size_t longest = 100;
  if (name.size() > longest) name.resize(longest);
  for (char& c : name)
    if (plain.find(c) == std::string_view::npos) c = '_';
  while (!name.empty() && (name.front() == '.' || name.front() == '-')) name.erase(0, 1);
  if (name.empty()) name = "image";
  if (!image.target.empty()) {
    std::string target = image.target;
    for (char& c : target)
      if (plain.find(c) == std::string_view::npos) c = '_';
    name += "." + target;
  }
  return name + "." + std::to_string(image.number) + "." + std::string(report::spelling(image.kind));
}

class Extraction {
 public:
  Extraction(Run& run, const ExtractFlags& flags)
      : run_(run), flags_(flags), missed_(flags.images.begin(), flags.images.end()) {}

  void read(const std::string& word) {
    std::error_code none;
    if (word == "-" || !fs::is_directory(word, none)) {
      const auto [path, selector] = split_selector(word);
      read_file(path, selector, false);
      return;
    }
    std::string note;
    const std::vector<std::string> files = files_in(word, folder_extensions, note);
    if (!note.empty()) run_.warn(word + ": " + note);
    for (const std::string& file : files) read_file(file, "", true);
    if (reports_.empty()) run_.fail(word + ": no .ptx, .cubin or .fatbin file in this folder or below");
  }

  void finish() {
    for (const std::string& word : missed_)
      run_.fail("--image " + word + ": nothing is called that" + (names_.empty() ? "" : name_one_of(names_)));
    if (!flags_.list && !written_ && !failed_ && missed_.empty()) write_single();
    if (reports_.empty()) return;
    if (run_.is_json()) {
      run_.add_document(report::extract_json(reports_));
    } else if (flags_.list) {
      run_.add_document(report::extract_text(reports_, run_.style()));
    }
  }

 private:
  void fail(const std::string& sentence) {
    failed_ = true;
    run_.fail(sentence);
  }

  [[nodiscard]] bool into_folder() const {
    std::error_code none;
    return !flags_.output.empty() && (flags_.output.ends_with('/') || fs::is_directory(flags_.output, none));
  }

  // Which images of a file are wanted.
  std::vector<const Image*> wanted(const InputFile& file, const std::string& selector) {
    std::vector<const Image*> chosen;
    if (!flags_.images.empty()) {
      for (const std::string& word : flags_.images) {
        for (const Image* image : select_images(file, word)) {
          missed_.erase(word);
          if (std::ranges::find(chosen, image) == chosen.end()) chosen.push_back(image);
        }
      }
    } else if (flags_.all && selector.empty()) {
      for (const Image& image : file.listing.images) chosen.push_back(&image);
    } else {
      chosen = select_images(file, selector);
      if (chosen.empty() && !selector.empty()) {
        std::vector<std::string> names;
        for (const Image& image : file.listing.images) names.push_back(image.name);
        fail(file.shown() + ": nothing in it is called " + selector + name_one_of(names));
      }
    }
    return chosen;
  }

  void read_file(const std::string& path, const std::string& selector, bool of_folder) {
    const InputFile& file = reader_.open(path);
    if (path.ends_with(".json") && of_folder) {
      const auto metadata = triton_metadata(path, file);
      if (metadata) reports_.push_back({path, ContainerFormat::text, {*metadata}, {}});
      return;
    }
    // One without PTX may have cubins, which are listed all the same.
    const bool any_will_do = flags_.list || flags_.all || !flags_.images.empty() || !selector.empty();
    if (!file.error.empty() && (file.listing.images.empty() || !any_will_do)) {
      fail((path == "-" ? "standard input" : path) + ": " + file.error);
      return;
    }
    // Other commands take such a text for PTX with errors, and say what they are; here it is no PTX.
    if (!file.is_container && file.error.empty() && !starts_with_version(file.bytes)) {
      fail(file.shown() +
           ": no PTX was found in this text; PTX begins with .version and .target, each on a line of its own or in "
           "string literals in double quotes");
      return;
    }
    for (const std::string& problem : file.listing.problems) {
      run_.warn(file.shown() + ": " + problem);
      run_.object();
    }
    const std::vector<const Image*> chosen = wanted(file, selector);
    report::ExtractedFile report{file.shown(), file.listing.format, {}, file.listing.problems};
    for (const Image& image : file.listing.images) {
      names_.push_back(image.name);
      const bool is_chosen = std::ranges::find(chosen, &image) != chosen.end();
      if (!is_chosen && (!flags_.images.empty() || !selector.empty())) continue;
      report::ExtractedImage one{image, "", ""};
      if (is_chosen && !flags_.list) take(file, one);
      report.images.push_back(std::move(one));
    }
    reports_.push_back(std::move(report));
  }

  void take(const InputFile& file, report::ExtractedImage& one) {
    Extracted got = extract(file.view(), one.image);
    if (!got.bytes) {
      fail(one.image.name + ": " + got.error);
      return;
    }
    if (!into_folder()) {
      singles_.push_back({one.image, std::move(*got.bytes)});
      // Further ones are only counted: all but one is an error.
      if (singles_.size() > 1) singles_.back().bytes.clear();
      return;
    }
    const fs::path folder(flags_.output);
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) {
      fail("-o " + flags_.output + ": the folder cannot be made: " + error.message() +
           "; choose a place you may write to");
      return;
    }
    one.written = (folder / file_name_for(one.image, file.path)).string();
    if (!write(one.written, *got.bytes, one.image.name)) one.written.clear();
  }

  bool write(const std::string& path, std::string_view bytes, const std::string& name) {
    std::error_code none;
    // A device or a pipe is written to, and keeps nothing that could be lost.
    const fs::file_status behind = fs::status(path, none);
    const bool is_kept = !fs::is_other(behind);
    const bool exists = is_kept && fs::symlink_status(path, none).type() != fs::file_type::not_found;
    if ((exists && !flags_.force) || !paths_.insert(path).second) {
      fail(path + ": is there already, and was left as it is; --force replaces it, or choose another place with -o");
      return false;
    }
    bool closed_pipe = false;
    const std::string error = write_output(path, bytes, closed_pipe);
    if (!error.empty()) {
      fail(error);
      return false;
    }
    written_ = true;
    run_.warn(name + " -> " + path + (exists ? " (replaced)" : ""));
    return true;
  }

  // Without a folder to put them in, one image goes to standard output or to the file of -o.
  void write_single() {
    if (singles_.empty()) return;
    if (singles_.size() > 1) {
      std::vector<std::string> names;
      for (const Single& one : singles_) names.push_back(one.image.name);
      run_.fail("these are " + std::to_string(names.size()) +
                " images; -o FOLDER/ writes each to a file of its own, or" + name_one_of(names).substr(1));
      return;
    }
    const Single& one = singles_.front();
    if (flags_.output.empty() || flags_.output == "-") {
      if (run_.is_json())
        return run_.fail("--format json describes what was written; say where to with -o, or use --list");
      bool closed_pipe = false;
      if (const std::string error = write_output("", one.bytes, closed_pipe); !error.empty()) run_.fail(error);
      if (closed_pipe) run_.exit_with(failure);
      return;
    }
    if (!write(flags_.output, one.bytes, one.image.name)) return;
    for (report::ExtractedFile& file : reports_)
      for (report::ExtractedImage& image : file.images)
        if (image.image.name == one.image.name) image.written = flags_.output;
  }

  struct Single {
    Image image;
    std::string bytes;
  };

  Run& run_;
  const ExtractFlags& flags_;
  InputReader reader_;
  std::vector<report::ExtractedFile> reports_;
  std::vector<Single> singles_;
  std::vector<std::string> names_;  // of all there is
  std::set<std::string> paths_;     // written so far
  std::set<std::string> missed_;    // of --image
  bool written_ = false;
  bool failed_ = false;
};

}  // namespace

void add_extract(Program& program) {
  auto flags = std::make_shared<ExtractFlags>();
  CLI::App& app = program.add(
      {.name = "extract",
       .summary = "the PTX and cubins in an executable, library, object, fat binary, archive, folder or text",
       .formats = {"text", "json"},
       .examples = {"ptxscope extract app --list", "ptxscope extract app --image sm_90:2 > kernel.ptx",
                    "ptxscope extract libkernels.a -o ptx/", "ptxscope extract --list ~/.triton/cache"},
       .words = "FILE..."},
      [flags](Run& run) {
        if (run.options().words.empty())
          return run.fail(
              "no file given; name an executable, a library, a fat binary or a folder (- is standard input)");
        if (std::ranges::count(run.options().words, "-") > 1)
          return run.fail("standard input (-) can be read only once");
        Extraction extraction(run, *flags);
        for (const std::string& word : run.options().words) extraction.read(word);
        extraction.finish();
      });
  app.add_flag("--list", flags->list, "say what is there and write nothing");
  app.add_option("--image", flags->images,
                 "only this image: app:sm_90:2, or sm_90:2, sm_90, 2; a cubin by sm_90:1.cubin")
      ->type_name("NAME");
  app.add_flag("--all", flags->all, "not only PTX: cubins and the rest, too");
  app.add_flag("--force", flags->force, "replace files that are there already");
  // Of this command's output the place may be a folder.
  app.remove_option(app.get_option("--output"));
  app.add_option("-o,--output", flags->output,
                 "write to FILE, or, when it is a folder or ends in /, each image to a file in it")
      ->type_name("FILE|FOLDER/");
}

}  // namespace ptxscope::cli
