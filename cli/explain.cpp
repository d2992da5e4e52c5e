// ptxscope explain: what a word of PTX is and what it needs, by the tables.
#include <algorithm>

#include "cli/command.h"
#include "cli/help.h"
#include "isa/targets.h"
#include "report/explain_instruction.h"

namespace ptxscope::cli {

namespace {

using report::WordKind;
using report::WordMeaning;

// Everything that `word` is. Views into `word`.
std::vector<WordMeaning> meanings_of(std::string_view word) {
  std::vector<WordMeaning> meanings;
  if (isa::find_special_register(word.substr(0, word.find('.'))) != nullptr) {
    meanings.push_back({WordKind::special_register, word.substr(0, word.find('.'))});
    return meanings;
  }
  if (isa::find_target(word)) meanings.push_back({WordKind::target, word});
  if (isa::parse_version(word)) meanings.push_back({WordKind::version, word});
  if (!word.starts_with('.')) {
    // With no row and unknown words it is a slip: "wgmma.mma_asink".
    const isa::OpcodeDescription opcode = isa::describe_opcode(word);
    const bool is_opcode = !opcode.mnemonic.empty() && (opcode.meant.row != nullptr || opcode.unknown_words.empty());
    if (is_opcode) meanings.push_back({WordKind::opcode, word});
  }
  const auto features = isa::features();
  if (std::ranges::find(features, word, &isa::Feature::tag) != features.end())
    meanings.push_back({WordKind::feature, word});
  const auto directives = isa::directives();
  if (std::ranges::find(directives, word, &isa::Directive::name) != directives.end())
    meanings.push_back({WordKind::directive, word});
  const std::string_view modifier = word.starts_with('.') ? word.substr(1) : word;
  const bool is_modifier = !isa::mnemonics_with(modifier).empty() || !isa::clauses_naming(modifier).empty();
  if (is_modifier && (meanings.empty() || word.starts_with('.'))) meanings.push_back({WordKind::modifier, modifier});
  return meanings;
}

// Without what stands around it in a line of PTX.
std::string_view trimmed(std::string_view word) {
  while (word.ends_with(';') || word.ends_with(' ')) word.remove_suffix(1);
  while (word.starts_with(' ')) word.remove_prefix(1);
  return word;
}

std::string suggestion_for(const std::string& word) {
  const std::string guess = nearest(word, isa::known_names());
  return guess.empty() ? "" : "; did you mean " + guess + "?";
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
          if (!found.empty() && isa::describe_opcode(trimmed(given)).unknown_words.empty()) continue;
          if (!found.empty()) {
            run.object();
            continue;
          }
          run.warn(given + ": not a word of PTX that is known" + suggestion_for(std::string(trimmed(given))));
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
