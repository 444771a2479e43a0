#include "heed/models/han/han.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "heed/base/at.h"
#include "heed/models/outline_parts.h"
#include "heed/ops/check.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/matmul.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

/// Maximum number of groups of sentences that are read one after the other, and
/// the minimum ratio of the shortest to the longest sentence of a group.
constexpr size_t kSentenceGroups = 8;
constexpr double kShortestOfGroup = 0.75;

EncoderOptions WithInputs(EncoderOptions options, int64_t inputs) {
  options.inputs = inputs;
  return options;
}

PoolingOptions LevelPooling(PoolingOptions options, const ResolvedHan& config,
                            int64_t features, const char* query,
                            const char* key) {
  options.features = features;
  options.units = config.attention_units;
  options.init = config.matrix_init;
  options.query_axis = query;
  options.key_axis = key;
  return options;
}

Tensor Ids(const std::vector<int32_t>& ids, const Shape& shape) {
  return Tensor::Of(ids, shape);
}

/// Concatenates the rows of all parts. Shapes: parts [N_i, M], result [Σ N_i,
/// M].
Var ConcatRows(std::vector<Var> parts) {
  if (parts.size() == 1) return std::move(parts[0]);
  const int64_t columns = parts[0].dim(1);
  for (Var& part : parts) part = Reshape(part, {1, part.value().numel()});
  const Var all = ConcatColumns(std::span<const Var>(parts));
  return Reshape(all, {all.dim(1) / columns, columns});
}

/// Collects the weights of groups of sentences for a single event; passes
/// everything else to the observer.
class GroupObserver : public Observer {
 public:
  explicit GroupObserver(Observer& observer) : observer_(observer) {}

  AttentionRequest Wants(const AttentionInfo& info) override {
    request_ = observer_.Wants(info);
    // Values and contexts of groups are incomplete and not reported.
    return {.weights = request_.any(), .gradient = request_.gradient};
  }
  void OnAttention(const AttentionEvent& event) override {
    weights_.push_back(event.weights);
  }
  Var OnContext(const AttentionInfo& info, const Var& context) override {
    return observer_.OnContext(info, context);
  }

  /// Weights [R, H, 1, W] of each group.
  const std::vector<Var>& weights() const { return weights_; }

 private:
  Observer& observer_;
  AttentionRequest request_;
  std::vector<Var> weights_;
};

}  // namespace

/// Positions of the sentences of a batch, without empty sentences.
struct HierarchicalReader::Sentences {
  int64_t B = 0;
  int64_t R = 0;                 // maximum number of sentences of a document
  int64_t S = 0;                 // maximum number of tokens of a document
  std::vector<int32_t> first;    // first token of each sentence, b S + s
  std::vector<int32_t> lengths;  // number of tokens of each sentence
  std::vector<int32_t> places;   // index b R + r of each sentence
  std::vector<int32_t> counts;   // number of sentences of each document
  std::vector<size_t> order;     // sentences sorted by length, longest first
  std::vector<size_t> groups;    // starts of groups in `order`, and its end

  explicit Sentences(const TextInput& text);
};

HierarchicalReader::Sentences::Sentences(const TextInput& text)
    : B(text.ids.dim(0)), R(text.sentences.dim(1)), S(text.ids.dim(1)) {
  for (int64_t b = 0; b < B; ++b) {
    int64_t token = 0;
    counts.push_back(0);
    for (int64_t r = 0; r < R; ++r) {
      const int32_t n = text.sentences.row<int32_t>(b)[r];
      CheckShapes(n >= 0 && token + n <= S, "han",
                  "sentences of more tokens than there are",
                  {text.ids.shape(), text.sentences.shape()});
      if (n == 0) continue;
      first.push_back(static_cast<int32_t>(b * S + token));
      lengths.push_back(n);
      places.push_back(static_cast<int32_t>(b * R + r));
      ++counts.back();
      token += n;
    }
    CheckShapes(token == text.lengths.data<int32_t>()[b], "han",
                "sentences that do not sum to the length of their document",
                {text.ids.shape(), text.sentences.shape()});
  }
  order.resize(first.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::greater<>(),
                           [this](size_t i) { return lengths[i]; });
  for (size_t i = 0; i < order.size(); ++i) {
    const bool far =
        groups.empty() ||
        lengths[order[i]] < kShortestOfGroup * lengths[order[groups.back()]];
    if (far && groups.size() < kSentenceGroups) groups.push_back(i);
  }
  groups.push_back(order.size());
}

