#include "heed/tasks/explain_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "heed/base/text.h"
#include "heed/train/progress.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

template <typename T, typename Of>
int WidestName(const std::vector<T>& all, int min, const Of& name) {
  int width = min;
  for (const T& one : all) width = std::max(width, DisplayWidth(name(one)));
  return width;
}

const LayerImportance* ImportanceOf(const ExplainSummary& summary,
                                    const std::string& layer) {
  const auto found =
      std::ranges::find(summary.importance, layer, &LayerImportance::layer);
  return found == summary.importance.end() ? nullptr : &*found;
}

std::string OrDash(double value) {
  return std::isnan(value) ? "–" : fmt::format("{:.3f}", value);
}

/// Table of the likeness of heads, for layers with several heads.
std::string SimilarityTable(const std::vector<LayerStatistics>& layers,
                            int width) {
  std::string table;
  for (const LayerStatistics& layer : layers) {
    if (std::isnan(layer.similarity)) continue;
    if (table.empty()) {
      table = fmt::format(
          "\n{:<{}} {:>9} {:>9}   mean cosine of two heads; 1: all are the "
          "same\n",
          "layer", width, "weights", "contexts");
    }
    table += fmt::format("{:<{}} {:>9.3f} {:>9}\n", layer.layer, width,
                         layer.similarity, OrDash(layer.context_similarity));
  }
  return table;
}

std::string HeadTable(const ExplainSummary& summary) {
  if (summary.layers.empty())
    return "the model has no attention; --methods shows what its "
           "answers depend on\n";
  const int width =
      WidestName(summary.layers, 5, [](const auto& x) { return x.layer; });
  const bool importance = !summary.importance.empty();
  std::string table = fmt::format(
      "{:<{}} {:>5} {:>9} {:>9} {:>9} {:>9}{}\n", "layer", width, "head",
      "entropy", "words", "distance", "step", importance ? " importance" : "");
  for (const LayerStatistics& layer : summary.layers) {
    const LayerImportance* own = ImportanceOf(summary, layer.layer);
    for (size_t h = 0; h < layer.heads.size(); ++h) {
      const HeadStatistics& head = layer.heads[h];
      table += fmt::format("{:<{}} {:>5} {:>9.3f} {:>9.3f} {:>9.3f} {:>9}",
                           h == 0 ? layer.layer : "", width, h, head.entropy,
                           head.words, head.distance, OrDash(head.step));
      if (own != nullptr) table += fmt::format(" {:>10.3f}", own->heads[h]);
      table += '\n';
    }
  }
  return table + SimilarityTable(summary.layers, width);
}

std::string AgreementTable(const std::vector<Agreement>& agreements) {
  if (agreements.empty()) return "";
  const int width =
      WidestName(agreements, 6, [](const auto& x) { return x.method; });
  std::string table =
      fmt::format("\n{:<{}} {:>9} {:>9} {:>8}   attention against the method\n",
                  "method", width, "Spearman", "Kendall", "targets");
  for (const Agreement& a : agreements) {
    table += fmt::format("{:<{}} {:>9.3f} {:>9.3f} {:>8}\n", a.method, width,
                         a.spearman, a.kendall, a.targets);
  }
  return table;
}

std::string FaithfulnessTable(const std::vector<FaithfulnessCurve>& curves) {
  if (curves.empty()) return "";
  const int width =
      WidestName(curves, 6, [](const auto& x) { return x.method; });
  std::string table = fmt::format(
      "\n{:<{}} {:>9} {:>9}   areas: deletion should be small, insertion "
      "great\n",
      "order", width, "deletion", "insertion");
  for (const FaithfulnessCurve& c : curves) {
    table += fmt::format("{:<{}} {:>9.4f} {:>9.4f}\n", c.method, width,
                         c.deletion_area(), c.insertion_area());
  }
  return table;
}

/// Attention weights as an attribution to the items of `scores`; none unless an
/// attention map explains every target.
std::optional<Attribution> AttentionOrder(const ExplanationSegment& segment,
                                          const Explainable& scores) {
  Attribution order = {"attention", {}, {}, scores.axis, scores.of_targets};
  for (const size_t i : scores.of_targets) {
    const Target& target = segment.targets.at(i);
    if (!target.map || segment.maps.at(*target.map).key != scores.axis) {
      return std::nullopt;
    }
    const std::vector<float> row = RowOf(segment, target);
    order.scores.insert(order.scores.end(), row.begin(), row.end());
  }
  return order;
}

}  // namespace

std::vector<FaithfulnessCurve> FaithfulnessOf(const ExplainedPrediction& answer,
                                              uint64_t seed) {
  std::vector<FaithfulnessCurve> mean;
  for (size_t i = 0; i < answer.scores.size(); ++i) {
    const ExplanationSegment& segment = answer.explanation.segments.at(i);
    for (const Explainable& scores : answer.scores[i]) {
      std::vector<Attribution> orders;
      if (auto attention = AttentionOrder(segment, scores)) {
        orders.push_back(std::move(*attention));
      }
      for (const Attribution& attribution : segment.attributions) {
        if (attribution.axis == scores.axis) orders.push_back(attribution);
      }
      AddToMean(MeasureFaithfulness(scores, orders, seed), mean);
    }
  }
  return mean;
}

