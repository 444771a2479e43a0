// Tests of every node classifier.
#include "heed/models/node_classifier.h"

#include <gtest/gtest.h>

#include "heed/base/testing.h"
#include "heed/models/roles_testing.h"
#include "heed/ops/loss.h"

namespace heed::node_classifier_test {
namespace {

constexpr int64_t kNodes = 4;
constexpr int64_t kFeatures = 3;
constexpr int64_t kClasses = 2;

/// Path of three nodes, and an isolated node without features.
GraphInput Path() {
  GraphInput input;
  input.features = std::make_shared<const kernels::SparsePattern>(
      kernels::MakeSparsePattern(Ids({0, 2, 3, 5, 5}, {kNodes + 1}),
                                 Ids({0, 2, 1, 0, 1}, {5}), kFeatures));
  input.values =
      Tensor::Of(std::vector<double>{0.5, 0.5, 1, 0.25, 0.75}, {1, 5});
  input.neighbours = Adjacency(
      kernels::MakeNeighbourhood(Ids({0, 2, 5, 7, 8}, {kNodes + 1}),
                                 Ids({0, 1, 0, 1, 2, 1, 2, 3}, {8}), kNodes));
  return input;
}

class EveryNodeClassifier : public EveryRole {};

INSTANTIATE_TEST_SUITE_P(Registry, EveryNodeClassifier,
                         testing::ValuesIn(VariantsIn<NodeSettings>()), NameOf);

TEST_P(EveryNodeClassifier, ClassifiesNodes) {
  const auto settings = Small<NodeSettings>();
  settings->Fill();
  ExpectFilled(*settings, [&] { settings->Fill(); });
  ParameterSet parameters(1, DType::kF64, kernels::Precision::kNative);
  const auto network =
      settings->Make(Scope(parameters, ""), kFeatures, kClasses);
  ExpectOutlined(network->Outline());
  const GraphInput input = Path();
  const Tensor labels = Ids({0, 1, 0, 1}, {kNodes});
  ExpectLearns(parameters, [&](Tape* tape) {
    Context ctx;
    ctx.tape = tape;
    const Var scores = network->Scores(ctx, input);
    EXPECT_EQ(scores.shape(), Shape({kNodes, kClasses}));
    return CrossEntropy(scores, labels, {}).loss;
  });
  EXPECT_EQ(network->FirstLayer({}, input).dim(0), kNodes);
}

}  // namespace
}  // namespace heed::node_classifier_test
