// Labels and the scopes they are seen in (PTX ISA 9.7.12.1).
#include "analysis/labels.h"

#include <string>

#include "tests/catch.h"

using namespace ptxscope;
using namespace ptxscope::analysis;

namespace {

// At each `ask NAME` (a `bra` in the text) the line of the label that is seen there, and of the only one of that name.
struct Labels {
  explicit Labels(const std::string& body)
      : module(parse(".version 8.0\n.target sm_80\n.func f()\n{\n" + body + "\n}\n", "k.ptx")),
        scopes(module, module.functions().front()) {
    const Function& function = module.functions().front();
    for (std::uint32_t s = function.body_begin + 1; s < function.body_end; ++s) {
      const Statement statement = module.statement(s);
      scopes.visit(statement);
      if (statement.kind() != StatementKind::instruction || statement.opcode().mnemonic != "bra") continue;
      const NameId name = statement.operands()[0].name();
      told += (told.empty() ? "" : " ") + line(scopes.find(name)) + "/" + line(scopes.find_hidden(name));
    }
  }
  [[nodiscard]] std::string line(std::uint32_t statement) const {
    return statement == no_index ? "-" : std::to_string(module.line_of_statement(statement) - 4);
  }

  Module module;
  LabelScopes scopes;
  std::string told;
};

}  // namespace

TEST_CASE("labels are seen in their scope and the scopes inside, before and behind them") {
  CHECK(Labels("bra A;\nA:\nbra A;\n{ bra A; }").told == "2/2 2/2 2/2");
  CHECK(Labels("{\nA:\nbra A;\n}\nbra A;").told == "2/2 -/2");
  CHECK(Labels("bra B;").told == "-/-");
  CHECK(Labels("A:\n{ bra A;\nA: bra A;\n}\nbra A;").told == "3/- 3/- 1/-");
  CHECK(Labels("{\nA:\n}\n{\nA:\nbra A;\n}\nbra A;").told == "5/- -/-");
  CHECK(Labels("A:\n{\n{\nA:\n}\nbra A;\n}\n}\n").told == "1/-");
  CHECK(Labels("{\n{\nA:\n}\nA: bra A;\n}\nbra A;").told == "5/- -/-");
  CHECK(Labels("A:\nA:\nbra A;").told == "1/-");  // the first one counts
}

TEST_CASE("a label declared again in its scope is told, in another scope it is not") {
  const auto again = [](const std::string& body) {
    const Labels labels(body);
    std::string all;
    for (const auto& one : labels.scopes.duplicates())
      all += (all.empty() ? "" : ", ") + labels.line(one.first) + " of " + labels.line(one.second);
    return all;
  };
  CHECK(again("A:\nB:\n{ A: }\nC:").empty());
  CHECK(again("A:\nB:\nA:\nA:\nB:") == "3 of 1, 4 of 1, 5 of 2");
  CHECK(again("A:\n{\nA:\nA:\n}\nA:") == "6 of 1, 4 of 3");
  CHECK(again("{\nA:\n}\n{\nA:\n}").empty());
  CHECK(Labels("").scopes.empty());
  CHECK_FALSE(Labels("A:").scopes.empty());
}
