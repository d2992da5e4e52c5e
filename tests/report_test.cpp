// Writers: what is shown of diagnostics, expressions and traps, by hand-built results.
#include <nlohmann/json.hpp>
#include <random>

#include "report/diagnostics.h"
#include "report/explain.h"
#include "report/expression.h"
#include "report/json_common.h"
#include "report/stats.h"
#include "report/terminal.h"
#include "tests/catch.h"

using namespace ptxscope;
using namespace ptxscope::analysis;
using report::Condition;
using report::Labels;
using report::TextStyle;

namespace {

ParameterInfo parameter(std::uint32_t index, std::string label, Type type, ParameterRole role,
                        std::optional<std::uint32_t> slice = {}) {
  ParameterInfo out;
  out.index = index;
  out.name = "k_param_" + std::to_string(index);
  out.type = type;
  out.size = size_of(type);
  out.role = role;
  out.slice = slice;
  out.label = std::move(label);
  return out;
}

// a: a slice, eps and n: scalars, s: an aggregate of a pointer and a length.
std::vector<ParameterInfo> parameters() {
  std::vector<ParameterInfo> out{
      parameter(0, "a.ptr", Type::u64, ParameterRole::pointer, 0),
      parameter(1, "a.len", Type::u64, ParameterRole::length, 0), parameter(2, "eps", Type::f32, ParameterRole::scalar),
      parameter(3, "n", Type::s32, ParameterRole::scalar), parameter(4, "s", Type::b8, ParameterRole::aggregate)};
  out[4].size = 16;
  ParameterInfo::Field field;
  field.bytes = 8;
  field.role = ParameterRole::pointer;
  field.label = "s.ptr";
  out[4].fields.push_back(field);
  field.offset = 8;
  field.role = ParameterRole::length;
  field.label = "s.len";
  out[4].fields.push_back(field);
  return out;
}

class Expressions {
 public:
  Expressions() : module_(parse(".version 8.0\n.target sm_80\n.address_size 64\n", "empty.ptx")) {}

  ExprId special(std::string_view name, unsigned bits = 32) { return pool.extend(pool.special(name, 32), bits, false); }
  ExprId global(unsigned bits, char axis = 'x') {
    const auto name = [axis](std::string base) { return base + "." + axis; };
    return pool.binary(ExprOp::add, pool.binary(ExprOp::mul, special(name("ctaid"), bits), special(name("ntid"), bits)),
                       special(name("tid"), bits));
  }
  ExprId number(std::uint64_t value, unsigned bits) { return pool.constant(value, bits); }
  ExprId ptr() { return pool.parameter(0, 0, 64); }
  ExprId len() { return pool.parameter(1, 0, 64); }
  ExprId eps() { return pool.parameter(2, 0, 32); }
  ExprId n() { return pool.parameter(3, 0, 32); }
  ExprId element(unsigned bits, ExprId index) {
    const ExprId address =
        pool.binary(ExprOp::add, ptr(), pool.binary(ExprOp::mul, pool.extend(index, 64, false), number(bits / 8, 64)));
    return pool.load(StateSpace::global, bits == 64 ? Type::u64 : Type::u32, bits, address, 7);
  }
  std::string text(ExprId id) const { return to_text(module_, pool, id, Labels(params_)); }
  Condition condition(ExprId id) const { return describe_condition(module_, pool, id, Labels(params_)); }
  const Module& module() const { return module_; }

  ExprPool pool;

 private:
  Module module_;
  std::vector<ParameterInfo> params_ = parameters();
};

}  // namespace

TEST_CASE("names are made fit to be shown", "[report]") {
  REQUIRE(report::printable("plain äö") == "plain äö");
  REQUIRE(report::printable("\x1b[31mred\x07") == "\\x1b[31mred\\x07");
  REQUIRE(report::printable("a\nb\tc\r") == "a\\nb\\tc\\r");
  REQUIRE(report::printable("\xc2\x9b"
                            "2J") == "\\x9b2J");                    // a C1 control, two bytes of UTF-8
  REQUIRE(report::printable("\xff\xc0\xaf") == "\\xff\\xc0\\xaf");  // not UTF-8
  REQUIRE(report::printable("\xe2\x80\xae") == "\\u202e");          // right-to-left override
  REQUIRE(report::printable("abcdef", 3) == "abc…");
  REQUIRE(report::valid_utf8("a\xff"
                             "b\xe4") ==
          "a\xef\xbf\xbd"
          "b\xef\xbf\xbd");
  REQUIRE(report::valid_utf8("\xf0\x9f\x9a\x80") == "\xf0\x9f\x9a\x80");
}

