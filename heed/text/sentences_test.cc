#include "heed/text/sentences.h"

#include <gtest/gtest.h>

#include <string>

namespace heed {
namespace {

using Views = std::vector<std::string_view>;

std::string Repeat(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(SplitSentences, CutsBehindSentences) {
  EXPECT_EQ(SplitSentences("One two. Three! 四。五"),
            (Views{"One two. ", "Three! ", "四。", "五"}));
  EXPECT_TRUE(SplitSentences("").empty());
}

TEST(SplitSentences, AreNotCutAtAbbreviations) {
  using Case = std::pair<const char*, const char*>;
  for (const auto& [language, line] : std::initializer_list<Case>{
           {"en", "Dr. Smith sees Mrs. Jones."},
           {"en", "DR. SMITH SEES MRS. JONES."},
           {"en", "We like fruit, e.g. Apples."},
           {"en", "J. S. Bach and J.R.R. Tolkien."},
           {"en", "The U.S. Senate at Apple Inc. CEO Tim."},
           {"en", "See Fig. 3 and no. 5 and Vol. II here."},
           {"en", "1. Item"},
           {"de", "Am 3. Mai kam z. B. Anna in die Nr. 5."},
           {"de", "Hr. Prof. Dr. Müller sah Ludwig XIV. Bourbon."},
           {"de", "3. Mai war der 2. Weltkrieg vorbei."},
           {"fr", "M. Dupont voit Mme. Durand et J.-C. Van Damme."},
           {"es", "El Sr. García vive en la Av. Colón."},
           {"it", "Il Sig. Rossi vede la Dott.ssa Bianchi."},
           {"pt-BR", "O Sr. Silva e a Dra. Costa."},
           {"nl", "Dhr. Jansen ziet mevr. De Vries."},
           {"pl", "Prof. Kowalski mieszka przy ul. Długiej."},
           {"cs", "Karel IV. Lucemburský a Ing. Novák."},
           {"ru", "А. С. Пушкин жил на ул. Ленина."},
           {"", "Dr. Smith meets Hr. Müller, z. B. Hans."},
           {"en", "Gov. Brown, Rep. Smith and Amb. Jones."},
           {"en", "Fr. Brown and Sr. Mary met A. M. Smith."},
           {"en", "1.1. The man sleeps."},
           {"de", "H.-J. Schmidt und Hans-J. Müller."},
           {"de", "Dr. med. Müller, Dr. rer. nat. Schmidt, Dr. phil. Weiß."},
           {"de", "Dr. jur. Roth, Prof. em. Braun und Dipl.-Ing. Klein."},
           {"de", "Sein 40. Geburtstag mit max. Zehn und bes. Anna."},
           {"fr", "J.-P. Sartre voit A.-M. Durand."},
           {"fr", "Le dr. Durand, p. ex. Paris."},
           {"es", "El sr. García y la dra. López."},
           {"es", "EE. UU. y las FF. AA. Españolas."},
           {"it",
            "Il sig. Rossi, il prof. Bianchi e l'ing. Verdi con l’avv. Blu."},
           {"pt", "O sr. Silva e a dra. Costa."},
           {"ru", "гр. Иванов, св. Николай, ред. Петров, пр. Мира."},
           {"ru", "Он жил: ул. Ленина, д. 5, кв. 3"}}) {
    EXPECT_EQ(SplitSentences(line, language), Views{line});
  }
}

TEST(SplitSentences, LettersThatCountItemsBeginASentence) {
  for (const char* item :
       {"A. The man sleeps.", "I. The man sleeps.", "IV. The man sleeps.",
        "ii. The man sleeps.", "b. The man sleeps."}) {
    EXPECT_EQ(SplitSentences(item, "en"), (Views{item}));
  }
  EXPECT_EQ(SplitSentences("A. The man\nB. The dog", "en"),
            (Views{"A. The man\n", "B. The dog"}));
}

TEST(SplitSentences, EndWhereTheyEnd) {
  EXPECT_EQ(
      SplitSentences("He is at no. 5. Then he left. No. That was in 1999. "
                     "Then he lived in the U.S. He liked it. Is it OK. "
                     "Anna met Apple Inc. The end.",
                     "en"),
      (Views{"He is at no. 5. ", "Then he left. ", "No. ", "That was in 1999. ",
             "Then he lived in the U.S. ", "He liked it. ", "Is it OK. ",
             "Anna met Apple Inc. ", "The end."}));
  EXPECT_EQ(SplitSentences("Er glaubt an den Islam. Anna kommt um 5. Dann geht "
                           "er. Das ist ein Test. Anna ist 12. Die Katze usw. "
                           "Anna.",
                           "de"),
            (Views{"Er glaubt an den Islam. ", "Anna kommt um 5. ",
                   "Dann geht er. ", "Das ist ein Test. ", "Anna ist 12. ",
                   "Die Katze usw. ", "Anna."}));
  EXPECT_EQ(
      SplitSentences("Das ist Max. Anna ist Dr. med. Sie kennt Phil. Er wird "
                     "40. Dann geht er.",
                     "de"),
      (Views{"Das ist Max. ", "Anna ist Dr. med. ", "Sie kennt Phil. ",
             "Er wird 40. ", "Dann geht er."}));
  EXPECT_EQ(SplitSentences("Ana vive en EE. UU. Juan duerme.", "es"),
            (Views{"Ana vive en EE. UU. ", "Juan duerme."}));
  EXPECT_EQ(SplitSentences("I don't. Anna does.", "en"),
            (Views{"I don't. ", "Anna does."}));
  EXPECT_EQ(SplitSentences("Il computer è on. Lui dorme.", "it"),
            (Views{"Il computer è on. ", "Lui dorme."}));
  EXPECT_EQ(SplitSentences("Хлеб и пр. Он спит.", "ru"),
            (Views{"Хлеб и пр. ", "Он спит."}));
  EXPECT_EQ(SplitSentences("Это было в 1999 г. Он спал.", "ru"),
            (Views{"Это было в 1999 г. ", "Он спал."}));
  EXPECT_EQ(SplitSentences("1. One. 2. Two.", "en"),
            (Views{"1. One. ", "2. Two."}));
  EXPECT_EQ(SplitSentences("We met at 5 p.m. Anna left.", "en"),
            (Views{"We met at 5 p.m. ", "Anna left."}));
}

TEST(ListMarkerSize, IsThatOfNumbersAndBullets) {
  for (const std::string marker :
       {"1. ", " 12) ", "- ", "• ", "*\u00A0", "1.1. ", "2.10.3. ", "1.1) ",
        "(1) ", "(a) ", "a) ", "B) ", "iv) ", "(ii) ", "б) "}) {
    EXPECT_EQ(ListMarkerSize(marker + "Item", "en"), marker.size());
  }
  for (const char* line :
       {"3.14 is pi", "2024. Then", "-5 °C", "1.", "- ", "A. Smith", "",
        "*bold* text", "1.1 The man", "(see) it", "(1999) it", "is) it",
        "() it", "(1)", "1..2. it"}) {
    EXPECT_EQ(ListMarkerSize(line, "en"), 0u) << line;
  }
  EXPECT_EQ(ListMarkerSize("3. Mai", "de"), 0u);
  EXPECT_EQ(ListMarkerSize("24.12. ist Fest", "de"), 0u);
  EXPECT_EQ(ListMarkerSize("1.1. Der Mann", "de"), 5u);
}

TEST(SplitSentences, CutsLongSentencesAtCommasSpacesOrAnywhere) {
  for (const std::string& line :
       {Repeat("word, ", 400), Repeat("word ", 400), Repeat("ä", 1500)}) {
    std::string joined;
    const Views parts = SplitSentences(line);
    EXPECT_GE(parts.size(), 3u);
    for (const std::string_view part : parts) {
      joined += part;
      int64_t characters = 0;
      for (const char c : part) characters += (c & 0xC0) != 0x80 ? 1 : 0;
      EXPECT_LE(characters, kLongestSentence);
    }
    EXPECT_EQ(joined, line);
  }
}

}  // namespace
}  // namespace heed
