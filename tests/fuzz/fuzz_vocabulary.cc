// Vocabulary files and the tokens of a text: a byte for the kind, the file, the
// separator, the text.
#include "heed/convert/mapped_vocabulary.h"
#include "heed/text/sentencepiece_model.h"
#include "heed/text/vocabulary.h"
#include "tests/fuzz/fuzz.h"

namespace heed::fuzz {
namespace {

void Use(const Vocabulary& vocabulary, std::string_view text) {
  const Encoded encoded = vocabulary.EncodeWithPieces(text);
  Require(encoded.ids.size() == encoded.pieces.size(), "a piece for each id");
  Require(encoded.ids == vocabulary.Encode(text), "the same ids");
  for (const int32_t id : encoded.ids) {
    Require(0 <= id && id < vocabulary.size(), "ids in the vocabulary");
  }
  (void)vocabulary.Decode(encoded.ids);
  (void)vocabulary.DecodePieces(encoded.pieces);
  const std::vector<std::string> words = {std::string(text), "", "a"};
  Require(vocabulary.EncodeWords(words).first.size() == 3, "words");
}

void ReadOwn(VocabularyKind kind, const std::vector<std::string_view>& parts) {
  const Vocabulary vocabulary = Vocabulary::Parse(parts[0], kind, "input");
  Use(vocabulary, parts[1]);
  const Vocabulary again =
      Vocabulary::Parse(vocabulary.Serialize(), kind, "again");
  Require(again.size() == vocabulary.size(), "the same vocabulary");
}

void ReadMarians(const char* name, const std::vector<std::string_view>& parts) {
  static const Folder folder;
  Notes notes;
  const MappedVocabulary mapped =
      ReadMarianVocabulary(folder.Put(name, parts[0]), 64, notes);
  const Vocabulary vocabulary =
      Vocabulary::Parse(mapped.bytes, mapped.kind, "mapped");
  Require(vocabulary.size() == mapped.size(), "a row for each token");
  Use(vocabulary, parts[1]);
}

void Read(uint8_t what, std::string_view bytes) {
  const std::vector<std::string_view> parts = Parts(bytes, 2);
  switch (what) {
    case 'w':
      return ReadOwn(VocabularyKind::kWords, parts);
    case 'c':
      return ReadOwn(VocabularyKind::kCharacters, parts);
    case 'p':
      return ReadOwn(VocabularyKind::kWordPiece, parts);
    case 'P':
      return ReadOwn(VocabularyKind::kWordPieceCased, parts);
    case 'u':
      return ReadOwn(VocabularyKind::kUnigram, parts);
    case 'b':
      return ReadOwn(VocabularyKind::kBpe, parts);
    case 's':
      return ReadMarians("vocabulary.spm", parts);
    case 'y':
      return ReadMarians("vocabulary.yml", parts);
    case 'm':
      return (void)SentencePieceModel::Parse(parts[0], "input").Serialize();
    default:
      return ReadMarians("vocabulary.txt", parts);
  }
}

}  // namespace
}  // namespace heed::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return heed::fuzz::ReadKind(data, size, heed::fuzz::Read);
}
