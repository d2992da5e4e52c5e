#include "driver/toolkits.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "driver/child.h"

namespace ptxscope::driver {

namespace fs = std::filesystem;

namespace {

constexpr unsigned seconds = 20;  // for one program or library, on a slow disk
// Which are asked, and in this order.
constexpr std::array variables = {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDA_TOOLKIT_ROOT_DIR"};

// "…, release 13.0, V13.0.88"
void read_release(const std::string& text, Component& component) {
  constexpr std::string_view word = "release ";
  const std::size_t at = text.find(word);
  if (at == std::string::npos) {
    component.trouble = "its --version says no release";
    return;
  }
  const std::size_t end = std::min(text.find_first_of(",\n", at), text.size());
  component.version = isa::parse_cuda_version(text.substr(at + word.size(), end - at - word.size()));
  const std::size_t full = text.find(", V", at);
  if (full == std::string::npos) return;
  const std::size_t full_end = std::min(text.find_first_not_of("0123456789.", full + 3), text.size());
  component.full_version = text.substr(full + 3, full_end - full - 3);
}

void ask_program(const Surroundings& around, Component& component) {
  const ChildAnswer answer = run_program({around.real(component.path), "--version"}, seconds);
  if (answer.ended) read_release(answer.output, component);
  else component.trouble = "--version: " + answer.error;
}

// Numbers a library's function gives through pointers, as words; "!…" where the library cannot be used.
template <typename... Pointers>
std::string ask(const std::string& path, const char* function, Pointers... numbers) {
  void* library = ::dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = ::dlerror();
    return std::string("!cannot be loaded: ") + (reason != nullptr ? reason : "no reason given");
  }
  const auto call = reinterpret_cast<int (*)(Pointers...)>(::dlsym(library, function));
  if (call == nullptr) return std::string("!has no ") + function;
  if (const int error = call(numbers...); error != 0)
    return std::string("!") + function + " gives error " + std::to_string(error);
  std::string words;
  for (const int number : {static_cast<int>(*numbers)...}) words += std::to_string(number) + " ";
  return words;
}

// Asks in a process of its own, because a library's start-up code may do anything.
std::vector<unsigned> ask_library(const Surroundings& around, Component& component) {
  const std::string path = around.real(component.path);
  const ChildAnswer answer = run_apart(
      [&]() -> std::string {
        int a = 0, b = 0, c = 0, d = 0;
        unsigned major = 0, minor = 0;
        switch (component.part) {
          case Part::libnvvm:
            return ask(path, "nvvmIRVersion", &a, &b, &c, &d);
          case Part::nvrtc:
            return ask(path, "nvrtcVersion", &a, &b);
          default:
            return ask(path, "nvJitLinkVersion", &major, &minor);
        }
      },
      seconds);
  if (!answer.ended) component.trouble = "cannot be loaded: " + answer.error;
  if (answer.output.starts_with('!')) component.trouble = answer.output.substr(1);
  if (!component.trouble.empty()) return {};
  std::vector<unsigned> numbers;
  const char* at = answer.output.c_str();
  for (char* end = nullptr;; at = end) {
    const unsigned long number = std::strtoul(at, &end, 10);
    if (end == at) return numbers;
    numbers.push_back(static_cast<unsigned>(number));
  }
}

void ask_component(const Surroundings& around, Component& component) {
  if (component.part == Part::libdevice) return;
  if (component.part == Part::nvcc || component.part == Part::ptxas) {
    ask_program(around, component);
    return;
  }
  const std::vector<unsigned> numbers = ask_library(around, component);
  if (component.part == Part::libnvvm && numbers.size() == 4) {
    component.ir = NvvmVersion{numbers[0], numbers[1], numbers[2], numbers[3]};
  } else if (numbers.size() == 2) {
    component.version =
        isa::CudaVersion{static_cast<std::uint16_t>(numbers[0]), static_cast<std::uint16_t>(numbers[1])};
    component.full_version = isa::to_string(*component.version);
  }
}

// A library by its name without version: "libnvrtc.so" finds libnvrtc.so.13, not libnvrtc-builtins.so.
std::string find_library(const Surroundings& around, const std::string& folder, const std::string& name) {
  std::string found;
  for (const std::string& one : around.names_in(folder)) {
    if (one != name && !one.starts_with(name + ".")) continue;
    if (found.empty() || one.size() < found.size()) found = one;
  }
  return found.empty() ? found : folder + "/" + found;
}

struct Place {
  Part part;
  const char* folder;
  const char* name;
};
// In a toolkit's folder, a wheel's, a conda environment's, and /usr as Debian lays it out.
constexpr std::array places = {
    Place{Part::nvcc, "/bin", "nvcc"},
    Place{Part::ptxas, "/bin", "ptxas"},
    Place{Part::libnvvm, "/nvvm/lib64", "libnvvm.so"},
    Place{Part::libnvvm, "/nvvm/lib", "libnvvm.so"},
    Place{Part::libnvvm, "/lib64", "libnvvm.so"},
    Place{Part::libnvvm, "/lib", "libnvvm.so"},
    Place{Part::libnvvm, "/lib/x86_64-linux-gnu", "libnvvm.so"},
    Place{Part::libnvvm, "/lib/aarch64-linux-gnu", "libnvvm.so"},
    Place{Part::libdevice, "/nvvm/libdevice", "libdevice.10.bc"},
    Place{Part::libdevice, "/lib/nvidia-cuda-toolkit/libdevice", "libdevice.10.bc"},
    Place{Part::nvjitlink, "/lib64", "libnvJitLink.so"},
    Place{Part::nvjitlink, "/lib", "libnvJitLink.so"},
    Place{Part::nvjitlink, "/lib/x86_64-linux-gnu", "libnvJitLink.so"},
    Place{Part::nvjitlink, "/lib/aarch64-linux-gnu", "libnvJitLink.so"},
    Place{Part::nvrtc, "/lib64", "libnvrtc.so"},
    Place{Part::nvrtc, "/lib", "libnvrtc.so"},
    Place{Part::nvrtc, "/lib/x86_64-linux-gnu", "libnvrtc.so"},
    Place{Part::nvrtc, "/lib/aarch64-linux-gnu", "libnvrtc.so"},
};

// The parts in a folder, each once, not yet asked for their version.
std::vector<Component> components_in(const Surroundings& around, const std::string& folder) {
  std::vector<Component> found;
  for (const Place& place : places) {
    if (std::ranges::any_of(found, [&](const Component& one) { return one.part == place.part; })) continue;
    const std::string path = folder + place.folder + "/" + place.name;
    const bool is_named = place.part == Part::nvcc || place.part == Part::ptxas || place.part == Part::libdevice;
    Component component{.part = place.part, .path = {}, .version = {}, .full_version = {}, .ir = {}, .trouble = {}};
    if (is_named && (place.part == Part::libdevice ? around.is_file(path) : around.is_program(path)))
      component.path = path;
    if (!is_named) component.path = find_library(around, folder + place.folder, place.name);
    if (!component.path.empty()) found.push_back(std::move(component));
  }
  return found;
}

class Search {
 public:
  explicit Search(const Surroundings& around) : around_(around) {}