TEST_CASE("JSON holds nothing that a terminal would act on", "[report]") {
  report::Json json;
  json["name"] = report::json_string("\x1b]0;x\x07\xc2\x9b\xff\"\\");
  const std::string text = report::dump(json);
  for (const char c : text) REQUIRE((c == '\n' || static_cast<unsigned char>(c) >= 32));
  REQUIRE(text.find("\xc2\x9b") == std::string::npos);
  REQUIRE(nlohmann::json::parse(text)["name"] == "\x1b]0;x\x07\xc2\x9b\xef\xbf\xbd\"\\");
}

TEST_CASE("diagnostics with their line and a caret", "[report]") {
  const Module module = parse(".version 8.0\n.target sm_80\n.address_size 64\n\t// \xc3\xa4\tx\n", "dir/a.ptx");
  Diagnostic diagnostic;
  diagnostic.level = Level::warning;
  diagnostic.rule = "PTX-TEST";
  diagnostic.message = "something is odd";
  diagnostic.remedy = "write something else";
  const auto line_four = static_cast<std::uint32_t>(module.text().find("\t//"));

  SECTION("in the middle of a line") {
    diagnostic.span = {13 + 9, 13 + 14};
    Diagnostic::Note note;
    note.span = {0, 8};
    note.message = "declared here";
    diagnostic.notes.push_back(note);
    REQUIRE(report::to_text(module, diagnostic, {}) ==
            "dir/a.ptx:2:10: warning: something is odd [PTX-TEST]\n"
            "    2 | .target sm_80\n"
            "      |          ^~~~\n"
            "  note: declared here (line 1)\n"
            "    1 | .version 8.0\n"
            "      | ^~~~~~~~\n"
            "  help: write something else\n");
  }
  SECTION("tabs and letters of two bytes keep the caret in place") {
    diagnostic.span = {line_four + 7, line_four + 8};
    REQUIRE(report::source_excerpt(module, diagnostic.span, {}) ==
            "    4 |     // ä    x\n"
            "      |             ^\n");
  }
  SECTION("at the end of the file") {
    const auto size = static_cast<std::uint32_t>(module.text().size());
    diagnostic.span = {size, size};
    REQUIRE(report::to_text(module, diagnostic, {}).find("^") != std::string::npos);
  }
  SECTION("colours only when asked for") {
    REQUIRE(report::to_text(module, diagnostic, {}).find('\x1b') == std::string::npos);
    REQUIRE(report::to_text(module, diagnostic, {true, 80}).find("\x1b[") != std::string::npos);
  }
  SECTION("in the order of their places") {
    std::vector<Diagnostic> two(2);
    two[0].span = {13, 20};
    two[0].message = "second";
    two[1].span = {0, 8};
    two[1].message = "first";
    const std::string text = report::to_text(module, two, {});
    REQUIRE(text.find("first") < text.find("second"));
    REQUIRE(report::diagnostics_json(module, two)[0]["message"] == "first");
  }
}

TEST_CASE("of a long line, the part around the caret", "[report]") {
  std::string text = "// " + std::string(5000, 'a') + "HERE" + std::string(5000, 'b') + "\n";
  const Module module = parse(text, "long.ptx");
  const auto place = static_cast<std::uint32_t>(module.text().find("HERE"));
  const std::string excerpt = report::source_excerpt(module, {place, place + 4}, TextStyle{false, 80});
  const std::string line = excerpt.substr(0, excerpt.find('\n'));
  const std::string marks = excerpt.substr(excerpt.find('\n') + 1);
  REQUIRE(line.size() < 100);
  REQUIRE(line.find("…") != std::string::npos);
  // The ellipsis on the left is three bytes for one column.
  REQUIRE(line.find("HERE") - 2 == marks.find("^~~~"));
}

