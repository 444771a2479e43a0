// Tests of every captioner.
#include "heed/models/caption/captioner.h"

#include <gtest/gtest.h>

#include "heed/models/image_classifier_testing.h"
#include "heed/models/roles_testing.h"

namespace heed::captioner_test {
namespace {

constexpr ImageUse kScene = {.height = 16, .width = 24, .channels = 2};
constexpr int64_t kCaptionWords = 9;

Tensor RandomScenes(int64_t count) {
  return RandomTensor({count, 16, 24, 2}, 4, DType::kF64);
}

class EveryCaptioner : public EveryRole {
 protected:
  std::unique_ptr<Captioner> Make() const {
    const auto settings = Small<CaptionerSettings>();
    settings->Fill(kScene);
    auto model = settings->Make(kScene, kCaptionWords, 3, DType::kF64);
    Shake(model->parameters());
    return model;
  }
};

INSTANTIATE_TEST_SUITE_P(Registry, EveryCaptioner,
                         testing::ValuesIn(VariantsIn<CaptionerSettings>()),
                         NameOf);

TEST_P(EveryCaptioner, WritesAboutImages) {
  const auto settings = Small<CaptionerSettings>();
  settings->Fill(kScene);
  ExpectFilled(*settings, [&] { settings->Fill(kScene); });
  const auto model = settings->Make(kScene, kCaptionWords, 3, DType::kF64);
  ExpectOutlined(model->Outline());
  const Tensor images = RandomScenes(2);
  const Tensor in = RandomIds({3, 2}, kCaptionWords, 5);
  const Tensor out = RandomIds({3, 2}, kCaptionWords, 6);
  ExpectLearns(model->parameters(), [&](Tape* tape) {
    Context ctx;
    ctx.tape = tape;
    return model
        ->Loss(ctx, Inputs::Cells(model->Cells(ctx, images)), in, out, {})
        .loss;
  });
}

TEST_P(EveryCaptioner, StepsEqualAllAtOnceAndImagesStandAlone) {
  const auto model = Make();
  const Tensor images = RandomScenes(3);
  const Tensor in = RandomIds({4, 3}, kCaptionWords, 2);
  const auto logits = [&](const Tensor& some, const Tensor& ids) {
    return model->Logits({}, Inputs::Cells(model->Cells({}, some)), ids)
        .value();
  };
  const Tensor all = logits(images, in);
  EXPECT_EQ(all.shape(), (Shape{4, 3, kCaptionWords}));
  DecoderState state = model->Start(
      {}, model->Encode({}, Inputs::Cells(model->Cells({}, images))));
  for (int64_t t = 0; t < 4; ++t) {
    EXPECT_LT(MaxDifference(model->Step({}, in[t], state).value(), all[t]),
              1e-12);
  }
  const Tensor alone = logits(images.Slice(1, 2), Column(in, 1, 4));
  for (int64_t t = 0; t < 4; ++t) {
    EXPECT_LT(MaxDifference(alone[t][0], all[t][1]), 1e-12);
  }
}

TEST_P(EveryCaptioner, AnObserverMayChangeTheCellsOfItsImages) {
  const auto model = Make();
  const Tensor images = RandomScenes(1);
  CellWatch watch;
  Context ctx;
  ctx.observer = &watch;
  const Tensor seen = model->Cells(ctx, images).value();
  const int64_t cell = model->cell();
  EXPECT_EQ(watch.cells.shape(),
            (Shape{1, 16 / cell * (24 / cell), cell * cell * 2}));
  EXPECT_EQ(seen.dim(1) * seen.dim(2), watch.cells.dim(1));
  EXPECT_LT(MaxDifference(seen, model->Cells({}, images).value()), 1e-12);
  watch.factor = 0;
  EXPECT_LT(
      MaxDifference(
          model->Cells(ctx, images).value(),
          model->Cells({}, Tensor::Zeros(images.shape(), DType::kF64)).value()),
      1e-12);
}

TEST_P(EveryCaptioner, TheAttentionThatSpeaksForItIsToCells) {
  const auto model = Make();
  ASSERT_FALSE(model->alignment_attention().empty());
  AttentionWatch watch([&](const AttentionInfo& info) {
    return AttentionRequest{.weights =
                                info.path == model->alignment_attention()};
  });
  Context ctx;
  ctx.observer = &watch;
  const Tensor in = RandomIds({2, 1}, kCaptionWords, 2);
  (void)model->Logits(ctx, Inputs::Cells(model->Cells({}, RandomScenes(1))),
                      in);
  ASSERT_FALSE(watch.seen.empty());
  EXPECT_EQ(watch.seen[0].info.key_axis, "source");
  EXPECT_EQ(watch.seen[0].info.query_axis, "target");
  EXPECT_EQ(watch.seen[0].weights.dim(3),
            16 / model->cell() * (24 / model->cell()));
}

}  // namespace
}  // namespace heed::captioner_test
