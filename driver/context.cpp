#include "driver/context.h"

#include <array>
#include <chrono>
#include <cstring>

namespace ptxscope::driver {

namespace {

// What a person can do about it; "" where the driver's words are all there is.
std::string way_out(Status status) {
  switch (status) {
    case Status::no_device:
      return "no GPU can be seen: is one there, and does CUDA_VISIBLE_DEVICES let it be seen? (ptxscope doctor)";
    case Status::stub_library:
      return "this is the libcuda.so of a toolkit's stubs folder, for linking only: take that folder off "
             "LD_LIBRARY_PATH";
    case Status::system_driver_mismatch:
      return "the driver's library and its kernel module are of different versions: reboot, or unload and load the "
             "module (ptxscope doctor says which versions)";
    case Status::compat_not_supported_on_device:
      return "a forward-compatibility libcuda (cuda-compat) stands in front of the driver's own, and this GPU does not "
             "take it: take its folder off LD_LIBRARY_PATH";
    case Status::unknown:
    case Status::operating_system:
    case Status::not_initialized:
      return "does nvidia-smi work, and may this user open /dev/nvidia*?";
    case Status::jit_compiler_not_found:
      return "libnvidia-ptxjitcompiler.so.1 of the driver is missing; in a container: pass the driver's compute "
             "libraries in (NVIDIA_DRIVER_CAPABILITIES=compute,utility)";
    case Status::jit_compilation_disabled:
      return "CUDA_DISABLE_PTX_JIT forbids it: unset it";
    case Status::system_not_ready:
      return "on a machine with NVSwitch the fabric manager must run (systemctl status nvidia-fabricmanager)";
    case Status::device_unavailable:
      return "another process has the GPU for itself (nvidia-smi -q shows the compute mode)";
    default:
      return {};
  }
}

}  // namespace

Error describe_failure(const Cuda& cuda, const char* call, Status status) {
  std::string sentence = std::string(call) + ": " + cuda.name_of(status);
  if (const std::string words = cuda.words_of(status); !words.empty()) sentence += ", " + words;
  if (const std::string advice = way_out(status); !advice.empty()) sentence += "; " + advice;
  return {status, std::move(sentence)};
}

Error Session::check(const char* call, Status status) const {
  if (status == Status::success) return {};
  return describe_failure(*cuda_, call, status);
}

Result<Session> Session::open(int ordinal) {
  CudaResult opened = open_cuda();
  if (opened.cuda == nullptr) return {std::nullopt, {Status::not_initialized, std::move(opened.error)}};
  const Cuda& cuda = *opened.cuda;
  const auto failed = [&](const char* call, Status status) {
    return Result<Session>{std::nullopt, describe_failure(cuda, call, status)};
  };
  if (const Status status = cuda.init(0); status != Status::success) return failed("cuInit", status);
  int version = 0;
  if (const Status status = cuda.driver_get_version(&version); status != Status::success)
    return failed("cuDriverGetVersion", status);
  int count = 0;
  if (const Status status = cuda.device_get_count(&count); status != Status::success)
    return failed("cuDeviceGetCount", status);
  if (count == 0) return failed("cuDeviceGetCount", Status::no_device);
  if (ordinal < 0 || ordinal >= count)
    return {std::nullopt,
            {Status::invalid_device, "there is no device " + std::to_string(ordinal) + "; there " +
                                         (count == 1 ? "is one, 0" : "are 0 to " + std::to_string(count - 1))}};
  DeviceHandle device = 0;
  if (const Status status = cuda.device_get(&device, ordinal); status != Status::success)
    return failed("cuDeviceGet", status);

  Session session(opened.cuda, device);
  if (cuda.primary_ctx_retain != nullptr) {
    if (const Status status = cuda.primary_ctx_retain(&session.context_, device); status != Status::success)
      return failed("cuDevicePrimaryCtxRetain", status);
    session.is_primary_ = true;
  } else if (const Status status = cuda.ctx_create(&session.context_, 0, device); status != Status::success) {
    return failed("cuCtxCreate", status);
  }
  if (const Status status = cuda.ctx_set_current(session.context_); status != Status::success)
    return failed("cuCtxSetCurrent", status);

  DeviceInfo& info = session.info_;
  info.ordinal = ordinal;
  std::array<char, 256> name{};
  if (cuda.device_get_name(name.data(), static_cast<int>(name.size()) - 1, device) == Status::success)
    info.name = name.data();
  info.capability = static_cast<unsigned>(session.attribute(DeviceAttribute::capability_major) * 10 +
                                          session.attribute(DeviceAttribute::capability_minor));
  info.multiprocessors = static_cast<unsigned>(session.attribute(DeviceAttribute::multiprocessor_count));
  cuda.device_total_mem(&info.memory, device);
  info.cuda_major = static_cast<unsigned>(version) / 1000;
  info.cuda_minor = static_cast<unsigned>(version) % 1000 / 10;
  return {std::move(session), {}};
}

Session::Session(Session&& other) noexcept
    : cuda_(std::move(other.cuda_)),
      device_(other.device_),
      context_(std::exchange(other.context_, nullptr)),
      is_primary_(other.is_primary_),
      info_(std::move(other.info_)) {}

Session::~Session() {
  if (cuda_ == nullptr || context_ == nullptr) return;
  if (!is_primary_) cuda_->ctx_destroy(context_);
  else if (cuda_->primary_ctx_release != nullptr) cuda_->primary_ctx_release(device_);
  else if (cuda_->primary_ctx_release_v1 != nullptr) cuda_->primary_ctx_release_v1(device_);
}

int Session::attribute(DeviceAttribute attribute) const {
  int value = 0;
  return cuda_->device_get_attribute(&value, attribute, device_) == Status::success ? value : 0;
}

int Session::attribute(FunctionHandle function, FunctionAttribute attribute) const {
  int value = 0;
  return cuda_->func_get_attribute(&value, attribute, function) == Status::success ? value : 0;
}

LoadOutcome Session::load(const std::string& image) const {
  constexpr std::size_t room = std::size_t{1} << 20;  // a line for each kernel and for each error
  std::vector<char> info(room, '\0');
  std::vector<char> errors(room, '\0');
  const auto as_value = [](std::size_t number) { return reinterpret_cast<void*>(number); };
  std::array<JitOption, 7> options{
      JitOption::wall_time,        JitOption::info_log_buffer,        JitOption::info_log_buffer_bytes,
      JitOption::error_log_buffer, JitOption::error_log_buffer_bytes, JitOption::log_verbose,
      JitOption::cache_mode};
  std::array<void*, 7> values{as_value(0),    info.data(), as_value(room), errors.data(),
                              as_value(room), as_value(1), as_value(0)};
  LoadOutcome outcome;
  ModuleHandle handle = nullptr;
  const auto start = std::chrono::steady_clock::now();
  const Status status = cuda_->module_load_data_ex(&handle, image.c_str(), static_cast<unsigned>(options.size()),
                                                   options.data(), values.data());
  const auto end = std::chrono::steady_clock::now();
  outcome.milliseconds = std::chrono::duration<double, std::milli>(end - start).count();
  // The driver writes a float into the pointer's first four bytes.
  float spent = 0;
  std::memcpy(&spent, values.data(), sizeof spent);
  outcome.compiler_milliseconds = spent;
  // How much was written comes back in the place of the size; the text ends at its NUL in any case.
  info.back() = errors.back() = '\0';
  outcome.info_log = info.data();
  outcome.error_log = errors.data();
  outcome.log_is_cut = outcome.info_log.size() + 2 >= room || outcome.error_log.size() + 2 >= room;
  outcome.error = check("cuModuleLoadDataEx", status);
  if (status == Status::success) outcome.module = LoadedModule(cuda_, handle);
  return outcome;
}

Result<FunctionHandle> Session::function(const LoadedModule& module, const std::string& name) const {
  FunctionHandle function = nullptr;
  const Status status = cuda_->module_get_function(&function, module.get(), name.c_str());
  if (status != Status::success) return {std::nullopt, check("cuModuleGetFunction", status)};
  return {function, {}};
}

Result<Buffer> Session::allocate(std::size_t bytes) const {
  DevicePointer address = 0;
  const Status status = cuda_->mem_alloc(&address, bytes);
  if (status != Status::success) return {std::nullopt, check("cuMemAlloc", status)};
  return {Buffer(cuda_, address), {}};
}

Result<OwnedStream> Session::stream() const {
  Stream stream = nullptr;
  const Status status = cuda_->stream_create(&stream, stream_non_blocking);
  if (status != Status::success) return {std::nullopt, check("cuStreamCreate", status)};
  return {OwnedStream(cuda_, stream), {}};
}

Result<OwnedEvent> Session::event() const {
  Event event = nullptr;
  const Status status = cuda_->event_create(&event, event_default);
  if (status != Status::success) return {std::nullopt, check("cuEventCreate", status)};
  return {OwnedEvent(cuda_, event), {}};
}

}  // namespace ptxscope::driver