TEST_CASE("sums and products", "[report]") {
  Expressions e;
  ExprPool& p = e.pool;
  CHECK(e.text(e.global(64)) == "global.x");
  CHECK(e.text(e.global(32, 'y')) == "global.y");
  CHECK(e.text(p.binary(ExprOp::add, e.global(32), e.number(1, 32))) == "global.x + 1");
  CHECK(e.text(p.binary(ExprOp::sub, e.global(32), e.number(1, 32))) == "global.x - 1");
  CHECK(e.text(p.binary(ExprOp::sub, e.len(), e.global(64))) == "a.len - global.x");
  CHECK(e.text(p.binary(ExprOp::mul, p.binary(ExprOp::add, e.n(), e.number(2, 32)), e.number(4, 32))) == "4*(n + 2)");
  CHECK(e.text(p.binary(ExprOp::mul, e.n(), p.binary(ExprOp::add, e.special("tid.x"), e.number(2, 32))))
            .find("(tid.x + 2)") != std::string::npos);
  CHECK(e.text(e.element(32, e.global(32))) == "load.global.u32(a.ptr + 4*global.x)");
  // tid and ctaid*ntid apart from each other, in a longer sum
  const ExprId apart = p.binary(
      ExprOp::add, p.binary(ExprOp::add, p.binary(ExprOp::mul, e.special("ctaid.x"), e.special("ntid.x")), e.n()),
      e.special("tid.x"));
  CHECK(e.text(apart) == "global.x + n");
  const ExprId widened = p.binary(ExprOp::add, p.extend(p.binary(ExprOp::add, e.global(32), e.number(1, 32)), 64, true),
                                  e.number(~0ULL, 64));
  CHECK(e.text(widened) == "global.x");
  // A sum that comes down to one term stands as that term would.
  const ExprId fourfold = p.binary(ExprOp::mul, e.n(), e.number(4, 32));
  const ExprId up = p.extend(p.binary(ExprOp::add, fourfold, e.number(1, 32)), 64, true);
  const ExprId and_down = p.binary(ExprOp::add, up, e.number(~0ULL, 64));
  CHECK(e.text(p.unary(ExprOp::not_, and_down)) == "~(4*n)");
  CHECK(e.text(p.binary(ExprOp::and_, p.truncate(e.len(), 32), e.number(255, 32))) == "a.len & 0xff");
  CHECK(e.text(p.unary(ExprOp::neg, e.n())) == "-n");
  CHECK(e.text(p.binary(ExprOp::mul, e.n(), e.number(0xffffffff, 32))) == "-n");
  CHECK(e.text(p.binary(ExprOp::and_, e.ptr(), e.number(15, 64))) == "a.ptr & 0xf");
  CHECK(e.text(p.binary(ExprOp::shr_u, p.binary(ExprOp::add, e.n(), e.number(31, 32)), e.number(5, 32))) ==
        "n + 31 >> 5");
  CHECK(e.text(p.binary(ExprOp::shr_s, e.n(), e.number(5, 32))) == "s32(n) >> 5");
  CHECK(e.text(p.binary(ExprOp::min_u, e.len(), e.number(7, 64))) == "min(a.len, 7)");
  CHECK(e.text(p.binary(ExprOp::div_u, e.len(), p.binary(ExprOp::mul, e.ptr(), e.len()))).find("a.len / (") == 0);
}

TEST_CASE("parameters, their fields and parts", "[report]") {
  Expressions e;
  ExprPool& p = e.pool;
  CHECK(e.text(p.parameter(4, 8, 64)) == "s.len");
  CHECK(e.text(p.parameter(4, 0, 64)) == "s.ptr");
  CHECK(e.text(p.parameter(4, 8, 32)) == "u32(s.len)");
  CHECK(e.text(p.parameter(4, 12, 32)) == "s.len[4:8]");
  CHECK(e.text(p.parameter(1, 0, 32)) == "u32(a.len)");
  CHECK(e.text(p.parameter(9, 0, 32)) == "arg9");
  CHECK(e.text(p.truncate(e.len(), 16)) == "u16(a.len)");
}

