// How Hugging Face's Transformers name and lay out what Heed's models have.
#ifndef HEED_CONVERT_HUGGINGFACE_H_
#define HEED_CONVERT_HUGGINGFACE_H_

#include <string>
#include <utility>
#include <vector>

#include "heed/convert/layout.h"

namespace heed {

inline constexpr Layout kHuggingFaceLayout = {"weight", "bias", "weight",
                                              "bias", true};
/// What the registry of models calls its formats.
inline constexpr const char* kMarianMtFormat = "huggingface/marian";
inline constexpr const char* kBertFormat = "huggingface/bert";
/// Its layer norms of MarianMT have no setting for this.
inline constexpr double kMarianMtEpsilon = 1e-5;

/// Layers of MarianMT.
std::vector<Part> MarianMtParts(int layers, int decoder_layers);

/// Layers and norms of BERT's encoder; `prefix` is "bert." or "".
std::vector<Part> BertEncoderParts(const std::string& prefix, int layers);
/// Its tables: ours, theirs.
std::vector<std::pair<std::string, std::string>> BertTables(
    const std::string& prefix);
Part BertPooler(const std::string& prefix);
/// The layer and norm before the scores of words; the biases of the scores are
/// words.bias and kBertWordBias.
std::vector<Part> BertWordParts();
inline constexpr const char* kBertWordBias = "cls.predictions.bias";
Part BertNext();

/// Names of activations: theirs, and Heed's (the first of several is written).
inline constexpr std::pair<const char*, const char*> kActivations[] = {
    {"gelu", "gelu"},        {"gelu_new", "gelu_tanh"},
    {"relu", "relu"},        {"silu", "swish"},
    {"swish", "swish"},      {"gelu_pytorch_tanh", "gelu_tanh"},
    {"gelu_python", "gelu"},
};

}  // namespace heed

#endif  // HEED_CONVERT_HUGGINGFACE_H_
