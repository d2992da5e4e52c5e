// A device opened for use, and what is made on it, each released by its destructor. No call here throws; what fails
// comes back as a sentence with the driver's own name and number for it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "driver/cuda_api.h"

namespace ptxscope::driver {

/// Why a call failed. `status` success: it did not.
struct Error {
  Status status = Status::success;  ///< of the call; success where `sentence` tells of something else
  std::string sentence;             ///< "cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY (2), out of memory"
  /// There is something to tell.
  [[nodiscard]] bool failed() const { return status != Status::success || !sentence.empty(); }
};

/// A value, or why there is none.
template <typename Value>
struct Result {
  std::optional<Value> value;                                   ///< nullopt: `error` says why
  Error error;                                                  ///< nothing to tell when there is a value
  explicit operator bool() const { return value.has_value(); }  ///< there is a value
  /// Only where there is a value.
  [[nodiscard]] Value& operator*() { return *value; }
  [[nodiscard]] const Value& operator*() const { return *value; }  ///< likewise
  [[nodiscard]] Value* operator->() { return &*value; }            ///< likewise
};

/// A handle that is given back to the driver by `Release` of the table.
template <typename Handle, Status (*Cuda::*Release)(Handle)>
class Owned {
 public:
  Owned() = default;  ///< of nothing
  /// Takes the handle over; `cuda` is kept until it is given back.
  Owned(std::shared_ptr<const Cuda> cuda, Handle handle) : cuda_(std::move(cuda)), handle_(handle) {}
  ~Owned() { reset(); }  ///< gives it back, if there is one
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  /// Leaves `other` of nothing.
  Owned(Owned&& other) noexcept : cuda_(std::move(other.cuda_)), handle_(std::exchange(other.handle_, Handle{})) {}
  /// Gives back what it had.
  Owned& operator=(Owned&& other) noexcept {
    if (this == &other) return *this;
    reset();
    cuda_ = std::move(other.cuda_);
    handle_ = std::exchange(other.handle_, Handle{});
    return *this;
  }
  [[nodiscard]] Handle get() const { return handle_; }  ///< still owned here; Handle{}: of nothing

 private:
  void reset() {
    if (cuda_ != nullptr && handle_ != Handle{}) (cuda_.get()->*Release)(handle_);
    handle_ = Handle{};
  }
  std::shared_ptr<const Cuda> cuda_;
  Handle handle_{};
};

using LoadedModule = Owned<ModuleHandle, &Cuda::module_unload>;  ///< a module on the device
using OwnedStream = Owned<Stream, &Cuda::stream_destroy>;        ///< a stream of work
using OwnedEvent = Owned<Event, &Cuda::event_destroy>;           ///< an event that is recorded and timed
/// Device memory.
using Buffer = Owned<DevicePointer, &Cuda::mem_free>;

/// What a device is, as the driver tells it.
struct DeviceInfo {
  int ordinal = 0;               ///< as CUDA_VISIBLE_DEVICES counts them
  std::string name;              ///< "NVIDIA H200"
  unsigned capability = 0;       ///< 90 for compute capability 9.0
  std::size_t memory = 0;        ///< bytes
  unsigned multiprocessors = 0;  ///< how many
  unsigned cuda_major = 0;       ///< the newest CUDA the driver supports: 13 of 13.0
  unsigned cuda_minor = 0;       ///< 0 of 13.0
};

/// A module loaded, how long that took, and what the driver's compiler said.
struct LoadOutcome {
  LoadedModule module;               ///< of nothing where it failed
  Error error;                       ///< failed(): there is no module
  double milliseconds = 0;           ///< by the clock of this process, around the call
  double compiler_milliseconds = 0;  ///< of that in the compiler and linker, as the driver tells it; 0: not told
  std::string info_log;              ///< registers, spills and more, in the words of ptxas -v
  std::string error_log;             ///< errors and warnings, in the words of ptxas
  bool log_is_cut = false;           ///< a log was longer than the room for it
};

/// The primary context of a device, made current for the thread that opens it.
class Session {
 public:
  /// Initialises the driver and opens device `ordinal`, as CUDA_VISIBLE_DEVICES counts them. No driver, no such device:
  /// a sentence.
  [[nodiscard]] static Result<Session> open(int ordinal);
  ~Session();  ///< lets go of the context
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  Session(Session&&) noexcept;  ///< leaves the other without a context: only to be destroyed
  Session& operator=(Session&&) = delete;

  [[nodiscard]] const Cuda& cuda() const { return *cuda_; }         ///< the entry points
  [[nodiscard]] const DeviceInfo& device() const { return info_; }  ///< as it was when opened
  /// 0 where the driver does not know the attribute.
  [[nodiscard]] int attribute(DeviceAttribute attribute) const;
  /// 0 where the driver does not know the attribute, or the function.
  [[nodiscard]] int attribute(FunctionHandle function, FunctionAttribute attribute) const;

  /// Compiles PTX (or takes a cubin or fat binary) with both logs on, verbose, and without the driver's cache of
  /// compiled modules. PTX must end in a NUL, which std::string sees to.
  [[nodiscard]] LoadOutcome load(const std::string& image) const;
  /// The kernel of that name, mangled as in the PTX.
  [[nodiscard]] Result<FunctionHandle> function(const LoadedModule& module, const std::string& name) const;
  [[nodiscard]] Result<Buffer> allocate(std::size_t bytes) const;  ///< not initialised
  [[nodiscard]] Result<OwnedStream> stream() const;                ///< one that does not wait for the default stream
  [[nodiscard]] Result<OwnedEvent> event() const;                  ///< that keeps a time

  /// The error of a call that gave `status`: `call` is the function's name.
  [[nodiscard]] Error check(const char* call, Status status) const;

 private:
  Session(std::shared_ptr<const Cuda> cuda, DeviceHandle device) : cuda_(std::move(cuda)), device_(device) {}
  std::shared_ptr<const Cuda> cuda_;
  DeviceHandle device_ = 0;
  Context context_ = nullptr;
  bool is_primary_ = false;
  DeviceInfo info_;
};

/// "cuInit: CUDA_ERROR_NO_DEVICE (100), no CUDA-capable device is detected", and what to look at where that is known.
[[nodiscard]] Error describe_failure(const Cuda& cuda, const char* call, Status status);

}  // namespace ptxscope::driver
