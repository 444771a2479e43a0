// Models of other programs into Heed's folders, and back.
#ifndef HEED_CONVERT_CONVERT_H_
#define HEED_CONVERT_CONVERT_H_

#include <string>
#include <vector>

#include "heed/convert/imported.h"

namespace heed {

/// Reads what `source` is: a file of Marian's (see ImportMarian) or a folder of
/// Hugging Face's (see ImportHuggingFace), for which no vocabularies are given.
/// Options of its configuration that are `ignored` are not looked at.
/// Throws: IoError, FormatError, ConfigError.
Imported Import(const std::string& source,
                const std::vector<std::string>& vocabularies,
                const std::vector<std::string>& ignored = {});

/// Writes the model folder that ReadTask reads. Throws: IoError; ConfigError if
/// a model stands there and is not to be overwritten.
void WriteImported(const std::string& folder, bool overwrite, Imported& model);

}  // namespace heed

#endif  // HEED_CONVERT_CONVERT_H_
