// Tests of every passage reader.
#include "heed/models/passage_reader.h"

#include <gtest/gtest.h>

#include "heed/base/errors.h"
#include "heed/models/roles_testing.h"
#include "heed/ops/loss.h"

namespace heed::passage_reader_test {
namespace {

class EveryPassageReader : public EveryRole {};

INSTANTIATE_TEST_SUITE_P(Registry, EveryPassageReader,
                         testing::ValuesIn(VariantsIn<PassageReaderSettings>()),
                         NameOf);

TEST_P(EveryPassageReader, AnswersQuestions) {
  const auto settings = Small<PassageReaderSettings>();
  settings->Fill();
  ExpectFilled(*settings, [&] { settings->Fill(); });
  ParameterSet parameters(1, DType::kF64, kernels::Precision::kNative);
  const auto network = settings->Make(Scope(parameters, ""), {.vocabulary = 7});
  ExpectOutlined(network->Outline());
  PassageBatch batch;
  batch.passages = Lengths({4, 5, 4, 1, 2, 3}).Reshape({2, 3});
  batch.passage_lengths = Lengths({3, 2});
  batch.questions = Lengths({6, 2, 3, 3}).Reshape({2, 2});
  batch.question_lengths = Lengths({2, 1});
  batch.answers = Lengths({0, 1, 0, 0, 1, -1}).Reshape({2, 3});
  batch.C = 2;
  ExpectLearns(parameters, [&](Tape* tape) {
    Context ctx;
    ctx.tape = tape;
    const Var scores = network->Scores(ctx, batch);
    EXPECT_EQ(scores.shape(), Shape({2, 2}));
    return CrossEntropy(scores, Lengths({0, 1}), {}).loss;
  });
  batch.passage_lengths = Lengths({3});
  EXPECT_THROW(network->Scores({}, batch), ShapeError);
}

}  // namespace
}  // namespace heed::passage_reader_test
