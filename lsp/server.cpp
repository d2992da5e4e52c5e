#include "lsp/server.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "lsp/diagnostics.h"
#include "lsp/documents.h"
#include "lsp/edited_text.h"
#include "lsp/frames.h"
#include "lsp/requests.h"

namespace ptxscope::lsp {
namespace {

constexpr std::size_t largest_text = std::size_t{1} << 30U;  // of a document

bool is_id(const Json& id) { return id.is_string() || id.is_number_integer(); }

Client client_of(const Json& params) {
  Client client;
  constexpr std::string_view document = "capabilities/textDocument/";
  const auto of_document = [&](std::string_view path) { return std::string(document) + std::string(path); };
  if (lists(params, "capabilities/general/positionEncodings", "utf-8")) client.encoding = Encoding::utf8;
  client.markdown = lists(params, of_document("hover/contentFormat"), "markdown");
  client.nested_symbols = is_true_at(params, of_document("documentSymbol/hierarchicalDocumentSymbolSupport"));
  client.related_information = is_true_at(params, of_document("publishDiagnostics/relatedInformation"));
  return client;
}

Json capabilities_for(const Client& client) {
  constexpr int incremental = 2;  // TextDocumentSyncKind
  return {{"positionEncoding", client.encoding == Encoding::utf8 ? "utf-8" : "utf-16"},
          {"textDocumentSync", {{"openClose", true}, {"change", incremental}, {"save", true}}},
          {"hoverProvider", true},
          {"definitionProvider", true},
          {"declarationProvider", true},
          {"referencesProvider", true},
          {"documentHighlightProvider", true},
          {"documentSymbolProvider", true},
          {"foldingRangeProvider", true},
          {"completionProvider", {{"triggerCharacters", {".", "%"}}}},
          {"semanticTokensProvider", {{"legend", semantic_tokens_legend()}, {"full", true}, {"range", true}}}};
}

class Server {
 public:
  Server(const Streams& streams, std::string_view version)
      : streams_(streams),
        version_(version),
        publisher_(documents_, [this](const std::string& message) { send(message); }),
        requests_(documents_, [this](const std::string& message) { send(message); }) {}

  bool run() {
    FrameReader reader(streams_.read);
    while (!has_exited_) {
      const Frame one = reader.next();
      if (one.kind == Frame::Kind::end) return false;
      if (one.kind == Frame::Kind::problem) refuse(Json(), {ErrorCode::parse_error, one.text});
      else take(one.text);
    }
    return stage_ == Stage::shut_down;
  }

 private:
  enum class Stage : std::uint8_t { created, running, shut_down };

  void send(std::string_view message) {
    const std::lock_guard lock(write_mutex_);
    streams_.write(frame(message));
  }

  void refuse(const Json& id, const Failure& failure) { send(response(id, failure)); }

  void log(const std::string& sentence) {
    constexpr int error = 1;  // MessageType
    send(notification("window/logMessage", {{"type", error}, {"message", "ptxscope: " + sentence}}));
  }

  void take(std::string_view text) {
    const Answer parsed = parse_message(text);
    if (const auto* const failure = std::get_if<Failure>(&parsed)) {
      refuse(Json(), *failure);
      return;
    }
    const Json& message = std::get<Json>(parsed);
    const Json* const id = member(message, "id");
    const auto method = string_at(message, "method");
    if (!method) {
      // An answer to a question; this server asks none.
      if (member(message, "result") != nullptr || member(message, "error") != nullptr) return;
      refuse(id != nullptr && is_id(*id) ? *id : Json(),
             {ErrorCode::invalid_request, "a message is an object with a method"});
      return;
    }
    if (id != nullptr && !is_id(*id)) {
      refuse(Json(), {ErrorCode::invalid_request, "id: expected a whole number or a string"});
      return;
    }
    static const Json nothing = Json::object();
    const Json* const params = member(message, "params");
    if (id != nullptr) request(*id, *method, params == nullptr ? nothing : *params);
    else notified(*method, params == nullptr ? nothing : *params);
  }

  void request(const Json& id, const std::string& method, const Json& params) {
    if (method == "initialize") {
      initialize(id, params);
    } else if (stage_ == Stage::created) {
      refuse(id, {ErrorCode::server_not_initialized, method + ": initialize comes first"});
    } else if (stage_ == Stage::shut_down) {
      refuse(id, {ErrorCode::invalid_request, method + ": after shutdown there is only exit"});
    } else if (method == "shutdown") {
      stage_ = Stage::shut_down;
      send(response(id, Json()));
    } else if (const AnswerFunction answer = answer_to(method)) {
      ask(id, method, answer, params);
    } else {
      refuse(id, {ErrorCode::method_not_found, method + ": not a request of this server"});
    }
  }

