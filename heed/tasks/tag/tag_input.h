// What taggers read: words with features, or pieces of words.
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

/// How words become what an encoder reads. A BERT reads pieces of words, every
/// other encoder features of words.
struct TagInputConfig {
  WordOptions words;                                              // features
  WordFeaturesConfig features;                                    // features
  TextVocabularyConfig vocabulary = {.vocabulary = "wordpiece"};  // pieces
  int max_length = 0;                                             // pieces
};

/// Whether the encoder of this name is a BERT.
bool ReadsPieces(const std::string& model);

/// Sentences as numbers.
struct TagSentences {
  /// What is read of each sentence, as PlanBatches wants it.
  std::vector<std::vector<int32_t>> ids;
  /// Those at some indices, in that order.
  std::function<SentenceBatch(std::span<const int64_t> indices)> batch;
};

/// The vocabularies of a tagger, and what follows from them. Immutable.
class TagInput {
 public:
  virtual ~TagInput() = default;

  /// What a model folder holds of it.
  virtual ModelFiles Files() const = 0;
  /// What was learnt, by name.
  virtual std::vector<std::pair<std::string, int64_t>> Sizes() const = 0;
  virtual TagSentences Encode(std::span<const Words> sentences) const = 0;
  /// What is read of a sentence, one by one: its words or its pieces; the axis
  /// "source" of explanations.
  virtual Axis SourceAxis(const Words& sentence) const = 0;
  /// A fresh encoder of such sentences, of a resolved config. `with_intents`:
  /// whether it shall also pool them, if it can.
  virtual std::unique_ptr<SentenceEncoder> MakeEncoder(
      const Scope& scope, const EncoderSettings& encoder,
      bool with_intents) const = 0;
};

/// Vocabularies of the training text, and the vectors of a file.
/// Throws: ConfigError; as WordVectors::Read.
std::unique_ptr<TagInput> LearnTagInput(
    const TagInputConfig& config, const ModelChoice<EncoderSettings>& encoder,
    std::span<const Words> sentences);
/// Those of a model folder. Throws: FormatError that names the file.
std::unique_ptr<TagInput> FindTagInput(
    const TagInputConfig& config, const ModelChoice<EncoderSettings>& encoder,
    const ModelFiles& files, const std::string& folder);
/// Pieces of a vocabulary that is there already. Throws: ConfigError if the
/// encoder knows fewer positions than max_length.
std::unique_ptr<TagInput> MakePieceInput(
    const TagInputConfig& config, const ModelChoice<EncoderSettings>& encoder,
    Vocabulary vocabulary);

}  // namespace heed::tag

#endif  // HEED_TASKS_TAG_TAG_INPUT_H_
