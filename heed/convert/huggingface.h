// Parameter names and layouts of Hugging Face Transformers.
#ifndef HEED_CONVERT_HUGGINGFACE_H_
#define HEED_CONVERT_HUGGINGFACE_H_

#include <string>
#include <utility>
#include <vector>

#include "heed/convert/layout.h"

namespace heed {

inline constexpr Layout kHuggingFaceLayout = {"weight", "bias", "weight",
                                              "bias", true};
/// Names of the formats in the model registry.
inline constexpr const char* kMarianMtFormat = "huggingface/marian";
inline constexpr const char* kBertFormat = "huggingface/bert";
/// Epsilon of MarianMT's layer norms, which no setting changes.
inline constexpr double kMarianMtEpsilon = 1e-5;

/// Layers of MarianMT.
std::vector<Part> MarianMtParts(int layers, int decoder_layers);

/// Layers and norms of BERT's encoder. `prefix`: "bert." or "".
std::vector<Part> BertEncoderParts(const std::string& prefix, int layers);
/// Embedding tables of BERT: Heed's name, Hugging Face's name.
std::vector<std::pair<std::string, std::string>> BertTables(
    const std::string& prefix);
Part BertPooler(const std::string& prefix);
/// Transform layer and norm before BERT's word scores. The biases of the scores
/// are words.bias in Heed and kBertWordBias in Hugging Face.
std::vector<Part> BertWordParts();
inline constexpr const char* kBertWordBias = "cls.predictions.bias";
Part BertNext();

/// Activations: Hugging Face's name, Heed's name. Exports use the first match.
inline constexpr std::pair<const char*, const char*> kActivations[] = {
    {"gelu", "gelu"},        {"gelu_new", "gelu_tanh"},
    {"relu", "relu"},        {"silu", "swish"},
    {"swish", "swish"},      {"gelu_pytorch_tanh", "gelu_tanh"},
    {"gelu_python", "gelu"},
};

}  // namespace heed

#endif  // HEED_CONVERT_HUGGINGFACE_H_
