// Inputs of taggers: words with features, or pieces of words.
#ifndef HEED_TASKS_TAG_TAG_INPUT_H_
#define HEED_TASKS_TAG_TAG_INPUT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heed/explain/explanation.h"
#include "heed/models/registry.h"
#include "heed/models/sentence_encoder.h"
#include "heed/nn/word_features.h"
#include "heed/tasks/text_vocabulary.h"
#include "heed/text/words.h"
#include "heed/train/model_folder.h"

namespace heed::tag {

/// Settings of the input. A BERT reads pieces of words, every other encoder
/// features of words.
struct TagInputConfig {
  WordOptions words;                                              // features
  WordFeaturesConfig features;                                    // features
  TextVocabularyConfig vocabulary = {.vocabulary = "wordpiece"};  // pieces
  int max_length = 0;                                             // pieces
};

/// True if the encoder of this name is a BERT.
bool ReadsPieces(const std::string& model);

/// Encoded sentences.
struct TagSentences {
  /// Ids of each sentence, for PlanBatches.
  std::vector<std::vector<int32_t>> ids;
  /// Makes a batch of the sentences at `indices`, in that order.
  std::function<SentenceBatch(std::span<const int64_t> indices)> batch;
};

/// The vocabularies of a tagger, and the encoding of its input. Immutable.
class TagInput {
 public:
  virtual ~TagInput() = default;

  /// Files for the model folder.
  virtual ModelFiles Files() const = 0;
  /// Vocabulary sizes, by name.
  virtual std::vector<std::pair<std::string, int64_t>> Sizes() const = 0;
  virtual TagSentences Encode(std::span<const Words> sentences) const = 0;
  /// Axis "source" of explanations: the words or the pieces of a sentence.
  virtual Axis SourceAxis(const Words& sentence) const = 0;
  /// Makes a fresh encoder from a resolved config. `with_intents`: whether the
  /// encoder also pools sentences, if it can.
  virtual std::unique_ptr<SentenceEncoder> MakeEncoder(
      const Scope& scope, const EncoderSettings& encoder,
      bool with_intents) const = 0;
};

/// Learns the vocabularies of the training text and reads word vectors.
/// Throws: ConfigError; as WordVectors::Read.
std::unique_ptr<TagInput> LearnTagInput(
    const TagInputConfig& config, const ModelChoice<EncoderSettings>& encoder,
    std::span<const Words> sentences);
/// Reads the vocabularies of a model folder. Throws: FormatError that names the
/// file.
std::unique_ptr<TagInput> FindTagInput(
    const TagInputConfig& config, const ModelChoice<EncoderSettings>& encoder,
    const ModelFiles& files, const std::string& folder);
/// Makes an input of word pieces from an existing vocabulary. Throws:
/// ConfigError if the encoder has fewer positions than max_length.
std::unique_ptr<TagInput> MakePieceInput(
    const TagInputConfig& config, const ModelChoice<EncoderSettings>& encoder,
    Vocabulary vocabulary);

}  // namespace heed::tag

#endif  // HEED_TASKS_TAG_TAG_INPUT_H_
