#include "heed/models/copying.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "heed/models/model_testing.h"
#include "heed/models/recurrent/encoder_decoder.h"
#include "heed/models/transformer/transformer_testing.h"
#include "heed/ops/copy_scores.h"

namespace heed::copying_test {
namespace {

constexpr int32_t kSourceWords = 6;
constexpr int32_t kTargetWords = 5;

/// Source ids 0 to 5 are known; 5 has no target token. Ids from 6 on are
/// temporary.
CopyTable SmallTable() { return {{0, 1, 2, 3, 4, -1}, 1, 1, kTargetWords}; }

/// A batch with temporary ids on both sides.
SequenceBatch CopyBatch() {
  SequenceBatch batch;
  batch.source_words = kSourceWords;
  batch.target_words = kTargetWords;
  batch.source = Ids({4, 5, 7,  //
                      7, 3, 3,  //
                      5, 0, 2,  //
                      5, 0, 7,  //
                      7, 0, 0},
                     {5, 3});
  batch.target_in = Ids({2, 2, 2,  //
                         6, 5, 4,  //
                         7, 3, 6,  //
                         4, 0, 3},
                        {4, 3});
  batch.target = Ids({6, 5, 4,  //
                      7, 3, 6,  //
                      4, 3, 3,  //
                      3, 3, 3},
                     {4, 3});
  return batch;
}

struct Copies {
  std::string name;
  Decoder* generating;
  std::unique_ptr<CopyingDecoder> model;
};

Copies Wrapped(std::string name, std::unique_ptr<Decoder> generating) {
  Decoder* inner = generating.get();
  Copies copies = {
      std::move(name), inner,
      std::make_unique<CopyingDecoder>(std::move(generating), SmallTable())};
  Shake(copies.model->parameters());
  return copies;
}

std::unique_ptr<Decoder> Recurrent(const std::string& model,
                                   const std::string& variant, DType dtype) {
  RecurrentConfig config;
  config.model = model;
  config.variant = variant;
  config.embedding = 3;
  config.units = 4;
  config.dropout = 0;
  return std::make_unique<EncoderDecoder>(config.Resolve(), kSourceWords,
                                          kTargetWords, 3, dtype);
}

std::unique_ptr<Decoder> MakeTransformer(int head, DType dtype) {
  TransformerConfig config = SmallTransformer();
  config.decoder_layers = 2;
  config.alignment_layer = 0;
  config.alignment_head = head;
  return std::make_unique<Transformer>(Resolved(config), kSourceWords,
                                       kTargetWords, 3, dtype);
}

std::vector<Copies> AllCopies(DType dtype = DType::kF64) {
  std::vector<Copies> all;
  all.push_back(Wrapped("bahdanau", Recurrent("bahdanau", "rnnsearch", dtype)));
  all.push_back(Wrapped("cgru", Recurrent("bahdanau", "cgru", dtype)));
  all.push_back(Wrapped("luong", Recurrent("luong", "global", dtype)));
  all.push_back(Wrapped("transformer head 1", MakeTransformer(1, dtype)));
  all.push_back(Wrapped("transformer mean", MakeTransformer(-1, dtype)));
  return all;
}

/// Mixture of a copying model, from the numbers of the other decoder alone.
class PlainMixture {
 public:
  PlainMixture(const Copies& copies, const SequenceBatch& batch)
      : copies_(copies), batch_(batch) {
    SequenceBatch known = batch;
    known.source = Unknown(batch.source, kSourceWords);
    known.target_in = Unknown(batch.target_in, kTargetWords);
    AttentionWatch watch;
    Context ctx;
    ctx.observer = &watch;
    const Encoding encoding = copies.generating->Encode({}, known.inputs());
    encoded_ = encoding.vectors.value();
    DecoderState state = copies.generating->Start({}, encoding);
    state.whole = true;
    features_ =
        copies.generating->Features(ctx, known.target_in, state).value();
    logits_ = copies.generating->output().Scores({}, features_).value();
    for (const auto& seen : watch.seen) {
      if (seen.info.path != copies.generating->alignment_attention()) continue;
      weights_.push_back(seen.weights.value());
    }
    embedding_ =
        (*copies.generating->target_embedding())({}, known.target_in).value();
  }

