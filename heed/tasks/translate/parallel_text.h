// Training text of translation models, and its vocabularies.
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
#include "heed/text/noise.h"
#include "heed/text/vocabulary.h"

namespace heed::translate {

/// Files of text, their vocabularies and batches.
struct DataConfig {
  PairFiles train;
  PairFiles valid;
  std::string source_language;  ///< a LanguageCode; empty: unknown
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
  NoiseOptions noise;      // of training sources

  int batch_tokens = 4096;
  int batch_sentences = 0;

  int valid_beam = 1;
  Auto<BleuTokenizer> tokenize;

  std::vector<std::string> guided_alignment;
  double guided_alignment_weight = 0.05;
  bool guided_alignment_shift = false;
  std::vector<std::string> valid_alignment;

  bool copy = false;         // of source tokens: see CopyingDecoder
  double coverage_loss = 0;  // weight: see CoverageLoss

  DecodeRules rules;  // defaults of translation

  HardChoiceConfig hard;  // for models with hard attention

  void Visit(FieldList& v);
  /// Resolves defaults. Throws: ConfigError.
  void Resolve();

  VocabularyKind source_kind() const;
  VocabularyKind target_kind() const;
  /// source_language and target_language. Empty ones are taken from the names
  /// of the training files or of the columns of their tables.
  LanguagePair Languages() const;
};

/// Source and target vocabulary; equal if joint.
struct Vocabularies {
  Vocabulary source;
  Vocabulary target;
};

/// Training and validation text of a run. The text is lower-cased if the config
/// says so; validation pairs are never dropped.
struct TrainingText {
  ParallelText train;
  ParallelText valid;  // may be empty
  /// The store of a text that is larger than memory; `train` is then a sample.
  std::shared_ptr<const TextStore> store = {};

  bool has_valid() const { return !valid.source.empty(); }
  /// Checksum to detect changes: a resumed run must have an equal text.
  std::string Checksum() const;
};

/// Reads the files that the config names. Throws: ConfigError if they are
/// missing or named twice; IoError; FormatError. `quiet`: as in TextStore.
TrainingText ReadTrainingText(const DataConfig& config, bool quiet = false);

/// Learns the vocabularies. Throws: ConfigError if the text does not allow
/// them.
Vocabularies TrainVocabularies(const ParallelText& text,
                               const DataConfig& config);

void LowercaseLines(std::vector<std::string>& lines);
/// Lower-cases both sides.
void LowercaseText(ParallelText& text);

/// Sources with one or more references each.
struct ReferencedText {
  std::vector<std::string> source;
  std::vector<References> references;

  /// Pairs of each source with its first reference.
  ParallelText First() const;
};

/// Pairs each line with its reference. With `alternatives`, lines of equal
/// source become one item with all their references, in the order of their
/// first lines.
ReferencedText ReferencesOf(const ParallelText& text, bool alternatives);

}  // namespace heed::translate

#endif  // HEED_TASKS_TRANSLATE_PARALLEL_TEXT_H_
