// BM25, a ranking of texts by the words they share with a query.
#ifndef HEED_DATA_BM25_H_
#define HEED_DATA_BM25_H_

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace heed {

/// Lower-case words of each text in NormalForm, by Unicode's word boundaries,
/// without spaces and punctuation. Scripts without spaces are segmented with a
/// dictionary.
std::vector<std::vector<std::string>> SplitWords(
    std::span<const std::string> texts);

struct Bm25Options {
  double k1 = 1.2;  ///< saturation of term frequency
  double b = 0.75;  ///< length normalisation, 0 to 1
};

/// A text for comparisons by BM25: its words with counts and idf.
struct CountedWords {
  struct Word {
    uint64_t hash;
    double count;
    double idf;
  };
  std::vector<Word> words;  ///< ascending by hash, unique
  double length = 0;        ///< relative to the mean length
};

/// Document frequencies and mean length of a collection: all that BM25 needs to
/// know of other texts. A value type.
class Bm25Statistics {
 public:
  explicit Bm25Statistics(std::span<const std::string> texts);
  /// Parses the result of Serialize(). Throws: FormatError with `name`.
  static Bm25Statistics Parse(std::string_view bytes, const std::string& name);
  /// Lines of two columns, separated by tabs: first the number of texts and of
  /// words, then each word and the number of texts with it.
  std::string Serialize() const;

  /// log(1 + (N − n + ½) / (n + ½)) for a word in n of N texts.
  double Idf(const std::string& word) const;
  std::vector<CountedWords> Count(std::span<const std::string> texts) const;

 private:
  Bm25Statistics() = default;
  int64_t texts_ = 0;
  int64_t words_ = 0;
  std::unordered_map<std::string, int64_t> texts_with_;
};

/// BM25 score of a text, divided by the maximum score of any text,
///   Σ_w idf(w) (k1 + 1) over the words of the query,
/// in 0 to 1; 0 for a query without words.
double SharedWords(const CountedWords& query, const CountedWords& text,
                   const Bm25Options& options = {});

/// Number of OverlapFeatures.
inline constexpr size_t kOverlapFeatures = 5;

/// How much of a query stands in a text, each from 0 to 1: SharedWords; the
/// fraction of the distinct words of the query; the fraction of their summed
/// idf; both fractions of words that at most 5 % of texts contain. A fraction
/// of nothing is 0. Paper: Severyn and Moschitti 2015, "Learning to Rank Short
/// Text Pairs with Convolutional Deep Neural Networks", section 3.2.3, which
/// leaves out words of a list instead of frequent ones.
std::array<double, kOverlapFeatures> OverlapFeatures(
    const CountedWords& query, const CountedWords& text,
    const Bm25Options& options = {});

/// Inverted index for BM25. Immutable and thread-safe.
class Bm25Index {
 public:
  /// Throws: ConfigError unless k1 ≥ 0 and 0 ≤ b ≤ 1.
  explicit Bm25Index(std::span<const std::string> texts,
                     const Bm25Options& options = {});

  int64_t size() const { return texts_; }
  /// Scores of all texts,
  ///   Σ over words w of the query of idf(w) f (k1 + 1) / (f + k1 (1 − b + b
  ///   l)),  idf(w) = log(1 + (N − n + ½) / (n + ½)) ≥ 0,
  /// with f the count of w in the text, l the length of the text over the mean
  /// length, N the number of texts and n the number of texts with w. Paper:
  /// Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework: BM25
  /// and Beyond"; the 1 in the idf as in Lucene.
  std::vector<double> Scores(const std::string& query) const;

 private:
  /// A text with a word, and the word's contribution to its score.
  struct Posting {
    int64_t text;
    double weight;
  };
  int64_t texts_;
  std::unordered_map<std::string, std::vector<Posting>> postings_;
};

}  // namespace heed

#endif  // HEED_DATA_BM25_H_
