// Registry row of hierarchical attention networks.
#include "heed/models/han/han.h"
#include "heed/models/registry.h"

namespace heed {
namespace {

class HanSettings
    : public SettingsOf<HanSettings, TextReaderSettings, HanConfig> {
 public:
  using SettingsOf::SettingsOf;
  void Fill(const EncoderUse& /*use*/) override { config_.Fill(); }
  bool reads_sentences() const override { return true; }
  std::unique_ptr<TextReader> MakeReader(
      const Scope& scope, const TextSizes& sizes,
      const PoolingOptions& pooling) const override {
    Require(sizes.segments == 1,
            "model '" + model_ + "' reads single texts, not pairs");
    return std::make_unique<HierarchicalReader>(scope, config_.Resolve(), sizes,
                                                pooling);
  }
};

}  // namespace

std::vector<ModelRow> DocumentModels() {
  return {{.name = "han",
           .variants = {{"",
                         "words to sentences to a document, with attention at "
                         "both levels",
                         "Yang et al. 2016, N16-1174"}},
           .roles = {MakeRole<HanSettings>}}};
}

}  // namespace heed