  // A toolkit's folder, unless nothing is in it.
  void add(const std::string& folder, const std::string& found_by, bool in_use) {
    const std::string place = around_.resolved(folder);
    for (Toolkit& toolkit : found_) {
      if (toolkit.folder != place) continue;
      found_again(toolkit, found_by, in_use);
      return;
    }
    Toolkit toolkit;
    toolkit.folder = place;
    toolkit.found_by = {found_by};
    toolkit.in_use = in_use;
    toolkit.components = components_in(around_, place);
    if (toolkit.components.empty()) return;
    if (Toolkit* const same = find_same(toolkit); same != nullptr) {
      found_again(*same, found_by, in_use);
      return;
    }
    found_.push_back(std::move(toolkit));
  }

  void by_path() {
    bool is_first = true;
    for (const std::string& folder : Surroundings::folders_of(Surroundings::variable("PATH"))) {
      for (const char* program : {"nvcc", "ptxas"}) {
        const std::string path = folder + "/" + program;
        if (!around_.is_program(path)) continue;
        // The link's own folder, where the one it leads to is no toolkit's: a wrapper that calls another.
        const std::string bin = fs::path(around_.resolved(path)).parent_path().string();
        const std::string root = fs::path(bin.ends_with("/bin") ? bin : folder).parent_path().string();
        add(root == "/" ? "" : root, "PATH", is_first);
        is_first = false;
      }
    }
  }

