#include "course/word_probe.h"

#include <gtest/gtest.h>

#include <vector>

#include "course/copied_words.h"
#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/tasks/translate/translation.h"

namespace heed {
namespace {

/// One-hot vectors of random words: one per word, and one of the first word of
/// a sentence.
struct MadeUp {
  Tensor own;    // [N, S, V]
  Tensor first;  // [N, V]
  Tensor words;  // [N, S]
};

MadeUp MakeUp(int64_t N, int64_t S, int64_t V, uint64_t seed) {
  Rng rng(seed);
  MadeUp made = {Tensor::Zeros({N, S, V}, DType::kF32),
                 Tensor::Zeros({N, V}, DType::kF32),
                 Tensor({N, S}, DType::kI32)};
  for (int64_t n = 0; n < N; ++n) {
    for (int64_t s = 0; s < S; ++s) {
      const auto word =
          static_cast<int64_t>(rng.Below(static_cast<uint64_t>(V)));
      made.words.row<int32_t>(n)[s] = static_cast<int32_t>(word);
      made.own.row<float>(n * S + s)[word] = 1;
      if (s == 0) made.first.row<float>(n)[word] = 1;
    }
  }
  return made;
}

TEST(WordProbe, ReadsWhatIsThereAndNothingElse) {
  constexpr int64_t kWords = 3, kVocabulary = 5;
  const MadeUp train = MakeUp(500, kWords, kVocabulary, 1);
  const MadeUp test = MakeUp(200, kWords, kVocabulary, 2);
  const ProbeTraining training = {.passes = 20, .learning_rate = 0.05};
  for (const double right : ProbeWords(train.own, train.words, test.own,
                                       test.words, kVocabulary, training)) {
    EXPECT_EQ(right, 100);
  }
  const std::vector<double> of_first = ProbeWords(
      train.first, train.words, test.first, test.words, kVocabulary, training);
  EXPECT_EQ(of_first[0], 100);
  EXPECT_LT(of_first[1], 40);
  EXPECT_LT(of_first[2], 40);
}

TEST(WordProbe, ReadsTheStatesOfAnEncoder) {
  const ParallelText text = MakeCopies(70, 5, 8, 1);
  for (const bool attentive : {false, true}) {
    ModelChoice<TranslatorSettings> settings;
    settings.Choose(attentive ? "bahdanau" : "fixed");
    SetPreset(FieldsOf(*settings), "embedding=8 units=12");
    translate::DataConfig data;
    data.vocabulary = "words";
    translate::Config config;
    config.model = settings;
    config.data = data;
    config.Resolve();
    const translate::Model model(
        "", config.model, config.data,
        translate::TrainVocabularies(text, config.data), 1);
    const ParallelText sentences = MakeCopies(130, 6, 6, 2);
    const ProbedSentences read = ReadForProbe(model, sentences.source);
    EXPECT_EQ(read.words.shape(), (Shape{130, 6}));
    EXPECT_EQ(read.annotations.dim(0), 130);
    EXPECT_EQ(read.annotations.dim(1), 6);
    EXPECT_EQ(read.last.dim(0), 130);
    EXPECT_EQ(read.last.dim(1) % 12, 0);
    // The encoding does not depend on the batch.
    const ProbedSentences alone = ReadForProbe(model, {sentences.source[129]});
    for (int64_t k = 0; k < read.last.dim(1); ++k) {
      EXPECT_NEAR(alone.last.row<float>(0)[k], read.last.row<float>(129)[k],
                  1e-5);
    }
    EXPECT_THROW(ReadForProbe(model, {"a b", "a b c"}), ShapeError);
  }
}

}  // namespace
}  // namespace heed
