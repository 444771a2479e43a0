// Translators that learn to copy sentences.
#ifndef HEED_COURSE_COPYING_MODEL_H_
#define HEED_COURSE_COPYING_MODEL_H_

#include <array>
#include <cstdint>
#include <string>

#include "course/demos.h"
#include "heed/data/corpus.h"
#include "heed/tasks/translate/translation_model.h"

namespace heed {

inline constexpr int64_t kShortestCopied = 5;
inline constexpr int64_t kLongestCopied = 30;

/// Models without and with attention, by their names in the registry.
enum class CopyingKind : uint8_t { kFixed, kAttentive };
constexpr auto WordsOf(CopyingKind) { return std::array{"fixed", "bahdanau"}; }

/// Variants of the fixed model: two layers that read the sentence backwards, or
/// one layer that reads it forwards.
enum class FixedVariant : uint8_t { kBackwards, kForwards };
constexpr auto WordsOf(FixedVariant) { return std::array{"sutskever", "cho"}; }

/// Options of a demonstration that trains both models.
struct CopyingOptions : DemoOptions {
  Named<FixedVariant> variant = FixedVariant::kBackwards;
  int sentences = 20000;
  int epochs = 5;

  void VisitOwn(FieldList& v) override;
  /// Training copies of kShortestCopied to kLongestCopied words.
  ParallelText Copies() const;
};

/// Trains a model on `copies` and validates it on other copies of the same
/// lengths. Writes the model folder.
translate::Model TrainCopying(const CopyingOptions& options, CopyingKind kind,
                              const ParallelText& copies);

}  // namespace heed

#endif  // HEED_COURSE_COPYING_MODEL_H_
