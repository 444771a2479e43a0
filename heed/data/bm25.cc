#include "heed/data/bm25.h"

#include <fmt/format.h>
#include <unicode/brkiter.h>
#include <unicode/locid.h>
#include <unicode/ubrk.h>
#include <unicode/utext.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/normal_form.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"

namespace heed {
namespace {

constexpr int64_t kTextsPerChunk = 256;
// Idf of a word that 5 % of many texts contain: log(1 / 0.05).
constexpr double kIdfOfCommon = 2.995732273553991;

/// Word segmentation by ICU. Not thread-safe.
class WordBreaker {
 public:
  WordBreaker() {
    UErrorCode status = U_ZERO_ERROR;
    breaks_.reset(
        icu::BreakIterator::createWordInstance(icu::Locale::getRoot(), status));
    Check(status);
  }

  std::vector<std::string> Words(const std::string& text) {
    const std::string lower = NormalForm(Lowercase(text));
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

Counts CountsOf(const std::vector<std::string>& words) {
  Counts counts;
  for (const std::string& word : words) ++counts[word];
  return counts;
}

double IdfOf(double texts, double with) {
  return std::log(1 + (texts - with + 0.5) / (with + 0.5));
}

/// Saturated term frequency of a word that occurs `f` times. `length`: length
/// of the text relative to the mean.
double Saturated(double f, double length, const Bm25Options& options) {
  return f * (options.k1 + 1) /
         (f + options.k1 * (1 - options.b + options.b * length));
}

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

Bm25Statistics::Bm25Statistics(std::span<const std::string> texts)
    : texts_(std::ssize(texts)) {
  for (const auto& text : SplitWords(texts)) {
    words_ += std::ssize(text);
    for (const auto& [word, count] : CountsOf(text)) ++texts_with_[word];
  }
}

Bm25Statistics Bm25Statistics::Parse(std::string_view bytes,
                                     const std::string& name) {
  Bm25Statistics read;
  int64_t number = 0;
  for (const std::string_view line : SplitAt(bytes, "\n")) {
    ++number;
    if (line.empty() && number > 1) continue;
    const std::vector<std::string_view> columns = SplitAt(line, "\t");
    const auto fail = [&] {
      throw FormatError("{}:{}: not a word and how many texts have it", name,
                        number);
    };
    if (columns.size() != 2) fail();
    const auto count = ParseInteger<int64_t>(columns[1]);
    if (!count || *count < 0) fail();
    if (number == 1) {
      const auto texts = ParseInteger<int64_t>(columns[0]);
      if (!texts || *texts < 0) fail();
      read.texts_ = *texts;
      read.words_ = *count;
    } else if (*count > read.texts_ ||
               !read.texts_with_.emplace(columns[0], *count).second) {
      fail();
    }
  }
  return read;
}

std::string Bm25Statistics::Serialize() const {
  std::string lines = fmt::format("{}\t{}\n", texts_, words_);
  for (const auto& [word, count] :
       std::map<std::string, int64_t>(texts_with_.begin(), texts_with_.end())) {
    lines += fmt::format("{}\t{}\n", word, count);
  }
  return lines;
}

double Bm25Statistics::Idf(const std::string& word) const {
  const auto found = texts_with_.find(word);
  const int64_t with = found == texts_with_.end() ? 0 : found->second;
  return IdfOf(static_cast<double>(texts_), static_cast<double>(with));
}

std::vector<CountedWords> Bm25Statistics::Count(
    std::span<const std::string> texts) const {
  const double mean =
      words_ > 0 ? static_cast<double>(words_) / static_cast<double>(texts_)
                 : 1;
  std::vector<CountedWords> all;
  for (const auto& text : SplitWords(texts)) {
    CountedWords counted;
    counted.length = static_cast<double>(text.size()) / mean;
    for (const auto& [word, count] : CountsOf(text)) {
      counted.words.push_back({std::hash<std::string>()(word),
                               static_cast<double>(count), Idf(word)});
    }
    std::ranges::sort(counted.words, {}, &CountedWords::Word::hash);
    all.push_back(std::move(counted));
  }
  return all;
}

std::array<double, kOverlapFeatures> OverlapFeatures(
    const CountedWords& query, const CountedWords& text,
    const Bm25Options& options) {
  // Sums over shared words, and over all words of the query.
  std::array<double, kOverlapFeatures> shared = {}, all = {};
  auto there = text.words.begin();
  for (const CountedWords::Word& word : query.words) {
    const double rare = word.idf > kIdfOfCommon ? 1 : 0;
    const std::array<double, kOverlapFeatures> worth = {
        word.count * word.idf * (options.k1 + 1), 1, word.idf, rare,
        rare * word.idf};
    for (size_t k = 0; k < kOverlapFeatures; ++k) all[k] += worth[k];
    while (there != text.words.end() && there->hash < word.hash) ++there;
    if (there == text.words.end() || there->hash != word.hash) continue;
    shared[0] +=
        word.count * word.idf * Saturated(there->count, text.length, options);
    for (size_t k = 1; k < kOverlapFeatures; ++k) shared[k] += worth[k];
  }
  for (size_t k = 0; k < kOverlapFeatures; ++k) {
    shared[k] = all[k] > 0 ? shared[k] / all[k] : 0;
  }
  return shared;
}

double SharedWords(const CountedWords& query, const CountedWords& text,
                   const Bm25Options& options) {
  return OverlapFeatures(query, text, options)[0];
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
    const auto& text = At(words, i);
    const double length = static_cast<double>(text.size()) / mean;
    for (const auto& [word, count] : CountsOf(text)) {
      postings_[word].push_back(
          {i, Saturated(static_cast<double>(count), length, options)});
    }
  }
  const auto all = static_cast<double>(texts_);
  for (auto& [word, postings] : postings_) {
    const auto n = static_cast<double>(postings.size());
    for (Posting& posting : postings) posting.weight *= IdfOf(all, n);
  }
}

std::vector<double> Bm25Index::Scores(const std::string& query) const {
  std::vector<double> scores(static_cast<size_t>(texts_));
  const auto words = SplitWords({&query, 1});
  for (const std::string& word : words[0]) {
    const auto found = postings_.find(word);
    if (found == postings_.end()) continue;
    for (const Posting& posting : found->second) {
      At(scores, posting.text) += posting.weight;
    }
  }
  return scores;
}

}  // namespace heed