HierarchicalReader::HierarchicalReader(const Scope& scope,
                                       const ResolvedHan& config,
                                       const TextSizes& sizes,
                                       const PoolingOptions& pooling)
    : config_(config),
      vectors_(sizes.vectors),
      embedding_(scope / "embedding", sizes.vocabulary, config.embedding,
                 kEmbeddingInit),
      words_(scope / "words",
             WithInputs(config.words, config.embedding + sizes.vectors)),
      word_pooling_(scope / "word_attention",
                    LevelPooling(pooling, config, words_.output_size(),
                                 "sentences", "source")),
      sentences_(scope / "sentences",
                 WithInputs(config.sentences, words_.output_size())),
      sentence_pooling_(scope / "sentence_attention",
                        LevelPooling(pooling, config, sentences_.output_size(),
                                     "answer", "sentences")) {}

Var HierarchicalReader::Tokens(const Context& ctx,
                               const TextInput& text) const {
  return ctx.Input("source",
                   WithVectors(embedding_(ctx, text.ids), text.vectors));
}

Var HierarchicalReader::SentenceVectors(const Context& ctx, const Var& tokens,
                                        const Sentences& all) const {
  const Var flat =
      Reshape(tokens, {tokens.dim(0) * tokens.dim(1), tokens.dim(2)});
  const AttentionInfo* info = word_pooling_.info();
  std::optional<GroupObserver> watch;
  Context inner = ctx;
  if (ctx.observer != nullptr) inner.observer = &watch.emplace(*ctx.observer);

  std::vector<Var> vectors;
  // Index of each token's weight in the concatenated groups, by head.
  std::vector<int32_t> cells(static_cast<size_t>(all.B * all.S));
  std::vector<int32_t> head_steps(cells.size());
  int32_t begin = 0;
  for (size_t g = 0; g + 1 < all.groups.size(); ++g) {
    ctx.CheckCancelled();
    const auto group = std::span(all.order).subspan(
        all.groups[g], all.groups[g + 1] - all.groups[g]);
    const auto R = std::ssize(group);
    const int64_t W = all.lengths[group.front()];
    std::vector<int32_t> places(static_cast<size_t>(W * R));
    std::vector<int32_t> lengths;
    for (int64_t r = 0; r < R; ++r) {
      const size_t sentence = At(group, r);
      lengths.push_back(all.lengths[sentence]);
      for (int32_t w = 0; w < W; ++w) {
        // Padding repeats the last word, whose states are ignored.
        const int32_t token =
            all.first[sentence] + std::min(w, all.lengths[sentence] - 1);
        At(places, w * R + r) = token;
        if (w >= all.lengths[sentence] || info == nullptr) continue;
        const auto heads = static_cast<int32_t>(info->heads);
        At(cells, token) = begin + static_cast<int32_t>(r * heads * W) + w;
        At(head_steps, token) = static_cast<int32_t>(W);
      }
    }
    if (info != nullptr) begin += static_cast<int32_t>(R * info->heads * W);
    const Tensor rows = Ids(lengths, {R});
    const Var steps = Drop(ctx, Embed(flat, Ids(places, {W, R})));
    const Var states = Drop(ctx, words_(ctx, steps, rows).outputs);
    vectors.push_back(word_pooling_(inner, TransposeLeading(states), rows));
  }
  if (watch && !watch->weights().empty()) {
    // The tokens of documents, in order, are the edges.
    std::vector<int32_t> offsets = {0};
    std::vector<int32_t> keys;
    std::vector<int32_t> of_edges;
    size_t next = 0;
    for (int64_t place = 0; place < all.B * all.R; ++place) {
      if (next < all.places.size() && all.places[next] == place) {
        for (int32_t w = 0; w < all.lengths[next]; ++w) {
          keys.push_back(all.first[next] + w);
        }
        ++next;
      }
      offsets.push_back(static_cast<int32_t>(keys.size()));
    }
    for (int64_t h = 0; h < info->heads; ++h) {
      for (const int32_t token : keys) {
        of_edges.push_back(At(cells, token) +
                           static_cast<int32_t>(h) * At(head_steps, token));
      }
    }
    std::vector<Var> parts;
    for (const Var& w : watch->weights()) {
      parts.push_back(Reshape(w, {w.value().numel(), 1}));
    }
    const int64_t edges = std::ssize(keys);
    const Var weights = Reshape(Embed(ConcatRows(std::move(parts)),
                                      Ids(of_edges, {std::ssize(of_edges)})),
                                {info->heads, edges});
    const kernels::Neighbourhood graph = kernels::MakeNeighbourhood(
        Ids(offsets, {std::ssize(offsets)}), Ids(keys, {edges}), all.B * all.S);
    ctx.observer->OnAttention({*info, 0, weights, &graph, nullptr});
  }
  return ConcatRows(std::move(vectors));
}

