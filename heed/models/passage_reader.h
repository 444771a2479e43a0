// What answers questions with a word of a passage.
#ifndef HEED_MODELS_PASSAGE_READER_H_
#define HEED_MODELS_PASSAGE_READER_H_

#include <cstdint>
#include <memory>

#include "heed/autograd/context.h"
#include "heed/autograd/parameter_set.h"
#include "heed/base/model_outline.h"
#include "heed/models/roles.h"

namespace heed {

/// B questions, each about a passage of its own; ids are of words, and behind
/// an end any.
struct PassageBatch {
  Tensor passages;          ///< i32 [B, S]
  Tensor passage_lengths;   ///< i32 [B]
  Tensor questions;         ///< i32 [B, T]
  Tensor question_lengths;  ///< i32 [B], each at least 1
  /// i32 [B, S]: which of the C answers each word of a passage is, −1: none.
  Tensor answers;
  int64_t C = 0;
  /// Pretrained (frozen) vectors of both, [B, S, F] and [B, T, F], or
  /// undefined.
  Tensor passage_vectors = {}, question_vectors = {};

  int64_t B() const { return passages.dim(0); }
  int64_t S() const { return passages.dim(1); }
};

/// An observer knows the vectors of a passage as "source" and those of a
/// question as "question", and the attention to the passage as that of an
/// "answer". Immutable but for its parameters.
class PassageReader {
 public:
  virtual ~PassageReader() = default;

  /// Log-probabilities of the answers but for a constant of each row;
  /// −infinity for those that the passage has not. Shapes: result [B, C].
  /// Throws: ShapeError.
  virtual Var Scores(const Context& ctx, const PassageBatch& batch) const = 0;
  /// What it is made of, but for its name, as TaskModel has it; undefined: it
  /// does not say.
  virtual ModelOutline Outline() const { return {}; }
};

/// Reads passages and questions.
class PassageReaderSettings : public ModelSettings {
 public:
  static constexpr const char* kRole = "reader of passages";

  /// As TranslatorSettings::Fill.
  virtual void Fill() = 0;
  /// Of settings that are filled, for words of these sizes. Throws:
  /// ConfigError.
  virtual std::unique_ptr<PassageReader> Make(const Scope& scope,
                                              const TextSizes& sizes) const = 0;
};

/// Throws: ShapeError, naming `where`, unless all sizes fit, ids are of the
/// vocabulary, and there are vectors as the model reads them.
void CheckPassageBatch(const char* where, const PassageBatch& batch,
                       const TextSizes& sizes);

}  // namespace heed

#endif  // HEED_MODELS_PASSAGE_READER_H_
