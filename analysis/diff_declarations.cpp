#include "analysis/diff_declarations.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>

#include "analysis/diff_function.h"

namespace ptxscope::analysis::diff {

namespace {

std::string joined(std::span<const std::string_view> words, std::span<const std::string_view> more) {
  std::string out;
  for (const auto list : {words, more})
    for (const std::string_view word : list) out += (out.empty() ? "" : ", ") + std::string(word);
  return out;
}

std::string version_of(const Header& header) {
  if (header.version_span.empty()) return {};
  return std::to_string(header.version_major) + "." + std::to_string(header.version_minor);
}

// Without white space: two spellings of one directive.
std::string squeezed(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (std::isspace(static_cast<unsigned char>(c)) == 0) out += c;
  return out;
}

Edit edit_of(EditPart part, Span a, Span b) {
  Edit edit;
  edit.part = part;
  edit.op = a.empty() ? EditOp::insert : b.empty() ? EditOp::remove : EditOp::replace;
  if (!a.empty()) edit.a = {no_index, 1, a};
  if (!b.empty()) edit.b = {no_index, 1, b};
  return edit;
}

// From `.param` on; the declarator alone says too little.
Span whole_parameter(const Module& module, const Function& function, const Variable& parameter) {
  const std::string_view text = module.text().substr(0, parameter.span.begin);
  std::size_t begin = parameter.span.begin;
  for (const std::string_view word : {".param", ".reg"}) {
    const std::size_t at = text.rfind(word);
    if (at != std::string_view::npos && at >= function.span.begin && (begin == parameter.span.begin || at > begin))
      begin = at;
  }
  return {static_cast<std::uint32_t>(begin), parameter.span.end};
}

// The whole statement, where it declares nothing else.
Span whole_declaration(const Module& module, const Variable& variable) {
  return variable.statement == no_index ? variable.span : module.statement(variable.statement).span();
}

struct Signatures {
  const Module& a;
  const Module& b;
  const Function& left;
  const Function& right;
};

void compare_parameters(const Signatures& of, const std::vector<Variable>& a, const std::vector<Variable>& b,
                        std::vector<Edit>& out) {
  const std::size_t most = std::max(a.size(), b.size());
  for (std::size_t i = 0; i < most; ++i) {
    if (i < a.size() && i < b.size() && same_declaration(a[i], b[i])) continue;
    out.push_back(edit_of(EditPart::signature, i < a.size() ? whole_parameter(of.a, of.left, a[i]) : Span{},
                          i < b.size() ? whole_parameter(of.b, of.right, b[i]) : Span{}));
  }
}

struct DirectiveText {
  std::string text;
  const FunctionDirective* directive;
  bool matched = false;
};

void compare_directives(const Module& a, const Module& b, const Function& left, const Function& right,
                        std::vector<Edit>& out) {
  const auto gather = [](const Module& module, const Function& function) {
    std::vector<DirectiveText> list;
    for (const FunctionDirective& one : function.directives) list.push_back({squeezed(module.text(one.span)), &one});
    return list;
  };
  std::vector<DirectiveText> x = gather(a, left);
  std::vector<DirectiveText> y = gather(b, right);
  const auto match = [&](auto fits, auto found) {
    for (DirectiveText& one : x) {
      if (one.matched) continue;
      const auto other = std::ranges::find_if(y, [&](const DirectiveText& d) { return !d.matched && fits(one, d); });
      if (other == y.end()) continue;
      one.matched = other->matched = true;
      found(one, *other);
    }
  };
  match([](const auto& p, const auto& q) { return p.text == q.text; }, [](const auto&, const auto&) {});
  match([](const auto& p, const auto& q) { return p.directive->word == q.directive->word; },
        [&](const auto& p, const auto& q) {
          out.push_back(edit_of(EditPart::directive, p.directive->span, q.directive->span));
        });
  for (const DirectiveText& one : x)
    if (!one.matched) out.push_back(edit_of(EditPart::directive, one.directive->span, {}));
  for (const DirectiveText& one : y)
    if (!one.matched) out.push_back(edit_of(EditPart::directive, {}, one.directive->span));
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%'; }

// A variable that one side only has changes nothing where nothing can reach it: it is shared memory, which the host cannot
// name, or another module's, and its name stands in the text once. (A comment counts as text.)
void find_unused(const Module& module, bool is_a, std::vector<DeclarationDiff>& found) {
  const auto name_of = [&](const DeclarationDiff& one) -> const std::string& { return is_a ? one.a_name : one.b_name; };
  const FunctionStatus status = is_a ? FunctionStatus::removed : FunctionStatus::added;
  std::unordered_map<std::string_view, std::uint32_t> counts;
  for (const DeclarationDiff& one : found) {
    if (one.status != status || name_of(one).empty()) continue;
    const Variable* const variable = module.find_variable(module.find_name(name_of(one)));
    if (variable == nullptr) continue;
    const bool is_private = variable->linkage == Linkage::none && variable->space == StateSpace::shared;
    if (is_private || variable->linkage == Linkage::external) counts.emplace(name_of(one), 0);
  }
  if (counts.empty()) return;
  const std::string_view text = module.text();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_word(text[i])) continue;
    std::size_t end = i + 1;
    while (end < text.size() && is_word(text[end])) ++end;
    if (const auto place = counts.find(text.substr(i, end - i)); place != counts.end()) ++place->second;
    i = end;
  }
  for (DeclarationDiff& one : found) {
    if (one.status != status) continue;
    if (const auto place = counts.find(name_of(one)); place != counts.end() && place->second == 1)
      one.effect = EditEffect::unused;
  }
}

}  // namespace

