// Features of words: embedding, characters, casing and pretrained vectors.
#ifndef HEED_NN_WORD_FEATURES_H_
#define HEED_NN_WORD_FEATURES_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heed/base/config.h"
#include "heed/nn/linear.h"
#include "heed/nn/recurrent.h"

namespace heed {

/// Encoder of the characters of a word.
enum class CharacterEncoder : uint8_t { kNone, kCnn, kLstm };
constexpr auto WordsOf(CharacterEncoder) {
  return std::array{"none", "cnn", "lstm"};
}

/// Configuration of word features.
struct WordFeaturesConfig {
  int word_embedding = 100;
  Named<CharacterEncoder> characters = CharacterEncoder::kCnn;
  int character_embedding = 30;
  int character_units = 50;
  std::vector<std::string> character_widths = {"3"};
  int casing_embedding = 0;
  double word_dropout = 0.05;

  void Visit(FieldList& v);
};

/// Sizes of the tables of the features.
struct WordSizes {
  int64_t words = 0;
  int64_t characters = 0;
  int64_t casings = 0;
  int32_t unknown = 0;          // id of unknown words
  int64_t vector_features = 0;  // size of pretrained vectors; 0: none
};

/// Words of B sentences as ids. Equal words share a row of spelling, which is
/// encoded once. Shapes: i32 words and spelling [B, T], characters [U, L],
/// casings [U]; vectors [U, D] of the model's dtype.
struct WordIds {
  Tensor words;
  Tensor spelling;    // row of the following tensors
  Tensor characters;  // a row ends before its first 0
  Tensor casings;
  Tensor vectors;  // pretrained; undefined without
};

/// Concatenation [word; characters; casing; pretrained] of vectors. The vector
/// of the characters is one of
///   cnn   max over time of convolutions, relu(max_p W x_p..p+w-1 + b), of
///         `character_units` filters for each width
///   lstm  the last states of an LSTM in each direction, of `character_units`
///         together
/// In training, word_dropout replaces some words by the unknown word and,
/// independently, as many pretrained (frozen) vectors by 0, so that the model
/// does not depend on them. Paper: Ma and Hovy 2016, arXiv:1603.01354 (cnn);
/// Lample et al. 2016, arXiv:1603.01360 (lstm).
class WordFeatures {
 public:
  /// Throws: ConfigError.
  WordFeatures(const Scope& scope, const WordFeaturesConfig& config,
               const WordSizes& sizes, Init init);

  /// Shapes: result [B, T, output_size()]. Throws: ShapeError.
  Var operator()(const Context& ctx, const WordIds& ids) const;
  int64_t output_size() const { return output_size_; }

 private:
  /// Convolutions of one width, computed as one product with all characters.
  struct Filters {
    int64_t width;
    Parameter* weight;  // [E, width F]
    Parameter* bias;    // [F]
  };

  bool Drops(const Context& ctx) const {
    return ctx.training && config_.word_dropout > 0;
  }
  /// Calls drop(i) for a random subset of the n words.
  template <class Drop>
  void ForDropped(const Context& ctx, int64_t n, const Drop& drop) const;
  Tensor DropWords(const Context& ctx, const Tensor& words) const;
  Tensor Given(const Context& ctx, const WordIds& ids) const;
  Var Convolve(const Context& ctx, const Tensor& characters) const;
  Var Read(const Context& ctx, const Tensor& characters) const;

  WordFeaturesConfig config_;
  int32_t unknown_;
  int64_t vector_features_;
  int64_t output_size_ = 0;
  Embedding words_;
  std::optional<Embedding> characters_;
  std::vector<Filters> filters_;
  std::optional<RecurrentEncoder> reader_;
  std::optional<Embedding> casings_;
};

}  // namespace heed

#endif  // HEED_NN_WORD_FEATURES_H_
