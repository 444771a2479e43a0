#include "heed/serve/prediction.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "heed/base/text.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
using Views = std::vector<std::string_view>;

Json NumberOf(std::string_view text) {
  const auto number = ParseNumber(text);
  return number ? Json(*number) : Json(text);
}

// "word, tab, probability, tab, ..."
Json Candidates(std::string_view line, const char* name) {
  Json list = Json::array();
  const Views parts = SplitAt(line, "\t");
  for (size_t i = 0; i + 1 < parts.size(); i += 2) {
    list.push_back({{name, parts[i]}, {"probability", NumberOf(parts[i + 1])}});
  }
  return list;
}

Json TagsOf(std::string_view line, std::string_view answer, bool intent,
            bool probabilities) {
  Json details;
  const size_t tab = intent ? answer.find('\t') : answer.npos;
  if (tab != answer.npos) {
    details["intent"] = answer.substr(0, tab);
    answer.remove_prefix(tab + 1);
  }
  details["words"] = SplitWhitespace(line);
  details["tags"] = Json::array();
  if (probabilities) details["probabilities"] = Json::array();
  for (const std::string_view tag : SplitWhitespace(answer)) {
    const size_t colon = probabilities ? tag.rfind(':') : tag.npos;
    details["tags"].push_back(tag.substr(0, colon));
    if (colon == tag.npos) continue;
    details["probabilities"].push_back(NumberOf(tag.substr(colon + 1)));
  }
  return details;
}

Json OfLine(const std::string& task, const Json& options, std::string_view line,
            std::string_view answer) {
  const std::string mode = options.value("mode", "");
  const bool probabilities = options.value("probabilities", false);
  if (task == "classify") {
    if (probabilities) return {{"labels", Candidates(answer, "label")}};
    Json labels = Json::array();
    if (!answer.empty()) {
      for (const std::string_view label : SplitAt(answer, ",")) {
        labels.push_back({{"label", label}});
      }
    }
    return {{"labels", labels}};
  }
  if (task == "tag" || task == "slots") {
    return TagsOf(line, answer, task == "slots", probabilities);
  }
  if (task == "lm" && mode == "complete") {
    return {{"completions", Candidates(answer, "word")}};
  }
  if (task == "lm" && mode == "score") {
    const Views parts = SplitAt(answer, "\t");
    if (parts.size() < 3) return Json::object();
    return {{"log_probability", NumberOf(parts[0])},
            {"tokens", NumberOf(parts[1])},
            {"perplexity", NumberOf(parts[2])}};
  }
  if (task == "pretrain" && mode == "next") {
    return {{"probability", NumberOf(answer)}};
  }
  if (task == "pretrain") {
    Json masks = Json::array();
    if (!answer.empty()) {
      for (const std::string_view mask : SplitAt(answer, " ||| ")) {
        masks.push_back(Candidates(mask, "word"));
      }
    }
    return {{"masks", masks}};
  }
  return Json::object();
}

// "query, place, score, id, text" a line
Json Hits(std::string_view answer) {
  Json hits = Json::array();
  if (answer.empty()) return {{"hits", hits}};
  for (const std::string_view line : SplitAt(answer, "\n")) {
    const Views parts = SplitAt(line, "\t");
    if (parts.size() < 5) continue;
    hits.push_back(
        {{"score", NumberOf(parts[2])}, {"id", parts[3]}, {"text", parts[4]}});
  }
  return {{"hits", hits}};
}

Json Rows(std::string_view answer) {
  const Views lines = SplitAt(answer, "\n");
  Json rows = Json::array();
  for (size_t i = 1; i < lines.size(); ++i) {
    Json row = Json::array();
    for (const std::string_view cell : SplitAt(lines[i], ",")) {
      row.push_back(NumberOf(cell));
    }
    rows.push_back(row);
  }
  return {{"rows", rows}};
}

}  // namespace

Json DetailsOf(const std::string& task, const Json& options,
               const std::string& text, const std::string& answer) {
  if (task == "retrieve") return Hits(answer);
  if (task == "forecast") return Rows(answer);
  if (task == "lm" && options.value("mode", "") == "sample") {
    return {{"samples", SplitAt(answer, "\n")}};
  }
  if (task == "translate") return {{"lines", SplitAt(answer, "\n")}};
  if (task == "tag" && options.value("input", "lines") == "columns") {
    return Json::object();
  }
  const Views lines = SplitAt(text, "\n");
  const Views answers = SplitAt(answer, "\n");
  if (lines.size() == 1) return OfLine(task, options, text, answer);
  Json list = Json::array();
  for (size_t i = 0; i < std::min(lines.size(), answers.size()); ++i) {
    list.push_back(OfLine(task, options, lines[i], answers[i]));
  }
  return list;
}

}  // namespace heed
