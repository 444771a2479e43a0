#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/base64.h"
#include "heed/base/threads.h"
#include "heed/explain/attention_summary.h"
#include "heed/explain/explanation.h"
#include "heed/explain/head_statistics.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

Json Rounded(double x) {
  if (!std::isfinite(x)) return nullptr;
  return std::round(x * 1e7) / 1e7;
}

Json NumbersJson(std::span<const float> x) {
  Json numbers = Json::array();
  for (const float value : x) numbers.push_back(Rounded(value));
  return numbers;
}

/// Splits numbers into rows of `columns` each.
Json RowsJson(std::span<const float> x, int64_t columns) {
  Json rows = Json::array();
  for (size_t begin = 0; columns > 0 && begin < x.size();
       begin += static_cast<size_t>(columns)) {
    rows.push_back(NumbersJson(x.subspan(begin, static_cast<size_t>(columns))));
  }
  return rows;
}

Json VectorsJson(const std::vector<std::vector<float>>& x) {
  Json rows = Json::array();
  for (const std::vector<float>& row : x) rows.push_back(NumbersJson(row));
  return rows;
}

Json RangesJson(const std::vector<ItemRange>& ranges) {
  Json all = Json::array();
  for (const ItemRange& range : ranges) {
    all.push_back({range.begin, range.end});
  }
  return all;
}

Json AlternativeJson(const Alternative& alternative) {
  return {{"label", alternative.label},
          {"probability", Rounded(alternative.probability)}};
}

Json PlacesOf(std::span<const size_t> indices, size_t first) {
  Json all = Json::array();
  for (const size_t i : indices) all.push_back(first + i);
  return all;
}

Json PlacesOf(size_t first, size_t count) {
  Json all = Json::array();
  for (size_t i = 0; i < count; ++i) all.push_back(first + i);
  return all;
}

std::string_view WordOf(OutlinePart::Kind kind) {
  constexpr std::array<std::string_view, 11> kWords = {
      "each",   "forward", "backward", "both",  "all",  "causal",
      "source", "pool",    "near",     "edges", "whole"};
  return At(kWords, kind);
}

Json OutlineJson(const ModelOutline& outline) {
  Json sequences = Json::array();
  for (const OutlineSequence& sequence : outline.sequences) {
    Json blocks = Json::array();
    for (const OutlineBlock& block : sequence.blocks) {
      Json parts = Json::array();
      for (const OutlinePart& part : block.parts) {
        parts.push_back({{"kind", WordOf(part.kind)},
                         {"name", part.name},
                         {"features", part.features},
                         {"detail", part.detail}});
      }
      blocks.push_back({{"repeats", block.repeats}, {"parts", parts}});
    }
    sequences.push_back({{"name", sequence.name},
                         {"axis", sequence.axis},
                         {"writes", sequence.writes},
                         {"backwards", sequence.backwards},
                         {"blocks", blocks}});
    if (!sequence.of.empty()) sequences.back()["of"] = sequence.of;
  }
  Json json = {{"name", outline.name},
               {"weights", outline.weights},
               {"sequences", sequences}};
  if (!outline.bridge.empty()) {
    json["bridge"] = {{"formula", outline.bridge},
                      {"features", outline.bridge_features}};
  }
  if (!outline.attention.empty()) json["attention"] = outline.attention;
  for (const OutlineStep& step : outline.Steps()) {
    json["steps"].push_back({{"result", step.result},
                             {"formula", step.formula},
                             {"reads", step.reads},
                             {"features", step.features}});
  }
  return json;
}

/// Statistics of a head and their names.
constexpr std::array<std::pair<const char*, double HeadStatistics::*>, 10>
    kStatistics = {{{"entropy", &HeadStatistics::entropy},
                    {"words", &HeadStatistics::words},
                    {"distance", &HeadStatistics::distance},
                    {"step", &HeadStatistics::step},
                    {"largest", &HeadStatistics::largest},
                    {"first", &HeadStatistics::first},
                    {"own", &HeadStatistics::own},
                    {"previous", &HeadStatistics::previous},
                    {"repeated", &HeadStatistics::repeated},
                    {"induction", &HeadStatistics::induction}}};