std::vector<HeaderChange> compare_headers(const Module& a, const Module& b) {
  std::vector<HeaderChange> out;
  const auto add = [&](std::string field, std::string left, std::string right) {
    if (left != right) out.push_back({std::move(field), std::move(left), std::move(right)});
  };
  const Header& left = a.header();
  const Header& right = b.header();
  add("version", version_of(left), version_of(right));
  add("target", joined(left.targets, left.options), joined(right.targets, right.options));
  // PTX ISA 11.1.3: without the directive it is 32. A text without any header has none.
  const auto address_size = [](const Header& header) {
    if (header.address_size == 0 && header.version_span.empty()) return std::string();
    return std::to_string(header.address_size == 0 ? 32U : header.address_size);
  };
  add("address_size", address_size(left), address_size(right));
  return out;
}

void compare_signatures(const Module& a, const Module& b, const Function& left, const Function& right,
                        std::vector<Edit>& out) {
  if (left.kind != right.kind || left.linkage != right.linkage || left.has_body != right.has_body)
    out.push_back(
        edit_of(EditPart::signature, {left.span.begin, left.name_span.end}, {right.span.begin, right.name_span.end}));
  const Signatures both{a, b, left, right};
  compare_parameters(both, left.return_parameters, right.return_parameters, out);
  compare_parameters(both, left.parameters, right.parameters, out);
  compare_directives(a, b, left, right, out);
}

void compare_variables(const Module& a, const Module& b, std::span<const Pairing> pairs, BodyReader& reader_a,
                       BodyReader& reader_b, std::vector<DeclarationDiff>& out) {
  for (const Pairing& pair : pairs) {
    const Variable* const left = pair.a == no_index ? nullptr : &a.variables()[pair.a];
    const Variable* const right = pair.b == no_index ? nullptr : &b.variables()[pair.b];
    DeclarationDiff one;
    if (left != nullptr) {
      one.a_name = a.name(left->name);
      one.a = whole_declaration(a, *left);
    }
    if (right != nullptr) {
      one.b_name = b.name(right->name);
      one.b = whole_declaration(b, *right);
    }
    if (left == nullptr || right == nullptr) {
      one.status = left == nullptr ? FunctionStatus::added : FunctionStatus::removed;
    } else if (!same_declaration(*left, *right) ||
               (!left->initializer.empty() && reader_a.initializer(*left) != reader_b.initializer(*right))) {
      one.status = FunctionStatus::changed;
    } else if (one.a_name != one.b_name) {
      one.status = FunctionStatus::renamed;
      one.effect = EditEffect::unused;
    } else {
      continue;
    }
    out.push_back(std::move(one));
  }
  find_unused(a, true, out);
  find_unused(b, false, out);
}

namespace {

struct OtherStatement {
  std::string text;
  Span span;
};

std::vector<OtherStatement> other_statements(const Module& module) {
  std::vector<OtherStatement> out;
  const auto functions = module.functions();
  std::size_t next = 0;
  for (std::uint32_t i = 0; i < module.statement_count(); ++i) {
    while (next < functions.size() && functions[next].header < i) ++next;
    if (next < functions.size() && functions[next].header == i) {
      if (functions[next].has_body) i = functions[next].body_end;
      continue;
    }
    switch (module.statement(i).kind()) {
      case StatementKind::instruction:
      case StatementKind::label:
      case StatementKind::registers:
      case StatementKind::pragma:
      case StatementKind::alias:
      case StatementKind::directive:
      case StatementKind::unparsed:
        out.push_back({squeezed(module.statement(i).text()), module.statement(i).span()});
        break;
      default:
        break;
    }
  }
  return out;
}

}  // namespace

void compare_other_statements(const Module& a, const Module& b, std::vector<DeclarationDiff>& out) {
  std::vector<OtherStatement> left = other_statements(a);
  std::vector<OtherStatement> right = other_statements(b);
  std::ranges::stable_sort(left, {}, &OtherStatement::text);
  std::ranges::stable_sort(right, {}, &OtherStatement::text);
  std::size_t i = 0;
  std::size_t j = 0;
  const auto add = [&](FunctionStatus status, Span x, Span y) {
    DeclarationDiff one;
    one.status = status;
    one.a = x;
    one.b = y;
    out.push_back(std::move(one));
  };
  while (i < left.size() || j < right.size()) {
    if (j == right.size() || (i < left.size() && left[i].text < right[j].text)) {
      add(FunctionStatus::removed, left[i++].span, {});
    } else if (i == left.size() || right[j].text < left[i].text) {
      add(FunctionStatus::added, {}, right[j++].span);
    } else {
      ++i;
      ++j;
    }
  }
}

}  // namespace ptxscope::analysis::diff
