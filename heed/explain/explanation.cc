#include "heed/explain/explanation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "heed/base/at.h"
#include "heed/base/config.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/metrics/rank_correlation.h"

namespace heed {

void ThrowWithoutPayload(const Axis& axis) {
  throw ShapeError("axis '{}': without what an axis of kind '{}' needs",
                   axis.id, axis.kind);
}

namespace {

/// Magnitudes of the values of a row.
std::vector<double> Magnitudes(std::span<const float> row) {
  std::vector<double> values;
  for (const float value : row) values.push_back(std::abs(value));
  return values;
}

/// Words of an axis; if it has none, each item is a word.
std::vector<ItemRange> WordsOf(const Axis& axis) {
  if (!axis.words.empty()) return axis.words;
  std::vector<ItemRange> each;
  for (int64_t i = 0; i < axis.size(); ++i) each.push_back({i, i + 1});
  return each;
}

/// Index of the word that contains an item.
int64_t WordOf(const Axis& axis, int64_t item) {
  if (axis.words.empty()) return item;
  const auto found = std::ranges::find_if(
      axis.words, [&](const ItemRange& word) { return item < word.end; });
  return found - axis.words.begin();
}

/// Converts ranges of items to ranges of words.
void SpanWords(const Axis& axis, std::vector<ItemRange>& spans) {
  if (axis.words.empty()) return;
  for (ItemRange& span : spans) {
    const bool none = span.begin == span.end;
    const int64_t begin = WordOf(axis, span.begin);
    span = {begin, none ? begin : WordOf(axis, span.end - 1) + 1};
  }
}

Axis MergedAxis(const Axis& axis) {
  if (axis.words.empty()) return axis;
  Axis merged = axis;
  merged.items.clear();
  merged.labels.clear();
  merged.words.clear();
  for (const ItemRange& word : axis.words) {
    std::string text;
    for (int64_t i = word.begin; i < word.end; ++i) {
      text += At(axis.shown(), i);
    }
    merged.items.push_back(std::move(text));
  }
  return merged;
}

/// Merges the targets of each word into one; `old_of_new` receives the indices
/// of the merged targets.
std::vector<Target> MergedTargets(
    const ExplanationSegment& segment,
    std::vector<std::vector<size_t>>& old_of_new) {
  std::vector<Target> merged;
  for (size_t i = 0; i < segment.targets.size(); ++i) {
    Target target = segment.targets[i];
    const Axis& axis = segment.axis(target.axis);
    target.item = WordOf(axis, target.item);
    if (target.map) {
      const Axis& query = segment.axis(segment.maps[*target.map].query);
      target.row = WordOf(query, target.row);
    }
    const bool same = !axis.words.empty() && !merged.empty() &&
                      merged.back().axis == target.axis &&
                      merged.back().item == target.item;
    if (!same) {
      merged.push_back(std::move(target));
      old_of_new.push_back({i});
      continue;
    }
    Target& word = merged.back();
    if (word.probability && target.probability) {
      *word.probability *= *target.probability;
    }
    // Alternatives of a piece are not alternatives of the word.
    word.alternatives.clear();
    word.contrast.reset();
    old_of_new.back().push_back(i);
  }
  return merged;
}

void MergeAttributions(const ExplanationSegment& segment,
                       const std::vector<std::vector<size_t>>& old_of_new,
                       ExplanationSegment& merged) {
  for (Attribution& attribution : merged.attributions) {
    const std::vector<size_t> old = attribution.targets;
    const Axis& axis = segment.axis(attribution.axis);
    const auto width = static_cast<size_t>(axis.size());
    Attribution words = {attribution.method, {}, {}, attribution.axis, {}};
    for (size_t i = 0; i < old_of_new.size(); ++i) {
      std::vector<float> sum(width);
      float count = 0;
      double difference = 0;
      for (size_t n = 0; n < old.size(); ++n) {
        if (std::ranges::find(old_of_new[i], old[n]) == old_of_new[i].end()) {
          continue;
        }
        ++count;
        for (size_t s = 0; s < width; ++s) {
          sum[s] += attribution.scores[n * width + s];
        }
        if (!attribution.differences.empty()) {
          difference += attribution.differences[n];
        }
      }
      if (count == 0) continue;
      words.targets.push_back(i);
      for (float& score : sum) score /= count;
      const ItemRange row = {0, 1};
      const std::vector<float> scores =
          MergeRanges(sum, {&row, 1}, WordsOf(axis), axis.size());
      words.scores.insert(words.scores.end(), scores.begin(), scores.end());
      if (!attribution.differences.empty()) {
        words.differences.push_back(difference / double{count});
      }
    }
    attribution = std::move(words);
  }
}

}  // namespace

AttentionMap ComposedMap(const AttentionMap& first, const AttentionMap& second,
                         const std::string& name, const std::string& title) {
  if (first.key != second.query || first.key_size != second.query_size) {
    throw ShapeError("{}: the keys of {} are not the queries of {}", name,
                     first.name, second.name);
  }
  AttentionMap map = {.name = name,
                      .title = title,
                      .query = first.query,
                      .key = second.key,
                      .score = second.score,
                      .normalizer = second.normalizer,
                      .heads = 1,
                      .query_size = first.query_size,
                      .key_size = second.key_size};
  map.weights.resize(static_cast<size_t>(map.query_size * map.key_size));
  const std::vector<float> outer = first.MeanOfHeads();
  const auto add = [&](int64_t item, int64_t key, float weight) {
    for (int64_t t = 0; t < map.query_size; ++t) {
      At(map.weights, t * map.key_size + key) +=
          At(outer, t * first.key_size + item) * weight;
    }
  };
  if (second.edges.empty()) {
    const std::vector<float> inner = second.MeanOfHeads();
    for (int64_t i = 0; i < second.query_size; ++i) {
      for (int64_t s = 0; s < second.key_size; ++s) {
        add(i, s, At(inner, i * second.key_size + s));
      }
    }
    return map;
  }
  for (size_t e = 0; e < second.edges.size(); ++e) {
    add(second.edges[e].first, second.edges[e].second, second.OfEdge(e, -1));
  }
  return map;
}

std::string TitleOfPath(const std::string& path) {
  std::string place;
  std::string what;
  for (const std::string_view part : SplitAt(path, ".")) {
    if (part == "layers") continue;
    if (!what.empty()) place += (place.empty() ? "" : " ") + what;
    what = part;
  }
  const size_t suffix = what.rfind("_attention");
  if (suffix != std::string::npos) what.resize(suffix);
  std::ranges::replace(what, '_', ' ');
  std::string title = place.empty() ? what : place + " · " + what;
  if (!title.empty() && title[0] >= 'a' && title[0] <= 'z') title[0] -= 32;
  return title;
}

const Axis* ExplanationSegment::Find(const std::string& axis) const {
  const auto found = std::ranges::find(axes, axis, &Axis::id);
  return found == axes.end() ? nullptr : &*found;
}

const Axis& ExplanationSegment::axis(const std::string& id) const {
  const Axis* found = Find(id);
  if (found == nullptr) {
    throw ShapeError("explanation: there is no axis '{}'", id);
  }
  return *found;
}

std::optional<size_t> ExplanationSegment::LastMap(
    const std::string& query, const std::string& key) const {
  for (size_t i = maps.size(); i-- > 0;) {
    if (maps[i].query == query && maps[i].key == key) return i;
  }
  return std::nullopt;
}

std::optional<size_t> ExplanationSegment::AlignmentMap() const {
  const auto found = std::ranges::find_if(
      targets, [](const Target& target) { return target.map.has_value(); });
  return found == targets.end() ? std::nullopt : found->map;
}

std::string ExplanationSegment::LabelOf(const Target& target) const {
  return axis(target.axis).shown().at(static_cast<size_t>(target.item));
}

void CheckExplanation(const Explanation& explanation) {
  const auto require = [](bool holds, const std::string& name,
                          const std::string& what) {
    if (!holds) {
      throw ShapeError("explanation: {}: {}", name, what);
    }
  };
  for (const ExplanationSegment& segment : explanation.segments) {
    for (const AttentionMap& map : segment.maps) {
      const int64_t rows = segment.axis(map.query).size();
      const int64_t columns = segment.axis(map.key).size();
      const int64_t cells =
          map.edges.empty() ? rows * columns : std::ssize(map.edges);
      require(
          map.query_size == rows && map.key_size == columns && map.heads >= 0 &&
              std::ssize(map.weights) == (map.large() ? 0 : map.heads * cells),
          map.name,
          fmt::format("{} weights, {} heads, {}×{} positions, but its axes "
                      "have {} and {} items",
                      map.weights.size(), map.heads, map.query_size,
                      map.key_size, rows, columns));
      require(map.outside.empty() ||
                  std::ssize(map.outside) == map.heads * map.query_size,
              map.name, "a weight outside for each head and query is missing");
    }
    for (const Attribution& a : segment.attributions) {
      const int64_t items = segment.axis(a.axis).size();
      require(std::ssize(a.scores) == std::ssize(a.targets) * items, a.method,
              fmt::format("{} scores for {} targets and {} items",
                          a.scores.size(), a.targets.size(), items));
    }
    for (const Target& target : segment.targets) {
      const Axis& axis = segment.axis(target.axis);
      require(target.item >= 0 && target.item < axis.size(), axis.id,
              fmt::format("no item {}", target.item));
      if (!target.map) continue;
      require(
          *target.map < segment.maps.size() && target.row >= 0 &&
              target.row < segment.maps[*target.map].query_size,
          axis.id,
          fmt::format("a target by row {} of map {}", target.row, *target.map));
    }
  }
}

size_t MapNamed(const ExplanationSegment& segment, const std::string& name) {
  std::vector<std::string> names;
  for (size_t i = 0; i < segment.maps.size(); ++i) {
    if (segment.maps[i].name == name) return i;
    names.push_back(segment.maps[i].name);
  }
  throw ConfigError(
      "there is no attention '{}'{} ({})", name, DidYouMean(name, names),
      names.empty() ? "the model has none"
                    : fmt::format("there are: {}", fmt::join(names, ", ")));
}

std::vector<float> RowOf(const ExplanationSegment& segment,
                         const Target& target) {
  if (!target.map) return {};
  return segment.maps.at(*target.map)
      .Rows(target.head, {target.row, target.row + 1});
}

AlignmentView AlignmentOf(const ExplanationSegment& segment) {
  AlignmentView view;
  std::vector<std::pair<std::string, int64_t>> keys;  // number of targets
  for (const Target& target : segment.targets) {
    if (!target.map) continue;
    const std::string& key = segment.maps.at(*target.map).key;
    const auto known =
        std::ranges::find(keys, key, &std::pair<std::string, int64_t>::first);
    if (known == keys.end()) {
      keys.emplace_back(key, 1);
    } else {
      ++known->second;
    }
  }
  if (keys.empty()) return view;
  const std::string key =
      std::ranges::max_element(keys, {},
                               &std::pair<std::string, int64_t>::second)
          ->first;
  view.source_tokens = segment.axis(key).shown();
  view.title = segment.answer;
  for (const Target& target : segment.targets) {
    if (!target.map || segment.maps.at(*target.map).key != key) continue;
    const std::vector<float> row = RowOf(segment, target);
    view.target_tokens.push_back(segment.LabelOf(target));
    view.weights.insert(view.weights.end(), row.begin(), row.end());
  }
  return view;
}

AlignmentView ViewOfHead(const ExplanationSegment& segment, size_t map,
                         int64_t head, ItemRange rows) {
  const AttentionMap& attention = segment.maps.at(map);
  if (head >= attention.heads) {
    throw ConfigError("'{}' has {} heads, there is no head {}", attention.name,
                      attention.heads, head);
  }
  if (rows == ItemRange()) rows.end = attention.query_size;
  if (rows.begin < 0 || rows.end > attention.query_size ||
      rows.begin > rows.end) {
    throw ConfigError("'{}' has {} rows, there are no rows {}:{}",
                      attention.name, attention.query_size, rows.begin,
                      rows.end);
  }
  AlignmentView view;
  view.source_tokens = segment.axis(attention.key).shown();
  const std::vector<std::string>& queries =
      segment.axis(attention.query).shown();
  view.target_tokens.assign(queries.begin() + rows.begin,
                            queries.begin() + rows.end);
  view.weights = attention.Rows(head, rows);
  for (int64_t t = rows.begin; t < rows.end; ++t) {
    const float outside = attention.Outside(t, head);
    if (outside <= 0) continue;
    At(view.target_tokens, t - rows.begin) +=
        fmt::format(" (outside {:.2f})", outside);
  }
  view.title = attention.heads == 1 ? attention.title
               : head < 0 ? fmt::format("{}, mean of heads", attention.title)
                          : fmt::format("{}, head {}", attention.title, head);
  if (view.target_size() < attention.query_size) {
    view.title += fmt::format(", rows {}:{}", rows.begin, rows.end);
  }
  return view;
}

void CompareWithAttention(ExplanationSegment& segment) {
  segment.agreements.clear();
  if (!segment.AlignmentMap()) return;
  for (const Attribution& attribution : segment.attributions) {
    Agreement agreement{.method = attribution.method};
    const auto width =
        static_cast<size_t>(segment.axis(attribution.axis).size());
    for (size_t n = 0; n < attribution.targets.size(); ++n) {
      const Target& target = segment.targets.at(attribution.targets[n]);
      if (!target.map || segment.maps.at(*target.map).key != attribution.axis) {
        continue;
      }
      const std::vector<double> a = Magnitudes(RowOf(segment, target));
      const std::vector<double> b =
          Magnitudes(std::span(attribution.scores).subspan(n * width, width));
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
    segment.agreements.push_back(std::move(agreement));
  }
}

std::vector<AlignmentBlock> MovedBlocks(const ExplanationSegment& segment,
                                        size_t map) {
  const AttentionMap& attention = segment.maps.at(map);
  if (attention.within_axis() || attention.query_size < 2) return {};
  int64_t head = -1;
  for (const Target& target : segment.targets) {
    if (target.map == map) head = target.head;
  }
  return ReorderedBlocks(ViewOfHead(segment, map, head));
}

std::vector<float> MergeWords(const std::vector<float>& weights,
                              const Axis& query, const Axis& key) {
  return MergeRanges(weights, WordsOf(query), WordsOf(key), key.size());
}

ExplanationSegment MergeWords(const ExplanationSegment& segment) {
  ExplanationSegment merged = segment;
  std::vector<std::vector<size_t>> old_of_new;
  merged.targets = MergedTargets(segment, old_of_new);
  MergeAttributions(segment, old_of_new, merged);
  for (Axis& axis : merged.axes) {
    if (!axis.of.empty()) SpanWords(segment.axis(axis.of), axis.spans);
    axis = MergedAxis(axis);
  }
  for (AttentionMap& map : merged.maps) {
    const Axis& query = segment.axis(map.query);
    const Axis& key = segment.axis(map.key);
    if (query.words.empty() && key.words.empty()) continue;
    if (map.large()) {
      map.merged_queries = WordsOf(query);
      map.merged_keys = WordsOf(key);
      map.query_size = std::ssize(map.merged_queries);
      map.key_size = std::ssize(map.merged_keys);
      map.summary = nullptr;  // describes pieces
      continue;
    }
    std::vector<float> all;
    for (int64_t h = 0; h < map.heads; ++h) {
      const std::vector<float> own = MergeWords(map.OfHead(h), query, key);
      all.insert(all.end(), own.begin(), own.end());
    }
    map.edges.clear();
    map.outside.clear();
    map.weights = std::move(all);
    map.query_size = std::ssize(WordsOf(query));
    map.key_size = std::ssize(WordsOf(key));
  }
  merged.panels.clear();  // panels describe pieces
  CompareWithAttention(merged);
  return merged;
}

}  // namespace heed
