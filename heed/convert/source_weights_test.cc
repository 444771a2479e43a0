#include "heed/convert/source_weights.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

TEST(SourceWeights, WhatIsMissingIllShapedOrUnknownIsNamed) {
  SourceWeights weights({{"a", Tensor::Zeros({1, 4})},
                         {"b", Tensor::Zeros({4}, DType::kI32)},
                         {"c", Tensor::Zeros({4})},
                         {"d", Tensor::Zeros({4})}},
                        "w.npz");
  EXPECT_EQ(weights.Take("a", {4}).shape(), Shape({4}));
  const auto error = [&](const std::string& name, const Shape& shape) {
    return MessageOf<FormatError>([&] { weights.Take(name, shape); });
  };
  EXPECT_EQ(error("a", {4}), "w.npz: tensor 'a' is missing");
  EXPECT_NE(error("b", {4}).find("has elements i32"), std::string::npos);
  EXPECT_EQ(error("c", {2, 2}), "w.npz: tensor 'c' has shape [4], not [2, 2]");
  EXPECT_EQ(MessageOf<FormatError>([&] { weights.CheckAllTaken(); }),
            "w.npz: 1 tensor that Heed does not understand: 'd'");
}

TEST(SourceWeights, SizesThatNoFileBacksAreRefused) {
  const SourceWeights weights({{"a", Tensor::Zeros({1000})}}, "w.npz");
  EXPECT_THROW(weights.CheckCount(1e9), FormatError);
}

TEST(SourceWeights, TensorsAreReadOnlyWhenTheyAreTaken) {
  std::multiset<std::string> read;
  SourceWeights weights("index.json");
  const auto add = [&](const std::string& name, const std::string& file,
                       const Shape& shape) {
    weights.Add(name,
                {.shape = shape, .file = file, .read = [&read, name, shape] {
                   read.insert(name);
                   return Tensor::Full(shape, 2).To(DType::kBF16);
                 }});
  };
  add("a", "1.safetensors", {2, 3});
  add("b", "1.safetensors", {3});
  add("c", "2.safetensors", {1000});
  const std::string twice =
      MessageOf<FormatError>([&] { add("b", "2.safetensors", {3}); });
  EXPECT_EQ(twice, "2.safetensors: tensor 'b' is also in 1.safetensors");
  EXPECT_TRUE(weights.Has("a"));
  EXPECT_EQ(*weights.FindShape("a"), Shape({2, 3}));
  EXPECT_EQ(weights.FindShape("d"), nullptr);
  weights.CheckCount(3000);
  EXPECT_TRUE(read.empty());
  EXPECT_EQ(weights.Take("a", {2, 3}).ToVector<float>(),
            std::vector<float>(6, 2));
  weights.Skip("b");
  EXPECT_EQ(MessageOf<FormatError>([&] { weights.CheckAllTaken(); }),
            "index.json: 1 tensor that Heed does not understand: 'c'");
  EXPECT_EQ(MessageOf<FormatError>([&] { weights.Take("c", {2}); }),
            "2.safetensors: tensor 'c' has shape [1000], not [2]");
  weights.CheckAllTaken();
  EXPECT_EQ(read, std::multiset<std::string>{"a"});
}

TEST(SourceWeights, TransposedMatricesAreCalledThat) {
  SourceWeights weights({{"w", Tensor::Zeros({3, 2})}}, "w.npz");
  EXPECT_EQ(MessageOf<FormatError>([&] {
              weights.Take("w", {2, 3});
            }),
            "w.npz: tensor 'w' has shape [3, 2], not [2, 3] (it is "
            "transposed)");
}

TEST(SourceWeights, NumbersThatAreNotFiniteAreRefusedWithTheirRow) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  for (const float bad : {kInfinity, -kInfinity, kNan}) {
    const Tensor value = Tensor::Of<float>({0, 1, 2, bad, 4, bad}, {3, 2});
    for (const DType dtype : {DType::kF32, DType::kF64, DType::kBF16}) {
      SourceWeights weights({{"w", value.To(dtype)}}, "w.npz");
      EXPECT_EQ(MessageOf<FormatError>([&] {
                  weights.Take("w", {3, 2});
                }),
                "w.npz: tensor 'w' holds NaN or infinity, first in row 1; "
                "train or copy it again");
    }
  }
  // f32 holds no number that is so large.
  SourceWeights weights({{"w", Tensor::Of<double>({1e300}, {1})}}, "w.npz");
  EXPECT_THROW(weights.Take("w", {1}), FormatError);
}

}  // namespace
}  // namespace heed
