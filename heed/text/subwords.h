// SentencePiece wrapper; its types are visible in subwords.cc only.
#ifndef HEED_TEXT_SUBWORDS_H_
#define HEED_TEXT_SUBWORDS_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/text/vocabulary.h"

namespace heed {

/// SentencePiece's symbol for a space in a piece.
inline constexpr std::string_view kSpaceMark = "\xE2\x96\x81";

/// A SentencePiece model. Thread-safe.
class Subwords {
 public:
  /// Trains a model; kind is kUnigram or kBpe. Returns it serialised. Throws:
  /// ConfigError.
  static std::string Train(std::span<const std::string> lines,
                           const VocabularyOptions& options);

  /// Throws: FormatError that names `name`.
  Subwords(std::string_view model, const std::string& name);
  ~Subwords();

  /// True if text is converted to NormalForm before SentencePiece's own rule.
  /// This holds for models made by Train, except with Normalization::kIdentity.
  bool reads_normal_form() const;

  Encoded Encode(std::string_view line) const;
  /// Ids of each line; faster than separate calls.
  std::vector<std::vector<int32_t>> EncodeIds(
      std::span<const std::string> lines) const;
  /// Text of pieces. Runs of byte pieces ("<0xE2>") are decoded to characters;
  /// invalid bytes become U+FFFD.
  std::string Join(std::span<const std::string> pieces) const;
  /// All pieces, ordered by id.
  std::vector<std::string> Pieces() const;
  std::string Serialize() const;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace heed

#endif  // HEED_TEXT_SUBWORDS_H_
