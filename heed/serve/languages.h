// Models as the command line names them, and what they translate between.
#ifndef HEED_SERVE_LANGUAGES_H_
#define HEED_SERVE_LANGUAGES_H_

#include <string>
#include <vector>

#include "heed/text/languages.h"

namespace heed {

/// A model folder and what the server calls it.
struct ModelSpec {
  std::string folder;
  std::string name = {};        ///< empty: made of the folder by NameModels
  LanguagePair languages = {};  ///< empty: as the model says
};

/// "DIR"; "de-en=DIR", or "pt-BR:en=DIR" where codes have dashes, which says
/// the languages; "NAME=DIR", which says the name; or "NAME=de-en=DIR". Throws:
/// ConfigError for a name or languages that cannot be.
ModelSpec ParseModelSpec(const std::string& argument);

/// Names the models that have no name by the last part of their folders' paths,
/// with as many parts before it as tell them apart: "a/model" and "b/model".
/// Throws: ConfigError if a name is given twice.
void NameModels(std::vector<ModelSpec>& specs);

/// Codes of a translator's languages while they are unknown.
inline constexpr const char* kUnknownSource = "source";
inline constexpr const char* kUnknownTarget = "target";

}  // namespace heed

#endif  // HEED_SERVE_LANGUAGES_H_
