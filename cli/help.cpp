#include "cli/help.h"

#include <algorithm>
#include <numeric>

namespace ptxscope::cli {
namespace {

constexpr std::size_t text_width = 100;

// Appends `text` word by word, continuation lines indented to `indent`; the cursor stands at `indent` already.
void wrap(std::string& out, std::string_view text, std::size_t indent) {
  std::size_t column = indent;
  bool first = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (!first && column + 1 + word.size() > text_width) {
      out += '\n';
      out.append(indent, ' ');
      column = indent;
      first = true;
    }
    if (!first) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    first = false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  out += '\n';
}

void entry(std::string& out, std::string_view left, std::string_view right, std::size_t indent) {
  out += "  ";
  out += left;
  if (left.size() + 4 > indent) {
    out += '\n';
    out.append(indent, ' ');
  } else {
    out.append(indent - left.size() - 2, ' ');
  }
  wrap(out, right, indent);
}

std::string left_side(const CLI::Option& option) {
  std::string text;
  for (const auto& name : option.get_snames()) text += (text.empty() ? "-" : ", -") + name;
  for (const auto& name : option.get_lnames()) text += (text.empty() ? "    --" : ", --") + name;
  const std::string type = option.get_type_name();
  if (option.get_expected_max() > 0 && !type.empty()) text += " " + type;
  return text;
}

void options_of(std::string& out, const CLI::App& app, const std::string& group, std::string_view title) {
  const auto options = app.get_options(
      [&](const CLI::Option* option) { return option->nonpositional() && option->get_group() == group; });
  if (options.empty()) return;
  out += '\n';
  out += title;
  out += '\n';
  for (const CLI::Option* option : options) entry(out, left_side(*option), option->get_description(), 26);
}

}  // namespace

std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode) const {
  std::string out;
  const auto commands = app->get_subcommands([](const CLI::App*) { return true; });
  if (app->get_parent() != nullptr && name.find(' ') == std::string::npos)
    name = app->get_parent()->get_name() + " " + name;
  if (commands.empty()) {
    out += name + " - " + app->get_description() + "\n\nusage: " + name + " [options]";
    for (const CLI::Option* option : app->get_options())
      if (!option->nonpositional()) out += " " + option->get_type_name();
    out += '\n';
  } else {
    out += app->get_description() + "\n\nusage: " + app->get_name() + " COMMAND [options] FILE...\n\ncommands\n";
    for (const CLI::App* command : commands) entry(out, command->get_name(), command->get_description(), 18);
  }
  options_of(out, *app, "Options", "options");
  options_of(out, *app, common_group, commands.empty() ? "options of all commands" : "options");
  if (const std::string footer = app->get_footer(); !footer.empty()) out += "\n" + footer;
  return out;
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = word.size() / 3 + 2;
  std::vector<std::size_t> row;
  for (const std::string& candidate : candidates) {
    row.resize(candidate.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < word.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i + 1;
      for (std::size_t j = 0; j < candidate.size(); ++j) {
        const std::size_t substitution = diagonal + (word[i] == candidate[j] ? 0 : 1);
        diagonal = row[j + 1];
        row[j + 1] = std::min({substitution, row[j] + 1, row[j + 1] + 1});
      }
    }
    // A beginning ("--kern") is always a good guess.
    const std::size_t distance = word.size() >= 3 && candidate.starts_with(word) ? 1 : row.back();
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace ptxscope::cli
