// The text of a run, as the trainer wants it.
#ifndef HEED_TRAIN_DATASET_H_
#define HEED_TRAIN_DATASET_H_

#include <string>
#include <vector>

#include "heed/data/corpus.h"
#include "heed/train/model_folder.h"

namespace heed {

/// Training and validation text of a run. The text is lower-cased if the config
/// says so; validation pairs are never dropped.
struct TrainingText {
  ParallelText train;
  ParallelText valid;  // may be empty

  bool has_valid() const { return !valid.source.empty(); }
  /// Tells one text from another. A resumed run must see the same.
  std::string CheckSum() const;
};

/// Reads the files that the config names. Throws: ConfigError if they are not
/// named or named twice; IoError; FormatError.
TrainingText ReadTrainingText(const DataConfig& config);

/// Learns the vocabularies. Throws: ConfigError if the text does not allow
/// them.
Vocabularies TrainVocabularies(const ParallelText& text,
                               const DataConfig& config);

/// Lower-cases both sides.
void LowercaseText(ParallelText& text);

}  // namespace heed

#endif  // HEED_TRAIN_DATASET_H_
