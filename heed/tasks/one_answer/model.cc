#include "heed/tasks/one_answer/model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "heed/base/at.h"
#include "heed/base/console.h"
#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/data/batches.h"
#include "heed/data/input_lines.h"
#include "heed/data/numbers.h"
#include "heed/metrics/classification.h"
#include "heed/ops/loss.h"
#include "heed/tasks/choice.h"
#include "heed/tasks/text_vocabulary.h"

namespace heed::one_answer {

ClassReport ClassReportOf(const Tensor& log_p, const Corpus& gold) {
  std::vector<int32_t> chosen, right;
  for (int64_t i = 0; i < log_p.dim(0); ++i) {
    chosen.push_back(
        LargestOf({log_p.row<float>(i), static_cast<size_t>(log_p.dim(1))}));
    right.push_back(At(gold.target, i)[0]);
  }
  return ScoreClasses(chosen, right, log_p.dim(1));
}

std::vector<int32_t> ReadInputOf(const OneAnswerTask& task,
                                 std::string_view input,
                                 const std::string& place, int max_length) {
  std::vector<int32_t> ids = task.read(input, place);
  if (max_length > 0 && std::ssize(ids) > max_length) {
    throw FormatError(
        "{}: {} symbols; the model reads {} at most (--max-length)", place,
        ids.size(), max_length);
  }
  return ids;
}

int32_t LabelNamed(const OneAnswerTask& task, const std::string& name,
                   const std::string& place) {
  const auto found = std::ranges::find(task.labels, name);
  if (found == task.labels.end()) {
    throw FormatError("{}: '{}' is no label (valid: {})", place, name,
                      fmt::join(task.labels, ", "));
  }
  return static_cast<int32_t>(found - task.labels.begin());
}

namespace {

/// Reads the file of a list's line; its path is relative to the folder of the
/// list.
Input FileOf(const InputKind& kind, const LabelledText& text, size_t i) {
  const auto folder = std::filesystem::path(text.FileOf(i)).parent_path();
  try {
    return ReadInput(kind, (folder / text.text[i]).string());
  } catch (const IoError& error) {
    throw IoError("{}: {}", text.PlaceOf(i), error.what());
  }
}

/// Parses numeric answers, with decimal points or commas.
std::vector<double> NumbersOf(const LabelledText& text) {
  DecimalGuess guess;
  for (const auto& labels : text.labels) guess.Add(labels.at(0));
  const Decimal decimal = guess.Decide(Delimiter::kTab);
  std::vector<double> numbers;
  for (size_t i = 0; i < text.labels.size(); ++i) {
    const std::string& answer = text.labels[i][0];
    const auto number = ParseDecimal(answer, decimal);
    if (!number) {
      throw FormatError("{}: '{}' is no number", text.PlaceOf(i), answer);
    }
    if (std::abs(*number) > std::numeric_limits<float>::max()) {
      throw FormatError("{}: {} is too large", text.PlaceOf(i), answer);
    }
    numbers.push_back(*number);
  }
  if (decimal == Decimal::kComma && !numbers.empty()) {
    Say(text.FileOf(0) + ": reads decimal commas");
  }
  return numbers;
}

}  // namespace

ExampleSet ReadExamples(const OneAnswerTask& task, const LabelledFiles& files,
                        const LabelledFormat& format, int max_length) {
  const LabelledText text = ReadLabelled(files, format);
  const bool of_paths = task.row.input.line == InputKind::Line::kPath;
  ExampleSet examples;
  for (size_t i = 0; i < text.text.size(); ++i) {
    const Input input = of_paths ? FileOf(task.row.input, text, i)
                                 : Input{text.text[i], text.PlaceOf(i)};
    examples.corpus.source.push_back(
        ReadInputOf(task, input.Text(), input.place, max_length));
    examples.corpus.target.push_back(
        {task.labels.empty()
             ? 0
             : LabelNamed(task, text.labels[i].at(0), text.PlaceOf(i))});
  }
  if (task.labels.empty()) examples.numbers = NumbersOf(text);
  return examples;
}

Model::Model(std::shared_ptr<const OneAnswerTask> own, Config settings,
             NumberScale number_scale, uint64_t seed)
    : task(std::move(own)),
      config(std::move(settings)),
      scale(number_scale),
      parameters_(seed, DType::kF32, config.encoder->precision()),
      network(
          Scope(parameters_, ""), config.classifier,
          std::max<int64_t>(1, std::ssize(task->labels)),
          /*multi_label=*/false,
          config.encoder->MakeText(Scope(parameters_, "encoder"),
                                   {.vocabulary = std::ssize(task->symbols)})) {
}

ModelFiles Model::Files() const {
  if (of_labels()) return {};
  const nlohmann::ordered_json json = {{"mean", scale.mean},
                                       {"deviation", scale.deviation}};
  return {{kScaleFile, json.dump(2) + "\n"}};
}

std::vector<std::pair<std::string, int64_t>> Model::Sizes() const {
  std::vector<std::pair<std::string, int64_t>> sizes = {
      {"symbols", std::ssize(task->symbols)}};
  if (of_labels()) sizes.emplace_back("labels", std::ssize(task->labels));
  return sizes;
}

TextInput BatchOf(std::span<const std::vector<int32_t>> all,
                  std::span<const int64_t> indices) {
  IdRows rows = MakeIdRows(all, indices, 0);
  return {std::move(rows.ids), std::move(rows.lengths)};
}

Var Model::AnswersOf(const Var& scores) const {
  return of_labels() ? LogSoftmax(scores) : scores;
}

Tensor Model::Answers(const Context& ctx, const Corpus& corpus) const {
  Tensor answers({corpus.size(), network.classes()});
  for (const std::vector<int64_t>& indices :
       PlanBatches(corpus, {config.batch_symbols, config.batch_inputs}, 0, 0)) {
    const Tensor some =
        AnswersOf(network.Scores(ctx, BatchOf(corpus.source, indices))).value();
    for (size_t b = 0; b < indices.size(); ++b) {
      std::copy_n(some.row<float>(static_cast<int64_t>(b)), some.dim(1),
                  answers.row<float>(indices[b]));
    }
  }
  return answers;
}

Metrics Model::Score(const Tensor& answers, const ExampleSet& gold) const {
  double loss = 0, absolute = 0;
  for (int64_t i = 0; i < answers.dim(0); ++i) {
    const auto at = static_cast<size_t>(i);
    const float* row = answers.row<float>(i);
    if (of_labels()) {
      loss -= row[gold.corpus.target[at][0]];
    } else {
      const double error =
          scale.mean + scale.deviation * row[0] - gold.numbers[at];
      absolute += std::abs(error);
      loss += error * error;
    }
  }
  const double mean = RatioOf(loss, answers.dim(0));
  if (!of_labels()) {
    return {{"mae", RatioOf(absolute, answers.dim(0))},
            {"rmse", std::sqrt(mean)}};
  }
  const ClassReport report = ClassReportOf(answers, gold.corpus);
  return {{"accuracy", 100 * report.accuracy},
          {"macro_f1", 100 * MacroF1(report.classes)},
          {"loss", mean}};
}

}  // namespace heed::one_answer
