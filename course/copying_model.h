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

/// A model without attention and one with it, as the registry calls them.
enum class CopyingKind : uint8_t { kFixed, kAttentive };
constexpr auto WordsOf(CopyingKind) { return std::array{"fixed", "bahdanau"}; }

/// Variants of the former: two layers that read the sentence backwards, or one
/// that reads it as it stands.
enum class FixedVariant : uint8_t { kBackwards, kForwards };
constexpr auto WordsOf(FixedVariant) { return std::array{"sutskever", "cho"}; }

/// Of a demonstration that trains both.
struct CopyingOptions : DemoOptions {
  Named<FixedVariant> variant = FixedVariant::kBackwards;
  int sentences = 20000;
  int epochs = 5;

  void VisitOwn(FieldList& v) override;
  /// Copies of kShortestCopied to kLongestCopied words, to learn from.
  ParallelText Copies() const;
};

/// Trains it on these copies; validation is on others of their lengths. Leaves
/// its folder.
translate::Model TrainCopying(const CopyingOptions& options, CopyingKind kind,
                              const ParallelText& copies);

}  // namespace heed

#endif  // HEED_COURSE_COPYING_MODEL_H_
