// Memory-mapped files of token-id pairs, for text larger than memory.
#ifndef HEED_DATA_TOKEN_FILES_H_
#define HEED_DATA_TOKEN_FILES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/data/corpus.h"
#include "heed/data/epoch_plan.h"

namespace heed {

/// The header of a file of tokens.
struct TokenFileInfo {
  /// Digest of the origin (text, vocabularies, options).
  uint64_t made_of = 0;
  /// Vocabulary sizes, which exceed all ids. Ids have two bytes if both sizes
  /// are at most 65,536.
  int64_t source_vocabulary = 0;
  int64_t target_vocabulary = 0;
  /// Number of the corpus that the pairs belong to.
  int64_t corpus = 0;
  int64_t dropped_long = 0;
  int64_t dropped_empty = 0;
};

/// Serialises pairs. Format: "HEEDTOK1"; the CRC-32 of the following bytes,
/// bytes per id, 0 (u32 each, little-endian); `made_of`, both vocabularies,
/// corpus, pairs, source tokens, target tokens, dropped long and dropped empty
/// pairs (u64 each); ends of source and target of each pair (u32 each); ids of
/// all sources, then of all targets.
std::string SerializeTokens(const Corpus& corpus, const TokenFileInfo& info);

/// View of a serialised file. The bytes must outlive it.
class TokenFile {
 public:
  /// Throws: FormatError with `name` if the bytes are truncated, damaged, of
  /// another origin than `expected` (its corpus and dropped pairs are ignored),
  /// or have ids outside the vocabularies.
  TokenFile(std::string_view bytes, const std::string& name,
            const TokenFileInfo& expected);

  int64_t size() const { return size_; }
  const TokenFileInfo& info() const { return info_; }
  /// Lengths of a pair. Units: tokens, including </s>
  PairLength LengthOf(int64_t pair) const;
  /// Appends a pair to `corpus`.
  void Append(int64_t pair, Corpus& corpus) const;

 private:
  struct Side {
    uint32_t begin;
    uint32_t end;
  };
  Side TokenRange(int64_t pair, size_t side) const;
  std::vector<int32_t> IdsOf(int64_t pair, size_t side) const;
  void CheckIds(const std::string& name) const;

  TokenFileInfo info_;
  int64_t size_ = 0;
  size_t id_bytes_ = 2;
  uint64_t tokens_[2] = {};
  const char* ends_ = nullptr;
  const char* ids_[2] = {};
};

/// Pairs of several memory-mapped files. Const functions are thread-safe.
class TokenFiles {
 public:
  /// Reads each file once to check it. Throws: IoError; as TokenFile.
  TokenFiles(const std::vector<std::string>& paths,
             const TokenFileInfo& expected);
  ~TokenFiles();
  TokenFiles(TokenFiles&&) noexcept;
  TokenFiles& operator=(TokenFiles&&) noexcept;
  TokenFiles(const TokenFiles&) = delete;
  TokenFiles& operator=(const TokenFiles&) = delete;

  int64_t size() const { return starts_.back(); }
  int64_t dropped_long() const { return dropped_long_; }
  int64_t dropped_empty() const { return dropped_empty_; }
  /// Ends of the pairs of each corpus, in the order of the files.
  std::vector<int64_t> CorpusEnds(int64_t corpora) const;
  PairLength LengthOf(int64_t pair) const;
  /// Copies of pairs.
  Corpus Read(std::span<const int64_t> pairs) const;
  /// Releases the memory of the mapped files; the pages are read again when
  /// needed.
  void Release() const;

 private:
  class Mapping;
  size_t FileOf(int64_t pair) const;

  std::vector<std::unique_ptr<Mapping>> files_;
  std::vector<int64_t> starts_ = {0};  // first pair of each file, and the end
  int64_t dropped_long_ = 0;
  int64_t dropped_empty_ = 0;
};

}  // namespace heed

#endif  // HEED_DATA_TOKEN_FILES_H_
