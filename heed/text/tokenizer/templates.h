// Post-processors of tokenizer.json: special tokens around texts.
#ifndef HEED_TEXT_TOKENIZER_TEMPLATES_H_
#define HEED_TEXT_TOKENIZER_TEMPLATES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "heed/text/tokenizer/part.h"
#include "heed/text/tokenizer/tokenizer.h"

namespace heed::tokens {

using PlacedToken = Tokenizer::Token;

/// Places special tokens and segments. Immutable; thread-safe.
class Template {
 public:
  /// Without special tokens; the segments are 0 and 1.
  Template();
  /// Throws: FormatError for an unknown type, a template without text, or ids
  /// outside of 0 to rows − 1.
  Template(const Part& part, int64_t rows);

  /// Tokens of one text.
  std::vector<PlacedToken> Apply(std::vector<PlacedToken> tokens,
                                 bool add_special) const;
  /// Tokens of two texts.
  std::vector<PlacedToken> Apply(std::vector<PlacedToken> first,
                                 std::vector<PlacedToken> second,
                                 bool add_special) const;

  /// True if the ranges of tokens leave out white space at both ends.
  bool trims() const { return trims_; }
  /// True if the white space of a first token was added by the tokeniser.
  bool adds_space() const { return adds_space_; }

 private:
  // A special token, or the tokens of a text.
  struct Item {
    std::vector<int32_t> ids;
    int32_t source = -1;
    int32_t segment = 0;
  };
  using Items = std::vector<Item>;

  void Read(const Part& part, int64_t rows);
  void ReadWithTwoTokens(const Part& part, int64_t rows, bool roberta);
  Items ReadItems(const Part& part, std::string_view key, int64_t rows) const;
  std::vector<PlacedToken> Join(const Items& items,
                                std::vector<PlacedToken> (&texts)[2],
                                bool add_special) const;

  Items single_;
  Items pair_;
  bool trims_ = false;
  bool adds_space_ = false;
};

}  // namespace heed::tokens

#endif  // HEED_TEXT_TOKENIZER_TEMPLATES_H_
