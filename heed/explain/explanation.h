// Attention, attributions and further data of a model's answer, for display,
// export or analysis.
#ifndef HEED_EXPLAIN_EXPLANATION_H_
#define HEED_EXPLAIN_EXPLANATION_H_

#include <cstdint>
#include <limits>
#include <memory>
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

struct AttentionSummary;
namespace kernels {
class AttentionFactors;
}  // namespace kernels

/// Items [begin, end).
struct ItemRange {
  int64_t begin = 0;
  int64_t end = 0;
  bool operator==(const ItemRange&) const = default;
};

/// Meaning of rows or columns: the tokens of a text, the steps of a series, one
/// label.
struct Axis {
  std::string id;             ///< "source", "target_inputs", "answer"
  std::string kind = "text";  ///< see AxisKinds() in heed/render
  std::string label = {};     ///< name for readers: "Translation"
  std::vector<std::string> items = {};
  /// Display names of the items; empty: `items`.
  std::vector<std::string> labels = {};
  /// The items of each word; empty: each item is a word.
  std::vector<ItemRange> words = {};
  /// Item i covers the items spans[i] of the axis `of` (patches of a series).
  std::string of = {};
  std::vector<ItemRange> spans = {};
  Payload payload = {};  ///< payload of the axis kind (explain/payloads.h)

  int64_t size() const { return std::ssize(items); }
  const std::vector<std::string>& shown() const {
    return labels.empty() ? items : labels;
  }
};

/// Throws: ShapeError that names an axis without the payload of its kind.
[[noreturn]] void ThrowWithoutPayload(const Axis& axis);

/// The payload of type T. Throws: ShapeError if the axis has another or none.
template <typename T>
const T& PayloadOf(const Axis& axis) {
  const T* own = axis.payload.As<T>();
  if (own == nullptr) ThrowWithoutPayload(axis);
  return *own;
}

/// The weights of one attention layer for one text. A map of more than
/// kDenseWeights stores factors, from which its functions compute the weights
/// that are read. Shapes: weights [H, T, S], row-major; along edges (t, s) [H,
/// E]. Units: 0 to 1, a row sums to at most 1.
struct AttentionMap {
  std::string name;   ///< path in the model
  std::string title;  ///< "Decoder 0 · cross"
  std::string query = "source";
  std::string key = "source";
  std::string score = {};
  std::string normalizer = {};
  std::vector<std::string> modifiers = {};  ///< applied to the scores
  std::string output = {};  ///< name of the matrix behind the heads; "": none
  /// True if queries, keys and scores can be requested.
  bool numbers = true;
  int64_t heads = 0;
  int64_t query_size = 0;  ///< T
  int64_t key_size = 0;    ///< S
  std::vector<float> weights = {};
  std::vector<std::pair<int32_t, int32_t>> edges = {};
  /// Weight of each query on nodes outside the part of a graph that is shown
  /// [H, T]; empty: none.
  std::vector<float> outside = {};
  /// See ContextSimilarity; NaN for a single head, or if unknown.
  double context_similarity = std::numeric_limits<double>::quiet_NaN();
  /// Factors of the weights of a large map, whose `weights` are empty, and the
  /// batch row that is shown; null: `weights` has them.
  std::shared_ptr<const kernels::AttentionFactors> factors = {};
  int64_t batch_row = 0;
  /// Statistics and largest weights of a large map; see SummarizeLargeMaps.
  std::shared_ptr<const AttentionSummary> summary = {};
  /// Queries and keys of the factors that form each row and column; empty:
  /// each is one.
  std::vector<ItemRange> merged_queries = {};
  std::vector<ItemRange> merged_keys = {};

