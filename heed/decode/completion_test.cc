#include "heed/decode/completion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/decode/testing.h"

namespace heed {
namespace {

using Strings = std::vector<std::string>;
using WordChances = std::map<std::string, double>;

Vocabulary VocabularyOf(VocabularyKind kind, const Strings& lines, int size) {
  return Vocabulary::Train(lines, {.kind = kind, .size = size});
}

Vocabulary OfKind(VocabularyKind kind) {
  const Strings lines = {"ab abc bca cab", "abc ab bb", "ca cab cb"};
  return VocabularyOf(kind, lines, IsSubword(kind) ? 14 : 0);
}

/// Probabilities after `prefix` over all tokens except <pad>, <unk> and <s>.
std::vector<double> Probabilities(const FakeModel& model, const Ids& source,
                                  const Ids& written) {
  std::vector<float> scores = model.Scores({source, written});
  double sum = 0;
  std::vector<double> p;
  for (size_t v = 0; v < scores.size(); ++v) {
    p.push_back(v == kPad || v == kUnk || v == kBos ? 0 : std::exp(scores[v]));
    sum += p.back();
  }
  for (double& share : p) share /= sum;
  return p;
}

bool EndsWord(const Vocabulary& vocabulary, int32_t token) {
  if (token == kEos || vocabulary.kind() == VocabularyKind::kWords) return true;
  const std::string& piece = vocabulary.Piece(token);
  return piece == " " || piece.starts_with("\u2581");
}

/// Enumerates all words of up to `tokens` tokens.
struct Enumeration {
  const FakeModel& model;
  const Vocabulary& vocabulary;
  Ids source;
  std::string typed;
  WordChances words = {};  // words that begin with `typed`
  double mass = 0;  // all prefixes that cover `typed`, also of longer words

