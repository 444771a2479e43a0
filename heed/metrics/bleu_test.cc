#include "heed/metrics/bleu.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "heed/base/errors.h"

namespace heed {
namespace {

using Lines = std::vector<std::string>;

std::string Tokens13a(std::string_view line) {
  return TokenizeForBleu(line, BleuTokenizer::k13a);
}

TEST(Tokenize13a, SeparatesPunctuationButNotInsideNumbers) {
  EXPECT_EQ(
      Tokens13a("Hello, World! It costs $1,000.50 (or 3-5 \"units\")... "
                "isn't it?"),
      "Hello , World ! It costs $ 1,000.50 ( or 3 - 5 \" units \" ) . . . "
      "isn't it ?");
}

TEST(Tokenize13a, UnescapesEntitiesInMtevalsOrder) {
  // &amp; is unescaped before &lt;, so a doubly escaped '<' is unescaped too.
  EXPECT_EQ(Tokens13a("&quot;a&amp;lt;b&quot; &gt;"), "\" a < b \" >");
  EXPECT_EQ(Tokens13a("a<skipped>b"), "ab");
}

TEST(Tokenize13a, DashSplitsOnlyAfterADigit) {
  EXPECT_EQ(Tokens13a("10-year well-known -x-"), "10 - year well-known -x-");
}

TEST(Tokenize13a, PairsOfStopsDoNotOverlap) {
  EXPECT_EQ(Tokens13a("a..., 5.,b ..5"), "a . . . , 5 . , b . .5");
  EXPECT_EQ(Tokens13a("U.S.A. 3. ,5"), "U . S . A . 3 . , 5");
}

TEST(Tokenize13a, LeavesOtherScriptsWhole) {
  EXPECT_EQ(Tokens13a("é.ü 東京，大阪。\xe3\x80\x80x"), "é . ü 東京，大阪。 x");
}

TEST(Tokenize13a, JoinsLinesAndBrokenWords) {
  EXPECT_EQ(Tokens13a("hyphen-\nated\nline"), "hyphenated line");
}

TEST(Bleu, PerfectMatchIs100) {
  const Lines text = {"the cat sat on the mat ."};
  const BleuScore bleu = CorpusBleu(text, text);
  EXPECT_NEAR(bleu.score, 100.0, 1e-9);
  EXPECT_DOUBLE_EQ(bleu.brevity_penalty, 1.0);
  EXPECT_EQ(bleu.hyp_len, 7);
  EXPECT_EQ(bleu.ref_len, 7);
}

TEST(Bleu, TakesSeveralReferences) {
  // The example of Papineni et al. 2002: "the" is clipped to 2.
  const std::vector<References> refs = {
      {"the cat is on the mat", "there is a cat on the mat"}};
  const BleuScore bleu = CorpusBleu(Lines{"the the the the the the the"}, refs);
  EXPECT_NEAR(bleu.precisions[0], 100 * 2 / 7.0, 1e-9);
  EXPECT_EQ(bleu.ref_len, 7);
  EXPECT_TRUE(bleu.signature.starts_with("nrefs:2|")) << bleu.signature;
  // Words of both references match; of lengths 3 and 5 the shorter is taken.
  const BleuScore both =
      CorpusBleu(Lines{"a b c d", "x"},
                 std::vector<References>{{"a b x", "y c d e f"}, {"x"}});
  EXPECT_NEAR(both.precisions[0], 100, 1e-9);
  EXPECT_NEAR(both.precisions[1], 100 * 2 / 3.0, 1e-9);
  EXPECT_EQ(both.ref_len, 3 + 1);
  EXPECT_TRUE(both.signature.starts_with("nrefs:var|")) << both.signature;
  EXPECT_THROW(CorpusBleu(Lines{"a"}, std::vector<References>{{}}), ShapeError);
}

TEST(Bleu, IsComputedOverTheCorpus) {
  const Lines hyp = {"The cat sat on the mat.",
                     "A quick brown fox jumps over a dog"};
  const Lines ref = {"the cat sat on a mat.",
                     "The quick brown fox jumps over the lazy dog"};
  const BleuScore bleu = CorpusBleu(hyp, ref);
  // n-gram matches 12/15, 7/13, 4/11 and 2/9; 15 tokens against 16.
  EXPECT_NEAR(bleu.precisions[0], 100.0 * 12 / 15, 1e-9);
  EXPECT_NEAR(bleu.precisions[3], 100.0 * 2 / 9, 1e-9);
  EXPECT_NEAR(bleu.brevity_penalty, std::exp(1.0 - 16.0 / 15.0), 1e-12);
  EXPECT_NEAR(bleu.score, 40.408423, 1e-6);
}

TEST(Bleu, LowercaseIgnoresCaseAndSaysSo) {
  const Lines hyp = {"THE ÜBER CAT SAT"};
  const Lines ref = {"the über cat sat"};
  EXPECT_DOUBLE_EQ(CorpusBleu(hyp, ref).score, 0.0);
  const BleuScore bleu = CorpusBleu(hyp, ref, {.lowercase = true});
  EXPECT_NEAR(bleu.score, 100.0, 1e-9);
  EXPECT_NE(bleu.signature.find("|case:lc|"), std::string::npos);
}

TEST(Bleu, SignatureIsSacreBleus) {
  const std::string signature = CorpusBleu(Lines{}, Lines{}).signature;
  EXPECT_EQ(signature.rfind("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|"
                            "version:heed-",
                            0),
            0u);
}

TEST(Bleu, MissingOrdersAreSmoothedByHalves) {
  // Matches 3/5 and 1/4, then 0/3 and 0/2, smoothed to 1/(2·3) and 1/(4·2).
  const BleuScore bleu = CorpusBleu(Lines{"a b c x y"}, Lines{"a b d c e"});
  EXPECT_NEAR(bleu.precisions[2], 100.0 / 6, 1e-9);
  EXPECT_NEAR(bleu.precisions[3], 100.0 / 8, 1e-9);
  EXPECT_NEAR(bleu.score, 23.643540, 1e-6);
}

TEST(Bleu, MatchesAreClippedByTheReference) {
  const BleuScore bleu =
      CorpusBleu(Lines{"the the the the"}, Lines{"the cat sat here now"});
  EXPECT_NEAR(bleu.precisions[0], 25.0, 1e-9);
}

TEST(Bleu, NoMatchIsZeroDespiteSmoothing) {
  const BleuScore bleu = CorpusBleu(Lines{"a b c d e"}, Lines{"v w x y z"});
  EXPECT_DOUBLE_EQ(bleu.score, 0.0);
  EXPECT_DOUBLE_EQ(bleu.precisions[0], 0.0);
}

TEST(Bleu, FewerThanFourTokensAreZero) {
  EXPECT_DOUBLE_EQ(CorpusBleu(Lines{"a b c"}, Lines{"a b c"}).score, 0.0);
}

TEST(Bleu, EmptyTextIsZeroAndNeverNan) {
  const BleuScore no_hypothesis = CorpusBleu(Lines{""}, Lines{"a b c d"});
  EXPECT_DOUBLE_EQ(no_hypothesis.score, 0.0);
  EXPECT_DOUBLE_EQ(no_hypothesis.brevity_penalty, 0.0);
  EXPECT_DOUBLE_EQ(CorpusBleu(Lines{"a b c d"}, Lines{""}).score, 0.0);
  EXPECT_DOUBLE_EQ(CorpusBleu(Lines{}, Lines{}).score, 0.0);
}

TEST(Bleu, DifferentCountsAreAnError) {
  EXPECT_THROW(CorpusBleu(Lines{"a"}, Lines{"a", "b"}), ShapeError);
}

TEST(SentenceBleu, AddsOneToEachOrder) {
  EXPECT_NEAR(SentenceBleu("a b c d e", "a  b c d\te"), 100, 1e-9);
  EXPECT_EQ(SentenceBleu("", "a"), 0);
  // 1-grams 3 of 4, 2-grams 1 of 3, no other matches.
  EXPECT_NEAR(SentenceBleu("a b x c", "a b c d"),
              100 * std::pow(4 / 5.0 * 2 / 4 * 1 / 3 * 1 / 2, 0.25), 1e-9);
  // Two orders, and the brevity penalty of 2 tokens for 4.
  EXPECT_NEAR(SentenceBleu("a c", "a b c d"),
              100 * std::exp(1 - 4 / 2.0) * std::sqrt(3 / 3.0 * 1 / 2), 1e-9);
  // A repeated word matches as often as in the reference.
  EXPECT_NEAR(SentenceBleu("a a", "a b"), 100 * std::sqrt(2 / 3.0 * 1 / 2),
              1e-9);
}

}  // namespace
}  // namespace heed
