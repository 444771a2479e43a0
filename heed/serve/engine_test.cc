#include "heed/serve/engine.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <future>

#include "heed/tasks/translate/testing.h"

namespace heed {
namespace {

using Texts = std::vector<std::string>;

/// A model that reverses letters, and its engine.
class EngineTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    translate::TrainTranslation(translate::TinyConfig(folder_->Path("model")),
                                {ReversedLetters(120, 1), {}});
  }
  static void TearDownTestSuite() { folder_.reset(); }

  void Start(const EngineOptions& options = {}) {
    engine_ = std::make_unique<Engine>(
        std::vector<ModelSpec>{ParseModelSpec(folder_->Path("model"))}, options,
        log_, metrics_);
  }
  ModelQueue& queue() { return *engine_->queues()[0]; }

  /// A job that translates texts.
  Job Translating(const Texts& texts, const SearchChoice& search = {}) {
    Job job;
    for (const std::string& text : texts) job.inputs.push_back({text});
    job.options = queue().model()->SearchOptions(search);
    job.parts = false;
    return job;
  }
  /// Submits texts. The future yields their translations or an exception.
  std::future<Texts> Submit(const Texts& texts,
                            const SearchChoice& search = {}) {
    auto promise = std::make_shared<std::promise<Texts>>();
    Job job = Translating(texts, search);
    job.predicted = [promise](const ServedModel&,
                              const std::vector<Answer>& answers) {
      Texts best;
      for (const Answer& answer : answers) {
        best.push_back(TranslationsOf(answer)[0].text);
      }
      promise->set_value(best);
    };
    job.failed = [promise](std::exception_ptr error) {
      promise->set_exception(std::move(error));
    };
    queue().Submit(std::move(job));
    return promise->get_future();
  }
  /// Answers to inputs with beam size 2.
  std::vector<Answer> Predicted(std::vector<Input> inputs) {
    std::promise<std::vector<Answer>> promise;
    Job job;
    job.inputs = std::move(inputs);
    job.options = queue().model()->CheckedOptions({{"beam", "2"}}, {});
    job.predicted = [&](const ServedModel&, std::vector<Answer> answers) {
      promise.set_value(std::move(answers));
    };
    job.failed = [&](std::exception_ptr error) {
      promise.set_exception(std::move(error));
    };
    queue().Submit(std::move(job));
    return promise.get_future().get();
  }
  Texts Expected(const Texts& texts) {
    const translate::Model model =
        translate::ReadTranslationModel(folder_->Path("model"));
    const Translator translator(*model.model, model.vocabularies.source,
                                model.vocabularies.target, false, {});
    Texts best;
    for (const Translations& all : translator.Translate(texts)) {
      best.push_back(all[0].text);
    }
    return best;
  }
  /// Keeps a thread of the model busy until `release` is set; a thread for long
  /// jobs if `seconds` is large.
  std::future<void> Occupy(std::shared_future<void> release,
                           double seconds = 0) {
    auto begun = std::make_shared<std::promise<void>>();
    Job job;
    job.seconds = seconds;
    job.run = [begun, release](const ServedModel&, const Cancellation&) {
      begun->set_value();
      release.wait();
      return [] {};
    };
    queue().Submit(std::move(job));
    return begun->get_future();
  }
  /// Submits any job. The future is ready when the job is destroyed.
  std::future<void> SubmitAny(Job job) {
    auto gone = std::make_shared<std::promise<void>>();
    const std::shared_ptr<void> at_its_end(
        nullptr, [gone](void*) { gone->set_value(); });
    job.predicted = [at_its_end](const ServedModel&, const auto&) {};
    job.failed = [at_its_end](const std::exception_ptr& error) {
      ADD_FAILURE() << ErrorResponse(error).body;
    };
    queue().Submit(std::move(job));
    return gone->get_future();
  }
  /// A job that only ends by cancellation. Sets `begun` when it starts.
  static Job Endless(std::promise<void>& begun) {
    Job job;
    job.run = [&begun](
                  const ServedModel&,
                  const Cancellation& cancellation) -> std::function<void()> {
      begun.set_value();
      while (true) cancellation.Check();
    };
    return job;
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

TEST_F(EngineTest, WhatIsCancelledIsNotComputed) {
  Start();
  std::promise<void> release;
  Occupy(release.get_future().share()).wait();
  Job job = Translating({"a b c"});
  job.cancellation = std::make_shared<CountedCancellation>(1);
  job.predicted = [](const ServedModel&, const std::vector<Answer>&) {
    FAIL();
  };
  queue().Submit(std::move(job));
  auto other = Submit({"b"});
  release.set_value();
  other.get();
  EXPECT_TRUE(Counted("heed_abandoned_total{model=\"model\"} 1"));
  EXPECT_TRUE(Counted("heed_batch_texts_sum{model=\"model\"} 2"));
}

/// Long jobs: translations, watched translations, predictions, an explanation.
std::vector<Job> LongJobs(const ServedModel& model) {
  const Texts texts(20, "a b c d");
  std::vector<Job> jobs(4);
  for (size_t i = 0; i < 3; ++i) {
    for (const std::string& text : texts) jobs[i].inputs.push_back({text});
  }
  jobs[0].options = model.SearchOptions({.beam = 32});
  jobs[0].parts = false;
  jobs[1].options = model.SearchOptions({});
  jobs[1].parts = false;
  jobs[1].observer = [](size_t, const WrittenAnswer&) {};
  jobs[2].options =
      model.CheckedOptions({{"beam", 32}, {"max_length_factor", 10.0}}, {});
  jobs[3].run = [](const ServedModel& model, const Cancellation& cancellation) {
    ExplainRequest request;
    request.input.given = {"a b c d"};
    request.attribution.methods = AttributionMethods();
    request.cancellation = &cancellation;
    model.Explain(request);
    return [] {};
  };
  return jobs;
}

TEST_F(EngineTest, AJobThatIsCancelledWhileItIsComputedEndsAtItsNextStep) {
  Start();
  int place = 0;
  for (Job& job : LongJobs(*queue().model())) {
    SCOPED_TRACE(place++);
    const auto never = std::make_shared<CountedCancellation>();
    Job whole = job;
    whole.cancellation = never;
    SubmitAny(std::move(whole)).wait();
    const int64_t checks = never->checks();
    ASSERT_GT(checks, 40);
    const auto cancellation = std::make_shared<CountedCancellation>(checks / 2);
    job.cancellation = cancellation;
    SubmitAny(std::move(job)).wait();
    // Each of the 20 texts checks up to four more times, and so does the queue.
    EXPECT_LE(cancellation->checks(), checks / 2 + 100);
    EXPECT_EQ(Submit({"a b"}).get(), Expected({"a b"}));
  }
  EXPECT_TRUE(Counted("heed_abandoned_total{model=\"model\"} 4"));
}

TEST_F(EngineTest, AJobThatIsCancelledLeavesItsNeighboursInPeace) {
  Start();
  const Texts texts = {"a b c", "d c a b", "b"};
  const Texts expected = Expected(texts);
  for (const int64_t last : {1, 5, 40, 80}) {
    std::promise<void> release;
    Occupy(release.get_future().share()).wait();
    Job job = Translating(Texts(10, "d c b a"));
    job.cancellation = std::make_shared<CountedCancellation>(last);
    auto gone = SubmitAny(std::move(job));
    auto others = Submit(texts);
    release.set_value();
    EXPECT_EQ(others.get(), expected);
    gone.wait();
  }
}

TEST_F(EngineTest, AShortJobIsDoneWhileALongOneGoesOn) {
  Start();
  std::promise<void> begun;
  Job job = Endless(begun);
  const auto cancellation = std::make_shared<CancellationFlag>();
  job.cancellation = cancellation;
  auto gone = SubmitAny(std::move(job));
  begun.get_future().wait();
  EXPECT_EQ(Submit({"a b"}).get(), Expected({"a b"}));
  EXPECT_EQ(Submit({"c"}).get(), Expected({"c"}));
  EXPECT_EQ(queue().depth(), 1);
  cancellation->Cancel();
  gone.wait();
}

TEST_F(EngineTest, WhatIsExpensiveIsABatchOfItsOwn) {
  Start();
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  Occupy(released).wait();
  Occupy(released, 1000).wait();
  Job expensive = Translating({"a b", "b c"});
  expensive.seconds = 1000;
  auto done = SubmitAny(expensive);
  auto also = SubmitAny(expensive);
  auto one = Submit({"a b"});
  auto two = Submit({"c"});
  release.set_value();
  EXPECT_EQ(one.get(), Expected({"a b"}));
  EXPECT_EQ(two.get(), Expected({"c"}));
  done.wait();
  also.wait();
  EXPECT_TRUE(Counted("heed_batch_texts_count{model=\"model\"} 4"));
  EXPECT_TRUE(Counted("heed_batch_texts_sum{model=\"model\"} 8"));
}

TEST_F(EngineTest, BatchesAreSmallWhereStepsWouldTakeLong) {
  EngineOptions options;
  options.step_seconds = 0;
  Start(options);
  const Texts texts = {"a b", "b c", "d", "c a"};
  EXPECT_EQ(Submit(texts).get(), Expected(texts));
  EXPECT_TRUE(Counted("heed_batch_texts_count{model=\"model\"} 4"));
  const auto model = queue().model();
  const auto max = [&](int beam) {
    return static_cast<double>(
        model->MaxTexts(model->SearchOptions({.beam = beam}), 1e-6));
  };
  EXPECT_NEAR(max(1), 4 * max(4), 4);
  EXPECT_GT(model->MaxBytes(1e-6), model->MaxBytes(1e-7));
}

TEST_F(EngineTest, ExpensiveJobsLeaveThreadsForOthers) {
  EngineOptions options;
  options.slice = options.first_slice = std::chrono::milliseconds(0);
  Start(options);
  const auto cancellation = std::make_shared<CancellationFlag>();
  std::vector<std::promise<void>> begun(20);
  std::vector<std::future<void>> gone;
  for (size_t i = 0; i < begun.size(); ++i) {
    Job job = Endless(begun[i]);
    job.cancellation = cancellation;
    job.client = i < 15 ? "a" : "b";
    job.seconds = 1000;
    gone.push_back(SubmitAny(std::move(job)));
  }
  begun[0].get_future().wait();
  begun[1].get_future().wait();
  begun[15].get_future().wait();  // before the other jobs of "a"
  EXPECT_EQ(Submit({"a b"}).get(), Expected({"a b"}));
  EXPECT_EQ(queue().depth(), 20);
  cancellation->Cancel();
  for (auto& one : gone) one.wait();
}

TEST_F(EngineTest, AShortJobDoesNotWaitForALongOneThatNeverPauses) {
  Start();
  std::promise<void> release;
  Occupy(release.get_future().share(), 1000).wait();
  EXPECT_EQ(Submit({"a b"}).get(), Expected({"a b"}));
  EXPECT_EQ(queue().depth(), 1);
  release.set_value();
}

TEST_F(EngineTest, ModelsOfOneNameAreDistinguished) {
  const std::string folder = folder_->Path("model");
  const std::string other = folder_->Path("other/model");
  std::filesystem::create_directories(other);
  std::filesystem::copy(folder, other,
                        std::filesystem::copy_options::recursive);
  engine_ = std::make_unique<Engine>(
      std::vector<ModelSpec>{ParseModelSpec(folder), ParseModelSpec(other)},
      EngineOptions(), log_, metrics_);
  EXPECT_NE(engine_->Find("other/model"), nullptr);
  EXPECT_EQ(engine_->Find("model"), nullptr);
}

TEST_F(EngineTest, NumbersOfAModelAreNumbers) {
  Start();
  const nlohmann::ordered_json& about = queue().model()->description();
  EXPECT_TRUE(about.at("step").is_number_integer()) << about;
  EXPECT_EQ(about.at("metric"), "loss");
}

/// Two models with these languages.
class LanguagesTest : public EngineTest {
 protected:
  void Serve(const std::vector<std::string>& prefixes) {
    std::vector<ModelSpec> specs;
    for (const std::string& prefix : prefixes) {
      specs.push_back(ParseModelSpec(prefix + folder_->Path("model")));
    }
    engine_ = std::make_unique<Engine>(std::move(specs), EngineOptions(), log_,
                                       metrics_);
  }
  std::string Found(const std::string& source, const std::string& target) {
    const ModelQueue* queue =
        engine_->Find(LanguagePair{LanguageCode(source), LanguageCode(target)});
    return queue == nullptr ? "" : queue->model()->name();
  }
};

TEST_F(LanguagesTest, RegionsFallBackToTheLanguage) {
  Serve({"base=en-pt=", "brazil=en:pt-BR="});
  EXPECT_EQ(Found("en", "pt"), "base");
  EXPECT_EQ(Found("EN_us", "pt-PT"), "base");
  EXPECT_EQ(Found("en-GB", "PT_br"), "brazil");
  EXPECT_EQ(Found("en", "pb"), "brazil");
  EXPECT_EQ(Found("pt", "en"), "");
  EXPECT_EQ(Found("eo", "pt"), "");
  Serve({"zh=en-zh=", "brazil=en:pt-BR="});
  EXPECT_EQ(Found("en", "zh-Hans"), "zh");
  EXPECT_EQ(Found("en", "zh-TW"), "zh");
  EXPECT_EQ(Found("en", "pt"), "brazil");
}

TEST_F(LanguagesTest, OneModelThatDoesNotTellItsLanguagesAnswersForAny) {
  Serve({"alone="});
  EXPECT_TRUE(engine_->queues()[0]->model()->has_unknown_languages());
  EXPECT_EQ(Found("en", "de"), "alone");
  EXPECT_EQ(Found("source", "target"), "alone");
  EXPECT_EQ(Found("xx", "de"), "");
  Serve({"one=", "two="});
  EXPECT_EQ(Found("en", "de"), "") << "it could be either";
  EXPECT_EQ(Found("source", "target"), "one");
  Serve({"one=", "two=en-de="});
  EXPECT_EQ(Found("en", "de"), "two");
  EXPECT_EQ(Found("en", "fr"), "one");
}

TEST_F(EngineTest, WhatIsLeftOfAJobDoesNotKeepTheModel) {
  Start();
  std::promise<void> begun;
  std::promise<void> release;
  Job job;
  job.run = [&](const ServedModel&, const Cancellation&) {
    return [&] {
      begun.set_value();
      release.get_future().wait();
    };
  };
  auto gone = SubmitAny(std::move(job));
  begun.get_future().wait();
  EXPECT_EQ(queue().depth(), 0);
  EXPECT_EQ(Submit({"a b"}).get(), Expected({"a b"}));
  release.set_value();
  gone.wait();
}

TEST_F(EngineTest, WhatIsComputedEndsWithTheEngine) {
  Start();
  std::promise<void> begun;
  auto gone = SubmitAny(Endless(begun));
  begun.get_future().wait();
  engine_.reset();
  gone.wait();
}

TEST_F(EngineTest, WhatCannotBeDoneInTimeIsRefusedBeforeItIsBegun) {
  EngineOptions options;
  options.job_seconds = 2;
  Start(options);
  Job job = Translating({"a b"});
  job.seconds = 2.5;
  EXPECT_NE(MessageOf<HttpError>([&] {
              queue().Submit(job);
            }).find("3 s or more, but a request has 2 s"),
            std::string::npos);
  EXPECT_EQ(queue().depth(), 0);
  EXPECT_EQ(Submit({"a b"}).get(), Expected({"a b"}));
}

TEST_F(EngineTest, MinimumTimeGrowsWithTheRequest) {
  Start();
  const auto model = queue().model();
  const auto translating = [&](const Texts& texts, int beam) {
    const Job job = Translating(texts, {.beam = beam});
    return model->PredictionSeconds(job.inputs, job.options);
  };
  const Texts one = {"a b c d"};
  const Texts two = {"a b c d", "a b c d"};
  const double greedy = translating(one, 1);
  EXPECT_GT(greedy, 0);
  EXPECT_LT(greedy, 1e-3);
  EXPECT_GT(translating(one, 8), 2 * greedy);
  EXPECT_GT(translating(two, 1), 1.5 * greedy);
  const std::vector<Input> input = {{one[0]}};
  const auto predicting = [&](double factor) {
    return model->PredictionSeconds(
        input, model->CheckedOptions({{"max_length_factor", factor}}, {}));
  };
  EXPECT_GT(predicting(10), predicting(1));
  AttributionOptions attribution;
  const double none = model->ExplanationSeconds(input[0], attribution);
  attribution.methods = {"integrated_gradients"};
  const double some = model->ExplanationSeconds(input[0], attribution);
  attribution.steps *= 4;
  EXPECT_GT(some, 10 * none);
  EXPECT_GT(model->ExplanationSeconds(input[0], attribution), 3 * some);
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
  const std::vector<Answer> answers = Predicted({{"a b"}, {"c\nd a"}});
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].line, answers[0].parts["text"]);
  ASSERT_EQ(answers[1].parts.size(), 2u);
  EXPECT_EQ(answers[1].line,
            answers[1].parts[0]["text"].get<std::string>() + "\n" +
                answers[1].parts[1]["text"].get<std::string>());
}