  double Probability(int64_t t, int64_t b, int32_t token) const {
    const double gate = 1 / (1 + std::exp(-Logit(t, b)));
    double sum = 0;
    for (int32_t v = 0; v < kTargetWords; ++v) sum += std::exp(Logit(t, b, v));
    double p =
        token < kTargetWords ? gate * std::exp(Logit(t, b, token)) / sum : 0;
    for (int64_t s = 0; s < batch_.LengthOf(b); ++s) {
      if (CopiedAs(b, s) == token) p += (1 - gate) * (Weight(t, b, s) + 1e-10);
    }
    return p;
  }

 private:
  static Tensor Unknown(const Tensor& ids, int32_t words) {
    Tensor known = ids.Clone();
    for (int64_t i = 0; i < ids.numel(); ++i) {
      int32_t& id = known.data<int32_t>()[i];
      if (id >= words) id = 1;
    }
    return known;
  }

  int32_t SourceAt(int64_t b, int64_t s) const {
    return batch_.source.row<int32_t>(s)[b];
  }
  int32_t CopiedAs(int64_t b, int64_t s) const {
    const int32_t id = SourceAt(b, s);
    if (id < 5) return id;
    if (id >= kSourceWords) return kTargetWords + id - kSourceWords;
    int32_t first = 0;
    while (SourceAt(b, first) != id) ++first;
    return kTargetWords + first;
  }
  double Weight(int64_t t, int64_t b, int64_t s) const {
    const bool steps = weights_.size() > 1;
    const Tensor own = weights_[steps ? static_cast<size_t>(t) : 0][b];
    const int64_t H = own.dim(0);
    const int64_t head = copies_.model->alignment_head();
    double sum = 0;
    for (int64_t h = 0; h < H; ++h) {
      if (head >= 0 && h != head) continue;
      sum += own[h].row<double>(steps ? 0 : t)[s];
    }
    return head >= 0 ? sum : sum / static_cast<double>(H);
  }
  double Logit(int64_t t, int64_t b, int32_t v) const {
    return logits_[t].row<double>(b)[v];
  }
  double Product(const double* x, int64_t n, const char* weight) const {
    const Tensor w = copies_.model->parameters().Find(weight)->value();
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += x[i] * w.row<double>(i)[0];
    return sum;
  }
  double Logit(int64_t t, int64_t b) const {
    std::vector<double> context(static_cast<size_t>(encoded_.dim(2)));
    for (int64_t s = 0; s < batch_.LengthOf(b); ++s) {
      for (size_t i = 0; i < context.size(); ++i) {
        context[i] += Weight(t, b, s) * encoded_[b].row<double>(s)[i];
      }
    }
    return Product(context.data(), encoded_.dim(2), "copy.context.weight") +
           Product(features_[t].row<double>(b), features_.dim(2),
                   "copy.state.weight") +
           Product(embedding_[t].row<double>(b), embedding_.dim(2),
                   "copy.input.weight") +
           copies_.model->parameters().Find("copy.bias")->value().item();
  }

