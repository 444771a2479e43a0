#include "heed/io/marian_shortlist.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed::marian_shortlist_test {
namespace {

class MarianShortlistFile : public testing::Test {
 protected:
  /// A file of these numbers; odd numbers of entries end within a word.
  static std::string Bytes(uint64_t first, const std::vector<uint64_t>& offsets,
                           const std::vector<uint32_t>& entries) {
    std::vector<uint64_t> words = {first, 100, offsets.size(), entries.size()};
    words.insert(words.end(), offsets.begin(), offsets.end());
    std::string rest(reinterpret_cast<const char*>(words.data()),
                     words.size() * 8);
    rest.append(reinterpret_cast<const char*>(entries.data()),
                entries.size() * 4);
    return WithChecksum(rest);
  }
  static std::string WithChecksum(const std::string& rest) {
    uint64_t hash = 0;
    for (size_t at = 0; at + 8 <= rest.size(); at += 8) {
      uint64_t word = 0;
      std::memcpy(&word, rest.data() + at, 8);
      hash ^= word + 0x9e3779b9 + (hash << 6) + (hash >> 2);
    }
    const uint64_t head[] = {0xF11A48D5013417F5, hash};
    return std::string(reinterpret_cast<const char*>(head), 16) + rest;
  }
  MarianShortlist Read(const std::string& bytes) {
    return ReadMarianShortlist(folder_.Put("lex.bin", bytes));
  }
  std::string Error(const std::string& bytes) {
    return MessageOf<FormatError>([&] { Read(bytes); });
  }

  TemporaryFolder folder_;
  const std::string good_ = Bytes(3, {0, 2, 2, 5}, {4, 9, 3, 5, 8});
};

TEST_F(MarianShortlistFile, HasTheRunsOfEachSource) {
  const MarianShortlist list = Read(good_);
  EXPECT_EQ(list.first, 3);
  EXPECT_EQ(list.offsets, (std::vector<int32_t>{0, 2, 2, 5}));
  EXPECT_EQ(list.targets, (std::vector<int32_t>{4, 9, 3, 5, 8}));
}

TEST_F(MarianShortlistFile, WrittenBytesHaveTheLongestRunAndAChecksum) {
  std::string bytes = MarianShortlistBytes(Read(good_));
  const uint64_t longest = 3;
  EXPECT_EQ(std::memcmp(bytes.data() + 24, &longest, 8), 0);
  EXPECT_EQ(MarianShortlistBytes(Read(bytes)), bytes);
  const uint64_t best = 100;
  std::memcpy(bytes.data() + 24, &best, 8);
  EXPECT_EQ(WithChecksum(bytes.substr(16)), good_);
}

TEST_F(MarianShortlistFile, EveryCutFileIsRefused) {
  for (size_t size = 0; size < good_.size(); ++size) {
    EXPECT_NE(Error(good_.substr(0, size)).find("lex.bin: "),
              std::string::npos);
  }
}

TEST_F(MarianShortlistFile, EveryNumberOfTwoToTheSixtyThirdIsRefused) {
  for (size_t place = 0; place < 48 + 4 * 8; place += 8) {
    std::string changed = good_;
    const uint64_t large = uint64_t{1} << 63;
    std::memcpy(changed.data() + place, &large, 8);
    EXPECT_NE(Error(changed).find("lex.bin: "), std::string::npos) << place;
    if (place < 16 || place == 24) continue;
    // Also with the checksum of the changed numbers.
    EXPECT_NE(Error(WithChecksum(changed.substr(16))).find("lex.bin: "),
              std::string::npos)
        << place;
  }
}

TEST_F(MarianShortlistFile, ADamagedByteIsRefused) {
  std::string changed = good_;
  changed[60] ^= 1;
  EXPECT_NE(Error(changed).find("checksum"), std::string::npos);
}

TEST_F(MarianShortlistFile, OffsetsThatDescendAreRefused) {
  EXPECT_NE(Error(Bytes(1, {0, 3, 2, 5}, {1, 2, 3, 4, 5})).find("ascend"),
            std::string::npos);
  EXPECT_NE(Error(Bytes(1, {1, 5}, {1, 2, 3, 4, 5})).find("ascend"),
            std::string::npos);
  EXPECT_NE(Error(Bytes(1, {0, 1}, {0x80000000})).find("token id"),
            std::string::npos);
}

}  // namespace
}  // namespace heed::marian_shortlist_test
