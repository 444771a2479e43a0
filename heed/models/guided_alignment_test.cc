// Tests of a loss on the weights of the alignment attention.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "heed/models/recurrent/encoder_decoder.h"
#include "heed/models/transformer/transformer_testing.h"
#include "heed/ops/elementwise.h"

namespace heed::guided_alignment_test {
namespace {

struct Guided {
  std::string name;
  std::unique_ptr<Decoder> model;
};

/// Models with attention before, between and after their steps, with scores
/// that read previous weights; and Transformers.
std::vector<Guided> GuidedModels(DType dtype) {
  const SequenceBatch batch;
  std::vector<Guided> models;
  const auto add_recurrent = [&](const char* name, const char* variant,
                                 const char* score) {
    RecurrentConfig config;
    config.model = name;
    config.variant = variant;
    config.score = score;
    config.embedding = 3;
    config.units = 4;
    config.dropout = 0;
    models.push_back(
        {std::string(name) + " " + variant + " " + score,
         std::make_unique<EncoderDecoder>(config.Resolve(), batch.source_words,
                                          batch.target_words, 3, dtype)});
  };
  add_recurrent("bahdanau", "auto", "auto");
  add_recurrent("bahdanau", "cgru", "auto");
  add_recurrent("luong", "auto", "dot");
  add_recurrent("bahdanau", "auto", "location_aware");
  for (const char* norm : {"pre", "post"}) {
    TransformerConfig config = SmallTransformer();
    config.decoder_layers = 2;
    config.norm = norm;
    config.alignment_layer = 0;
    config.alignment_head = 1;
    models.push_back(
        {std::string("transformer ") + norm,
         std::make_unique<Transformer>(Resolved(config), batch.source_words,
                                       batch.target_words, 3, dtype)});
  }
  return models;
}

std::vector<Var> WeightsOf(const AttentionWatch& watch) {
  std::vector<Var> weights;
  for (const auto& seen : watch.seen) weights.push_back(seen.weights);
  return weights;
}

/// Loss of the batch plus that of random links.
Var GuidedLoss(const Decoder& model, const SequenceBatch& batch, Context ctx,
               double weight) {
  AttentionWatch watch =
      AttentionWatch::WithGradient(model.alignment_attention());
  ctx.observer = &watch;
  const Var loss = LossOf(model, batch, ctx);
  const DType dtype = loss.value().dtype();
  Tensor links =
      Tensor::Zeros({batch.size(), batch.steps(), batch.source.dim(0)}, dtype);
  Rng rng(5);
  for (int64_t b = 0; b < batch.size(); ++b) {
    for (int64_t t = 0; t < batch.steps(); ++t) {
      const auto length = static_cast<uint64_t>(batch.LengthOf(b));
      Tensor one = links[b][t].Slice(static_cast<int64_t>(rng.Below(length)),
                                     batch.source.dim(0));
      one.Slice(0, 1).Fill(1);
    }
  }
  return Add(loss, AlignmentCrossEntropy(WeightsOf(watch), links,
                                         model.alignment_head(), weight));
}

TEST(GuidedAlignment, HasTheGradientOfDifferences) {
  const SequenceBatch batch;
  for (const Guided& guided : GuidedModels(DType::kF64)) {
    SCOPED_TRACE(guided.name);
    ExpectParameterGradients(
        guided.model->parameters(),
        [&](Tape* tape) {
          Context ctx;
          ctx.tape = tape;
          return GuidedLoss(*guided.model, batch, ctx, 0.3);
        },
        8);
  }
}

/// Weights of the alignment head, or the mean of heads, of each call [B, T, S].
std::vector<Tensor> Alignments(const Decoder& model,
                               const SequenceBatch& batch) {
  AttentionWatch watch([&](const AttentionInfo& info) {
    return AttentionRequest{.weights =
                                info.path == model.alignment_attention()};
  });
  Context ctx;
  ctx.observer = &watch;
  LossOf(model, batch, ctx);
  std::vector<Tensor> parts;
  for (const Var& weights : WeightsOf(watch)) {
    parts.push_back(HeadWeights(weights.value(), model.alignment_head()));
  }
  return parts;
}

TEST(GuidedAlignment, WeightsWithAGradientAreThoseWithout) {
  const SequenceBatch batch;
  for (const Guided& guided : GuidedModels(DType::kF32)) {
    SCOPED_TRACE(guided.name);
    const std::vector<Tensor> expected = Alignments(*guided.model, batch);
    AttentionWatch watch =
        AttentionWatch::WithGradient(guided.model->alignment_attention());
    Tape tape;
    Context ctx;
    ctx.tape = &tape;
    ctx.observer = &watch;
    LossOf(*guided.model, batch, ctx);
    ASSERT_EQ(watch.seen.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(watch.seen[i].weights.tape(), &tape);
      const Tensor weights = HeadWeights(watch.seen[i].weights.value(),
                                         guided.model->alignment_head());
      EXPECT_LT(MaxDifference(weights, expected[i]), 1e-6);
    }
  }
}

TEST(GuidedAlignment, ObservingChangesNoLoss) {
  const SequenceBatch batch;
  for (const Guided& guided : GuidedModels(DType::kF32)) {
    Tape tape;
    Context ctx;
    ctx.tape = &tape;
    const double without = LossOf(*guided.model, batch, ctx).value().item();
    EXPECT_NEAR(GuidedLoss(*guided.model, batch, ctx, 0).value().item(),
                without, 1e-5)
        << guided.name;
  }
}

TEST(GuidedAlignment, DecodingShowsTheAttentionThatWasChosen) {
  const SequenceBatch batch;
  for (const Guided& guided : GuidedModels(DType::kF32)) {
    SCOPED_TRACE(guided.name);
    const std::vector<Tensor> alignments = Alignments(*guided.model, batch);
    DecoderState state = StartOf(*guided.model, batch.inputs());
    const Tensor first = batch.target_in[0];
    guided.model->Step({}, first, state);
    for (int64_t b = 0; b < batch.size(); ++b) {
      const float* expected = alignments[0][b].row<float>(0);
      for (int64_t s = 0; s < batch.source.dim(0); ++s) {
        EXPECT_NEAR(state.weights.row<float>(b)[s], expected[s], 1e-5);
      }
    }
  }
}

}  // namespace
}  // namespace heed::guided_alignment_test
