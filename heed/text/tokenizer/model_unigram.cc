#include "heed/text/tokenizer/model_unigram.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "heed/base/errors.h"

namespace heed::tokens {
namespace {

// Tokens that begin with the bytes of a node: part of a sorted list.
struct NodeTokens {
  size_t begin;
  size_t end;
  size_t depth;
};

}  // namespace

TokenTree::TokenTree(const TokenTable& vocabulary) {
  std::vector<std::pair<std::string_view, int32_t>> sorted;
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    const auto id = static_cast<int32_t>(i);
    const std::string_view text = vocabulary.Text(id);
    if (vocabulary.Find(text) == id) sorted.emplace_back(text, id);
  }
  std::ranges::sort(sorted);
  std::vector<Node> nodes(1);
  std::vector<uint8_t> bytes(1);
  std::vector<NodeTokens> tokens = {{0, sorted.size(), 0}};
  for (size_t i = 0; i < nodes.size(); ++i) {
    auto [begin, end, depth] = tokens[i];
    nodes[i].first_child = Narrow(nodes.size());
    if (begin < end && sorted[begin].first.size() == depth) {
      nodes[i].id = sorted[begin++].second;
    }
    while (begin < end) {
      const char byte = sorted[begin].first[depth];
      size_t next = begin + 1;
      while (next < end && sorted[next].first[depth] == byte) ++next;
      nodes.emplace_back();
      bytes.push_back(static_cast<uint8_t>(byte));
      tokens.push_back({begin, next, depth + 1});
      begin = next;
    }
  }
  nodes.push_back({Narrow(nodes.size()), -1});
  nodes_ = Column<Node>(std::move(nodes));
  bytes_ = Column<uint8_t>(std::move(bytes));
}

bool TokenTree::IsValid(size_t rows) const {
  const std::span<const Node> nodes = nodes_.view();
  if (nodes.size() < 2 || nodes.size() != bytes_.size() + 1) return false;
  uint32_t last = 1;
  for (const Node& node : nodes) {
    const bool valid = node.first_child >= last && node.id >= -1 &&
                       (node.id < 0 || static_cast<size_t>(node.id) < rows);
    if (!valid) return false;
    last = node.first_child;
  }
  return last == bytes_.size();
}

UnigramModel::Options ReadUnigramOptions(const Part& part,
                                         const TokenTable& vocabulary) {
  UnigramModel::Options options;
  options.byte_fallback = part.Flag("byte_fallback", false);
  if (part.Find("unk_id") != nullptr) {
    options.unknown = static_cast<int32_t>(
        part.Number("unk_id", 0, static_cast<int64_t>(vocabulary.size()) - 1));
  }
  return options;
}

UnigramModel::UnigramModel(const TokenTable& vocabulary, Tables tables,
                           Options options)
    : vocabulary_(vocabulary),
      tables_(std::move(tables)),
      options_(options),
      fallback_ids_(ByteTokenIds(vocabulary)) {
  constexpr double kPenalty = 10;
  double smallest = std::numeric_limits<double>::infinity();
  for (const double score : tables_.scores.view()) {
    smallest = std::min(smallest, score);
  }
  unknown_score_ = smallest - kPenalty;
}

void UnigramModel::Encode(std::string_view piece, PieceCache& cache,
                          std::vector<PieceToken>& tokens) const {
  cache.EncodeThrough(piece, 0, tokens,
                      [&](std::string_view part, uint32_t offset,
                          std::vector<PieceToken>& result) {
                        EncodeWhole(part, offset, cache.scratch(), result);
                      });
}

std::vector<UnigramModel::LastToken> UnigramModel::LastTokens(
    std::string_view piece) const {
  std::vector<LastToken> best(piece.size() + 1);
  for (size_t begin = 0; begin < piece.size();) {
    size_t next = begin;
    NextCode(piece, next);
    const auto add = [&](size_t end, int32_t id, double score) {
      const double sum = best[begin].sum + score;
      LastToken& last = best[end];
      if (last.begin != kNone && !(sum > last.sum)) return;
      last = {sum, Narrow(begin), id};
    };
    bool known = false;
    tables_.tree.ForEachToken(piece, begin, [&](size_t end, int32_t id) {
      known |= end == next;
      add(end, id, tables_.scores[static_cast<size_t>(id)]);
    });
    if (!known && options_.unknown < 0) {
      throw Error(
          "tokenizer: the character {} has no token, and the model has no "
          "unk_id",
          piece.substr(begin, next - begin));
    }
    if (!known) add(next, options_.unknown, unknown_score_);
    begin = next;
  }
  return best;
}

void UnigramModel::EncodeWhole(std::string_view piece, uint32_t offset,
                               std::vector<PieceToken>& path,
                               std::vector<PieceToken>& tokens) const {
  const std::vector<LastToken> best = LastTokens(piece);
  path.clear();
  for (uint32_t end = Narrow(piece.size()); end > 0; end = best[end].begin) {
    const LastToken& last = best[end];
    const bool fused = !path.empty() && last.id == options_.unknown &&
                       path.back().id == options_.unknown;
    if (fused) {
      path.back().begin = last.begin;
    } else {
      path.push_back({last.id, last.begin, end});
    }
  }
  for (size_t i = path.size(); i-- > 0;) {
    const auto [id, begin, end] = path[i];
    if (id == options_.unknown) {
      AppendUnknown(piece.substr(begin, end - begin), offset + begin, tokens);
    } else {
      tokens.push_back({id, offset + begin, offset + end});
    }
  }
}

void UnigramModel::AppendUnknown(std::string_view run, uint32_t begin,
                                 std::vector<PieceToken>& tokens) const {
  const auto id_of = [this](char byte) {
    return fallback_ids_[static_cast<unsigned char>(byte)];
  };
  const int32_t whole = vocabulary_.Find(run);
  const bool as_bytes =
      whole < 0 && options_.byte_fallback &&
      std::ranges::all_of(run, [&](char byte) { return id_of(byte) >= 0; });
  if (!as_bytes) {
    tokens.push_back({whole >= 0 ? whole : options_.unknown, begin,
                      begin + Narrow(run.size())});
    return;
  }
  for (const char byte : run) {
    tokens.push_back({id_of(byte), begin, begin + 1});
    ++begin;
  }
}

}  // namespace heed::tokens
