
#include <utility>

#include "heed/kernels/elementwise.h"
#include "heed/ops/loss.h"
#include "heed/tasks/choice.h"
#include "heed/tasks/nodes/local_graph.h"
#include "heed/tasks/nodes/nodes.h"
#include "heed/tasks/nodes/picture.h"
#include "heed/tasks/text_vocabulary.h"

namespace heed::nodes {
namespace {

constexpr const char* kEdgesFile = "edges.tsv";
constexpr const char* kFeaturesFile = "features.txt";
constexpr const char* kNodeLabelsFile = "labels.txt";
constexpr const char* kTrainFile = "train.idx";
constexpr const char* kValidFile = "valid.idx";

}  // namespace

std::unique_ptr<Model> Settings::Open(const ModelFiles& files,
                                      const std::string& folder,
                                      uint64_t seed) const {
  const auto bytes = [&](const char* name) {
    return std::string(FindFile(files, folder, name).view());
  };
  const auto path = [&](const char* name) { return PathIn(folder, name); };
  Data read;
  read.graph = ParseGraph(
      {bytes(kEdgesFile), bytes(kFeaturesFile), bytes(kNodeLabelsFile)},
      {path(kEdgesFile), path(kFeaturesFile), path(kNodeLabelsFile)});
  read.train = ParseNodes(bytes(kTrainFile), path(kTrainFile), read.graph);
  const std::string valid = bytes(kValidFile);
  if (!valid.empty()) {
    read.valid = ParseNodes(valid, path(kValidFile), read.graph);
    CheckApart(read.train, path(kTrainFile), read.valid, path(kValidFile));
  }
  return std::make_unique<Model>(*this, std::move(read), seed);
}

Model::Model(Config settings, Data graph_and_splits, uint64_t seed)
    : config(std::move(settings)),
      data(std::move(graph_and_splits)),
      input(Input(data.graph)),
      parameters_(seed, DType::kF32, config.model->precision()),
      network(config.model->Make(Scope(parameters_, ""),
                                 data.graph.feature_count, classes())) {}

ModelFiles Model::Files() const {
  GraphFiles files = SerializeGraph(graph());
  return {{kEdgesFile, std::move(files.edges)},
          {kFeaturesFile, std::move(files.features)},
          {kNodeLabelsFile, std::move(files.labels)},
          {kTrainFile, SerializeNodes(data.train)},
          {kValidFile, SerializeNodes(data.valid)}};
}

Tensor Model::Probabilities(const Context& ctx) const {
  const Tensor scores = network->Scores(ctx, input).value();
  return kernels::Exp(LogSoftmax(scores).value());
}

}  // namespace heed::nodes
