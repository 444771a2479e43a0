// Third-order Boltzmann machine that combines glimpses, with a controller that
// learns by regression which glimpse is most informative.
#ifndef HEED_MODELS_IMAGE_FOVEAL_H_
#define HEED_MODELS_IMAGE_FOVEAL_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "heed/models/image_classifier.h"
#include "heed/models/settings.h"
#include "heed/nn/linear.h"
#include "heed/ops/glimpse.h"

namespace heed {

/// Policy that selects fixations.
enum class FixationOrder : uint8_t { kLearned, kRandom, kRaster };
constexpr auto WordsOf(FixationOrder) {
  return std::array{"learned", "random", "raster"};
}

/// User-facing configuration of a FovealMachine.
struct FovealConfig {
  int fixations = 6;
  int fovea = 8;
  int grid = 7;
  int factors = 150;
  int hidden = 300;
  Named<FixationOrder> order = FixationOrder::kLearned;
  double generative = 0.01;
  double temperature = 0.1;
  int cell = 0;
  Named<NumberFormat> precision = NumberFormat::kF32;

  void Visit(FieldList& v);
  /// Replaces "auto" and 0. Throws: ConfigError.
  void Fill(const ImageUse& use);
};

/// A retina x_k [R] (a sharp square of `fovea` pixels, and one twice as wide in
/// means of 4 × 4 pixels) moves over a grid of places without repetition. With
/// classes y, hidden units h in {0, 1}^J and a vector z for each place:
///   E(y, x, h) = −d_y − hᵀU_y − cᵀh − Σ_k [bᵀx_k + hᵀ P (z_{l_k} ⊙ F x_k)]
/// With A = c + Σ_k P (z_{l_k} ⊙ F x_k), in which the order of fixations does
/// not matter, p(y | x) ∝ exp(d_y + Σ_j softplus(A_j + U_yj)) exactly. Loss,
/// averaged over the first k fixations: −log p(y | x_1 .. x_k)
///   + α [F(x_k, y) − F(x⁻, y⁻)], F = −d_y − bᵀx_k − Σ_j softplus(A_j + U_yj),
///     (x⁻, y⁻) one Gibbs step through h from (x_k, y), as constants
///   + (f(s, l_k) − log p(y | x_1 .. x_k))²: the controller f(s, l) = w_lᵀ s +
///     a_l, whose input s = E[h | x_1 .. x_{k−1}] is a constant, 0 before x_1.
/// In training l_k is sampled from softmax(f / τ), otherwise it maximises f.
/// Immutable except for its parameters: filters, places, pooling, hidden,
/// classes, pixels, controller. Paper: Larochelle and Hinton 2010 (energy as
/// published; sizes and τ are Heed's, and the Gibbs step uses means of pixels).
class FovealMachine : public ImageClassifier {
 public:
  FovealMachine(const Scope& scope, const FovealConfig& config,
                const ImageUse& use);

  Var Scores(const Context& ctx, const Var& images) const override;
  ImageLoss Loss(const Context& ctx, const Var& images, const Tensor& labels,
                 const ImageLossOptions& options) const override;
  int64_t cell() const override { return config_.cell; }
  std::vector<ImageLook> Looks(const Context& ctx,
                               const Var& images) const override;
  ModelOutline Outline() const override;

  /// Number of elements of a retina.
  int64_t retina() const;
  int64_t places() const { return int64_t{config_.grid} * config_.grid; }
  /// Retina at these places, i32 [B]. Shapes: result [B, R].
  Var Retina(const Var& images, const Tensor& places) const;
  /// P (z_l ⊙ F x). Shapes: x [B, R], places i32 [B], result [B, J].
  Var Contribution(const Context& ctx, const Var& x,
                   const Tensor& places) const;
  /// c for each batch row. Shapes: result [B, J].
  Var Start(const Context& ctx, int64_t batch) const;
  /// d_y + Σ_j softplus(A_j + U_yj). Shapes: sums A [B, J], result [B, K].
  Var ClassScores(const Context& ctx, const Var& sums) const;
  /// Free energy F(x, y), [B, 1], given the earlier sums (with c) [B, J]. Only
  /// for models with contrastive divergence.
  Var FreeEnergy(const Context& ctx, const Var& before, const Var& x,
                 const Tensor& places, const Tensor& classes) const;
  /// E[h] given sums A, [B, J].
  Tensor MeanHidden(const Tensor& sums) const;
  struct Gibbs {
    Tensor x;        // [B, R], means
    Tensor classes;  // i32 [B]
  };
  /// One Gibbs step from (x, y) through sampled h. Only for models with
  /// contrastive divergence.
  Gibbs GibbsStep(const Tensor& before, const Tensor& x, const Tensor& places,
                  const Tensor& classes, uint64_t key) const;
  /// Random choices of one fixation: the place i32 [B] and, with contrastive
  /// divergence, the result of the Gibbs step.
  struct Drawn {
    Tensor place;
    Gibbs negative;
  };
  /// Loss. `given`, one for each fixation, replaces random choices in tests.
  ImageLoss LossOf(const Context& ctx, const Var& images, const Tensor& labels,
                   const ImageLossOptions& options,
                   const std::vector<Drawn>* given = nullptr) const;

 private:
  /// A + U_y for each class. Shapes: sums [B, J], result [B K, J].
  Var ClassSums(const Context& ctx, const Var& sums) const;
  /// Class scores from A + U_y.
  Var ScoresOf(const Context& ctx, const Var& class_sums) const;
  /// Selects the place of fixation k, i32 [B], and excludes it from later ones.
  Tensor NextPlace(const Context& ctx, const Var& wanted, int k,
                   Tensor& barred) const;
  Tensor CentresOf(const Tensor& places, DType dtype) const;
  /// Calls each(k, before, x, place, wanted, sums) for each fixation, with sums
  /// A before and after it, and the controller's scores of all places
  /// (undefined unless learned).
  template <class Each>
  void Fixate(const Context& ctx, const Var& images,
              const std::vector<Drawn>* given, const Each& each) const;

  ImageUse use_;
  FovealConfig config_;
  GlimpseShape sharp_, coarse_;
  Parameter& filters_;                // F [R, D]
  Embedding places_;                  // z [places, D]
  Parameter& pooling_;                // P [D, J]
  Parameter& hidden_bias_;            // c [J]
  Embedding classes_;                 // U [K, J]
  Parameter& class_bias_;             // d [K]
  Parameter* pixel_bias_ = nullptr;   // b [R]; none without contrastive
                                      // divergence
  std::optional<Linear> controller_;  // J -> places; none unless learned
};

}  // namespace heed

#endif  // HEED_MODELS_IMAGE_FOVEAL_H_
