// Whether a header, with what reads it and what it is to run on, fits what the module needs.
#include <algorithm>
#include <map>
#include <utility>

#include "analysis/check.h"
#include "analysis/check_header.h"
#include "isa/devices.h"
#include "isa/releases.h"

namespace ptxscope::analysis {

namespace {

using isa::Target;
using isa::TargetIndex;
using isa::Version;

std::string dotted(const Target& target) { return ".target " + std::string(target.name); }
std::string numbered(Version version) { return "PTX ISA " + isa::to_string(version); }

std::string name_of(const CheckedDevice& device) {
  std::string text = "compute capability " + isa::capability_of(device.number);
  if (!device.name.empty()) text = device.name + ", " + text;
  return text;
}

std::string sentence_on(const Target& target) {
  std::string text = dotted(target);
  switch (target.suffix) {
    case 'a':
      text += " is code for one architecture: it runs on compute capability ";
      break;
    case 'f':
      text += " is code for a family: it runs on compute capability ";
      break;
    default:
      text += " is base code: it runs on compute capability ";
      break;
  }
  return text + isa::describe_devices(target);
}

class HeaderFit {
 public:
  HeaderFit(const Module& module, const ModuleRequirement& requirement, std::span<const FeatureNeed> needs,
            const CheckQuestion& question)
      : module_(module), requirement_(requirement), needs_(needs), question_(question) {
    fit_.target = question.target ? question.target : declared_target(module);
    fit_.version = question.version ? question.version : declared_version(module);
    wish_ = {fit_.target, fit_.version, isa::never, question.devices};
    for (const Reader& reader : question.readers) wish_.highest = std::min(wish_.highest, reader.highest);
    choice_ = best_header(requirement, wish_);
    const bool is_bound = !question.readers.empty();
    const bool is_placed = !question.devices.empty();
    with_other_reader_ = is_bound ? best_header(requirement, without_readers()) : std::nullopt;
    with_other_device_ = is_placed ? best_header(requirement, without_devices(wish_)) : std::nullopt;
    with_any_ = is_bound || is_placed ? best_header(requirement, without_devices(without_readers())) : choice_;
  }

  Fit run() {
    look_at_header();
    for (const Reader& reader : question_.readers) look_at_reader(reader);
    for (const CheckedDevice& device : question_.devices) look_at_device(device);
    if (fit_.target) {
      for (const FeatureNeed& need : needs_) look_at_need(need);
      for (const Reason& reason : requirement_.removed) look_at_removed(reason);
      for (const Reason& reason : requirement_.advised) look_at_advice(reason);
    }
    explain();
    const auto by_place = [](const Problem& a, const Problem& b) {
      return a.diagnostic.span.begin < b.diagnostic.span.begin;
    };
    std::stable_sort(fit_.problems.begin(), fit_.problems.end(), by_place);
    std::stable_sort(fit_.advice.begin(), fit_.advice.end(), by_place);
    return std::move(fit_);
  }

 private:
  [[nodiscard]] const Target& target() const { return isa::targets()[*fit_.target]; }

  // ---- Words that several messages share -------------------------------------------------------------------------------

  Problem& add(std::vector<Problem>& list, Level level, std::string rule, Span span, std::string message,
               std::string remedy) {
    Problem problem;
    problem.diagnostic = {level, std::move(rule), span, std::move(message), std::move(remedy), {}};
    problem.places.push_back(span);
    list.push_back(std::move(problem));
    return list.back();
  }
  Problem& add_error(std::string rule, Span span, std::string message, std::string remedy) {
    return add(fit_.problems, Level::error, std::move(rule), span, std::move(message), std::move(remedy));
  }

  // The header's line, or the beginning of the text where it has none.
  [[nodiscard]] Span place_of(Span span) const {
    if (!span.empty()) return span;
    const Span other = module_.header().version_span;
    return other.empty() ? Span{0, 1} : other;
  }
  [[nodiscard]] Span target_place() const { return place_of(module_.header().target_span); }
  [[nodiscard]] Span version_place() const { return place_of(module_.header().version_span); }

