// Command-line syntax of models and their languages.
#ifndef HEED_SERVE_LANGUAGES_H_
#define HEED_SERVE_LANGUAGES_H_

#include <string>
#include <vector>

#include "heed/text/languages.h"

namespace heed {

/// A model folder, its name and its languages on the server.
struct ModelSpec {
  std::string folder;
  std::string name = {};  ///< empty: NameModels derives it from the folder
  LanguagePair languages = {};  ///< empty: from the model
};

/// Parses "DIR"; "de-en=DIR", or "pt-BR:en=DIR" if codes have dashes, to set
/// the languages; "NAME=DIR" to set the name; or "NAME=de-en=DIR". Throws:
/// ConfigError for an invalid name or invalid languages.
ModelSpec ParseModelSpec(const std::string& argument);

/// Names unnamed models by the last part of their folders' paths, with as many
/// parent folders as make names unique: "a/model" and "b/model". Throws:
/// ConfigError for a duplicate name.
void NameModels(std::vector<ModelSpec>& specs);

/// Language codes of a translator whose languages are unknown.
inline constexpr const char* kUnknownSource = "source";
inline constexpr const char* kUnknownTarget = "target";

}  // namespace heed

#endif  // HEED_SERVE_LANGUAGES_H_