  bool within_axis() const { return query == key; }
  bool large() const { return factors != nullptr; }
  /// Memory of the factors of a large map. Units: bytes.
  int64_t factor_bytes() const;
  /// Mean weights over the heads [T, S].
  std::vector<float> MeanOfHeads() const;
  /// Weights of one head [T, S]; head −1: the mean.
  std::vector<float> OfHead(int64_t head) const;
  /// Weights of these queries in one head [rows, S]; head −1: the mean.
  std::vector<float> Rows(int64_t head, ItemRange rows) const;
  /// Weights of these queries and keys in one head; head −1: the mean.
  std::vector<float> Tile(int64_t head, ItemRange rows,
                          ItemRange columns) const;
  /// One head with at most `side` rows and columns, each cell the largest
  /// weight of the cells it stands for.
  std::vector<float> Pooled(int64_t head, int64_t side) const;
  /// Largest weight of all heads.
  float Largest() const;
  /// Weight of an edge in one head; head −1: the mean.
  float OfEdge(size_t edge, int64_t head) const;
  /// Weight of a query outside the part that is shown; head −1: the mean.
  float Outside(int64_t query, int64_t head) const;
};

/// Largest number of weights that a map stores.
inline constexpr int64_t kDenseWeights = int64_t{1} << 20;

/// "Decoder 0 · cross" for "decoder.layers.0.cross_attention".
std::string TitleOfPath(const std::string& path);

struct Alternative {
  std::string label;
  double probability = 0;  ///< NaN: the model has none
};

/// A part of the answer, and the attention row that explains it.
struct Target {
  std::string axis = "target";
  int64_t item = 0;
  std::optional<double> probability = {};
  /// Row `row` of this map, of `head` (−1: the mean); none: no attention row.
  std::optional<size_t> map = {};
  int64_t head = -1;
  int64_t row = 0;
  std::vector<Alternative> alternatives = {};  ///< most probable first
  std::optional<Alternative> contrast = {};
};

/// Contribution of each item of an axis to some targets, by a method other than
/// attention. Shapes: scores [targets, items], row-major.
struct Attribution {
  std::string method;
  std::vector<float> scores;
  /// Integrated gradients: y(x) − y(x0) of each target, the sum of its scores.
  std::vector<double> differences;
  std::string axis = "source";
  std::vector<size_t> targets = {};
};

/// Intermediate values of one attention head. The normaliser maps scores, such
/// as Q Kᵀ/√A, to weights; weights times values give the context. Rows are
/// vectors. A score of −∞ is masked.
struct AttentionPanels {
  size_t map = 0;
  int64_t head = 0;
  std::vector<std::vector<float>> query;    ///< [T][A], may be empty
  std::vector<std::vector<float>> key;      ///< [S][A], may be empty
  std::vector<std::vector<float>> scores;   ///< [T][S]
  std::vector<std::vector<float>> weights;  ///< [T][S]
  std::vector<std::vector<float>> value;    ///< [S][D]
  std::vector<std::vector<float>> context;  ///< [T][D]
  /// ‖a_ts v_s W‖ behind the output matrix W [T][S]; empty: unknown.
  std::vector<std::vector<float>> norms = {};
};

/// Input vectors of the items of an axis: embeddings of tokens or positions, or
/// their sum. Shapes: rows [S][M].
struct InputVectors {
  std::string name;  ///< "token", "position", "segment", "sum"
  std::string axis = "source";
  std::vector<std::vector<float>> rows = {};
};

/// Rank correlation of attention and an attribution method.
struct Agreement {
  std::string method;
  double spearman = 0;  ///< mean over targets of rank correlation, −1 to 1
  double kendall = 0;   ///< mean over targets of τ-b
  int64_t targets = 0;  ///< targets that have an order to compare
};

/// A text, or a separately answered part of one: input, output and attention.
struct ExplanationSegment {
  std::string text;
  std::string answer;
  std::vector<Axis> axes = {};
  std::vector<AttentionMap> maps = {};  ///< in the order of computation
  std::vector<Target> targets = {};
  std::vector<Attribution> attributions = {};
  std::vector<Agreement> agreements = {};  ///< for the attributions
  std::vector<AttentionPanels> panels = {};
  std::vector<InputVectors> inputs = {};  ///< in the order of summation
  ModelOutline outline = {};              ///< model that answered