  void by_variables() {
    for (const char* name : variables)
      if (const std::string folder = Surroundings::variable(name); folder.starts_with('/')) add(folder, name, true);
    if (const std::string conda = Surroundings::variable("CONDA_PREFIX"); conda.starts_with('/'))
      add(conda, "CONDA_PREFIX", true);
  }

  void by_usual_folders() {
    add("/usr/local/cuda", "/usr/local/cuda", false);
    add("/opt/cuda", "/opt/cuda", false);
    for (const std::string& name : around_.names_in("/usr/local"))
      if (name.starts_with("cuda-")) add("/usr/local/" + name, "/usr/local/" + name, false);
  }

  void by_python() {
    const std::string python = find_python();
    if (python.empty()) return;
    const ChildAnswer answer =
        run_program({around_.real(python), "-c", "import sys; print('\\n'.join(sys.path))"}, seconds);
    if (!answer.ended) return;
    std::string_view rest = answer.output;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const std::string folder(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (folder.starts_with('/') && around_.is_folder(folder)) add_wheels(folder, python);
    }
  }

  [[nodiscard]] std::vector<Toolkit> take() {
    std::stable_partition(found_.begin(), found_.end(), [](const Toolkit& one) { return one.in_use; });
    for (Toolkit& toolkit : found_)
      for (Component& component : toolkit.components) ask_component(around_, component);
    return std::move(found_);
  }

 private:
  static void found_again(Toolkit& toolkit, const std::string& found_by, bool in_use) {
    if (std::ranges::find(toolkit.found_by, found_by) == toolkit.found_by.end()) toolkit.found_by.push_back(found_by);
    toolkit.in_use |= in_use;
  }

  // One with the same libraries behind links: a folder of wrappers, for example.
  [[nodiscard]] Toolkit* find_same(const Toolkit& toolkit) {
    for (const Part part : {Part::libnvvm, Part::nvrtc}) {
      const Component* const library = toolkit.find(part);
      if (library == nullptr) continue;
      for (Toolkit& other : found_) {
        const Component* const one = other.find(part);
        if (one != nullptr && around_.resolved(one->path) == around_.resolved(library->path)) return &other;
      }
    }
    return nullptr;
  }

  [[nodiscard]] std::string find_python() const {
    std::vector<std::string> folders;
    if (const std::string active = Surroundings::variable("VIRTUAL_ENV"); active.starts_with('/'))
      folders.push_back(active + "/bin");
    for (const std::string& folder : Surroundings::folders_of(Surroundings::variable("PATH")))
      folders.push_back(folder);
    for (const std::string& folder : folders)
      for (const char* name : {"python3", "python"})
        if (around_.is_program(folder + "/" + name)) return folder + "/" + name;
    return {};
  }

  // nvidia/cuda_nvcc, nvidia/nvjitlink, … of CUDA 12; nvidia/cu13 holds all of CUDA 13; and the ptxas inside Triton.
  void add_wheels(const std::string& folder, const std::string& python) {
    Toolkit wheels;
    wheels.kind = Toolkit::Kind::wheels;
    wheels.folder = folder + "/nvidia";
    wheels.found_by = {python};
    wheels.in_use = true;
    for (const std::string& name : around_.names_in(wheels.folder))
      for (Component& component : components_in(around_, wheels.folder + "/" + name))
        wheels.components.push_back(std::move(component));
    const auto is_known = [&](const std::string& place) {
      return std::ranges::any_of(found_, [&](const Toolkit& one) { return one.folder == place; });
    };
    if (!wheels.components.empty() && !is_known(wheels.folder)) found_.push_back(std::move(wheels));
    Toolkit triton;
    triton.kind = Toolkit::Kind::triton;
    triton.folder = folder + "/triton/backends/nvidia";
    triton.found_by = {python};
    triton.in_use = true;
    triton.components = components_in(around_, triton.folder);
    if (!triton.components.empty() && !is_known(triton.folder)) found_.push_back(std::move(triton));
  }

