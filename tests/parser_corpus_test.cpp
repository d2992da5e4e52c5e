// What must hold for every file of the corpus.
#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>

#include "parser/module.h"
#include "parser/scanner.h"
#include "parser/statement_cutter.h"
#include "tests/catch.h"
#include "tests/parser_compare.h"
#include "tests/parser_corpus.h"

namespace ptxscope {
namespace {

bool corpus_missing(const std::vector<corpus::File>& files) {
  if (files.empty()) WARN("no corpus at " << corpus::folder().string() << "; set PTXSCOPE_SHARED");
  return files.empty();
}

// Every token lies in exactly one statement; "" when so.
std::string lossless(const Module& module) {
  std::uint32_t end = 0;
  const auto gap = [&](std::uint32_t from, std::uint32_t to) -> std::string {
    const std::string text(module.text().substr(from, to - from));
    Scanner scanner(text);
    const Token token = scanner.next();
    return token.kind() == TokenKind::end_of_text
               ? ""
               : "'" + text.substr(token.begin, token.length()) + "' is in no statement";
  };
  for (std::uint32_t i = 0; i < module.statement_count(); ++i) {
    const Span span = module.statement(i).span();
    if (span.begin < end || span.end < span.begin) return "statement " + std::to_string(i) + " overlaps the one before";
    if (auto lost = gap(end, span.begin); !lost.empty()) return lost;
    end = span.end;
  }
  return gap(end, static_cast<std::uint32_t>(module.text().size()));
}

// The text without instructions and .loc lines of a shape that came before: small, and with every new shape in it.
std::string without_repetitions(const std::string& text, const Module& module, std::set<std::string>& seen) {
  std::string result;
  std::uint32_t copied = 0;
  for (std::uint32_t i = 0; i < module.statement_count(); ++i) {
    const Statement statement = module.statement(i);
    if (statement.kind() != StatementKind::instruction && statement.kind() != StatementKind::loc) continue;
    StatementCutter cutter(std::string_view(text).substr(0, statement.span().end), true);
    cutter.seek(statement.span().begin);
    if (!cutter.next()) continue;
    const auto kinds = cutter.kinds();
    if (seen.emplace(reinterpret_cast<const char*>(kinds.data()), kinds.size()).second) continue;
    result.append(text, copied, statement.span().begin - copied);
    copied = statement.span().end;
  }
  result.append(text, copied);
  return result;
}

std::set<std::uint32_t> lines_of_diagnostics(const Module& module) {
  std::set<std::uint32_t> lines;
  for (const Diagnostic& diagnostic : module.diagnostics()) lines.insert(module.position(diagnostic.span).line);
  return lines;
}

// The line ptxas complains about; 0: it names none.
std::uint32_t line_in(const std::string& message) {
  const std::size_t at = message.find("line ");
  return at == std::string::npos ? 0 : static_cast<std::uint32_t>(std::atoi(message.c_str() + at + 5));
}

std::map<std::string, std::string> known_differences() {
  const char* source = std::getenv("PTXSCOPE_SOURCE");
  std::ifstream in(std::filesystem::path(source == nullptr ? "." : source) / "tests" / "parser_rejects.tsv");
  std::map<std::string, std::string> result;
  std::string line;
  while (std::getline(in, line)) {
    const std::size_t tab = line.find('\t');
    if (line.empty() || line[0] == '#' || tab == std::string::npos) continue;
    result.emplace(line.substr(0, tab), line.substr(tab + 1));
  }
  return result;
}

}  // namespace

TEST_CASE("what ptxas accepts parses without an error, and no byte is lost") {
  const auto files = corpus::files();
  if (corpus_missing(files)) return;
  for (const auto& file : files) {
    CAPTURE(file.path);
    const std::string text = corpus::read(corpus::folder() / file.path);
    const Module module = parse(text, file.path);
    CHECK(module.text() == text);
    CHECK(lossless(module) == "");
    if (!file.accepted) continue;
    for (const Diagnostic& diagnostic : module.diagnostics()) {
      if (diagnostic.level != Level::error) continue;
      FAIL_CHECK("line " << module.position(diagnostic.span).line << ": " << diagnostic.message);
    }
    for (std::uint32_t i = 0; i < module.statement_count(); ++i) {
      if (module.statement(i).kind() == StatementKind::unparsed) FAIL_CHECK("unparsed: " << module.statement(i).text());
    }
  }
}

TEST_CASE("what ptxas rejects for its syntax has a diagnostic on that line, or a reason") {
  const auto files = corpus::files();
  if (corpus_missing(files)) return;
  auto known = known_differences();
  for (const auto& file : files) {
    const bool syntax = file.message.find("fatal") != std::string::npos;
    if (file.accepted || !syntax) continue;
    CAPTURE(file.path, file.message);
    const Module module = parse(corpus::read(corpus::folder() / file.path), file.path);
    const bool found = lines_of_diagnostics(module).count(line_in(file.message)) != 0;
    const auto reason = known.find(file.path);
    if (reason != known.end()) {
      CHECK_FALSE(found);  // else the line of parser_rejects.tsv is out of date
      known.erase(reason);
    } else {
      CHECK(found);
    }
  }
  for (const auto& [path, reason] : known) FAIL_CHECK("in parser_rejects.tsv, but not in the corpus: " << path);
}

TEST_CASE("every instruction and directive form of the oracle parses") {
  std::string text = ".version 9.0\n.target sm_100a\n";
  for (const char* name : {"truth.jsonl", "beyond_9_0.jsonl"}) {
    std::ifstream in(corpus::folder().parent_path() / "oracle" / name);
    std::string line;
    while (std::getline(in, line)) {
      const std::string key = "\"module\":\"";
      std::size_t at = line.find(key);
      if (at == std::string::npos) continue;
      std::string module;
      for (at += key.size(); at < line.size() && line[at] != '"'; ++at) {
        if (line[at] != '\\') {
          module.push_back(line[at]);
        } else {
          ++at;
          module.push_back(line[at] == 'n' ? '\n' : line[at] == 't' ? '\t' : line[at]);
        }
      }
      // Its own header goes: all are read as one module.
      for (std::size_t end = module.find('\n');
           module.starts_with(".version") || module.starts_with(".target") || module.starts_with(".address_size");
           end = module.find('\n')) {
        module.erase(0, end + 1);
      }
      text += module;
    }
  }
  if (text.size() < 1000) {
    WARN("no oracle beside " << corpus::folder().string() << "; set PTXSCOPE_SHARED");
    return;
  }
  const Module module = parse(text, "oracle.ptx");
  CHECK(module.functions().size() > 4000);
  for (const Diagnostic& diagnostic : module.diagnostics()) {
    FAIL_CHECK(module.line_text(module.position(diagnostic.span).line) << ": " << diagnostic.message);
  }
}

// In a usual run each shape of the corpus once; PTXSCOPE_FULL=1 takes every file whole.
TEST_CASE("with and without the shape cache the module is the same") {
  const auto files = corpus::files();
  if (corpus_missing(files)) return;
  std::set<std::string> seen;
  for (const auto& file : files) {
    CAPTURE(file.path);
    std::string text = corpus::read(corpus::folder() / file.path);
    if (!corpus::full_run()) text = without_repetitions(text, parse(text, file.path), seen);
    const Module with = parse(text, file.path);
    ParseOptions options;
    options.use_shape_cache = false;
    const Module without = parse(text, file.path, options);
    const auto found = difference(with, without);
    if (found) FAIL_CHECK(*found);
  }
}

}  // namespace ptxscope
