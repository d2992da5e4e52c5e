#include <string>
#include <vector>

#include "isa/forms.h"
#include "isa/requirements.h"
#include "tests/catch.h"

namespace {

using namespace ptxscope::isa;

TargetSet set_of(std::initializer_list<std::string_view> names) {
  TargetSet set;
  for (const std::string_view name : names) set.add(find_target(name).value());
  return set;
}

}  // namespace

TEST_CASE("the table is written as its notation says") {
  for (const std::string& error : table_errors()) FAIL_CHECK(error);
  for (const Clause& clause : clauses()) CHECK_FALSE(clause.feature().empty());
}

TEST_CASE("versions are spelled as in the manual, and only those that exist") {
  CHECK(to_string(*parse_version("8.7")) == "8.7");
  CHECK(parse_version("8.70") == parse_version("8.7"));
  CHECK_FALSE(parse_version("7.9"));
  CHECK_FALSE(parse_version("9"));
  CHECK_FALSE(parse_version("9.x"));
  CHECK_FALSE(parse_version(""));
  CHECK(*parse_version("8.8") < *parse_version("9.0"));
}

TEST_CASE("sets of targets") {
  CHECK(parse_targets("sm_120+") == set_of({"sm_120", "sm_120a", "sm_120f", "sm_121", "sm_121a", "sm_121f"}));
  CHECK(parse_targets("sm_120f+") == set_of({"sm_120a", "sm_120f", "sm_121a", "sm_121f"}));
  CHECK(parse_targets("sm_103f+") == set_of({"sm_103a", "sm_103f", "sm_107a", "sm_107f"}));
  CHECK(parse_targets("sm_110a") == set_of({"sm_110a", "sm_101a"}));
  CHECK_FALSE(parse_targets("sm_90a+"));
  CHECK_FALSE(parse_targets("sm_99"));
  CHECK(find_target("compute_90a") == find_target("sm_90a"));
}

TEST_CASE("which devices run a target's code") {
  const auto runs = [](std::string_view name, unsigned number) {
    return runs_on(targets()[find_target(name).value()], number);
  };
  CHECK(runs("sm_80", 120));
  CHECK_FALSE(runs("sm_90", 89));
  CHECK(runs("sm_90a", 90));
  CHECK_FALSE(runs("sm_90a", 100));
  CHECK(runs("sm_100f", 103));
  CHECK_FALSE(runs("sm_100f", 110));
  CHECK_FALSE(runs("sm_103f", 100));
  CHECK(runs("sm_101a", 110));
}

TEST_CASE("the words of a form are chosen one by one") {
  for (const Form& form : forms()) {
    INFO(form.head << " " << form.words);
    for (const FormSlot& slot : form.slots) CHECK_FALSE(slot.words.empty());
    CHECK_FALSE(examples_of(form, 3).empty());
  }
}

TEST_CASE("as many registers as the shape asks for") {
  const auto example = [](std::string_view head, std::string_view words) {
    for (const Form* form : forms_of(head))
      if (form->words == words) return examples_of(*form, 1).at(0);
    FAIL("no such form: " << words);
    return Example{};
  };
  CHECK(example("movmatrix", "sync aligned m8n8 trans b16").registers.size() == 2);
  CHECK(example("mma", "sync aligned m16n8k8|m16n8k16 row col f32 f16 f16 f32").text ==
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%x0, %x1, %x2, %x3}, {%x4, %x5}, {%x6}, "
        "{%x7, %x8, %x9, %x10};");
  // A quarter of a register for the metadata of x1 is one register.
  CHECK(example("spcompress", "b8 b2 sp::2:4 $x1_x64").text.ends_with(".x1 {%x0}, {%x1}, {%x2, %x3}, %x4;"));
}

TEST_CASE("what matrix instructions need follows from words and operands") {
  using Kind = OperandShape::Kind;
  const auto needs = [](std::string_view head, std::vector<std::string_view> words,
                        std::vector<OperandShape> operands) {
    return requirement_of(Spelling{head, words, operands});
  };
  std::vector<OperandShape> dense(5);
  dense[0].kind = Kind::addr;
  std::vector<OperandShape> scaled = dense;
  scaled.emplace_back().kind = Kind::imm;
  CHECK(needs("tcgen05", {"mma", "cta_group::1", "kind::f16"}, dense).targets() ==
        set_of({"sm_100a", "sm_100f", "sm_101a", "sm_101f", "sm_103a", "sm_103f", "sm_107a", "sm_107f", "sm_110a",
                "sm_110f"}));
  CHECK(needs("tcgen05", {"mma", "cta_group::1", "kind::f16"}, scaled).targets() ==
        set_of({"sm_100a", "sm_100f", "sm_103a", "sm_103f", "sm_107a", "sm_107f"}));
  CHECK(needs("tcgen05", {"mma", "kind::i8", "cta_group::1"}, dense).targets() ==
        set_of({"sm_100a", "sm_101a", "sm_110a"}));
  CHECK(needs("spdecompress", {"b8", "b2", "sp::2:4", "x2"}, {}).targets() == set_of({"sm_107a"}));
  CHECK(to_string(needs("mma", {"sync", "aligned", "m16n8k32", "row", "col", "f16", "e4m3", "e4m3", "f16"}, {})
                      .lowest_version()) == "8.7");
}
