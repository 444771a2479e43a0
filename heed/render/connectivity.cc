#include "heed/render/connectivity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/render/connectivity_layout.h"

namespace heed {
namespace {

// After this many characters, a word can mostly be predicted without memory.
constexpr int64_t kFewTyped = 2;

/// Start of the word of character t, at the preceding space.
int64_t WordStart(const Connectivity& c, int64_t t) {
  while (t > 0 && At(c.characters, t) != " ") --t;
  return t;
}

}  // namespace

float Connectivity::Share(int64_t t, int64_t s) const {
  float largest = 0;
  for (int64_t i = 0; i <= t; ++i) largest = std::max(largest, value(t, i));
  return largest > 0 ? value(t, s) / largest : 0;
}

double Connectivity::MeanDistance(int64_t t) const {
  double sum = 0;
  double distance = 0;
  for (int64_t s = 0; s <= t; ++s) {
    sum += static_cast<double>(value(t, s));
    distance += static_cast<double>(value(t, s)) * static_cast<double>(t - s);
  }
  return sum > 0 ? distance / sum : 0;
}

void CheckConnectivity(const Connectivity& c) {
  const size_t T = c.characters.size();
  if (c.words.size() != T || c.suggestions.size() != T ||
      c.values.size() != T * T) {
    throw ShapeError(
        "connectivity: {} characters, {} words, {} suggestions and {} values",
        T, c.words.size(), c.suggestions.size(), c.values.size());
  }
}

std::vector<int64_t> FarthestAttention(std::span<const Connectivity> models,
                                       int count) {
  CheckSameText(models);
  if (models.empty()) return {};
  const Connectivity& text = models.front();
  std::vector<std::pair<double, int64_t>> looks;
  for (int64_t t = 0; t < text.size(); ++t) {
    const int64_t typed = t - WordStart(text, t);
    if (typed > kFewTyped || At(text.words, t).empty()) {
      continue;
    }
    double distance = 0;
    for (const Connectivity& c : models) distance += c.MeanDistance(t);
    looks.emplace_back(-distance, t);
  }
  std::sort(looks.begin(), looks.end());
  std::vector<int64_t> chosen;
  std::set<int64_t> words;
  for (const auto& [distance, t] : looks) {
    if (std::ssize(chosen) == count) break;
    if (words.insert(WordStart(text, t)).second) chosen.push_back(t);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

void CheckSameText(std::span<const Connectivity> models) {
  for (const Connectivity& c : models) {
    CheckConnectivity(c);
    if (c.characters != models.front().characters) {
      throw ShapeError("connectivity: models that read different texts");
    }
  }
}

std::vector<TypedLine> TypedLines(const Connectivity& c, int64_t max) {
  std::vector<TypedLine> lines;
  for (int64_t begin = 0; begin < c.size();) {
    int64_t end = std::min(begin + max, c.size());
    if (end < c.size()) {
      int64_t space = end;
      while (space > begin && At(c.characters, space) != " ") {
        --space;
      }
      if (space > begin) end = space;
    }
    lines.push_back({begin, end});
    begin = end;
  }
  return lines;
}

std::string GuessLabel(const Connectivity& c, int64_t t) {
  const std::string& word = At(c.words, t);
  const auto typed = static_cast<size_t>(t - WordStart(c, t));
  const auto characters = Utf8Characters(word);
  if (typed == 0 || typed >= characters.size()) return word;
  const auto bytes =
      static_cast<size_t>(characters[typed].data() - word.data());
  return word.substr(0, bytes) + "|" + word.substr(bytes);
}

nlohmann::ordered_json ConnectivityJson(std::span<const Connectivity> models) {
  using Json = nlohmann::ordered_json;
  Json all = Json::array();
  for (const Connectivity& c : models) {
    CheckConnectivity(c);
    Json suggestions = Json::array();
    for (const std::vector<Suggestion>& row : c.suggestions) {
      Json words = Json::array();
      for (const Suggestion& s : row) {
        words.push_back({{"word", s.word}, {"probability", s.probability}});
      }
      suggestions.push_back(std::move(words));
    }
    Json rows = Json::array();
    for (int64_t t = 0; t < c.size(); ++t) {
      const auto begin = c.values.begin() + t * c.size();
      rows.push_back(std::vector<float>(begin, begin + t + 1));
    }
    all.push_back({{"model", c.model},
                   {"characters", c.characters},
                   {"words", c.words},
                   {"suggestions", std::move(suggestions)},
                   {"connectivity", std::move(rows)}});
  }
  return {{"models", std::move(all)}};
}

Explanation ConnectivityExplanation(const Connectivity& c) {
  CheckConnectivity(c);
  ExplanationSegment segment;
  segment.text = fmt::format("{}", fmt::join(c.characters, ""));
  segment.axes = {{.id = "source", .label = "Typed", .items = c.characters},
                  {.id = "target", .label = "Guessed"}};
  Attribution connectivity = {"connectivity", c.values, {}, "source", {}};
  for (int64_t t = 0; t < c.size(); ++t) {
    const auto i = static_cast<size_t>(t);
    Target target = {.item = t};
    for (const Suggestion& suggestion : c.suggestions[i]) {
      target.alternatives.push_back({suggestion.word, suggestion.probability});
    }
    segment.axes[1].items.push_back(!c.words[i].empty() ||
                                            c.suggestions[i].empty()
                                        ? c.words[i]
                                        : c.suggestions[i].front().word);
    segment.targets.push_back(std::move(target));
    connectivity.targets.push_back(i);
  }
  segment.attributions = {std::move(connectivity)};
  return {.task = "",
          .model = c.model,
          .text = segment.text,
          .answer = "",
          .segments = {segment}};
}

}  // namespace heed
