#include "heed/models/image/patches.h"

#include <gtest/gtest.h>

#include <vector>

#include "heed/autograd/observer.h"
#include "heed/models/image_classifier_testing.h"

namespace heed::patches_test {
namespace {

/// Checks a model against PyTorch: tests/golden/make_golden_images.py.
void ExpectGoldenModel(const char* file, const char* model,
                       const std::vector<const char*>& preset) {
  ParameterSet parameters(kNoSeed, DType::kF64, kernels::Precision::kNative);
  const auto network =
      MakeImageClassifier(model, preset, parameters, kGoldenImages);
  ExpectGolden(GoldenTensors(file), parameters, *network);
}

TEST(PatchesGolden, IsThatOfPyTorch) {
  ExpectGoldenModel(
      "patches", "patches",
      {"patch=2", "layers=2", "width=8", "ff=12", "heads=2", "dropout=0"});
}

TEST(ConvolutionalGolden, IsThatOfPyTorch) {
  ExpectGoldenModel("conv", "conv",
                    {"filters=3", "units=5", "dropout=0", "cell=2"});
}

constexpr ImageUse kSquares = {
    .height = 8, .width = 8, .channels = 1, .classes = 3};

/// Images with their 2 × 2 cells in reverse order.
Tensor CellsReversed(const Tensor& images) {
  Tensor result(images.shape(), images.dtype());
  for (int64_t b = 0; b < images.dim(0); ++b) {
    for (int64_t y = 0; y < 8; ++y) {
      for (int64_t x = 0; x < 8; ++x) {
        const int64_t from_y = (3 - y / 2) * 2 + y % 2;
        const int64_t from_x = (3 - x / 2) * 2 + x % 2;
        result.data<double>()[(b * 8 + y) * 8 + x] =
            images.data<double>()[(b * 8 + from_y) * 8 + from_x];
      }
    }
  }
  return result;
}

TEST(Patches, WithoutPositionsTheirOrderDoesNotMatter) {
  Rng rng(3);
  Tensor images({2, 8, 8, 1}, DType::kF64);
  for (int64_t i = 0; i < images.numel(); ++i) {
    images.data<double>()[i] = rng.Uniform();
  }
  for (const bool positions : {false, true}) {
    ParameterSet parameters(1, DType::kF64, kernels::Precision::kNative);
    const auto network = MakeImageClassifier(
        "patches",
        {"patch=2", "layers=1", "width=8", "ff=8", "heads=2", "dropout=0",
         positions ? "position=learned" : "position=none"},
        parameters, kSquares);
    const double difference =
        MaxDifference(network->Scores({}, images).value(),
                      network->Scores({}, CellsReversed(images)).value());
    if (positions) {
      EXPECT_GT(difference, 1e-4);
    } else {
      EXPECT_LT(difference, 1e-12);
    }
  }
}

/// Images with a bright square in one of three rows, which is the class.
class RowsOfSquares {
 public:
  static Tensor Images(const std::vector<int32_t>& labels, uint64_t seed) {
    Rng rng(seed);
    Tensor images = Tensor::Zeros({std::ssize(labels), 8, 8, 1}, DType::kF32);
    for (size_t b = 0; b < labels.size(); ++b) {
      const auto left = static_cast<int64_t>(rng.Below(4)) * 2;
      for (int64_t i = 0; i < 4; ++i) {
        const int64_t y = labels[b] * 2 + i / 2;
        images.data<float>()[(static_cast<int64_t>(b) * 8 + y) * 8 + left +
                             i % 2] = 1;
      }
    }
    return images;
  }
  static std::vector<int32_t> Labels(int64_t count, uint64_t seed) {
    Rng rng(seed);
    std::vector<int32_t> labels;
    for (int64_t i = 0; i < count; ++i) {
      labels.push_back(static_cast<int32_t>(rng.Below(3)));
    }
    return labels;
  }
};

TEST(PatchesLearning, FindsTheRowOfASquare) {
  for (const char* model : {"patches", "conv"}) {
    ParameterSet parameters(1, DType::kF32, kernels::Precision::kNative);
    const auto settings = SettingsIn<ImageSettings>(FindModel(model));
    const std::vector<Field> fields = FieldsOf(*settings);
    for (const char* one : {"patch=2", "layers=1", "width=16", "ff=16",
                            "heads=2", "filters=4", "units=16", "dropout=0"}) {
      SetPresetIfKnown(fields, one);
    }
    settings->Fill(kSquares);
    const auto network = settings->Make(Scope(parameters, ""), kSquares);
    Adam adam(parameters);
    for (uint64_t step = 0; step < 150; ++step) {
      const auto labels = RowsOfSquares::Labels(16, step);
      Tape tape;
      Context ctx;
      ctx.tape = &tape;
      tape.Backward(network
                        ->Loss(ctx, RowsOfSquares::Images(labels, step + 5000),
                               Tensor::Of(labels, {16}), {.scale = 1.0 / 16})
                        .loss);
      adam.Step(5e-3);
    }
    const auto labels = RowsOfSquares::Labels(60, 999);
    EXPECT_GE(RightImages(*network, RowsOfSquares::Images(labels, 998), labels),
              59)
        << model;
  }
}

}  // namespace
}  // namespace heed::patches_test