/// Largest weights of each row of a map, as lists of keys and weights [H][T][≤
/// 16].
Json TopJson(const AttentionMap& map) {
  Json keys = Json::array();
  Json weights = Json::array();
  for (int64_t h = 0; h < map.heads; ++h) {
    Json own_keys = Json::array();
    Json own_weights = Json::array();
    for (int64_t t = 0; t < map.query_size; ++t) {
      const kernels::WeightRow& row =
          At(map.summary->rows, h * map.query_size + t);
      const auto count = static_cast<size_t>(row.count);
      own_keys.push_back(
          std::vector<int32_t>(row.keys.begin(), row.keys.begin() + row.count));
      own_weights.push_back(NumbersJson(std::span(row.top).first(count)));
    }
    keys.push_back(std::move(own_keys));
    weights.push_back(std::move(own_weights));
  }
  return {{"keys", std::move(keys)}, {"weights", std::move(weights)}};
}

/// Sum of the weights of each row that TopJson leaves out [H][T].
Json RestJson(const AttentionMap& map) {
  std::vector<float> rest;
  for (const kernels::WeightRow& row : map.summary->rows) {
    rest.push_back(row.rest());
  }
  return RowsJson(rest, map.query_size);
}

/// Pooled cells of each head, as base64 of one byte per cell. A weight w is
/// 255 √w rounded up, so that only 0 is 0.
Json PooledJson(const AttentionMap& map, int64_t side) {
  std::vector<std::string> heads(static_cast<size_t>(map.heads));
  ParallelTasks(map.heads, [&](int64_t h) {
    std::string bytes;
    for (const float w : map.Pooled(h, side)) {
      const float byte = std::ceil(255 * std::sqrt(std::clamp(w, 0.0f, 1.0f)));
      bytes += static_cast<char>(static_cast<unsigned char>(byte));
    }
    At(heads, h) = ToBase64(bytes);
  });
  return {{"rows", std::min(map.query_size, side)},
          {"columns", std::min(map.key_size, side)},
          {"cells", heads}};
}

/// Flattens segments into the lists of one document.
class Flattener {
 public:
  Flattener(Json& json, const ExplanationJsonOptions& options)
      : json_(json), options_(options) {
    json_["axes"] = Json::object();
    for (const char* list : {"maps", "targets", "attributions", "agreements",
                             "panels", "segments"}) {
      json_[list] = Json::array();
    }
  }

  void Add(const ExplanationSegment& segment, size_t number) {
    suffix_ = number == 0 ? "" : fmt::format(".{}", number);
    maps_ = json_["maps"].size();
    targets_ = json_["targets"].size();
    const size_t attributions = json_["attributions"].size();
    const size_t agreements = json_["agreements"].size();
    const size_t panels = json_["panels"].size();
    Json axes = Json::array();
    for (const Axis& axis : segment.axes) {
      axes.push_back(axis.id + suffix_);
      json_["axes"][axis.id + suffix_] = AxisJson(axis);
    }
    for (size_t i = 0; i < segment.maps.size(); ++i) {
      json_["maps"].push_back(MapJson(segment, i));
    }
    for (const Target& target : segment.targets) {
      json_["targets"].push_back(TargetJson(target));
    }
    for (const Attribution& attribution : segment.attributions) {
      json_["attributions"].push_back(
          AttributionJson(attribution, segment.axis(attribution.axis).size()));
    }
    for (const Agreement& agreement : segment.agreements) {
      json_["agreements"].push_back({{"method", agreement.method},
                                     {"spearman", Rounded(agreement.spearman)},
                                     {"kendall", Rounded(agreement.kendall)},
                                     {"targets", agreement.targets}});
    }
    for (const AttentionPanels& p : segment.panels) {
      json_["panels"].push_back({{"map", maps_ + p.map},
                                 {"head", p.head},
                                 {"query", VectorsJson(p.query)},
                                 {"key", VectorsJson(p.key)},
                                 {"scores", VectorsJson(p.scores)},
                                 {"weights", VectorsJson(p.weights)},
                                 {"value", VectorsJson(p.value)},
                                 {"context", VectorsJson(p.context)},
                                 {"norms", VectorsJson(p.norms)}});
    }
    for (const InputVectors& vectors : segment.inputs) {
      json_["inputs"].push_back({{"name", vectors.name},
                                 {"axis", vectors.axis + suffix_},
                                 {"rows", VectorsJson(vectors.rows)}});
    }
    json_["segments"].push_back(
        {{"text", segment.text},
         {"answer", segment.answer},
         {"axes", std::move(axes)},
         {"maps", PlacesOf(maps_, segment.maps.size())},
         {"targets", PlacesOf(targets_, segment.targets.size())},
         {"attributions", PlacesOf(attributions, segment.attributions.size())},
         {"agreements", PlacesOf(agreements, segment.agreements.size())},
         {"panels", PlacesOf(panels, segment.panels.size())}});
  }

