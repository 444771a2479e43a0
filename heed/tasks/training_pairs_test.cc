#include "heed/tasks/training_pairs.h"

#include <gtest/gtest.h>

#include "heed/base/testing.h"
#include "heed/io/file.h"

namespace heed {
namespace {

Corpus Numbered(int64_t pairs) {
  Corpus corpus;
  for (int32_t i = 0; i < pairs; ++i) {
    corpus.source.emplace_back(1 + i % 7, 4 + i % 3);
    corpus.target.emplace_back(1 + i % 5, 4 + i % 2);
    corpus.lines.push_back(2 * i);
  }
  return corpus;
}

TEST(TrainingPairs, AreTheSameInMemoryAndInFiles) {
  const TemporaryFolder folder;
  const TokenFileInfo info = {.source_vocabulary = 9, .target_vocabulary = 9};
  const std::string path = folder.Path("tokens");
  WriteFileAtomically(path, SerializeTokens(Numbered(500), info));
  const TrainingPairs files(TokenFiles({path}, info), 1, kBos);
  const TrainingPairs memory(Numbered(500), {500});
  EXPECT_EQ(files.size(), memory.size());
  const LargeTextConfig config;
  const BatchOptions options = {.tokens = 40};
  const BatchList batches = memory.Plan(config, options, 3, 1).All();
  EXPECT_EQ(files.Plan(config, options, 3, 1).All(), batches);
  for (const auto& pairs : batches) {
    const Batch a = memory.BatchOf(pairs);
    const Batch b = files.BatchOf(pairs);
    EXPECT_EQ(a.source, b.source);
    EXPECT_EQ(a.target_in, b.target_in);
    EXPECT_EQ(a.target_out, b.target_out);
    EXPECT_EQ(a.source_lengths, b.source_lengths);
    EXPECT_EQ(a.indices, b.indices);
    EXPECT_EQ(memory.TargetTokens(pairs), a.target_tokens);
    EXPECT_EQ(files.TargetTokens(pairs), a.target_tokens);
    EXPECT_EQ(files.Read(pairs).source, memory.Read(pairs).source);
  }
}

TEST(TrainingPairs, FilesEndWhereTheirLinesDo) {
  const Corpus pairs = Numbered(10);  // from the even lines
  EXPECT_EQ(EndsOfFiles(pairs, std::vector<int64_t>{5, 0, 1, 20}),
            (std::vector<int64_t>{3, 3, 3, 10}));
}

}  // namespace
}  // namespace heed
