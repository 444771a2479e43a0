// Models whose vocabularies have special tokens at any id answer as models with
// the usual order.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "heed/base/at.h"
#include "heed/base/rng.h"
#include "heed/base/text.h"
#include "heed/tasks/explain.h"
#include "heed/tasks/explain_testing.h"

namespace heed {
namespace {

using Order = std::vector<int32_t>;

/// New id of each of `size` tokens. No special token keeps its id.
Order ShuffledOrder(int64_t size) {
  Order order(static_cast<size_t>(size));
  std::iota(order.begin(), order.end(), 0);
  Rng rng(5);
  for (size_t i = order.size() - 1; i > 0; --i) {
    std::swap(
        order[i],
        order[static_cast<size_t>(rng.Uniform() * static_cast<double>(i))]);
  }
  return order;
}

std::string ShuffledLines(const std::string& lines, const Order& order) {
  std::vector<std::string> moved(order.size());
  size_t id = 0;
  for (const std::string_view line : SplitLines(lines)) {
    if (id < order.size()) {
      moved[static_cast<size_t>(order[id++])] = line;
    } else {
      moved.emplace_back(line);  // the normalisation, behind the tokens
    }
  }
  std::string joined;
  for (const std::string& line : moved) joined += line + "\n";
  return joined;
}

/// Moves rows or columns that stand for tokens.
Tensor ShuffledTensor(const Tensor& x, const Order& order) {
  const auto size = std::ssize(order);
  const bool by_row = x.rank() > 0 && x.dim(0) == size;
  if (!by_row && (x.rank() != 2 || x.dim(1) != size)) return x;
  Tensor moved(x.shape(), x.dtype());
  for (int64_t id = 0; id < size; ++id) {
    const int64_t to = At(order, id);
    if (by_row) {
      moved.Slice(to, to + 1).CopyFrom(x.Slice(id, id + 1));
    } else {
      moved.Columns(to, to + 1).CopyFrom(x.Columns(id, id + 1));
    }
  }
  return moved;
}

std::vector<ExplainCase> Cases() {
  const OptionTexts bert = {{"layers", "1"}, {"vocabulary", "wordpiece"},
                            {"width", "8"},  {"heads", "2"},
                            {"ff", "12"},    {"vocabulary_size", "60"}};
  const OptionTexts rnn = {{"units", "7"}, {"vocabulary", "wordpiece"}};
  return {
      {"Classify", "classify", "bert-tiny", bert, 0, true},
      {"ClassifyRnn", "classify", "rnn", rnn, 0, true},
      {"Tag", "tag", "bert-tiny", bert, 0, true},
      {"Pretrain", "pretrain", "bert-tiny", bert, 0, true},
      {"Retrieve", "retrieve", "bert-tiny", bert, 0, true, "is it snow"},
  };
}

class ShuffledIds : public testing::TestWithParam<ExplainCase> {
 protected:
  void SetUp() override {
    ModelFiles files = usual_.model->Files();
    SharedBytes& vocabulary = files.at("vocabulary.txt");
    const Order order = ShuffledOrder(usual_.model->Sizes().front().second);
    vocabulary = ShuffledLines(std::string(vocabulary.view()), order);
    shuffled_ = usual_.settings->OpenModel(files, "shuffled", 1);
    std::vector<NamedTensor> tensors = usual_.model->parameters().Tensors();
    int moved = 0;
    for (NamedTensor& tensor : tensors) {
      const Tensor before = tensor.value;
      tensor.value = ShuffledTensor(before, order);
      moved += tensor.value.Aliases(before) ? 0 : 1;
    }
    ASSERT_GT(moved, 0);
    shuffled_->parameters().SetTensors(tensors, "shuffled");
  }

  TemporaryFolder folder_;
  LoadedModel usual_ = ModelOf(GetParam(), folder_);
  std::unique_ptr<TaskModel> shuffled_;
};

TEST_P(ShuffledIds, GiveTheSameAnswers) {
  const auto options = usual_.settings->PredictOptions();
  const auto before = usual_.settings->MakePredictor(*usual_.model, *options);
  const auto after = usual_.settings->MakePredictor(*shuffled_, *options);
  const std::string known = InputOf(GetParam()).Text();
  for (const std::string& text : {known, "unknown zebra " + known}) {
    const std::vector<Input> inputs = {{text}};
    EXPECT_EQ(after->Predict(inputs).at(0).line,
              before->Predict(inputs).at(0).line)
        << text;
  }
}

TEST_P(ShuffledIds, GiveTheSameExplanations) {
  const Input input = InputOf(GetParam());
  const auto explained = [&](const TaskModel& model) {
    const auto predictor = usual_.settings->MakePredictor(
        model, *usual_.settings->PredictOptions());
    return Explain(usual_, *predictor, {.input = {.given = input}});
  };
  const Explanation before = explained(*usual_.model);
  const Explanation after = explained(*shuffled_);
  EXPECT_EQ(after.answer, before.answer);
  ASSERT_EQ(after.segments.size(), before.segments.size());
  for (size_t i = 0; i < before.segments.size(); ++i) {
    const ExplanationSegment& a = after.segments[i];
    const ExplanationSegment& b = before.segments[i];
    ASSERT_EQ(a.maps.size(), b.maps.size());
    for (size_t m = 0; m < a.maps.size(); ++m) {
      ASSERT_EQ(a.maps[m].weights.size(), b.maps[m].weights.size());
      for (size_t w = 0; w < a.maps[m].weights.size(); ++w) {
        EXPECT_NEAR(a.maps[m].weights[w], b.maps[m].weights[w], 1e-5);
      }
    }
    ASSERT_EQ(a.axes.size(), b.axes.size());
    for (size_t x = 0; x < a.axes.size(); ++x) {
      EXPECT_EQ(a.axes[x].shown(), b.axes[x].shown());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Tasks, ShuffledIds, testing::ValuesIn(Cases()),
                         [](const auto& c) { return c.param.name; });

}  // namespace
}  // namespace heed
