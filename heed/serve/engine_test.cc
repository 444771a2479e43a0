#include "heed/serve/engine.h"

#include <gtest/gtest.h>

#include <future>

#include "heed/tasks/testing.h"

namespace heed {
namespace {

using Texts = std::vector<std::string>;

/// A model that learnt to reverse letters, and the engine that has it.
class EngineTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    TrainTranslation(TinyConfig(folder_->Path("model")),
                     {ReversedLetters(120, 1), {}});
  }
  static void TearDownTestSuite() { folder_.reset(); }

  void Start(const EngineOptions& options = {}) {
    engine_ = std::make_unique<Engine>(
        std::vector<ModelSpec>{ParseModelSpec(folder_->Path("model"))}, options,
        log_, metrics_);
  }
  ModelQueue& queue() { return *engine_->queues()[0]; }

  /// Submits texts. The future gives their translations, or throws.
  std::future<Texts> Submit(const Texts& texts, SearchChoice search = {}) {
    auto promise = std::make_shared<std::promise<Texts>>();
    Job job;
    job.texts = texts;
    job.search = search;
    job.translated = [promise](const ServedModel&,
                               const std::vector<Translations>& all) {
      Texts best;
      for (const Translations& of_text : all) best.push_back(of_text[0].text);
      promise->set_value(best);
    };
    job.failed = [promise](std::exception_ptr error) {
      promise->set_exception(std::move(error));
    };
    queue().Submit(std::move(job));
    return promise->get_future();
  }
  Texts Expected(const Texts& texts) {
    const TranslationModel model = ReadTranslationModel(folder_->Path("model"));
    const Translator translator(*model.model, model.vocabularies.source,
                                model.vocabularies.target, false, {});
    Texts best;
    for (const Translations& all : translator.Translate(texts)) {
      best.push_back(all[0].text);
    }
    return best;
  }
  /// Keeps the model's thread busy until `release` is set.
  std::future<void> Occupy(std::shared_future<void> release) {
    auto begun = std::make_shared<std::promise<void>>();
    Job job;
    job.kind = Job::Kind::kRun;
    job.texts = {"x"};
    job.run = [begun, release](ServedModel&) {
      begun->set_value();
      release.wait();
    };
    queue().Submit(std::move(job));
    return begun->get_future();
  }
  bool Counted(const std::string& line) {
    return metrics_.Text({}).find(line + "\n") != std::string::npos;
  }

  static std::unique_ptr<TemporaryFolder> folder_;
  Log log_{LogLevel::kOff};
  ServerMetrics metrics_;
  std::unique_ptr<Engine> engine_;
};
std::unique_ptr<TemporaryFolder> EngineTest::folder_;

TEST_F(EngineTest, WhatWaitsIsComputedTogetherToTheSameEnd) {
  Start();
  std::promise<void> release;
  Occupy(release.get_future().share()).wait();
  std::vector<std::future<Texts>> answers;
  const Texts texts = {"a b", "b c d", "d", "c a c a"};
  for (const std::string& text : texts) answers.push_back(Submit({text}));
  release.set_value();
  const Texts expected = Expected(texts);
  for (size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(answers[i].get(), Texts{expected[i]});
  }
  EXPECT_TRUE(Counted("heed_batch_texts_bucket{model=\"model\",le=\"4\"} 2"));
  EXPECT_TRUE(Counted("heed_batch_texts_sum{model=\"model\"} 5"));
}

TEST_F(EngineTest, OtherOptionsAreAnotherBatch) {
  Start();
  std::promise<void> release;
  Occupy(release.get_future().share()).wait();
  auto one = Submit({"a b"}, {1, 1, false});
  auto two = Submit({"a b"}, {2, 1, false});
  auto three = Submit({"b"}, {1, 1, false});
  release.set_value();
  one.get();
  two.get();
  three.get();
  EXPECT_TRUE(Counted("heed_batch_texts_count{model=\"model\"} 3"));
}

TEST_F(EngineTest, LongJobsTakeTurns) {
  EngineOptions options;
  options.batch_texts = 20;
  Start(options);
  std::promise<void> release;
  Occupy(release.get_future().share()).wait();
  Texts many;
  for (int i = 0; i < 100; ++i) many.push_back(i % 2 == 0 ? "a b" : "c d a");
  auto first = Submit(many);
  auto second = Submit({"b"});
  release.set_value();
  EXPECT_EQ(second.get(), Expected({"b"}));
  EXPECT_EQ(first.get(), Expected(many));
}

TEST_F(EngineTest, AFullQueueRefuses) {
  EngineOptions options;
  options.queue_limit = 2;
  Start(options);
  std::promise<void> release;
  Occupy(release.get_future().share()).wait();
  auto one = Submit({"a"});
  auto two = Submit({"b"});
  try {
    Submit({"c"});
    FAIL();
  } catch (const HttpError& error) {
    EXPECT_EQ(error.status(), 503);
    EXPECT_EQ(error.headers().at(0).first, "Retry-After");
  }
  release.set_value();
  EXPECT_EQ(one.get(), Expected({"a"}));
  EXPECT_EQ(two.get(), Expected({"b"}));
}

TEST_F(EngineTest, WhatIsAbandonedIsNotComputed) {
  Start();
  std::promise<void> release;
  Occupy(release.get_future().share()).wait();
  Job job;
  job.texts = {"a b c"};
  job.abandoned = [] { return true; };
  job.translated = [](const ServedModel&, const std::vector<Translations>&) {
    FAIL();
  };
  queue().Submit(std::move(job));
  auto other = Submit({"b"});
  release.set_value();
  other.get();
  EXPECT_TRUE(Counted("heed_abandoned_total{model=\"model\"} 1"));
  EXPECT_TRUE(Counted("heed_batch_texts_sum{model=\"model\"} 2"));
}

TEST_F(EngineTest, OnlyTheJobThatIsToBlameFails) {
  Start();
  std::promise<void> release;
  Occupy(release.get_future().share()).wait();
  auto good = Submit({"a b"});
  auto bad = Submit({"c", "\xff"});
  release.set_value();
  EXPECT_EQ(good.get(), Expected({"a b"}));
  EXPECT_THROW(bad.get(), FormatError);
}

TEST_F(EngineTest, PredictsAsTheCommandDoes) {
  Start();
  std::promise<std::vector<Prediction>> promise;
  Job job;
  job.kind = Job::Kind::kPredict;
  job.texts = {"a b", "c\nd a"};
  job.options = queue().model()->CheckedOptions({{"beam", "2"}}, {});
  EXPECT_EQ(job.options, (nlohmann::ordered_json{{"beam", 2}}));
  job.predicted = [&](const ServedModel&, std::vector<Prediction> predictions) {
    promise.set_value(std::move(predictions));
  };
  job.failed = [&](std::exception_ptr error) {
    promise.set_exception(std::move(error));
  };
  queue().Submit(std::move(job));
  const auto predictions = promise.get_future().get();
  ASSERT_EQ(predictions.size(), 2u);
  EXPECT_EQ(predictions[1].details["lines"].size(), 2u);
}

TEST_F(EngineTest, OptionsOfTheOperatorAreRefused) {
  Start();
  const auto model = queue().model();
  for (const char* key : {"ensemble", "shortlist", "batch_tokens", "nothing"}) {
    EXPECT_THROW(model->CheckedOptions({{key, "x"}}, {}), HttpError) << key;
  }
  EXPECT_THROW(model->CheckedOptions({{"beam", 1000}}, {}), HttpError);
  EXPECT_THROW(model->CheckedOptions({{"beam", true}}, {}), HttpError);
}

}  // namespace
}  // namespace heed
