// What a model attended to while it answered: values to show, write or compute
// with.
#ifndef HEED_EXPLAIN_EXPLANATION_H_
#define HEED_EXPLAIN_EXPLANATION_H_

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heed/base/model_outline.h"
#include "heed/explain/alignment.h"
#include "heed/explain/payload.h"
#include "heed/explain/reordering.h"

namespace heed {

/// Items [begin, end).
struct ItemRange {
  int64_t begin = 0;
  int64_t end = 0;
  bool operator==(const ItemRange&) const = default;
};

/// What rows or columns stand for: the tokens of a text, the steps of a series,
/// one label.
struct Axis {
  std::string id;             ///< "source", "target_inputs", "answer"
  std::string kind = "text";  ///< see AxisKinds() in heed/render
  std::string label = {};     ///< what it is to a reader: "Translation"
  std::vector<std::string> items = {};
  /// The items as they are shown; none: as they are.
  std::vector<std::string> labels = {};
  /// The items of each word; none: each is one.
  std::vector<ItemRange> words = {};
  /// Item i covers the items spans[i] of another axis (patches of a series).
  std::string of = {};
  std::vector<ItemRange> spans = {};
  Payload payload = {};  ///< of the kind (explain/payloads.h)

  int64_t size() const { return std::ssize(items); }
  const std::vector<std::string>& shown() const {
    return labels.empty() ? items : labels;
  }
};

/// Throws: ShapeError that names an axis without what its kind needs.
[[noreturn]] void ThrowWithoutPayload(const Axis& axis);

/// The payload of this type. Throws: ShapeError if the axis has another or
/// none.
template <typename T>
const T& PayloadOf(const Axis& axis) {
  const T* own = axis.payload.As<T>();
  if (own == nullptr) ThrowWithoutPayload(axis);
  return *own;
}

/// The weights of one attention while one text was read.
/// Shapes: weights [H, T, S], row-major; along edges (t, s) [H, E].
/// Units: 0 to 1, a row sums to at most 1.
struct AttentionMap {
  std::string name;   ///< its path in the model
  std::string title;  ///< "Decoder 0 · cross"
  std::string query = "source";
  std::string key = "source";
  std::string score = {};
  std::string normalizer = {};
  std::vector<std::string> modifiers = {};  ///< of scores
  /// Whether its queries, keys and scores can be asked for.
  bool numbers = true;
  int64_t heads = 0;
  int64_t query_size = 0;  ///< T
  int64_t key_size = 0;    ///< S
  std::vector<float> weights = {};
  std::vector<std::pair<int32_t, int32_t>> edges = {};
  /// Where a part of a graph is shown: what each query attends to outside of
  /// it [H, T]; none: nothing.
  std::vector<float> outside = {};
  /// See LikenessOfContexts; NaN: of one head, or not known.
  double context_likeness = std::numeric_limits<double>::quiet_NaN();

  bool within_axis() const { return query == key; }
  /// Mean over the heads [T, S].
  std::vector<float> MeanOfHeads() const;
  /// Of one head [T, S]; −1: the mean.
  std::vector<float> OfHead(int64_t head) const;
  /// Of an edge and one head; −1: the mean.
  float OfEdge(size_t edge, int64_t head) const;
  /// Weight of a query of one head outside of what is shown; −1: the mean.
  float Outside(int64_t query, int64_t head) const;
};

/// "Decoder 0 · cross" for "decoder.layers.0.cross_attention".
std::string TitleOfPath(const std::string& path);

struct Alternative {
  std::string label;
  double probability = 0;  ///< NaN: the model has none
};

/// A part of the answer, and the attention that speaks for it.
struct Target {
  std::string axis = "target";
  int64_t item = 0;
  std::optional<double> probability = {};
  /// Row `row` of this map, of `head` (−1: of the mean); none: no attention
  /// does.
  std::optional<size_t> map = {};
  int64_t head = -1;
  int64_t row = 0;
  std::vector<Alternative> alternatives = {};  ///< likeliest first
  std::optional<Alternative> contrast = {};
};

/// What each item of an axis contributes to some targets, by a method that is
/// not attention. Shapes: scores [targets, items], row-major.
struct Attribution {
  std::string method;
  std::vector<float> scores;
  /// Integrated gradients: y(x) − y(x0) for each target, which its scores sum
  /// up to.
  std::vector<double> differences;
  std::string axis = "source";
  std::vector<size_t> targets = {};
};

/// One head of one attention in numbers: scores, e.g. Q Kᵀ/√A, become weights
/// by the normaliser, and these times the values the context. Rows are vectors.
/// A score of −∞ may not be looked at.
struct AttentionPanels {
  size_t map = 0;
  int64_t head = 0;
  std::vector<std::vector<float>> query;    ///< [T][A], may be empty
  std::vector<std::vector<float>> key;      ///< [S][A], may be empty
  std::vector<std::vector<float>> scores;   ///< [T][S]
  std::vector<std::vector<float>> weights;  ///< [T][S]
  std::vector<std::vector<float>> value;    ///< [S][D]
  std::vector<std::vector<float>> context;  ///< [T][D]
};

/// Vectors that stand for the items of an axis where a model begins: of their
/// tokens, of their places, their sum. Shapes: rows [S][M].
struct InputVectors {
  std::string name;  ///< "token", "position", "segment", "sum"
  std::string axis = "source";
  std::vector<std::vector<float>> rows = {};
};

/// How alike attention and a method order the items that were read.
struct Agreement {
  std::string method;
  double spearman = 0;  ///< mean over targets of rank correlation, −1 to 1
  double kendall = 0;   ///< mean over targets of τ-b
  int64_t targets = 0;  ///< that have an order to compare
};

/// A text, or a part of one that was answered by itself: what went in, what
/// came out and what was attended to.
struct ExplanationSegment {
  std::string text;
  std::string answer;
  std::vector<Axis> axes = {};
  std::vector<AttentionMap> maps = {};  ///< in the order of computation
  std::vector<Target> targets = {};
  std::vector<Attribution> attributions = {};
  std::vector<Agreement> agreements = {};  ///< of the attributions
  std::vector<AttentionPanels> panels = {};
  std::vector<InputVectors> inputs = {};  ///< in the order in which they add up
  ModelOutline outline = {};              ///< of the model that answered

