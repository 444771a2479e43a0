// Vocabulary shortlists: likely target tokens of a sentence. A search that only
// scores these avoids most of the output projection.
#ifndef HEED_DATA_SHORTLIST_H_
#define HEED_DATA_SHORTLIST_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/data/corpus.h"
#include "heed/text/vocabulary.h"

namespace heed {

/// File in a model folder that "model" in DecodeOptions::shortlist refers to.
inline constexpr const char* kShortlistFile = "shortlist.safetensors";

struct ShortlistOptions {
  int frequent = 100;  ///< frequent target tokens, for every sentence
  int best = 100;      ///< most probable target tokens per source token
};

/// A vocabulary shortlist. Immutable and thread-safe.
class Shortlist {
 public:
  /// Learns t(target | source) by IBM model 1, in which </s> acts as the empty
  /// word. Paper: Brown 1993, The Mathematics of Statistical Machine
  /// Translation, section 4.1.
  static Shortlist Train(const Corpus& corpus, int source_size, int target_size,
                         const ShortlistOptions& options);

  /// Reads a lexical table in the format of fast_align and Marian: lines of
  /// target token, source token, p(target | source), plain or gzip. Lines with
  /// unknown tokens are skipped. The first tokens of the target vocabulary
  /// count as the most frequent ones. Throws: as ReadLines; FormatError with a
  /// line.
  static Shortlist ReadLexicon(const std::string& path,
                               const Vocabulary& source,
                               const Vocabulary& target,
                               const ShortlistOptions& options);

  /// A shortlist of these lists: tokens for every sentence, the start of the
  /// run of each source token in `targets` and the end, and the runs. `fill`:
  /// tokens from this one on complete each list to a multiple of 8, as in
  /// Marian; -1: none do. The caller checks the ids.
  static Shortlist Of(std::vector<int32_t> frequent, std::vector<int32_t> first,
                      std::vector<int32_t> targets, int target_size,
                      int32_t fill);

  /// Reads a file of Write. Throws: IoError; FormatError with the file, also if
  /// its vocabulary sizes differ.
  static Shortlist Read(const std::string& path, int source_size,
                        int target_size);
  /// Throws: IoError.
  void Write(const std::string& path) const;

  /// Allowed target tokens for a sentence with these source tokens: ascending,
  /// including special tokens.
  std::vector<int32_t> Outputs(std::span<const int32_t> source) const;

  /// Target tokens that every sentence may use, besides special tokens.
  const std::vector<int32_t>& frequent() const { return frequent_; }
  /// Target tokens of a source token.
  std::span<const int32_t> TargetsOf(int32_t source) const {
    const auto row = static_cast<size_t>(source);
    return std::span(targets_)
        .first(static_cast<size_t>(first_[row + 1]))
        .subspan(static_cast<size_t>(first_[row]));
  }

 private:
  /// A target token of a source token, with its probability.
  struct Entry {
    int32_t source;
    int32_t target;
    double probability;
  };
  Shortlist(std::vector<Entry> entries, std::vector<int32_t> frequent,
            int source_size, int target_size, int best);
  Shortlist() = default;

  int32_t target_size_ = 0;
  std::vector<int32_t> frequent_;
  std::vector<int32_t> first_;    // start of each source token; and the end
  std::vector<int32_t> targets_;  // of all source tokens
  int32_t fill_ = -1;             // see Of()
};

}  // namespace heed

#endif  // HEED_DATA_SHORTLIST_H_