  void note_target(Problem& problem) const {
    const Header& header = module_.header();
    if (question_.target) problem.diagnostic.notes.push_back({{}, "asked for: " + dotted(target())});
    else problem.diagnostic.notes.push_back({header.target_span, "the module says " + dotted(target())});
  }
  void note_version(Problem& problem) const {
    if (!fit_.version) return;
    const std::string text = ".version " + isa::to_string(*fit_.version);
    if (question_.version) problem.diagnostic.notes.push_back({{}, "asked for: " + text});
    else problem.diagnostic.notes.push_back({module_.header().version_span, "the module says " + text});
  }

  // What is written at the first place, where that is short; else what people call it.
  [[nodiscard]] std::string subject_of(const FeatureNeed& need) const {
    const std::string_view text = module_.text(need.places.front());
    constexpr std::size_t longest = 40;
    // Of a directive the first word is written there, and the need may be that of an option.
    const bool says_less = need.name.size() > text.size() && need.name.starts_with(text);
    return says_less || text.size() > longest ? need.name : std::string(text);
  }
  // " (warpgroup matrix multiply)", where the subject does not say that.
  [[nodiscard]] std::string in_words(const FeatureNeed& need) const {
    const std::string subject = subject_of(need);
    const std::string_view first_word = std::string_view(need.name).substr(0, need.name.find(' '));
    return subject.starts_with(first_word) ? "" : " (" + need.name + ")";
  }

  [[nodiscard]] HeaderWish without_readers() const {
    HeaderWish wish = wish_;
    wish.highest = isa::never;
    return wish;
  }
  [[nodiscard]] static HeaderWish without_devices(HeaderWish wish) {
    wish.devices = {};
    return wish;
  }

  // The change of header that makes all of the module fit; empty: there is none.
  [[nodiscard]] std::string change() const { return choice_ ? describe_change(*choice_, wish_) : std::string(); }

  // The same, or the nearest to it: with another reader, on another device, with both.
  [[nodiscard]] std::string change_or_nearest() const {
    for (const auto* choice : {&choice_, &with_other_reader_, &with_other_device_, &with_any_})
      if (*choice) return describe_change(**choice, wish_);
    return "no .target and .version take all of this module: split it, or take these lines out";
  }

  // ---- The header --------------------------------------------------------------------------------------------------------

  void look_at_header() {
    const Header& header = module_.header();
    if (!fit_.version && (header.version_major != 0 || header.version_minor != 0)) look_at_unknown_version();
    if (!fit_.target && !header.targets.empty()) {
      add_error("PTX-TARGET", target_place(), "there is no .target " + std::string(header.targets.back()),
                change_or_nearest());
    }
    if (fit_.target && fit_.version && *fit_.version < target().lowest) {
      const bool keeps_target = choice_ && choice_->target == *fit_.target;
      const bool own_way = keeps_target || (!question_.target && with_any_);
      Problem& problem = add_error("PTX-ISA", question_.target ? version_place() : target_place(),
                                   dotted(target()) + " needs " + numbered(target().lowest),
                                   own_way ? change_or_nearest() : raise_to_target());
      note_version(problem);
      if (question_.target) note_target(problem);
    }
  }

  // The version alone, where other errors stand in the way of more.
  [[nodiscard]] std::string raise_to_target() const {
    const Version version = target().manual.value_or(target().lowest);
    return "write .version " + isa::to_string(version) + "; " + first_reader(version);
  }

  void look_at_unknown_version() {
    const Header& header = module_.header();
    const std::string number = std::to_string(header.version_major) + "." + std::to_string(header.version_minor);
    const Version newest = isa::versions().back();
    if (!header.at_least(newest.major_number(), newest.minor_number())) {
      add_error("PTX-ISA", version_place(),
                "there is no PTX ISA " + number + " (known: 1.0 to " + isa::to_string(newest) + ")",
                change_or_nearest());
      return;
    }
    std::string remedy = "use a newer ptxscope, which knows it";
    if (with_any_) {
      const std::string nearest = change_or_nearest();
      remedy += "; or " + nearest.substr(0, nearest.find(';')) + ", which has all that is known of this code";
    }
    add_error("PTX-ISA", version_place(),
              "PTX ISA " + number + " is newer than what is known here (1.0 to " + isa::to_string(newest) + ")",
              std::move(remedy));
  }

