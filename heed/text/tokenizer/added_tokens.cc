#include "heed/text/tokenizer/added_tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "heed/base/text.h"
#include "heed/text/tokenizer/utf8.h"

namespace heed::tokens {
namespace {

size_t BackOver(std::string_view text, size_t i) {
  do {
    --i;
  } while (!BeginsCharacter(text[i]));
  return i;
}

bool IsWordBefore(std::string_view text, size_t i) {
  if (i == 0) return false;
  size_t begin = BackOver(text, i);
  return IsWordCharacter(NextCode(text, begin));
}

bool IsWordAt(std::string_view text, size_t i) {
  return i < text.size() && IsWordCharacter(NextCode(text, i));
}

}  // namespace

std::vector<AddedToken> ReadAddedTokens(const Part& file) {
  std::vector<AddedToken> tokens;
  if (file.Find("added_tokens") == nullptr) return tokens;
  const std::string where = file.where() + ": added_tokens";
  for (const auto& value : file.List("added_tokens")) {
    const Part part(value, where);
    AddedToken token;
    token.id = static_cast<int32_t>(part.Number("id", 0, kMostRows - 1));
    token.content = part.Text("content");
    if (token.content.empty()) part.Fail("a token has an empty 'content'");
    token.single_word = part.Flag("single_word", false);
    token.lstrip = part.Flag("lstrip", false);
    token.rstrip = part.Flag("rstrip", false);
    token.special = part.Flag("special", false);
    token.normalized = part.Flag("normalized", !token.special);
    tokens.push_back(std::move(token));
  }
  return tokens;
}

AddedTokenFinder::AddedTokenFinder(std::vector<Pattern> patterns)
    : patterns_(std::move(patterns)), first_(256) {
  std::erase_if(patterns_,
                [](const Pattern& pattern) { return pattern.text.empty(); });
  std::stable_sort(
      patterns_.begin(), patterns_.end(),
      [](const Pattern& a, const Pattern& b) { return a.text < b.text; });
  const auto equal = [](const Pattern& a, const Pattern& b) {
    return a.text == b.text;
  };
  patterns_.erase(std::unique(patterns_.begin(), patterns_.end(), equal),
                  patterns_.end());
  for (const Pattern& pattern : patterns_) {
    first_[static_cast<unsigned char>(pattern.text[0])] = true;
  }
}

// Narrows the range of sorted patterns that begin with the bytes read.
const AddedTokenFinder::Pattern* AddedTokenFinder::LongestAt(
    std::string_view text, size_t begin) const {
  auto first = patterns_.begin();
  auto last = patterns_.end();
  const Pattern* longest = nullptr;
  for (size_t depth = 0; begin + depth < text.size(); ++depth) {
    // A pattern that ends here sorts first.
    const auto byte_at = [depth](const Pattern& pattern) {
      return depth < pattern.text.size()
                 ? static_cast<int>(
                       static_cast<unsigned char>(pattern.text[depth]))
                 : -1;
    };
    const int byte = static_cast<unsigned char>(text[begin + depth]);
    first = std::ranges::lower_bound(first, last, byte, {}, byte_at);
    last = std::ranges::upper_bound(first, last, byte, {}, byte_at);
    if (first == last) break;
    if (first->text.size() == depth + 1) longest = &*first;
  }
  return longest;
}

void AddedTokenFinder::CutPiece(std::string_view text, const Piece& piece,
                                bool literal,
                                std::vector<Piece>& result) const {
  const auto position = [&piece](size_t i) {
    return piece.begin + static_cast<uint32_t>(i);
  };
  size_t done = 0;
  for (size_t i = 0; i < text.size();) {
    const Pattern* found = first_[static_cast<unsigned char>(text[i])]
                               ? LongestAt(text, i)
                               : nullptr;
    if (found == nullptr) {
      ++i;
      continue;
    }
    const AddedToken& token = found->token;
    size_t begin = i;
    size_t end = i + found->text.size();
    i = end;  // also behind a token that does not count
    if (literal && token.special) continue;
    if (token.single_word &&
        (IsWordBefore(text, begin) || IsWordAt(text, end))) {
      continue;
    }
    while (token.lstrip && begin > done) {
      size_t before = BackOver(text, begin);
      const size_t start = before;
      if (!IsWhite(NextCode(text, before))) break;
      begin = start;
    }
    for (size_t next = end; token.rstrip && next < text.size(); end = next) {
      if (!IsWhite(NextCode(text, next))) break;
    }
    begin = std::max(begin, done);
    if (end <= begin) continue;
    if (done < begin) result.push_back({position(done), position(begin)});
    result.push_back({position(begin), position(end), token.id});
    done = end;
  }
  if (done < text.size()) {
    result.push_back({position(done), position(text.size())});
  }
}

void AddedTokenFinder::Cut(Pieces& state, bool literal) const {
  if (patterns_.empty()) return;
  std::vector<Piece> result;
  for (const Piece& piece : state.pieces) {
    if (piece.is_text()) {
      CutPiece(state.TextOf(piece), piece, literal, result);
    } else {
      result.push_back(piece);
    }
  }
  state.pieces = std::move(result);
}

}  // namespace heed::tokens
