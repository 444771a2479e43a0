// Parallel text that a translator is trained on, and its vocabularies.
#ifndef HEED_TASKS_TRANSLATE_PARALLEL_TEXT_H_
#define HEED_TASKS_TRANSLATE_PARALLEL_TEXT_H_

#include <memory>
#include <string>
#include <vector>

#include "heed/base/config.h"
#include "heed/data/pair_files.h"
#include "heed/decode/options.h"
#include "heed/metrics/bleu_tokenizer.h"
#include "heed/metrics/error_rate.h"
#include "heed/tasks/hard_choices.h"
#include "heed/tasks/text_store.h"
#include "heed/text/languages.h"
#include "heed/text/vocabulary.h"

namespace heed::translate {

/// Where text comes from and how it becomes tokens.
struct DataConfig {
  PairFiles train;
  PairFiles valid;
  std::string source_language;  ///< a LanguageCode; empty: not told
  std::string target_language;
  bool lowercase = false;
  int max_length = 100;
  LargeTextConfig large;

  std::string vocabulary = "unigram";
  std::string target_vocabulary = "same";
  bool joint_vocabulary = false;
  int source_vocabulary_size = 0;
  int target_vocabulary_size = 0;
  int min_count = 1;
  std::string normalization = "nmt_nfkc";
  double bpe_dropout = 0;  // probability

  int batch_tokens = 4096;
  int batch_sentences = 0;

  int valid_beam = 1;
  Auto<BleuTokenizer> tokenize;

  std::vector<std::string> guided_alignment;
  double guided_alignment_weight = 0.05;
  bool guided_alignment_shift = false;
  std::vector<std::string> valid_alignment;

  DecodeRules rules;  // of translations, unless options say otherwise

  HardChoiceConfig hard;  // of a model that makes some

  void Visit(FieldList& v);
  /// Throws: ConfigError.
  void Resolve();

  VocabularyKind source_kind() const;
  VocabularyKind target_kind() const;
  /// source_language and target_language; where they are empty, what the names
  /// of the training files or of the columns of their tables tell.
  LanguagePair Languages() const;
};

/// Source and target; the same object twice if they are joint.
struct Vocabularies {
  Vocabulary source;
  Vocabulary target;
};

/// Training and validation text of a run. The text is lower-cased if the config
/// says so; validation pairs are never dropped.
struct TrainingText {
  ParallelText train;
  ParallelText valid;  // may be empty
  /// Of text that is larger than memory: `train` is a sample of it.
  std::shared_ptr<const TextStore> store = {};

  bool has_valid() const { return !valid.source.empty(); }
  /// Tells one text from another. A resumed run must see the same.
  std::string CheckSum() const;
};

/// Reads the files that the config names. Throws: ConfigError if they are not
/// named or named twice; IoError; FormatError. `quiet`: as of TextStore.
TrainingText ReadTrainingText(const DataConfig& config, bool quiet = false);

/// Learns the vocabularies. Throws: ConfigError if the text does not allow
/// them.
Vocabularies TrainVocabularies(const ParallelText& text,
                               const DataConfig& config);

void LowercaseLines(std::vector<std::string>& lines);
/// Lower-cases both sides.
void LowercaseText(ParallelText& text);

/// Sources with one or more right answers each.
struct ReferencedText {
  std::vector<std::string> source;
  std::vector<References> references;

  /// Each source with the first of its answers.
  ParallelText First() const;
};

/// Every line with its own answer; or, with `alternatives`, lines of equal
/// source as one item, in the order of their first lines, with all answers.
ReferencedText ReferencesOf(const ParallelText& text, bool alternatives);

}  // namespace heed::translate

#endif  // HEED_TASKS_TRANSLATE_PARALLEL_TEXT_H_
