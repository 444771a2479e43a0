#include "heed/tasks/one_answer/one_answer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "heed/autograd/tape.h"
#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/tasks/one_answer/model.h"

namespace heed::one_answer {
namespace {

OneAnswerTask Letters(std::vector<std::string> labels) {
  OneAnswerTask task;
  task.row.name = "letters";
  task.symbols = {"a", "b"};
  task.labels = std::move(labels);
  task.read = [](std::string_view line, const std::string& place) {
    std::vector<int32_t> ids;
    for (const char letter : line) {
      if (letter != 'a' && letter != 'b') throw FormatError(place + ": letter");
      ids.push_back(letter - 'a');
    }
    if (ids.empty()) throw FormatError(place + ": empty");
    return ids;
  };
  return task;
}

/// Settings of small models over a list of examples.
Settings SettingsOf(const OneAnswerTask& task, const std::string& path) {
  const auto made = MakeTask(task).settings();
  auto settings = dynamic_cast<Settings&>(*made);
  settings.train.texts = {path};
  settings.classifier.head_dropout = 0;
  SetPreset(FieldsOf(settings), "units=6");
  settings.Resolve();
  return settings;
}

TEST(OneAnswer, ATaskNeedsSymbolsAReaderAndTwoLabelsOrNone) {
  for (auto spoil : std::vector<void (*)(OneAnswerTask&)>{
           [](OneAnswerTask& t) { t.symbols.clear(); },
           [](OneAnswerTask& t) { t.read = nullptr; },
           [](OneAnswerTask& t) { t.labels = {"one"}; }}) {
    OneAnswerTask task = Letters({"x", "y"});
    spoil(task);
    EXPECT_THROW(MakeTask(task), ConfigError);
  }
}

TEST(OneAnswer, TheLossOfNumbersIsTheirSquaredErrorOnTheirOwnScale) {
  const TemporaryFolder folder;
  const std::string path = folder.Put("n.tsv", "10\tab\n20\tb\n60\taab\n");
  const Settings settings = SettingsOf(Letters({}), path);
  const Data data = settings.Read();
  const auto model = settings.MakeModel(data, 1);
  EXPECT_DOUBLE_EQ(model->scale.mean, 30);
  EXPECT_DOUBLE_EQ(model->scale.deviation, std::sqrt(1400.0 / 3));
  const auto objective = settings.MakeObjective(data, *model, 1);
  const std::vector<int64_t> examples = {0, 1, 2};
  const Tensor answers = model->Answers({}, data.train.corpus);
  double expected = 0;
  for (int64_t i = 0; i < 3; ++i) {
    const double target =
        (At(data.train.numbers, i) - 30) / model->scale.deviation;
    expected += std::pow(answers.row<float>(i)[0] - target, 2);
  }
  EXPECT_NEAR(objective->Loss({}, examples, {.scale = 0.5}).nll, 0.5 * expected,
              1e-5);
  const Metrics metrics = model->Score(answers, data.train);
  EXPECT_NEAR(metrics[1].second,
              model->scale.deviation * std::sqrt(expected / 3), 1e-3);
}

TEST(OneAnswer, AnswersDoNotDependOnTheInputsBeside) {
  const TemporaryFolder folder;
  const std::string path =
      folder.Put("l.tsv", "x\tabab\ny\tb\nx\taabbaabb\ny\tba\n");
  const Settings settings = SettingsOf(Letters({"x", "y"}), path);
  const Data data = settings.Read();
  const auto model = settings.MakeModel(data, 1);
  const Tensor all = model->Answers({}, data.train.corpus);
  for (int64_t i = 0; i < data.train.size(); ++i) {
    const auto at = static_cast<size_t>(i);
    Corpus one;
    one.source = {data.train.corpus.source[at]};
    one.target = {{0}};
    const Tensor alone = model->Answers({}, one);
    for (int64_t c = 0; c < 2; ++c) {
      EXPECT_NEAR(alone.row<float>(0)[c], all.row<float>(i)[c], 1e-6);
    }
  }
}

TEST(OneAnswer, ExamplesThatDoNotFitAreNamed) {
  const TemporaryFolder folder;
  const auto error = [&](const OneAnswerTask& task, const std::string& list) {
    const std::string path = folder.Put("list.tsv", list);
    std::string message = MessageOf<FormatError>(
        [&] { ReadExamples(task, {.texts = {path}}, {}, 3); });
    return message.substr(std::min(message.size(), path.size()));
  };
  EXPECT_EQ(error(Letters({"x", "y"}), "x\tab\ny\tb\nx\ta\nz\tb\n"),
            ":4: 'z' is no label (valid: x, y)");
  EXPECT_EQ(error(Letters({"x", "y"}), "x\tab\ny\tabab\n"),
            ":2: 4 symbols; the model reads 3 at most (--max-length)");
  EXPECT_EQ(error(Letters({"x", "y"}), "x\tab\ny\tc\n"), ":2: letter");
  EXPECT_EQ(error(Letters({}), "1\tab\n1e\tb\n"), ":2: '1e' is no number");
  EXPECT_EQ(error(Letters({}), "1\tab\n1e99\tb\n"), ":2: 1e99 is too large");
  OneAnswerTask files = Letters({"x", "y"});
  files.row.input = {"letters", InputKind::Line::kPath, {"application/x-let"}};
  const std::string path = folder.Put("files.tsv", "x\tnone.let\n");
  const std::string message = MessageOf<IoError>(
      [&] { ReadExamples(files, {.texts = {path}}, {}, 3); });
  EXPECT_TRUE(message.starts_with(path + ":1: cannot open")) << message;
}

TEST(OneAnswer, NumbersMayHaveDecimalCommas) {
  const TemporaryFolder folder;
  const std::string path = folder.Put("n.tsv", "1,5\tab\n-0,25\tb\n");
  EXPECT_EQ(ReadExamples(Letters({}), {.texts = {path}}, {}, 0).numbers,
            (std::vector<double>{1.5, -0.25}));
}

}  // namespace
}  // namespace heed::one_answer
