// Parser and writer of SentencePiece's format, as far as piece ids need it.
//
// SentencePiece numbers pieces by their position in the file, and other
// programs place the special pieces elsewhere than Heed. This code moves them.
#ifndef HEED_TEXT_SENTENCEPIECE_MODEL_H_
#define HEED_TEXT_SENTENCEPIECE_MODEL_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heed/text/vocabulary.h"

namespace heed {

/// A ModelProto of sentencepiece_model.proto.
struct SentencePieceModel {
  enum class Type : uint8_t {
    kNormal = 1,
    kUnknown = 2,
    kControl = 3,  // never occurs in text
    kUserDefined = 4,
    kUnused = 5,
    kByte = 6,
  };
  struct Piece {
    std::string text;
    float score = 0;
    Type type = Type::kNormal;
  };

  std::vector<Piece> pieces;
  std::string trainer;     // serialised TrainerSpec
  std::string normalizer;  // serialised NormalizerSpec
  std::string others;      // other serialised fields of ModelProto
  bool bpe = false;
  /// Apply NormalForm to text first: an extension of NormalizerSpec that other
  /// programs ignore.
  bool normal_form = false;

  /// Parses a model. Throws: FormatError that names `name`.
  static SentencePieceModel Parse(std::string_view bytes,
                                  const std::string& name);
  /// Serialises the model with <pad>, <unk>, <s> and </s> as the names of the
  /// special pieces, which the caller has placed at `ids` (-1: there is none).
  std::string Serialize(const SpecialIds& ids = {}) const;
};

}  // namespace heed

#endif  // HEED_TEXT_SENTENCEPIECE_MODEL_H_