  void initialize(const Json& id, const Json& params) {
    if (stage_ != Stage::created) {
      refuse(id, {ErrorCode::invalid_request, "initialize: comes once"});
      return;
    }
    client_ = client_of(params);
    publisher_.set_client(client_);
    requests_.set_client(client_);
    stage_ = Stage::running;
    send(response(id, Json{{"capabilities", capabilities_for(client_)},
                           {"serverInfo", {{"name", "ptxscope"}, {"version", version_}}}}));
  }

  void ask(const Json& id, const std::string& method, AnswerFunction answer, const Json& params) {
    const auto uri = string_at(params, "textDocument/uri");
    SnapshotPointer snapshot = uri ? documents_.find(*uri) : nullptr;
    if (snapshot == nullptr) {
      refuse(id, {ErrorCode::invalid_params,
                  method + (uri ? ": " + *uri + " is not open" : ": textDocument.uri: expected a string")});
      return;
    }
    requests_.add({id, params, answer, std::move(snapshot)});
  }

  void notified(const std::string& method, const Json& params) {
    if (method == "exit") has_exited_ = true;
    if (stage_ != Stage::running) return;
    if (method == "$/cancelRequest") {
      if (const Json* const id = member(params, "id")) requests_.cancel(*id);
    } else if (method == "textDocument/didOpen") {
      open(params);
    } else if (method == "textDocument/didChange") {
      change(params);
    } else if (method == "textDocument/didSave") {
      if (const SnapshotPointer snapshot = documents_.find(string_at(params, "textDocument/uri").value_or("")))
        publisher_.ask(snapshot, true);
    } else if (method == "textDocument/didClose") {
      close(string_at(params, "textDocument/uri").value_or(""));
    }
  }

  [[nodiscard]] static std::int64_t version_in(const Json& params) {
    const Json* const version = member_at(params, "textDocument/version");
    return version != nullptr && version->is_number_integer() ? version->get<std::int64_t>() : 0;
  }

  void open(const Json& params) {
    const auto uri = string_at(params, "textDocument/uri");
    auto text = string_at(params, "textDocument/text");
    if (!uri || !text) {
      log("didOpen: expected textDocument with uri and text");
      return;
    }
    keep(*uri, version_in(params), Text(std::move(*text), client_.encoding), true);
  }

  void keep(const std::string& uri, std::int64_t version, Text text, bool settled) {
    auto snapshot = std::make_shared<const Snapshot>(uri, version, std::move(text));
    documents_.set(snapshot);
    publisher_.ask(std::move(snapshot), settled);
  }

  void change(const Json& params) {
    const auto uri = string_at(params, "textDocument/uri");
    const SnapshotPointer old = uri ? documents_.find(*uri) : nullptr;
    const Json* const changes = member(params, "contentChanges");
    if (old == nullptr) {
      log("didChange: " + uri.value_or("?") + " is not open");
      return;
    }
    EditedText text(old->text());
    const std::string problem = apply(changes, text);
    if (problem.empty()) {
      keep(*uri, version_in(params), text.take(), false);
      return;
    }
    // From here on the texts on both sides would differ.
    close(*uri);
    log("didChange: " + problem + "; " + *uri + " is taken as closed until it is opened again");
  }

  // What is wrong with the changes; "": nothing.
  [[nodiscard]] std::string apply(const Json* changes, EditedText& text) const {
    if (changes == nullptr || !changes->is_array()) return "contentChanges: expected an array";
    for (const Json& one : *changes) {
      auto by = string_at(one, "text");
      if (!by) return "contentChanges: expected a text in each";
      const Json* where = member(one, "range");
      if (where != nullptr && where->is_null()) where = nullptr;  // some clients write what is not there so
      const auto range = read_range(where);
      if (where != nullptr && !range) return "contentChanges: a range is {start, end}, each {line, character}";
      if ((range ? text.size() : 0) + by->size() > largest_text) return "the text would be too large";
      if (range) text.replace(range->begin, range->end, *by);
      else text = EditedText(Text(std::move(*by), client_.encoding));
    }
    return {};
  }

  void close(const std::string& uri) {
    if (documents_.find(uri) == nullptr) return;
    documents_.close(uri);
    publisher_.clear(uri);
  }

  const Streams& streams_;
  std::string version_;
  Stage stage_ = Stage::created;
  bool has_exited_ = false;
  Client client_;
  std::mutex write_mutex_;
  Documents documents_;
  DiagnosticsPublisher publisher_;  // they use what stands before them
  RequestQueue requests_;
};

}  // namespace

bool serve(const Streams& streams, std::string_view version) { return Server(streams, version).run(); }

}  // namespace ptxscope::lsp
