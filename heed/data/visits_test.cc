#include "heed/data/visits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

using testing::HasSubstr;

std::string Refusal(const std::string& line) {
  try {
    ParseVisits(line, "p:3");
  } catch (const FormatError& error) {
    return error.what();
  }
  return "";
}

bool Says(const std::string& line, const std::string& part) {
  const std::string message = Refusal(line);
  return message.starts_with("p:3: ") &&
         message.find(part) != std::string::npos &&
         message.find('\n') == std::string::npos;
}

TEST(Visits, AreReadAndWrittenAsTheyStand) {
  const std::string line =
      R"({"visits":[["I50","E11"],["I10"]],"times":[0.0,41.5],"label":1,)"
      R"("effects":[[0.5,0.0],[-1.0]],"log_odds":-0.25})";
  const VisitRecord record = ParseVisits(line, "p");
  ASSERT_EQ(record.visits.size(), 2);
  EXPECT_EQ(record.visits[0], (std::vector<std::string>{"I50", "E11"}));
  EXPECT_EQ(record.times, (std::vector<double>{0, 41.5}));
  EXPECT_EQ(record.label, 1);
  EXPECT_EQ(record.effects[1], std::vector<double>{-1});
  EXPECT_EQ(VisitLine(record), line);
}

TEST(Visits, CodeThatComesTwiceInAVisitCountsOnce) {
  const VisitRecord record =
      ParseVisits(R"({"visits":[["a","b","a"]],"effects":[[1,2,3]]})", "p");
  EXPECT_EQ(record.visits[0], (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(record.effects[0], (std::vector<double>{1, 2}));
}

TEST(Visits, EachErrorSaysWhereAndWhat) {
  EXPECT_TRUE(Says("{", "not valid JSON"));
  EXPECT_TRUE(Says("[1]", "not a patient"));
  EXPECT_TRUE(Says(R"({"visits":[]})", "empty"));
  EXPECT_TRUE(Says(R"({"visits":[["a"],[]]})", "visit 2 has no codes"));
  EXPECT_TRUE(Says(R"({"visits":[["a"],["b",7]]})", "visit 2: 7"));
  EXPECT_TRUE(Says(R"({"visits":[[""]]})", "visit 1"));
  EXPECT_TRUE(Says(R"({"visits":[["a\n"]]})", "control character"));
  EXPECT_TRUE(Says(R"({"visits":["a"]})", "visit 1 is not a list"));
  EXPECT_TRUE(
      Says(R"({"visits":[["a"]],"times":[1,2]})", "2 numbers for 1 visits"));
  EXPECT_TRUE(Says(R"({"visits":[["a"],["b"]],"times":[3,2]})",
                   "run backwards: visit 2"));
  EXPECT_TRUE(
      Says(R"({"visits":[["a"]],"times":["x"]})", "the time of visit 1"));
  EXPECT_TRUE(Says(R"({"visits":[["a"]],"times":[1e300]})", "between"));
  EXPECT_TRUE(Says(R"({"visits":[["a"]],"label":2})", "neither 0 nor 1"));
  EXPECT_TRUE(Says(R"({"visits":[["a"]],"effects":[[1,2]]})", "effects"));
  EXPECT_TRUE(Says(R"({"visits":[["a"]],"lable":1})", "unknown member"));
}

TEST(Visits, MillionVisitsAreRefusedBeforeTheyTakeMemory) {
  std::string line = R"({"visits":[)";
  for (int i = 0; i < 1000000; ++i) line += R"(["a"],)";
  line.back() = ']';
  EXPECT_TRUE(Says(line + "}", "more than 10000 visits"));
  // Brackets within a code are not visits.
  const std::string brackets(40000, '[');
  EXPECT_EQ(Refusal(R"({"visits":[[")" + brackets + R"("]]})"), "");
}

TEST(Visits, FileNamesTheLineOfAMissingLabel) {
  const TemporaryFolder folder;
  const std::string path = folder.Put("p.jsonl",
                                      "{\"visits\":[[\"a\"]],\"label\":0}\n\n"
                                      "{\"visits\":[[\"b\"]]}\n");
  EXPECT_THAT(MessageOf<FormatError>([&] { (void)ReadVisits({path}); }),
              HasSubstr(path + ":3: the label is missing"));
}

TEST(Visits, CodesOfFewPatientsAreLeftOut) {
  VisitRecords all;
  for (const char* line :
       {R"({"visits":[["b","a"],["a"]]})", R"({"visits":[["b"]]})"}) {
    all.records.push_back(ParseVisits(line, "p"));
    all.places.emplace_back("p");
  }
  EXPECT_EQ(LearnCodes(all, 1).codes(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(LearnCodes(all, 2).codes(), std::vector<std::string>{"b"});
  EXPECT_THAT(MessageOf<ConfigError>([&] { (void)LearnCodes(all, 3); }),
              HasSubstr("least_patients"));
}

TEST(Visits, UnknownCodeIsNamedOrSkipped) {
  const CodeTable table({"I10", "I50"}, "codes");
  const VisitRecord record =
      ParseVisits(R"({"visits":[["I10"],["I51","I50"],["x"]]})", "p");
  EXPECT_THAT(MessageOf<FormatError>([&] {
                (void)Encode(record, table, UnknownCodes::kRefuse, "p:7");
              }),
              HasSubstr("p:7: visit 2: the code 'I51' is unknown"));
  const Patient patient = Encode(record, table, UnknownCodes::kSkip, "p");
  EXPECT_EQ(patient.codes, (std::vector<int32_t>{0, 1}));
  EXPECT_EQ(patient.starts, (std::vector<int32_t>{0, 1, 2, 2}));
}

TEST(Visits, FirstVisitsAreAPatient) {
  const CodeTable table({"a", "b", "c"}, "codes");
  const Patient all =
      Encode(ParseVisits(R"({"visits":[["c","a"],["b"]],"times":[1,4]})", "p"),
             table, UnknownCodes::kRefuse, "p");
  const Patient first = all.First(1);
  EXPECT_EQ(first.visits(), 1);
  EXPECT_EQ(first.codes, (std::vector<int32_t>{2, 0}));
  EXPECT_EQ(first.times, std::vector<double>{1});
}

TEST(CodeTable, IsWhatItsTextSays) {
  const CodeTable table({"a b", "ä"}, "codes");
  EXPECT_EQ(CodeTable::Parse(table.ToText(), "f").codes(), table.codes());
  EXPECT_THAT(
      MessageOf<FormatError>([&] { (void)CodeTable::Parse("a\nb\na\n", "f"); }),
      HasSubstr("f: line 3: the code 'a' stands twice"));
  EXPECT_THAT(MessageOf<FormatError>([&] { (void)CodeTable::Parse("", "f"); }),
              HasSubstr("no codes"));
}

}  // namespace
}  // namespace heed
