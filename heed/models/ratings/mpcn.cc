#include "heed/models/ratings/mpcn.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "heed/attention/mask.h"
#include "heed/attention/shown_weights.h"
#include "heed/base/at.h"
#include "heed/kernels/normalizers.h"
#include "heed/kernels/sparse.h"
#include "heed/ops/attention.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/matmul.h"
#include "heed/ops/normalizers.h"
#include "heed/ops/row_sums.h"
#include "heed/ops/score_modifiers.h"
#include "heed/ops/shape.h"
#include "heed/ops/sparse.h"
#include "heed/ops/steps.h"

namespace heed {
namespace {

int64_t VectorsOfSide(const ResolvedMpcn& config) {
  return config.combine == PointerSum::kConcat ? config.pointers : 1;
}

/// Row b·R + r has the words of review r of document b, in columns b·S + s.
std::shared_ptr<const kernels::SparsePattern> WordsOfReviewsIn(
    const ReviewDocuments& document) {
  const int64_t B = document.B(), S = document.S(), R = document.R();
  std::vector<int32_t> offsets = {0}, columns;
  for (int64_t b = 0; b < B; ++b) {
    const int32_t* starts = document.starts.row<int32_t>(b);
    for (int64_t r = 0; r < R; ++r) {
      for (int32_t s = starts[r]; s < starts[r + 1]; ++s) {
        columns.push_back(static_cast<int32_t>(b * S) + s);
      }
      offsets.push_back(static_cast<int32_t>(columns.size()));
    }
  }
  return std::make_shared<kernels::SparsePattern>(kernels::MakeSparsePattern(
      Tensor::Of(offsets, {std::ssize(offsets)}),
      Tensor::Of(columns, {std::ssize(columns)}), B * S));
}

int64_t LongestReview(const ReviewDocuments& document) {
  int32_t longest = 1;
  for (int64_t b = 0; b < document.B(); ++b) {
    const int32_t* starts = document.starts.row<int32_t>(b);
    for (int64_t r = 0; r < document.R(); ++r) {
      longest = std::max(longest, starts[r + 1] - starts[r]);
    }
  }
  return longest;
}

/// Row of the words [B·S] for word l of review r; arbitrary for padding.
Tensor PlacesOfWords(const ReviewDocuments& document, int64_t L) {
  const int64_t B = document.B(), S = document.S(), R = document.R();
  Tensor places({B * R * L}, DType::kI32);
  int32_t* place = places.data<int32_t>();
  for (int64_t b = 0; b < B; ++b) {
    const int32_t* starts = document.starts.row<int32_t>(b);
    for (int64_t r = 0; r < R; ++r) {
      for (int32_t l = 0; l < L; ++l) {
        const bool inside = starts[r] + l < starts[r + 1];
        *place++ = static_cast<int32_t>(b * S) + (inside ? starts[r] + l : 0);
      }
    }
  }
  return places;
}

/// 1 for words, 0 for padding of reviews. Shapes: result [B·R·L].
Tensor AreWords(const ReviewDocuments& document, int64_t L, DType dtype) {
  Tensor are = Tensor::Zeros({document.B() * document.R() * L}, DType::kF64);
  double* one = are.data<double>();
  for (int64_t b = 0; b < document.B(); ++b) {
    const int32_t* starts = document.starts.row<int32_t>(b);
    for (int64_t r = 0; r < document.R(); ++r, one += L) {
      std::fill_n(one, starts[r + 1] - starts[r], 1.0);
    }
  }
  return are.To(dtype);
}

/// 1/n for each of the first n positions. Shapes: lengths i32 [B], result [B,
/// 1, S].
Tensor EvenWeights(const Tensor& lengths, int64_t S, DType dtype) {
  Tensor even = Tensor::Zeros({lengths.numel(), 1, S}, DType::kF64);
  for (int64_t b = 0; b < lengths.numel(); ++b) {
    const int32_t n = lengths.data<int32_t>()[b];
    std::fill_n(even.data<double>() + b * S, n, 1.0 / std::max(n, 1));
  }
  return even.To(dtype);
}

/// Review with the largest weight of each document. Shapes: weights [B, 1, R].
std::vector<int64_t> ChosenReviews(const Var& weights) {
  const Tensor w = weights.value().To(DType::kF64).Contiguous();
  std::vector<int64_t> chosen;
  for (int64_t b = 0; b < w.dim(0); ++b) {
    const double* row = w.data<double>() + b * w.dim(2);
    chosen.push_back(std::max_element(row, row + w.dim(2)) - row);
  }
  return chosen;
}

/// Number of words of a selection: of the selected review, or of the longest
/// review with a nonzero weight.
Tensor WordsOfChoice(const Var& weights, const ReviewDocuments& document,
                     bool one) {
  const std::vector<int64_t> chosen = ChosenReviews(weights);
  Tensor lengths({document.B()}, DType::kI32);
  for (int64_t b = 0; b < document.B(); ++b) {
    const int32_t* starts = document.starts.row<int32_t>(b);
    int32_t length = 0;
    for (int64_t r = 0; r < document.R(); ++r) {
      if (one && r != At(chosen, b)) continue;
      length = std::max(length, starts[r + 1] - starts[r]);
    }
    lengths.data<int32_t>()[b] = length;
  }
  return lengths;
}

}  // namespace

Mpcn::Pointer::Pointer(const Scope& scope, const ResolvedMpcn& config)
    : reviews(scope / "reviews", config.embedding, config.embedding,
              config.matrix_init),
      affinity(scope.Add("affinity", {config.embedding, config.embedding},
                         config.matrix_init, ParameterUse::kMatrix)),
      words(scope / "words", config.embedding, config.embedding,
            config.matrix_init),
      word_affinity(scope.Add("word_affinity",
                              {config.embedding, config.embedding},
                              config.matrix_init, ParameterUse::kMatrix)),
      path(scope.path()) {}

Mpcn::Mpcn(const Scope& scope, const ResolvedMpcn& config,
           const RatingSizes& sizes)
    : config_(config),
      words_count_(sizes.words),
      biases_(scope / "biases", sizes.users, sizes.items),
      words_(scope / "words", sizes.words, config.embedding,
             config.embedding_init),
      gate_(config.gate == ReviewGate::kTanh
                ? std::make_unique<Linear>(scope / "gate", config.embedding,
                                           config.embedding, config.matrix_init)
                : nullptr),
      projection_(scope / "projection", config.embedding, config.embedding,
                  config.matrix_init),
      linear_(scope / "linear", 2 * VectorsOfSide(config) * config.embedding, 1,
              config.matrix_init, /*bias=*/false),
      pairs_(scope.Add(
          "pairs",
          {2 * VectorsOfSide(config) * config.embedding, config.factors},
          config.matrix_init)) {
  if (config.pointing == Pointing::kMean) return;
  for (int64_t k = 0; k < config.pointers; ++k) {
    pointers_.push_back(std::make_unique<Pointer>(
        scope / ("pointers." + std::to_string(k)), config));
  }
  if (config.combine == PointerSum::kNetwork) {
    combine_ = std::make_unique<Linear>(scope / "combine",
                                        config.pointers * config.embedding,
                                        config.embedding, config.matrix_init);
  }
}

DocumentLimits Mpcn::limits() const {
  return {.reviews = config_.reviews,
          .words_of_review = config_.words,
          .words = config_.reviews * config_.words};
}

Mpcn::Side Mpcn::ReadSide(const Context& ctx, const ReviewDocuments& document,
                          const char* name) const {
  ctx.CheckCancelled();
  const int64_t B = document.B(), R = document.R(), M = config_.embedding;
  Side side;
  side.document = &document;
  side.name = name;
  side.words =
      Dropout(ctx, ctx.Input(side.name + "_words", words_(ctx, document.ids)),
              config_.dropout);
  const Var rows = Reshape(side.words, {B * document.S(), M});
  const Var x = SparseMatMul(WordsOfReviewsIn(document), {}, rows);
  const Var projected = projection_(ctx, x);
  const Var gated = gate_ == nullptr
                        ? Relu(projected)
                        : Mul(Sigmoid((*gate_)(ctx, x)), Tanh(projected));
  side.gated = Reshape(gated, {B, R, M});
  if (pointers_.empty()) return side;
  side.longest = LongestReview(document);
  const int64_t L = side.longest;
  // [B R L, M], zeros for padding of reviews.
  const Var spread = ScaleRows(Embed(rows, PlacesOfWords(document, L)),
                               AreWords(document, L, rows.value().dtype()));
  side.spread = Reshape(spread, {B, R, L * M});
  return side;
}

Mpcn::Choice Mpcn::Choose(const Context& ctx, const Var& scores,
                          const Side& side, bool one) const {
  const ReviewDocuments& document = *side.document;
  const int64_t B = document.B(), R = document.R();
  const Var masked = MaskPadding(Reshape(scores, {B, 1, R}), document.counts);
  Choice choice;
  if (!one) {
    choice.weights = Softmax(masked);
  } else if (ctx.training) {
    choice.weights = GumbelSoftmax(ctx, masked, config_.temperature);
  } else {
    choice.weights = StraightThrough(kernels::OneHotOfMaximum(masked.value()),
                                     Softmax(masked));
  }
  choice.words = Reshape(WeightedSum(choice.weights, side.spread),
                         {B, side.longest, config_.embedding});
  choice.lengths = WordsOfChoice(choice.weights, document, one);
  return choice;
}

void Mpcn::ReadWords(const Context& ctx, const Pointer& pointer, Choice& user,
                     Choice& item) const {
  const auto project = [&](const Choice& choice) {
    return Relu(pointer.words(ctx, choice.words));  // [B, L, M]
  };
  const DType dtype = user.words.value().dtype();
  // mean_j G(v_i)ᵀ N G(w_j) = G(v_i)ᵀ N mean_j G(w_j); the mean over i is
  // analogous.
  const Var v = MatMul(project(user), ctx.Use(pointer.word_affinity));
  const Var w = project(item);
  const auto mean = [&](const Var& x, const Tensor& lengths) {
    return WeightedSum(EvenWeights(lengths, x.dim(1), dtype), x);
  };
  const int64_t B = v.dim(0), M = config_.embedding;
  const auto read = [&](Choice& choice, const Var& query, const Var& keys) {
    choice.word_weights =
        Softmax(MaskPadding(DotScores(query, keys, 1), choice.lengths));
    choice.read =
        Reshape(WeightedSum(choice.word_weights, choice.words), {B, M});
  };
  read(user, mean(w, item.lengths), v);
  read(item, mean(v, user.lengths), w);
}

Mpcn::Selection Mpcn::Select(const Context& ctx, const Pointer& pointer,
                             const Side& user, const Side& item,
                             bool one) const {
  ctx.CheckCancelled();
  const Var a =
      MatMul(Relu(pointer.reviews(ctx, user.gated)), ctx.Use(pointer.affinity));
  const Var b = Relu(pointer.reviews(ctx, item.gated));
  Selection selection;
  selection.affinity = DotScores(a, b, 1);
  const Var turned = DotScores(b, a, 1);
  selection.user =
      Choose(ctx, MaxOverSteps(turned, item.document->counts), user, one);
  selection.item = Choose(
      ctx, MaxOverSteps(selection.affinity, user.document->counts), item, one);
  ReadWords(ctx, pointer, selection.user, selection.item);
  Observe(ctx, pointer, selection, user, item);
  return selection;
}

void Mpcn::Observe(const Context& ctx, const Pointer& pointer,
                   const Selection& selection, const Side& user,
                   const Side& item) const {
  if (ctx.observer == nullptr) return;
  const auto show = [&](const AttentionInfo& info, const auto& weights) {
    ShowWeights(ctx, info, weights);
  };
  const char* normalizer =
      config_.pointing == Pointing::kGumbel ? "gumbel" : "softmax";
  for (const auto& [side, choice] :
       {std::pair(&user, &selection.user), std::pair(&item, &selection.item)}) {
    show({.path = pointer.path + "." + side->name + "_reviews",
          .score = "co-attention",
          .normalizer = normalizer,
          .query_axis = "answer",
          .key_axis = side->name + "_reviews"},
         [c = choice] { return c->weights; });
    // Weight p_r a_l of word l of review r, at its position in the document.
    show({.path = pointer.path + "." + side->name + "_words",
          .score = "co-attention",
          .normalizer = "softmax",
          .query_axis = "answer",
          .key_axis = side->name + "_words"},
         [s = side, c = choice] {
           const ReviewDocuments& d = *s->document;
           const int64_t B = d.B(), R = d.R(), L = s->longest;
           const Var pairs = DotScores(Reshape(c->weights, {B, R, 1}),
                                       Reshape(c->word_weights, {B, L, 1}), 1);
           Tensor at = Tensor::Zeros({B * d.S()}, DType::kI32);
           Tensor is = Tensor::Zeros({B * d.S()}, DType::kF64);
           for (int64_t b = 0; b < B; ++b) {
             const int32_t* starts = d.starts.row<int32_t>(b);
             for (int64_t r = 0; r < R; ++r) {
               for (int32_t i = starts[r]; i < starts[r + 1]; ++i) {
                 at.data<int32_t>()[b * d.S() + i] =
                     static_cast<int32_t>((b * R + r) * L + i - starts[r]);
                 is.data<double>()[b * d.S() + i] = 1;
               }
             }
           }
           const Var placed =
               ScaleRows(Embed(Reshape(pairs, {B * R * L, 1}), at),
                         is.To(pairs.value().dtype()));
           return Reshape(placed, {B, 1, d.S()});
         });
  }
  // Item reviews matching each user review: a softmax of each row.
  show({.path = pointer.path + ".affinity",
        .score = "co-attention",
        .normalizer = "softmax",
        .query_axis = "user_reviews",
        .key_axis = "item_reviews"},
       [&] {
         return Softmax(MaskPadding(selection.affinity, item.document->counts));
       });
}

Var Mpcn::MeanOf(const Side& side) const {
  const ReviewDocuments& document = *side.document;
  const Tensor even =
      EvenWeights(document.counts, document.R(), side.gated.value().dtype());
  return Reshape(WeightedSum(even, side.gated),
                 {document.B(), config_.embedding});
}

Var Mpcn::Combine(const Context& ctx, std::vector<Var> read) const {
  if (config_.combine == PointerSum::kSum) {
    Var sum = read[0];
    for (size_t k = 1; k < read.size(); ++k) sum = Add(sum, read[k]);
    return sum;
  }
  const Var all = ConcatColumns(read);
  return combine_ == nullptr ? all : Relu((*combine_)(ctx, all));
}

Var Mpcn::Machine(const Context& ctx, const Var& z) const {
  const Var v = ctx.Use(pairs_);
  const Var squares = MatMul(Mul(z, z), Mul(v, v));
  const Var xv = MatMul(z, v);
  const Var rating =
      Add(linear_(ctx, z), Scale(RowSums(Sub(Mul(xv, xv), squares)), 0.5));
  return Reshape(rating, {z.dim(0)});
}

Mpcn::Pass Mpcn::Read(const Context& ctx, const RatingBatch& batch) const {
  CheckRatingBatch("mpcn", batch, words_count_, limits());
  Pass pass;
  pass.user = ReadSide(ctx, batch.user, "user");
  pass.item = ReadSide(ctx, batch.item, "item");
  std::vector<Var> of_user, of_item;
  // Sampled once for each batch, for all pointers.
  const bool softens = ctx.training && config_.soft_batches > 0 &&
                       ctx.rng->Uniform() < config_.soft_batches;
  const bool one = config_.pointing == Pointing::kGumbel && !softens;
  for (const auto& pointer : pointers_) {
    pass.selections.push_back(Select(ctx, *pointer, pass.user, pass.item, one));
    of_user.push_back(pass.selections.back().user.read);
    of_item.push_back(pass.selections.back().item.read);
  }
  if (pointers_.empty()) {
    of_user = {MeanOf(pass.user)};
    of_item = {MeanOf(pass.item)};
  }
  const Var z = ConcatColumns(
      {Combine(ctx, std::move(of_user)), Combine(ctx, std::move(of_item))});
  const Var rating = Machine(ctx, Dropout(ctx, z, config_.dropout));
  pass.reviews = Mul(rating, HasBothDocuments(batch, rating.value().dtype()));
  return pass;
}

Var Mpcn::Ratings(const Context& ctx, const RatingBatch& batch) const {
  return Add(Read(ctx, batch).reviews, biases_(ctx, batch));
}

RatingParts Mpcn::Parts(const RatingBatch& batch) const {
  const Pass pass = Read({}, batch);
  RatingParts parts;
  biases_.AddTo(batch, parts);
  parts.reviews = NumbersOf(pass.reviews)[0];
  for (const Selection& selection : pass.selections) {
    parts.affinity.push_back(NumbersOf(selection.affinity));
    parts.user_side.pointers.push_back(NumbersOf(selection.user.weights));
    parts.item_side.pointers.push_back(NumbersOf(selection.item.weights));
  }
  return parts;
}

OutlineSequence Mpcn::OutlineOfSide(const char* name, const char* axis,
                                    const char* letter) const {
  using Kind = OutlinePart::Kind;
  const int64_t M = config_.embedding;
  OutlineSequence reviews = {.name = name, .axis = axis};
  reviews.letter = letter;
  const auto add = [&reviews](const OutlinePart& part) {
    reviews.blocks.push_back({{part}, 1});
  };
  add({.name = "sum of word vectors",
       .features = M,
       .detail = fmt::format("of {} words", words_count_)});
  add({.name = "gate", .features = M});
  if (pointers_.empty()) {
    add({.kind = Kind::kPool, .name = "mean of reviews", .features = M});
    return reviews;
  }
  add({.kind = Kind::kPool,
       .name = config_.pointers == 1
                   ? std::string("pointer")
                   : fmt::format("{} pointers", config_.pointers),
       .features = config_.pointers,
       .detail = config_.pointing == Pointing::kGumbel
                     ? "one review each, by affinity"
                     : "weights of reviews, by affinity"});
  add({.name = "attention to words",
       .features = config_.pointers * M,
       .detail = "of these reviews, by affinity"});
  if (config_.combine != PointerSum::kConcat) {
    add({.name = combine_ != nullptr ? "network" : "sum",
         .features = M,
         .detail = combine_ != nullptr ? "relu" : ""});
  }
  return reviews;
}

ModelOutline Mpcn::Outline() const {
  const Shape& pairs = pairs_.value().shape();
  return {{},
          {OutlineOfSide("reviews by the user", "user_reviews", "a"),
           OutlineOfSide("reviews of the item", "item_reviews", "b"),
           RatingOutline({{{{.kind = OutlinePart::Kind::kPool,
                             .name = "factorisation machine",
                             .features = 1,
                             .detail = fmt::format("of {} features, {} factors",
                                                   pairs[0], pairs[1])}},
                           1},
                          biases_.Outline()},
                         {0, 1})}};
}

}  // namespace heed
