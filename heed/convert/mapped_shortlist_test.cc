#include "heed/convert/mapped_shortlist.h"

#include <gtest/gtest.h>

#include <vector>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed::mapped_shortlist_test {
namespace {

using Ids = std::vector<int32_t>;

/// Vocabulary with </s> and <unk> in rows 0 and 1, and a word in each row from
/// 2 on. Ids of Heed are rows plus 2.
MappedVocabulary Words(int32_t rows) {
  TokenRows tokens;
  tokens.eos = 0;
  tokens.unk = 1;
  for (int32_t row = 2; row < rows; ++row) {
    tokens.others.emplace_back(std::string(1, static_cast<char>('a' + row)),
                               row);
  }
  return MapWords(tokens);
}

MappedPair Pair(bool same_tokens) { return {Words(6), Words(12), same_tokens}; }

/// Rows 0 to 2 for all; rows 7 and 9 for source row 4.
MarianShortlist List() { return {3, {0, 0, 0, 0, 0, 2, 2}, {7, 9}}; }

TEST(MapShortlist, RunsAreThoseOfTheRows) {
  const Shortlist list = MapShortlist(List(), "lex.bin", Pair(false), 6, 12);
  // 5 of 12 rows are listed; rows 3, 4 and 5 complete them to 8.
  EXPECT_EQ(list.Outputs(Ids{6, kEos}),
            (Ids{kPad, kUnk, kBos, kEos, 4, 5, 6, 7, 9, 11}));
  EXPECT_EQ(list.Outputs(Ids{5, kEos}),
            (Ids{kPad, kUnk, kBos, kEos, 4, 5, 6, 7, 8, 9}));
}

TEST(MapShortlist, TokensOfTheSourceAreAllowedIfBothSidesShareThem) {
  const MappedPair pair = {Words(12), Words(12), true};
  MarianShortlist list = List();
  list.offsets.resize(13, 2);
  const Ids outputs =
      MapShortlist(list, "lex.bin", pair, 12, 12).Outputs(Ids{13, kEos});
  EXPECT_EQ(std::ranges::count(outputs, 13), 1);
}

TEST(MapShortlist, OtherVocabulariesAreRefused) {
  const auto error = [](int64_t source_rows, int64_t target_rows) {
    return MessageOf<FormatError>([&] {
      MapShortlist(List(), "lex.bin", Pair(false), source_rows, target_rows);
    });
  };
  EXPECT_NE(error(7, 12).find("lex.bin: a shortlist of 6 source tokens, but"),
            std::string::npos);
  EXPECT_NE(error(6, 9).find("beyond the 9"), std::string::npos);
  EXPECT_NE(error(6, 2).find("beyond the 2"), std::string::npos);
}

TEST(ReadTextShortlist, KeepsTheMostProbableTokensOfEachSource) {
  const TemporaryFolder folder;
  folder.Put("lex.s2t",
             "h e 0.2\nNULL e 0.9\nj e 0.5\nf e 0.3\ni NULL 1\n"
             "g f 0.1\nh other 0.4\n");
  const MarianShortlist list = ReadTextShortlist(
      folder.Path("lex.s2t"), Pair(false), 6, 12, {.first = 3, .best = 2});
  EXPECT_EQ(list.first, 3);
  EXPECT_EQ(list.offsets, (Ids{0, 0, 0, 0, 0, 2, 3}));
  EXPECT_EQ(list.targets, (Ids{5, 9, 6}));
}

TEST(ReadTextShortlist, NamesWhatIsWrong) {
  const TemporaryFolder folder;
  const auto error = [&](const std::string& text) {
    folder.Put("lex.s2t", text);
    return MessageOf<FormatError>([&] {
      ReadTextShortlist(folder.Path("lex.s2t"), Pair(false), 6, 12, {});
    });
  };
  EXPECT_NE(error("h e 0.2\nh e\n").find("lex.s2t:2: not a target token"),
            std::string::npos);
  EXPECT_NE(error("h e nan\n").find("lex.s2t:1:"), std::string::npos);
  EXPECT_NE(error("x y 0.5\n").find("no line has tokens"), std::string::npos);
}

}  // namespace
}  // namespace heed::mapped_shortlist_test
