// Registry rows of image classifiers.
#include "heed/models/image/convolutional.h"
#include "heed/models/image/foveal.h"
#include "heed/models/image/glimpse_network.h"
#include "heed/models/image/patches.h"
#include "heed/models/registry.h"

namespace heed {
namespace {

class PatchesOfImages
    : public SettingsOf<PatchesOfImages, ImageSettings, PatchesConfig> {
 public:
  using SettingsOf::SettingsOf;
  void Fill(const ImageUse& use) override { config_.Fill(model_, use); }
  double learning_rate() const override { return 3e-3; }
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

class GlimpsesOfImages
    : public SettingsOf<GlimpsesOfImages, ImageSettings, GlimpseConfig> {
 public:
  using SettingsOf::SettingsOf;
  void Fill(const ImageUse& use) override { config_.Fill(use); }
  std::unique_ptr<ImageClassifier> Make(const Scope& scope,
                                        const ImageUse& use) const override {
    return std::make_unique<GlimpseNetwork>(scope, config_, use);
  }
};

class FixationsOfImages
    : public SettingsOf<FixationsOfImages, ImageSettings, FovealConfig> {
 public:
  using SettingsOf::SettingsOf;
  double learning_rate() const override { return 2e-3; }
  void Fill(const ImageUse& use) override { config_.Fill(use); }
  std::unique_ptr<ImageClassifier> Make(const Scope& scope,
                                        const ImageUse& use) const override {
    return std::make_unique<FovealMachine>(scope, config_, use);
  }
};

}  // namespace

std::vector<ModelRow> ImageModels() {
  return {
      {.name = "patches",
       .variants = {{"", "a Transformer over the patches of an image",
                     "Dosovitskiy et al. 2020, arXiv:2010.11929",
                     "layers=3 width=64 ff=128 heads=4 norm=pre dropout=0 "
                     "activation=gelu position=learned tie=none "
                     "embedding_scale=no embedding_norm=no segments=0 "
                     "attention_dropout=0 activation_dropout=0 "
                     "norm_epsilon=1e-5 init=glorot"}},
       .roles = {MakeRole<PatchesOfImages>}},
      {.name = "ram",
       .variants = {{"", "glimpses, and a policy that says where to look next",
                     "Mnih et al. 2014, arXiv:1406.6247"}},
       .roles = {MakeRole<GlimpsesOfImages>}},
      {.name = "foveal",
       .variants = {{"", "a Boltzmann machine over fixations, and a controller",
                     "Larochelle and Hinton 2010"}},
       .roles = {MakeRole<FixationsOfImages>}},
      {.name = "conv",
       .variants = {{"", "two convolutions and a hidden layer",
                     "LeCun et al. 1998"}},
       .roles = {MakeRole<ConvolutionOfImages>}}};
}

}  // namespace heed
