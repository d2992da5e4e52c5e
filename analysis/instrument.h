// Instrumenting: before each trap and failing call of a module, code that notes where, in which thread and with which
// values it happened (`ptxscope run`). Only text is added, at those places and at the ends of things: no instruction
// more runs where nothing traps, and a module whose record address is never set traps as it would have.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/record.h"
#include "analysis/traps.h"
#include "parser/module.h"

namespace ptxscope::analysis {

/// A value that the record holds.
struct RecordedValue {
  std::uint32_t slot = 0;  ///< of the record's values
  unsigned bits = 0;       ///< 1, 8 … 64; the rest of the slot is zero
  Type type = Type::none;  ///< of the compare, or of the load
  ExprId expr{};           ///< in terms of the parameters of the site's own function (TrapReport::pool)
};

/// One edge into the site, in terms of the site's own function.
struct SiteWay {                    ///< one edge
  std::uint32_t branch = no_index;  ///< statement; no_index: nothing decides it
  bool negated = false;             ///< the edge is taken when the predicate is false
  ExprId condition{};               ///< 1 bit: of this edge
  ExprId path{};                    ///< from the function's entry, condition included
};

/// Which trap of explain-trap a site is: one for each kernel that reaches it, and way by way.
struct SiteTrap {
  std::uint32_t entry = 0;  ///< index into TrapReport::functions
  std::uint32_t trap = 0;   ///< index into FunctionTraps::traps
  /// For each way of the site, the ways of that trap that it may be (several: by different call paths).
  std::vector<std::vector<std::uint32_t>> ways;
};

/// A place where a record is written.
struct Site {
  std::uint32_t number = 0;            ///< from 1; in the record
  std::uint32_t function = 0;          ///< index into Module::functions
  std::uint32_t statement = no_index;  ///< the trap, or the call that fails
  TrapKind kind = TrapKind::trap;      ///< as explain-trap has it: trap, assert_call or noreturn_call
  std::string callee;                  ///< of calls
  std::vector<SiteWay> ways;           ///< the edges that lead there; empty: explain-trap gave up on it
  /// Those that conditions need and that are not known from the parameters, the thread and each other.
  std::vector<RecordedValue> values;
  std::vector<SiteTrap> traps;  ///< empty: explain-trap gave up on the way there
  /// The record holds all of the kernel's parameters: the site stands in the kernel itself, and they are not too many.
  bool has_parameters = false;
  std::vector<std::string> notes;  ///< what could not be recorded, and why
};

/// What was left as it was, and why: a function, or one trap of it.
struct LeftAlone {
  std::uint32_t function = no_index;   ///< no_index: the whole module
  std::uint32_t statement = no_index;  ///< no_index: all of the function
  std::string reason;                  ///< a sentence without a full stop
};

/// A piece of text that is put in, or takes the place of another.
struct InstrumentEdit {
  Span span;               ///< of the module's text; empty: only an insertion
  std::string after;       ///< what is put in its place
  std::uint32_t site = 0;  ///< Site::number; 0: a declaration, or code that sites share
};

/// Where the parameters of a kernel stand among its parameter bytes, as cuLaunchKernel's arguments are laid out.
struct ParameterBytes {
  std::uint32_t offset = 0;  ///< bytes from the start
  std::uint32_t size = 0;    ///< bytes
};
/// What cuLaunchKernel takes for a kernel, as one block of bytes.
struct KernelLayout {
  std::uint32_t function = 0;              ///< index into Module::functions
  std::string name;                        ///< as in the PTX
  std::uint32_t bytes = 0;                 ///< of all parameters, with the gaps between them
  std::vector<ParameterBytes> parameters;  ///< in their order
};

/// A module with code that records, and what is needed to read what it wrote. Refers to the Module by index and Span.
struct Instrumented {
  bool changed = false;               ///< false: `text` is the module's own, byte for byte
  std::string text;                   ///< what to load instead
  std::vector<InstrumentEdit> edits;  ///< in order of place
  std::string record_name;            ///< .u64 in global memory: address of the record, 0 until somebody sets it
  std::string claim_name;             ///< .u32 in global memory: who writes it
  std::string begin_name;             ///< called before values are written
  std::string finish_name;            ///< called behind them, before the trap
  std::uint32_t tag = 0;              ///< in the record
  std::vector<Site> sites;            ///< in order of number, which is that of the text
  std::vector<LeftAlone> left_alone;  ///< in order of place
  std::uint32_t beyond_limit = 0;     ///< how many of those for InstrumentOptions::max_sites
  std::vector<KernelLayout> kernels;  ///< of all entries, whether they have sites or not
  TrapReport report;                  ///< explain-trap's answer about the module as it was
};

/// What instrument() is to do.
struct InstrumentOptions {
  std::uint32_t max_sites = 4096;  ///< what comes after is left alone
  std::vector<std::string> names;  ///< as in TrapOptions; the text that is made does not depend on them
  StopFlag stop = nullptr;         ///< ends it early
};

/// Never fails: what is not understood is left as it was, and noted.
[[nodiscard]] Instrumented instrument(const Module& module, const InstrumentOptions& options = {});

/// Offsets and sizes of the parameters of each entry (alignment rules of PTX ISA 5.1.6: each at its own alignment).
[[nodiscard]] std::vector<KernelLayout> kernel_layouts(const Module& module);

/// What a record says, as numbers.
struct Record {
  bool whole = false;                ///< false: the writer did not come to its end
  const Site* site = nullptr;        ///< of the Instrumented it was decoded with
  std::optional<std::uint32_t> way;  ///< index into Site::ways, where the code noted it
  std::uint64_t grid_id = 0;         ///< %gridid: which launch it was, as the GPU counts
  /// The thread, and the launch's shape: blocks in the grid, threads in a block, by axis.
  ///@{
  std::array<std::uint32_t, 3> ctaid{};
  std::array<std::uint32_t, 3> tid{};
  std::array<std::uint32_t, 3> nctaid{};
  std::array<std::uint32_t, 3> ntid{};
  ///@}
  std::optional<std::array<std::uint32_t, 3>> clusterid;   ///< nullopt: the target has no clusters
  std::optional<std::array<std::uint32_t, 3>> nclusterid;  ///< likewise
  std::uint32_t laneid = 0;                                ///< lane in the warp
  std::uint32_t warpid = 0;                                ///< warp on the multiprocessor
  std::uint32_t smid = 0;                                  ///< multiprocessor
  /// By RecordedValue::slot; nullopt: not recorded.
  std::array<std::optional<std::uint64_t>, record::max_values> values;
  std::vector<std::byte> parameters;  ///< the kernel's parameter bytes, or the first of them; empty: not recorded
};

/// nullopt: nothing was recorded there (state 0), or it is not a record of that module; `why` then says which.
[[nodiscard]] std::optional<Record> decode_record(std::span<const std::byte> bytes, const Instrumented& instrumented,
                                                  std::string* why = nullptr);

/// Numbers for expressions, from what was recorded: the thread, the parameters (the record's, or `parameters` where these
/// are more), and the values. One per record; the Instrumented must outlive it.
class RecordNumbers {
 public:
  /// Expressions are in terms of `function`; no_index: of the site's own, and only then the values tell too.
  RecordNumbers(const Record& record, const Instrumented& instrumented, std::span<const std::byte> parameters = {},
                std::uint32_t function = no_index);
  /// nullopt: cannot be told.
  [[nodiscard]] std::optional<std::uint64_t> operator()(ExprId expr);

 private:
  [[nodiscard]] std::optional<std::uint64_t> leaf(ExprId expr) const;
  [[nodiscard]] std::optional<std::uint64_t> computed(ExprId expr) const;
  [[nodiscard]] std::optional<std::uint64_t> known(ExprId expr) const;
  const Record& record_;
  const ExprPool& pool_;
  std::span<const std::byte> parameters_;
  const KernelLayout* layout_ = nullptr;
  std::unordered_map<std::uint32_t, std::optional<std::uint64_t>> done_;
};

/// Which of the site's ways was taken: noted by the code, or told by the values, the thread and the parameters.
/// nullopt: cannot tell.
[[nodiscard]] std::optional<std::uint32_t> way_taken(const Record& record, RecordNumbers& numbers);

}  // namespace ptxscope::analysis
