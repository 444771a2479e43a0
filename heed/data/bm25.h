// BM25: how search engines rank texts by the words they share with a query.
#ifndef HEED_DATA_BM25_H_
#define HEED_DATA_BM25_H_

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace heed {

/// The words of each text in lower case, as Unicode's rules divide it, without
/// spaces and punctuation; scripts without spaces are divided by dictionary.
std::vector<std::vector<std::string>> SplitWords(
    std::span<const std::string> texts);

struct Bm25Options {
  double k1 = 1.2;  ///< how much more a word counts when it comes again
  double b = 0.75;  ///< 0 to 1: how much long texts are held back
};

/// Immutable; used from many threads.
class Bm25Index {
 public:
  /// Throws: ConfigError unless k1 ≥ 0 and 0 ≤ b ≤ 1.
  explicit Bm25Index(std::span<const std::string> texts,
                     const Bm25Options& options = {});

  int64_t size() const { return texts_; }
  /// Of every text,
  ///   Σ over words w of the query of idf(w) f (k1 + 1) / (f + k1 (1 − b + b
  ///   l)),  idf(w) = log(1 + (N − n + ½) / (n + ½)) ≥ 0,
  /// with f the count of w in the text, l the length of the text over the mean
  /// length, N the number of texts and n of those that have w.
  /// Paper: Robertson and Zaragoza 2009, "The Probabilistic Relevance
  /// Framework: BM25 and Beyond"; the 1 in the idf as in Lucene.
  std::vector<double> Scores(const std::string& query) const;

 private:
  /// What a word adds to the score of a text that has it.
  struct Posting {
    int64_t text;
    double weight;
  };
  int64_t texts_;
  std::unordered_map<std::string, std::vector<Posting>> postings_;
};

}  // namespace heed

#endif  // HEED_DATA_BM25_H_
