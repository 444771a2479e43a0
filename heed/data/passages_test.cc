#include "heed/data/passages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<PassageQuestion> Parsed(
    const std::string& text, const std::string& name,
    PassageFormat format = PassageFormat::kAuto) {
  return ParsePassages(text, name, format);
}

std::string RefusalOf(const std::string& text, const std::string& name,
                      PassageFormat format = PassageFormat::kAuto) {
  try {
    Parsed(text, name, format);
  } catch (const FormatError& error) {
    return error.what();
  }
  return "";
}

constexpr const char* kBabi =
    "1 Mary moved to the bathroom.\n2 John went to the hallway.\n"
    "3 Where is Mary? \tbathroom\t1\n4 Mary ran to the garden.\n"
    "5 Where is Mary?\tgarden\t4\n1 Ann ate.\n2 Who ate?\tAnn\t1\n";

std::string CbtStory() {
  std::string story;
  for (int i = 1; i <= 20; ++i) {
    story += std::to_string(i) + " Sentence of Ann , number " +
             std::to_string(i) + " .\n";
  }
  return story + "21 XXXXX spoke .\tAnn\t\tAnn|Bob|Sentence\n\n";
}

TEST(Passages, OfJsonLinesHaveAllTheirMembers) {
  const auto all =
      Parsed(R"({"passage": "Ann ate.\nBob ran.", "question": "Who ran?", )"
             R"("answer": "Bob", "candidates": ["Ann", "Bob"]})"
             "\n\n"
             R"({"question": "q", "passage": "p", "answer": "a"})"
             "\n",
             "a.jsonl");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].passage, "Ann ate.\nBob ran.");
  EXPECT_EQ(all[0].answer, "Bob");
  EXPECT_THAT(all[0].candidates, ElementsAre("Ann", "Bob"));
  EXPECT_TRUE(all[1].candidates.empty());
  EXPECT_EQ(all[1].place, "a.jsonl:3");
  const auto again = Parsed(PassageLine(all[0]), "a.jsonl");
  EXPECT_EQ(PassageLine(again.at(0)), PassageLine(all[0]));
}

TEST(Passages, OfBabiSeeTheSentencesBeforeTheQuestion) {
  const auto all = Parsed(kBabi, "qa1.txt");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].passage,
            "Mary moved to the bathroom.\nJohn went to the hallway.");
  EXPECT_EQ(all[0].question, "Where is Mary?");
  EXPECT_EQ(all[0].answer, "bathroom");
  EXPECT_EQ(all[1].passage,
            "Mary moved to the bathroom.\nJohn went to the hallway.\n"
            "Mary ran to the garden.");
  EXPECT_EQ(all[2].passage, "Ann ate.");
}

TEST(Passages, OfTheChildrensBookTestHaveCandidates) {
  const auto all = Parsed(CbtStory() + CbtStory(), "cbt.txt");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].question, "XXXXX spoke .");
  EXPECT_EQ(all[1].answer, "Ann");
  EXPECT_THAT(all[1].candidates, ElementsAre("Ann", "Bob", "Sentence"));
}

TEST(Passages, ThatCannotBeReadAreRefusedByTheirLine) {
  EXPECT_THAT(RefusalOf(R"({"question": "q", "answer": "a"})", "a.jsonl"),
              HasSubstr("a.jsonl:1: there is no \"passage\""));
  EXPECT_THAT(RefusalOf(R"({"passage": "p", "question": "q"})", "a.jsonl"),
              HasSubstr("no \"answer\""));
  EXPECT_THAT(RefusalOf(R"({"passage": " ", "question": "q", "answer": "a"})",
                        "a.jsonl"),
              HasSubstr("\"passage\" is not a text with a word"));
  EXPECT_THAT(RefusalOf(R"({"passage": "p", "question": "q", "answer": "a",)"
                        R"( "candidates": [7]})",
                        "a.jsonl"),
              HasSubstr("the candidate 7"));
  EXPECT_THAT(RefusalOf(R"({"passage": "p", "text": "q"})", "a.jsonl"),
              HasSubstr("unknown member \"text\""));
  EXPECT_THAT(RefusalOf("[]", "a.jsonl"), HasSubstr("not an object"));
  EXPECT_THAT(RefusalOf("\n", "a.jsonl"), HasSubstr("there is no question"));
  EXPECT_THAT(RefusalOf("1 Ann ate.\nBob ran.\n", "a.txt"),
              HasSubstr("a.txt:2: the line does not begin with a number"));
  EXPECT_THAT(RefusalOf("1 Ann ate.\n3 Bob ran.\n", "a.txt"),
              HasSubstr("number 3 after 1"));
  EXPECT_THAT(RefusalOf("1 Who?\tAnn\n", "a.txt"),
              HasSubstr("without a story"));
  EXPECT_THAT(RefusalOf("1 Ann ate.\n2 Who?\t\n", "a.txt"),
              HasSubstr("without an answer"));
  EXPECT_THAT(RefusalOf(kBabi, "a.txt", PassageFormat::kCbt),
              HasSubstr("a.txt:3: not 20 sentences"));
  EXPECT_THAT(RefusalOf("1 Ann ate.\n", "a.txt"),
              HasSubstr("a.txt: there is no question"));
}

