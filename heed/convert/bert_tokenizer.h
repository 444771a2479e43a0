// Tokenizers of BERT's folders.
#ifndef HEED_CONVERT_BERT_TOKENIZER_H_
#define HEED_CONVERT_BERT_TOKENIZER_H_

#include <string>

#include "heed/convert/import_options.h"
#include "heed/convert/mapped_vocabulary.h"
#include "heed/text/vocabulary.h"

namespace heed {

struct BertTokenizer {
  std::string vocabulary;  // a token per line, as Vocabulary::Serialize
  VocabularyKind kind = VocabularyKind::kWordPiece;
  std::string file;  // that the tokens are from
  Notes notes;       // what Heed does not do as the files say
};

/// Throws: FormatError that names a tokenizer_class that does not divide words
/// by WordPiece alone, such as BertJapaneseTokenizer. `options`: config.json or
/// tokenizer_config.json.
void CheckTokenizerClass(const ImportOptions& options);

/// Reads vocab.txt with added_tokens.json, or else tokenizer.json, whose model
/// must be WordPiece, and the rules that tokenizer_config.json and
/// tokenizer.json give. Special tokens of other names get those of BERT, and
/// pieces inside of a word begin with "##". Throws: IoError; FormatError that
/// names the file and what Heed cannot do.
BertTokenizer ReadBertTokenizer(const std::string& folder);

}  // namespace heed

#endif  // HEED_CONVERT_BERT_TOKENIZER_H_
