// heed demo images: synthetic digits, classified as a whole and by glimpses.
#include <string>
#include <vector>

#include "course/data/generators.h"
#include "course/demos.h"
#include "course/task_demo.h"
#include "heed/models/registry.h"
#include "heed/tasks/images/images.h"

namespace heed {

int RunDemoImages(const Arguments& arguments) {
  TaskDemo demo = {
      .name = "images",
      .purpose =
          "Makes up digits and teaches every classifier of images to read "
          "them: as a whole, or by a few looks at parts of them. Draws what is "
          "attended to, and where a model looks (about a minute).",
      .examples = {"", " --count 20000 --epochs 20"},
      .data = DigitData(),
      .settings = "patience=0",
      .columns = {{"accuracy", "accuracy"}}};
  demo.entries = [&demo] {
    std::vector<DemoEntry> entries = EntriesOf(ModelNames<ImageSettings>());
    for (DemoEntry& entry : entries) {
      // A policy learns slowly, and a pass of few looks is fast.
      if (entry.name != "ram") continue;
      entry.settings += " looks=4 reinforce=1 deviation=0.3 epochs=" +
                        std::to_string(8 * demo.epochs);
    }
    return entries;
  };
  demo.inputs = [&](const TaskDemo::Results& results) {
    std::vector<DemoInput> inputs;
    for (size_t i = 0; i < results.size(); ++i) {
      const std::string& name = results[i].entry.name;
      inputs.push_back({name,
                        ReadInput(results[i].loaded.input(),
                                  demo.Path("test/digit-00001.png")),
                        name, i});
    }
    return inputs;
  };
  demo.typed = [&](const auto&) {
    return "echo " + demo.Path("test/digit-00002.png");
  };
  return RunTaskDemo(demo, arguments);
}

}  // namespace heed