  // ---- What reads it -----------------------------------------------------------------------------------------------------

  void look_at_reader(const Reader& reader) {
    if (fit_.version && *fit_.version > reader.highest) {
      std::string message = "the module says .version " + isa::to_string(*fit_.version) + "; " + reader.name +
                            " takes PTX up to " + isa::to_string(reader.highest) +
                            (reader.is_driver ? ": CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222)" : "");
      // Nothing in the code asks for the newer version, or it does and the reader must change.
      const auto& lower = choice_ || with_other_reader_ ? choice_ : with_other_device_;
      std::string remedy =
          lower ? describe_change(*lower, wish_) + "; nothing in the code needs more" : needed_reader(reader);
      if (question_.version) message.replace(0, std::string_view("the module says").size(), "asked for:");
      add_error("PTX-ISA", version_place(), std::move(message), std::move(remedy));
    }
    if (!fit_.target) return;
    for (const FeatureNeed& need : needs_) {
      const Version lowest = std::max(need.requirement.lowest[*fit_.target], target().lowest);
      if (lowest == isa::never || lowest <= reader.highest || need.places.empty()) continue;
      if (lowest == target().lowest) continue;
      Problem& problem = add_error("PTX-ISA", need.places.front(),
                                   subject_of(need) + " needs " + numbered(lowest) + in_words(need) + "; " +
                                       reader.name + " takes PTX up to " + isa::to_string(reader.highest),
                                   needed_reader(reader));
      take_places(problem, need.places, need.count);
      reported_.push_back(&need);
    }
    if (target().lowest <= reader.highest) return;
    std::string message = dotted(target()) + " needs " + numbered(target().lowest);
    if (fit_.version && *fit_.version > reader.highest) {
      // Said of the version already; this is why a lower one alone will not do.
      for (Problem& problem : fit_.problems)
        if (problem.diagnostic.span == version_place())
          problem.diagnostic.notes.push_back({question_.target ? Span{} : target_place(), std::move(message)});
      return;
    }
    message += "; " + reader.name + " takes PTX up to " + isa::to_string(reader.highest);
    add_error("PTX-ISA", target_place(), std::move(message), choice_ ? change() : needed_reader(reader));
  }

  // What the reader must be for all of the module, with this target where that can be.
  [[nodiscard]] std::string needed_reader(const Reader& reader) const {
    const auto& choice = with_other_reader_ ? with_other_reader_ : with_any_;
    if (choice && choice->target != fit_.target) {
      const Version lowest =
          version_for(requirement_, choice->target, std::nullopt, isa::never).value_or(choice->version);
      const isa::Release* const first = isa::first_release_with(lowest);
      if (first != nullptr)
        return "use " + words_for(*first, reader) + " with .version " + isa::to_string(lowest) + " and " +
               dotted(isa::targets()[choice->target]);
    }
    const Version own = fit_.version.value_or(isa::never);
    Version needed = fit_.target ? requirement_.needed.lowest[*fit_.target] : own;
    if (needed == isa::never) needed = own;
    const isa::Release* const release = isa::first_release_with(needed);
    if (release == nullptr) return "no release of CUDA is known to take " + numbered(needed);
    std::string text = "use " + words_for(*release, reader);
    if (!fit_.version || needed >= own) return text;
    text += " with .version " + isa::to_string(needed);
    const isa::Release* const later = isa::first_release_with(own);
    if (later != nullptr) text += ", or " + words_for(*later, reader) + " as it is";
    return text;
  }
  [[nodiscard]] static std::string words_for(const isa::Release& release, const Reader& reader) {
    if (reader.is_driver && release.branch != 0) return "a driver " + isa::describe_driver(release);
    return isa::name_of(release) + " or later";
  }

