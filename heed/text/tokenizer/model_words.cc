#include <fmt/format.h>

#include <algorithm>

#include "heed/base/text.h"
#include "heed/text/tokenizer/model.h"
#include "heed/text/tokenizer/utf8.h"

namespace heed::tokens {
namespace {

int32_t UnknownOf(const Part& part, const TokenTable& vocabulary,
                  std::string_view fallback) {
  const std::string unknown = part.Text("unk_token", fallback);
  const int32_t id = vocabulary.Find(unknown);
  if (id < 0) {
    part.Fail(fmt::format("the unk_token {} is not in the vocabulary",
                          Abridged(unknown)));
  }
  return id;
}

class WordLevelModel final : public Model {
 public:
  WordLevelModel(const TokenTable& vocabulary, int32_t unknown)
      : vocabulary_(vocabulary), unknown_(unknown) {}

  void Encode(std::string_view piece, PieceCache&,
              std::vector<PieceToken>& tokens) const override {
    const int32_t id = vocabulary_.Find(piece);
    tokens.push_back(
        {id < 0 ? unknown_ : id, 0, static_cast<uint32_t>(piece.size())});
  }

 private:
  const TokenTable& vocabulary_;
  int32_t unknown_;
};

class WordPieceModel final : public Model {
 public:
  WordPieceModel(const TokenTable& vocabulary, int32_t unknown,
                 std::string prefix, int64_t longest)
      : vocabulary_(vocabulary),
        unknown_(unknown),
        prefix_(std::move(prefix)),
        longest_(longest) {}

  void Encode(std::string_view piece, PieceCache&,
              std::vector<PieceToken>& tokens) const override {
    const size_t first = tokens.size();
    if (CountCharacters(piece) <= longest_ && Split(piece, tokens)) return;
    tokens.resize(first);
    tokens.push_back({unknown_, 0, static_cast<uint32_t>(piece.size())});
  }

 private:
  bool Split(std::string_view piece, std::vector<PieceToken>& tokens) const {
    std::string inner;
    for (size_t begin = 0; begin < piece.size();) {
      size_t size = std::min(piece.size() - begin, vocabulary_.longest());
      int32_t id = -1;
      for (; size > 0; --size) {
        const size_t end = begin + size;
        if (end < piece.size() && !BeginsCharacter(piece[end])) continue;
        const std::string_view part = piece.substr(begin, size);
        if (begin > 0) inner.assign(prefix_).append(part);
        id = vocabulary_.Find(begin > 0 ? std::string_view(inner) : part);
        if (id >= 0) break;
      }
      if (id < 0) return false;
      tokens.push_back({id, static_cast<uint32_t>(begin),
                        static_cast<uint32_t>(begin + size)});
      begin += size;
    }
    return true;
  }

  const TokenTable& vocabulary_;
  int32_t unknown_;
  std::string prefix_;
  int64_t longest_;  // in characters
};

}  // namespace

std::array<int32_t, 256> ByteTokenIds(const TokenTable& vocabulary) {
  std::array<int32_t, 256> ids{};
  for (size_t byte = 0; byte < ids.size(); ++byte) {
    ids[byte] = vocabulary.Find(fmt::format("<0x{:02X}>", byte));
  }
  return ids;
}

std::unique_ptr<const Model> ReadWordPiece(const Part& part,
                                           const TokenTable& vocabulary) {
  return std::make_unique<const WordPieceModel>(
      vocabulary, UnknownOf(part, vocabulary, "[UNK]"),
      part.Text("continuing_subword_prefix", "##"),
      part.Number("max_input_chars_per_word", 0, INT32_MAX, 100));
}

std::unique_ptr<const Model> ReadWordLevel(const Part& part,
                                           const TokenTable& vocabulary) {
  return std::make_unique<const WordLevelModel>(
      vocabulary, UnknownOf(part, vocabulary, "<unk>"));
}

}  // namespace heed::tokens
