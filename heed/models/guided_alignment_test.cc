// A loss of the weights of the attention that says where words come from.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "heed/models/encoder_decoder.h"
#include "heed/models/transformer_testing.h"
#include "heed/ops/elementwise.h"

namespace heed {
namespace {

struct Guided {
  std::string name;
  std::unique_ptr<SequenceModel> model;
};

/// Models that attend before, between and behind their steps, with scores that
/// remember; and Transformers.
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
    config.Resolve();
    models.push_back(
        {std::string(name) + " " + variant + " " + score,
         std::make_unique<EncoderDecoder>(config, batch.source_words,
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
    config = Resolved(config);
    models.push_back(
        {std::string("transformer ") + norm,
         std::make_unique<Transformer>(config, batch.source_words,
                                       batch.target_words, 3, dtype)});
  }
  return models;
}

/// The loss of the batch and that of links at random.
Var GuidedLoss(const SequenceModel& model, const SequenceBatch& batch,
               Context ctx, double weight) {
  WeightsTap tap{model.alignment_attention(), {}};
  ctx.tap = &tap;
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
  return Add(loss, AlignmentCrossEntropy(tap.weights, links,
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

/// Keeps the weights of one head, or their mean, as a Recorder is told them.
class HeadRecorder : public Recorder {
 public:
  explicit HeadRecorder(const SequenceModel& model)
      : layer_(model.alignment_attention()), head_(model.alignment_head()) {}
  void OnAttention(const std::string& layer, int head, int64_t /*step*/,
                   const Tensor& weights) override {
    if (layer != layer_ || head != std::max<int64_t>(head_, 0)) return;
    parts.push_back(weights);
  }
  std::vector<Tensor> parts;

 private:
  std::string layer_;
  int64_t head_;
};

TEST(GuidedAlignment, TakesTheWeightsThatARecorderIsTold) {
  const SequenceBatch batch;
  for (const Guided& guided : GuidedModels(DType::kF32)) {
    SCOPED_TRACE(guided.name);
    HeadRecorder recorder(*guided.model);
    Context seen;
    seen.recorder = &recorder;
    LossOf(*guided.model, batch, seen);
    WeightsTap tap{guided.model->alignment_attention(), {}};
    Tape tape;
    Context tapped;
    tapped.tape = &tape;
    tapped.tap = &tap;
    LossOf(*guided.model, batch, tapped);
    ASSERT_EQ(tap.weights.size(), recorder.parts.size());
    for (size_t i = 0; i < tap.weights.size(); ++i) {
      const Tensor look =
          HeadWeights(tap.weights[i].value(), guided.model->alignment_head());
      EXPECT_LT(MaxDifference(look, recorder.parts[i]), 1e-6);
    }
  }
}

TEST(GuidedAlignment, TheTapChangesNoLoss) {
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
    HeadRecorder recorder(*guided.model);
    Context seen;
    seen.recorder = &recorder;
    LossOf(*guided.model, batch, seen);
    const auto state = guided.model->Start({}, batch.source, batch.lengths);
    const Tensor first = batch.target_in[0];
    guided.model->Step({}, first, *state);
    for (int64_t b = 0; b < batch.size(); ++b) {
      const float* expected = recorder.parts[0][b].row<float>(0);
      for (int64_t s = 0; s < batch.source.dim(0); ++s) {
        EXPECT_NEAR(state->weights().row<float>(b)[s], expected[s], 1e-5);
      }
    }
  }
}

}  // namespace
}  // namespace heed
