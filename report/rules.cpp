#include "report/rules.h"

#include <algorithm>
#include <iterator>

namespace ptxscope::report {

namespace {

constexpr Rule rule_table[] = {
    {"PTX-ISA", "PtxIsaVersion", Level::error, "needs a newer PTX ISA version",
     "The .version of the header, or what reads the text, is older than the line needs. Write the .version that the "
     "message names; a driver that is older than that version refuses the module with "
     "CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222), so use the CUDA release and driver that it names, or newer ones."},
    {"PTX-TARGET", "PtxTarget", Level::error, "needs another .target",
     "The .target of the header does not have what the line uses, or its code does not run on the device. Base targets "
     "(sm_90) run on every later device, family targets (sm_100f) on later devices of their family, architecture "
     "targets (sm_90a) on their own device only; a higher number does not have all that a lower one has."},
    {"PTX-REMOVED", "RemovedSpelling", Level::error, "is not taken by later PTX ISA versions",
     "Later PTX ISA versions refuse this spelling. Write what replaces it, or keep a .version that still takes it."},
    {"PTX-ILLEGAL", "IllegalCombination", Level::error, "is not legal on any target",
     "No target takes this combination of instruction and modifiers at any PTX ISA version."},
    {"PTX-ADVICE", "RecommendedTarget", Level::warning, "works, but is not recommended on this target",
     "ptxas takes the line and prints an advisory: the PTX manual recommends another target or spelling for speed or "
     "for the future. It does not require it."},
    {"PTX-UNKNOWN", "UnknownInstruction", Level::warning, "is not known",
     "The instruction or modifier is not in the tables of this version of ptxscope, so nothing is said of what it "
     "needs. A misspelt one is refused by ptxas; a newer one may need a newer ptxscope."},
    {"PTX-MODIFIER", "UnknownModifier", Level::error, "is no modifier of this instruction",
     "The instruction has no such modifier in any PTX ISA version known."},
    {"PTX-SYNTAX", "Syntax", Level::error, "does not parse",
     "The statement is not PTX syntax. Reading goes on with the next statement."},
    {"PTX-LEX", "Token", Level::error, "is no token of PTX", "These characters are no word, number or sign of PTX."},
    {"PTX-HEADER", "Header", Level::error, "is no proper header",
     "A module begins with .version, then .target, then .address_size (PTX ISA 11.1)."},
    {"PTX-PLACE", "Place", Level::error, "does not belong here",
     "The statement may not stand here: instructions stand in function bodies, functions at module level."},
    {"PTX-SCOPE", "Scope", Level::error, "has unbalanced braces", "An opening or closing brace has no partner."},
    {"PTX-LIMIT", "Limit", Level::error, "is larger than is read", "The text goes over a limit of ptxscope or PTX."},
    {"PTX-EMPTY", "EmptyStatement", Level::warning, "is an empty statement", "ptxas refuses a ';' that ends nothing."},
    {"PTX-LINE", "LineMarker", Level::warning, "is no line directive", "ptxas refuses lines with '#' of another form."},
    {"PTX-DIRECTIVE", "UnknownDirective", Level::warning, "is a directive that is not known",
     "The directive is not in the tables of this version of ptxscope; nothing is said of what it needs."},
    {"PTX-ADDRESS", "Address", Level::warning, "is an address of unusual form",
     "The address is read, but ptxas may not take its form."},
    {"PTX-UNDECLARED", "Undeclared", Level::error, "is not declared", "The name is used and not declared before it."},
    {"PTX-REDECLARED", "Redeclared", Level::error, "is declared twice", "The name has two declarations that differ."},
    {"PTX-LABEL", "Label", Level::error, "is no label to branch to",
     "A branch or a table of branch targets names what is no label of its function."},
    {"PTX-OPERANDS", "Operands", Level::error, "has operands that do not go with it",
     "Number or kind of the operands do not go with the instruction."},
    {"PTX-TYPE", "OperandType", Level::error, "has an operand of the wrong type",
     "The type of a register or variable does not go with the instruction's."},
};

}  // namespace

std::span<const Rule> rules() { return rule_table; }

const Rule* find_rule(std::string_view id) {
  const auto* const found = std::ranges::find(rule_table, id, &Rule::id);
  return found == std::end(rule_table) ? nullptr : found;
}

}  // namespace ptxscope::report
