// ptxscope explain: what a word of PTX is and what it needs, by the tables.
#include <algorithm>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/suggest.h"
#include "isa/targets.h"
#include "report/explain_instruction.h"

namespace ptxscope::cli {

namespace {

using report::WordKind;
using report::WordMeaning;

// The words of `.x`; of `x` where nothing else is called that. Views into `word` and into the tables.
void add_dotted(std::vector<WordMeaning>& meanings, std::string_view word) {
  const bool is_modifier = !isa::mnemonics_with(word).empty();
  if (is_modifier) meanings.push_back({WordKind::modifier, word});
  for (const isa::Directive& directive : isa::directives())
    if (directive.name.starts_with('.') && directive.name.substr(1) == word) {
      const WordMeaning meaning{WordKind::directive, directive.name};
      // First what may be written.
      const bool is_legal = !isa::requirement_of({directive.name, {}, {}}).targets().empty();
      meanings.insert(is_legal ? meanings.end() - (is_modifier ? 1 : 0) : meanings.end(), meaning);
    }
  if (!isa::options_named(word).empty()) meanings.push_back({WordKind::option, word});
}

// Everything that `word` is. Views into `word` and into the tables.
std::vector<WordMeaning> meanings_of(std::string_view word) {
  std::vector<WordMeaning> meanings;
  if (isa::find_special_register(word.substr(0, word.find('.'))) != nullptr) {
    meanings.push_back({WordKind::special_register, word.substr(0, word.find('.'))});
    return meanings;
  }
  if (isa::find_target(word)) meanings.push_back({WordKind::target, word});
  if (isa::parse_version(word)) meanings.push_back({WordKind::version, word});
  if (!word.starts_with('.') && !word.ends_with('.') && word.find("..") == std::string_view::npos) {
    // With no row and unknown words it is a slip: "wgmma.mma_asink".
    const isa::OpcodeDescription opcode = isa::describe_opcode(word);
    const bool is_opcode = !opcode.mnemonic.empty() && (opcode.meant.row != nullptr || opcode.unknown_words.empty());
    if (is_opcode) meanings.push_back({WordKind::opcode, word});
  }
  const auto features = isa::features();
  if (std::ranges::find(features, word, &isa::Feature::tag) != features.end())
    meanings.push_back({WordKind::feature, word});
  const auto directives = isa::directives();
  if (!word.starts_with('.') && std::ranges::find(directives, word, &isa::Directive::name) != directives.end())
    meanings.push_back({WordKind::directive, word});
  if (word.starts_with('.')) add_dotted(meanings, word.substr(1));
  else if (meanings.empty()) add_dotted(meanings, word);
  return meanings;
}

// The opcode or the word alone of what may be copied from a line of PTX: "@%p bra.uni L;".
std::string_view trimmed(std::string_view word) {
  constexpr std::string_view blank = " \t\r\n";
  const auto skip_blank = [&] { word.remove_prefix(std::min(word.find_first_not_of(blank), word.size())); };
  skip_blank();
  if (word.starts_with('@') && !word.starts_with("@@")) {
    word.remove_prefix(std::min(word.find_first_of(blank), word.size()));
    skip_blank();
  }
  word = word.substr(0, word.find_first_of(blank));
  while (word.ends_with(';') || word.ends_with(',')) word.remove_suffix(1);
  return word;
}

// Why it is not known, and what may be meant.
std::string not_known(std::string_view word) {
  if (looks_like_target(word))
    return "there is no such target" + suggest_target(word) + " (ptxscope targets lists all)";
  if (!word.empty() && word.find_first_not_of("0123456789.") == std::string_view::npos)
    return "there is no such PTX ISA version" + suggest_version(word);
  const std::string guess = nearest(word, isa::known_names());
  return "not a word of PTX that is known" + (guess.empty() ? "" : "; did you mean " + guess + "?");
}

}  // namespace

void add_explain(Program& program) {
  const auto all = std::make_shared<bool>(false);
  CLI::App& app = program.add(
      {.name = "explain",
       .summary = "what an instruction, modifier, directive, special register, feature, target or version is and needs",
       .formats = {"text", "json"},
       .examples = {"ptxscope explain wgmma.mma_async", "ptxscope explain add.rn.bf16x2 %clock64 .maxntid",
                    "ptxscope explain tma", "ptxscope explain .multicast::cluster", "ptxscope explain sm_120a 8.7"},
       .words = "WORD..."},
      [all](Run& run) {
        if (run.options().words.empty()) {
          run.fail(
              "no word given; name an instruction, a directive, a target, … (ptxscope explain --help shows examples)");
          return;
        }
        std::vector<WordMeaning> meanings;
        for (const std::string& given : run.options().words) {
          const auto found = meanings_of(trimmed(given));
          meanings.insert(meanings.end(), found.begin(), found.end());
          for (const WordMeaning& meaning : found) {
            if (meaning.kind != WordKind::opcode) continue;
            const isa::OpcodeDescription opcode = isa::describe_opcode(meaning.word);
            if (!opcode.unknown_words.empty() || opcode.no_form_fits) run.object();
          }
          if (!found.empty()) continue;
          run.warn(given + ": " + not_known(trimmed(given)));
          run.object();
        }
        std::string text;
        for (const WordMeaning& meaning : meanings)
          text += (text.empty() ? "" : "\n") + report::explain_text(meaning, {run.style(), *all});
        if (run.is_json()) text = report::explain_json(meanings);
        run.add_document(std::move(text));
      });
  app.add_flag("--all", *all, "all forms and all lines of the table, not the first few");
}

}  // namespace ptxscope::cli
