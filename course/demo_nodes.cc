// heed demo nodes: the benefit of neighbours, and of attention to them.
#include "course/data/generators.h"
#include "course/demos.h"
#include "course/task_demo.h"
#include "heed/models/registry.h"
#include "heed/tasks/nodes/nodes.h"

namespace heed {

int RunDemoNodes(const Arguments& arguments) {
  TaskDemo demo = {
      .name = "nodes",
      .purpose =
          "Makes up pages of four topics that link to pages of their topic "
          "and to ads, which use the words of any topic. Teaches a network 20 "
          "nodes of each class: with attention to the neighbours, with a "
          "graph convolution, with their mean, and without them. Draws the "
          "graph and what a page attends to.",
      .examples = {"", " --ads 0"},
      .data = GraphData(),
      .epochs = 400,
      .entries =
          [] {
            auto entries = EntriesOf(ModelNames<NodeSettings>());
            entries.insert(entries.begin() + 1,
                           {"gatv2", "model=gat score=leaky_additive", "",
                            "the order of neighbours depends on the node"});
            return entries;
          },
      .settings =
          "heads=4 dropout=0.3 attention_dropout=0 learning_rate=0.01 "
          "l2=0.005 normalize_features=no",
      .in_memory = true,
      .columns = {{"accuracy", "accuracy"}}};
  demo.inputs = [&](const auto&) {
    return std::vector<DemoInput>{
        {"graph", Input{LineOf(demo.Path("test.idx"), 0)},
         "Near nodes are alike to the first layer (t-SNE); edges are as wide "
         "as the attention\nalong them: wide between pages, thin to ads."}};
  };
  return RunTaskDemo(demo, arguments);
}

}  // namespace heed
