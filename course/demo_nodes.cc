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
          "Makes up a graph whose nodes say little of their class by "
          "themselves, and teaches a network 10 nodes of each class: with "
          "attention to the neighbours, with a graph convolution, with their "
          "mean, and without them. Draws the graph and what a node attends to.",
      .examples = {"", " --edges 0"},
      .data = GraphData(),
      .epochs = 400,
      .entries = [] { return EntriesOf(ModelNames<NodeSettings>()); },
      .settings = "patience=50",
      .in_memory = true,
      .columns = {{"accuracy", "accuracy"}}};
  demo.inputs = [&](const auto&) {
    return std::vector<DemoInput>{
        {"graph", Input{LineOf(demo.Path("test.idx"), 0)},
         "Near nodes are alike to the first layer (t-SNE); edges are as wide "
         "as the attention\nalong them."}};
  };
  return RunTaskDemo(demo, arguments);
}

}  // namespace heed
