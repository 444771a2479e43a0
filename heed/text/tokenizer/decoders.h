// Decoders of tokenizer.json: text of tokens.
#ifndef HEED_TEXT_TOKENIZER_DECODERS_H_
#define HEED_TEXT_TOKENIZER_DECODERS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/text/tokenizer/part.h"

namespace heed::tokens {

/// Rewrites the texts of tokens.
using DecodeStep = std::function<void(std::vector<std::string>&)>;

/// Steps of a decoder, in order. Throws: FormatError for an unknown type.
std::vector<DecodeStep> DecoderSteps(const Part& part);

/// Byte of a token "<0x00>" to "<0xFF>"; nullopt for other tokens.
std::optional<char> ByteOfFallback(std::string_view token);

}  // namespace heed::tokens

#endif  // HEED_TEXT_TOKENIZER_DECODERS_H_
