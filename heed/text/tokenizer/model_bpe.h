// Byte-pair encoding by a table of merges.
#ifndef HEED_TEXT_TOKENIZER_MODEL_BPE_H_
#define HEED_TEXT_TOKENIZER_MODEL_BPE_H_

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "heed/text/tokenizer/merge_table.h"
#include "heed/text/tokenizer/model.h"

namespace heed::tokens {

/// Pairs of adjacent characters inside of tokens. A piece can be cut between
/// two characters that are no such pair, because no merge crosses the cut.
class InnerPairs {
 public:
  InnerPairs() : InnerPairs(std::vector<uint64_t>{}) {}
  explicit InnerPairs(const std::vector<uint64_t>& pairs);
  explicit InnerPairs(Column<uint64_t> slots) : slots_(std::move(slots)) {}

  static uint64_t Key(int32_t left, int32_t right) {
    return (static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 |
            static_cast<uint32_t>(right)) +
           1;
  }
  bool Has(uint64_t key) const;
  const Column<uint64_t>& slots() const { return slots_; }

 private:
  Column<uint64_t> slots_;  // open addressing; 0: empty; a power of two
};

/// Byte-pair encoding: characters become tokens; then the merge of the lowest
/// rank is applied, the leftmost first, until none is left.
/// Paper: Sennrich, Haddow and Birch 2016, arXiv:1508.07909.
class BpeModel final : public Model {
 public:
  struct Tables {
    MergeTable merges;
    InnerPairs inner;
  };

  /// Resolves the merges of a file. `vocabulary` holds raw bytes if
  /// `options.bytes`. Throws: FormatError.
  static Tables Resolve(const Part& part, const ModelTables& file,
                        const TokenTable& file_vocabulary,
                        const TokenTable& vocabulary,
                        const BpeOptions& options);

  /// `vocabulary` must outlive the model.
  BpeModel(const TokenTable& vocabulary, Tables tables, BpeOptions options);

  void Encode(std::string_view piece, PieceCache& cache,
              std::vector<PieceToken>& tokens) const override;
  const Tables& tables() const { return tables_; }

 private:
  using Symbols = std::vector<PieceToken>;

  void EncodeCut(std::string_view piece, PieceCache& cache,
                 std::vector<PieceToken>& tokens) const;
  void EncodeCached(std::string_view piece, uint32_t offset, PieceCache& cache,
                    std::vector<PieceToken>& tokens) const;
  void EncodeWhole(std::string_view piece, uint32_t offset, Symbols& symbols,
                   std::vector<PieceToken>& tokens) const;
  int32_t CharacterId(std::string_view character, bool first, bool last) const;
  void AppendSymbols(std::string_view piece, Symbols& symbols) const;
  void AppendUnknown(std::string_view character, bool first, bool last,
                     uint32_t begin, Symbols& symbols) const;
  void MergeAll(Symbols& symbols) const;
  void MergeBlocks(Symbols& symbols) const;
  Symbols Merged(const Symbols& characters, uint32_t begin, uint32_t end) const;
  bool AreApart(const Symbols& characters, const PieceToken& left,
                const PieceToken& right) const;
  bool Join(const Symbols& characters, Symbols& left,
            const Symbols& right) const;
  void MergeFew(Symbols& symbols) const;
  void MergeMany(Symbols& symbols) const;

  const TokenTable& vocabulary_;
  Tables tables_;
  BpeOptions options_;
  std::array<int32_t, 256> byte_ids_{};    // of one-byte characters
  std::array<int32_t, 256> fallback_ids_;  // of <0x00> to <0xFF>
};

/// Options of a BPE part. `bytes`: the pre-tokeniser gives bytes, as far as
/// the other options allow it. Throws: FormatError.
BpeOptions ReadBpeOptions(const Part& part, const TokenTable& vocabulary,
                          bool bytes);

}  // namespace heed::tokens

#endif  // HEED_TEXT_TOKENIZER_MODEL_BPE_H_
