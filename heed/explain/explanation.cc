#include "heed/explain/explanation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "heed/base/config.h"
#include "heed/base/errors.h"
#include "heed/metrics/rank_correlation.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

const char* NameOf(TokenSide side) {
  return side == TokenSide::kSource ? "source" : "target";
}

Json Rounded(double x) {
  if (!std::isfinite(x)) return nullptr;
  return std::round(x * 1e7) / 1e7;
}

/// Rows of `columns` numbers each.
Json RowsJson(std::span<const float> x, int64_t columns) {
  Json rows = Json::array();
  for (size_t begin = 0; columns > 0 && begin < x.size();
       begin += static_cast<size_t>(columns)) {
    Json row = Json::array();
    for (const float value : x.subspan(begin, static_cast<size_t>(columns))) {
      row.push_back(Rounded(value));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Json VectorsJson(const std::vector<std::vector<float>>& x) {
  Json rows = Json::array();
  for (const std::vector<float>& row : x) {
    Json numbers = Json::array();
    for (const float value : row) numbers.push_back(Rounded(value));
    rows.push_back(std::move(numbers));
  }
  return rows;
}

Json LayerJson(const LayerAttention& layer) {
  Json heads = Json::array(), entropy = Json::array(), distance = Json::array();
  for (int64_t h = 0; h < layer.heads; ++h) {
    heads.push_back(RowsJson(layer.OfHead(h), layer.key_size));
  }
  for (const HeadStatistics& head : StatisticsOf(layer)) {
    entropy.push_back(Rounded(head.entropy));
    distance.push_back(Rounded(head.distance));
  }
  return {{"layer", layer.layer},           {"queries", NameOf(layer.queries)},
          {"keys", NameOf(layer.keys)},     {"heads", layer.heads},
          {"weights", std::move(heads)},    {"entropy", std::move(entropy)},
          {"distance", std::move(distance)}};
}

Json PanelsJson(const AttentionPanels& p) {
  return {{"layer", p.layer},
          {"head", p.head},
          {"query", VectorsJson(p.query)},
          {"key", VectorsJson(p.key)},
          {"scores", VectorsJson(p.scores)},
          {"weights", VectorsJson(p.weights)},
          {"value", VectorsJson(p.value)},
          {"context", VectorsJson(p.context)}};
}

/// Where a position stands in 0 to 1.
double Place(int64_t position, int64_t size) {
  return size > 1
             ? static_cast<double>(position) / static_cast<double>(size - 1)
             : 0;
}

/// Magnitudes of a row.
std::vector<double> RowOf(std::span<const float> x, size_t row, size_t size) {
  std::vector<double> values;
  for (const float value : x.subspan(row * size, size)) {
    values.push_back(std::abs(value));
  }
  return values;
}

}  // namespace

std::vector<float> LayerAttention::MeanOfHeads() const {
  const auto cells = static_cast<size_t>(query_size * key_size);
  std::vector<float> mean(cells);
  for (size_t i = 0; i < weights.size(); ++i) mean[i % cells] += weights[i];
  for (float& w : mean) w /= static_cast<float>(heads);
  return mean;
}

std::vector<float> LayerAttention::OfHead(int64_t head) const {
  const int64_t cells = query_size * key_size;
  return {weights.begin() + head * cells, weights.begin() + (head + 1) * cells};
}

std::vector<HeadStatistics> StatisticsOf(const LayerAttention& attention) {
  const bool same_side = attention.queries == attention.keys;
  std::vector<HeadStatistics> heads;
  for (int64_t h = 0; h < attention.heads; ++h) {
    HeadStatistics sum;
    int64_t rows = 0;
    for (int64_t t = 0; t < attention.query_size; ++t) {
      double all = 0, entropy = 0, distance = 0;
      for (int64_t s = 0; s < attention.key_size; ++s) {
        const double a = attention.weight(h, t, s);
        if (!(a > 0)) continue;
        all += a;
        entropy -= a * std::log2(a);
        distance += a * (same_side ? std::abs(static_cast<double>(t - s))
                                   : std::abs(Place(t, attention.query_size) -
                                              Place(s, attention.key_size)));
      }
      if (all == 0) continue;
      ++rows;
      sum.entropy += entropy;
      sum.distance += distance;
    }
    const double n = static_cast<double>(std::max<int64_t>(rows, 1));
    heads.push_back({sum.entropy / n, sum.distance / n});
  }
  return heads;
}

size_t LayerNamed(const Explanation& explanation, const std::string& path) {
  std::vector<std::string> names;
  for (size_t i = 0; i < explanation.layers.size(); ++i) {
    if (explanation.layers[i].layer == path) return i;
    names.push_back(explanation.layers[i].layer);
  }
  throw ConfigError(fmt::format(
      "there is no attention '{}'{} ({})", path, DidYouMean(path, names),
      names.empty() ? "the model has none"
                    : fmt::format("there are: {}", fmt::join(names, ", "))));
}

std::vector<float> AlignmentWeights(const Explanation& explanation) {
  const size_t sources = explanation.source.size();
  std::vector<float> weights(explanation.target.size() * sources);
  if (!explanation.alignment) return weights;
  const LayerAttention& layer = explanation.layers.at(*explanation.alignment);
  if (static_cast<size_t>(layer.key_size) != sources) {
    throw ShapeError(fmt::format("alignment: '{}' attends to {} tokens of {}",
                                 layer.layer, layer.key_size, sources));
  }
  const int64_t head = explanation.alignment_head;
  const std::vector<float> all =
      head < 0 ? layer.MeanOfHeads() : layer.OfHead(head);
  for (size_t i = 0; i < explanation.alignment_rows.size(); ++i) {
    const int64_t row = explanation.alignment_rows[i];
    if (row < 0 || row >= layer.query_size || i >= explanation.target.size()) {
      continue;
    }
    std::copy_n(all.begin() + row * layer.key_size, sources,
                weights.begin() + static_cast<int64_t>(i * sources));
  }
  return weights;
}

AlignmentView AlignmentOf(const Explanation& explanation) {
  AlignmentView view;
  if (!explanation.alignment) return view;
  view.source_tokens = explanation.source;
  view.target_tokens = explanation.target;
  view.weights = AlignmentWeights(explanation);
  view.title = explanation.answer;
  return view;
}

AlignmentView ViewOfHead(const Explanation& explanation, size_t layer,
                         int64_t head) {
  const LayerAttention& attention = explanation.layers.at(layer);
  if (head >= attention.heads) {
    throw ConfigError(fmt::format("'{}' has {} heads, there is no head {}",
                                  attention.layer, attention.heads, head));
  }
  const auto tokens_of = [&](TokenSide side, int64_t size) {
    std::vector<std::string> tokens = explanation.tokens(side);
    tokens.resize(static_cast<size_t>(size));
    return tokens;
  };
  AlignmentView view;
  view.source_tokens = tokens_of(attention.keys, attention.key_size);
  view.target_tokens = tokens_of(attention.queries, attention.query_size);
  view.weights = head < 0 ? attention.MeanOfHeads() : attention.OfHead(head);
  view.title = head < 0 ? fmt::format("{}, mean of heads", attention.layer)
                        : fmt::format("{}, head {}", attention.layer, head);
  return view;
}

void CompareWithAttention(Explanation& explanation) {
  explanation.agreements.clear();
  if (!explanation.alignment) return;
  const std::vector<float> attention = AlignmentWeights(explanation);
  const size_t sources = explanation.source.size();
  for (const Attribution& attribution : explanation.attributions) {
    Agreement agreement{.method = attribution.method};
    for (size_t t = 0; t < explanation.target.size(); ++t) {
      const std::vector<double> a = RowOf(attention, t, sources);
      const std::vector<double> b = RowOf(attribution.scores, t, sources);
      const auto spearman = SpearmanCorrelation(a, b);
      const auto kendall = KendallCorrelation(a, b);
      if (!spearman || !kendall) continue;
      agreement.spearman += *spearman;
      agreement.kendall += *kendall;
      ++agreement.targets;
    }
    if (agreement.targets > 0) {
      agreement.spearman /= static_cast<double>(agreement.targets);
      agreement.kendall /= static_cast<double>(agreement.targets);
    }
    explanation.agreements.push_back(std::move(agreement));
  }
}

Json ExplanationJson(const Explanation& e) {
  Json json = {{"version", 1},           {"task", e.task},
               {"model", e.model},       {"text", e.text},
               {"answer", e.answer},     {"source", e.source},
               {"target", e.target},     {"target_inputs", e.target_inputs},
               {"layers", Json::array()}};
  for (const LayerAttention& layer : e.layers) {
    json["layers"].push_back(LayerJson(layer));
  }
  json["alignment"] = e.alignment ? Json(*e.alignment) : Json(nullptr);
  json["alignment_head"] = e.alignment_head;
  json["alignment_rows"] = e.alignment_rows;
  json["attributions"] = Json::array();
  for (const Attribution& attribution : e.attributions) {
    Json entry = {{"method", attribution.method},
                  {"scores", RowsJson(attribution.scores,
                                      static_cast<int64_t>(e.source.size()))}};
    if (!attribution.differences.empty()) {
      Json differences = Json::array();
      for (const double d : attribution.differences) {
        differences.push_back(Rounded(d));
      }
      entry["differences"] = std::move(differences);
    }
    json["attributions"].push_back(std::move(entry));
  }
  json["agreements"] = Json::array();
  for (const Agreement& agreement : e.agreements) {
    json["agreements"].push_back({{"method", agreement.method},
                                  {"spearman", Rounded(agreement.spearman)},
                                  {"kendall", Rounded(agreement.kendall)},
                                  {"targets", agreement.targets}});
  }
  json["panels"] = Json::array();
  for (const AttentionPanels& panels : e.panels) {
    json["panels"].push_back(PanelsJson(panels));
  }
  return json;
}

}  // namespace heed
