#include "heed/tasks/explain.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/base/text.h"
#include "heed/explain/faithfulness.h"
#include "heed/explain/head_importance.h"
#include "heed/tasks/explain_summary.h"
#include "heed/tasks/explain_testing.h"

namespace heed {
namespace {

/// The model of the case with this name, and its input.
struct NamedCase {
  explicit NamedCase(const std::string& name) {
    const std::vector<ExplainCase> cases = ExplainCases();
    const auto found = std::ranges::find(cases, name, &ExplainCase::name);
    loaded = ModelOf(*found, folder);
    predictor = loaded.MakePredictor();
    request.input.given = InputOf(*found);
  }
  Explanation Explained() const { return Explain(loaded, *predictor, request); }

  TemporaryFolder folder;
  LoadedModel loaded;
  std::unique_ptr<Predictor> predictor;
  ExplainRequest request;
};

class ExplainEach : public testing::TestWithParam<ExplainCase> {
 protected:
  Explanation Explained(const ExplainRequest& request) const {
    return Explain(loaded_, *predictor_, request);
  }
  ExplainedPrediction Prediction() const {
    return ExplainPrediction(loaded_, *predictor_,
                             {.input = {.given = InputOf(GetParam())}});
  }

  TemporaryFolder folder_;
  const LoadedModel loaded_ = ModelOf(GetParam(), folder_);
  const std::unique_ptr<Predictor> predictor_ = loaded_.MakePredictor();
};

TEST_P(ExplainEach, ReportsAllThatTheModelAttendedTo) {
  const ExplainCase& c = GetParam();
  const Explanation e = Explained({.input = {.given = InputOf(c)}});
  EXPECT_EQ(e.task, c.task);
  EXPECT_EQ(e.model, c.model);
  CheckExplanation(e);
  ASSERT_EQ(e.segments.size(), 1u);
  const ExplanationSegment& segment = e.segments[0];
  EXPECT_FALSE(segment.axes.at(0).items.empty());
  EXPECT_FALSE(segment.targets.empty());
  EXPECT_EQ(std::ssize(segment.maps), c.maps);
  EXPECT_EQ(segment.AlignmentMap().has_value(), c.aligned);
  for (const AttentionMap& map : segment.maps) {
    SCOPED_TRACE(map.name);
    EXPECT_FALSE(map.score.empty());
    EXPECT_FALSE(map.normalizer.empty());
    for (int64_t h = 0; h < map.heads; ++h) {
      const std::vector<float> weights = map.OfHead(h);
      for (int64_t t = 0; t < map.query_size; ++t) {
        const auto row = weights.begin() + t * map.key_size;
        const double shown = std::accumulate(row, row + map.key_size, 0.0);
        EXPECT_NEAR(shown + double{map.Outside(t, h)}, 1, 1e-5);
      }
    }
  }
}

/// Two lines separated by a blank line are two texts.
TEST_P(ExplainEach, EachLineOfATextIsExplainedByItself) {
  const Input input = InputOf(GetParam());
  if (std::holds_alternative<NamedBytes>(input.content)) {
    GTEST_SKIP() << "a file is one input";
  }
  const std::string line = input.Text();
  const InputReading reading = loaded_.ReadingOf(*predictor_);
  const Input two = {line + "\n\n" + line + "\n"};
  if (LinesOf(two, loaded_.input(), reading).size() == 1) {
    GTEST_SKIP() << "its lines belong together";
  }
  const Explanation one = Explained({.input = {.given = {line}}});
  const Explanation all = Explained({.input = {.given = two}});
  CheckExplanation(all);
  EXPECT_EQ(all.text, two.Text());
  EXPECT_EQ(all.answer, one.answer + "\n" + one.answer);
  ASSERT_EQ(all.segments.size(), 2u);
  // The printed line contains each word of the explained answer; a list also
  // has probabilities.
  const std::vector<Input> inputs = {{line}};
  const std::string predicted = predictor_->Predict(inputs).at(0).line;
  for (std::string_view word : SplitWhitespace(one.answer)) {
    if (word.starts_with('(')) word = word.substr(1, word.size() - 2);
    EXPECT_NE(predicted.find(word), predicted.npos)
        << word << " in " << predicted;
  }
  for (const ExplanationSegment& segment : all.segments) {
    EXPECT_EQ(segment.text, one.segments.at(0).text);
    EXPECT_EQ(segment.answer, one.answer);
    EXPECT_EQ(segment.targets.size(), one.segments[0].targets.size());
    EXPECT_EQ(segment.maps.size(), one.segments[0].maps.size());
  }
}

TEST_P(ExplainEach, SaliencyTakesThePlaceOfAttentionWhereThereIsNone) {
  const ExplainCase& c = GetParam();
  const ExplanationSegment segment =
      Explained(
          {.input = {.given = InputOf(c)}, .saliency_without_attention = true})
          .segments.at(0);
  // Attributions that the model itself computes, such as gates.
  const size_t own = Explained({.input = {.given = InputOf(c)}})
                         .segments.at(0)
                         .attributions.size();
  if (!segment.maps.empty()) {
    EXPECT_EQ(segment.attributions.size(), own);
    return;
  }
  ASSERT_GT(segment.attributions.size(), own);
  for (size_t i = own; i < segment.attributions.size(); ++i) {
    EXPECT_EQ(segment.attributions[i].method, "saliency");
  }
}

/// The mean cosine of two rows, over all rows.
double MeanCosine(const std::vector<std::vector<float>>& a,
                  const std::vector<std::vector<float>>& b) {
  double sum = 0;
  for (size_t t = 0; t < a.size(); ++t) {
    double ab = 0, aa = 0, bb = 0;
    for (size_t d = 0; d < a[t].size(); ++d) {
      ab += a[t][d] * b[t][d];
      aa += a[t][d] * a[t][d];
      bb += b[t][d] * b[t][d];
    }
    sum += ab / std::sqrt(aa * bb);
  }
  return sum / static_cast<double>(a.size());
}

/// The cosines equal those computed from the contexts of each head's panels.
TEST_P(ExplainEach, ContextsOfHeadsAreComparedAsTheyWereRead) {
  const ExplainRequest request = {.input = {.given = InputOf(GetParam())}};
  const Explanation e = Explained(request);
  for (const AttentionMap& map : e.segments[0].maps) {
    SCOPED_TRACE(map.name);
    if (map.heads < 2) {
      EXPECT_TRUE(std::isnan(map.context_similarity));
      continue;
    }
    if (!map.outside.empty()) {
      EXPECT_TRUE(std::isnan(map.context_similarity))
          << "of other nodes as well";
      continue;
    }
    if (!map.numbers) continue;
    ExplainRequest numbers = request;
    numbers.panels_of = map.name;
    const std::vector<AttentionPanels> heads =
        Explained(numbers).segments[0].panels;
    ASSERT_EQ(std::ssize(heads), map.heads);
    double sum = 0;
    double pairs = 0;
    for (size_t h = 0; h < heads.size(); ++h) {
      for (size_t other = h + 1; other < heads.size(); ++other) {
        sum += MeanCosine(heads[h].context, heads[other].context);
        ++pairs;
      }
    }
    EXPECT_NEAR(map.context_similarity, sum / pairs, 1e-4);
  }
}

TEST_P(ExplainEach, SaysWhatTheModelIsMadeOf) {
  const ModelOutline outline = OutlineOf(loaded_);
  EXPECT_NE(outline.name, "");
  EXPECT_GT(outline.weights, 0);
  ASSERT_TRUE(outline.defined());
  for (const OutlineSequence& sequence : outline.sequences) {
    EXPECT_NE(sequence.name, "");
    EXPECT_FALSE(sequence.blocks.empty()) << sequence.name;
    for (const OutlineBlock& block : sequence.blocks) {
      for (const OutlinePart& part : block.parts) {
        EXPECT_NE(part.name, "") << sequence.name;
        EXPECT_NE(part.kind, OutlinePart::Kind::kWhole) << part.name;
      }
    }
  }
}

/// A choice among labels or words has a probability and sorted alternatives.
/// Only predictions of numbers have none.
TEST_P(ExplainEach, EveryChoiceHasAProbability) {
  const ExplainCase& c = GetParam();
  const Explanation e = Explained({.input = {.given = InputOf(c)}});
  const bool chooses =
      c.task != "forecast" && c.task != "retrieve" && c.task != "ratings";
  const bool lists = chooses && c.task != "algorithm";  // many bits at once
  for (const Target& target : e.segments[0].targets) {
    EXPECT_EQ(target.probability.has_value(), chooses);
    EXPECT_EQ(target.alternatives.empty(), !lists);
    if (!chooses) continue;
    double sum = *target.probability;
    for (size_t i = 0; i < target.alternatives.size(); ++i) {
      const double p = target.alternatives[i].probability;
      EXPECT_LE(p, i > 0 ? target.alternatives[i - 1].probability : 1);
      sum += p;
    }
    EXPECT_GT(sum, 0);
    EXPECT_LE(sum, 1 + 1e-5);
    EXPECT_LE(target.alternatives.size(), 5u);
  }
}

/// Labels show words without the vocabulary's word-boundary marks.
TEST_P(ExplainEach, TokensAreShownWithoutMarks) {
  const Explanation e = Explained({.input = {.given = InputOf(GetParam())}});
  const ExplanationSegment& segment = e.segments[0];
  std::vector<std::string> shown = {e.answer};
  for (const Axis& axis : segment.axes) {
    shown.insert(shown.end(), axis.shown().begin(), axis.shown().end());
  }
  for (const Target& target : segment.targets) {
    for (const Alternative& other : target.alternatives) {
      shown.push_back(other.label);
    }
  }
  for (const std::string& label : shown) {
    EXPECT_EQ(label.find("\u2581"), label.npos) << label;
    EXPECT_EQ(label.find("##"), label.npos) << label;
    EXPECT_NE(label, " ");
  }
}

TEST(ExplainLimits, RowsOfWeightsAreLimited) {
  NamedCase c("ClassifyBert");
  int64_t rows = 0;
  const Explanation e = c.Explained();
  for (const AttentionMap& map : e.segments.at(0).maps) {
    rows += map.heads * map.query_size;
  }
  ASSERT_GT(rows, 1);
  c.request.max_rows = rows;
  EXPECT_NO_THROW(c.Explained());
  c.request.max_rows = rows - 1;
  const std::string message = MessageOf<FormatError>([&] { c.Explained(); });
  EXPECT_NE(message.find(std::to_string(rows) + " rows"), std::string::npos)
      << message;
}

TEST(ExplainUnknown, ATokenIsShownWithTheWordThatItStandsFor) {
  for (const char* name :
       {"Transformer", "ClassifyRnn", "ClassifyDocuments", "ClassifyBert",
        "TagBert", "LanguageTransformer", "Pretrain", "Retrieve"}) {
    NamedCase c(name);
    c.request.input.given = {c.request.input.Text() + " ωψ"};
    std::vector<std::string> unknown;
    const Explanation e = c.Explained();
    for (const Axis& axis : e.segments.at(0).axes) {
      if (axis.id == "target") continue;
      std::ranges::copy_if(axis.shown(), std::back_inserter(unknown),
                           [](const std::string& label) {
                             return label.starts_with("<unk>") ||
                                    label.starts_with("[UNK]");
                           });
    }
    EXPECT_EQ(std::ranges::count(unknown, "<unk> (ωψ)") +
                  std::ranges::count(unknown, "[UNK] (ωψ)"),
              1)
        << name;
    for (const std::string& label : unknown) {
      EXPECT_TRUE(label.ends_with(')')) << name << ": " << label;
    }
  }
}

/// Tasks whose contrast is a label or a word, not a whole answer.
class ExplainChoice : public ExplainEach {};

std::vector<ExplainCase> ChoiceCases() {
  std::vector<ExplainCase> cases = ExplainCases();
  std::erase_if(cases, [](const ExplainCase& c) {
    return c.task != "classify" && c.task != "lm" && c.task != "pretrain" &&
           c.task != "autocomplete";
  });
  return cases;
}

/// A contrast is named by its label, even if that is a part of a word.
TEST_P(ExplainChoice, AnAlternativeIsAContrastByItsLabel) {
  ExplainRequest request = {.input = {.given = InputOf(GetParam())}};
  const ExplanationSegment before = Explained(request).segments.at(0);
  const size_t target_index =
      GetParam().task == "lm" ? before.targets.size() - 1 : 0;
  const Target& target = before.targets.at(target_index);
  for (const Alternative& other : target.alternatives) {
    if (other.label == before.LabelOf(target)) continue;
    request.input.contrast = other.label;
    const ExplanationSegment after = Explained(request).segments.at(0);
    const std::optional<Alternative>& contrast =
        after.targets.at(target_index).contrast;
    ASSERT_TRUE(contrast) << other.label;
    EXPECT_EQ(contrast->label, other.label);
    EXPECT_GE(contrast->probability, other.probability - 1e-6) << other.label;
  }
}

TEST_P(ExplainEach, GradientsEqualFiniteDifferences) {
  const ExplainedPrediction answer = Prediction();
  const Explainable& scores = answer.scores.at(0).at(0);
  const Tensor jacobian = Jacobian(scores);
  const int64_t features = jacobian.dim(2);
  constexpr double kStep = 2e-3;
  for (int64_t s = 0; s < scores.tokens; ++s) {
    const int64_t m = s % features;
    const auto moved = [&](double step) {
      return ChangedInput{scores.targets - 1, [=](std::span<double> x) {
                            At(x, s * features + m) += step;
                          }};
    };
    const std::vector<ChangedInput> both = {moved(kStep), moved(-kStep)};
    const std::vector<double> y = ScoresOf(scores, both);
    const double gradient = jacobian[scores.targets - 1].row<double>(s)[m];
    EXPECT_NEAR((y[0] - y[1]) / (2 * kStep), gradient,
                2e-3 + 0.02 * std::abs(gradient))
        << "token " << s;
  }
}

TEST_P(ExplainEach, IntegratedGradientsAreComplete) {
  const ExplainCase& c = GetParam();
  ExplainRequest request;
  request.input.given = InputOf(c);
  request.attribution.methods = AttributionMethods();
  request.attribution.steps = 100;
  request.attribution.samples = 2;
  const Explanation e = Explained(request);
  const ExplanationSegment& segment = e.segments.at(0);
  // Axes with attributions: two for query and text, and for the two sides of a
  // rating.
  const size_t inputs = c.task == "retrieve" || c.task == "ratings" ? 2 : 1;
  // The model itself may add further attributions.
  const std::vector<std::string> methods = AttributionMethods();
  const auto of_methods = std::ranges::count_if(
      segment.attributions, [&methods](const Attribution& a) {
        return std::ranges::find(methods, a.method) != methods.end();
      });
  ASSERT_EQ(of_methods, std::ssize(methods) * static_cast<int64_t>(inputs));
  for (const Attribution& a : segment.attributions) {
    SCOPED_TRACE(a.method);
    const int64_t tokens = segment.axis(a.axis).size();
    // In retrieval each side has its target; the two sides of a rating share
    // one.
    const size_t sides = c.task == "retrieve" ? inputs : 1;
    ASSERT_EQ(a.targets.size() * sides, segment.targets.size());
    ASSERT_EQ(std::ssize(a.scores), std::ssize(a.targets) * tokens);
    // The cosine is discontinuous at the zero vector, where the path starts.
    if (a.method != "integrated_gradients" || c.task == "retrieve") continue;
    for (size_t n = 0; n < a.targets.size(); ++n) {
      const auto row = a.scores.begin() + static_cast<int64_t>(n) * tokens;
      const double sum = std::accumulate(row, row + tokens, 0.0);
      EXPECT_NEAR(sum, a.differences[n],
                  0.02 * std::max(1.0, std::abs(a.differences[n])));
    }
  }
}

/// Runs `work` to its end, then cancels it at the start, in the middle and near
/// the end. Expects Cancelled and no further checks.
void ExpectEndsWhenCancelled(
    const std::function<void(const Cancellation&)>& work, int64_t min) {
  const CountedCancellation never;
  work(never);
  ASSERT_GE(never.checks(), min);
  for (const int64_t last : {int64_t{1}, never.checks() / 2, never.checks()}) {
    const CountedCancellation cancellation(std::max<int64_t>(last, 1));
    EXPECT_THROW(work(cancellation), Cancelled);
    // A search checks once per sentence and once per batch.
    EXPECT_LE(cancellation.checks(), last + 4);
  }
}

TEST_P(ExplainEach, EveryMethodEndsWhenItIsCancelled) {
  ExplainRequest request;
  request.input.given = InputOf(GetParam());
  request.attribution.steps = 3;
  request.attribution.samples = 3;
  for (const std::string& method : AttributionMethods()) {
    SCOPED_TRACE(method);
    request.attribution.methods = {method};
    const Explanation before = Explained(request);
    ExpectEndsWhenCancelled(
        [&](const Cancellation& cancellation) {
          ExplainRequest cancelled = request;
          cancelled.cancellation = &cancellation;
          Explained(cancelled);
        },
        method == "saliency" || method == "gradient_x_input" ? 4 : 6);
    EXPECT_EQ(Explained(request).segments[0].attributions[0].scores,
              before.segments[0].attributions[0].scores);
  }
}

TEST_P(ExplainEach, MeasuresOfAnAnswerEndWhenTheyAreCancelled) {
  ExplainedPrediction answer = Prediction();
  ExpectEndsWhenCancelled(
      [&](const Cancellation& cancellation) {
        for (Explainable& scores : answer.scores.at(0)) {
          scores.cancellation = &cancellation;
        }
        FaithfulnessOf(answer, 1);
      },
      2);
  ExpectEndsWhenCancelled(
      [&](const Cancellation& cancellation) {
        Explainable& scores = answer.scores.at(0).at(0);
        scores.cancellation = &cancellation;
        HeadImportance(scores);
      },
      2);
}

TEST_P(ExplainEach, PredictionEndsWhenItIsCancelled) {
  const std::map<std::string, std::vector<std::string>> modes = {
      {"lm", {"complete", "sample", "score"}}, {"pretrain", {"words", "next"}}};
  const auto found = modes.find(GetParam().task);
  for (const std::string& mode :
       found == modes.end() ? std::vector<std::string>{""} : found->second) {
    SCOPED_TRACE(mode);
    const auto options = predictor_->options().Clone();
    FieldList fields;
    options->Visit(fields);
    if (!mode.empty()) SetValues(fields, {{"mode", mode}});
    const std::vector<Input> inputs = {
        mode == "next" ? Input{"a film\tthe plot"} : InputOf(GetParam())};
    ExpectEndsWhenCancelled(
        [&](const Cancellation& cancellation) {
          PredictCall call;
          call.cancellation = &cancellation;
          predictor_->Predict(inputs, *options, call);
        },
        1);
  }
}

/// The attention of an intent pools the words; that of a tag relates the words.
TEST(ExplainSlots, EachTargetNamesTheAttentionThatSpeaksForIt) {
  const Explanation e = NamedCase("Slots").Explained();
  const ExplanationSegment& segment = e.segments.at(0);
  ASSERT_EQ(segment.targets.size(), 4u);
  for (size_t t = 0; t < 3; ++t) {
    EXPECT_EQ(segment.maps.at(*segment.targets[t].map).name,
              "encoder.attention");
    EXPECT_EQ(segment.targets[t].row, static_cast<int64_t>(t));
  }
  const Target& intent = segment.targets[3];
  EXPECT_EQ(intent.axis, "answer");
  EXPECT_EQ(segment.maps.at(*intent.map).name, "pooling");
  EXPECT_GT(std::ranges::max(RowOf(segment, intent)), 0.2f);
  EXPECT_TRUE(segment.axis("target").shown()[0].starts_with("play · "));
}

/// The web page replaces one tag in the line of tags, or the intent alone.
TEST(ExplainSlots, ATagOrTheIntentCanBeContrasted) {
  NamedCase slots("Slots");
  const ExplanationSegment before = slots.Explained().segments.at(0);
  const auto contrasted = [&](const std::string& line) {
    slots.request.input.contrast = line;
    const Explanation e = slots.Explained();
    std::vector<std::string> others;
    for (const Target& target : e.segments.at(0).targets) {
      others.push_back(target.contrast ? target.contrast->label : "");
    }
    return others;
  };
  const std::vector<std::string> tags = before.axis("target").items;
  const std::string tag = before.targets[1].alternatives.at(0).label;
  const std::string intent = before.targets[3].alternatives.at(0).label;
  EXPECT_EQ(contrasted(tags[0] + " " + tag + " " + tags[2]),
            (std::vector<std::string>{"", tag, "", ""}));
  EXPECT_EQ(contrasted(intent), (std::vector<std::string>{"", "", "", intent}));
  EXPECT_THROW(contrasted("neither"), FormatError);
}

INSTANTIATE_TEST_SUITE_P(Tasks, ExplainChoice, testing::ValuesIn(ChoiceCases()),
                         [](const auto& info) { return info.param.name; });

TEST(ExplainAutocomplete, AnyCompletionCanBeContrasted) {
  NamedCase typed("Autocomplete");
  typed.request.attribution.methods = {"occlusion"};
  const Explanation e = typed.Explained();
  const std::vector<std::string> predicted = e.segments[0].axis("target").items;
  ASSERT_EQ(predicted.size(), 3u);
  const auto& others = e.segments[0].targets[1].alternatives;
  const auto other =
      std::ranges::find_if(others, [&](const Alternative& alternative) {
        return std::ranges::find(predicted, alternative.label) ==
               predicted.end();
      });
  typed.request.input.contrast =
      predicted[0] + " " + other->label + " " + predicted[2];
  const ExplanationSegment segment = typed.Explained().segments[0];
  EXPECT_FALSE(segment.targets[0].contrast);
  ASSERT_TRUE(segment.targets[1].contrast);
  EXPECT_EQ(segment.targets[1].contrast->label, other->label);
  EXPECT_EQ(segment.attributions.at(0).targets, std::vector<size_t>{1});
}

/// Every token of the text can have a contrast.
TEST(ExplainLanguage, AnyTokenCanBeContrasted) {
  NamedCase language("LanguageTransformer");
  language.request.input.given.content =
      language.request.input.Text() + " ";  // requests the next word
  const Explanation e = language.Explained();
  std::vector<std::string> predicted = e.segments[0].axis("target").shown();
  ASSERT_EQ(predicted.size(), 3u);
  const Alternative other = e.segments[0].targets[1].alternatives.at(0);
  language.request.input.contrast =
      predicted[0] + " " + other.label + " " + predicted[2];
  const Explanation why = language.Explained();
  const std::vector<Target>& targets = why.segments[0].targets;
  EXPECT_FALSE(targets[0].contrast);
  ASSERT_TRUE(targets[1].contrast);
  EXPECT_EQ(targets[1].contrast->label, other.label);
  EXPECT_NEAR(targets[1].contrast->probability, other.probability, 1e-6);
  EXPECT_FALSE(targets[2].contrast);
}

TEST(ExplainLanguage, AHalfTypedWordIsPredictedAndNotRead) {
  NamedCase language("LanguageTransformer");
  const std::string text = language.request.input.Text();
  const std::string whole = text.substr(0, text.rfind(' ') + 1);
  language.request.input.given.content = text.substr(0, whole.size() + 1);
  const Explanation typed = language.Explained();
  const ExplanationSegment& e = typed.segments[0];
  const std::string first = e.answer.substr(0, e.answer.find('\t'));
  language.request.input.given.content = whole;
  language.request.input.answer = first;
  const Explanation next = language.Explained();
  EXPECT_EQ(e.axis("source").items, next.segments[0].axis("source").items);
  ASSERT_EQ(e.targets.size(), next.segments[0].targets.size());
  EXPECT_EQ(e.axis("target").shown().back(), first);
  EXPECT_EQ(e.targets.back().probability,
            next.segments[0].targets.back().probability);
}

TEST(ExplainTasks, EachHasACase) {
  const std::vector<ExplainCase> cases = ExplainCases();
  for (const TaskRow& row : Tasks()) {
    EXPECT_NE(std::ranges::find(cases, row.name, &ExplainCase::task),
              cases.end())
        << row.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Tasks, ExplainEach, testing::ValuesIn(ExplainCases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace heed