  /// The axis with this id; null if there is none.
  const Axis* Find(const std::string& axis) const;
  /// The axis with this id. Throws: ShapeError that names a missing axis.
  const Axis& axis(const std::string& id) const;
  /// The last map with these query and key axes.
  std::optional<size_t> LastMap(const std::string& query,
                                const std::string& key) const;
  /// The map of the first target that has one.
  std::optional<size_t> AlignmentMap() const;
  /// Display label of a target.
  std::string LabelOf(const Target& target) const;
};

/// The explanation of one answer, segment by segment.
struct Explanation {
  std::string task;
  std::string model;
  std::string text;
  std::string answer;
  std::vector<ExplanationSegment> segments;
};

/// Validates an explanation. Throws: ShapeError unless every map has a weight
/// per head and pair of items, every attribution a score per target and item,
/// and every target its item and row.
void CheckExplanation(const Explanation& explanation);

/// Two-step attention: for each query of map `first` and key of map `second`,
/// the sum over the intermediate items of the product of both weights, averaged
/// over heads. Throws: ShapeError unless the keys of `first` are the queries of
/// `second`.
AttentionMap ComposedMap(const AttentionMap& first, const AttentionMap& second,
                         const std::string& name, const std::string& title);

/// Index of the map called `name`. Throws: ConfigError that lists the names.
size_t MapNamed(const ExplanationSegment& segment, const std::string& name);

/// Targets with attention to the axis that most of them attend to, one row
/// each, with their tokens. Without such targets there are no tokens.
AlignmentView AlignmentOf(const ExplanationSegment& segment);

/// One head of a map with its items; head −1: the mean. `rows`: these queries
/// alone; {}: all. Throws: ConfigError for a head or rows that do not exist.
AlignmentView ViewOfHead(const ExplanationSegment& segment, size_t map,
                         int64_t head, ItemRange rows = {});

/// The attention row of a target; nothing if it has none.
std::vector<float> RowOf(const ExplanationSegment& segment,
                         const Target& target);

/// Fills `agreements` with Spearman's and Kendall's rank correlation of
/// attention and the magnitudes of each attribution. Targets without attention
/// to its axis, with fewer than two items, or with only equal values do not
/// count.
void CompareWithAttention(ExplanationSegment& segment);

/// Off-diagonal blocks (see ReorderedBlocks) of a map between two axes, in its
/// default view: the head of its targets, or the mean. Nothing for other maps.
std::vector<AlignmentBlock> MovedBlocks(const ExplanationSegment& segment,
                                        size_t map);

/// Fills `summary` of large maps.
void SummarizeLargeMaps(ExplanationSegment& segment);

/// Merges weights: averaged over each range of rows, summed over each range of
/// columns. Shapes: weights [.., width].
std::vector<float> MergeRanges(std::span<const float> weights,
                               std::span<const ItemRange> rows,
                               std::span<const ItemRange> columns,
                               int64_t width);

/// Merges the pieces of words on both axes: weights are summed over a word's
/// keys and averaged over its queries. Shapes: weights [T, S].
std::vector<float> MergeWords(const std::vector<float>& weights,
                              const Axis& query, const Axis& key);

/// Merges the pieces of words in a whole segment; the items of the result are
/// words.
ExplanationSegment MergeWords(const ExplanationSegment& segment);

/// Choices of ExplanationJson for large maps.
struct ExplanationJsonOptions {
  int64_t pooled = 256;  ///< most rows and columns of pooled cells
  bool top = true;       ///< the largest weights of each row
  /// Address of their tiles, to which "&map=N" is added; empty: none.
  std::string tiles = {};
};

/// JSON of version 3, described in docs/reference/file_formats.md. Weights have
/// seven digits.
nlohmann::ordered_json ExplanationJson(
    const Explanation& explanation, const ExplanationJsonOptions& options = {});

}  // namespace heed

#endif  // HEED_EXPLAIN_EXPLANATION_H_
