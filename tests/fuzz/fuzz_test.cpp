// The means of fuzzing: options taken out of an input, mutations, and what outputs are held to.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <iterator>

#include "parser/container.h"
#include "parser/module.h"
#include "tests/catch.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/outputs.h"
#include "tests/fuzz/target.h"

namespace ptxscope::fuzz {
namespace {

std::string source(const std::string& path) {
  const char* root = std::getenv("PTXSCOPE_SOURCE");
  std::ifstream in(std::string(root == nullptr ? "." : root) + "/" + path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

const std::string sample = source("samples/vecadd/vecadd.ptx");

// Whether it ends the process, as a property that does not hold does.
bool is_refused(const std::function<void()>& requirement) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(STDERR_FILENO);
    ::signal(SIGABRT, SIG_DFL);  // Catch's own would tell of it
    requirement();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

}  // namespace

TEST_CASE("an input gives only options that its target knows") {
  const Target target{.name = "t", .options = {{"--live"}, {"--format", {"json"}}, {"--arg", {"a=1"}}}};
  const auto words = [&](const std::string& line) { return read_input("x\n//! " + line + "\n", target).words; };
  using Words = std::vector<std::string>;
  CHECK(words("--live --format=json") == Words{"--live", "--format=json"});
  CHECK(words("--arg=a.len=1~2") == Words{"--arg=a.len=1 2"});
  CHECK(words("-o/tmp/x --output=x /etc/passwd --lived --format --live=1 --format=").empty());
  CHECK(read_input("x\n//! --live", target).text == "x\n");
  CHECK(read_input("//! --live", target).text.empty());
  CHECK(read_input("a\n//! ----\nb\n//! --live\n", target).text == "a\n");
  CHECK(read_input("a\n//! ----\nb\n//! --live\n", target).other == "b\n");
  CHECK(read_input("a\n//! ----\n", target).words.empty());
}

TEST_CASE("a target is found by its name, and names differ") {
  for (const Target& target : targets()) CHECK(find_target(target.name) == &target);
  CHECK(find_target("nothing") == nullptr);
}

TEST_CASE("mutated PTX is changed, is not too large, and most of it parses") {
  REQUIRE(!sample.empty());
  constexpr std::size_t most = 1U << 14U;
  constexpr std::uint64_t rounds = 2000;
  std::size_t changed = 0;
  std::size_t statements = 0;
  std::size_t unparsed = 0;
  for (std::uint64_t seed = 0; seed < rounds; ++seed) {
    std::string text = sample;
    Chance chance(seed);
    mutate_ptx(text, most, chance);
    REQUIRE(text.size() <= most);
    if (text != sample) ++changed;
    if (seed % 20 != 0) continue;
    const Module module = parse(text, "mutated.ptx");
    statements += module.statement_count();
    for (std::uint32_t i = 0; i < module.statement_count(); ++i)
      if (module.statement(i).kind() == StatementKind::unparsed) ++unparsed;
  }
  CHECK(changed > rounds * 7 / 10);
  CHECK(unparsed < statements / 10);
  CHECK(unparsed > 0);
}

TEST_CASE("a piece of another text is put in") {
  std::size_t taken = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    std::string text = ".version 8.0\n";
    Chance chance(seed);
    cross_ptx(text, sample, 1U << 16U, chance);
    REQUIRE(text.starts_with(".version 8.0"));
    if (text.size() > 20) ++taken;
  }
  CHECK(taken > 50);
}

TEST_CASE("options are added, changed and taken out") {
  const Target* cfg = find_target("cfg");
  REQUIRE(cfg != nullptr);
  std::string text = "x";
  std::size_t most_words = 0;
  std::size_t without = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Chance chance(seed);
    mutate_options(text, *cfg, 200, chance);
    const Input input = read_input(text, *cfg);
    REQUIRE(input.text.substr(0, 1) == "x");
    most_words = std::max(most_words, input.words.size());
    if (input.words.empty()) ++without;
  }
  CHECK(most_words > 2);
  CHECK(without > 0);
}

TEST_CASE("containers keep their form when they are changed") {
  const std::string fat = source("tests/fuzz/containers/plain.fatbin");
  REQUIRE(!fat.empty());
  std::size_t sound = 0;
  constexpr std::uint64_t rounds = 300;
  for (std::uint64_t seed = 0; seed < rounds; ++seed) {
    std::string bytes = fat;
    Chance chance(seed);
    mutate_container(bytes, 1U << 16U, chance);
    const ContainerListing listing = read_container(std::as_bytes(std::span(bytes)), "file");
    if (!listing.images.empty() && listing.problems.empty()) ++sound;
  }
  CHECK(sound > rounds / 2);
  CHECK(sound < rounds);
}

TEST_CASE("outputs that must not be are refused") {
  const std::string esc = "\x1b[2J";
  CHECK_FALSE(is_refused([] { require_terminal("a \x1b[1;31mb\x1b[0m \xc3\xa9\n", "text"); }));
  CHECK(is_refused([&] { require_terminal("a" + esc, "text"); }));
  CHECK(is_refused([] { require_terminal("\xff", "text"); }));
  CHECK(is_refused([] { require_terminal("\xe2\x80\xae", "text"); }));

  CHECK_FALSE(is_refused([] { require_json(R"({"schema": "a/1"})", "a/1"); }));
  CHECK(is_refused([] { require_json(R"({"schema": "a/1"})", "b/1"); }));
  CHECK(is_refused([] { require_json("{\"a\": \"\xff\"}", ""); }));
  CHECK(is_refused([] { require_json("{", ""); }));

  CHECK_FALSE(is_refused([] { require_markup("<p class=\"a\">1 &lt; 2<mark>x</mark></p>"); }));
  for (const char* bad : {"<p>a < b</p>", "<p>a > b</p>", "<p>a & b</p>", "<p>", "<p><code></p></code>", "<b>x</b>",
                          "<p class=a>x</p>", "<p onclick=\"x\">x</p>", "<a href=\"http://x\">x</a>",
                          "<script>1</script><script>2</script>", "<script type=\"application/json\">{</script>"}) {
    CAPTURE(bad);
    CHECK(is_refused([&] { require_markup(bad); }));
  }

  CHECK_FALSE(is_refused([] { require_dot("digraph g {\n  a -> b [label=<x <b>y</b>>, t=\"}\\\"{\"]\n}\n"); }));
  for (const char* bad : {"digraph g {", "a }", "a [label=\"x]", "a [label=\"x\ny\"]", "a [label=<x]", "a'b"}) {
    CAPTURE(bad);
    CHECK(is_refused([&] { require_dot(bad); }));
  }

  CHECK_FALSE(is_refused([] { require_csv("a,b\n\"1,\"\"2\n\",3\n"); }));
  CHECK(is_refused([] { require_csv("a,b\n1\n"); }));
  CHECK(is_refused([] { require_csv("a,b\n\"1,2\n"); }));
}

}  // namespace ptxscope::fuzz
