// The rows of classifiers of images.
#include "heed/models/convolutional.h"
#include "heed/models/patches.h"
#include "heed/models/registry.h"

namespace heed {
namespace {

class PatchesOfImages
    : public SettingsOf<PatchesOfImages, ImageSettings, PatchesConfig> {
 public:
  using SettingsOf::SettingsOf;
  void Fill(const ImageUse& use) override { config_.Fill(model_, use); }
  std::unique_ptr<ImageClassifier> Make(const Scope& scope,
                                        const ImageUse& use) const override {
    return std::make_unique<PatchClassifier>(scope, model_, config_, use);
  }
};

class ConvolutionOfImages
    : public SettingsOf<ConvolutionOfImages, ImageSettings,
                        ConvolutionalConfig> {
 public:
  using SettingsOf::SettingsOf;
  void Fill(const ImageUse& use) override { config_.Fill(use); }
  std::unique_ptr<ImageClassifier> Make(const Scope& scope,
                                        const ImageUse& use) const override {
    return std::make_unique<ConvolutionalClassifier>(scope, config_, use);
  }
};

}  // namespace

std::vector<ModelRow> ImageModels() {
  return {
      {.name = "patches",
       .variants = {{"", "a Transformer over the patches of an image",
                     "Dosovitskiy et al. 2020, arXiv:2010.11929",
                     "layers=3 width=64 ff=128 heads=4 norm=pre dropout=0.1 "
                     "activation=gelu position=learned tie=none "
                     "embedding_scale=no embedding_norm=no segments=0 "
                     "attention_dropout=0 activation_dropout=0 "
                     "norm_epsilon=1e-5 init=glorot"}},
       .roles = {MakeRole<PatchesOfImages>}},
      {.name = "conv",
       .variants = {{"", "two convolutions and a hidden layer",
                     "LeCun et al. 1998"}},
       .roles = {MakeRole<ConvolutionOfImages>}}};
}

}  // namespace heed