TEST_CASE("conditions", "[report]") {
  Expressions e;
  ExprPool& p = e.pool;
  const auto compare = [&](ExprOp op, Type type, ExprId a, ExprId b) { return p.compare(op, type, a, b); };

  SECTION("as written") {
    const Condition c = e.condition(compare(ExprOp::ge_u, Type::u64, e.global(64), e.len()));
    CHECK(c.op == "ge");
    CHECK(c.type == "u64");
    CHECK(c.lhs == "global.x");
    CHECK(c.rhs == "a.len");
    CHECK(c.text == "global.x >= a.len");
    CHECK_FALSE(c.turned);
  }
  SECTION("length first is turned, all of it") {
    const Condition c = e.condition(compare(ExprOp::le_u, Type::u64, e.len(), e.global(64)));
    CHECK(c.op == "ge");
    CHECK(c.lhs == "global.x");
    CHECK(c.rhs == "a.len");
    CHECK(c.text == "global.x >= a.len");
    CHECK(c.turned);
  }
  SECTION("signed constants") {
    CHECK(e.condition(compare(ExprOp::gt_s, Type::s32, e.n(), e.number(0xffffffff, 32))).text == "s32(n) > -1");
    CHECK(e.condition(compare(ExprOp::gt_u, Type::u32, e.n(), e.number(0xffffffff - 1, 32))).text == "n > 4294967294");
    CHECK(e.condition(compare(ExprOp::eq, Type::b32, e.n(), e.number(0x80000000, 32))).text == "n == -2147483648");
  }
  SECTION("a float's bits compared as an integer are no number") {
    const ExprId x = p.load(StateSpace::global, Type::f32, 32, e.ptr(), 3);
    const Condition c = e.condition(compare(ExprOp::eq, Type::s32, x, e.number(5, 32)));
    CHECK(c.text == "bits(load.global.f32(a.ptr)) == 5");
    CHECK(c.lhs == "bits(load.global.f32(a.ptr))");
  }
  SECTION("comparisons compared stand in parentheses") {
    const ExprId below = compare(ExprOp::lt_u, Type::u64, e.global(64), e.len());
    const ExprId zero = compare(ExprOp::eq, Type::u32, e.n(), e.number(0, 32));
    CHECK(e.condition(p.binary(ExprOp::xor_, below, zero)).text == "(global.x < a.len) != (n == 0)");
  }
  SECTION("masks in parentheses") {
    CHECK(
        e.condition(compare(ExprOp::ne, Type::b64, p.binary(ExprOp::and_, e.ptr(), e.number(15, 64)), e.number(0, 64)))
            .text == "(a.ptr & 0xf) != 0");
  }
  SECTION("floating point and NaN") {
    const ExprId x = p.load(StateSpace::global, Type::f32, 32, e.ptr(), 3);
    const Condition gt = e.condition(p.float_compare(FloatCompare::gt, Type::f32, x, e.eps()));
    CHECK(gt.text == "load.global.f32(a.ptr) > eps");
    CHECK(gt.op == "gt");
    CHECK_FALSE(gt.with_nan);
    const Condition leu = e.condition(p.negate(p.float_compare(FloatCompare::gt, Type::f32, x, e.eps())));
    CHECK(leu.text == "not (load.global.f32(a.ptr) > eps)");
    CHECK(leu.op == "leu");
    CHECK(leu.type == "f32");
    CHECK(leu.with_nan);
    const Condition turned = e.condition(p.float_compare(FloatCompare::ltu, Type::f32, e.number(0x3f000000, 32), x));
    CHECK(turned.text == "not (load.global.f32(a.ptr) <= 0.5)");
    CHECK(turned.op == "gtu");
    CHECK(e.text(p.float_compare(FloatCompare::nan, Type::f32, x, x)) == "isnan(load.global.f32(a.ptr))");
    CHECK(e.text(p.float_compare(FloatCompare::num, Type::f32, x, e.eps())) ==
          "not isnan(load.global.f32(a.ptr)) and not isnan(eps)");
    CHECK(e.text(p.float_compare(FloatCompare::eq, Type::f64, e.pool.parameter(1, 0, 64), e.number(0, 64))) ==
          "a.len == 0.0");
  }
  SECTION("and, or, not") {
    const ExprId in = compare(ExprOp::lt_u, Type::u64, e.global(64), e.len());
    const ExprId set = compare(ExprOp::ne, Type::s32, e.n(), e.number(0, 32));
    const ExprId odd = compare(ExprOp::ne, Type::b32, p.binary(ExprOp::and_, e.n(), e.number(1, 32)), e.number(0, 32));
    const Condition both = e.condition(p.binary(ExprOp::and_, in, set));
    CHECK(both.op == "and");
    CHECK(both.type == "pred");
    CHECK(both.lhs == "global.x < a.len");
    CHECK(both.rhs == "n != 0");
    CHECK(e.condition(p.binary(ExprOp::and_, in, p.binary(ExprOp::or_, set, odd))).text ==
          "global.x < a.len and (n != 0 or (n & 1) != 0)");
    const std::array<ExprId, 1> vote{in};
    const ExprId all = p.function("vote.all", 1, vote, 5);
    CHECK(e.text(all) == "all_lanes(global.x < a.len)");
    CHECK(e.condition(p.negate(all)).op == "not");
    CHECK(e.condition(p.negate(all)).text == "not all_lanes(global.x < a.len)");
    CHECK(e.condition(all).op == "ne");
  }
  SECTION("true, false, unknown") {
    CHECK(e.condition(p.true_value()).op == "true");
    CHECK(e.condition(p.true_value()).text == "true");
    CHECK(e.condition(p.false_value()).op == "false");
    CHECK(e.condition(p.unknown(1, "indirect")).op == "unknown");
    CHECK(e.condition(p.unknown(1, "indirect")).text == "?");
  }
  SECTION("choices do not look like something unknown") {
    const ExprId choice = p.select(compare(ExprOp::eq, Type::s32, e.n(), e.number(0, 32)), e.len(), e.global(64));
    CHECK(e.text(choice) == "(a.len if n == 0 else global.x)");
  }
}

