// heed demo retrieve: which of twenty texts is a paraphrase of a question.
#include <fmt/format.h>

#include <string>

#include "course/data/generators.h"
#include "course/demos.h"
#include "course/task_demo.h"
#include "heed/base/text.h"
#include "heed/io/file.h"

namespace heed {

int RunDemoRetrieve(const Arguments& arguments) {
  TaskDemo demo = {
      .name = "retrieve",
      .purpose =
          "Makes up questions with twenty texts each, one of which says the "
          "same in other words; trains models that pool the words of each "
          "text, that attend to the text with the question (Tan et al. 2015), "
          "and of both with both (dos Santos et al. 2016), and compares their "
          "rankings with BM25's, which sees shared words alone.",
      .examples = {"", " --questions 300 --remarks 0"},
      .data = QuestionData(),
      .epochs = 10,
      .settings = "units=32 learning_rate=0.01 patience=0",
      .columns = {{"MRR, %", "/model/mrr", 2, ""},
                  {"MAP, %", "/model/map", 2, ""},
                  {"P@1, %", "/model/p1", 2, ""}},
      .baselines = {{"BM25", {"/bm25/mrr", "/bm25/map", "/bm25/p1"}}}};
  demo.entries = [] {
    return std::vector<DemoEntry>{
        {"attentive_pooling", "match=attentive_pooling"},
        {"attention", "match=attention pooling=mean"},
        {"pooled", "match=separate pooling=attention"},
        {"mean", "match=separate pooling=mean"},
        {"last", "match=separate pooling=last"}};
  };
  demo.inputs = [&](const TaskDemo::Results& results) {
    // Input: the first test question and its correct text.
    std::string pair;
    ForEachLine(demo.Path("test.tsv"), [&](std::string_view line, int64_t) {
      const std::vector<std::string_view> fields = SplitAt(line, "\t");
      if (fields[1] == "1") pair = fmt::format("{}\t{}", fields[0], fields[2]);
      return pair.empty();
    });
    return std::vector<DemoInput>{
        {"answer",
         Input{pair},
         "A question of the test and its answer, by " + results[0].entry.name,
         0,
         {.map = "match.words"}}};
  };
  demo.typed = [](const auto&) {
    return "printf 'how do i fix a big automobile\\tcan i buy a wet "
           "sofa\\twhere can i repair a large car\\n'";
  };
  return RunTaskDemo(demo, arguments);
}

}  // namespace heed
