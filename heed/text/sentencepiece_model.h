// SentencePiece's own format, as far as the numbers of pieces depend on it.
//
// The library numbers pieces by their places in the file, and other programs
// place the special ones elsewhere than Heed. This moves them.
#ifndef HEED_TEXT_SENTENCEPIECE_MODEL_H_
#define HEED_TEXT_SENTENCEPIECE_MODEL_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

/// A ModelProto of sentencepiece_model.proto.
struct SentencePieceModel {
  enum class Type : uint8_t {
    kNormal = 1,
    kUnknown = 2,
    kControl = 3,  // in no text
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
  std::string trainer;     // TrainerSpec, as it stands in the file
  std::string normalizer;  // NormalizerSpec, as it stands in the file
  std::string others;      // further fields of ModelProto, as they stand
  bool bpe = false;
  /// Whether text is put into NormalForm first: an extension of NormalizerSpec
  /// that other programs skip.
  bool normal_form = false;

  /// Throws: FormatError that names `name`.
  static SentencePieceModel Parse(std::string_view bytes,
                                  const std::string& name);
  /// With <pad>, <unk>, <s> and </s> as the names of the special pieces, at 0
  /// to 3, where the caller has put them.
  std::string Serialize() const;
};

}  // namespace heed

#endif  // HEED_TEXT_SENTENCEPIECE_MODEL_H_