 private:
  Json AxisJson(const Axis& axis) const {
    Json json = {
        {"kind", axis.kind}, {"label", axis.label}, {"items", axis.items}};
    if (!axis.labels.empty()) json["labels"] = axis.labels;
    if (!axis.words.empty()) json["words"] = RangesJson(axis.words);
    if (!axis.of.empty()) {
      json["of"] = axis.of + suffix_;
      json["spans"] = RangesJson(axis.spans);
    }
    if (!axis.payload.empty()) json["payload"] = axis.payload.ToJson();
    return json;
  }

  Json MapJson(const ExplanationSegment& segment, size_t number) const {
    const AttentionMap& map = segment.maps[number];
    const Axis& query = segment.axis(map.query);
    const Axis& key = segment.axis(map.key);
    Json json = {{"name", map.name},
                 {"title", map.title},
                 {"query", map.query + suffix_},
                 {"key", map.key + suffix_},
                 {"heads", map.heads}};
    if (map.large()) {
      AddLarge(map, number, json);
    } else {
      AddWeights(map, json);
    }
    json["info"] = {{"score", map.score},
                    {"normalizer", map.normalizer},
                    {"modifiers", map.modifiers}};
    if (!map.numbers) json["numbers"] = false;
    json["statistics"] = StatisticsJson(map, query);
    if (map.large()) return json;
    if (!map.within_axis()) json["moved"] = MovedJson(segment, number);
    if (!query.words.empty() || !key.words.empty()) {
      json["by_word"] = WordsJson(map, query, key);
    }
    return json;
  }

  /// Adds the weights of a map and their mean over the heads.
  static void AddWeights(const AttentionMap& map, Json& json) {
    Json weights = Json::array();
    if (map.edges.empty()) {
      for (int64_t h = 0; h < map.heads; ++h) {
        weights.push_back(RowsJson(map.OfHead(h), map.key_size));
      }
    } else {
      json["edges"] = map.edges;
      weights = RowsJson(map.weights, std::ssize(map.edges));
    }
    json["weights"] = std::move(weights);
    if (!map.outside.empty()) {
      json["outside"] = RowsJson(map.outside, map.query_size);
    }
    if (map.heads > 1) json["mean"] = RowsJson(map.OfHead(-1), map.key_size);
  }

  /// Adds what describes a large map.
  void AddLarge(const AttentionMap& map, size_t number, Json& json) const {
    if (options_.top && map.summary != nullptr) {
      json["top"] = TopJson(map);
      json["rest"] = RestJson(map);
    }
    json["pooled"] = PooledJson(map, options_.pooled);
    if (!options_.tiles.empty()) {
      json["tile"] = fmt::format("{}&map={}", options_.tiles, maps_ + number);
    }
  }

