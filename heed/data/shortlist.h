// Which target tokens may translate a sentence: a search that scores only these
// saves most of the work of a large vocabulary.
#ifndef HEED_DATA_SHORTLIST_H_
#define HEED_DATA_SHORTLIST_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/data/corpus.h"
#include "heed/text/vocabulary.h"

namespace heed {

/// The file of a model folder that DecodeOptions::shortlist means by "model".
inline constexpr const char* kShortlistFile = "shortlist.safetensors";

struct ShortlistOptions {
  int frequent = 100;  ///< target tokens that every sentence may use
  int best = 100;      ///< likeliest target tokens of each source token
};

/// Immutable; used from many threads.
class Shortlist {
 public:
  /// The likeliest translations of tokens by their place in each other's
  /// sentences: t(target | source) of IBM model 1, in which </s> stands for the
  /// empty word. Paper: Brown 1993, The Mathematics of Statistical Machine
  /// Translation, section 4.1.
  static Shortlist Train(const Corpus& corpus, int source_size, int target_size,
                         const ShortlistOptions& options);

  /// A lexical table as fast_align's tools and Marian's shortlists have it:
  /// lines of target token, source token, p(target | source), plain or gzip.
  /// Lines with a token that a vocabulary does not have are left out; the
  /// vocabulary's first tokens count as the most frequent ones.
  /// Throws: as ReadLines; FormatError that names a line.
  static Shortlist ReadLexicon(const std::string& path,
                               const Vocabulary& source,
                               const Vocabulary& target,
                               const ShortlistOptions& options);

  /// What Write has written. Throws: IoError; FormatError that names the file,
  /// also if it was made for vocabularies of other sizes.
  static Shortlist Read(const std::string& path, int source_size,
                        int target_size);
  /// Throws: IoError.
  void Write(const std::string& path) const;

  /// The tokens that a translation of sentences with these tokens may use:
  /// ascending, the special ones among them.
  std::vector<int32_t> Outputs(std::span<const int32_t> source) const;

 private:
  /// A target token of a source token.
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
  std::vector<int32_t> first_;    // of source token s in targets_; one more
  std::vector<int32_t> targets_;  // of all source tokens
};

}  // namespace heed

#endif  // HEED_DATA_SHORTLIST_H_