  // ---- What it is to run on ----------------------------------------------------------------------------------------------

  void look_at_device(const CheckedDevice& device) {
    if (!fit_.target || isa::runs_on(target(), device.number)) return;
    Problem& problem = add_error("PTX-TARGET", target_place(),
                                 dotted(target()) + " does not run on " + name_of(device) +
                                     ": the driver refuses it (CUDA_ERROR_INVALID_PTX, 218; out of a fat binary "
                                     "\"no kernel image is available\", 209)",
                                 change());
    problem.diagnostic.notes.push_back({{}, sentence_on(target())});
    if (!problem.diagnostic.remedy.empty()) return;
    if (with_other_reader_) {
      problem.diagnostic.remedy = describe_change(*with_other_reader_, wish_);
      return;
    }
    // The lines that keep it from running there whatever the header says.
    isa::TargetSet usable;
    for (std::size_t i = 0; i < isa::targets().size(); ++i)
      if (isa::runs_on(isa::targets()[i], device.number)) usable.add(static_cast<TargetIndex>(i));
    for (const FeatureNeed& need : needs_) {
      if ((need.requirement.targets().bits & usable.bits) != 0 || need.places.empty()) continue;
      problem.diagnostic.notes.push_back(
          {need.places.front(), need.name + " exists on " + isa::describe(need.requirement.targets())});
    }
    const auto& elsewhere = with_other_device_ ? with_other_device_ : with_any_;
    problem.diagnostic.remedy = elsewhere
                                    ? "no .target that runs there has all of this code; it needs a device of compute "
                                      "capability " +
                                          isa::describe_devices(isa::targets()[elsewhere->target])
                                    : change_or_nearest();
  }

  // ---- What the code needs -----------------------------------------------------------------------------------------------

  void look_at_need(const FeatureNeed& need) {
    if (need.places.empty()) return;
    const Version lowest = need.requirement.lowest[*fit_.target];
    if (lowest == isa::never) {
      add_missing(need);
    } else if (fit_.version && lowest > *fit_.version && lowest > target().lowest) {
      if (std::find(reported_.begin(), reported_.end(), &need) != reported_.end()) return;
      Problem& problem = add_error("PTX-ISA", need.places.front(),
                                   subject_of(need) + " needs " + numbered(lowest) + needed_on(need) + in_words(need),
                                   change_or_nearest());
      note_version(problem);
      take_places(problem, need.places, need.count);
    }
  }

  // Where the version is the target's: FP8 conversions need 8.1 on sm_89, 7.8 elsewhere.
  [[nodiscard]] std::string needed_on(const FeatureNeed& need) const {
    return need.requirement.lowest_version() == need.requirement.lowest[*fit_.target] ? ""
                                                                                      : " with " + dotted(target());
  }

  void add_missing(const FeatureNeed& need) {
    const isa::TargetSet set = need.requirement.targets();
    if (set.empty()) {
      Problem& problem = add_error("PTX-ILLEGAL", need.places.front(), need.name,
                                   "no .target and .version take this: write another form of it, or leave it out");
      take_places(problem, need.places, need.count);
      return;
    }
    Problem& problem = add_error("PTX-TARGET", need.places.front(),
                                 subject_of(need) + " needs .target " + isa::describe(set) + in_words(need), "");
    note_target(problem);
    take_places(problem, need.places, need.count);
    std::string& remedy = problem.diagnostic.remedy;
    constexpr std::string_view option = ".target ";
    if (need.name.starts_with(option)) {
      remedy = "leave " + need.name.substr(option.size()) + " out of .target";
      if (choice_ && !question_.target) remedy += "; or " + change();
    } else if (!choice_) {
      remedy = change_or_nearest();
      note_conflict(problem, need);
    } else if (question_.target && !choice_->same_devices) {
      const Target& other = isa::targets()[choice_->target];
      remedy = "no .target that runs on compute capability " + isa::capability_of(target().number) +
               " has all of this code: take these lines out, or stay with " + dotted(other);
    } else {
      remedy = change();
    }
  }

