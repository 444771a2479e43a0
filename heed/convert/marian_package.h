// Files of a Marian model: as Marian leaves them, and as packages hold them.
#ifndef HEED_CONVERT_MARIAN_PACKAGE_H_
#define HEED_CONVERT_MARIAN_PACKAGE_H_

#include <string>
#include <vector>

#include "heed/convert/convert.h"
#include "heed/convert/import_options.h"

namespace heed {

/// Where the files of a model are, and what its decoder is told.
struct MarianFiles {
  std::string model;
  std::vector<std::string> vocabularies;  // of source and target, or of both
  /// SentencePiece models of source and target, whose pieces the vocabularies
  /// number; none: there are none.
  std::vector<std::string> subwords;
  /// Whether texts come in the tokens of the vocabularies already.
  bool divided = false;
  /// MODEL.decoder.yml or decoder.yml; empty if there is none.
  ImportOptions decoder;
};

/// Whether the folder holds a model of Marian.
bool IsMarianFolder(const std::string& folder);

/// `source`: a model, or a folder as OPUS-MT packs it: one model, decoder.yml,
/// vocabularies, source.spm and target.spm. A path of the decoder's
/// configuration that leads nowhere is looked for beside the model. Throws:
/// IoError; FormatError; ConfigError that says which file is to be named.
MarianFiles FindMarianFiles(const std::string& source,
                            const ImportRequest& request);

/// The vocabularies of these files, for tables of so many rows. Throws:
/// IoError; FormatError.
MappedPair ReadMarianVocabularies(const MarianFiles& files, int64_t source_rows,
                                  int64_t target_rows, Notes& notes);

}  // namespace heed

#endif  // HEED_CONVERT_MARIAN_PACKAGE_H_