TEST_F(EngineTest, ALineEndAtTheEndOfATextBeginsNoLine) {
  Start();
  const std::vector<Answer> answers =
      Predicted({{"a b"}, {"a b\n"}, {"a b\r\n"}, {"a b\n\n"}});
  EXPECT_EQ(answers[1].line, answers[0].line);
  EXPECT_EQ(answers[1].parts, answers[0].parts);
  EXPECT_EQ(answers[2].line, answers[0].line);
  EXPECT_EQ(answers[3].parts.size(), 2u);
}

TEST_F(EngineTest, AFileIsNotCutIntoLines) {
  Start();
  const std::vector<Answer> answers =
      Predicted({{NamedBytes{"x", "text/x-letters", "a b\nc d"}},
                 {NamedBytes{"y", "text/x-letters", "a\xFF\nb"}}});
  EXPECT_TRUE(answers[0].parts.is_object()) << answers[0].parts;
  EXPECT_FALSE(answers[1].error.empty());
  EXPECT_TRUE(answers[1].parts.is_null()) << answers[1].parts;
}

TEST_F(EngineTest, OptionsOfAPredictionAreChecked) {
  Start();
  const RequestOptions options =
      queue().model()->CheckedOptions({{"beam", "2"}}, {});
  EXPECT_EQ(options.values, (nlohmann::ordered_json{{"beam", 2}}));
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
