// BERT. Devlin et al. 2018, arXiv:1810.04805.
#include <string>

#include "heed/convert/families/family.h"
#include "heed/convert/huggingface_folder.h"

namespace heed::bert {
namespace {

/// Keys of published folders that BERT's classes ignore.
constexpr std::string_view kUnread =
    "decoder_start_token_id directionality embedding_size eos_token_id "
    "eos_token_ids is_encoder_decoder max_seq_length model_max_length "
    "pad_token_id sbert_ce_default_activation_function";

EncoderSizes Read(ImportOptions& options) {
  options.SkipEach(kUnread);
  // The standard pooler has no keys; other versions of BERT configure theirs.
  options.SkipAll("pooler_");
  EncoderSizes read;
  TransformerConfig& c = read.config;
  c.layers = options.Number("num_hidden_layers", 12);
  c.width = options.Number("hidden_size", 768);
  c.heads = options.Number("num_attention_heads", 12);
  c.ff = options.Number("intermediate_size", 3072);
  c.activation = ActivationOf(options, "hidden_act");
  c.dropout = options.Real("hidden_dropout_prob", 0.1);
  c.attention_dropout = options.Real("attention_probs_dropout_prob", 0.1);
  c.max_positions = options.Number("max_position_embeddings", 512);
  c.epsilon = options.Real("layer_norm_eps", 1e-12);
  options.OneOf("position_embedding_type", "absolute", {"absolute"});
  read.types = options.Number("type_vocab_size", 2);
  c.segment_embeddings = read.types > 1;
  if (c.segment_embeddings) c.segments = static_cast<int>(read.types);
  read.rows = options.Number("vocab_size", 30522);
  read.head_dropout = options.Real("classifier_dropout", c.dropout);
  return read;
}

EncoderNames Names(const std::string& prefix, int layers) {
  EncoderNames names;
  const std::string embeddings = prefix + "embeddings.";
  names.words = embeddings + "word_embeddings.weight";
  names.positions = embeddings + "position_embeddings.weight";
  names.types = embeddings + "token_type_embeddings.weight";
  names.layers = BertEncoderParts(prefix, layers);
  names.word_parts = BertWordParts();
  names.word_scores = "cls.predictions.decoder.weight";
  names.word_biases = {kBertWordBias, "cls.predictions.decoder.bias"};
  names.class_dense = prefix + "pooler.dense";
  names.class_scores = names.tag_scores = "classifier";
  names.heads = {"classifier.", "cls.", "qa_outputs."};
  return names;
}

}  // namespace

const EncoderFamily kFamily = {"Bert", "bert.", true, Read, Names};

}  // namespace heed::bert
