// Tests of every visit classifier.
#include "heed/models/visit_classifier.h"

#include <gtest/gtest.h>

#include "heed/models/roles_testing.h"
#include "heed/ops/loss.h"

namespace heed::visit_classifier_test {
namespace {

constexpr int64_t kPatients = 2;

class EveryVisitClassifier : public EveryRole {};

INSTANTIATE_TEST_SUITE_P(Registry, EveryVisitClassifier,
                         testing::ValuesIn(VariantsIn<VisitSettings>()),
                         NameOf);

TEST_P(EveryVisitClassifier, ClassifiesVisits) {
  const auto settings = Small<VisitSettings>();
  settings->Fill();
  ExpectFilled(*settings, [&] { settings->Fill(); });
  ParameterSet parameters(1, DType::kF64, kernels::Precision::kNative);
  const auto network = settings->Make(Scope(parameters, ""), /*codes=*/5);
  ExpectOutlined(network->Outline());
  VisitBatch batch;
  batch.B = kPatients;
  batch.S = 3;
  batch.lengths = Tensor::Of<int32_t>(std::vector<int32_t>{3, 2}, {kPatients});
  batch.codes =
      std::make_shared<kernels::SparsePattern>(kernels::MakeSparsePattern(
          Tensor::Of<int32_t>(std::vector<int32_t>{0, 2, 3, 4, 5, 7, 7}, {7}),
          Tensor::Of<int32_t>(std::vector<int32_t>{1, 4, 2, 3, 0, 3, 1}, {7}),
          5));
  ExpectLearns(parameters, [&](Tape* tape) {
    Context ctx;
    ctx.tape = tape;
    const Var logits = network->Logits(ctx, batch);
    EXPECT_EQ(logits.shape(), Shape({kPatients}));
    return BinaryCrossEntropy(
        logits, Tensor::Of<double>(std::vector<double>{1, 0}, {kPatients}), 1);
  });
  batch.codes = nullptr;
  EXPECT_THROW(network->Logits({}, batch), ShapeError);
}

}  // namespace
}  // namespace heed::visit_classifier_test
