#include <algorithm>

#include "isa/lookup.h"
#include "tests/catch.h"

namespace isa = ptxscope::isa;

TEST_CASE("A whole opcode has its need, whatever the order of its modifiers") {
  for (const char* text : {"wgmma.fence.sync.aligned", "wgmma.aligned.fence.sync"}) {
    const isa::OpcodeDescription opcode = isa::describe_opcode(text);
    INFO(text);
    CHECK(opcode.is_complete);
    CHECK(opcode.unknown_words.empty());
    CHECK(isa::describe_total(opcode.needed) == "PTX ISA 8.0, sm_90a");
    REQUIRE(opcode.meant.row != nullptr);
    CHECK(opcode.meant.name == "wgmma.fence");
  }
}

TEST_CASE("A part of an opcode has what holds for all of it; the rest stands apart") {
  const isa::OpcodeDescription opcode = isa::describe_opcode("mma");
  CHECK_FALSE(opcode.is_complete);
  // "mma needs .aligned" is no need of "mma": words may be added.
  CHECK(isa::describe_total(opcode.needed) == "PTX ISA 6.4, sm_70 and later");
  CHECK(std::ranges::any_of(opcode.other, [](const auto& one) { return one.when == "without .aligned"; }));
  CHECK(std::ranges::any_of(opcode.variants, [](const auto& one) { return one.name == "mma.sp*"; }));
}

TEST_CASE("What holds without a word says nothing of an opcode that the word may be added to") {
  CHECK(isa::describe_total(isa::describe_opcode("ex2.f16").needed) == "PTX ISA 7.0, sm_75 and later");
  CHECK(isa::describe_total(isa::describe_opcode("ex2.approx.f16").needed) == "PTX ISA 7.0, sm_75 and later");
}

TEST_CASE("Words that are not known are said") {
  CHECK(isa::describe_opcode("frobnicate.u32").mnemonic.empty());
  CHECK(isa::describe_opcode("").mnemonic.empty());
  CHECK(isa::describe_opcode("...").mnemonic.empty());
  const isa::OpcodeDescription opcode = isa::describe_opcode("add.foo.u32");
  REQUIRE(opcode.unknown_words.size() == 1);
  CHECK(opcode.unknown_words.front() == "foo");
}

TEST_CASE("Syntax is written as the manual writes it") {
  for (const isa::Form* form : isa::forms_of("wgmma")) {
    if (form->words.find("wait_group") == std::string_view::npos) continue;
    const isa::Syntax syntax = isa::syntax_of(*form);
    CHECK(syntax.pieces == std::vector<std::string>{".wait_group", ".sync", ".aligned"});
  }
  isa::Form form;
  form.words = "rn|rz? a|b f32";
  CHECK(isa::syntax_of(form).pieces == std::vector<std::string>{"{.rn|.rz}", "(.a|.b)", ".f32"});
}

TEST_CASE("Needs in words") {
  const auto clause_of = [](std::string_view head) {
    const auto clauses = isa::matching_clauses({head, {}, {}});
    return *std::ranges::find(clauses, isa::ClauseKind::needs, &isa::Clause::kind);
  };
  CHECK(isa::describe_needs(clause_of("%clock64")->requirement) == "PTX ISA 2.0, sm_20 and later");
  isa::Requirement none;
  none.lowest.fill(isa::never);
  CHECK(isa::describe_needs(none) == "no target takes it");
  CHECK(isa::describe_total(isa::nothing_needed()) == "PTX ISA 1.0");
  isa::Requirement of_fp8;
  of_fp8.lowest.fill({78});
  of_fp8.lowest[*isa::find_target("sm_89")] = {81};
  CHECK(isa::describe_needs(of_fp8).ends_with("; 8.1 on sm_89"));
}

TEST_CASE("Every name that can be suggested is a name that can be looked up") {
  for (const std::string& name : isa::known_names()) {
    INFO(name);
    const bool is_modifier = name.starts_with('.') && !isa::mnemonics_with(name.substr(1)).empty();
    const bool is_known = is_modifier || isa::find_target(name) || isa::find_special_register(name) != nullptr ||
                          !isa::describe_opcode(name).mnemonic.empty() || isa::is_known_head(name) ||
                          std::ranges::any_of(isa::features(), [&](const auto& one) { return one.tag == name; });
    CHECK(is_known);
  }
}

TEST_CASE("The need of a feature is that of legal spellings, none of an illegal combination") {
  const auto need_of = [](std::string_view tag, std::string_view head) {
    for (const isa::Clause* clause : isa::clauses_with_tag(tag))
      if (clause->head == head) return isa::need_at(*clause);
    return isa::NeedRange{};
  };
  CHECK(isa::describe_total(need_of("half", "ex2").lowest) == "PTX ISA 7.0, sm_75 and later");
  CHECK(isa::describe_total(need_of("half", "add").lowest) == "PTX ISA 4.2, sm_53 and later");
  CHECK_FALSE(need_of("half", "cvt").same_for_all);
}

TEST_CASE("Every feature is had by something that some target takes") {
  for (const isa::Feature& feature : isa::features())
    for (const isa::Clause* clause : isa::clauses_with_tag(feature.tag)) {
      INFO(feature.tag << " " << clause->head << " " << clause->when_text);
      CHECK_FALSE(isa::need_at(*clause).lowest.targets().empty());
    }
}

TEST_CASE("Words that do not exist are named by no line, whatever a pattern takes") {
  for (const char* word : {"foo", "sm_200", "sx", "entry", "texmode_independent"}) {
    INFO(word);
    CHECK(isa::clauses_naming(word).empty());
  }
  CHECK_FALSE(isa::clauses_naming("f32").empty());
}

TEST_CASE("Options of directives are known as such") {
  for (const char* word : {"texmode_independent", "debug", "map_f64_to_f32", "managed", "unified", "used_bytes_mask",
                           "force_unnormalized_coords", "mask", "generic"}) {
    INFO(word);
    CHECK_FALSE(isa::options_named(word).empty());
  }
  for (const char* word : {"open", "bank", "address", "label", "negative", "body", "entry", "function", ""}) {
    INFO(word);
    CHECK(isa::options_named(word).empty());
  }
}

TEST_CASE("An opcode that no form has gets the forms that have most of it") {
  const isa::OpcodeDescription opcode = isa::describe_opcode("add.rn.s32");
  CHECK(opcode.no_form_fits);
  CHECK_FALSE(opcode.nearest.empty());
  CHECK_FALSE(isa::describe_opcode("add.rn.f32").no_form_fits);
  CHECK_FALSE(isa::describe_opcode("add").no_form_fits);
  CHECK(isa::describe_opcode("add").nearest.empty());
}
