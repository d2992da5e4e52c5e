// What the table says of instruction forms, for the comparison with ptxas (compare.py):
//
//   oracle_forms predict < modules.jsonl   each line {"id", "module"}: prints {"id", "by_target", "last", "unknown"}
//   oracle_forms examples LIMIT [HEAD…]    writes out the forms the table declares, {"id", "text", "module"} a line
//   oracle_forms variants COUNT SEED       spellings of known words that match no form (refusals.py), written the same
//   oracle_forms targets                   the targets and versions the table knows
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "analysis/checks.h"
#include "analysis/requirements.h"
#include "isa/form_match.h"
#include "isa/forms.h"

namespace {

using namespace ptxscope;
using Json = nlohmann::ordered_json;

// {"sm_90": "8.0"}, without the targets that never take it, or not any more when they come.
Json by_target(const isa::Requirement& requirement, const isa::Requirement& last) {
  Json result = Json::object();
  for (std::size_t i = 0; i < isa::targets().size(); ++i)
    if (requirement.lowest[i] != isa::never && requirement.lowest[i] <= last.lowest[i])
      result[std::string(isa::targets()[i].name)] = to_string(requirement.lowest[i]);
  return result;
}

int predict() {
  std::string line;
  while (std::getline(std::cin, line)) {
    const Json form = Json::parse(line);
    const Module module = parse(form.at("module").get<std::string>(), "form");
    const analysis::ModuleRequirement needed = analysis::requirements(module);
    Json answer;
    answer["id"] = form.at("id");
    answer["by_target"] = by_target(needed.needed, needed.last);
    answer["last"] = by_target(needed.last, needed.last);
    Json reasons = Json::array();
    for (const analysis::Reason& reason : needed.reasons)
      reasons.push_back(std::string(reason.clause->file) + ":" + std::to_string(reason.clause->line));
    answer["reasons"] = reasons;
    Json unknown = Json::array();
    for (const Diagnostic& one : needed.unknown) unknown.push_back(one.message);
    for (const Diagnostic& one : module.diagnostics())
      if (one.level == Level::error) unknown.push_back(one.message);
    answer["unknown"] = unknown;
    std::cout << answer.dump() << '\n';
  }
  return 0;
}

std::string module_of(const isa::Example& example) {
  std::string text = ".version @VERSION@\n.target @TARGET@\n";
  for (const std::string& line : example.module_lines) text += line + "\n";
  text += ".visible .entry k()\n{\n";
  for (const auto& reg : example.registers) text += ".reg ." + reg.type + " " + reg.name + ";\n";
  text += example.text + "\n";
  if (example.needs_label) text += "L0:\n";
  return text + "ret;\n}\n";
}

int examples(std::size_t limit, const std::vector<std::string>& heads) {
  for (const isa::Form& form : isa::forms()) {
    if (!heads.empty() && std::ranges::find(heads, form.head) == heads.end()) continue;
    std::size_t n = 0;
    for (const isa::Example& example : isa::examples_of(form, limit)) {
      Json line;
      line["id"] = std::string(form.file.substr(form.file.rfind('/') + 1)) + ":" + std::to_string(form.line) + ":" +
                   std::to_string(n++);
      line["text"] = example.text;
      line["module"] = module_of(example);
      std::cout << line.dump() << '\n';
    }
  }
  return 0;
}

// Forms with one word changed, left out or added. What no form has, ptxas should refuse.
int variants(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto pick = [&](std::size_t bound) { return static_cast<std::size_t>(random()) % bound; };
  const auto forms = isa::forms();
  std::set<std::string> seen;
  for (std::size_t tried = 0; tried < 20 * count && seen.size() < count; ++tried) {
    const isa::Form& form = forms[pick(forms.size())];
    std::vector<std::string_view> known;
    for (const isa::Form* other : isa::forms_of(form.head))
      for (const isa::FormSlot& slot : other->slots) known.insert(known.end(), slot.words.begin(), slot.words.end());
    const auto examples = isa::examples_of(form, 8);
    if (examples.empty() || known.empty()) continue;
    isa::Example example = examples[pick(examples.size())];
    const std::string opcode = example.text.substr(0, example.text.find_first_of(" ;"));
    std::vector<std::string_view> words;
    for (std::size_t dot = opcode.find('.'); dot != std::string::npos;) {
      const std::size_t next = opcode.find('.', dot + 1);
      words.push_back(std::string_view(opcode).substr(dot + 1, next == std::string::npos ? next : next - dot - 1));
      dot = next;
    }
    if (words.empty()) continue;
    const std::size_t at = pick(words.size());
    const std::string_view word = known[pick(known.size())];
    switch (pick(4)) {
      case 0:
        words.erase(words.begin() + static_cast<std::ptrdiff_t>(at));
        break;
      case 1:
        words.insert(words.begin() + static_cast<std::ptrdiff_t>(at), word);
        break;
      default:
        words[at] = word;
        break;
    }
    if (isa::match_forms(form.head, words).kind == isa::FormMatch::Kind::fits) continue;
    std::string changed(form.head);
    for (const std::string_view one : words) changed += "." + std::string(one);
    example.text = changed + example.text.substr(opcode.size());
    if (!seen.insert(example.text).second) continue;
    Json line;
    line["id"] = std::to_string(seen.size());
    line["text"] = example.text;
    line["module"] = module_of(example);
    std::cout << line.dump() << '\n';
  }
  return 0;
}

int list_targets() {
  Json result;
  for (const isa::Version version : isa::versions()) result["versions"].push_back(to_string(version));
  for (const isa::Target& target : isa::targets())
    result["targets"][std::string(target.name)] = to_string(target.lowest);
  std::cout << result.dump() << '\n';
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words[0] == "predict") return predict();
  if (words.size() >= 2 && words[0] == "examples")
    return examples(std::strtoul(words[1].c_str(), nullptr, 10), {words.begin() + 2, words.end()});
  if (words.size() == 3 && words[0] == "variants")
    return variants(std::strtoul(words[1].c_str(), nullptr, 10),
                    static_cast<std::uint32_t>(std::strtoul(words[2].c_str(), nullptr, 10)));
  if (!words.empty() && words[0] == "targets") return list_targets();
  std::cerr << "usage: oracle_forms predict | examples LIMIT [HEAD...] | variants COUNT SEED | targets\n";
  return 2;
}
