// Pairs of token ids in files that are mapped into memory: text that is larger.
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
  /// Of what it was made (text, vocabularies, options): a digest.
  uint64_t made_of = 0;
  /// Tokens that the vocabularies have. Ids are below, and have two bytes each
  /// if both are at most 65,536.
  int64_t source_vocabulary = 0;
  int64_t target_vocabulary = 0;
  /// Which of several corpora its pairs are of.
  int64_t corpus = 0;
  int64_t dropped_long = 0;
  int64_t dropped_empty = 0;
};

/// The bytes of a file of these pairs: "HEEDTOK1"; the CRC-32 of what follows,
/// bytes of an id, 0 (u32 each, little-endian); `made_of`, both vocabularies,
/// corpus, pairs, source tokens, target tokens, long and empty pairs that were
/// dropped (u64 each); where source and target of each pair end (u32 each); the
/// ids of all sources, then of all targets.
std::string SerializeTokens(const Corpus& corpus, const TokenFileInfo& info);

/// Such bytes. They outlive it.
class TokenFile {
 public:
  /// Throws: FormatError that names `name` if they are cut short, changed, made
  /// of something else than `expected` (whose corpus and dropped pairs do not
  /// matter), or hold ids that the vocabularies have not.
  TokenFile(std::string_view bytes, const std::string& name,
            const TokenFileInfo& expected);

  int64_t size() const { return size_; }
  const TokenFileInfo& info() const { return info_; }
  /// Units: tokens, </s> included.
  PairLength LengthOf(int64_t pair) const;
  /// Puts a pair behind others.
  void Append(int64_t pair, Corpus& corpus) const;

 private:
  struct Side {
    uint32_t begin;
    uint32_t end;
  };
  Side SideOf(int64_t pair, size_t side) const;
  std::vector<int32_t> IdsOf(int64_t pair, size_t side) const;
  void CheckIds(const std::string& name) const;

  TokenFileInfo info_;
  int64_t size_ = 0;
  size_t id_bytes_ = 2;
  uint64_t tokens_[2] = {};
  const char* ends_ = nullptr;
  const char* ids_[2] = {};
};

/// The pairs of several files, mapped into memory. Const uses are thread-safe.
class TokenFiles {
 public:
  /// Reads each once to check it. Throws: IoError; as TokenFile.
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
  /// Where the pairs of each of so many corpora end, in the order of the files.
  std::vector<int64_t> EndsOf(int64_t corpora) const;
  PairLength LengthOf(int64_t pair) const;
  /// Copies of these pairs.
  Corpus Read(std::span<const int64_t> pairs) const;
  /// Gives the memory back in which they were read; they are read again when
  /// they are needed.
  void Release() const;

 private:
  class Mapping;
  size_t FileOf(int64_t pair) const;

  std::vector<std::unique_ptr<Mapping>> files_;
  std::vector<int64_t> starts_ = {0};  // of each file's pairs, and the end
  int64_t dropped_long_ = 0;
  int64_t dropped_empty_ = 0;
};

}  // namespace heed

#endif  // HEED_DATA_TOKEN_FILES_H_
