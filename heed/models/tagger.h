// Taggers: a tag for each word of a sentence, and an optional intent of the
// sentence.
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

/// Decoding of tags: a conditional random field, or each word independently.
enum class TagDecoder : uint8_t { kCrf, kSoftmax };
constexpr auto WordsOf(TagDecoder) { return std::array{"crf", "softmax"}; }

/// Configuration of the head of a tagger.
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
  int64_t intents = 0;  // 0: only tags
};

/// Sentences with targets. Shapes: tags i32 [B, T], intents i32 [B]; both only
/// for training, −1 if missing or unknown.
struct TagBatch {
  SentenceBatch sentences;
  Tensor tags;
  Tensor intents;
};

struct TagLossOptions {
  double scale = 1;
  double smoothing = 0;  // label smoothing; not with a CRF
};

struct TagLoss {
  // scale · (Σ −log p(tags) + weight · Σ −log p(intent)). With joint intents,
  // tags are conditioned on the intent, or on the most probable one if it is
  // unknown.
  Var loss;
  double nll =
      0;  // sum of negative log-likelihoods, without smoothing and scale
};

/// Predicted tags and intents with their probabilities. Shapes: those of
/// TagBatch; probabilities have the model's dtype. Padding is undefined.
struct TagPrediction {
  Tensor tags;
  Tensor tag_probabilities;
  Tensor intents;  // undefined without intents
  Tensor intent_probabilities;
};

/// Scores whose log softmax is log p. For a CRF, the tag scores are emissions,
/// given the most probable intent if intents are joint. Shapes: tags [B, T, C];
/// intents [B, I], undefined without intents.
struct TagScores {
  Var tags;
  Var intents;
};

/// Sentence encoder with a head on each word state h_t:
///   softmax  p(y_t) = softmax(W h_t + b)
///   crf      p(y) of a conditional random field with emissions W h_t + b
/// Intents have p(z) = softmax(V g + d), where g is the sentence vector of the
/// encoder, or else attention pooling of the word states. If the intent informs
/// the tags, U g is added to W h_t + b. Joint intents form one field with the
/// tags,
///   p(y, z) ∝ exp((V g + d)_z + Σ_t (W h_t + b + J_z)_y_t + transitions of y),
/// whose prediction is the most probable z, and given z the most probable y.
/// Immutable except for its parameters: those of the encoder, tags, crf,
/// pooling, intents, informed, joint. Paper: Lample et al. 2016,
/// arXiv:1603.01360; Liu and Lane 2016, arXiv:1609.01454 (intents); Jeong and
/// Lee 2008 (triangular-chain field).
class Tagger {
 public:
  /// Throws: ConfigError.
  Tagger(const Scope& scope, const TaggerConfig& config,
         const TaggerSizes& sizes, std::unique_ptr<SentenceEncoder> encoder);

  /// Training loss. A CRF ignores sentences with an unknown tag; otherwise only
  /// the word is ignored. Throws: ShapeError.
  TagLoss Loss(const Context& ctx, const TagBatch& batch,
               const TagLossOptions& options) const;
  /// Throws: ShapeError.
  TagPrediction Predict(const Context& ctx, const TagBatch& batch) const;
  /// Throws: ShapeError.
  TagScores Scores(const Context& ctx, const TagBatch& batch) const;
  /// Probability of each tag of each word (for a CRF the marginal over all
  /// paths), given the most probable intent if intents are joint, and of each
  /// intent. Shapes: see Scores. Throws: ShapeError.
  TagScores Probabilities(const Context& ctx, const TagBatch& batch) const;
  ModelOutline Outline() const;

 private:
  /// Parameters of a conditional random field.
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