  /// Null if there is none.
  const Axis* Find(const std::string& axis) const;
  /// Throws: ShapeError, naming the axis that is not there.
  const Axis& axis(const std::string& id) const;
  /// The last map whose queries and keys are of these axes.
  std::optional<size_t> LastMap(const std::string& query,
                                const std::string& key) const;
  /// The first map that speaks for a target.
  std::optional<size_t> AlignmentMap() const;
  /// As it is shown.
  std::string LabelOf(const Target& target) const;
};

/// All that was run to answer one text.
struct Explanation {
  std::string task;
  std::string model;
  std::string text;
  std::string answer;
  std::vector<ExplanationSegment> segments;
};

/// Throws: ShapeError unless every map has a weight per head and pair of its
/// axes' items, every attribution a score per target and item, and every target
/// its item and row.
void CheckExplanation(const Explanation& explanation);

/// What queries attend to through what they attend to first: for each query of
/// map `first` and key of map `second`, Σ over the items between them of the
/// product of both weights, each the mean of its heads. Throws: ShapeError
/// unless the keys of `first` are the queries of `second`.
AttentionMap ComposedMap(const AttentionMap& first, const AttentionMap& second,
                         const std::string& name, const std::string& title);

/// The place of a map, by its name. Throws: ConfigError that lists those there
/// are.
size_t MapNamed(const ExplanationSegment& segment, const std::string& name);

/// The targets that have an attention to the axis that most of them look at,
/// one row each, with their tokens. Without any: no tokens.
AlignmentView AlignmentOf(const ExplanationSegment& segment);

/// One head of a map with its items; `head` −1: mean of all.
/// Throws: ConfigError for a head that is not there.
AlignmentView ViewOfHead(const ExplanationSegment& segment, size_t map,
                         int64_t head);

/// The row of weights that speaks for a target; nothing without one.
std::vector<float> RowOf(const ExplanationSegment& segment,
                         const Target& target);

/// Spearman's and Kendall's rank correlation of attention and each attribution,
/// without regard to sign; targets without attention to its axis, with less
/// than two items, or with all alike, do not count. Fills agreements.
void CompareWithAttention(ExplanationSegment& segment);

/// The blocks off the diagonal (see ReorderedBlocks) of a map between two axes,
/// as it is shown first: by the head that speaks for targets, or the mean.
/// Nothing of other maps.
std::vector<AlignmentBlock> MovedBlocks(const ExplanationSegment& segment,
                                        size_t map);

/// Weights of the words on both sides: those of a word's pieces as keys are
/// added, as queries averaged. Shapes: weights [T, S].
std::vector<float> MergeWords(const std::vector<float>& weights,
                              const Axis& query, const Axis& key);

/// The same of a whole segment: its items are words.
ExplanationSegment MergeWords(const ExplanationSegment& segment);

/// Version 2, as docs/explain.md describes. Weights have seven digits.
nlohmann::ordered_json ExplanationJson(const Explanation& explanation);

}  // namespace heed

#endif  // HEED_EXPLAIN_EXPLANATION_H_
