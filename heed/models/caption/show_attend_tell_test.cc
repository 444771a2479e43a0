#include "heed/models/caption/show_attend_tell.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/models/model_testing.h"
#include "heed/ops/attention_sum.h"
#include "heed/ops/convolution2d.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/shape.h"

namespace heed::show_attend_tell_test {
namespace {

constexpr ImageUse kCaptionImages = {16, 24, 3};

ShowAttendTellConfig SmallCaptioner(CaptionLook look = CaptionLook::kSoft) {
  ShowAttendTellConfig config;
  config.look = look;
  config.filters = 2;
  config.embedding = 5;
  config.units = 6;
  config.dropout = 0;
  config.pool_cells = YesNo::kYes;
  config.Fill(kCaptionImages);
  return config;
}

/// Model with the weights of a golden file.
std::unique_ptr<ShowAttendTell> GoldenCaptioner(const GoldenTensors& golden,
                                                CaptionLook look) {
  auto model = std::make_unique<ShowAttendTell>(
      SmallCaptioner(look), kCaptionImages, 7, 1, DType::kF64);
  golden.SetParameters(model->parameters());
  golden.ExpectSameParameters(model->parameters());
  return model;
}

CrossEntropyOptions UntilTheEnd() {
  CrossEntropyOptions options;
  options.ignore_id = -1;
  return options;
}

TEST(ShowAttendTellGolden, SoftLooksAreThoseOfPyTorch) {
  const GoldenTensors golden("sat_soft");
  const auto model = GoldenCaptioner(golden, CaptionLook::kSoft);
  const Tensor& targets = golden.at("targets");
  Tape tape;
  Context ctx;
  ctx.tape = &tape;
  AttentionWatch watch =
      AttentionWatch::WithGradient(model->alignment_attention());
  ctx.observer = &watch;
  const Var images = tape.Leaf(golden.at("images"));
  const Var logits = model->Logits(
      ctx, Inputs::Cells(model->Cells(ctx, images)), golden.at("target_in"));
  EXPECT_LT(MaxDifference(logits.value(), golden.at("logits")), 1e-10);
  std::vector<Var> weights;
  for (const auto& seen : watch.seen) weights.push_back(seen.weights);
  constexpr double kLambda = 0.7;
  const Var loss = Add(
      CrossEntropy(logits, targets, UntilTheEnd()).loss,
      Scale(AttentionSumLoss(weights, targets, -1, AttentionSumTarget::kOne),
            kLambda));
  EXPECT_NEAR(loss.value().item(), golden.at("loss").item(), 1e-10);
  tape.Backward(loss);
  golden.ExpectGradients(model->parameters(), 1e-10);
  EXPECT_LT(MaxDifference(tape.Gradient(images), golden.at("gradient_images")),
            1e-10);
}

TEST(ShowAttendTell, ItsForgetGatesStartAtTheirBias) {
  for (const double bias : {1.0, 0.25}) {
    ShowAttendTellConfig config = SmallCaptioner();
    EXPECT_EQ(config.forget_bias, 1);
    config.forget_bias = bias;
    const ShowAttendTell model(config, kCaptionImages, 7, 1, DType::kF64);
    const Tensor& gates = model.parameters().Find("decoder.lstm.bias")->value();
    for (int64_t i = 0; i < gates.numel(); ++i) {
      EXPECT_EQ(gates.data<double>()[i], i / config.units == 1 ? bias : 0) << i;
    }
  }
}

TEST(ShowAttendTellGolden, HardLooksAreThoseOfPyTorchForWhatIsDrawn) {
  const GoldenTensors golden("sat_hard");
  const auto model = GoldenCaptioner(golden, CaptionLook::kHard);
  ASSERT_TRUE(model->hard_choices());
  const Tensor& targets = golden.at("targets");
  Tape tape;
  Rng rng(5);
  Context ctx;
  ctx.tape = &tape;
  ctx.rng = &rng;
  ctx.training = true;
  const std::string path = model->alignment_attention();
  struct Choices : AttentionWatch {
    using AttentionWatch::AttentionWatch;
    void OnAttention(const AttentionEvent& event) override {
      AttentionWatch::OnAttention(event);
      log_p.push_back(event.log_probability);
      entropy.push_back(event.entropy);
    }
    std::vector<Var> log_p, entropy;
  } watch;
  ctx.observer = &watch;
  const Var images = tape.Leaf(golden.at("images"));
  const Var logits = model->Logits(
      ctx, Inputs::Cells(model->Cells(ctx, images)), golden.at("target_in"));
  const int64_t T = targets.dim(0), B = targets.dim(1);
  for (int64_t t = 0; t < T; ++t) {
    const Tensor drawn = At(watch.seen, t).weights.value();
    for (int64_t b = 0; b < B; ++b) {
      const double* row = drawn[b].data<double>();
      EXPECT_EQ(std::max_element(row, row + drawn.dim(3)) - row,
                golden.at("drawn").row<int32_t>(t)[b])
          << t << " " << b;
    }
  }
  EXPECT_LT(MaxDifference(logits.value(), golden.at("logits")), 1e-10);
  Var loss = CrossEntropy(logits, targets, UntilTheEnd()).loss;
  // Reference for HardChoices with a baseline of 0.
  const Var log_p = LogSoftmax(logits);
  for (int64_t b = 0; b < B; ++b) {
    double reward = 0;
    int64_t steps = 0;
    for (int64_t t = 0; t < T; ++t) {
      const int32_t id = targets.row<int32_t>(t)[b];
      if (id < 0) continue;
      reward += log_p.value()[t].row<double>(b)[id];
      ++steps;
    }
    reward /= static_cast<double>(steps);
    for (int64_t t = 0; t < steps; ++t) {
      const auto at = static_cast<size_t>(t);
      const Var p = Select(Reshape(watch.log_p[at], {B, 1}), b);
      const Var h = Select(Reshape(watch.entropy[at], {B, 1}), b);
      loss = Sub(loss, Sum(Add(Scale(p, 0.1 * reward), Scale(h, 0.002))));
    }
  }
  EXPECT_NEAR(loss.value().item(), golden.at("loss").item(), 1e-10);
  tape.Backward(loss);
  golden.ExpectGradients(model->parameters(), 1e-10);
  EXPECT_LT(MaxDifference(tape.Gradient(images), golden.at("gradient_images")),
            1e-10);
}

TEST(ShowAttendTell, GradientsAreThoseOfDifferences) {
  for (const std::string score : {"mlp", "additive", "location_aware(2, 1)"}) {
    ShowAttendTellConfig config = SmallCaptioner();
    config.score = score;
    const ShowAttendTell model(config, kCaptionImages, 7, 3, DType::kF64);
    Shake(model.parameters());
    const Tensor images = RandomTensor({2, 16, 24, 3}, 4, DType::kF64);
    const Tensor in = RandomIds({3, 2}, 7, 5), out = RandomIds({3, 2}, 7, 6);
    ExpectParameterGradients(
        model.parameters(),
        [&](Tape* tape) {
          Context ctx;
          ctx.tape = tape;
          AttentionWatch watch =
              AttentionWatch::WithGradient(model.alignment_attention());
          ctx.observer = &watch;
          const Inputs cells = Inputs::Cells(model.Cells(ctx, images));
          const Var loss = model.Loss(ctx, cells, in, out, {}).loss;
          std::vector<Var> weights;
          for (const auto& seen : watch.seen) weights.push_back(seen.weights);
          return Add(loss, AttentionSumLoss(weights, out, 3,
                                            AttentionSumTarget::kShare));
        },
        8);
  }
}

TEST(ShowAttendTell, StepsEqualAllAtOnce) {
  for (const char* normalizer : {"softmax", "sparsemax", "hard"}) {
    ShowAttendTellConfig config = SmallCaptioner();
    config.normalizer = normalizer;
    config.Fill(kCaptionImages);
    for (const DType dtype : {DType::kF64, DType::kF32}) {
      const ShowAttendTell model(config, kCaptionImages, 9, 3, dtype);
      Shake(model.parameters());
      SequenceBatch batch;
      batch.lengths = Lengths({6, 6, 6});
      batch.frames = RandomTensor({3, 6, 4}, 4, DType::kF32).To(dtype);
      EXPECT_LT(StepDifference(model, batch),
                dtype == DType::kF64 ? 1e-12 : 2e-5)
          << normalizer;
    }
  }
}

TEST(ShowAttendTell, CellsAreThoseOfTheImage) {
  const ShowAttendTell model(SmallCaptioner(), kCaptionImages, 7, 3);
  const Tensor images = RandomTensor({1, 16, 24, 3}, 4, DType::kF32);
  Tensor changed = images.Clone();
  // A pixel of the lower right cell affects that cell.
  changed.data<float>()[(12 * 24 + 20) * 3] += 5;
  const Tensor before = model.Cells({}, images).value();
  const Tensor after = model.Cells({}, changed).value();
  EXPECT_EQ(before.shape(), (Shape{1, 2, 3, 4}));
  EXPECT_EQ(MaxDifference(before[0][0][0], after[0][0][0]), 0);
  EXPECT_GT(MaxDifference(before[0][1][2], after[0][1][2]), 1e-3);
}

TEST(ShowAttendTell, CellsAreThoseBeforeTheLastPoolingUnlessTheyArePooled) {
  ShowAttendTellConfig config = SmallCaptioner();
  config.cell_positions = YesNo::kNo;
  const ShowAttendTell pooled(config, kCaptionImages, 7, 3);
  config.pool_cells = YesNo::kNo;
  const ShowAttendTell model(config, kCaptionImages, 7, 3);
  EXPECT_EQ(model.cell(), 4);
  EXPECT_EQ(pooled.cell(), 8);
  const Tensor images = RandomTensor({1, 16, 24, 3}, 4, DType::kF32);
  const Var cells = model.Cells({}, images);
  EXPECT_EQ(cells.shape(), (Shape{1, 4, 6, 4}));
  EXPECT_EQ(MaxDifference(MaxPool2d(cells, 2).value(),
                          pooled.Cells({}, images).value()),
            0);
  EXPECT_EQ(ShowAttendTellConfig().pool_cells, YesNo::kNo);
}

TEST(ShowAttendTell, GivenFeaturesTakeThePlaceOfConvolutions) {
  const ShowAttendTell of_images(SmallCaptioner(), kCaptionImages, 7, 3,
                                 DType::kF64);
  Shake(of_images.parameters());
  const Tensor cells =
      of_images.Cells({}, RandomTensor({2, 16, 24, 3}, 4, DType::kF64)).value();
  ShowAttendTellConfig config = SmallCaptioner();
  config.cell_positions = YesNo::kNo;
  const ImageUse use = {
      .height = 2, .width = 3, .channels = 4, .of_features = true};
  config.Fill(use);
  const ShowAttendTell of_features(config, use, 7, 5, DType::kF64);
  for (const auto& parameter : of_features.parameters().all()) {
    parameter->mutable_value().CopyFrom(
        of_images.parameters().Find(parameter->name())->value());
    parameter->Changed();
  }
  const Tensor in = RandomIds({3, 2}, 7, 5);
  const auto logits = [&](const ShowAttendTell& model, const Var& given) {
    return model.Logits({}, Inputs::Cells(given), in).value();
  };
  const Tensor read = of_features.Cells({}, cells).value();
  EXPECT_EQ(MaxDifference(read, cells), 0);
  EXPECT_EQ(MaxDifference(logits(of_features, read), logits(of_images, cells)),
            0);
  EXPECT_EQ(of_features.cell(), 1);
  EXPECT_FALSE(of_features.Outline().sequences[0].blocks.empty());
  EXPECT_THROW(of_features.Cells({}, Tensor({2, 16, 24, 3}, DType::kF64)),
               ShapeError);
}

TEST(ShowAttendTell, RefusesWhatDoesNotFit) {
  ShowAttendTellConfig config;
  EXPECT_NE(MessageOf<ConfigError>([&] {
              config.Fill({18, 24, 3});
            }).find("choose a multiple of 4"),
            std::string::npos);
  config.heads = 5;
  EXPECT_THROW(config.Fill({16, 16, 3}), ConfigError);
  config = {};
  config.look = CaptionLook::kHard;
  config.normalizer = "sparsemax";
  EXPECT_THROW(config.Fill({16, 16, 3}), ConfigError);
  const ShowAttendTell model(SmallCaptioner(), kCaptionImages, 7, 3);
  EXPECT_THROW(model.Cells({}, Tensor({1, 16, 16, 3})), ShapeError);
  EXPECT_THROW(model.Encode({}, Inputs::Cells(Tensor({1, 2, 2, 5}))),
               ShapeError);
}

}  // namespace
}  // namespace heed::show_attend_tell_test
