// The recurrent attention model: a network that sees an image through a small
// window, and decides itself where to look next.
#ifndef HEED_MODELS_IMAGE_GLIMPSE_NETWORK_H_
#define HEED_MODELS_IMAGE_GLIMPSE_NETWORK_H_

#include <optional>
#include <vector>

#include "heed/models/image_classifier.h"
#include "heed/models/settings.h"
#include "heed/nn/linear.h"
#include "heed/ops/glimpse.h"

namespace heed {

/// What says where to look next.
enum class Look : uint8_t { kLearned, kRandom, kCentre };
constexpr auto WordsOf(Look) {
  return std::array{"learned", "random", "centre"};
}

/// Anywhere, or one of nine steps of half a window (one of which stays).
enum class Move : uint8_t { kJump, kStep };
constexpr auto WordsOf(Move) { return std::array{"jump", "step"}; }

/// As the user writes it.
struct GlimpseConfig {
  int looks = 6;
  int glimpse = 8;
  int scales = 1;
  Named<Look> look = Look::kLearned;
  Named<Move> move = Move::kJump;
  double deviation = 0.15;
  double reinforce = 0.1;
  int glimpse_units = 128;
  int units = 256;
  int cell = 0;
  Named<NumberFormat> precision = NumberFormat::kF32;

  void Visit(FieldList& v);
  /// Replaces what is left open. Throws: ConfigError.
  void Fill(const ImageUse& use);
};

/// With ρ_t the glimpse at l_t:
///   g_t = relu(W relu(W ρ_t) + W relu(W l_t)),  h_t = relu(W h_{t−1} + W g_t)
///   l_{t+1} ~ N(tanh(W relu(W h_t)), σ²), clamped to [−1, 1] (jump), or l_t
///   and one of nine steps by softmax(W relu(W h_t)) (step)
///   scores W h_T
/// While it is used, and not trained, the mean or the likeliest step is taken,
/// and it begins in the middle; training begins anywhere.
/// Loss: cross entropy + Σ_t (b_t − R)² / (T − 1) + λ Σ_t −log π(l_t) (R − b_t)
/// with R = 1 where the likeliest class is right and b_t = W h_t. The policy
/// and b see h as a constant, the policy R − b too, and l is one: without that
/// the cross entropy would teach the policy through the glimpses' places.
/// Immutable but for its parameters: see, place, glimpse_see, glimpse_place,
/// state, core, locate, location, baseline, output.
/// Paper: Mnih et al. 2014, arXiv:1406.6247; the hidden layer of the policy and
/// the settings are those of later implementations.
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

  /// Where each look is, [B, 2] each, and what it decided by. `given`: taken in
  /// the place of what would be drawn, for tests.
  struct Pass {
    std::vector<Tensor> places;          // T
    std::vector<Var> log_probabilities;  // T − 1 of [B], if learned
    std::vector<Var> baselines;          // likewise
    Var scores;                          // [B, K]
  };
  Pass Run(const Context& ctx, const Var& images,
           const std::vector<Tensor>* given = nullptr) const;
  /// The loss of a pass.
  ImageLoss LossOf(const Pass& pass, const Tensor& labels,
                   const ImageLossOptions& options) const;

 private:
  Tensor FirstPlace(const Context& ctx, int64_t images, DType dtype) const;
  Var Seen(const Context& ctx, const Var& images, const Tensor& place) const;
  /// The place of look `t` + 1 from the state after look t.
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
  Parameter* place_bias_;  // not 0, or all kinks were lines through the middle
  Linear glimpse_see_, glimpse_place_, state_, core_;
  std::optional<Linear> locate_, location_, baseline_;
  Linear output_;
};

}  // namespace heed

#endif  // HEED_MODELS_IMAGE_GLIMPSE_NETWORK_H_
