#include "heed/explain/alignment.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/json.h"

namespace heed {
float AlignmentView::weight(int64_t target, int64_t source) const {
  const float w = At(weights, target * source_size() + source);
  return w > 0.0f ? std::min(w, 1.0f) : 0.0f;
}

void CheckAlignment(const AlignmentView& view) {
  const int64_t cells = view.target_size() * view.source_size();
  if (static_cast<int64_t>(view.weights.size()) == cells) return;
  throw ShapeError("alignment: {} weights for {} target and {} source tokens",
                   view.weights.size(), view.target_size(), view.source_size());
}

std::vector<int64_t> HardAlignment(const AlignmentView& view) {
  CheckAlignment(view);
  std::vector<int64_t> links(view.target_tokens.size(), -1);
  for (int64_t t = 0; t < view.target_size(); ++t) {
    float best = 0.0f;
    for (int64_t s = 0; s < view.source_size(); ++s) {
      if (view.weight(t, s) <= best) continue;
      best = view.weight(t, s);
      links[t] = s;
    }
  }
  return links;
}

AlignmentView WithoutEnds(const AlignmentView& view) {
  CheckAlignment(view);
  constexpr std::string_view kEnd = "</s>";
  AlignmentView words = view;
  const auto drop_end = [&](std::vector<std::string>& tokens) {
    if (!tokens.empty() && tokens.back() == kEnd) tokens.pop_back();
  };
  drop_end(words.source_tokens);
  drop_end(words.target_tokens);
  words.weights.clear();
  for (int64_t t = 0; t < words.target_size(); ++t) {
    const auto row = view.weights.begin() + t * view.source_size();
    words.weights.insert(words.weights.end(), row, row + words.source_size());
  }
  return words;
}

AlignmentLinks LinksOf(const AlignmentView& view, const LinkOptions& options) {
  AlignmentLinks links;
  const std::vector<int64_t> best = HardAlignment(view);
  for (int64_t t = 0; t < view.target_size(); ++t) {
    if (best[t] < 0) continue;
    double sum = 0;
    for (int64_t s = 0; s < view.source_size(); ++s) sum += view.weight(t, s);
    if (options.allow_null && 1 - sum > view.weight(t, best[t])) continue;
    if (options.threshold <= 0) {
      links.insert({best[t], t});
      continue;
    }
    for (int64_t s = 0; s < view.source_size(); ++s) {
      if (view.weight(t, s) >= options.threshold) links.insert({s, t});
    }
  }
  return links;
}

std::string PharaohLine(const AlignmentView& view) {
  return FormatAlignment(view.links ? *view.links : LinksOf(WithoutEnds(view)));
}

std::string AlignmentJson(std::span<const AlignmentView> views) {
  auto sentences = nlohmann::ordered_json::array();
  for (const AlignmentView& view : views) {
    CheckAlignment(view);
    auto rows = nlohmann::ordered_json::array();
    for (int64_t t = 0; t < view.target_size(); ++t) {
      auto row = nlohmann::ordered_json::array();
      for (int64_t s = 0; s < view.source_size(); ++s) {
        row.push_back(std::round(view.weight(t, s) * 1e6) / 1e6);
      }
      rows.push_back(std::move(row));
    }
    sentences.push_back({{"source", view.source_tokens},
                         {"target", view.target_tokens},
                         {"weights", std::move(rows)}});
    if (!view.links) continue;
    auto links = nlohmann::ordered_json::array();
    for (const AlignmentLink& link : *view.links) {
      links.push_back({link.source, link.target});
    }
    sentences.back()["links"] = std::move(links);
  }
  const nlohmann::ordered_json document = {{"sentences", std::move(sentences)}};
  // Tokens may contain incomplete characters, which become U+FFFD.
  return DumpJson(document);
}

}  // namespace heed
