#include "heed/metrics/bleu_tokenizer.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "heed/metrics/bleu.h"

namespace heed {
namespace {

using Lines = std::vector<std::string>;

constexpr std::array kTokenizers = {BleuTokenizer::k13a, BleuTokenizer::kIntl,
                                    BleuTokenizer::kZh, BleuTokenizer::kChar,
                                    BleuTokenizer::kNone};

struct TokenizedLine {
  const char* line;
  std::array<const char*, 5> tokens;  // in the order of kTokenizers
};

// Expected tokens are the output of sacreBLEU 2.6 for the same lines.
TEST(BleuTokenizers, GiveTheTokensOfSacrebleu) {
  const std::vector<TokenizedLine> lines = {
      {R"(今天天气很好，我们去公园散步。)",
       {R"(今天天气很好，我们去公园散步。)",
        R"(今天天气很好 ， 我们去公园散步 。)",
        R"(今 天 天 气 很 好 ， 我 们 去 公 园 散 步 。)",
        R"(今 天 天 气 很 好 ， 我 们 去 公 园 散 步 。)",
        R"(今天天气很好，我们去公园散步。)"}},
      {R"(他在2024年买了iPhone 15 Pro，价格是￥7,999.00元。)",
       {R"(他在2024年买了iPhone 15 Pro，价格是￥7,999.00元。)",
        R"(他在2024年买了iPhone 15 Pro ， 价格是 ￥ 7,999.00元 。)",
        R"(他 在 2024 年 买 了 iPhone 15 Pro ， 价 格 是 ￥ 7,999.00 元 。)",
        R"(他 在 2 0 2 4 年 买 了 i P h o n e 1 5 P r o ， 价 格 是 ￥ 7 , 9 9 9 . 0 0 元 。)",
        R"(他在2024年买了iPhone 15 Pro，价格是￥7,999.00元。)"}},
      {R"(“你好”——他说…（笑）)",
       {R"(“你好”——他说…（笑）)", R"(“ 你好 ” — — 他说 … （ 笑 ）)",
        R"(“ 你 好 ” — — 他 说 … （ 笑 ）)",
        R"(“ 你 好 ” — — 他 说 … （ 笑 ）)", R"(“你好”——他说…（笑）)"}},
      {R"(𠮷野家 です。ひらがな、カタカナ！)",
       {R"(𠮷野家 です。ひらがな、カタカナ！)",
        R"(𠮷野家 です 。 ひらがな 、 カタカナ ！)",
        R"(𠮷 野 家 です 。 ひらがな 、 カタカナ ！)",
        R"(𠮷 野 家 で す 。 ひ ら が な 、 カ タ カ ナ ！)",
        R"(𠮷野家 です。ひらがな、カタカナ！)"}},
      {R"(L'élève dit : « C'est 3,5 % — ou 10-12 ? »)",
       {R"(L'élève dit : « C'est 3,5 % — ou 10 - 12 ? »)",
        R"(L ' élève dit : « C ' est 3,5 % — ou 10-12 ? »)",
        R"(L'élève dit : « C'est 3,5 % — ou 10 - 12 ? »)",
        R"(L ' é l è v e d i t : « C ' e s t 3 , 5 % — o u 1 0 - 1 2 ? »)",
        R"(L'élève dit : « C'est 3,5 % — ou 10-12 ? »)"}},
      {R"(Цена: 1.000,50€… «да», нет!)",
       {R"(Цена : 1.000,50€… «да» , нет !)",
        R"(Цена : 1.000,50 € … « да » , нет !)",
        R"(Цена : 1.000,50 € … «да» , нет !)",
        R"(Ц е н а : 1 . 0 0 0 , 5 0 € … « д а » , н е т !)",
        R"(Цена: 1.000,50€… «да», нет!)"}},
      {R"(It's 5.5.)",
       {R"(It's 5.5 .)", R"(It ' s 5.5.)", R"(It's 5.5.)", R"(I t ' s 5 . 5 .)",
        R"(It's 5.5.)"}},
      {R"(a…b “c” 3–4 ½ x²)",
       {R"(a…b “c” 3–4 ½ x²)", R"(a … b “ c ” 3–4 ½ x²)",
        R"(a … b “ c ” 3 – 4 ½ x²)", R"(a … b “ c ” 3 – 4 ½ x ²)",
        R"(a…b “c” 3–4 ½ x²)"}},
      {R"(สวัสดี ครับ 100%)",
       {R"(สวัสดี ครับ 100 %)", R"(สวัสดี ครับ 100%)", R"(สวัสดี ครับ 100 %)",
        R"(ส ว ั ส ด ี ค ร ั บ 1 0 0 %)", R"(สวัสดี ครับ 100%)"}},
      {R"(  two  words　and more  )",
       {R"(two words and more)", R"(two words and more)",
        R"(two words and more)", R"(t w o w o r d s a n d m o r e)",
        R"(two words and more)"}},
      {R"(&quot;a&amp;b&quot; <skipped>-x)",
       {R"(" a & b " -x)", R"(& quot ; a & amp ; b & quot ; < skipped > - x)",
        R"(& quot ; a & amp ; b & quot ; < skipped > -x)",
        R"(& q u o t ; a & a m p ; b & q u o t ; < s k i p p e d > - x)",
        R"(&quot;a&amp;b&quot; <skipped>-x)"}},
      {R"(١٢٣، مرحبا؟ ٣.٥)",
       {R"(١٢٣، مرحبا؟ ٣ . ٥)", R"(١٢٣ ، مرحبا ؟ ٣.٥)", R"(١٢٣، مرحبا؟ ٣ . ٥)",
        R"(١ ٢ ٣ ، م ر ح ب ا ؟ ٣ . ٥)", R"(١٢٣، مرحبا؟ ٣.٥)"}},
      {R"(end 2024.)",
       {R"(end 2024 .)", R"(end 2024.)", R"(end 2024.)", R"(e n d 2 0 2 4 .)",
        R"(end 2024.)"}},
      {R"(😀👍🏽 ok!)",
       {R"(😀👍🏽 ok !)", R"(😀 👍 🏽 ok !)",
        R"(😀👍🏽 ok !)", R"(😀 👍 🏽 o k !)",
        R"(😀👍🏽 ok!)"}},
      {R"(한국어 문장입니다.)",
       {R"(한국어 문장입니다 .)", R"(한국어 문장입니다 .)",
        R"(한국어 문장입니다 .)", R"(한 국 어 문 장 입 니 다 .)",
        R"(한국어 문장입니다.)"}}};
  for (const TokenizedLine& one : lines) {
    for (size_t i = 0; i < kTokenizers.size(); ++i) {
      EXPECT_EQ(TokenizeForBleu(one.line, kTokenizers[i]), one.tokens[i])
          << Named<BleuTokenizer>(kTokenizers[i]).word();
    }
  }
}

struct ScoredText {
  const char* language;
  Lines hypotheses;
  Lines references;
  std::array<double, 5> bleu;  // of sacreBLEU 2.6, in the order of kTokenizers
};

TEST(BleuTokenizers, GiveTheBleuOfSacrebleu) {
  const std::vector<ScoredText> texts = {
      {"zh",
       {"今天天气非常好，我们去公园散步。", "他昨天买了一本旧书。",
        "猫在沙发上睡觉。", "火车晚点了三个小时。"},
       {"今天天气很好，我们去公园散步。", "他昨天买了一本新书。",
        "猫在沙发上睡觉。", "火车晚点了两个小时。"},
       {0, 54.3878652969, 76.2786559371, 76.2786559371, 0}},
      {"ja",
       {"私は昨日東京に行きました。", "猫がソファーで寝ている。"},
       {"私は昨日大阪へ行きました。", "猫がソファーの上で寝ている。"},
       {0, 0, 31.1038605905, 64.7220197668, 0}},
      {"th",
       {"วันนี้อากาศดีมาก", "ผมไปตลาดเมื่อวาน"},
       {"วันนี้อากาศดี", "ผมไปตลาดเมื่อวานนี้"},
       {0, 0, 0, 89.5894248709, 0}},
      {"fr",
       {"Il a payé 3,50 € — « merci » !", "L'élève n'est pas là."},
       {"Il paya 3,50 € – « merci » !", "L'élève n'est plus là, hélas."},
       {25.7026412397, 45.1824071529, 25.7026412397, 60.060814369,
        28.6062421227}},
      {"zh and Latin",
       {"我用 iPhone 15 拍了 3 张照片。", "Windows 11 发布了。"},
       {"我用iPhone 15拍了3张照片。", "Windows 11 已发布。"},
       {12.7534313876, 10.9601548815, 78.4674206358, 88.3246045816,
        12.7534313876}},
      {"ru",
       {"Цена — 1000 рублей (без НДС).", "Он сказал: «Да»."},
       {"Цена: 1000 рублей, без НДС.", "Он сказал: «Да!»."},
       {18.2867550388, 37.7520765174, 18.2867550388, 75.6393993938,
        14.1139919308}}};
  for (const ScoredText& text : texts) {
    for (size_t i = 0; i < kTokenizers.size(); ++i) {
      const BleuScore bleu = CorpusBleu(text.hypotheses, text.references,
                                        {.tokenizer = kTokenizers[i]});
      const std::string name = Named<BleuTokenizer>(kTokenizers[i]).word();
      EXPECT_NEAR(bleu.score, text.bleu[i], 1e-9) << text.language << name;
      EXPECT_NE(bleu.signature.find("|tok:" + name + "|"), std::string::npos);
    }
  }
}

TEST(ChooseTokenizer, TakesZhForChineseWithoutSpaces) {
  const ChosenTokenizer chosen =
      ChooseTokenizer({}, Lines{"今天天气很好，我们去公园散步。", "谢谢"});
  EXPECT_EQ(chosen.tokenizer, BleuTokenizer::kZh);
  EXPECT_NE(chosen.note.find("zh"), std::string::npos);
  // Latin names in the text do not change the choice.
  EXPECT_EQ(
      ChooseTokenizer({}, Lines{"他买了 iPhone 15，价格很贵。"}).tokenizer,
      BleuTokenizer::kZh);
}

TEST(ChooseTokenizer, Takes13aWhereThereAreSpaces) {
  for (const char* line :
       {"a man rides a horse", "Он сказал", "今天 天气 很 好 ， 我们 去 公园",
        "私 は 昨日 東京 に 行き ました", "", "12 : 30"}) {
    const ChosenTokenizer chosen = ChooseTokenizer({}, Lines{line});
    EXPECT_EQ(chosen.tokenizer, BleuTokenizer::k13a) << line;
    EXPECT_EQ(chosen.note, "") << line;
  }
}

TEST(ChooseTokenizer, SaysWhatComparesCharacters) {
  for (const char* line : {"私は昨日東京に行きました。", "วันนี้อากาศดีมาก"}) {
    const ChosenTokenizer chosen = ChooseTokenizer({}, Lines{line});
    EXPECT_EQ(chosen.tokenizer, BleuTokenizer::k13a) << line;
    EXPECT_NE(chosen.note.find("--tokenize char"), std::string::npos) << line;
  }
  const ChosenTokenizer forced =
      ChooseTokenizer(BleuTokenizer::k13a, Lines{"今天天气很好"});
  EXPECT_EQ(forced.tokenizer, BleuTokenizer::k13a);
  EXPECT_NE(forced.note.find("--tokenize zh"), std::string::npos);
  EXPECT_EQ(ChooseTokenizer(BleuTokenizer::kChar, Lines{"今天天气很好"}).note,
            "");
}

}  // namespace
}  // namespace heed