TEST(PassageQuestion, IsALineWithATabOrAnObject) {
  const PassageQuestion typed =
      ParsePassageQuestion("Ann ate.\nBob ran.\t Who ran? ", "text");
  EXPECT_EQ(typed.passage, "Ann ate.\nBob ran.");
  EXPECT_EQ(typed.question, "Who ran?");
  EXPECT_EQ(ParsePassageQuestion(R"({"passage": "p", "question": "q"})", "text")
                .answer,
            "");
  for (const char* text : {"", "Ann ate.", "\tWho?", "Ann ate.\t", "{"}) {
    EXPECT_THROW(ParsePassageQuestion(text, "text"), FormatError) << text;
  }
  EXPECT_THROW(
      ParsePassageQuestion(std::string(kMaxPassageBytes, 'a') + "\tq", "text"),
      FormatError);
}

TEST(PassageWords, HavePunctuationAtTheirEndsOnItsOwn) {
  EXPECT_THAT(PassageWords("(Ann said:  \"I don't\", @entity3 _____ ...)"),
              ElementsAre("(", "Ann", "said", ":", "\"", "I", "don't", "\"",
                          ",", "@entity3", "_____", ".", ".", ".", ")"));
  EXPECT_TRUE(PassageWords(" \n").empty());
}

TEST(PassageText, InvisibleDifferencesOfTextsAreNone) {
  PassageQuestion plain;
  plain.passage = "Zo\u00EB went to the caf\u00E9.\nBen stayed.";
  plain.question = "Where is Zo\u00EB?";
  plain.answer = "caf\u00E9";
  plain.candidates = {"caf\u00E9", "Ben"};
  PassageQuestion other;
  other.passage = "Zoe\u0308 went\u00A0to the ca\u00ADfe\u0301.\nBen stayed.";
  other.question = "Where\u3000is Zoe\u0308?";
  other.answer = "cafe\u0301";
  other.candidates = {"cafe\u0301", "\uFEFFBen"};
  const PassageText a = ReadPassageText(plain, true);
  const PassageText b = ReadPassageText(other, true);
  EXPECT_EQ(a.words, b.words);
  EXPECT_EQ(a.question, b.question);
  EXPECT_EQ(a.candidates, b.candidates);
  EXPECT_EQ(a.of_words, b.of_words);
  EXPECT_GE(a.answer, 0);
  EXPECT_EQ(a.answer, b.answer);
}

TEST(PassageText, FindsCandidatesAndAnswerWhereverTheyStand) {
  PassageQuestion question = {.passage = "Ann met Bob.\nbob ran.",
                              .question = "Who ran?",
                              .answer = "BOB"};
  PassageText text = ReadPassageText(question, /*lowercase=*/true);
  EXPECT_THAT(text.words,
              ElementsAre("Ann", "met", "Bob", ".", "bob", "ran", "."));
  EXPECT_THAT(text.sentences, ElementsAre(0, 4));
  EXPECT_THAT(text.candidates, ElementsAre("Ann", "met", "Bob", ".", "ran"));
  EXPECT_THAT(text.of_words, ElementsAre(0, 1, 2, 3, 2, 4, 3));
  EXPECT_EQ(text.answer, 2);
  question.candidates = {"Ann", "bob", "Carl"};
  text = ReadPassageText(question, true);
  EXPECT_THAT(text.candidates, ElementsAre("Ann", "Bob"));
  EXPECT_THAT(text.of_words, ElementsAre(0, -1, 1, -1, 1, -1, -1));
  EXPECT_EQ(text.answer, 1);
  EXPECT_EQ(ReadPassageText(question, /*lowercase=*/false).answer, -1);
  question.answer = "Carl";  // a candidate that the passage lacks
  EXPECT_EQ(ReadPassageText(question, true).answer, -1);
  question.candidates = {"two words"};
  EXPECT_TRUE(ReadPassageText(question, true).candidates.empty());
  question.passage = " \n";
  EXPECT_THROW(ReadPassageText(question, true), FormatError);
}

TEST(StoryQuestions, MayLeaveOutAnswers) {
  const auto questions = ParseStoryQuestions(
      "1 Ann ran home.\n2 Where is Ann?\t\t1\n3 Ben sat.\n4 Where is Ben?\n"
      "5 Who sat?\tBen\t3\n",
      "q", PassageFormat::kAuto);
  ASSERT_EQ(questions.size(), 3);
  EXPECT_EQ(questions[0].passage, "Ann ran home.");
  EXPECT_EQ(questions[0].answer, "");
  EXPECT_EQ(questions[1].question, "Where is Ben?");
  EXPECT_EQ(questions[1].passage, "Ann ran home.\nBen sat.");
  EXPECT_EQ(questions[2].answer, "Ben");
}

TEST(StoryQuestions, AreDetectedByLineNumbers) {
  EXPECT_TRUE(IsNumberedStory("1 Ann ran home.\n2 Where is Ann?"));
  EXPECT_TRUE(IsNumberedStory("1 Ann ran home."));
  EXPECT_FALSE(IsNumberedStory("Ann ran home.\tWhere is Ann?"));
  EXPECT_FALSE(IsNumberedStory("1 apple fell.\tWhat fell?"));
  EXPECT_FALSE(IsNumberedStory("2 Ann ran home."));
  EXPECT_FALSE(IsNumberedStory("{\"passage\": \"1 2\"}"));
  EXPECT_FALSE(IsNumberedStory(""));
}

}  // namespace
}  // namespace heed
