// Registry row of attention-sum readers.
#include "heed/models/attention_sum/attention_sum.h"
#include "heed/models/registry.h"

namespace heed {
namespace {

class AttentionSumSettings
    : public SettingsOf<AttentionSumSettings, PassageReaderSettings,
                        AttentionSumConfig> {
 public:
  using SettingsOf::SettingsOf;
  void Fill() override {}
  std::unique_ptr<PassageReader> Make(const Scope& scope,
                                      const TextSizes& sizes) const override {
    return std::make_unique<AttentionSum>(scope, config_.Resolve(), sizes);
  }
};

}  // namespace

std::vector<ModelRow> PassageModels() {
  return {{.name = "sum",
           .variants = {{"",
                         "the attention to a word, wherever it stands, is the "
                         "probability that it is the answer",
                         "Kadlec et al. 2016, arXiv:1603.01547"}},
           .roles = {MakeRole<AttentionSumSettings>}}};
}

}  // namespace heed
