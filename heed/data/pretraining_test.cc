#include "heed/data/pretraining.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/threads.h"
#include "heed/text/wordpiece.h"

namespace heed {
namespace {

using Ids = std::vector<int32_t>;
using Strings = std::vector<std::string>;

struct Instance {
  Ids ids;
  int32_t second = 0;
  bool random_next = false;
  Ids positions;
  Ids labels;
};
using Instances = std::vector<Instance>;

// Size of a vocabulary whose distinct words identify their positions in a text.
constexpr int kWordsOfVocabulary = 30000;

Vocabulary ManyWords() {
  std::string bytes;
  for (std::string_view special : WordPiece::kSpecials) {
    bytes += std::string(special) + "\n";
  }
  for (int i = 5; i < kWordsOfVocabulary; ++i) {
    bytes += std::to_string(i) + "\n";
  }
  return Vocabulary::Parse(bytes, VocabularyKind::kWordPiece, "words");
}

// Documents of consecutive ids from 5 on: every token is unique, and the next
// token is the next number. Sentences have `words` tokens, or up to `more`
// more.
std::vector<Document> Numbered(int documents, int sentences, int words,
                               int more = 2) {
  std::vector<Document> all;
  int32_t id = 5;
  for (int d = 0; d < documents; ++d) {
    Document& document = all.emplace_back();
    for (int s = 0; s < sentences; ++s) {
      Ids& sentence = document.emplace_back();
      for (int w = 0; w < words + s % (more + 1); ++w) sentence.push_back(id++);
    }
  }
  EXPECT_LE(id, kWordsOfVocabulary);
  return all;
}

// Ids of an instance before masking.
Ids Original(const Instance& instance) {
  Ids ids = instance.ids;
  for (size_t i = 0; i < instance.positions.size(); ++i) {
    At(ids, instance.positions[i]) = instance.labels[i];
  }
  return ids;
}

struct Segments {
  Ids a, b;
};
Segments Split(const Instance& instance) {
  const Ids ids = Original(instance);
  const auto middle = ids.begin() + instance.second;
  return {{ids.begin() + 1, middle - 1}, {middle, ids.end() - 1}};
}

bool IsRun(const Ids& ids) {
  for (size_t i = 1; i < ids.size(); ++i) {
    if (ids[i] != ids[i - 1] + 1) return false;
  }
  return true;
}

double Share(const Instances& instances, bool (*has)(const Instance&)) {
  return static_cast<double>(
             std::count_if(instances.begin(), instances.end(), has)) /
         static_cast<double>(instances.size());
}

bool IsRandom(const Instance& instance) { return instance.random_next; }

class Pretraining : public testing::Test {
 protected:
  Instances Make(const std::vector<Document>& documents,
                 const PretrainingOptions& options) {
    const PretrainingCorpus all =
        MakePretrainingCorpus(documents, words_, options);
    Instances instances;
    for (size_t i = 0; i < all.second.size(); ++i) {
      instances.push_back({all.corpus.source[i], all.second[i],
                           all.random_next[i], all.positions[i],
                           all.corpus.target[i]});
    }
    return instances;
  }
  const Vocabulary words_ = ManyWords();
};

TEST_F(Pretraining, DocumentsAreSeparatedByBlankLines) {
  const Strings lines = {"", "7 8", "9", " ", "", "\x01", "10", "\t", ""};
  const std::vector<Document> documents = EncodeDocuments(lines, words_);
  EXPECT_EQ(documents, (std::vector<Document>{{{7, 8}, {9}}, {{10}}}));
}

TEST_F(Pretraining, FewerThanTwoDocumentsIsAConfigError) {
  for (const Strings& lines :
       {Strings{}, Strings{"7", "8"}, Strings{"", "7"}}) {
    EXPECT_THROW(EncodeDocuments(lines, words_), ConfigError);
  }
}

TEST_F(Pretraining, InstancesAreTwoRunsOfTokensWithinTheLength) {
  const Instances instances =
      Make(Numbered(40, 30, 9), {.max_length = 64, .duplicates = 3});
  ASSERT_GT(instances.size(), 100u);
  for (const Instance& instance : instances) {
    const Ids ids = Original(instance);
    EXPECT_LE(ids.size(), 64u);
    EXPECT_EQ(ids.front(), words_.special().bos);
    EXPECT_EQ(ids[static_cast<size_t>(instance.second) - 1],
              words_.special().eos);
    EXPECT_EQ(ids.back(), words_.special().eos);
    const auto [a, b] = Split(instance);
    EXPECT_FALSE(a.empty());
    EXPECT_FALSE(b.empty());
    EXPECT_TRUE(IsRun(a));
    EXPECT_TRUE(IsRun(b));
  }
}

TEST_F(Pretraining, WithoutNextSentencesAnInstanceIsOneRun) {
  const Instances instances =
      Make(Numbered(40, 30, 9),
           {.max_length = 64, .duplicates = 2, .next_sentence = false});
  ASSERT_GT(instances.size(), 100u);
  for (const Instance& instance : instances) {
    Ids ids = Original(instance);
    EXPECT_LE(ids.size(), 64u);
    EXPECT_EQ(instance.second, std::ssize(ids));
    EXPECT_EQ(ids.front(), words_.special().bos);
    EXPECT_EQ(ids.back(), words_.special().eos);
    EXPECT_TRUE(IsRun({ids.begin() + 1, ids.end() - 1}));
    EXPECT_FALSE(instance.random_next);
  }
}

TEST_F(Pretraining, BFollowsAUnlessItIsRandom) {
  // Chunks end with a sentence, so nothing is truncated here.
  const auto documents = Numbered(40, 30, 9);
  const auto document_of = [&](int32_t id) {
    size_t d = 0;
    while (documents[d].back().back() < id) ++d;
    return d;
  };
  const Instances instances = Make(documents, {.duplicates = 3});
  size_t direct = 0;
  size_t following = 0;
  for (const Instance& instance : instances) {
    const auto [a, b] = Split(instance);
    if (instance.random_next) {
      EXPECT_NE(document_of(a[0]), document_of(b[0]));
      continue;
    }
    ++following;
    EXPECT_LT(a.back(), b.front());
    EXPECT_EQ(document_of(a[0]), document_of(b[0]));
    direct += b.front() == a.back() + 1 ? 1 : 0;
  }
  // Truncation may remove tokens between A and B.
  EXPECT_GT(direct, following / 4);
}

TEST_F(Pretraining, WithoutTruncationNothingLiesBetween) {
  // Sentences of one token reach the length exactly.
  for (const Instance& instance :
       Make(Numbered(40, 100, 1, 0), {.max_length = 200, .duplicates = 1})) {
    if (instance.random_next) continue;
    const auto [a, b] = Split(instance);
    EXPECT_EQ(b.front(), a.back() + 1);
  }
}

TEST_F(Pretraining, HalfOfLongDocumentsAreRandom) {
  // A final single sentence always gets a random B, so the share exceeds one
  // half.
  const double share =
      Share(Make(Numbered(40, 60, 5), {.duplicates = 20}), IsRandom);
  EXPECT_GT(share, 0.5);
  EXPECT_LT(share, 0.62);
}

TEST_F(Pretraining, ShortDocumentsAreRandomMoreOften) {
  EXPECT_EQ(Share(Make(Numbered(300, 1, 5), {}), IsRandom), 1);
  // Two sentences give either one instance with both, or two with random B.
  const PretrainingOptions options = {.short_rate = 0, .duplicates = 50};
  EXPECT_NEAR(Share(Make(Numbered(300, 2, 5), options), IsRandom), 2.0 / 3,
              0.02);
}

TEST_F(Pretraining, SentencesThatWereNotUsedComeBack) {
  const auto documents = Numbered(60, 20, 4);
  std::multiset<int32_t> as_a_or_next;
  for (const Instance& instance :
       Make(documents, {.max_length = 4000, .duplicates = 1})) {
    const auto [a, b] = Split(instance);
    as_a_or_next.insert(a.begin(), a.end());
    if (!instance.random_next) as_a_or_next.insert(b.begin(), b.end());
  }
  // No token is lost or used twice.
  for (const Document& document : documents) {
    for (const Ids& sentence : document) {
      for (const int32_t id : sentence) EXPECT_EQ(as_a_or_next.count(id), 1u);
    }
  }
}

TEST_F(Pretraining, OneInTenDocumentsIsCutShort) {
  const auto is_full = [](const Instance& instance) {
    return instance.ids.size() == 128;
  };
  const auto documents = Numbered(100, 12, 20);
  const double full = Share(Make(documents, {.short_rate = 0}), is_full);
  EXPECT_GT(full, 0.6);  // the last instance of a document is shorter
  EXPECT_EQ(
      Share(Make(documents, {.max_length = 5}),
            [](const Instance& instance) { return instance.ids.size() == 5; }),
      1);
  EXPECT_LT(Share(Make(documents, {.short_rate = 1}), is_full), full / 2);
}

TEST_F(Pretraining, TruncationTakesFromFrontAndBackOfTheLonger) {
  // Two long sentences: half of each truncation is at the front.
  const auto documents = Numbered(80, 2, 100);
  double front = 0;
  double all = 0;
  for (const Instance& instance :
       Make(documents, {.short_rate = 0, .duplicates = 10})) {
    const auto [a, b] = Split(instance);
    EXPECT_EQ(a.size() + b.size(), 125u);
    EXPECT_LE(std::abs(std::ssize(a) - std::ssize(b)), 1);
    const int32_t first = (a[0] - 5) / 201 * 201 + 5;
    const bool second_sentence = a[0] - first >= 100;
    front += a[0] - first - (second_sentence ? 100 : 0);
    all += (second_sentence ? 101 : 100) - static_cast<double>(a.size());
  }
  EXPECT_NEAR(front / all, 0.5, 0.02);
}

TEST_F(Pretraining, MasksFollowTheRates) {
  const auto documents = Numbered(100, 20, 12);
  double chosen = 0, masked = 0, kept = 0, other = 0;
  std::set<int32_t> random;
  for (const Instance& instance : Make(documents, {})) {
    const auto length = static_cast<double>(instance.ids.size());
    EXPECT_EQ(static_cast<double>(instance.positions.size()),
              std::min(20.0, std::max(1.0, std::nearbyint(length * 0.15))));
    EXPECT_EQ(instance.positions.size(), instance.labels.size());
    EXPECT_TRUE(
        std::is_sorted(instance.positions.begin(), instance.positions.end()));
    for (size_t i = 0; i < instance.positions.size(); ++i) {
      const int32_t id = At(instance.ids, instance.positions[i]);
      EXPECT_GE(instance.labels[i], 5);  // special tokens are never chosen
      ++chosen;
      if (id == words_.special().mask) {
        ++masked;
      } else if (id == instance.labels[i]) {
        ++kept;
      } else {
        ++other;
        random.insert(id);
      }
    }
  }
  ASSERT_GT(chosen, 20000);
  EXPECT_NEAR(masked / chosen, 0.8, 0.01);
  EXPECT_NEAR(kept / chosen, 0.1, 0.007);
  EXPECT_NEAR(other / chosen, 0.1, 0.007);
  EXPECT_LT(*random.begin(), 100);
  EXPECT_GT(*random.rbegin(), kWordsOfVocabulary - 100);
}

TEST_F(Pretraining, ShortInstancesHideOneTokenAtLeast) {
  for (const Instance& instance : Make(Numbered(50, 1, 1), {.mask_rate = 0})) {
    EXPECT_EQ(instance.ids.size(), 5u);
    EXPECT_EQ(instance.positions.size(), 1u);
  }
}

TEST_F(Pretraining, DuplicatesHaveOtherMasks) {
  const auto documents = Numbered(2, 1, 40);
  const Instances instances =
      Make(documents, {.short_rate = 0, .duplicates = 10});
  ASSERT_EQ(instances.size(), 20u);
  std::set<Ids> masks;
  for (const Instance& i : instances) masks.insert(i.positions);
  EXPECT_GT(masks.size(), 18u);
}

TEST_F(Pretraining, DependsOnTheSeedAloneAndNotOnThreads) {
  const auto documents = Numbered(60, 10, 8);
  const auto ids_of = [&](uint64_t seed, int threads) {
    const ThreadLimit limit(threads);
    std::vector<Ids> ids;
    for (const auto& i : Make(documents, {.duplicates = 2, .seed = seed})) {
      ids.push_back(i.ids);
    }
    return ids;
  };
  EXPECT_EQ(ids_of(1, 1), ids_of(1, 2));
  EXPECT_NE(ids_of(1, 1), ids_of(2, 1));
}

TEST_F(Pretraining, BatchIsPaddedAndFindsItsTokens) {
  PretrainingCorpus corpus;
  corpus.corpus.source = {{2, 9, 3, 4, 3}, {2, 7, 4, 3, 6, 7, 3}};
  corpus.corpus.target = {{8}, {5, 7}};
  corpus.positions = {{3}, {2, 5}};
  corpus.second = {3, 4};
  corpus.random_next = {true, false};
  const std::vector<int64_t> order = {1, 0};
  const PretrainingBatch batch = MakePretrainingBatch(corpus, order, words_);
  EXPECT_EQ(batch.ids.ToVector<int32_t>(),
            (Ids{2, 7, 4, 3, 6, 7, 3, 2, 9, 3, 4, 3, 0, 0}));
  EXPECT_EQ(batch.segments.ToVector<int32_t>(),
            (Ids{0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 0, 0}));
  EXPECT_EQ(batch.lengths.ToVector<int32_t>(), (Ids{7, 5}));
  EXPECT_EQ(batch.rows.ToVector<int32_t>(), (Ids{2, 5, 10}));
  EXPECT_EQ(batch.labels.ToVector<int32_t>(), (Ids{5, 7, 8}));
  EXPECT_EQ(batch.next.ToVector<int32_t>(), (Ids{0, 1}));
}

TEST_F(Pretraining, OptionsOutOfRangeAreConfigErrors) {
  const auto documents = Numbered(2, 2, 2);
  EXPECT_THROW(Make(documents, {.max_length = 4}), ConfigError);
  EXPECT_THROW(Make(documents, {.max_predictions = 0}), ConfigError);
  EXPECT_THROW(Make(documents, {.duplicates = 0}), ConfigError);
  EXPECT_THROW(Make({}, {}), ConfigError);
  const Vocabulary no_mask = Vocabulary::Train(
      Strings{"a b"}, {.kind = VocabularyKind::kWords, .size = 0});
  EXPECT_THROW(MakePretrainingCorpus(documents, no_mask, {}), ConfigError);
}

}  // namespace
}  // namespace heed
