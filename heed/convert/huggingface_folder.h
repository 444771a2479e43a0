// Configuration keys and tensors that all Hugging Face importers read.
#ifndef HEED_CONVERT_HUGGINGFACE_FOLDER_H_
#define HEED_CONVERT_HUGGINGFACE_FOLDER_H_

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "heed/convert/convert.h"
#include "heed/convert/import_options.h"
#include "heed/convert/source_weights.h"

namespace heed {

inline constexpr const char* kTokenizerFile = "tokenizer.json";
inline constexpr const char* kTokenizerConfig = "tokenizer_config.json";

bool HasFile(const std::string& folder, const std::string& file);

/// Skips keys of all configuration classes that do not change the result of
/// given weights. Throws: FormatError with the name of a key whose value does.
void SkipGeneral(ImportOptions& options);

/// Heed's activation for the value of `key`; `otherwise`: their name if the key
/// is missing.
std::string ActivationOf(ImportOptions& options, const std::string& key,
                         const std::string& otherwise = "gelu");

/// Throws: FormatError unless the first of the `architectures` is one of these.
void CheckArchitecture(const ImportOptions& options,
                       std::initializer_list<std::string_view> known);

/// Throws: ConfigError for options that only a BERT has.
void RefuseBertRequest(const ImportRequest& request, const std::string& file);

/// Checks and resolves settings. Throws: FormatError with `file`, their origin.
void ResolveImported(TaskSettings& settings, const std::string& file);

/// Value of two settings that must be equal, because Heed has one setting for
/// both.
int SameNumber(ImportOptions& options, const std::string& key,
               const std::string& other, int otherwise);

/// Tensor stored under one or several of these names, in f32 or bf16. Throws:
/// FormatError if the copies differ.
Tensor TakeShared(SourceWeights& weights, const std::vector<std::string>& names,
                  const Shape& shape);

/// Imports a MarianMT. `options`: config.json.
Imported ImportMarianMt(const std::string& folder, ImportOptions& options,
                        const ImportRequest& request);

}  // namespace heed

#endif  // HEED_CONVERT_HUGGINGFACE_FOLDER_H_
