#include "report/page.h"

#include <nlohmann/json.hpp>

#include "report/diff.h"
#include "report/html.h"
#include "report/page_assets.h"
#include "report/page_data.h"
#include "report/terminal.h"

namespace ptxscope::report {

namespace {

// One function shown in full, as the script finds it.
std::string data_element(const std::string& id, const std::string& json) {
  return "<script type=\"application/json\" id=\"" + id + "\">" + json + "</script>\n";
}

// Puts `content` in the place of each @NAME@; what is put in is not looked into.
std::string filled(std::string_view skeleton,
                   std::initializer_list<std::pair<std::string_view, std::string_view>> content) {
  std::string out;
  for (std::size_t at = 0; at < skeleton.size();) {
    bool is_place = false;
    if (skeleton[at] == '@') {
      for (const auto& [name, text] : content) {
        if (skeleton.compare(at + 1, name.size(), name) != 0 || skeleton.compare(at + 1 + name.size(), 1, "@") != 0)
          continue;
        out += text;
        at += name.size() + 2;
        is_place = true;
        break;
      }
    }
    if (!is_place) out += skeleton[at++];
  }
  return out;
}

}  // namespace

std::string page_html(std::span<const PageFile> files, const analysis::ModuleDiff* diff, const PageOptions& options) {
  Json data;
  data["schema"] = "ptxscope.report/1";
  data["version"] = json_string(options.version);
  data["verdict"] = nullptr;
  data["files"] = Json::array();
  std::string title;
  std::string documents;
  std::uint32_t next_document = 0;
  bool is_full = false;
  for (std::size_t place = 0; place < files.size(); ++place) {
    const PageFile& file = files[place];
    std::vector<std::uint32_t> numbers;
    std::uint32_t left_out = 0;
    for (const Json& document : function_documents(file, place)) {
      const std::string text = is_full ? std::string() : script_json(document);
      is_full = is_full || documents.size() + text.size() > options.most_bytes;
      numbers.push_back(is_full ? no_index : next_document);
      if (is_full) {
        ++left_out;
        continue;
      }
      documents += data_element("function-" + std::to_string(next_document++), text);
    }
    Json overview = file_overview(file, numbers, options.most_rows);
    overview["not_detailed"] = overview["not_detailed"].get<std::uint32_t>() + left_out;
    data["files"].push_back(std::move(overview));
    title += (title.empty() ? "" : " \xe2\x86\x92 ") + printable(file.module->file_name(), 200);
  }
  std::string diff_part;
  if (diff != nullptr && files.size() == 2) {
    const Module& a = *files[0].module;
    const Module& b = *files[1].module;
    data["verdict"] = json_string(diff_verdict(a, b, *diff));
    data["same_code"] = diff->same_code;
    diff_part = diff_html_part(a, b, *diff);
  }
  const std::string style = std::string(diff_html_style()) + page_style();
  return filled(page_skeleton(), {{"TITLE", html_escaped(title)},
                                  {"HASH", page_script_hash()},
                                  {"STYLE", style},
                                  {"DIFF", diff_part},
                                  {"DATA", data_element("data", script_json(data)) + documents},
                                  {"SCRIPT", page_script()}});
}

}  // namespace ptxscope::report
