// Shared code of families of text encoders: BERT and its kin.
#ifndef HEED_CONVERT_FAMILIES_ENCODER_H_
#define HEED_CONVERT_FAMILIES_ENCODER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heed/convert/convert.h"
#include "heed/convert/huggingface.h"
#include "heed/convert/import_options.h"
#include "heed/convert/layout.h"
#include "heed/convert/source_weights.h"
#include "heed/models/registry.h"
#include "heed/models/transformer/transformer_config.h"
#include "heed/nn/dense.h"
#include "heed/tasks/text_vocabulary.h"

namespace heed {

/// Sizes and settings of an encoder in config.json.
struct EncoderSizes {
  TransformerConfig config;
  int64_t rows = 0;  ///< of the word embedding
  /// Rows of the table of text types; 0: there is none. Without
  /// config.segment_embeddings, all tokens have type 0.
  int64_t types = 0;
  int64_t unused_positions = 0;  ///< first rows of the table of positions
  bool tied = true;              ///< words are scored by their embeddings
  double head_dropout = 0;       ///< of a head that classifies
};

/// Tensors of an encoder and of its heads. Names of layers have no ".weight".
struct EncoderNames {
  // Tables of the sum of embeddings; types: "" if there is none.
  std::string words;
  std::string positions;
  std::string types;
  std::vector<Part> layers;  ///< with the norm of the embeddings

  // Masked words.
  std::vector<Part> word_parts;  ///< a dense layer, then a norm
  std::string word_scores;       ///< tied to the embedding
  std::vector<std::string> word_biases;
  /// Activation of the dense layer; "": that of the encoder.
  std::string word_activation;

  // Sequence classification: a dense layer on the first state, then scores.
  std::string class_dense;
  DenseActivation class_activation = DenseActivation::kTanh;
  std::string class_scores;
  // Token classification.
  std::string tag_scores;

  /// Prefixes of all heads.
  std::vector<std::string> heads;
};

/// A family of encoders. It has a file of its own.
struct EncoderFamily {
  const char* classes;  ///< first part of architectures: "Bert"
  const char* prefix;   ///< of tensors below a head: "bert."
  /// True if pre-training has a pooler, and a head for next sentences.
  bool next_sentence;
  EncoderSizes (*read)(ImportOptions& options);
  EncoderNames (*names)(const std::string& prefix, int layers);
};

/// An encoder during import.
struct OpenedEncoder {
  const EncoderFamily& family;
  std::string file;    ///< config.json
  std::string prefix;  ///< of tensors
  EncoderSizes options;
  EncoderNames names;
  SourceWeights weights;
};

/// Reads the configuration, which must be understood completely, and opens the
/// weights. Throws: IoError; FormatError; ConfigError.
OpenedEncoder OpenEncoder(const std::string& folder, ImportOptions& options,
                          const EncoderFamily& family,
                          const WeightStorage& storage);

/// Tokens of an encoder.
struct EncoderTokenizer {
  Vocabulary vocabulary;
  std::string file;  ///< source of the tokens
  Notes notes;
};

/// Reads the tokenizer of a folder: BERT's WordPiece from vocab.txt or
/// tokenizer.json, any other one from tokenizer.json. `config`: config.json.
/// Throws: IoError; FormatError.
EncoderTokenizer ReadEncoderTokenizer(const std::string& folder,
                                      const ImportOptions& config,
                                      int64_t rows);

TextVocabularyConfig VocabularyConfigOf(const Vocabulary& vocabulary);

/// Sets the encoder of a task.
template <typename Role>
void SetEncoder(const OpenedEncoder& from, ModelChoice<Role>& encoder) {
  encoder.Choose(ModelForImport(kBertFormat).model);
  encoder.template As<TransformerConfig>() = from.options.config;
}

/// Fills encoder.*. The word table is truncated to the number of tokens.
/// Throws: FormatError with a tensor that is missing or has a wrong shape.
void FillEncoder(OpenedEncoder& from, const std::string& tokens_file,
                 WeightReader& reader, Notes& notes);

/// Imports an encoder with its head: token classification for task tag,
/// sequence classification for task classify, anything else for task pretrain.
/// `options`: config.json. Throws: IoError; FormatError; ConfigError.
Imported ImportEncoder(const std::string& folder, ImportOptions& options,
                       const ImportRequest& request,
                       const EncoderFamily& family);

}  // namespace heed

#endif  // HEED_CONVERT_FAMILIES_ENCODER_H_
