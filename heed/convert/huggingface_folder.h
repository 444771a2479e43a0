// Configuration keys and weight files that all Hugging Face importers read.
#ifndef HEED_CONVERT_HUGGINGFACE_FOLDER_H_
#define HEED_CONVERT_HUGGINGFACE_FOLDER_H_

#include <string>
#include <vector>

#include "heed/convert/convert.h"
#include "heed/convert/import_options.h"
#include "heed/convert/source_weights.h"

namespace heed {

inline constexpr const char* kTokenizerConfig = "tokenizer_config.json";

bool HasFile(const std::string& folder, const std::string& file);

/// model.safetensors, or the files that its index names. Throws: IoError;
/// FormatError.
SourceWeights ReadSourceWeights(const std::string& folder);

/// Passes over the keys that every class of configurations has and that decide
/// nothing of what given weights compute. Throws: FormatError that names one
/// whose value does.
void SkipGeneral(ImportOptions& options);

/// Heed's name of the activation that `key` names.
std::string ActivationOf(ImportOptions& options, const std::string& key);

/// Two settings that Heed has as one.
int SameNumber(ImportOptions& options, const std::string& key,
               const std::string& other, int otherwise);

/// One tensor that may stand under several names, as often as it is the same.
Tensor TakeShared(SourceWeights& weights, const std::vector<std::string>& names,
                  const Shape& shape);

// The kinds of folders. `options`: config.json.
Imported ImportMarianMt(const std::string& folder, ImportOptions& options);
Imported ImportBert(const std::string& folder, ImportOptions& options,
                    const ImportRequest& request);

}  // namespace heed

#endif  // HEED_CONVERT_HUGGINGFACE_FOLDER_H_
