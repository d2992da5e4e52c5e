#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "driver/child.h"
#include "driver/device.h"
#include "driver/doctor.h"
#include "driver/toolkits.h"

namespace ptxscope::driver {

namespace {

constexpr unsigned seconds = 30;  // cuInit takes some seconds where no process keeps the GPU awake

// Where a driver's library is put, apart from the folders that the linker always searches.
constexpr std::array driver_folders = {
    "/usr/lib/wsl/lib",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/usr/lib/x86_64-linux-gnu/nvidia/current",
    "/usr/local/nvidia/lib64",
    "/usr/local/nvidia/lib",
    "/run/opengl-driver/lib",
    "/usr/lib/aarch64-linux-gnu/nvidia",
    "/usr/lib/aarch64-linux-gnu/tegra",
    "/usr/local/cuda/compat",
};

// The linker's own search, for a folder that stands in for /: LD_LIBRARY_PATH, /etc/ld.so.conf and what it includes as
// distributions have it, and the usual folders.
std::vector<std::string> searched_folders(const Surroundings& around) {
  std::vector<std::string> folders = Surroundings::folders_of(Surroundings::variable("LD_LIBRARY_PATH"));
  std::vector<std::string> files = {"/etc/ld.so.conf"};
  for (const std::string& name : around.names_in("/etc/ld.so.conf.d"))
    if (name.ends_with(".conf")) files.push_back("/etc/ld.so.conf.d/" + name);
  for (const std::string& file : files) {
    std::istringstream lines(around.head(file));
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with('/')) folders.push_back(line.substr(0, line.find_first_of(" \t\r#")));
  }
  for (const char* folder : {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu",
                             "/usr/lib/aarch64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"})
    folders.emplace_back(folder);
  return folders;
}

// Where `-lcuda` finds a library: what GNU ld and lld search on their own, and LIBRARY_PATH, which compilers add.
std::vector<std::string> linked_folders() {
  std::vector<std::string> folders = Surroundings::folders_of(Surroundings::variable("LIBRARY_PATH"));
  for (const char* folder : {"/usr/local/lib/x86_64-linux-gnu", "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu",
                             "/usr/local/lib64", "/lib64", "/usr/lib64", "/usr/local/lib", "/lib", "/usr/lib",
                             "/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu"})
    folders.emplace_back(folder);
  return folders;
}

std::string first_file(const Surroundings& around, const std::vector<std::string>& folders, const std::string& name) {
  for (const std::string& folder : folders)
    if (around.is_file(folder + "/" + name)) return folder + "/" + name;
  return {};
}

// What a library of that name is called where it is installed: "libcuda.so.580.65.06" → "580.65.06". WSL's is 1.1.
std::string version_in_name(const std::string& path) {
  const std::size_t at = path.rfind(".so.");
  if (at == std::string::npos) return {};
  const std::string version = path.substr(at + 4);
  const bool is_driver = version.find('.') >= 3 && version.find('.') != std::string::npos;
  return is_driver && version.find_first_not_of("0123456789.") == std::string::npos ? version : std::string();
}

// One line of the answer: a word, then the rest.
void say(std::string& answer, const std::string& word, std::string rest) {
  std::ranges::replace(rest, '\n', ' ');
  answer += word + " " + rest + "\n";
}

// In a process of its own: a driver that does not answer, or crashes, is something to report.
// Without `start` nothing of the driver runs but the library's own start-up code.
std::string ask_cuda(const std::string& path, bool start) {
  std::string answer;
  const CudaResult opened = path.empty() ? open_cuda() : open_cuda(path);
  say(answer, "failure", std::to_string(static_cast<int>(opened.failure)));
  if (opened.cuda == nullptr) {
    say(answer, "trouble", opened.error);
    return answer;
  }
  const Cuda& cuda = *opened.cuda;
  say(answer, "path", cuda.path);
  if (!start) return answer;
  int version = 0;
  if (cuda.driver_get_version(&version) == Status::success) say(answer, "cuda", std::to_string(version));
  int count = 0;
  Status status = cuda.init(0);
  if (status == Status::success) status = cuda.device_get_count(&count);
  say(answer, "init", std::to_string(static_cast<int>(status)));
  const std::string words = cuda.words_of(status);
  say(answer, "words", cuda.name_of(status) + (words.empty() ? "" : ", " + words));
  for (int ordinal = 0; status == Status::success && ordinal < count; ++ordinal) {
    DeviceHandle device = 0;
    int major = 0;
    int minor = 0;
    std::size_t memory = 0;
    std::array<char, 256> name{};
    if (cuda.device_get(&device, ordinal) != Status::success) continue;
    cuda.device_get_attribute(&major, DeviceAttribute::capability_major, device);
    cuda.device_get_attribute(&minor, DeviceAttribute::capability_minor, device);
    cuda.device_total_mem(&memory, device);
    cuda.device_get_name(name.data(), static_cast<int>(name.size()) - 1, device);
    say(answer, "device", std::to_string(major * 10 + minor) + " " + std::to_string(memory) + " " + name.data());
  }
  return answer;
}

// NVML: the library behind nvidia-smi. It knows the driver's version where there is no /proc/driver (WSL), and counts
// GPUs that CUDA_VISIBLE_DEVICES hides.
std::string ask_nvml(const std::string& path) {
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {};
  const auto init = reinterpret_cast<int (*)()>(::dlsym(library, "nvmlInit_v2"));
  const auto version = reinterpret_cast<int (*)(char*, unsigned)>(::dlsym(library, "nvmlSystemGetDriverVersion"));
  const auto count = reinterpret_cast<int (*)(unsigned*)>(::dlsym(library, "nvmlDeviceGetCount_v2"));
  if (init == nullptr || version == nullptr || count == nullptr || init() != 0) return {};
  std::string answer;
  std::array<char, 128> text{};
  if (version(text.data(), static_cast<unsigned>(text.size()) - 1) == 0) say(answer, "version", text.data());
  if (unsigned devices = 0; count(&devices) == 0) say(answer, "count", std::to_string(devices));
  return answer;
}

void read_answer(const std::string& answer, FoundDriver& driver) {
  std::istringstream lines(answer);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t space = line.find(' ');
    if (space == std::string::npos) continue;
    const std::string word = line.substr(0, space);
    const std::string rest = line.substr(space + 1);
    const int number = std::atoi(rest.c_str());
    if (word == "failure") driver.failure = static_cast<OpenFailure>(number);
    if (word == "trouble") driver.trouble = rest;
    if (word == "path") driver.path = rest;
    if (word == "cuda" && number > 0)
      driver.cuda =
          isa::CudaVersion{static_cast<std::uint16_t>(number / 1000), static_cast<std::uint16_t>(number % 1000 / 10)};
    if (word == "init") driver.init = static_cast<Status>(number);
    if (word == "words") driver.init_words = rest;
    if (word == "version") driver.told_version = rest;
    if (word == "count") driver.told_devices = static_cast<unsigned>(number);
    if (word == "device") {
      FoundDevice device;
      std::istringstream parts(rest);
      parts >> device.capability >> device.memory;
      std::getline(parts >> std::ws, device.name);
      driver.devices.push_back(std::move(device));
    }
  }
}

