// The language server: each answer about a document at places all over it, and a session of messages of any kind.
#include <algorithm>
#include <functional>

#include "lsp/answers.h"
#include "lsp/frames.h"
#include "lsp/server.h"
#include "tests/fuzz/outputs.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace ptxscope::fuzz {

namespace {

using lsp::Json;

constexpr const char* uri = "file:///fuzz.ptx";

// Each range is one of the document, and none ends before it begins.
void require_ranges(const Json& json, std::uint32_t lines) {
  if (json.is_object() && json.contains("start") && json.contains("end")) {
    const auto range = lsp::read_range(&json);
    const bool is_in = range && range->begin <= range->end && range->end.line < lines;
    if (!is_in) fail("a range lies in the document", json.dump());
  }
  if (json.is_structured())
    for (const Json& one : json) require_ranges(one, lines);
}

void ask(const Input& input) {
  const std::function<bool()> never = [] { return false; };
  // One of the two for each input, to stay fast.
  const lsp::Encoding encoding = input.text.size() % 2 == 0 ? lsp::Encoding::utf8 : lsp::Encoding::utf16;
  const lsp::Client client{encoding, true, encoding == lsp::Encoding::utf8, true};
  const lsp::Snapshot snapshot(uri, 1, lsp::Text(input.text, encoding));
  const std::uint32_t lines = snapshot.text().line_count();
  const auto answer = [&](const char* method, const Json& params) {
    const lsp::Answer got = lsp::answer_to(method)({snapshot, params, client, never});
    require_json(lsp::response(1, got), "");
    if (const Json* json = std::get_if<Json>(&got)) require_ranges(*json, lines);
  };
  const Json document{{"textDocument", {{"uri", uri}}}};
  for (const char* method :
       {"textDocument/documentSymbol", "textDocument/foldingRange", "textDocument/semanticTokens/full"})
    answer(method, document);
  require_ranges(lsp::diagnostics(snapshot, client), lines);
  constexpr std::uint32_t places = 3;
  for (std::uint32_t i = 0; i < places; ++i) {
    const std::uint32_t line = std::min(lines - 1, lines * i / places);
    Json params = document;
    params["position"] = lsp::json_of(lsp::TextPosition{line, (i * 7) % 24});
    params["context"] = {{"includeDeclaration", true}};
    for (const char* method : {"textDocument/hover", "textDocument/definition", "textDocument/declaration",
                               "textDocument/references", "textDocument/documentHighlight", "textDocument/completion"})
      answer(method, params);
  }
}

// Each line behind the split is a message as it comes, framed here; one that begins with # comes without a frame.
void serve(const Input& input) {
  std::string bytes = lsp::frame(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{}})");
  for (std::size_t at = 0; at < input.other.size();) {
    const std::size_t end = std::min(input.other.find('\n', at), input.other.size());
    const std::string line = input.other.substr(at, end - at);
    bytes += line.starts_with('#') ? line.substr(1) + "\r\n" : lsp::frame(line);
    at = end + 1;
  }
  bytes += lsp::frame(R"({"jsonrpc":"2.0","method":"exit"})");
  std::size_t taken = 0;
  std::string written;
  const auto read = [&](char* to, std::size_t most) {
    const std::size_t count = bytes.copy(to, most, taken);
    taken += count;
    return count;
  };
  (void)lsp::serve({read, [&](std::string_view text) { written += text; }}, "0");
  std::size_t at = 0;
  lsp::FrameReader reader([&](char* to, std::size_t most) {
    const std::size_t count = written.copy(to, most, at);
    at += count;
    return count;
  });
  for (lsp::Frame frame = reader.next(); frame.kind != lsp::Frame::Kind::end; frame = reader.next()) {
    require(frame.kind == lsp::Frame::Kind::message, "what the server writes are messages", frame.text);
    require_json(frame.text, "");
  }
}

void talk(const Input& input) {
  ask(input);
  if (!input.other.empty()) serve(input);
}

}  // namespace

Target lsp_target() { return {.name = "lsp", .form = Form::ptx, .run = talk, .most_bytes = std::size_t{1} << 12}; }

}  // namespace ptxscope::fuzz