Var HierarchicalReader::operator()(const Context& ctx,
                                   const TextInput& text) const {
  CheckShapes(text.ids.rank() == 2 && text.lengths.defined() &&
                  text.sentences.defined() && text.sentences.rank() == 2 &&
                  text.sentences.dim(0) == text.ids.dim(0),
              "han", "not documents [B, S] with sentences [B, R]",
              {text.ids.shape()});
  CheckLengths("han", text.lengths, text.ids.dim(0), text.ids.dim(1));
  CheckVectors(text, vectors_);
  const Sentences all(text);
  const Var tokens = Tokens(ctx, text);
  CheckShapes(!all.order.empty(), "han", "documents without a word",
              {text.ids.shape()});
  const Var vectors = SentenceVectors(ctx, tokens, all);
  // From sentences sorted by length to positions in documents, time first.
  std::vector<int32_t> row_at(static_cast<size_t>(all.B * all.R));
  std::vector<int32_t> row_of(all.order.size());
  for (size_t i = 0; i < all.order.size(); ++i) {
    row_of[all.order[i]] = static_cast<int32_t>(i);
  }
  size_t sentence = 0;
  for (int64_t b = 0; b < all.B; ++b) {
    for (int32_t r = 0; r < At(all.counts, b); ++r) {
      At(row_at, r * all.B + b) = row_of[sentence++];
    }
  }
  const Tensor counts = Ids(all.counts, {all.B});
  const Var steps = Embed(vectors, Ids(row_at, {all.R, all.B}));
  const Var states = Drop(ctx, sentences_(ctx, steps, counts).outputs);
  return sentence_pooling_(ctx, TransposeLeading(states), counts);
}

std::vector<OutlineSequence> HierarchicalReader::Outline() const {
  const Shape& table = embedding_.weight().value().shape();
  const std::string with = vectors_ > 0 ? "pretrained vectors" : "";
  OutlineSequence words = {.name = "words of each sentence", .axis = "source"};
  words.blocks = {EmbeddingOutline(table[0], table[1] + vectors_, with),
                  RecurrentOutline(config_.words),
                  PoolingOutline(word_pooling_.options())};
  OutlineSequence sentences = {.name = "sentences", .axis = "sentences"};
  sentences.letter = "s";
  sentences.of = {0};
  sentences.blocks = {RecurrentOutline(config_.sentences),
                      PoolingOutline(sentence_pooling_.options())};
  return {std::move(words), std::move(sentences)};
}

}  // namespace heed
