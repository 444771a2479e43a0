#include "heed/data/bm25.h"

#include <unicode/brkiter.h>
#include <unicode/locid.h>
#include <unicode/ubrk.h>
#include <unicode/utext.h>

#include <cmath>
#include <memory>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"

namespace heed {
namespace {

constexpr int64_t kTextsPerChunk = 256;

/// Finds where words begin and end. For one thread.
class WordBreaker {
 public:
  WordBreaker() {
    UErrorCode status = U_ZERO_ERROR;
    breaks_.reset(
        icu::BreakIterator::createWordInstance(icu::Locale::getRoot(), status));
    Check(status);
  }

  std::vector<std::string> Words(const std::string& text) {
    const std::string lower = Lowercase(text);
    UErrorCode status = U_ZERO_ERROR;
    UText* utf8 = utext_openUTF8(nullptr, lower.data(),
                                 static_cast<int64_t>(lower.size()), &status);
    Check(status);
    breaks_->setText(utf8, status);
    std::vector<std::string> words;
    int32_t begin = breaks_->first();
    for (int32_t end = breaks_->next(); end != icu::BreakIterator::DONE;
         begin = end, end = breaks_->next()) {
      if (breaks_->getRuleStatus() >= UBRK_WORD_NONE_LIMIT) {
        words.push_back(lower.substr(static_cast<size_t>(begin),
                                     static_cast<size_t>(end - begin)));
      }
    }
    utext_close(utf8);
    Check(status);
    return words;
  }

 private:
  static void Check(UErrorCode status) {
    if (U_FAILURE(status)) {
      throw Error(std::string("ICU cannot divide text into words: ") +
                  u_errorName(status));
    }
  }
  std::unique_ptr<icu::BreakIterator> breaks_;
};

using Counts = std::unordered_map<std::string, int64_t>;

}  // namespace

std::vector<std::vector<std::string>> SplitWords(
    std::span<const std::string> texts) {
  std::vector<std::vector<std::string>> words(texts.size());
  ParallelFor(static_cast<int64_t>(texts.size()), kTextsPerChunk,
              [&](int64_t begin, int64_t end) {
                WordBreaker breaker;
                for (int64_t i = begin; i < end; ++i) {
                  const auto text = static_cast<size_t>(i);
                  words[text] = breaker.Words(texts[text]);
                }
              });
  return words;
}

Bm25Index::Bm25Index(std::span<const std::string> texts,
                     const Bm25Options& options)
    : texts_(static_cast<int64_t>(texts.size())) {
  if (!(options.k1 >= 0 && options.b >= 0 && options.b <= 1)) {
    throw ConfigError("BM25: k1 must be at least 0, b from 0 to 1");
  }
  const auto words = SplitWords(texts);
  double total = 0;
  for (const auto& text : words) total += static_cast<double>(text.size());
  const double mean = total > 0 ? total / static_cast<double>(texts_) : 1;
  for (int64_t i = 0; i < texts_; ++i) {
    const auto& text = words[static_cast<size_t>(i)];
    const double length = static_cast<double>(text.size()) / mean;
    Counts counts;
    for (const std::string& word : text) ++counts[word];
    for (const auto& [word, count] : counts) {
      const auto f = static_cast<double>(count);
      const double held_back = 1 - options.b + options.b * length;
      postings_[word].push_back(
          {i, f * (options.k1 + 1) / (f + options.k1 * held_back)});
    }
  }
  const auto all = static_cast<double>(texts_);
  for (auto& [word, postings] : postings_) {
    const auto n = static_cast<double>(postings.size());
    const double idf = std::log(1 + (all - n + 0.5) / (n + 0.5));
    for (Posting& posting : postings) posting.weight *= idf;
  }
}

std::vector<double> Bm25Index::Scores(const std::string& query) const {
  std::vector<double> scores(static_cast<size_t>(texts_));
  const auto words = SplitWords({&query, 1});
  for (const std::string& word : words[0]) {
    const auto found = postings_.find(word);
    if (found == postings_.end()) continue;
    for (const Posting& posting : found->second) {
      scores[static_cast<size_t>(posting.text)] += posting.weight;
    }
  }
  return scores;
}

}  // namespace heed
