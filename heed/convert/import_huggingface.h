// Models of Hugging Face's Transformers: folders with config.json,
// model.safetensors and the tokenizer's files.
#ifndef HEED_CONVERT_IMPORT_HUGGINGFACE_H_
#define HEED_CONVERT_IMPORT_HUGGINGFACE_H_

#include <string>
#include <vector>

#include "heed/convert/imported.h"

namespace heed {

/// Reads a MarianMT model into task translate, or a BERT into task pretrain.
/// What a BERT has not (heads of pre-training) starts fresh, and a note says
/// so. Pickles (pytorch_model.bin) are never read. Throws: IoError; FormatError
/// that names the file and the setting, tensor or token that Heed does not
/// understand. Options `ignored` of config.json are not looked at.
Imported ImportHuggingFace(const std::string& folder,
                           const std::vector<std::string>& ignored = {});

}  // namespace heed

#endif  // HEED_CONVERT_IMPORT_HUGGINGFACE_H_
