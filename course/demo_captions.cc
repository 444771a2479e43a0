// heed demo captions: synthetic scenes and their captions.
#include <fmt/format.h>

#include "course/data/generators.h"
#include "course/demos.h"
#include "course/task_demo.h"
#include "heed/models/caption/show_attend_tell.h"

namespace heed {

int RunDemoCaptions(const Arguments& arguments) {
  Named<CaptionLook> look = CaptionLook::kSoft;
  int filters = 16;
  TaskDemo demo = {
      .name = "captions",
      .purpose =
          "Draws scenes of a few shapes and teaches a network to say what they "
          "show. Measures whether it looks at what it names, and draws where "
          "it looked at each word (about a minute).",
      .examples = {"", " --look hard --count 20000"},
      .data = SceneData().Sized({6000, 200, 500})};
  demo.options = [&](FieldList& v) {
    v("look", look,
      "soft: attend to all cells, weighted; hard: to one sampled cell");
    v("filters", filters, Range(1, 1024), "filters of the first convolution");
  };
  demo.entries = [&] {
    return std::vector<DemoEntry>{
        // Few cells and no penalty learn faster than the paper's setting.
        {"model", fmt::format("look={} filters={} patience=0 pool_cells=yes "
                              "score=location_aware(5,15) doubly_stochastic=0 "
                              "dropout=0.2",
                              look.word(), filters)}};
  };
  demo.inputs = [&](const TaskDemo::Results& results) {
    std::vector<DemoInput> inputs;
    for (const int i : {1, 2, 3}) {
      inputs.push_back(
          {fmt::format("caption-{}", i),
           ReadInput(results[0].loaded.input(),
                     demo.Path(fmt::format("test/scene-{:05}.png", i)))});
    }
    return inputs;
  };
  demo.typed = [&](const auto&) {
    return "echo " + demo.Path("test/scene-00004.png");
  };
  return RunTaskDemo(demo, arguments);
}

}  // namespace heed
