// Registry rows of frame-order classifiers.
#include "heed/models/frame_order/frame_order.h"
#include "heed/models/registry.h"

namespace heed {
namespace {

class TripletOfFrames
    : public SettingsOf<TripletOfFrames, FrameOrderSettings, TripletConfig> {
 public:
  using SettingsOf::SettingsOf;
  void Fill(const ImageUse& strips) override { config_.Fill(strips); }
  std::unique_ptr<ImageClassifier> Make(const Scope& scope,
                                        const ImageUse& strips) const override {
    return std::make_unique<TripletClassifier>(scope, config_, strips);
  }
};

}  // namespace

std::vector<ModelRow> FrameOrderModels() {
  return {{.name = "triplet",
           .variants = {{"", "one convolutional trunk for three frames",
                         "Misra et al. 2016, arXiv:1603.08561"}},
           .roles = {MakeRole<TripletOfFrames>}}};
}

}  // namespace heed
