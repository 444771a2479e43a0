// A tag for each word of a sentence, and optionally an intent for the whole.
#ifndef HEED_MODELS_TAGGER_H_
#define HEED_MODELS_TAGGER_H_

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "heed/base/config.h"
#include "heed/base/model_outline.h"
#include "heed/models/sentence_encoder.h"
#include "heed/nn/linear.h"
#include "heed/nn/pooling.h"
#include "heed/ops/crf.h"

namespace heed {

/// Tags of a sentence by a conditional random field, or each by itself.
enum class TagDecoder : uint8_t { kCrf, kSoftmax };
constexpr auto WordsOf(TagDecoder) { return std::array{"crf", "softmax"}; }

/// What stands behind the encoder of a tagger.
struct TaggerConfig {
  Named<TagDecoder> tag_decoder = TagDecoder::kCrf;
  double output_dropout = 0;
  double intent_weight = 1;
  bool intent_informs_tags = true;
  bool joint_intents = true;

  void Visit(FieldList& v);
};

struct TaggerSizes {
  int64_t tags = 0;
  int64_t intents = 0;  // 0: tags alone
};

/// Shapes: tags i32 [B, T], intents i32 [B]; both for learning, −1 where there
/// is none or an unknown one.
struct TagBatch {
  SentenceBatch sentences;
  Tensor tags;
  Tensor intents;
};

struct TagLossOptions {
  double scale = 1;
  double smoothing = 0;  // of labels; not with a CRF
};

struct TagLoss {
  // scale · (Σ −log p(tags) + weight · Σ −log p(intent)); with joint intents
  // the tags are given the intent, or the likeliest one where it is unknown.
  Var loss;
  double nll = 0;  // the same without smoothing of labels and without scale
};

/// Of every word and sentence the likeliest, and how likely it is. Shapes: as
/// TagBatch; probabilities are of the model's dtype. Behind a row's end nothing
/// is meant.
struct TagPrediction {
  Tensor tags;
  Tensor tag_probabilities;
  Tensor intents;  // undefined without intents
  Tensor intent_probabilities;
};

/// Scores of each tag and intent, of which log softmax makes log p; of a random
/// field the tags' emissions, given the likeliest intent where both are one.
/// Shapes: tags [B, T, C]; intents [B, I], undefined without intents.
struct TagScores {
  Var tags;
  Var intents;
};

/// An encoder of sentences, and on each of its vectors of words h_t:
///   softmax  p(y_t) = softmax(W h_t + b)
///   crf      p(y) of a conditional random field with emissions W h_t + b
/// With intents there is p(z) = softmax(V g + d), where g is what the encoder
/// pools, else the vectors of words pooled by attention; if the intent informs
/// the tags, U g is added to W h_t + b. Joint intents make one field of both,
///   p(y, z) ∝ exp((V g + d)_z + Σ_t (W h_t + b + J_z)_y_t + transitions of y),
/// in which the prediction is the likeliest z, and given it the likeliest y.
/// Immutable but for its parameters: those of the encoder, tags, crf, pooling,
/// intents, informed, joint.
/// Paper: Lample et al. 2016, arXiv:1603.01360; Liu and Lane 2016,
/// arXiv:1609.01454 (intents); Jeong and Lee 2008 (triangular-chain field).
class Tagger {
 public:
  /// Throws: ConfigError.
  Tagger(const Scope& scope, const TaggerConfig& config,
         const TaggerSizes& sizes, std::unique_ptr<SentenceEncoder> encoder);

  /// Sentences with an unknown tag count nothing in a CRF; elsewhere only the
  /// word does. Throws: ShapeError.
  TagLoss Loss(const Context& ctx, const TagBatch& batch,
               const TagLossOptions& options) const;
  /// Throws: ShapeError.
  TagPrediction Predict(const Context& ctx, const TagBatch& batch) const;
  /// Throws: ShapeError.
  TagScores Scores(const Context& ctx, const TagBatch& batch) const;
  /// p of each tag of each word (of a random field over all paths), given the
  /// likeliest intent where both are one, and of each intent. Shapes: as
  /// Scores. Throws: ShapeError.
  TagScores Probabilities(const Context& ctx, const TagBatch& batch) const;
  ModelOutline Outline() const;

 private:
  /// The parameters of a random field.
  struct Transitions {
    Parameter* between;
    Parameter* start;
    Parameter* end;
  };
  TagScores Score(const Context& ctx, const TagBatch& batch) const;
  Var Given(const Context& ctx, const Var& emissions,
            const Tensor& intents) const;
  Var LogPartitions(const Context& ctx, const Var& emissions,
                    const Tensor& lengths) const;
  Crf CrfOf(const Context& ctx, const Var& emissions) const;

  TaggerConfig config_;
  std::unique_ptr<SentenceEncoder> encoder_;
  Linear tags_;
  std::optional<Transitions> crf_;
  std::optional<Pooling> pooling_;
  std::optional<Linear> intents_;
  Parameter* informed_ = nullptr;  // [M, C]
  Parameter* joint_ = nullptr;     // [I, C]
};

}  // namespace heed

#endif  // HEED_MODELS_TAGGER_H_
