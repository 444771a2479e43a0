// Recurrent attention model: sees an image through a small window and learns
// where to look next.
#ifndef HEED_MODELS_IMAGE_GLIMPSE_NETWORK_H_
#define HEED_MODELS_IMAGE_GLIMPSE_NETWORK_H_

#include <optional>
#include <vector>

#include "heed/models/image_classifier.h"
#include "heed/models/settings.h"
#include "heed/nn/linear.h"
#include "heed/ops/glimpse.h"

namespace heed {

/// Policy that selects the next location.
enum class Look : uint8_t { kLearned, kRandom, kCentre };
constexpr auto WordsOf(Look) {
  return std::array{"learned", "random", "centre"};
}

/// Action: jump anywhere, or one of nine steps of half a window (including
/// none).
enum class Move : uint8_t { kJump, kStep };
constexpr auto WordsOf(Move) { return std::array{"jump", "step"}; }

/// User-facing configuration of a GlimpseNetwork.
struct GlimpseConfig {
  int looks = 6;
  int glimpse = 8;
  int scales = 1;
  Named<Look> look = Look::kLearned;
  Named<Move> move = Move::kJump;
  double deviation = 0.15;
  double reinforce = 0.1;
  int paths = 1;
  int glimpse_units = 128;
  int units = 256;
  int cell = 0;
  Named<NumberFormat> precision = NumberFormat::kF32;

  void Visit(FieldList& v);
  /// Replaces "auto" and 0. Throws: ConfigError.
  void Fill(const ImageUse& use);
};

/// With ρ_t the glimpse at l_t:
///   g_t = relu(W relu(W ρ_t) + W relu(W l_t)),  h_t = relu(W h_{t−1} + W g_t)
///   l_{t+1} ~ N(tanh(W relu(W h_t)), σ²), clamped to [−1, 1] (jump), or l_t
///   and one of nine steps by softmax(W relu(W h_t)) (step)
///   scores W h_T
/// Training starts at a random location and samples. Otherwise the model starts
/// in the middle and takes the mean or the most probable step. Loss:
/// cross-entropy + Σ_t (b_t − R)² / (T − 1) + λ Σ_t −log π(l_t) (R − b_t) with
/// R = 1 if the predicted class is right and b_t = W h_t. h is a constant for
/// the policy and b, R − b is a constant for the policy, and so is l. Otherwise
/// the cross-entropy would train the policy through the locations of glimpses.
/// The training loss is the mean over `paths` sampled paths of each image.
/// Immutable except for its parameters: see, place, glimpse_see, glimpse_place,
/// state, core, locate, location, baseline, output. Paper: Mnih et al. 2014,
/// arXiv:1406.6247; the hidden layer of the policy and the settings follow
/// later implementations.
class GlimpseNetwork : public ImageClassifier {
 public:
  GlimpseNetwork(const Scope& scope, const GlimpseConfig& config,
                 const ImageUse& use);

  Var Scores(const Context& ctx, const Var& images) const override;
  ImageLoss Loss(const Context& ctx, const Var& images, const Tensor& labels,
                 const ImageLossOptions& options) const override;
  int64_t cell() const override { return config_.cell; }
  std::vector<ImageLook> Looks(const Context& ctx,
                               const Var& images) const override;
  ModelOutline Outline() const override;

  /// Locations of looks, [B, 2] each, and intermediate values of the policy.
  /// `given` replaces sampled locations in tests.
  struct Pass {
    std::vector<Tensor> places;          // T
    std::vector<Var> log_probabilities;  // T − 1 of [B], if learned
    std::vector<Var> baselines;          // T − 1 of [B], if learned
    Var scores;                          // [B, K]
  };
  Pass Run(const Context& ctx, const Var& images,
           const std::vector<Tensor>* given = nullptr) const;
  /// Loss of a pass.
  ImageLoss LossOf(const Pass& pass, const Tensor& labels,
                   const ImageLossOptions& options) const;

 private:
  Tensor FirstPlace(const Context& ctx, int64_t images, DType dtype) const;
  Var Seen(const Context& ctx, const Var& images, const Tensor& place) const;
  /// Location of the next look, from the current state.
  Tensor Next(const Context& ctx, const Var& state, const Tensor& place,
              const Tensor* given, Pass& pass) const;
  Tensor NextJump(const Context& ctx, const Var& hidden, const Tensor* given,
                  Pass& pass) const;
  Tensor NextStep(const Context& ctx, const Var& hidden, const Tensor& place,
                  const Tensor* given, Pass& pass) const;
  bool learned() const { return config_.look == Look::kLearned; }

  ImageUse use_;
  GlimpseConfig config_;
  GlimpseShape shape_;
  Linear see_, place_;
  Parameter* place_bias_;  // initialised nonzero, so that kinks do not all pass
                           // through the middle
  Linear glimpse_see_, glimpse_place_, state_, core_;
  std::optional<Linear> locate_, location_, baseline_;
  Linear output_;
};

}  // namespace heed

#endif  // HEED_MODELS_IMAGE_GLIMPSE_NETWORK_H_
