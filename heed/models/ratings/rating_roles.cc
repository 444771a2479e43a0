// Registry rows of rating predictors.
#include "heed/models/ratings/d_attn.h"
#include "heed/models/ratings/mpcn.h"
#include "heed/models/ratings/rating_factors.h"
#include "heed/models/registry.h"

namespace heed {
namespace {

/// Role of a network that is constructed from its resolved settings.
template <typename Network, typename Config>
class ReviewRatings : public SettingsOf<ReviewRatings<Network, Config>,
                                        RatingSettings, Config> {
 public:
  using SettingsOf<ReviewRatings, RatingSettings, Config>::SettingsOf;
  void Fill() override {}
  std::unique_ptr<RatingPredictor> Make(
      const Scope& scope, const RatingSizes& sizes) const override {
    return std::make_unique<Network>(scope, this->config_.Resolve(), sizes);
  }
};

class FactorRatings
    : public SettingsOf<FactorRatings, RatingSettings, RatingFactorsConfig> {
 public:
  using SettingsOf::SettingsOf;
  void Fill() override {}
  std::unique_ptr<RatingPredictor> Make(
      const Scope& scope, const RatingSizes& sizes) const override {
    return std::make_unique<RatingFactors>(scope, config_, sizes);
  }
};

class BiasRatings
    : public SettingsOf<BiasRatings, RatingSettings, RatingBiasConfig> {
 public:
  using SettingsOf::SettingsOf;
  void Fill() override {}
  std::unique_ptr<RatingPredictor> Make(
      const Scope& scope, const RatingSizes& sizes) const override {
    return std::make_unique<RatingBias>(scope, sizes);
  }
};

class MeanRatings
    : public SettingsOf<MeanRatings, RatingSettings, RatingBiasConfig> {
 public:
  using SettingsOf::SettingsOf;
  void Fill() override {}
  std::unique_ptr<RatingPredictor> Make(
      const Scope& scope, const RatingSizes& /*sizes*/) const override {
    return std::make_unique<RatingMean>(scope);
  }
};

}  // namespace

std::vector<ModelRow> RatingModels() {
  return {
      {.name = "dattn",
       .variants = {{"", "convolutions over gated words of all reviews",
                     "Seo et al. 2017, doi:10.1145/3109859.3109890"}},
       .roles = {MakeRole<ReviewRatings<DAttn, DAttnConfig>>}},
      {.name = "mpcn",
       .variants = {{"", "pointers to one review of each side, and its words",
                     "Tay et al. 2018, arXiv:1801.09251"}},
       .roles = {MakeRole<ReviewRatings<Mpcn, MpcnConfig>>}},
      {.name = "factors",
       .variants = {{"", "a product of features of user and item",
                     "Koren et al. 2009, doi:10.1109/MC.2009.263"}},
       .roles = {MakeRole<FactorRatings>}},
      {.name = "bias",
       .variants = {{"", "the mean with a bias of user and of item",
                     "Koren et al. 2009, doi:10.1109/MC.2009.263"}},
       .roles = {MakeRole<BiasRatings>}},
      {.name = "mean",
       .variants = {{"", "the mean of all ratings", "this library"}},
       .roles = {MakeRole<MeanRatings>}}};
}

}  // namespace heed
