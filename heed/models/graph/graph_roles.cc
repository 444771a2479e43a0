// Registry rows of graph attention networks, and of simpler networks for
// comparison.
#include "heed/models/graph/graph_network.h"
#include "heed/models/registry.h"
#include "heed/models/settings.h"

namespace heed {
namespace {

class GraphNodes
    : public SettingsOf<GraphNodes, NodeSettings, GraphNetworkConfig> {
 public:
  explicit GraphNodes(std::string model) : SettingsOf(std::move(model)) {}

  void Fill() override {
    FillPreset(FieldsOf(config_), FindModel(model_).Variant("auto").preset);
    config_.Check();
  }
  std::unique_ptr<NodeClassifier> Make(const Scope& scope, int64_t features,
                                       int64_t classes) const override {
    return std::make_unique<GraphNetwork>(scope, config_, features, classes);
  }
};

}  // namespace

std::vector<ModelRow> GraphModels() {
  const std::vector<ModelRow::MakeRole> roles = {MakeRole<GraphNodes>};
  return {
      {"gat",
       {{"", "graph attention network: nodes attend to their neighbours",
         "Veličković et al. 2018, arXiv:1710.10903", "score=graph(0.2,1)"}},
       roles},
      {"gcn",
       {{"", "graph convolution: neighbours weighted by their degrees alone",
         "Kipf and Welling 2017, arXiv:1609.02907", "score=symmetric"}},
       roles},
      {"gcn-mean",
       {{"", "graph convolution by the mean of the neighbours, as a control",
         "Hamilton et al. 2017, arXiv:1706.02216, eq. 2", "score=uniform"}},
       roles},
      {"node-mlp",
       {{"", "multilayer perceptron of a node's own features, as a control",
         "Veličković et al. 2018, arXiv:1710.10903, table 2", "score=none"}},
       roles},
  };
}

}  // namespace heed
