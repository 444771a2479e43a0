#include "heed/tasks/explain.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <sstream>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/decode/translator.h"
#include "heed/explain/faithfulness.h"
#include "heed/explain/head_importance.h"
#include "heed/models/rnn_config.h"
#include "heed/tasks/classify.h"
#include "heed/tasks/explain_summary.h"
#include "heed/tasks/testing.h"

namespace heed {
namespace {

using Settings = std::map<std::string, std::string>;

void SetAll(FieldList fields, const Settings& settings) {
  for (const auto& [key, text] : settings) {
    const auto field = std::ranges::find(fields.fields(), key, &Field::key);
    ASSERT_NE(field, fields.fields().end()) << key;
    field->SetText({text}, key);
  }
}

const Settings kSmallTransformer = {
    {"width", "16"}, {"ff", "32"}, {"heads", "2"}, {"dropout", "0"}};

/// A model of any task with random weights, and a text that it reads.
struct ExplainCase {
  std::string name;
  std::string task;
  std::string model;
  Settings settings;
  std::map<std::string, std::string> files;  // option: content
  std::string text;
  int64_t layers;
  bool aligned;
};

void PrintTo(const ExplainCase& c, std::ostream* out) { *out << c.name; }

std::string Reviews() {
  return "pos\ta good film\nneg\ta bad film\npos\tgood plot and cast\n";
}
std::string Tagged() {
  return "Anna\tB-PER\neats\tO\n\nAnna\tB-PER\neats\tO\nin\tO\nParis\tB-LOC\n";
}
std::string Series() {
  std::string csv = "date,a,b\n";
  for (int i = 0; i < 60; ++i) {
    csv += "day" + std::to_string(i) + "," + std::to_string(std::sin(i)) + "," +
           std::to_string(i % 7) + "\n";
  }
  return csv;
}
std::string Pairs() {
  return "a b c\tc b a\nb a\ta b\nc c a\ta c c\na a\ta a\n";
}

std::vector<ExplainCase> Cases() {
  const Settings words = {{"vocabulary", "words"}};
  const auto with = [](Settings a, const Settings& b) {
    a.insert(b.begin(), b.end());
    return a;
  };
  const Settings small_rnn = {{"units", "8"}, {"embedding", "6"}};
  const Settings text_rnn = {{"units", "8"}};
  return {
      {"Transformer",
       "translate",
       "transformer-tiny",
       with(with(words, kSmallTransformer), {{"layers", "2"}}),
       {{"tsv", Pairs()}},
       "a b c",
       6,
       true},
      {"Bahdanau",
       "translate",
       "bahdanau",
       with(words, small_rnn),
       {{"tsv", Pairs()}},
       "c a b",
       1,
       true},
      {"LuongReversed",
       "translate",
       "luong",
       with(with(words, small_rnn), {{"reverse_source", "yes"}}),
       {{"tsv", Pairs()}},
       "c a b",
       1,
       true},
      {"Fixed",
       "translate",
       "fixed",
       with(words, small_rnn),
       {{"tsv", Pairs()}},
       "a b c",
       0,
       false},
      {"ClassifyRnn",
       "classify",
       "rnn",
       with(words, text_rnn),
       {{"texts", Reviews()}},
       "a good cast",
       2,
       true},
      {"ClassifyBert",
       "classify",
       "bert-tiny",
       with(with({{"vocabulary", "wordpiece"}, {"pooling", "cls"}},
                 kSmallTransformer),
            {{"layers", "1"}}),
       {{"texts", Reviews()}},
       "a good cast",
       1,
       true},
      {"TagRnn",
       "tag",
       "rnn",
       text_rnn,
       {{"texts", Tagged()}},
       "Anna eats in Paris",
       1,
       true},
      {"TagBert",
       "tag",
       "bert-tiny",
       with(kSmallTransformer, {{"layers", "1"}}),
       {{"texts", Tagged()}},
       "Anna eats in Paris",
       1,
       true},
      {"LanguageRnn",
       "lm",
       "rnn",
       with(words, text_rnn),
       {{"texts", "a b c\nb a c\n"}},
       "a b",
       1,
       true},
      {"LanguageTransformer",
       "lm",
       "transformer-tiny",
       with(with(words, kSmallTransformer), {{"layers", "2"}}),
       {{"texts", "a b c\nb a c\n"}},
       "a b",
       2,
       true},
      {"Forecast",
       "forecast",
       "patchtst",
       {{"lookback", "16"},
        {"horizon", "4"},
        {"patch", "4"},
        {"patch_stride", "4"},
        {"layers", "1"}},
       {{"series", Series()}},
       Series(),
       1,
       false},
      {"Retrieve",
       "retrieve",
       "rnn",
       with(text_rnn, {{"pooling", "attention"}}),
       {{"corpus", "1\ta good film\n2\ta bad plot\n"},
        {"queries", "q\tgood film\n"},
        {"relevant", "q\t1\n"}},
       "good film\ta good plot",
       1,
       true},
      {"Pretrain",
       "pretrain",
       "bert-tiny",
       with(kSmallTransformer, {{"layers", "1"}, {"vocabulary_size", "60"}}),
       {{"texts", "a good film\nthe plot was bad\n\nmore of it\nand so on\n"}},
       "a [MASK] film",
       1,
       true},
  };
}

class ExplainEach : public testing::TestWithParam<ExplainCase> {
 protected:
  void SetUp() override {
    const ExplainCase& c = GetParam();
    task_ = MakeTask(c.task);
    task_->ChooseModel(c.model);
    Settings settings = c.settings;
    for (const auto& [option, content] : c.files) {
      settings[option] = folder_.Put(option, content);
    }
    FieldList fields;
    task_->Visit(fields);
    SetAll(fields, settings);
    task_->Resolve();
    task_->ReadExamples();
    task_->LearnVocabularies();
    task_->MakeModel(7);
  }