  // Another need that no target shares with this one.
  void note_conflict(Problem& problem, const FeatureNeed& need) const {
    const isa::TargetSet set = need.requirement.targets();
    for (const FeatureNeed& other : needs_) {
      const isa::TargetSet others = other.requirement.targets();
      if (others.empty() || (others.bits & set.bits) != 0 || other.places.empty()) continue;
      problem.diagnostic.notes.push_back(
          {other.places.front(), "no .target has both: " + other.name + " needs .target " + isa::describe(others)});
      return;
    }
  }

  void look_at_removed(const Reason& reason) {
    if (!fit_.version || reason.places.empty()) return;
    const Version last = reason.clause->requirement.lowest[*fit_.target];
    if (last == isa::never || *fit_.version <= last) return;
    std::string remedy(reason.clause->text);
    if (const std::string header = change(); !header.empty()) remedy += (remedy.empty() ? "" : "; or ") + header;
    const std::string_view written = module_.text(reason.places.front());
    constexpr std::size_t longest = 60;
    std::string message(written.size() <= longest ? written : reason.clause->head);
    message += ": PTX ISA " + isa::to_string(last) + " is the last that takes it" +
               (is_everywhere(reason.clause->requirement) ? "" : " with " + dotted(target()));
    Problem& problem = add_error("PTX-REMOVED", reason.places.front(), std::move(message), std::move(remedy));
    note_version(problem);
    take_places(problem, reason.places, reason.count);
  }

  [[nodiscard]] static bool is_everywhere(const isa::Requirement& requirement) {
    const auto count = static_cast<std::ptrdiff_t>(isa::targets().size());
    return std::adjacent_find(requirement.lowest.begin(), requirement.lowest.begin() + count, std::not_equal_to<>()) ==
           requirement.lowest.begin() + count;
  }

  void look_at_advice(const Reason& reason) {
    if (!reason.clause->targets.has(*fit_.target) || reason.places.empty()) return;
    Problem& problem =
        add(fit_.advice, Level::warning, "PTX-ADVICE", reason.places.front(), std::string(reason.clause->text), "");
    take_places(problem, reason.places, reason.count);
  }

  void take_places(Problem& problem, const std::vector<Span>& places, std::uint32_t count) const {
    problem.places = places;
    problem.count = count;
    const std::string_view text = module_.text(places.front());
    if (problem.diagnostic.message.starts_with(text)) problem.quoted = places.front().size();
  }

  // ---- Where it runs -----------------------------------------------------------------------------------------------------

  void explain() {
    if (!fit_.target) return;
    fit_.explanations.push_back(sentence_on(target()));
    const auto own = declared_target(module_);
    if (!question_.target || !own || own == fit_.target) return;
    const Target& declared = isa::targets()[*own];
    const bool runs = isa::runs_on(declared, target().number);
    fit_.explanations.push_back(dotted(declared) + ", which the module says, runs on compute capability " +
                                isa::describe_devices(declared) + ": " + (runs ? "also" : "not") + " on " +
                                isa::capability_of(target().number));
  }

  const Module& module_;
  const ModuleRequirement& requirement_;
  std::span<const FeatureNeed> needs_;
  const CheckQuestion& question_;
  Fit fit_;
  HeaderWish wish_;
  std::optional<HeaderChoice> choice_;             // fits all that is asked
  std::optional<HeaderChoice> with_other_reader_;  // fits all but what reads it
  std::optional<HeaderChoice> with_other_device_;  // fits all but where it is to run
  std::optional<HeaderChoice> with_any_;           // fits neither, perhaps
  std::vector<const FeatureNeed*> reported_;       // by a reader, which says more
};

}  // namespace

Fit fit_header(const Module& module, const ModuleRequirement& requirement, std::span<const FeatureNeed> needs,
               const CheckQuestion& question) {
  return HeaderFit(module, requirement, needs, question).run();
}

}  // namespace ptxscope::analysis
