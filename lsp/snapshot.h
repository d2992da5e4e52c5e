// One version of a document and what is known of it, worked out when first asked for and kept. Changing a document makes
// another snapshot: who answers a question about the old text keeps that.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "analysis/outline.h"
#include "analysis/register_values.h"
#include "analysis/traps.h"
#include "lsp/text.h"
#include "parser/module.h"

namespace ptxscope::lsp {

/// A range of an editor's text.
struct TextRange {
  TextPosition begin, end;
};

class Snapshot {
 public:
  Snapshot(std::string uri, std::int64_t version, Text text)
      : uri_(std::move(uri)), version_(version), text_(std::move(text)) {}

  [[nodiscard]] const std::string& uri() const { return uri_; }
  [[nodiscard]] std::int64_t version() const { return version_; }
  [[nodiscard]] const Text& text() const { return text_; }
  [[nodiscard]] TextRange range_of(Span span) const {
    return {text_.position_of(span.begin), text_.position_of(span.end)};
  }

  // On any thread; who comes second waits for the first.
  [[nodiscard]] const Module& module() const { return *shared_module(); }
  [[nodiscard]] const analysis::Outline& outline() const;
  [[nodiscard]] bool is_parsed() const { return is_parsed_; }

  // On one thread only.
  [[nodiscard]] analysis::RegisterValues& values() const;
  /// What explain-trap says of that function; its `functions` may be empty.
  [[nodiscard]] const analysis::TrapReport& traps_of(std::uint32_t function) const;

 private:
  [[nodiscard]] const std::shared_ptr<const Module>& shared_module() const;

  std::string uri_;
  std::int64_t version_;
  Text text_;
  mutable std::once_flag parse_once_, outline_once_;
  mutable std::atomic<bool> is_parsed_ = false;
  mutable std::shared_ptr<const Module> module_;
  mutable analysis::Outline outline_;
  mutable std::unique_ptr<analysis::RegisterValues> values_;
  mutable std::unordered_map<std::uint32_t, analysis::TrapReport> traps_;
};

}  // namespace ptxscope::lsp