  TemporaryFolder folder_;
  std::unique_ptr<Task> task_;
};

TEST_P(ExplainEach, ReportsAllThatTheModelAttendedTo) {
  const ExplainCase& c = GetParam();
  const Explanation e = Explain(*task_, {{c.text, ""}, {}, ""});
  EXPECT_EQ(e.task, c.task);
  EXPECT_EQ(e.model, c.model);
  EXPECT_FALSE(e.source.empty());
  EXPECT_FALSE(e.target.empty());
  EXPECT_EQ(std::ssize(e.layers), c.layers);
  EXPECT_EQ(e.alignment.has_value(), c.aligned);
  for (const LayerAttention& layer : e.layers) {
    SCOPED_TRACE(layer.layer);
    EXPECT_EQ(layer.query_size, std::ssize(e.tokens(layer.queries)));
    EXPECT_EQ(layer.key_size, std::ssize(e.tokens(layer.keys)));
    for (int64_t h = 0; h < layer.heads; ++h) {
      for (int64_t t = 0; t < layer.query_size; ++t) {
        double sum = 0;
        for (int64_t s = 0; s < layer.key_size; ++s) {
          sum += layer.weight(h, t, s);
        }
        EXPECT_NEAR(sum, 1, 1e-5);
      }
    }
  }
  if (c.aligned) {
    EXPECT_EQ(e.alignment_rows.size(), e.target.size());
    EXPECT_EQ(AlignmentOf(e).weights.size(), e.source.size() * e.target.size());
  }
}

TEST_P(ExplainEach, GradientsEqualFiniteDifferences) {
  const ExplainedPrediction answer =
      ExplainPrediction(*task_, {{GetParam().text, ""}, {}, ""});
  const Tensor jacobian = Jacobian(answer.scores);
  const int64_t features = jacobian.dim(2);
  constexpr double kStep = 1e-2;
  for (int64_t s = 0; s < answer.scores.tokens; ++s) {
    const int64_t m = s % features;
    const auto moved = [&](double step) {
      return ChangedInput{answer.scores.targets - 1, [=](std::span<double> x) {
                            x[static_cast<size_t>(s * features + m)] += step;
                          }};
    };
    const std::vector<ChangedInput> both = {moved(kStep), moved(-kStep)};
    const std::vector<double> y = ScoresOf(answer.scores, both);
    const double gradient =
        jacobian[answer.scores.targets - 1].row<double>(s)[m];
    EXPECT_NEAR((y[0] - y[1]) / (2 * kStep), gradient,
                2e-3 + 0.02 * std::abs(gradient))
        << "token " << s;
  }
}

TEST_P(ExplainEach, IntegratedGradientsAreComplete) {
  const ExplainCase& c = GetParam();
  ExplainRequest request;
  request.input.text = c.text;
  request.attribution.methods = AttributionMethods();
  request.attribution.steps = 100;
  request.attribution.samples = 2;
  const Explanation e = Explain(*task_, request);
  ASSERT_EQ(e.attributions.size(), AttributionMethods().size());
  for (const Attribution& a : e.attributions) {
    SCOPED_TRACE(a.method);
    ASSERT_EQ(a.scores.size(), e.target.size() * e.source.size());
    // A cosine jumps where its vector vanishes, which is where the path starts.
    if (a.method != "integrated_gradients" || c.task == "retrieve") continue;
    for (size_t n = 0; n < e.target.size(); ++n) {
      const auto row =
          a.scores.begin() + static_cast<long>(n * e.source.size());
      const double sum =
          std::accumulate(row, row + static_cast<long>(e.source.size()), 0.0);
      EXPECT_NEAR(sum, a.differences[n],
                  0.02 * std::max(1.0, std::abs(a.differences[n])));
    }
  }
}

/// Runs `work` to its end, then lets it be cancelled at its beginning, in the
/// middle and near its end: it throws and asks no further.
void ExpectEndsWhenCancelled(
    const std::function<void(const Cancellation&)>& work, int64_t least) {
  const CountedCancellation never;
  work(never);
  ASSERT_GE(never.asked(), least);
  for (const int64_t last : {int64_t{1}, never.asked() / 2, never.asked()}) {
    const CountedCancellation cancellation(std::max<int64_t>(last, 1));
    EXPECT_THROW(work(cancellation), Cancelled);
    // Each sentence of a search asks for itself and for its batch.
    EXPECT_LE(cancellation.asked(), last + 4);
  }
}

TEST_P(ExplainEach, EveryMethodEndsWhenItIsCancelled) {
  ExplainRequest request;
  request.input.text = GetParam().text;
  request.attribution.steps = 3;
  request.attribution.samples = 3;
  for (const std::string& method : AttributionMethods()) {
    SCOPED_TRACE(method);
    request.attribution.methods = {method};
    const Explanation before = Explain(*task_, request);
    ExpectEndsWhenCancelled(
        [&](const Cancellation& cancellation) {
          ExplainRequest cancelled = request;
          cancelled.cancellation = &cancellation;
          Explain(*task_, cancelled);
        },
        method == "saliency" || method == "gradient_x_input" ? 4 : 6);
    EXPECT_EQ(Explain(*task_, request).attributions.at(0).scores,
              before.attributions.at(0).scores);
  }
}

TEST_P(ExplainEach, MeasuresOfAnAnswerEndWhenTheyAreCancelled) {
  ExplainedPrediction answer =
      ExplainPrediction(*task_, {{GetParam().text, ""}, {}, ""});
  ExpectEndsWhenCancelled(
      [&](const Cancellation& cancellation) {
        answer.scores.cancellation = &cancellation;
        FaithfulnessOf(answer, 1);
      },
      2);
  ExpectEndsWhenCancelled(
      [&](const Cancellation& cancellation) {
        answer.scores.cancellation = &cancellation;
        HeadImportance(answer.scores);
      },
      2);
}

TEST_P(ExplainEach, PredictionEndsWhenItIsCancelled) {
  task_->EncodeExamples();
  const std::map<std::string, std::vector<std::string>> modes = {
      {"lm", {"complete", "sample", "score"}}, {"pretrain", {"words", "next"}}};
  const auto found = modes.find(GetParam().task);
  for (const std::string& mode :
       found == modes.end() ? std::vector<std::string>{""} : found->second) {
    SCOPED_TRACE(mode);
    FieldList fields;
    task_->VisitPredict(fields);
    if (!mode.empty()) SetAll(fields, {{"mode", mode}});
    const std::string text =
        mode == "next" ? "a film\tthe plot" : GetParam().text;
    ExpectEndsWhenCancelled(
        [&](const Cancellation& cancellation) {
          Context ctx;
          ctx.cancellation = &cancellation;
          std::istringstream in(text);
          std::ostringstream out;
          PredictStream(*task_, ctx, in, out);
        },
        1);
  }
}

INSTANTIATE_TEST_SUITE_P(Tasks, ExplainEach, testing::ValuesIn(Cases()),
                         [](const auto& info) { return info.param.name; });

/// softmax(scores) in f64 from the parts of each head.
void ExpectWeightsOfScores(const AttentionPanels& panels,
                           const LayerAttention& layer) {
  for (size_t t = 0; t < panels.scores.size(); ++t) {
    double sum = 0;
    for (const float e : panels.scores[t]) sum += std::exp(double{e});
    for (size_t s = 0; s < panels.scores[t].size(); ++s) {
      EXPECT_NEAR(std::exp(double{panels.scores[t][s]}) / sum,
                  layer.weight(panels.head, static_cast<int64_t>(t),
                               static_cast<int64_t>(s)),
                  1e-5);
    }
  }
}

/// Q Kᵀ/√A in f64 where the mask allows.
void ExpectScoresOfQueries(const AttentionPanels& panels) {
  for (size_t t = 0; t < panels.scores.size(); ++t) {
    for (size_t s = 0; s < panels.scores[t].size(); ++s) {
      if (std::isinf(panels.scores[t][s])) continue;
      double dot = 0;
      for (size_t a = 0; a < panels.query[t].size(); ++a) {
        dot += double{panels.query[t][a]} * panels.key[s][a];
      }
      EXPECT_NEAR(dot / std::sqrt(static_cast<double>(panels.query[t].size())),
                  panels.scores[t][s], 1e-4);
    }
  }
}

class ExplainTranslation : public testing::Test {
 protected:
  void Make(const std::string& model, const Settings& settings = {}) {
    task_.ChooseModel(model);
    FieldList fields;
    task_.Visit(fields);
    SetAll(fields, {{"vocabulary", "words"}});
    if (model.starts_with("transformer")) SetAll(fields, kSmallTransformer);
    SetAll(fields, settings);
    task_.SetText({ReversedLetters(50, 1), {}});
    task_.Resolve();
    task_.LearnVocabularies();
    task_.MakeModel(3);
  }
  void SetBeam(int beam) {
    FieldList fields;
    task_.VisitPredict(fields);
    SetAll(fields, {{"beam", std::to_string(beam)}});
  }

