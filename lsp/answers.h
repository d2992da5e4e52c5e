// What the server answers of one version of a document, request by request (LSP 3.17, "Language Features").
#pragma once

#include <functional>
#include <string_view>

#include "lsp/protocol.h"
#include "lsp/snapshot.h"

namespace ptxscope::lsp {

/// What the other side can show, as its `initialize` says.
struct Client {
  Encoding encoding = Encoding::utf16;
  bool markdown = false;             ///< in hovers
  bool nested_symbols = false;       ///< DocumentSymbol, not SymbolInformation
  bool related_information = false;  ///< of diagnostics
};

struct Question {
  const Snapshot& snapshot;
  const Json& params;
  const Client& client;
  const std::function<bool()>& is_cancelled;
};

[[nodiscard]] Answer hover(const Question& question);
[[nodiscard]] Answer definition(const Question& question);
[[nodiscard]] Answer declaration(const Question& question);
[[nodiscard]] Answer references(const Question& question);
[[nodiscard]] Answer document_highlight(const Question& question);
[[nodiscard]] Answer document_symbol(const Question& question);
[[nodiscard]] Answer folding_range(const Question& question);
[[nodiscard]] Answer completion(const Question& question);
[[nodiscard]] Answer semantic_tokens(const Question& question);
[[nodiscard]] Answer semantic_tokens_in_range(const Question& question);
/// What the numbers of semantic tokens mean.
[[nodiscard]] Json semantic_tokens_legend();

/// The answer to a request about a document; nullptr: there is no such request.
using AnswerFunction = Answer (*)(const Question&);
[[nodiscard]] AnswerFunction answer_to(std::string_view method);

/// All that `ptxscope check` reports, as an array of Diagnostic.
[[nodiscard]] Json diagnostics(const Snapshot& snapshot, const Client& client);

/// The byte that `params` is about; nullopt: it names no position.
[[nodiscard]] std::optional<std::uint32_t> offset_in(const Question& question);
[[nodiscard]] Failure no_position();

}  // namespace ptxscope::lsp
