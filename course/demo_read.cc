// heed demo read: questions about synthetic stories, and the evidence for
// answers.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "course/data/generators.h"
#include "course/demos.h"
#include "course/task_demo.h"

namespace heed {

int RunDemoRead(const Arguments& arguments) {
  const auto how = std::make_shared<FactOptions>(FactOptions{.facts = 2});
  TaskDemo demo = {
      .name = "read",
      .purpose =
          "Makes up stories of who goes where and has what, learns to answer "
          "questions about them with a word of the story, and shows what the "
          "answer attends to, beside a reader that is not shown the question "
          "(about a minute).",
      .examples = {"", " --facts 1 --stories 2000"},
      .data = FactData(how),
      .settings = "patience=0",
      .columns = {{"right", "accuracy"}},
      .baselines = {{"the most frequent answer", {"most_frequent"}},
                    {"the place that is named most often", {"most_named"}}}};
  demo.entries = [&] {
    const std::string hops = fmt::format("hops={}", how->facts);
    return std::vector<DemoEntry>{
        {"model", hops, "with attention by the question"},
        {"blind", hops + " query=blind", "without the question"}};
  };
  const auto first = [&] {
    return ReadPassages({demo.Path("test.jsonl")}, PassageFormat::kAuto)
        .front();
  };
  demo.inputs = [&](const auto&) {
    const PassageQuestion one = first();
    return std::vector<DemoInput>{
        {"passage", Input{one.passage + "\t" + one.question},
         fmt::format("{}\n{}  {}", one.passage, one.question, one.answer)}};
  };
  demo.typed = [&](const auto&) {
    PassageQuestion one = first();
    std::ranges::replace(one.passage, '\n', ' ');
    return fmt::format("printf '{}\\t{}\\n'", one.passage, one.question);
  };
  return RunTaskDemo(demo, arguments);
}

}  // namespace heed
