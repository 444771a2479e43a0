// Tests of the model "separate": what heed/models/roles_test.cc tests of the
// models of Heed.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "heed/autograd/testing.h"
#include "heed/models/preset.h"
#include "heed/models/registry.h"
#include "heed/ops/elementwise.h"
#include "tests/open_house/strip.h"

namespace heed::strips {
namespace {

class Separate : public testing::Test {
 protected:
  static void SetUpTestSuite() { AddModel(SeparateModel()); }

  Separate() {
    choice_.Choose("separate");
    SetPreset(FieldsOf(*choice_), "units=3");
    choice_->Fill({});
    encoder_ = choice_->Make(Scope(parameters_, "encoder"), kInputs,
                             /*causal=*/false);
  }

  static constexpr int64_t kInputs = 4;
  ModelChoice<EncoderSettings> choice_;
  ParameterSet parameters_{/*seed=*/1, DType::kF64,
                           kernels::Precision::kNative};
  std::unique_ptr<SequenceEncoder> encoder_;
};

TEST_F(Separate, HasTheGradientOfDifferences) {
  const Tensor x = RandomTensor({2, 5, kInputs}, 1);
  const Tensor w = RandomTensor({2, 5, encoder_->output_size()}, 2);
  std::vector<Parameter*> parameters;
  for (const auto& parameter : parameters_.all()) {
    parameters.push_back(parameter.get());
  }
  const GradientCheckResult result = CheckParameterGradient(
      [&](Tape* tape) {
        Context ctx;
        ctx.tape = tape;
        return Sum(Mul((*encoder_)(ctx, x, Lengths({5, 2})), w));
      },
      parameters);
  EXPECT_LT(result.worst, 1e-6) << result.where;
  EXPECT_FALSE(result.where.empty()) << "nothing was compared";
}

TEST_F(Separate, EncodesEachCellByItself) {
  Tensor x = RandomTensor({1, 5, kInputs}, 1);
  const Tensor before = (*encoder_)({}, x, Lengths({5})).value();
  x[0].Slice(1, 5).Fill(3);
  const Tensor after = (*encoder_)({}, x, Lengths({5})).value();
  EXPECT_EQ(MaxDifference(before[0].Slice(0, 1), after[0].Slice(0, 1)), 0);
  EXPECT_GT(MaxDifference(before, after), 0);
}

TEST_F(Separate, NamesTheLayersOfItsPicture) {
  const std::vector<OutlineBlock> blocks = encoder_->Outline();
  ASSERT_FALSE(blocks.empty());
  for (const OutlineBlock& block : blocks) {
    for (const OutlinePart& part : block.parts) {
      EXPECT_NE(part.name, "");
      EXPECT_NE(part.kind, OutlinePart::Kind::kWhole) << part.name;
    }
  }
}

}  // namespace
}  // namespace heed::strips
