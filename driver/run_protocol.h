// What `ptxscope run` and the library it preloads say to each other: a socket of small messages, files in a private
// folder, a board of all processes there, and a piece of shared memory for each process that opened the driver. Plain
// data, the same in both; the preloaded library includes nothing else of ours but analysis/record.h.
//
// A process notes itself on the board when the library is loaded, and when it starts or becomes another program, or
// ends. One that opens the driver sends Hello, with the shared memory's descriptor. For each module it writes the image
// to the file "<prefix>-<module>.image", sends Load and waits for LoadReply; with `replaced` the file
// "<prefix>-<module>.answer" holds an Answer. Each message goes over a connection of its own, so that the program has no
// descriptor more than it would have alone. All else is read out of the shared memory, which the parent can do even after
// the process was killed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "analysis/record.h"

namespace ptxscope::run {

/// The environment variable that names the private folder.
inline constexpr const char* folder_variable = "PTXSCOPE_RUN_FOLDER";
/// "1": modules are loaded as they are, launches are counted.
inline constexpr const char* observe_variable = "PTXSCOPE_RUN_OBSERVE";
/// For how long the process waits for an answer about a module, in seconds; then it loads the original.
inline constexpr const char* patience_variable = "PTXSCOPE_RUN_SECONDS";
inline constexpr const char* socket_name = "socket";
inline constexpr const char* board_name = "board";
inline constexpr std::uint32_t protocol_version = 3;

inline constexpr std::uint32_t max_processes = 2048;
inline constexpr std::uint32_t max_slots = 4096;
inline constexpr std::uint32_t max_launches = 256;
inline constexpr std::uint32_t max_kernels = 4096;
inline constexpr std::uint32_t max_modules = 4096;
inline constexpr std::uint32_t max_errors = 16;
inline constexpr std::uint32_t max_devices = 8;
inline constexpr std::uint32_t max_launch_bytes = 512;               ///< of a launch's parameters
inline constexpr std::uint32_t text_bytes = 4U << 20U;               ///< names and logs
inline constexpr std::uint32_t longest_text = 64U << 10U;            ///< of one name or log; the rest is left out
inline constexpr std::uint64_t max_image = std::uint64_t{1} << 28U;  ///< larger ones are loaded as they are

/// How far a process is watched.
enum class Stage : std::uint8_t {
  unused,
  starting,  ///< it is to become a program in which the library has not been loaded yet
  watched,   ///< the library is loaded
  left,      ///< it said that it ends
  expected,  ///< noted by who started it; of no account once it has noted itself
};

/// ProcessRow::flags.
inline constexpr std::uint32_t opened_driver = 1;  ///< it looked the driver's functions up, or called one
inline constexpr std::uint32_t unconnected = 2;    ///< it has no shared memory: ProcessRow::error
inline constexpr std::uint32_t bypassed = 4;       ///< the driver's library is there, and no call came by
inline constexpr std::uint32_t short_of_memory = 8;
inline constexpr std::uint32_t stripped = 16;  ///< programs that it starts would not get the library
inline constexpr std::uint32_t unlooked = 32;  ///< whether it was bypassed could not be seen: ProcessRow::error

struct ProcessRow {
  std::atomic<std::uint64_t> who;       ///< process id << 8 | Stage; 0: the row is empty
  std::atomic<std::uint64_t> launches;  ///< of an unconnected one
  std::atomic<std::uint32_t> flags;
  std::atomic<std::int32_t> error;  ///< errno
  char name[40];                    ///< of the program; NUL at the end where it is shorter
};
inline std::uint64_t who_is(std::int64_t pid, Stage stage) {
  return static_cast<std::uint64_t>(pid) << 8U | static_cast<std::uint8_t>(stage);
}

/// A file, all of it there from the start. Rows of processes that have nothing more to tell are used again.
struct Board {
  std::uint32_t version;
  std::int32_t parent;  ///< its process id
  std::atomic<std::uint32_t> rows;
  std::atomic<std::uint32_t> next;       ///< where to look for a row to use again
  std::atomic<std::uint32_t> left_over;  ///< processes that found no row
  ProcessRow process_rows[max_processes];
};
static_assert(sizeof(ProcessRow) == 64);

/// A string in SharedMemory::text; length 0: none.
struct TextPlace {
  std::uint32_t offset = 0, length = 0;
};

/// How a module came to be loaded, as the process saw it.
enum class Loaded : std::uint32_t {
  asked,      ///< no answer of the driver yet
  ours,       ///< the instrumented text
  original,   ///< as it was
  fell_back,  ///< the driver refused ours and took the original
  refused,    ///< the driver refused the original
  linked,     ///< machine code that was linked from texts of ours
};

enum class ImageForm : std::uint32_t { text, fat_binary, elf, unknown };

/// Whence the PTX is of a module that is machine code.
enum class OtherPtx : std::uint32_t {
  none,
  nvrtc,  ///< NVRTC made both
};

struct ModuleRow {
  std::atomic<std::uint32_t> number;  ///< from 1, written last; 0: the row is empty
  Loaded loaded;
  ImageForm form;
  std::int32_t error;        ///< of the driver, of refused
  std::int32_t our_error;    ///< of fell_back
  std::uint32_t has_no_ptx;  ///< the parent was not asked, or only whether Triton's cache has some
  OtherPtx has_other_ptx;
  std::uint32_t is_set_up;  ///< records can be written: the address was set in one context at least
  std::uint64_t bytes;
  double load_ms;      ///< in the driver
  double prepared_ms;  ///< waiting for the answer
  TextPlace call, origin, log, our_log, note;
  TextPlace unrecorded;  ///< why no record can be written, though the text is ours
};

struct KernelRow {
  std::atomic<std::uint32_t> is_there;  ///< written last
  std::uint32_t module;                 ///< ModuleRow::number; 0: not known
  TextPlace name;
  std::atomic<std::uint64_t> launches, failed;
  std::int32_t error;  ///< of the last launch refused
  std::uint32_t grid[3], block[3], shared;
  std::atomic<std::uint32_t> devices;  ///< bit n: it ran on device n
};

struct LaunchRow {
  std::atomic<std::uint64_t> sequence;  ///< from 1, written last; 0: being written
  std::uint32_t kernel;                 ///< index into `kernels`
  std::uint32_t module;
  std::uint32_t grid[3], block[3], shared;
  std::uint32_t parameter_bytes;
  std::uint64_t stream;
  std::byte parameters[max_launch_bytes];
};

struct ErrorRow {
  std::atomic<std::uint32_t> is_there;
  std::int32_t code;
  TextPlace call;
};

struct SlotRow {
  std::atomic<std::uint32_t> module;  ///< ModuleRow::number that may write there; 0: free
  std::uint32_t device;               ///< from 1; 0: not known
};

struct SharedMemory {
  std::uint32_t version;
  std::int32_t driver_version;  ///< 13000; 0: not told
  std::atomic<std::uint32_t> modules, kernels, errors, text_used;
  std::uint32_t devices;
  std::uint32_t capabilities[max_devices];   ///< 90
  std::int32_t device_handles[max_devices];  ///< CUdevice
  TextPlace device_names[max_devices];
  // Things that found no room in these tables, and launches of kernels that did not.
  std::atomic<std::uint32_t> dropped_modules, dropped_kernels, dropped_texts;
  std::atomic<std::uint64_t> dropped_launches;
  std::atomic<std::uint32_t> slots_used;  ///< the highest one, and one more
  std::atomic<std::uint32_t> unrecorded;  ///< modules in a context for which there was no slot
  std::atomic<std::uint64_t> launches, graph_launches;
  ModuleRow module_rows[max_modules];
  KernelRow kernel_rows[max_kernels];
  LaunchRow launch_rows[max_launches];
  ErrorRow error_rows[max_errors];
  SlotRow slots[max_slots];
  char text[text_bytes];
  alignas(4096) std::byte records[max_slots][analysis::record::bytes];
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free && sizeof(std::atomic<std::uint64_t>) == 8);
static_assert(analysis::record::bytes == 4096);

enum class MessageKind : std::uint32_t { hello = 1, load, notice, reply };

struct Hello {
  MessageKind kind;
  std::uint32_t version;
  std::int64_t pid;
  char prefix[48];    ///< of file names: digits, a to f and '-'
  char program[512];  ///< path of the executable, cut off there
};

struct Load {
  MessageKind kind;
  char prefix[48];  ///< as of Hello
  std::uint32_t module;
  ImageForm form;
  std::uint32_t devices;
  std::uint32_t capabilities[max_devices];
  std::uint32_t
      wants_text;  ///< 1: the PTX, too, where there is nothing to record (it is going to be linked with others)
  std::uint64_t bytes;
  char triton_cache[512];  ///< of machine code: a folder to look for its PTX; empty: none
};

/// There is something to see in the shared memory.
struct Notice {
  MessageKind kind;
};

struct LoadReply {
  MessageKind kind;
  std::uint32_t module;
  std::uint32_t replaced;  ///< 1: there is an answer file
};

/// How an answer file starts. Then for each kernel: KernelHeader, its name, and ParameterHeader each; the text of the
/// module, NUL at the end, stands at `text_at`.
struct Answer {
  std::uint32_t version;
  std::uint32_t kernels;
  std::uint64_t text_at, text_size;  ///< the size without the NUL
  char record_name[128];             ///< empty: nothing is recorded
  std::uint32_t max_registers;       ///< what the image says for its compiler; 0: nothing
  std::int32_t optimization;         ///< 0 to 4; -1: nothing
};
struct KernelHeader {
  std::uint32_t name_length, bytes, parameters;
};
struct ParameterHeader {
  std::uint32_t offset, size;
};

}  // namespace ptxscope::run
