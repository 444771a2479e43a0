#include "heed/tasks/text_store.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <thread>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/base/threads.h"
#include "heed/io/file.h"
#include "heed/tasks/text_vocabulary.h"

namespace heed {
namespace {

namespace fs = std::filesystem;
using Strings = std::vector<std::string>;

/// A file with rows "i, tab, i + 1", and stores of it.
class Stored {
 public:
  explicit Stored(int64_t rows) {
    std::string text;
    for (int64_t i = 0; i < rows; ++i) {
      text += std::to_string(i) + "\t" + std::to_string(i + 1) + "\n";
    }
    path = folder.Put("pairs", text);
    config.token_files = folder.Path("store");
  }
  TextStore Open() const {
    return {config, {{{path}, [this] { return ReadTabbed(path); }}}, 2, true};
  }
  /// Tokens whose ids are the numbers themselves.
  TokenFiles Tokens(const TextStore& store,
                    const std::function<void()>& encoding = {},
                    const std::string& options = "") const {
    return store.Tokens(
        options, {.source_vocabulary = 1 << 20, .target_vocabulary = 1 << 20},
        [&](const TextColumns& rows) {
          if (encoding) encoding();
          Corpus corpus;
          for (size_t i = 0; i < rows[0].size(); ++i) {
            corpus.source.push_back({std::stoi(rows[0][i])});
            corpus.target.push_back({std::stoi(rows[1][i])});
          }
          return corpus;
        });
  }

