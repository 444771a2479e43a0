// Import of tokenizers from BERT folders.
#ifndef HEED_CONVERT_BERT_TOKENIZER_H_
#define HEED_CONVERT_BERT_TOKENIZER_H_

#include <string>

#include "heed/convert/import_options.h"
#include "heed/convert/mapped_vocabulary.h"
#include "heed/text/vocabulary.h"

namespace heed {

struct BertTokenizer {
  std::string vocabulary;  // one token per line, as Vocabulary::Serialize
  VocabularyKind kind = VocabularyKind::kWordPiece;
  std::string file;  // source of the tokens
  Notes notes;       // settings that Heed ignores
};

/// Checks that a tokenizer_class splits words by WordPiece alone. `options`:
/// config.json or tokenizer_config.json. Throws: FormatError with the name of
/// any other class, such as BertJapaneseTokenizer.
void CheckTokenizerClass(const ImportOptions& options);

/// True if a folder has vocab.txt, or tokenizer.json with a WordPiece model.
/// Throws: IoError; FormatError.
bool HasWordPiece(const std::string& folder);

/// Reads vocab.txt with added_tokens.json, or else tokenizer.json with a
/// WordPiece model, and the rules of tokenizer_config.json and tokenizer.json.
/// Special tokens are renamed to BERT's names, and word-internal pieces begin
/// with "##". Throws: IoError; FormatError with the file and the unsupported
/// setting.
BertTokenizer ReadBertTokenizer(const std::string& folder);

}  // namespace heed

#endif  // HEED_CONVERT_BERT_TOKENIZER_H_