  TranslationTask task_;
};

// What is told is what the fused kernels used, not what a second path gives.
TEST_F(ExplainTranslation, WeightsAreSoftmaxOfTheQueriesAndKeys) {
  Make("transformer-tiny");
  const Explanation plain = Explain(task_, {{"a b c d", ""}, {}, ""});
  for (const LayerAttention& layer : plain.layers) {
    SCOPED_TRACE(layer.layer);
    const Explanation e = Explain(task_, {{"a b c d", ""}, {}, layer.layer});
    ASSERT_EQ(std::ssize(e.panels), layer.heads);
    for (const AttentionPanels& panels : e.panels) {
      ExpectScoresOfQueries(panels);
      ExpectWeightsOfScores(panels, layer);
      ASSERT_EQ(panels.context.size(), panels.weights.size());
      for (size_t t = 0; t < panels.weights.size(); ++t) {
        double first = 0;
        for (size_t s = 0; s < panels.value.size(); ++s) {
          first += double{panels.weights[t][s]} * panels.value[s][0];
        }
        EXPECT_NEAR(first, panels.context[t][0], 1e-5);
      }
    }
  }
}

TEST_F(ExplainTranslation, BeamsWereFollowedByTheirWeights) {
  const std::vector<std::pair<std::string, Settings>> models = {
      {"transformer-tiny", {}},
      {"transformer-tiny", {{"alignment_layer", "0"}, {"alignment_head", "1"}}},
      {"bahdanau", {}},
      {"luong", {}}};
  for (const auto& [model, settings] : models) {
    SCOPED_TRACE(model);
    task_ = TranslationTask();
    Make(model, settings);
    SetBeam(4);
    const Explanation e = Explain(task_, {{"a d c b", ""}, {}, ""});
    TranslationModel read = task_.TakeModel();
    DecodeOptions options;
    options.beam = 4;
    options.keep_attention = true;
    const Translator translator(*read.model, read.vocabularies.source,
                                read.vocabularies.target, false, options);
    const Translation best =
        translator.Translate(std::vector<std::string>{"a d c b"}).at(0).at(0);
    EXPECT_EQ(e.answer, best.text);
    EXPECT_EQ(e.target, best.target_pieces);
    const std::vector<float> weights = AlignmentWeights(e);
    ASSERT_EQ(weights.size(), best.attention.size());
    for (size_t i = 0; i < weights.size(); ++i) {
      EXPECT_NEAR(weights[i], best.attention[i], 1e-5);
    }
  }
}

TEST_F(ExplainTranslation, OfAGivenAnswer) {
  Make("bahdanau");
  const Explanation e = Explain(task_, {{"a b c", "d d"}, {}, ""});
  EXPECT_EQ(e.answer, "d d");
  EXPECT_EQ(e.target, (std::vector<std::string>{"d", "d", "</s>"}));
  EXPECT_EQ(e.target_inputs, (std::vector<std::string>{"<s>", "d", "d"}));
}

TEST_F(ExplainTranslation, RefusesWhatItCannotExplain) {
  Make("transformer-tiny");
  EXPECT_THROW(Explain(task_, {{"", ""}, {}, ""}), FormatError);
  EXPECT_THROW(Explain(task_, {{"a\xff", ""}, {}, ""}), FormatError);
  try {
    Explain(task_, {{"a b", ""}, {}, "decoder.layers.0.cross_atention"});
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what())
                  .find("did you mean 'decoder.layers.0.cross_attention'"),
              std::string::npos);
  }
  task_.parameters().SetPrecision(kernels::Precision::kInt8);
  ExplainRequest request = {{"a b", ""}, {}, ""};
  request.attribution.methods = {"occlusion"};
  EXPECT_EQ(Explain(task_, request).attributions.size(), 1u);
  request.attribution.methods = {"saliency"};
  EXPECT_THROW(Explain(task_, request), ConfigError);
}

