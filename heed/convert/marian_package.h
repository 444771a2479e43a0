// Files of a Marian model and of OPUS-MT packages.
#ifndef HEED_CONVERT_MARIAN_PACKAGE_H_
#define HEED_CONVERT_MARIAN_PACKAGE_H_

#include <string>
#include <vector>

#include "heed/convert/convert.h"
#include "heed/convert/import_options.h"
#include "heed/convert/mapped_shortlist.h"
#include "heed/text/languages.h"

namespace heed {

/// Paths of a model's files, and its decoder's configuration.
struct MarianFiles {
  std::string model;
  std::vector<std::string> vocabularies;  // of both sides, or joint
  /// SentencePiece models of source and target, whose pieces are in the
  /// vocabularies; may be empty.
  std::vector<std::string> subwords;
  /// True if texts are already split into tokens of the vocabularies.
  bool divided = false;
  /// MODEL.decoder.yml, decoder.yml or the configuration of browsermt and
  /// translateLocally; empty if there is none.
  ImportOptions decoder;
  /// "modelConfig" of Firefox's metadata.json; empty if there is none.
  ImportOptions release;
  std::string shortlist = {};  // binary (.bin) or text; "": none
  TextShortlistOptions text_shortlist = {};
  std::string quality = {};  // quality model; "": none
};

/// True if the folder holds a Marian model.
bool IsMarianFolder(const std::string& folder);
/// Subfolders with a Marian model each, of a folder that holds no model itself.
std::vector<std::string> MarianFoldersIn(const std::string& folder);

/// Languages of a student: of metadata.json (Firefox), model_info.json
/// (translateLocally) or the name of the model's file; empty if unknown.
LanguagePair LanguagesOfModel(const std::string& model);

/// Finds the files of `source`: a model, or a package of OPUS-MT with one
/// model, decoder.yml, vocabularies, source.spm and target.spm. If a path in
/// the decoder's configuration does not exist, the file is searched beside the
/// model. Throws: IoError; FormatError; ConfigError with the option that must
/// name a file.
MarianFiles FindMarianFiles(const std::string& source,
                            const ImportRequest& request);

/// Reads the vocabularies for tables with these numbers of rows. Throws:
/// IoError; FormatError.
MappedPair ReadMarianVocabularies(const MarianFiles& files, int64_t source_rows,
                                  int64_t target_rows, Notes& notes);

}  // namespace heed

#endif  // HEED_CONVERT_MARIAN_PACKAGE_H_
