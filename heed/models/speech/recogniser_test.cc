// Tests of every recogniser, and of Chorowski's model against its golden file.
#include "heed/models/speech/recogniser.h"

#include <gtest/gtest.h>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/models/recurrent/encoder_decoder.h"
#include "heed/models/roles_testing.h"

namespace heed::recogniser_test {
namespace {

constexpr int64_t kFrameFeatures = 5;
constexpr int kSpokenWords = 9;

SequenceBatch SpokenBatch(const DType dtype = DType::kF64) {
  SequenceBatch batch;
  batch.frames = RandomTensor({3, 5, kFrameFeatures}, 4, DType::kF32).To(dtype);
  return batch;
}

class EveryRecogniser : public EveryRole {
 protected:
  std::unique_ptr<Decoder> Make(const DType dtype = DType::kF64) const {
    const auto settings = Small<RecogniserSettings>();
    settings->Fill();
    auto model = settings->Make(kFrameFeatures, kSpokenWords, 3, dtype);
    Shake(model->parameters());
    return model;
  }
};

INSTANTIATE_TEST_SUITE_P(Registry, EveryRecogniser,
                         testing::ValuesIn(VariantsIn<RecogniserSettings>()),
                         NameOf);

TEST_P(EveryRecogniser, WritesWhatFramesSay) {
  const auto settings = Small<RecogniserSettings>();
  settings->Fill();
  ExpectFilled(*settings, [&] { settings->Fill(); });
  const auto model =
      settings->Make(kFrameFeatures, kSpokenWords, 3, DType::kF64);
  ExpectOutlined(model->Outline());
  ExpectLearns(model->parameters(), [&](Tape* tape) {
    Context ctx;
    ctx.tape = tape;
    return LossOf(*model, SpokenBatch(), ctx);
  });
}

TEST_P(EveryRecogniser, StepsEqualAllAtOnceAndSoundsStandAlone) {
  EXPECT_LT(StepDifference(*Make(), SpokenBatch()), 1e-12);
  EXPECT_LT(StepDifference(*Make(DType::kF32), SpokenBatch(DType::kF32)), 2e-5);
  ExpectBatchEqualsItsRows(*Make(), SpokenBatch());
  ExpectReorderedRowsGoOnAlone(*Make(), SpokenBatch(), 1e-12);
}

TEST_P(EveryRecogniser, RefusesOtherInputs) {
  const auto model = Make();
  const SequenceBatch words;
  EXPECT_THROW(LogitsOf(*model, words), ShapeError);
  SequenceBatch wide = SpokenBatch();
  wide.frames = Tensor::Zeros({3, 5, kFrameFeatures + 1}, DType::kF64);
  EXPECT_THROW(LogitsOf(*model, wide), ShapeError);
}

TEST_P(EveryRecogniser, TheAttentionThatSpeaksForItIsToFrames) {
  const auto model = Make();
  ASSERT_FALSE(model->alignment_attention().empty());
  AttentionWatch watch([&](const AttentionInfo& info) {
    return AttentionRequest{.weights =
                                info.path == model->alignment_attention()};
  });
  Context ctx;
  ctx.observer = &watch;
  (void)LogitsOf(*model, SpokenBatch(), ctx);
  ASSERT_FALSE(watch.seen.empty());
  EXPECT_EQ(watch.seen[0].info.key_axis, "source");
  EXPECT_EQ(watch.seen[0].info.query_axis, "target");
}

RecurrentConfig GoldenRecogniser() {
  RecurrentConfig config;
  config.model = "arsg";
  config.embedding = 6;
  config.units = 8;
  config.dropout = 0;
  config.normalizer = "smoothed_sigmoid";
  config.score = "location_aware(3, 2)";
  return config;
}

TEST(ArsgGolden, LogitsLossAndGradientsAreThoseOfPyTorch) {
  const GoldenTensors golden("arsg");
  EncoderDecoder model(GoldenRecogniser().Resolve(),
                       EncoderDecoder::SourceSize{.frame_features = 7}, 11, 1,
                       DType::kF64);
  golden.SetParameters(model.parameters());
  golden.ExpectSameParameters(model.parameters());
  Tape tape;
  Context ctx;
  ctx.tape = &tape;
  AttentionWatch watch =
      AttentionWatch::WithGradient(model.alignment_attention());
  ctx.observer = &watch;
  const Var frames = tape.Leaf(golden.at("frames"));
  const Inputs inputs = Inputs::Frames(frames, golden.at("lengths"));
  EXPECT_LT(
      MaxDifference(model.Logits({}, inputs, golden.at("target_in")).value(),
                    golden.at("logits")),
      1e-10);
  CrossEntropyOptions options;
  options.ignore_id = -1;
  const Var loss = model
                       .Loss(ctx, inputs, golden.at("target_in"),
                             golden.at("targets"), options)
                       .loss;
  EXPECT_NEAR(loss.value().item(), golden.at("loss").item(), 1e-10);
  tape.Backward(loss);
  golden.ExpectGradients(model.parameters(), 1e-10);
  EXPECT_LT(MaxDifference(tape.Gradient(frames), golden.at("gradient_frames")),
            1e-10);
  for (int64_t b = 0; b < 3; ++b) {
    const Tensor& expected = golden.at("attention." + std::to_string(b));
    for (int64_t t = 0; t < expected.dim(0); ++t) {
      const Tensor weights = At(watch.seen, t).weights.value()[b];
      for (int64_t s = 0; s < expected.dim(1); ++s) {
        EXPECT_NEAR(weights.data<double>()[s], expected.row<double>(t)[s],
                    1e-10);
      }
    }
  }
}

TEST(Arsg, GradientsAreThoseOfDifferences) {
  for (const char* modifiers : {"none", "median_window(2)"}) {
    RecurrentConfig config = GoldenRecogniser();
    config.modifiers = modifiers;
    EncoderDecoder model(
        config.Resolve(),
        EncoderDecoder::SourceSize{.frame_features = kFrameFeatures},
        kSpokenWords, 1, DType::kF64);
    Shake(model.parameters());
    ExpectGradients(model, SpokenBatch(), 8);
  }
}

}  // namespace
}  // namespace heed::recogniser_test
