// Registry rows of visit classifiers.
#include "heed/models/registry.h"
#include "heed/models/retain/retain.h"

namespace heed {
namespace {

class RetainVisits
    : public SettingsOf<RetainVisits, VisitSettings, RetainConfig> {
 public:
  using SettingsOf::SettingsOf;
  void Fill() override { config_.Fill(); }
  std::unique_ptr<VisitClassifier> Make(const Scope& scope,
                                        int64_t codes) const override {
    return std::make_unique<Retain>(scope, config_.Resolve(), codes);
  }
};

class GruVisits
    : public SettingsOf<GruVisits, VisitSettings, VisitNetworkConfig> {
 public:
  using SettingsOf::SettingsOf;
  void Fill() override {}
  std::unique_ptr<VisitClassifier> Make(const Scope& scope,
                                        int64_t codes) const override {
    return std::make_unique<VisitGru>(scope, config_.Resolve(), codes);
  }
};

class LogisticVisits
    : public SettingsOf<LogisticVisits, VisitSettings, LogisticConfig> {
 public:
  using SettingsOf::SettingsOf;
  void Fill() override {}
  std::unique_ptr<VisitClassifier> Make(const Scope& scope,
                                        int64_t codes) const override {
    return std::make_unique<VisitLogistic>(scope, codes);
  }
};

}  // namespace

std::vector<ModelRow> VisitModels() {
  return {
      {.name = "retain",
       .variants = {{"", "visits and their features weighted backwards in time",
                     "Choi et al. 2016, arXiv:1608.05745"}},
       .roles = {MakeRole<RetainVisits>}},
      {.name = "gru",
       .variants = {{"", "the last state of a GRU over visits",
                     "Cho et al. 2014, arXiv:1406.1078"}},
       .roles = {MakeRole<GruVisits>}},
      {.name = "logistic",
       .variants = {{"", "how many visits have each code, weighted",
                     "Cox 1958"}},
       .roles = {MakeRole<LogisticVisits>}}};
}

}  // namespace heed
