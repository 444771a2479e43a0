// RoBERTa, XLM-RoBERTa and CamemBERT. Liu et al. 2019, arXiv:1907.11692;
// Conneau et al. 2019, arXiv:1911.02116; Martin et al. 2019, arXiv:1911.03894.
// The layers are those of BERT.
#include <string>

#include "heed/convert/families/family.h"
#include "heed/convert/huggingface_folder.h"

namespace heed::roberta {
namespace {

constexpr std::string_view kUnread =
    "decoder_start_token_id eos_token_id is_encoder_decoder max_seq_length "
    "model_max_length sbert_ce_default_activation_function";

EncoderSizes ReadWith(ImportOptions& options, int default_rows) {
  options.SkipEach(kUnread);
  EncoderSizes read;
  TransformerConfig& c = read.config;
  c.layers = options.Number("num_hidden_layers", 12);
  c.width = options.Number("hidden_size", 768);
  c.heads = options.Number("num_attention_heads", 12);
  c.ff = options.Number("intermediate_size", 3072);
  c.activation = ActivationOf(options, "hidden_act");
  c.dropout = options.Real("hidden_dropout_prob", 0.1);
  c.attention_dropout = options.Real("attention_probs_dropout_prob", 0.1);
  c.epsilon = options.Real("layer_norm_eps", 1e-12);
  options.OneOf("position_embedding_type", "absolute", {"absolute"});
  // The first position stands behind the row of padding.
  const int padding = options.Number("pad_token_id", 1);
  if (padding < 0) options.Fail("pad_token_id", "is no token");
  const int rows = options.Number("max_position_embeddings", 512);
  read.unused_positions = int64_t{padding} + 1;
  c.max_positions = padding < rows ? rows - padding - 1 : 0;
  // Its tokenizers know no types of texts.
  read.types = options.Number("type_vocab_size", 2);
  c.segment_embeddings = false;
  read.rows = options.Number("vocab_size", default_rows);
  read.head_dropout = options.Real("classifier_dropout", c.dropout);
  return read;
}

EncoderSizes Read(ImportOptions& options) { return ReadWith(options, 50265); }
EncoderSizes ReadMultilingual(ImportOptions& options) {
  return ReadWith(options, 30522);
}

EncoderNames Names(const std::string& prefix, int layers) {
  EncoderNames names = bert::kFamily.names(prefix, layers);
  names.word_parts = {
      {Part::Kind::kLinear, "words.dense", {"lm_head.dense.*"}},
      {Part::Kind::kNorm, "words.norm", {"lm_head.layer_norm.*"}}};
  names.word_scores = "lm_head.decoder.weight";
  names.word_biases = {"lm_head.bias", "lm_head.decoder.bias"};
  names.word_activation = "gelu";
  names.class_dense = "classifier.dense";
  names.class_scores = "classifier.out_proj";
  names.tag_scores = "classifier";
  names.heads = {"classifier.", "lm_head.", "qa_outputs."};
  return names;
}

}  // namespace

const EncoderFamily kFamily = {"Roberta", "roberta.", false, Read, Names};
const EncoderFamily kXlmFamily = {"XLMRoberta", "roberta.", false,
                                  ReadMultilingual, Names};
const EncoderFamily kCamembertFamily = {"Camembert", "roberta.", false,
                                        ReadMultilingual, Names};

}  // namespace heed::roberta
