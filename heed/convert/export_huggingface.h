// Heed's models as folders that Hugging Face's Transformers read.
#ifndef HEED_CONVERT_EXPORT_HUGGINGFACE_H_
#define HEED_CONVERT_EXPORT_HUGGINGFACE_H_

#include <string>

#include "heed/convert/mapped_vocabulary.h"

namespace heed {

/// Reads a model folder and writes config.json, model.safetensors and the
/// tokenizer's files: of a Transformer for task translate as MarianMTModel and
/// MarianTokenizer, of a BERT for task pretrain as BertForPreTraining and
/// BertTokenizer. Gives what the user should know. Throws: as ReadTask;
/// ConfigError that names a setting that they have not, or if a model stands in
/// `out` and is not to be overwritten; IoError.
Notes ExportHuggingFace(const std::string& folder, const std::string& out,
                        bool overwrite);

}  // namespace heed

#endif  // HEED_CONVERT_EXPORT_HUGGINGFACE_H_