TEST_CASE("loops", "[report]") {
  Expressions e;
  ExprPool& p = e.pool;
  const ExprId i = p.phi(1, 32);
  const std::array<ExprId, 2> kids{e.special("tid.x"), p.binary(ExprOp::add, i, e.special("ntid.x"))};
  p.set_phi_kids(i, kids);
  CHECK(e.text(i) == "loop(tid.x, +ntid.x)");
  const ExprId joined = p.phi(2, 32);
  const std::array<ExprId, 2> values{e.n(), e.number(5, 32)};
  p.set_phi_kids(joined, values);
  CHECK(e.text(joined) == "phi(n, 5)");
  const ExprId chase = p.phi(3, 32);
  const std::array<ExprId, 2> chased{e.n(), e.element(32, chase)};
  p.set_phi_kids(chase, chased);
  CHECK(e.text(chase).starts_with("loop(n, load.global.u32(a.ptr + 4*"));
  CHECK(e.text(p.phi(4, 32)) == "?");
}

TEST_CASE("a graph that is huge as a tree is cut short", "[report]") {
  Expressions e;
  ExprPool& p = e.pool;
  ExprId x = e.n();
  for (int i = 0; i < 400; ++i)
    x = p.binary(i % 2 == 0 ? ExprOp::xor_ : ExprOp::mul, x, p.binary(ExprOp::shr_u, x, e.number(3, 32)));
  const std::string text = e.text(x);
  CHECK(text.size() < 2000);
  CHECK(text.find("…") != std::string::npos);
  const Condition c = e.condition(p.compare(ExprOp::eq, Type::u32, x, p.unary(ExprOp::not_, x)));
  CHECK(c.text.size() < 4000);
}

namespace {

constexpr std::string_view kernel = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 k_param_0, .param .u64 k_param_1)
{
	.reg .pred %p<2>;
	.reg .b64 %rd<3>;
	ld.param.u64 %rd1, [k_param_1];
	setp.ge.u64 %p1, %rd2, %rd1;
	@%p1 bra $oops;
	ret;
$oops:
	trap;
}
)";

std::uint32_t statement_with(const Module& module, std::string_view text) {
  for (std::uint32_t i = 0; i < module.statement_count(); ++i) {
    if (module.statement(i).text().starts_with(text)) return i;
  }
  return no_index;
}

TrapReport one_trap(const Module& module) {
  TrapReport out;
  out.pool = std::make_shared<ExprPool>();
  ExprPool& pool = *out.pool;
  const auto wide = [&](std::string_view name) { return pool.extend(pool.special(name, 32), 64, false); };
  const ExprId index =
      pool.binary(ExprOp::add, pool.binary(ExprOp::mul, wide("ctaid.x"), wide("ntid.x")), wide("tid.x"));
  FunctionTraps traps;
  traps.params = {parameter(0, "a.ptr", Type::u64, ParameterRole::pointer, 0),
                  parameter(1, "a.len", Type::u64, ParameterRole::length, 0)};
  traps.cost = {2, 1, 5, 1};
  Trap trap;
  trap.id = 1;
  trap.function = "k";
  trap.statement = statement_with(module, "trap");
  trap.block = module.find_name("$oops");
  trap.check = Check::bounds;
  trap.params = {1};
  Way way;
  way.branch = statement_with(module, "@%p1");
  way.setp = statement_with(module, "setp");
  way.predicate = "%p1";
  // Length first, to see that everything is turned together.
  way.condition = pool.compare(ExprOp::le_u, Type::u64, pool.parameter(1, 0, 64), index);
  way.path = pool.binary(ExprOp::and_, way.condition,
                         pool.compare(ExprOp::ne, Type::u64, pool.parameter(0, 0, 64), pool.constant(0, 64)));
  way.check = Check::bounds;
  way.params = {1};
  trap.ways.push_back(way);
  traps.traps.push_back(trap);
  out.functions.push_back(traps);
  return out;
}

}  // namespace