  static Json StatisticsJson(const AttentionMap& map, const Axis& query) {
    std::vector<int32_t> tokens;
    if (map.within_axis()) tokens = NumberItems(query.items);
    const std::vector<HeadStatistics> heads = StatisticsOf(map, tokens);
    Json json = Json::object();
    for (const auto& [name, member] : kStatistics) {
      Json& values = json[name] = Json::array();
      for (const HeadStatistics& head : heads) {
        values.push_back(Rounded(head.*member));
      }
    }
    Json& notes = json["note"] = Json::array();
    for (const HeadStatistics& head : heads) {
      notes.push_back(UniformNote(head.entropy, map.key_size));
    }
    json["unit"] = map.within_axis() ? "items" : "share";
    if (map.large()) return json;
    const HeadStatistics mean = StatisticsOf(map, -1);
    json["mean"] = {{"entropy", Rounded(mean.entropy)},
                    {"distance", Rounded(mean.distance)},
                    {"note", UniformNote(mean.entropy, map.key_size)}};
    return json;
  }

  static Json MovedJson(const ExplanationSegment& segment, size_t map) {
    Json blocks = Json::array();
    for (const AlignmentBlock& b : MovedBlocks(segment, map)) {
      blocks.push_back(
          {b.target_begin, b.source_begin, b.target_end, b.source_end});
    }
    return blocks;
  }

  static Json WordsJson(const AttentionMap& map, const Axis& query,
                        const Axis& key) {
    const int64_t columns =
        key.words.empty() ? key.size() : std::ssize(key.words);
    Json weights = Json::array();
    for (int64_t h = 0; h < map.heads; ++h) {
      weights.push_back(
          RowsJson(MergeWords(map.OfHead(h), query, key), columns));
    }
    Json json = {{"weights", std::move(weights)}};
    if (map.heads > 1) {
      json["mean"] = RowsJson(MergeWords(map.OfHead(-1), query, key), columns);
    }
    return json;
  }

  Json TargetJson(const Target& target) const {
    Json json = {{"axis", target.axis + suffix_}, {"item", target.item}};
    if (target.probability) json["probability"] = Rounded(*target.probability);
    if (target.map) {
      json["map"] = maps_ + *target.map;
      json["head"] = target.head < 0 ? Json(nullptr) : Json(target.head);
      json["row"] = target.row;
    }
    if (!target.alternatives.empty()) {
      json["alternatives"] = Json::array();
      for (const Alternative& alternative : target.alternatives) {
        json["alternatives"].push_back(AlternativeJson(alternative));
      }
    }
    if (target.contrast) json["contrast"] = AlternativeJson(*target.contrast);
    return json;
  }

  Json AttributionJson(const Attribution& a, int64_t items) const {
    Json json = {{"method", a.method},
                 {"axis", a.axis + suffix_},
                 {"targets", PlacesOf(a.targets, targets_)},
                 {"scores", RowsJson(a.scores, items)}};
    if (a.differences.empty()) return json;
    json["differences"] = Json::array();
    for (const double d : a.differences) {
      json["differences"].push_back(Rounded(d));
    }
    return json;
  }

  Json& json_;
  const ExplanationJsonOptions& options_;
  std::string suffix_;
  size_t maps_ = 0;     // in the preceding segments
  size_t targets_ = 0;  // in the preceding segments
};

}  // namespace

Json ExplanationJson(const Explanation& e,
                     const ExplanationJsonOptions& options) {
  Json json = {{"version", 3},
               {"task", e.task},
               {"model", e.model},
               {"text", e.text},
               {"answer", e.answer}};
  Flattener flattener(json, options);
  for (size_t i = 0; i < e.segments.size(); ++i) {
    flattener.Add(e.segments[i], i);
  }
  if (!e.segments.empty() && e.segments[0].outline.defined()) {
    json["outline"] = OutlineJson(e.segments[0].outline);
  }
  return json;
}

}  // namespace heed
