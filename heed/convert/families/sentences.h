// Import of sentence-transformers folders.
#ifndef HEED_CONVERT_FAMILIES_SENTENCES_H_
#define HEED_CONVERT_FAMILIES_SENTENCES_H_

#include <string>

#include "heed/convert/convert.h"

namespace heed {

/// True if the folder lists modules of sentence-transformers.
bool HasModules(const std::string& folder);

/// Imports a folder of sentence-transformers (Reimers and Gurevych 2019,
/// arXiv:1908.10084) for task retrieve: modules Transformer, Pooling (cls, mean
/// or max), Dense and Normalize, prompts and the similarity. Throws: IoError;
/// FormatError with file, module and the unsupported setting.
Imported ImportSentences(const std::string& folder,
                         const ImportRequest& request);

}  // namespace heed

#endif  // HEED_CONVERT_FAMILIES_SENTENCES_H_
