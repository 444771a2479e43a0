#include "heed/data/input_lines.h"

#include <gtest/gtest.h>

#include <sstream>
#include <streambuf>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

using Strings = std::vector<std::string>;

// Answers with the lines themselves and their numbers.
std::string Answers(const std::string& text, const InputOptions& options,
                    int64_t window = 100) {
  std::istringstream in(text);
  std::string out;
  AnswerLines(
      in, window, options,
      [&](const Strings& lines, int64_t first) {
        for (const std::string& line : lines) {
          if (line == "bad") throw FormatError("bad");
        }
        for (const std::string& line : lines) {
          out += std::to_string(first++) + line + "\n";
        }
      },
      [&](int64_t index, const std::string& reason) {
        out += std::to_string(index) + "!" + reason + "\n";
      });
  return out;
}

TEST(AnswerLines, AnswersEachLineInItsTurn) {
  for (const int64_t window : {1, 2, 100}) {
    EXPECT_EQ(Answers("\xEF\xBB\xBF"
                      "a\r\nb\n\nc",
                      {}, window),
              "0a\n1b\n2\n3c\n");
  }
  EXPECT_EQ(Answers("", {}), "");
}

// Provides one line at a time, as typed input does.
class TypedLines : public std::streambuf {
 public:
  explicit TypedLines(Strings lines) : lines_(std::move(lines)) {}
  size_t handed_out() const { return next_; }

 private:
  int_type underflow() override {
    if (next_ == lines_.size()) return traits_type::eof();
    std::string& line = lines_[next_++];
    setg(line.data(), line.data(), line.data() + line.size());
    return traits_type::to_int_type(line[0]);
  }
  Strings lines_;
  size_t next_ = 0;
};

TEST(AnswerLines, ATypedLineIsAnsweredBeforeTheNextIsRead) {
  TypedLines typed({"a\n", "b\n", "c\n"});
  std::istream in(&typed);
  Strings all;
  AnswerLines(in, 100, {}, [&](const Strings& lines, int64_t first) {
    EXPECT_EQ(typed.handed_out(), static_cast<size_t>(first) + 1);
    all.insert(all.end(), lines.begin(), lines.end());
  });
  EXPECT_EQ(all, (Strings{"a", "b", "c"}));
}

TEST(AnswerLines, RowsOfTablesAreLines) {
  InputOptions options;
  options.form = InputForm::kCsv;
  options.columns = {"b", "a"};
  EXPECT_EQ(Answers("a,b\n1,\"x\ny\"\n\n2,z\n", options), "0x y\t1\n1z\t2\n");
  options.form = InputForm::kJsonl;
  EXPECT_EQ(Answers("{\"a\": 1, \"b\": \"x\"}\n", options), "0x\t1\n");
  EXPECT_THROW(Answers("{}\n", options), FormatError);
  options.on_error = OnError::kEmpty;
  EXPECT_NE(Answers("{}\n{\"a\": 1, \"b\": \"x\"}\n", options).find("1x\t1\n"),
            std::string::npos);
}

TEST(AnswerLines, StopsAtABadLineAfterThoseBeforeIt) {
  EXPECT_NE(MessageOf<FormatError>([] {
              Answers("a\n\xFF\nb\n", {});
            }).find("standard input:2: not valid UTF-8"),
            std::string::npos);
  EXPECT_THROW(Answers("a\nbad\n", {}), FormatError);
}

TEST(AnswerLines, SkipsBadLinesIfRequested) {
  InputOptions options;
  options.on_error = OnError::kEmpty;
  for (const int64_t window : {1, 2, 100}) {
    EXPECT_EQ(Answers("a\n\xFF\nb\nbad\nc\n\xFF\n", options, window),
              "0a\n1!standard input:2: not valid UTF-8\n2b\n3!bad\n4c\n"
              "5!standard input:6: not valid UTF-8\n");
  }
}

// Endless bytes; unread ones are not in memory.
class Endless : public std::streambuf {
 public:
  size_t handed_out() const { return handed_out_; }

 private:
  int_type underflow() override {
    handed_out_ += block_.size();
    setg(block_.data(), block_.data(), block_.data() + block_.size());
    return traits_type::to_int_type(block_[0]);
  }
  std::string block_ = std::string(65536, 'a');
  size_t handed_out_ = 0;
};

TEST(AnswerLines, LineThatNeverEndsIsRefused) {
  Endless endless;
  std::istream in(&endless);
  const auto nothing = [](const Strings& /*lines*/, int64_t /*first*/) {};
  EXPECT_EQ(MessageOf<FormatError>([&] { AnswerLines(in, 1, {}, nothing); }),
            "standard input:1: a line of over 16 MiB; split it");
  EXPECT_LT(endless.handed_out(), size_t{17} << 20);
}

TEST(AnswerLines, LinesOfAnyLengthUpToTheLimit) {
  InputOptions options;
  options.on_error = OnError::kEmpty;
  options.max_line = 0;
  for (const size_t size : {65534, 65535, 65536, 131070, 1 << 24}) {
    const std::string line(size, 'a');
    EXPECT_EQ(Answers(line + "\n\n" + line, options),
              "0" + line + "\n1\n2" + line + "\n");
  }
  const std::string line((1 << 24) + 70000, 'a');
  const std::string refused =
      "!standard input:2: a line of over 16 MiB; split it\n";
  EXPECT_EQ(Answers("x\n" + line + "\ny\n", options),
            "0x\n1" + refused + "2y\n");
  EXPECT_EQ(Answers("x\n" + line, options), "0x\n1" + refused);
}

TEST(AnswerLines, CutsLongLines) {
  InputOptions options;
  options.max_line = 5;
  EXPECT_EQ(Answers("12345\n123456\n", options), "012345\n112345\n");
  options.long_lines = LongLines::kCutStart;
  EXPECT_EQ(Answers("123456\n", options), "023456\n");
  options.max_line = 0;
  EXPECT_EQ(Answers("123456\n", options), "0123456\n");
}

TEST(CutLine, CutsAtASpaceOrBetweenCharacters) {
  EXPECT_EQ(CutLine("ab cd efgh", 7, LongLines::kCutEnd), "ab cd");
  EXPECT_EQ(CutLine("a bcdefghi", 7, LongLines::kCutEnd), "a bcdef");
  EXPECT_EQ(CutLine("äöüß", 3, LongLines::kCutEnd), "äöü");
  EXPECT_EQ(CutLine("äöüß", 3, LongLines::kCutStart), "öüß");
  EXPECT_EQ(CutLine("abcd ef gh", 7, LongLines::kCutStart), "ef gh");
  EXPECT_EQ(CutLine("äöüß", 4, LongLines::kCutEnd), "äöüß");
  EXPECT_EQ(CutLine("äöüß", 1, LongLines::kWhole), "äöüß");
  EXPECT_EQ(CutLine("{\"a\": [1, 2]}", 4, LongLines::kStructured),
            "{\"a\": [1, 2]}");
}

TEST(CutLine, CutsEachFieldByItself) {
  EXPECT_EQ(CutLine("ab cd efgh\tx\tabcdefghij", 7, LongLines::kCutFields),
            "ab cd\tx\tabcdefg");
  EXPECT_EQ(CutLine("a\tb\tc\td\te\tf", 2, LongLines::kCutFields),
            "a\tb\tc\td\te\tf");
}

}  // namespace
}  // namespace heed