TEST_CASE("a trap as text: the answer first, then the lines that show it", "[report]") {
  const Module module = parse(std::string(kernel), "k.ptx");
  REQUIRE_FALSE(module.has_errors());
  TrapReport traps = one_trap(module);

  SECTION("alone") {
    REQUIRE(report::explain_trap_text(module, traps, std::nullopt, {}) ==
            "k(a.ptr, a.len)  k.ptx:4\n"
            "\n"
            "  trap 1 fires when global.x >= a.len: the bounds check of slice a\n"
            "          9 | setp.ge.u64 %p1, %rd2, %rd1;\n"
            "         10 | @%p1 bra $oops;  taken\n"
            "         13 | trap;\n"
            "\n"
            "  safety: 2 of 5 instructions and 1 of 1 branches are there only to decide this\n");
  }
  SECTION("under a launch that nobody waits for") {
    Launch launch;
    launch.arguments.push_back({"a.len", 512});
    const std::atomic<bool> stop = true;
    REQUIRE(evaluate_launch(module, traps, launch, &stop).empty());
    CHECK_FALSE(traps.functions.front().traps.front().given.has_value());
  }
  SECTION("under a launch, twice over") {
    Launch launch;
    launch.grid = {4, 1, 1};
    launch.block = {256, 1, 1};
    launch.arguments.push_back({"a.len", 512});
    REQUIRE(evaluate_launch(module, traps, launch).empty());
    const std::string text = report::explain_trap_text(module, traps, launch, {});
    CHECK(text.find("grid 4, block 256 (1024 threads): trap 1 fires, in block (2,0,0) thread (0,0,0)\n") !=
          std::string::npos);
    CHECK(text.find("here: fires in 512 of 1024 threads, first in block (2,0,0) thread (0,0,0), where 512 >= 512 "
                    "(taking a.ptr as not null)\n") != std::string::npos);
    const auto json = nlohmann::json::parse(report::explain_trap_json(module, traps, launch));
    const auto& given = json["functions"][0]["traps"][0]["given"];
    CHECK(given["fires"] == true);
    CHECK(given["threads"] == 512);
    CHECK(given["first"]["block"] == std::vector<int>{2, 0, 0});
    CHECK(given["values"]["lhs"] == 512);
    CHECK(given["values"]["rhs"] == 512);
    CHECK(given["assumed_not_null"] == std::vector<std::string>{"a.ptr"});
    CHECK(json["launch"]["grid"] == std::vector<int>{4, 1, 1});
    CHECK(report::explain_trap_json(module, traps, launch) == report::explain_trap_json(module, traps, launch));
  }
  SECTION("a launch that does not say enough") {
    Launch launch;
    launch.grid = {4, 1, 1};
    launch.block = {256, 1, 1};
    REQUIRE(evaluate_launch(module, traps, launch).empty());
    CHECK(report::explain_trap_text(module, traps, launch, {})
              .find("here: cannot tell without a.len; 1024 of 1024 threads may") != std::string::npos);
    const auto json = nlohmann::json::parse(report::explain_trap_json(module, traps, launch));
    const auto& given = json["functions"][0]["traps"][0]["given"];
    CHECK(given["fires"].is_null());
    CHECK(given["missing"] == std::vector<std::string>{"a.len"});
  }
  SECTION("no trap fires, but not all could be followed: another one may") {
    Launch launch;
    launch.arguments.push_back({"a.len", 512});
    REQUIRE(evaluate_launch(module, traps, launch).empty());
    CHECK(report::explain_trap_text(module, traps, launch, {}).find("grid 1, block 1 (1 threads): no trap fires\n") !=
          std::string::npos);
    traps.functions[0].complete = false;
    CHECK(report::explain_trap_text(module, traps, launch, {})
              .find("grid 1, block 1 (1 threads): cannot tell: no trap that was found fires; not all of the function "
                    "could be followed\n") != std::string::npos);
    traps.functions[0].traps.clear();
    CHECK(report::explain_trap_text(module, traps, launch, {})
              .find("cannot tell: no trap was found; not all of the function could be followed\n") !=
          std::string::npos);
  }
  SECTION("an argument for one kernel only") {
    Launch launch;
    launch.arguments.push_back({"a.len", 0, 7});
    REQUIRE(evaluate_launch(module, traps, launch).size() == 1);
    launch.arguments.push_back({"a.len", 0, traps.functions[0].function});
    REQUIRE(evaluate_launch(module, traps, launch).size() == 1);
    REQUIRE(traps.functions[0].traps[0].given->threads == 1);
  }
  SECTION("a label that names nothing") {
    Launch launch;
    launch.arguments.push_back({"a.ln", 1});
    REQUIRE(evaluate_launch(module, traps, launch) == std::vector<std::string>{"a.ln (did you mean a.len?)"});
  }
  SECTION("as JSON, field by field") {
    const auto json = nlohmann::json::parse(report::explain_trap_json(module, traps, std::nullopt));
    CHECK(json["schema"] == "ptxscope.explain-trap/1");
    CHECK(json["file"] == "k.ptx");
    CHECK(json["module"]["version"] == "8.0");
    CHECK(json["module"]["target"] == std::vector<std::string>{"sm_80"});
    const auto& function = json["functions"][0];
    CHECK(function["name"] == "k");
    CHECK(function["demangled"].is_null());
    CHECK(function["kind"] == "entry");
    CHECK(function["line"] == 4);
    CHECK(function["params"][1]["role"] == "length");
    CHECK(function["params"][1]["slice"] == 0);
    CHECK(function["cost"]["of_instructions"] == 5);
    const auto& trap = function["traps"][0];
    CHECK(trap["line"] == 13);
    CHECK(trap["column"] == 2);
    CHECK(trap["block"] == "$oops");
    CHECK(trap["kind"] == "trap");
    CHECK(trap["source"].is_null());
    CHECK(trap["dead"].is_null());
    CHECK(trap["given"].is_null());
    const auto& way = trap["ways"][0];
    CHECK(way["branch_line"] == 10);
    CHECK(way["setp_line"] == 9);
    CHECK(way["condition"]["op"] == "ge");
    CHECK(way["condition"]["type"] == "u64");
    CHECK(way["condition"]["lhs"] == "global.x");
    CHECK(way["condition"]["text"] == "global.x >= a.len");
    CHECK(way["params"] == std::vector<int>{1});
  }
  SECTION("nothing traps") {
    traps.functions[0].traps.clear();
    traps.functions[0].cost = {};
    REQUIRE(report::explain_trap_text(module, traps, std::nullopt, {}) ==
            "k(a.ptr, a.len)  k.ptx:4\n"
            "  nothing traps: no trap, assert, panic or failing exit can be reached\n");
  }
  SECTION("labels from outside cannot talk to the terminal") {
    traps.functions[0].params[1].label = "\x1b[2J.len";
    CHECK(report::explain_trap_text(module, traps, std::nullopt, {}).find('\x1b') == std::string::npos);
  }
}

TEST_CASE("what is said of a function's live registers does not depend on the functions before it", "[report]") {
  const Module module = parse(R"(.version 8.0
.target sm_80
.address_size 64
.entry before() {
  .reg .b32 %r<4>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %tid.x;
  add.u32 %r3, %r1, %r2;
  st.shared.u32 [0], %r3;
  ret;
}
.entry k() {
  .reg .b32 %r<4>;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  add.u32 %r3, %r1, %r2;
  st.shared.u32 [0], %r3;
  ret;
}
)",
                              "two.ptx");
  report::StatsTextOptions options;
  options.live = report::LiveView::table;
  const auto text_of = [&](const std::vector<std::string>& patterns) {
    LiveReporter reporter(module);
    report::FileStats file;
    file.counts = count_module(module, patterns);
    file.live = [&](std::uint32_t function) { return reporter.of(function); };
    return report::stats_parts(module, file, options);
  };
  const std::string both = text_of({});
  CHECK(both.find("tid.x") != std::string::npos);
  CHECK(both == text_of({"before"}) + text_of({"k"}));
}