void ExplainSummarizer::AddStatistics(const ExplanationSegment& segment) {
  for (const AttentionMap& map : segment.maps) {
    auto known =
        std::ranges::find(sums_.layers, map.name, &LayerStatistics::layer);
    if (known == sums_.layers.end()) {
      sums_.layers.push_back(
          {map.name,
           std::vector<HeadStatistics>(static_cast<size_t>(map.heads)),
           map.within_axis(), map.heads > 1 ? 0.0 : NAN,
           map.heads > 1 ? 0.0 : NAN});
      for (HeadStatistics& head : sums_.layers.back().heads) head.step = 0;
      texts_of_layer_.push_back(0);
      steps_of_layer_.push_back(0);
      known = sums_.layers.end() - 1;
    }
    const auto place = static_cast<size_t>(known - sums_.layers.begin());
    ++texts_of_layer_[place];
    const std::vector<HeadStatistics> heads = StatisticsOf(map);
    // If one head has a step, all have.
    const bool steps = !std::isnan(heads.front().step);
    if (steps) ++steps_of_layer_[place];
    for (size_t h = 0; h < heads.size(); ++h) {
      known->heads[h].entropy += heads[h].entropy;
      known->heads[h].words += heads[h].words;
      known->heads[h].distance += heads[h].distance;
      if (steps) known->heads[h].step += heads[h].step;
    }
    if (map.heads > 1) {
      known->similarity += HeadSimilarity(map);
      known->context_similarity += map.context_similarity;
    }
  }
}

void ExplainSummarizer::AddAgreements(const ExplanationSegment& segment) {
  for (const Agreement& a : segment.agreements) {
    if (a.targets == 0) continue;  // attention has another key axis
    auto known =
        std::ranges::find(sums_.agreements, a.method, &Agreement::method);
    if (known == sums_.agreements.end()) {
      sums_.agreements.push_back({.method = a.method});
      known = sums_.agreements.end() - 1;
    }
    const auto targets = static_cast<double>(a.targets);
    known->spearman += a.spearman * targets;
    known->kendall += a.kendall * targets;
    known->targets += a.targets;
  }
}

void ExplainSummarizer::Add(const Input& input) {
  ExplainRequest request;
  request.input.given = input;
  request.attribution = options_.attribution;
  const ExplainedPrediction answer =
      ExplainPrediction(loaded_, predictor_, request);
  for (const ExplanationSegment& segment : answer.explanation.segments) {
    AddStatistics(segment);
    AddAgreements(segment);
  }
  if (options_.faithfulness) {
    AddToMean(FaithfulnessOf(
                  answer, options_.seed + static_cast<uint64_t>(sums_.texts)),
              sums_.faithfulness);
  }
  if (options_.importance) {
    for (const auto& scores : answer.scores) {
      AddImportance(HeadImportance(scores.at(0)), sums_.importance);
    }
  }
  ++sums_.texts;
}

ExplainSummary ExplainSummarizer::Result() const {
  ExplainSummary result = sums_;
  for (size_t i = 0; i < result.layers.size(); ++i) {
    const auto texts = static_cast<double>(texts_of_layer_[i]);
    const int64_t steps = steps_of_layer_[i];
    for (HeadStatistics& head : result.layers[i].heads) {
      head.entropy /= texts;
      head.words /= texts;
      head.distance /= texts;
      head.step = steps > 0 ? head.step / static_cast<double>(steps) : NAN;
    }
    result.layers[i].similarity /= texts;
    result.layers[i].context_similarity /= texts;
  }
  for (Agreement& a : result.agreements) {
    a.spearman /= static_cast<double>(a.targets);
    a.kendall /= static_cast<double>(a.targets);
  }
  NormalizeImportance(result.importance);
  return result;
}

Json SummaryJson(const ExplainSummary& summary) {
  Json json = {{"texts", summary.texts}, {"layers", Json::array()}};
  for (const LayerStatistics& layer : summary.layers) {
    Json entry = {{"layer", layer.layer}};
    for (const HeadStatistics& head : layer.heads) {
      entry["entropy"].push_back(head.entropy);
      entry["words"].push_back(head.words);
      entry["distance"].push_back(head.distance);
      // NaN becomes null.
      entry["step"].push_back(head.step);
    }
    entry["likeness"] = layer.similarity;
    entry["context_likeness"] = layer.context_similarity;
    if (const LayerImportance* own = ImportanceOf(summary, layer.layer)) {
      entry["importance"] = own->heads;
    }
    json["layers"].push_back(std::move(entry));
  }
  json["agreements"] = Json::array();
  for (const Agreement& a : summary.agreements) {
    json["agreements"].push_back({{"method", a.method},
                                  {"spearman", a.spearman},
                                  {"kendall", a.kendall},
                                  {"targets", a.targets}});
  }
  json["faithfulness"] = Json::array();
  for (const FaithfulnessCurve& c : summary.faithfulness) {
    json["faithfulness"].push_back({{"method", c.method},
                                    {"share", c.share},
                                    {"deletion", c.deletion},
                                    {"insertion", c.insertion},
                                    {"deletion_area", c.deletion_area()},
                                    {"insertion_area", c.insertion_area()}});
  }
  return json;
}

std::string SummaryText(const ExplainSummary& summary) {
  return fmt::format("{}\n\n{}{}{}", Counted(summary.texts, "text"),
                     HeadTable(summary), AgreementTable(summary.agreements),
                     FaithfulnessTable(summary.faithfulness));
}

}  // namespace heed