  const Copies& copies_;
  SequenceBatch batch_;
  Tensor encoded_;
  Tensor features_;
  Tensor logits_;
  Tensor embedding_;
  std::vector<Tensor> weights_;
};

TEST(CopyingDecoder, IsTheMixtureOfThePaper) {
  const SequenceBatch batch = CopyBatch();
  for (const Copies& copies : AllCopies()) {
    SCOPED_TRACE(copies.name);
    const PlainMixture plain(copies, batch);
    const Tensor log_p = LogitsOf(*copies.model, batch);
    ASSERT_EQ(log_p.dim(2), kTargetWords + 5);
    for (int64_t t = 0; t < batch.steps(); ++t) {
      for (int64_t b = 0; b < batch.size(); ++b) {
        double sum = 0;
        for (int32_t v = 0; v < log_p.dim(2); ++v) {
          const double p = std::exp(log_p[t].row<double>(b)[v]);
          EXPECT_NEAR(p, plain.Probability(t, b, v), 1e-12);
          sum += p;
        }
        EXPECT_NEAR(sum, 1, 1e-9);
      }
    }
  }
}

TEST(CopyingDecoder, StepsEqualTheWholeRun) {
  for (const Copies& copies : AllCopies()) {
    EXPECT_LT(StepDifference(*copies.model, CopyBatch()), 1e-12) << copies.name;
  }
  for (const Copies& copies : AllCopies(DType::kF32)) {
    EXPECT_LT(StepDifference(*copies.model, CopyBatch()), 1e-4) << copies.name;
  }
}

TEST(CopyingDecoder, HasGradients) {
  for (const Copies& copies : AllCopies()) {
    SCOPED_TRACE(copies.name);
    ExpectGradients(*copies.model, CopyBatch(), 4);
  }
}

TEST(CopyingDecoder, SmoothsLabelsOverTheVocabulary) {
  const SequenceBatch batch = CopyBatch();
  const Copies copies = std::move(AllCopies()[0]);
  const Tensor log_p = LogitsOf(*copies.model, batch);
  constexpr double kSmoothing = 0.2;
  double expected = 0;
  for (int64_t t = 0; t < batch.steps(); ++t) {
    for (int64_t b = 0; b < batch.size(); ++b) {
      const double* row = log_p[t].row<double>(b);
      expected -= (1 - kSmoothing) * row[batch.target.row<int32_t>(t)[b]];
      for (int32_t v = 0; v < kTargetWords; ++v) {
        expected -= kSmoothing / kTargetWords * row[v];
      }
    }
  }
  CrossEntropyOptions options;
  options.smoothing = kSmoothing;
  const CrossEntropyLoss loss = copies.model->Loss(
      {}, batch.inputs(), batch.target_in, batch.target, options);
  EXPECT_NEAR(loss.loss.value().item(), expected, 1e-9);
  EXPECT_EQ(loss.tokens, 12);
}

TEST(CopyingDecoder, IgnoresPadding) {
  const SequenceBatch batch = CopyBatch();
  for (const Copies& copies : AllCopies()) {
    SCOPED_TRACE(copies.name);
    const Tensor all = LogitsOf(*copies.model, batch);
    for (int64_t b = 0; b < batch.size(); ++b) {
      const Tensor alone = LogitsOf(*copies.model, batch.Row(b));
      const int64_t columns = kTargetWords + batch.LengthOf(b);
      for (int64_t t = 0; t < batch.steps(); ++t) {
        EXPECT_LT(
            MaxDifference(alone[t], all[t].Slice(b, b + 1).Columns(0, columns)),
            1e-12);
      }
    }
  }
}

TEST(CopyingDecoder, KeepsRowsWithTheirSources) {
  const SequenceBatch batch = CopyBatch();
  for (const Copies& copies : AllCopies()) {
    SCOPED_TRACE(copies.name);
    const Decoder& model = *copies.model;
    DecoderState state = StartOf(model, batch.inputs());
    model.Step({}, batch.target_in[0], state);
    // Two rows for each of the sources 0 and 2.
    state.Reorder(Ids({0, 0, 2, 2}, {4}), Ids({0, 2}, {2}));
    const Tensor step = model.Step({}, Ids({6, 6, 4, 4}, {4}), state).value();
    const Tensor all = LogitsOf(model, batch);
    EXPECT_LT(MaxDifference(step[1], all[1][0]), 1e-12);
    EXPECT_LT(MaxDifference(step[2], all[1][2]), 1e-12);
  }
}

TEST(CopyingDecoder, PassesEventsToTheObserverOfItsCaller) {
  const Copies copies = std::move(AllCopies()[3]);
  AttentionWatch watch;
  Context ctx;
  ctx.observer = &watch;
  LogitsOf(*copies.model, CopyBatch(), ctx);
  const auto aligning =
      std::ranges::count_if(watch.seen, [&](const auto& seen) {
        return seen.info.path == copies.model->alignment_attention();
      });
  EXPECT_EQ(aligning, 1);
  EXPECT_GT(watch.seen.size(), 4U);  // of all attentions
}

TEST(CopyingDecoder, RefusesModelsThatCannotCopy) {
  for (auto* name : {"cho", "sutskever"}) {
    EXPECT_THROW(
        CopyingDecoder(Recurrent("fixed", name, DType::kF32), SmallTable()),
        ConfigError);
  }
  const Copies copies = std::move(AllCopies()[0]);
  EXPECT_THROW(copies.model->output().Restricted(Lengths({0, 1})), ConfigError);
  SequenceBatch batch = CopyBatch();
  batch.source.data<int32_t>()[0] = kSourceWords + 5;
  EXPECT_THROW(LogitsOf(*copies.model, batch), ShapeError);
}

}  // namespace
}  // namespace heed::copying_test
