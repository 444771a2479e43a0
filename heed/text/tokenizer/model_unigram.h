// Unigram language model: the most probable tokens of a piece.
#ifndef HEED_TEXT_TOKENIZER_MODEL_UNIGRAM_H_
#define HEED_TEXT_TOKENIZER_MODEL_UNIGRAM_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "heed/text/tokenizer/column.h"
#include "heed/text/tokenizer/model.h"
#include "heed/text/tokenizer/utf8.h"

namespace heed::tokens {

/// Immutable tree of tokens by their bytes. Nodes are stored by depth, so that
/// the children of a node stand side by side, in the order of their bytes.
class TokenTree {
 public:
  /// The children of node i are `first_child` of node i to `first_child` of
  /// node i + 1. The last node only ends the children of the one before.
  struct Node {
    uint32_t first_child = 0;
    int32_t id = -1;  // of the token that ends here; −1: none
  };

  TokenTree() : TokenTree(TokenTable()) {}
  explicit TokenTree(const TokenTable& vocabulary);
  /// Tree from a file.
  TokenTree(Column<Node> nodes, Column<uint8_t> bytes)
      : nodes_(std::move(nodes)), bytes_(std::move(bytes)) {}

  /// Calls body(end, id) for each token that begins at `begin`, the shortest
  /// first.
  template <typename Body>
  void ForEachToken(std::string_view text, size_t begin, Body&& body) const {
    size_t node = 0;
    for (size_t i = begin; i < text.size(); ++i) {
      node = Child(node, static_cast<uint8_t>(text[i]));
      if (node == 0) return;
      if (nodes_[node].id >= 0) body(i + 1, nodes_[node].id);
    }
  }

  const Column<Node>& nodes() const { return nodes_; }
  const Column<uint8_t>& bytes() const { return bytes_; }
  /// True if the columns form a tree with ids below `rows`.
  bool IsValid(size_t rows) const;

 private:
  // Index of a child; 0: none.
  size_t Child(size_t node, uint8_t byte) const {
    size_t begin = nodes_[node].first_child;
    size_t end = nodes_[node + 1].first_child;
    while (begin < end) {
      const size_t middle = begin + (end - begin) / 2;
      if (bytes_[middle] == byte) return middle;
      if (bytes_[middle] < byte) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    return 0;
  }

  Column<Node> nodes_;
  Column<uint8_t> bytes_;  // that lead to the nodes
};

/// Tokens whose scores have the largest sum. A character without a token is
/// unknown and costs 10 more than the rarest token. Adjacent unknown
/// characters are one token. Of equal sums the one counts whose last token
/// begins first.
/// Paper: Kudo 2018, arXiv:1804.10959.
///
/// Ids equal those of the reference. Byte tokens of unknown characters have
/// the range of their character; the reference gives all of them the range of
/// the whole run of unknown characters.
class UnigramModel final : public Model {
 public:
  struct Tables {
    TokenTree tree;
    Column<double> scores;  // by id
  };
  struct Options {
    int32_t unknown = -1;  // −1: texts with unknown characters are errors
    bool byte_fallback = false;
  };

  /// `vocabulary` must outlive the model.
  UnigramModel(const TokenTable& vocabulary, Tables tables, Options options);

  void Encode(std::string_view piece, PieceCache& cache,
              std::vector<PieceToken>& tokens) const override;
  const Tables& tables() const { return tables_; }

 private:
  // Last token of the best path to a position.
  struct LastToken {
    double sum = 0;
    uint32_t begin = kNone;
    int32_t id = -1;
  };
  static constexpr uint32_t kNone = UINT32_MAX;

  std::vector<LastToken> LastTokens(std::string_view piece) const;
  void EncodeWhole(std::string_view piece, uint32_t offset,
                   std::vector<PieceToken>& path,
                   std::vector<PieceToken>& tokens) const;
  void AppendUnknown(std::string_view run, uint32_t begin,
                     std::vector<PieceToken>& tokens) const;

  const TokenTable& vocabulary_;
  Tables tables_;
  Options options_;
  double unknown_score_ = 0;
  std::array<int32_t, 256> fallback_ids_;  // of <0x00> to <0xFF>
};

/// Options of a Unigram part. Throws: FormatError.
UnigramModel::Options ReadUnigramOptions(const Part& part,
                                         const TokenTable& vocabulary);

}  // namespace heed::tokens

#endif  // HEED_TEXT_TOKENIZER_MODEL_UNIGRAM_H_