// By the linker's search.
bool can_be_loaded(const char* library) {
  return run_apart([&] { return std::string(::dlopen(library, RTLD_LAZY | RTLD_LOCAL) != nullptr ? "yes" : ""); },
                   seconds)
             .output == "yes";
}

// The folder of the driver's library, and where the rest of the driver is.
std::string folder_of(const std::string& path) { return std::filesystem::path(path).parent_path().string(); }

FoundDriver find_driver(const Surroundings& around) {
  FoundDriver driver;
  const bool is_this_machine = around.root().empty();
  std::string asked;  // empty: by the linker's search
  if (const std::string named = Surroundings::variable("PTXSCOPE_LIBCUDA"); !named.empty()) {
    driver.is_named = true;
    asked = named;
  } else if (is_this_machine) {
    driver.is_searched = can_be_loaded("libcuda.so.1");
  } else {
    asked = first_file(around, searched_folders(around), "libcuda.so.1");
    driver.is_searched = !asked.empty();
  }
  if (!driver.is_searched && !driver.is_named) {
    driver.elsewhere = first_file(around, {driver_folders.begin(), driver_folders.end()}, "libcuda.so.1");
    if (!is_this_machine) asked = driver.elsewhere;
  }
  const std::string in_its_world = asked;
  if (!driver.is_named && !asked.empty()) asked = around.real(asked);
  if (is_this_machine || !asked.empty()) {
    const ChildAnswer opened = run_apart([&] { return ask_cuda(asked, false); }, seconds);
    read_answer(opened.output, driver);
    if (!opened.ended) driver.trouble = "opening libcuda.so.1: " + opened.error;
    if (!driver.path.empty()) {
      const ChildAnswer started = run_apart([&] { return ask_cuda(asked, true); }, seconds);
      read_answer(started.output, driver);
      if (!started.ended) driver.trouble = started.error;
    }
  } else {
    driver.failure = OpenFailure::not_found;
  }
  if (!is_this_machine && !driver.is_named && !driver.path.empty()) driver.path = in_its_world;

  driver.library_version = version_in_name(around.resolved(driver.path));
  driver.kernel_version = kernel_module_version(around.real("/proc/driver/nvidia/version"));
  const std::string folder = folder_of(driver.path);
  if (!driver.path.empty()) {
    const bool is_apart = !is_this_machine || driver.is_named;
    const std::string nvml = is_apart ? around.real(folder + "/libnvidia-ml.so.1") : std::string("libnvidia-ml.so.1");
    ChildAnswer told = run_apart([&] { return ask_nvml(nvml); }, seconds);
    if (told.output.empty() && !is_apart)
      told = run_apart([&] { return ask_nvml(folder + "/libnvidia-ml.so.1"); }, seconds);
    read_answer(told.output, driver);
    constexpr const char* compiler = "libnvidia-ptxjitcompiler.so.1";
    driver.has_jit_compiler =
        around.is_file(folder + "/" + compiler) || driver.is_named || (is_this_machine && can_be_loaded(compiler));
    driver.link_library = first_file(around, linked_folders(), "libcuda.so");
    if (driver.link_library.empty() && around.is_file(folder + "/libcuda.so"))
      driver.link_elsewhere = folder + "/libcuda.so";
  }
  return driver;
}

}  // namespace

Findings look_around(const SearchOptions& options) {
  const Surroundings around(options.root);
  Findings findings;
  findings.root = around.root();
  std::string kernel = around.head("/proc/version");
  std::ranges::transform(kernel, kernel.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  findings.is_wsl = kernel.find("microsoft") != std::string::npos;
  if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES"); visible != nullptr) findings.visible_devices = visible;
  const std::string disabled = Surroundings::variable("CUDA_DISABLE_PTX_JIT");
  findings.jit_disabled = !disabled.empty() && disabled != "0";
  // Toolkits first: they are asked by copies of this process, which should not hold a driver.
  findings.toolkits = find_toolkits(around);
  findings.empty_variables = empty_variables(around);
  findings.asked_driver = options.ask_driver;
  if (options.ask_driver) findings.driver = find_driver(around);
  return findings;
}

std::string FoundDriver::version() const {
  if (!library_version.empty()) return library_version;
  return kernel_version.empty() ? told_version : kernel_version;
}

}  // namespace ptxscope::driver