// Heads that do nothing are not important, and leaving them out changes
// nothing; the others are the last to go.
TEST_F(ExplainTranslation, UselessHeadsAreTheLeastImportant) {
  Make("transformer-tiny");
  const std::string layer = "encoder.layers.1.self_attention";
  const HeadPlace useless = {layer, 1, 2, layer + ".output.weight"};
  PruneHeads({&useless, 1}, task_.parameters());
  SummaryOptions options;
  options.importance = true;
  ExplainSummarizer summarizer(task_, options);
  for (const char* text : {"a b", "c d a", "b b d c"}) summarizer.Add(text);
  const ExplainSummary summary = summarizer.Result();
  EXPECT_EQ(summary.texts, 3);
  for (const LayerImportance& layer_importance : summary.importance) {
    for (size_t h = 0; h < layer_importance.heads.size(); ++h) {
      const bool is_useless = layer_importance.layer == layer && h == 1;
      EXPECT_EQ(layer_importance.heads[h] == 0, is_useless)
          << layer_importance.layer << " " << h;
    }
  }
  const auto order =
      LeastImportantHeads(summary.importance, task_.parameters());
  ASSERT_FALSE(order.empty());
  EXPECT_EQ(order[0], useless);
  const Explanation before = Explain(task_, {{"a b c", ""}, {}, ""});
  PruneHeads(std::span(order).first(1), task_.parameters());
  EXPECT_EQ(Explain(task_, {{"a b c", ""}, {}, ""}).layers.back().weights,
            before.layers.back().weights);
  PruneHeads(order, task_.parameters());
  EXPECT_NE(Explain(task_, {{"a b c", ""}, {}, ""}).layers.back().weights,
            before.layers.back().weights);
}