  const Surroundings& around_;
  std::vector<Toolkit> found_;
};

}  // namespace

Surroundings::Surroundings(std::string root) : root_(std::move(root)) {
  while (root_.ends_with('/')) root_.pop_back();
}

bool Surroundings::is_file(const std::string& path) const {
  std::error_code error;
  return fs::is_regular_file(real(path), error);
}

bool Surroundings::is_program(const std::string& path) const {
  return is_file(path) && ::access(real(path).c_str(), X_OK) == 0;
}

bool Surroundings::is_folder(const std::string& path) const {
  std::error_code error;
  return fs::is_directory(real(path), error);
}

std::vector<std::string> Surroundings::names_in(const std::string& folder) const {
  constexpr std::size_t most = 10000;
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(real(folder), error), end; !error && at != end && names.size() < most;
       at.increment(error))
    names.push_back(at->path().filename().string());
  std::ranges::sort(names);
  return names;
}

std::string Surroundings::resolved(const std::string& path) const {
  if (!root_.empty()) return followed(path);
  std::error_code error;
  const std::string place = fs::canonical(path, error).string();
  return error ? path : place;
}

std::string Surroundings::followed(const std::string& path) const {
  constexpr int most_links = 40;
  int links = 0;
  fs::path done("/");
  // What is left to walk, the next part last.
  std::vector<fs::path> left;
  const auto walk = [&left](const fs::path& more) {
    const std::vector<fs::path> parts(more.begin(), more.end());
    left.insert(left.end(), parts.rbegin(), parts.rend());
  };
  walk(path);
  while (!left.empty()) {
    const fs::path part = left.back();
    left.pop_back();
    if (part.empty() || part == "." || part == "/") continue;
    if (part == "..") {
      done = done.parent_path();
      continue;
    }
    std::error_code error;
    const fs::path target = fs::read_symlink(root_ + (done / part).string(), error);
    if (error || ++links > most_links) {
      done /= part;
      continue;
    }
    if (target.is_absolute()) done = "/";
    walk(target);
  }
  return done.string();
}

std::string Surroundings::head(const std::string& path, std::size_t bytes) const {
  if (!is_file(path)) return {};
  std::ifstream file(real(path), std::ios::binary);
  std::string text(bytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(bytes));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return text;
}

std::string Surroundings::variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::vector<std::string> Surroundings::folders_of(const std::string& list) {
  std::vector<std::string> folders;
  std::string_view rest = list;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    std::string folder(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
    if (folder.starts_with('/') && std::ranges::find(folders, folder) == folders.end()) folders.push_back(folder);
  }
  return folders;
}

std::vector<Toolkit> find_toolkits(const Surroundings& around) {
  Search search(around);
  search.by_path();
  search.by_variables();
  search.by_python();
  search.by_usual_folders();
  return search.take();
}

std::vector<std::string> empty_variables(const Surroundings& around) {
  std::vector<std::string> empty;
  for (const char* name : variables) {
    const std::string folder = Surroundings::variable(name);
    if (!folder.empty() && components_in(around, folder).empty()) empty.push_back(std::string(name) + "=" + folder);
  }
  return empty;
}

std::string_view spelling(Part part) {
  switch (part) {
    case Part::nvcc:
      return "nvcc";
    case Part::ptxas:
      return "ptxas";
    case Part::libnvvm:
      return "libNVVM";
    case Part::libdevice:
      return "libdevice";
    case Part::nvjitlink:
      return "nvJitLink";
    case Part::nvrtc:
      break;
  }
  return "NVRTC";
}

const Component* Toolkit::find(Part part) const {
  const auto found = std::ranges::find(components, part, &Component::part);
  return found != components.end() ? &*found : nullptr;
}

std::optional<isa::CudaVersion> Toolkit::version() const {
  std::optional<isa::CudaVersion> newest;
  for (const Component& one : components)
    if (one.version && one.part != Part::nvjitlink && (!newest || *newest < *one.version)) newest = one.version;
  if (newest) return newest;
  for (const Component& one : components)
    if (one.version && (!newest || *newest < *one.version)) newest = one.version;
  return newest;
}

std::string Toolkit::name() const {
  const auto newest = version();
  const std::string cuda = newest ? "CUDA " + isa::to_string(*newest) : "CUDA";
  if (kind == Kind::wheels) return cuda + " wheels";
  if (kind == Kind::triton) return "Triton's " + cuda;
  return cuda;
}

}  // namespace ptxscope::driver