  TemporaryFolder folder;
  std::string path;
  LargeTextConfig config;
};

void ExpectNumbers(const TokenFiles& tokens, int64_t rows) {
  ASSERT_EQ(tokens.size(), rows);
  std::vector<int64_t> all(static_cast<size_t>(rows));
  std::iota(all.begin(), all.end(), 0);
  const Corpus corpus = tokens.Read(all);
  for (size_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(corpus.source[i].at(0), all[i]);
    ASSERT_EQ(corpus.target[i].at(0), all[i] + 1);
  }
}

constexpr int64_t kRows = 100000;  // four files

TEST(TextStore, KnowsWhatItRead) {
  const Stored stored(5);
  const TextStore first = stored.Open();
  EXPECT_EQ(first.sample(), (TextColumns{{"0", "1", "2", "3", "4"},
                                         {"1", "2", "3", "4", "5"}}));
  EXPECT_EQ(first.Checksum(), ComputeChecksum(first.sample()[0]) +
                                  ComputeChecksum(first.sample()[1]));
  EXPECT_EQ(first.rows(), 5);
  const auto written =
      fs::last_write_time(stored.folder.Path("store/text.json"));
  const TextStore again = stored.Open();
  EXPECT_EQ(again.sample(), first.sample());
  EXPECT_EQ(again.Checksum(), first.Checksum());
  EXPECT_EQ(fs::last_write_time(stored.folder.Path("store/text.json")),
            written);

  std::ofstream(stored.path, std::ios::app) << "9\t8\n";
  EXPECT_EQ(stored.Open().rows(), 6);
  EXPECT_NE(stored.Open().Checksum(), first.Checksum());
}

TEST(TextStore, SamplesRowsAtRandom) {
  Stored stored(10000);
  stored.config.vocabulary_sample = 1000;
  const TextColumns sample = stored.Open().sample();
  ASSERT_EQ(sample[0].size(), 1000U);
  double sum = 0;
  for (size_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(std::stoi(sample[0][i]) + 1, std::stoi(sample[1][i]));
    sum += std::stoi(sample[0][i]);
  }
  EXPECT_NEAR(sum / 1000, 5000, 400);  // four standard errors
  EXPECT_EQ(stored.Open().sample(), sample);
}

TEST(TextStore, ChangesRowsBeforeAnythingElse) {
  const TemporaryFolder folder;
  const std::string path = folder.Put("lines", "A\nb\n");
  LargeTextConfig config;
  config.token_files = folder.Path("store");
  const auto open = [&](const std::function<void(std::string&)>& change) {
    return TextStore(config, PlainRowFiles({path}, {"text"}), 1, true, change);
  };
  EXPECT_EQ(open({}).sample()[0], (Strings{"A", "b"}));
  const auto store = open([](std::string& line) { line += '!'; });
  EXPECT_EQ(store.sample()[0], (Strings{"A!", "b!"}));
  TextColumns seen;
  store.Tokens({}, {}, [&](const TextColumns& rows) {
    seen = rows;
    return Corpus();
  });
  EXPECT_EQ(seen, (TextColumns{{"A!", "b!"}}));
}

TEST(TextStore, TokensAreMadeOnce) {
  const Stored stored(kRows);
  const TextStore store = stored.Open();
  std::atomic<int> encoded = 0;
  const auto count = [&encoded] { ++encoded; };
  ExpectNumbers(stored.Tokens(store, count), kRows);
  EXPECT_EQ(encoded, 4);
  ExpectNumbers(stored.Tokens(stored.Open(), count), kRows);
  EXPECT_EQ(encoded, 4);
  ExpectNumbers(stored.Tokens(store, count, "other options"), kRows);
  EXPECT_EQ(encoded, 8);
}

TEST(TextStore, WhatIsMissingIsMade) {
  const ThreadLimit one(1);
  const Stored stored(kRows);
  const TextStore store = stored.Open();
  int encoded = 0;
  EXPECT_THROW(stored.Tokens(store,
                             [&encoded] {
                               if (++encoded == 3) throw IoError("disk full");
                             }),
               IoError);
  ExpectNumbers(stored.Tokens(store, [&encoded] { ++encoded; }), kRows);
  EXPECT_EQ(encoded, 5);  // the third file again, and the fourth
  std::string folder;
  for (const auto& entry :
       fs::directory_iterator(stored.folder.Path("store"))) {
    if (entry.is_directory()) folder = entry.path();
  }
  fs::remove(folder + "/00001.tokens");
  ExpectNumbers(stored.Tokens(store, [&encoded] { ++encoded; }), kRows);
  EXPECT_EQ(encoded, 6);
  const std::string bytes = ReadFile(folder + "/00002.tokens");
  WriteFileAtomically(folder + "/00002.tokens", bytes.substr(0, 1000));
  EXPECT_NE(MessageOf<FormatError>([&] {
              stored.Tokens(store);
            }).find("00002.tokens: is cut short"),
            std::string::npos);
}

TEST(TextStore, SeveralShareTheWork) {
  const Stored stored(kRows);
  std::atomic<int> encoded = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      const TextStore store = stored.Open();
      ExpectNumbers(stored.Tokens(store, [&encoded] { ++encoded; }), kRows);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(encoded, 4);
}

TEST(TextStore, KeepsWhatCostsTime) {
  const Stored stored(5);
  int made = 0;
  const auto make = [&made] {
    ++made;
    return ModelFiles{{"words", std::string("a\0b", 3)}};
  };
  const TextStore store = stored.Open();
  const ModelFiles files = store.Kept("vocabulary", "8000", make);
  EXPECT_EQ(files.at("words"), std::string("a\0b", 3));
  EXPECT_EQ(stored.Open().Kept("vocabulary", "8000", make), files);
  EXPECT_EQ(made, 1);
  store.Kept("vocabulary", "4000", make);
  EXPECT_EQ(made, 2);
}

TEST(TextStore, WhatCannotBeUsedIsNamed) {
  const Stored stored(5);
  (void)stored.Open();
  const std::string known = stored.folder.Path("store/text.json");
  const auto expect = [&](const std::string& says) {
    std::string error;
    try {
      (void)stored.Open();
    } catch (const Error& failure) {
      error = failure.what();
    }
    EXPECT_NE(error.find(says), std::string::npos) << error;
  };
  WriteFileAtomically(stored.folder.Path("store/sample-0.txt"), "0\n");
  expect("text.json: is damaged; remove it");
  WriteFileAtomically(known, "{");
  expect("text.json");
  fs::remove_all(stored.folder.Path("store"));
  WriteFileAtomically(stored.folder.Path("store"), "a file");
  expect("cannot write to the folder");
}

TEST(LargeText, WeightsAreNumbersForEachFile) {
  LargeTextConfig config;
  EXPECT_TRUE(config.Weights(3).empty());
  config.mix = {"3", "0.5"};
  EXPECT_EQ(config.Weights(2), (std::vector<double>{3, 0.5}));
  EXPECT_THROW(config.Weights(3), ConfigError);
  for (const Strings& bad :
       {Strings{"3", "-1"}, {"3", "x"}, {"0", "0"}, {"nan", "1"}}) {
    config.mix = bad;
    EXPECT_THROW(config.Weights(2), ConfigError) << bad[0] << bad[1];
  }
}

}  // namespace
}  // namespace heed
