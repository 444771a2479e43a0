// A tokenizer.json, the separator, a text: every text is tokenised, or the file
// or the text is refused.
#include "heed/text/tokenizer/tokenizer.h"
#include "tests/fuzz/fuzz.h"

namespace heed::fuzz {
namespace {

using Tokens = std::vector<Tokenizer::Token>;

std::vector<int32_t> IdsOf(const Tokens& tokens) {
  std::vector<int32_t> ids;
  for (const Tokenizer::Token& token : tokens) ids.push_back(token.id);
  return ids;
}

void CheckTokens(const Tokenizer& tokenizer, std::string_view text,
                 const Tokens& tokens) {
  const auto size = static_cast<int32_t>(text.size());
  for (const Tokenizer::Token& token : tokens) {
    Require(0 <= token.id && token.id < tokenizer.size(), "ids of the file");
    Require(0 <= token.begin && token.begin <= token.end && token.end <= size,
            "ranges in the text");
    (void)tokenizer.Shown(token.id);
  }
  (void)tokenizer.Decode(IdsOf(tokens), true);
  (void)tokenizer.Decode(IdsOf(tokens), false);
}

void Read(std::string_view bytes) {
  const std::vector<std::string_view> parts = Parts(bytes, 2);
  const Tokenizer tokenizer = Tokenizer::Parse(parts[0], "input");
  const Tokens tokens = tokenizer.Encode(parts[1], {});
  CheckTokens(tokenizer, parts[1], tokens);
  const Tokenizer::EncodeOptions literal = {.add_special = false,
                                            .literal = true};
  CheckTokens(tokenizer, parts[1], tokenizer.Encode(parts[1], literal));
  (void)tokenizer.EncodePair(parts[1], parts[1], {});

  const auto stored =
      std::make_shared<const std::string>(tokenizer.Serialize());
  const Tokenizer again = Tokenizer::Map(*stored, stored, "again");
  Require(IdsOf(again.Encode(parts[1], {})) == IdsOf(tokens),
          "the compact form gives the same ids");
}

}  // namespace
}  // namespace heed::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = heed::fuzz::Bytes(data, size);
  heed::fuzz::MayRefuse([&] { heed::fuzz::Read(bytes); });
  return 0;
}
