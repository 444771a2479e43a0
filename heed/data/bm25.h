// BM25: how search engines rank texts by the words they share with a query.
#ifndef HEED_DATA_BM25_H_
#define HEED_DATA_BM25_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace heed {

/// The words of each text in lower case and NormalForm, as Unicode's rules
/// divide it, without spaces and punctuation; scripts without spaces are
/// divided by dictionary.
std::vector<std::vector<std::string>> SplitWords(
    std::span<const std::string> texts);

struct Bm25Options {
  double k1 = 1.2;  ///< how much more a word counts when it comes again
  double b = 0.75;  ///< 0 to 1: how much long texts are held back
};

/// A text as BM25 compares it with others: its words, and how they count.
struct CountedWords {
  struct Word {
    uint64_t hash;
    double count;
    double idf;
  };
  std::vector<Word> words;  ///< ascending by hash, each once
  double length = 0;        ///< over the mean length
};

/// How many of a collection's texts have a word, and how long texts are: all
/// that BM25 must know of other texts. A value.
class Bm25Statistics {
 public:
  explicit Bm25Statistics(std::span<const std::string> texts);
  /// Reads what Serialize() gave. Throws: FormatError that names `name`.
  static Bm25Statistics Parse(std::string_view bytes, const std::string& name);
  /// A line of the number of texts and of words, and one for each word of how
  /// many texts have it, with tabs between.
  std::string Serialize() const;

  /// log(1 + (N − n + ½) / (n + ½)) of a word that n of N texts have.
  double Idf(const std::string& word) const;
  std::vector<CountedWords> Count(std::span<const std::string> texts) const;

 private:
  Bm25Statistics() = default;
  int64_t texts_ = 0;
  int64_t words_ = 0;
  std::unordered_map<std::string, int64_t> texts_with_;
};

/// The BM25 score of a text over the most that any could have,
///   Σ_w idf(w) (k1 + 1) over the words of the query,
/// so from 0 to 1; 0 for a query without words.
double SharedWords(const CountedWords& query, const CountedWords& text,
                   const Bm25Options& options = {});

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