/// One word among fillers decides.
LabelledText Planted(int count) {
  const std::vector<std::string> filler = {"the", "film", "plot", "cast"};
  Rng rng(5);
  LabelledText text;
  for (int i = 0; i < count; ++i) {
    const bool good = i % 2 == 0;
    std::string line;
    const auto place = rng.Below(5);
    for (uint64_t w = 0; w < 5; ++w) {
      if (w > 0) line += ' ';
      line += w == place ? (good ? "good" : "bad") : filler[rng.Below(4)];
    }
    text.text.push_back(line);
    text.labels.push_back({good ? "pos" : "neg"});
  }
  return text;
}

// Bare gradients vanish where the answer is certain, so saliency and
// smooth_grad do not find the word that made it so.
TEST(ExplainPlanted, TheDecisiveWordIsFound) {
  TemporaryFolder folder;
  ClassifyTask task;
  task.ChooseModel("rnn");
  task.encoder.As<RnnConfig>().cell = "gru";
  task.encoder.As<RnnConfig>().units = 12;
  task.data.vocabulary.vocabulary = "words";
  task.data.batch_texts = 16;
  TrainingConfig training;
  task.SetDefaults(training);
  training.optimizer.learning_rate = 0.01;
  training.run.out = folder.Path("model");
  training.optimizer.label_smoothing = 0.1;  // else gradients vanish
  training.run.epochs = 8;
  training.run.patience = 0;
  training.run.quiet = true;
  task.SetText(Planted(200), Planted(20));
  TrainOnExamples(task, training);
  SummaryOptions options;
  options.attribution.methods = {"gradient_x_input", "integrated_gradients",
                                 "occlusion"};
  options.faithfulness = true;
  ExplainSummarizer summarizer(task, options);
  for (const char* text : {"the plot good film cast", "bad cast the the film",
                           "plot plot film the bad"}) {
    summarizer.Add(text);
    ExplainRequest request = {{text, ""}, options.attribution, ""};
    const Explanation e = Explain(task, request);
    const auto decisive = std::ranges::find_if(e.source, [](const auto& word) {
      return word == "good" || word == "bad";
    });
    for (const Attribution& a : e.attributions) {
      const auto greatest = std::ranges::max_element(
          a.scores, {}, [](float x) { return std::abs(x); });
      EXPECT_EQ(greatest - a.scores.begin(), decisive - e.source.begin())
          << a.method << " of " << text;
    }
  }
  const auto curves = summarizer.Result().faithfulness;
  ASSERT_EQ(curves.size(), 5u);
  EXPECT_EQ(curves.front().method, "attention");
  // Attention reads states that know of their neighbours: it need not find it.
  for (size_t i = 1; i + 1 < curves.size(); ++i) {
    EXPECT_LT(curves[i].deletion_area(), curves.back().deletion_area())
        << curves[i].method;
    EXPECT_GT(curves[i].insertion_area(), curves.back().insertion_area())
        << curves[i].method;
  }
}

}  // namespace
}  // namespace heed
