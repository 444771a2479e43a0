// Readers that answer questions with a word of a passage.
#ifndef HEED_MODELS_PASSAGE_READER_H_
#define HEED_MODELS_PASSAGE_READER_H_

#include <cstdint>
#include <memory>

#include "heed/autograd/context.h"
#include "heed/autograd/parameter_set.h"
#include "heed/base/model_outline.h"
#include "heed/models/roles.h"

namespace heed {

/// B questions, each with a passage; ids are words, padding is arbitrary.
struct PassageBatch {
  Tensor passages;          ///< i32 [B, S]
  Tensor passage_lengths;   ///< i32 [B], each at least 1
  Tensor questions;         ///< i32 [B, T]
  Tensor question_lengths;  ///< i32 [B], each at least 1
  /// i32 [B, S]: index of the answer (of C) at each word of a passage, −1:
  /// none.
  Tensor answers;
  int64_t C = 0;
  /// Pretrained (frozen) vectors of passages [B, S, F] and questions [B, T, F],
  /// or undefined.
  Tensor passage_vectors = {}, question_vectors = {};

  int64_t B() const { return passages.dim(0); }
  int64_t S() const { return passages.dim(1); }
};

/// Passage reader. Observers receive the vectors of a passage as "source",
/// those of a question as "question", and the attention to the passage as that
/// of an "answer". Immutable except for its parameters.
class PassageReader {
 public:
  virtual ~PassageReader() = default;

  /// Log-probabilities of the answers, up to a constant for each row; −infinity
  /// for answers that do not occur in the passage. Shapes: result [B, C].
  /// Throws: ShapeError.
  virtual Var Scores(const Context& ctx, const PassageBatch& batch) const = 0;
  /// Structure for diagrams, without the name, which TaskModel adds; undefined
  /// if not provided.
  virtual ModelOutline Outline() const { return {}; }
};

/// Role: reads passages and questions.
class PassageReaderSettings : public ModelSettings {
 public:
  static constexpr const char* kRole = "reader of passages";

  /// Replaces "auto" and 0 by the model's defaults. Throws: ConfigError.
  virtual void Fill() = 0;
  /// Makes a reader for a vocabulary of these sizes; settings must be filled.
  /// Throws: ConfigError.
  virtual std::unique_ptr<PassageReader> Make(const Scope& scope,
                                              const TextSizes& sizes) const = 0;
};

/// Throws: ShapeError, naming `where`, unless all sizes are consistent, ids are
/// in the vocabulary, and pretrained vectors are present if and only if the
/// model reads them.
void CheckPassageBatch(const char* where, const PassageBatch& batch,
                       const TextSizes& sizes);

}  // namespace heed

#endif  // HEED_MODELS_PASSAGE_READER_H_