  void Walk(const Ids& written, int tokens, double p, bool begun) {
    const std::string word = vocabulary.Decode(std::span(written).subspan(1));
    const std::vector<double> next = Probabilities(model, source, written);
    if (!word.empty() && word.starts_with(typed)) {
      if (!begun) mass += p;
      begun = true;
      for (int32_t v = 0; v < vocabulary.size(); ++v) {
        if (!EndsWord(vocabulary, v)) continue;
        words[word] += p * At(next, v);
      }
    }
    if (tokens == 0) return;
    const bool first = written.size() == 1;
    const bool spaces = vocabulary.kind() == VocabularyKind::kCharacters;
    for (int32_t v = kSpecialTokens; v < vocabulary.size(); ++v) {
      if (EndsWord(vocabulary, v) != (first && !spaces)) continue;
      Ids longer = written;
      longer.push_back(v);
      Walk(longer, tokens - 1, p * At(next, v), begun);
    }
  }
};

CompletionOptions Everything(int tokens) {
  CompletionOptions options;
  options.beam = 10000;
  options.completions = 1000;
  options.max_tokens = tokens;
  return options;
}

class CompletionOf : public testing::TestWithParam<VocabularyKind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, CompletionOf,
                         testing::Values(VocabularyKind::kUnigram,
                                         VocabularyKind::kBpe,
                                         VocabularyKind::kWords,
                                         VocabularyKind::kCharacters),
                         [](const auto& info) { return Name(info.param); });

TEST_P(CompletionOf, EqualsTheEnumerationOfAllTokenSequences) {
  const Vocabulary vocabulary = OfKind(GetParam());
  const RandomModel model(vocabulary.size());
  constexpr int kTokens = 4;
  const std::string before = "ca bb ";
  const Completer completer(model, vocabulary, Everything(kTokens));
  for (const std::string typed : {"", "a", "ab", "cab", "b"}) {
    Enumeration all{model, vocabulary, vocabulary.Encode(before), typed};
    all.Walk({kBos}, kTokens, 1, false);
    const auto completions = completer.Complete(before + typed);
    ASSERT_EQ(completions.size(), all.words.size()) << typed;
    double total = 0;
    double last = 1;
    for (const Completion& completion : completions) {
      EXPECT_NEAR(completion.probability, all.words[completion.word] / all.mass,
                  1e-6)
          << completion.word;
      EXPECT_LE(completion.probability, last + 1e-6);
      last = completion.probability;
      total += completion.probability;
    }
    EXPECT_LE(total, 1 + 1e-5);
    EXPECT_GT(total, 0.3) << typed;
  }
}

/// A model with fixed probabilities of the next token.
ConstantModel Constant(const Vocabulary& vocabulary,
                       const std::map<std::string, double>& shares) {
  std::vector<float> scores(static_cast<size_t>(vocabulary.size()), -100);
  for (int32_t v = 0; v < vocabulary.size(); ++v) {
    const auto share = shares.find(vocabulary.Piece(v));
    if (share == shares.end()) continue;
    At(scores, v) = static_cast<float>(std::log(share->second));
  }
  return ConstantModel(scores);
}

std::string Show(const std::vector<Completion>& completions) {
  std::string text;
  for (const Completion& c : completions) {
    text +=
        c.word + " " + std::to_string(std::lround(1000 * c.probability)) + "; ";
  }
  return text;
}

TEST(Completion, OfCharactersIsTheChanceOfTheLettersAndTheSpace) {
  const Vocabulary letters =
      VocabularyOf(VocabularyKind::kCharacters, {"ab ba"}, 0);
  const ConstantModel model =
      Constant(letters, {{"a", 0.4}, {"b", 0.2}, {" ", 0.3}, {"</s>", 0.1}});
  CompletionOptions options;
  options.completions = 3;
  const Completer completer(model, letters, options);
  // b: 0.4; ba: 0.4 · 0.4; baa: 0.4³ (bb: 0.2 · 0.4).
  EXPECT_EQ(Show(completer.Complete("a b")), "b 400; ba 160; bb 80; ");
  // Words are not empty, so the first token is a (2/3) or b (1/3).
  EXPECT_EQ(Show(completer.Complete("a ")), "a 267; b 133; aa 107; ");
  EXPECT_EQ(Show(completer.Complete("")), "a 267; b 133; aa 107; ");
}

TEST(Completion, OfWordsIsAmongThoseThatBeginSo) {
  const Vocabulary words =
      VocabularyOf(VocabularyKind::kWords, {"the then than a"}, 0);
  const ConstantModel model = Constant(words, {{"the", 0.1},
                                               {"then", 0.3},
                                               {"than", 0.2},
                                               {"a", 0.2},
                                               {"</s>", 0.1},
                                               {"<unk>", 0.1}});
  const Completer completer(model, words, {});
  EXPECT_EQ(Show(completer.Complete("a th")), "then 500; than 333; the 167; ");
  EXPECT_EQ(Show(completer.Complete("a the")), "then 750; the 250; ");
  EXPECT_EQ(Show(completer.Complete("a ")),
            "then 375; a 250; than 250; the 125; ");
  EXPECT_EQ(Show(completer.Complete("a thx")), "");
}

TEST(Completion, ManyLettersDoNotUnderflow) {
  const Vocabulary letters =
      VocabularyOf(VocabularyKind::kCharacters, {"ab ba"}, 0);
  const ConstantModel model =
      Constant(letters, {{"a", 1e-6}, {"b", 0.5}, {" ", 0.5}});
  CompletionOptions options;
  options.max_tokens = 100;
  options.completions = 1;
  const std::string typed(60, 'a');
  EXPECT_EQ(Show(Completer(model, letters, options).Complete(typed)),
            typed + " 500; ");
}

TEST(Completion, OfLettersThatAreUnknownIsNone) {
  for (const VocabularyKind kind :
       {VocabularyKind::kBpe, VocabularyKind::kWords,
        VocabularyKind::kCharacters}) {
    const Vocabulary vocabulary = OfKind(kind);
    const RandomModel model(vocabulary.size());
    EXPECT_TRUE(Completer(model, vocabulary, {}).Complete("ab q").empty());
  }
}

TEST(Completion, ReadsTheLastTokensOfTheTextBefore) {
  const Vocabulary vocabulary = OfKind(VocabularyKind::kCharacters);
  const RandomModel model(vocabulary.size());
  CompletionOptions options;
  options.context = 3;
  const Completer completer(model, vocabulary, options);
  const std::string expected = Show(completer.Complete("ab c"));
  EXPECT_EQ(Show(completer.Complete("cbcbc ab c")), expected);
  EXPECT_NE(Show(completer.Complete("bb c")), expected);
  options.context = 0;
  EXPECT_NE(Show(Completer(model, vocabulary, options).Complete("cbcbc ab c")),
            expected);
}

TEST(Completion, ANarrowBeamLosesButNeverInvents) {
  const Vocabulary vocabulary = OfKind(VocabularyKind::kCharacters);
  const RandomModel model(vocabulary.size());
  WordChances all;
  for (const Completion& c :
       Completer(model, vocabulary, Everything(6)).Complete("ab ")) {
    all[c.word] = c.probability;
  }
  CompletionOptions options;
  options.beam = 2;
  const auto narrow = Completer(model, vocabulary, options).Complete("ab ");
  ASSERT_FALSE(narrow.empty());
  for (const Completion& c : narrow) {
    if (c.word.size() > 6) continue;
    EXPECT_LE(c.probability, all.at(c.word) + 1e-5) << c.word;
  }
  for (const int64_t rows : model.rows_of_steps) EXPECT_LE(rows, 2);
}

TEST(Completion, EndsWhenItIsCancelled) {
  const RandomModel model(14);
  const Completer completer(model, OfKind(VocabularyKind::kBpe),
                            Everything(20));
  completer.Complete("ab c");
  const size_t steps = model.rows_of_steps.size();
  ASSERT_GT(steps, 4u);
  const AfterSteps cancellation(model, 3);
  EXPECT_THROW(completer.Complete("ab c", &cancellation), Cancelled);
  EXPECT_EQ(model.rows_of_steps.size(), 3u);
}

TEST(Completion, WrongInputIsAnError) {
  const Vocabulary vocabulary = OfKind(VocabularyKind::kCharacters);
  const RandomModel model(vocabulary.size());
  CompletionOptions options;
  EXPECT_THROW(Completer(model, vocabulary, options).Complete("a\xFF"),
               FormatError);
  options.beam = 0;
  EXPECT_THROW(Completer(model, vocabulary, options), ConfigError);
  const ConstantModel broken(
      std::vector<float>(static_cast<size_t>(vocabulary.size()), NAN));
  EXPECT_THROW(Completer(broken, vocabulary, {}).Complete("a"), NumericError);
}

}  // namespace
}  // namespace heed
