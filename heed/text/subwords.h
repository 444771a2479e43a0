// SentencePiece, behind a seam: its types stay in subwords.cc.
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

/// How SentencePiece writes a space inside a piece.
inline constexpr std::string_view kSpaceMark = "\xE2\x96\x81";

/// A SentencePiece model. Thread-safe.
class Subwords {
 public:
  /// A serialised model; kind is kUnigram or kBpe. Throws: ConfigError.
  static std::string Train(std::span<const std::string> lines,
                           const VocabularyOptions& options);

  /// Throws: FormatError that names `name`.
  Subwords(std::string_view model, const std::string& name);
  ~Subwords();

  /// Whether a text is put into NormalForm before SentencePiece's own rule is
  /// applied: in models that Train made, unless by Normalization::kIdentity.
  bool reads_normal_form() const;

  Encoded Encode(std::string_view line) const;
  /// The ids of each line, in less time than one by one.
  std::vector<std::vector<int32_t>> EncodeIds(
      std::span<const std::string> lines) const;
  /// Runs of byte pieces ("<0xE2>") become the characters that they spell, a
  /// byte that is part of none U+FFFD.
  std::string Join(std::span<const std::string> pieces) const;
  /// Every piece in the order of ids.
  std::vector<std::string> Pieces() const;
  std::string Serialize() const;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace heed

#endif  // HEED_TEXT_SUBWORDS_H_
