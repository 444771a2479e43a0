#include "heed/tasks/classify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <istream>
#include <ostream>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/base/timing.h"
#include "heed/data/input_lines.h"
#include "heed/tasks/pretrain.h"
#include "heed/tasks/pretrained.h"
#include "heed/train/progress.h"

namespace heed {
namespace {

constexpr const char* kLabelsFile = "labels.txt";

void VisitFiles(FieldList& v, const std::string& prefix,
                const std::string& purpose, LabelledFiles& files) {
  v(prefix + "texts", files.texts, Any{"FILE"},
    "files of labelled texts " + purpose + " (.gz too)")
      .Main();
  if (prefix.empty()) v.Require({{"texts"}});
  v(prefix + "labels", files.labels, Any{"FILE"},
    "format lines: a file of labels for each");
  v(prefix + "folds", files.folds, Any{"FOLDS"},
    "format docs: documents of these folds alone, as 0-7,9");
}

std::vector<std::string> AllLines(const LabelledText& text) {
  std::vector<std::string> lines = text.text;
  lines.insert(lines.end(), text.second.begin(), text.second.end());
  for (const auto& labels : text.labels) {
    lines.push_back(fmt::format("{}", fmt::join(labels, "\t")));
  }
  return lines;
}

TextInput InputOf(const LabelledBatch& batch) {
  return {batch.ids, batch.lengths, batch.segments};
}

}  // namespace

void ClassifyDataConfig::Visit(FieldList& v) {
  v.Section("Data");
  VisitFiles(v, "", "for training", train);
  VisitFiles(v, "valid_", "for validation", valid);
  format.Visit(v);
  v("max_length", max_length, Range(0, 1000000),
    "tokens of a text, special tokens included; longer texts are cut; 0: no "
    "limit")
      .Alias("max_len");
  vocabulary.Visit(v, {"unigram", "bpe", "words", "characters", "wordpiece",
                       "wordpiece_cased"});
  v.Section("Batches");
  v("batch_tokens", batch_tokens, Range(1, 10000000),
    "tokens per batch, padding included");
  v("batch_texts", batch_texts, Range(0, 1000000),
    "texts per batch at most; 0: no limit")
      .Alias("batch_size")
      .Alias("bs");
}

void ClassifyTask::Visit(FieldList& v) {
  data.Visit(v);
  encoder.VisitName(v, "encoder of a text");
  classifier.Visit(v);
  encoder->Visit(v);
}

void ClassifyTask::SetDefaults(TrainingConfig& training) const {
  training.optimizer.label_smoothing = 0;
}

void ClassifyTask::Resolve() {
  data.vocabulary.Resolve();
  encoder->Fill({});
}

bool ClassifyTask::CanStartFrom(const std::string& task) const {
  return task == name() || task == PretrainTask().name();
}

void ClassifyTask::ReadExamples() {
  if (data.train.texts.empty()) throw ConfigError("--texts is needed");
  LabelledText valid;
  if (!data.valid.texts.empty()) valid = ReadLabelled(data.valid, data.format);
  SetText(ReadLabelled(data.train, data.format), std::move(valid));
}

void ClassifyTask::SetText(LabelledText train, LabelledText valid) {
  train_text_ = std::move(train);
  valid_text_ = std::move(valid);
}

void ClassifyTask::LearnVocabularies() {
  labels_.emplace(train_text_);
  if (!pretrained.empty()) return StartFromPretrained();
  std::vector<std::string> lines = train_text_.text;
  lines.insert(lines.end(), train_text_.second.begin(),
               train_text_.second.end());
  vocabulary_ = data.vocabulary.Learn(std::move(lines));
}

/// What the weights were made for replaces what the settings say.
void ClassifyTask::StartFromPretrained() {
  const Pretrained start = ReadPretrained(pretrained);
  encoder = ModelChoice<EncoderSettings>(start.model);
  data.vocabulary = start.vocabulary_config;
  vocabulary_ = start.vocabulary;
  classifier.pooling = "cls";
  classifier.pooler = true;
}

ModelFiles ClassifyTask::Files() const {
  return {{data.vocabulary.FileName(), vocabulary_->Serialize()},
          {kLabelsFile, labels_->Serialize()}};
}

void ClassifyTask::SetFiles(const ModelFiles& files,
                            const std::string& folder) {
  vocabulary_ = data.vocabulary.Find(files, folder);
  labels_ = LabelSet::Parse(FindFile(files, folder, kLabelsFile),
                            PathIn(folder, kLabelsFile));
}

void ClassifyTask::MakeModel(uint64_t seed) {
  parameters_ =
      std::make_unique<ParameterSet>(seed, DType::kF32, encoder->precision());
  model_ = std::make_unique<Classifier>(
      Scope(*parameters_, ""), classifier, labels_->size(),
      data.format.multi_label,
      encoder->MakeText(Scope(*parameters_, "encoder"), vocabulary_->size(),
                        pairs() ? 2 : 1));
}

void ClassifyTask::StartWeights() {
  CopyPretrained(ReadPretrained(pretrained), *parameters_);
}

LabelledCorpus ClassifyTask::Encode(const LabelledText& text,
                                    bool with_labels) const {
  LabelledCorpus corpus =
      EncodeLabelled(text, *vocabulary_, with_labels ? &*labels_ : nullptr,
                     {data.max_length, data.vocabulary.lowercase});
  WarnOfCut(corpus, data.max_length);
  return corpus;
}

void ClassifyTask::EncodeExamples() {
  train_ = Encode(train_text_, true);
  valid_ = Encode(valid_text_, true);
}

std::string ClassifyTask::Summary() const {
  return fmt::format(
      "{} with {}, {} for validation; vocabulary of {} tokens{}",
      Counted(train_.corpus.size(), "text"), Counted(labels_->size(), "label"),
      valid_.corpus.size(), vocabulary_->size(),
      LearntSizeNote(vocabulary_->size(), data.vocabulary.vocabulary_size));
}

std::string ClassifyTask::CheckSum() const {
  return CheckSumOf(AllLines(train_text_)) + CheckSumOf(AllLines(valid_text_));
}

std::vector<std::vector<int64_t>> ClassifyTask::PlanEpoch(uint64_t seed,
                                                          int epoch) const {
  return PlanBatches(train_.corpus, {data.batch_tokens, data.batch_texts}, seed,
                     epoch);
}

BatchLoss ClassifyTask::Loss(const Context& ctx,
                             std::span<const int64_t> examples,
                             const LossOptions& options) const {
  const LabelledBatch batch = MakeLabelledBatch(train_, examples);
  ClassifierLoss loss = model_->Loss(ctx, InputOf(batch), batch.labels,
                                     {options.scale, options.smoothing});
  return {std::move(loss.loss), loss.nll * options.scale};
}

ClassifyTask::Answers ClassifyTask::Answer(const Context& ctx,
                                           const LabelledCorpus& corpus,
                                           bool with_labels) const {
  Answers answers;
  answers.chosen.resize(static_cast<size_t>(corpus.corpus.size()));
  answers.probabilities.resize(answers.chosen.size());
  for (const auto& indices : PlanBatches(
           corpus.corpus, {data.batch_tokens, data.batch_texts}, 0, 0)) {
    const LabelledBatch batch = MakeLabelledBatch(corpus, indices);
    const Var scores = model_->Scores(ctx, InputOf(batch));
    if (with_labels) {
      answers.nll += model_->LossOf(scores, batch.labels, {}).nll;
    }
    const Tensor p = model_->Probabilities(scores.value());
    const TextLabels chosen = model_->Choose(p, threshold_);
    for (size_t b = 0; b < indices.size(); ++b) {
      const auto i = static_cast<size_t>(indices[b]);
      const float* row = p.row<float>(static_cast<int64_t>(b));
      answers.chosen[i] = chosen[b];
      answers.probabilities[i].assign(row, row + p.cols());
    }
  }
  return answers;
}

std::vector<MeasureInfo> ClassifyTask::Measures() const {
  if (data.format.multi_label) {
    return {{"micro_f1", true},
            {"macro_f1", true},
            {"subset_accuracy", true},
            {"loss", false}};
  }
  return {{"accuracy", true}, {"macro_f1", true}, {"loss", false}};
}

namespace {

/// The only label of each text.
std::vector<int32_t> Single(const TextLabels& labels) {
  std::vector<int32_t> ids;
  for (const std::vector<int32_t>& all : labels) ids.push_back(all.at(0));
  return ids;
}

}  // namespace

Metrics ClassifyTask::Score(const LabelledCorpus& corpus,
                            const Answers& answers) const {
  const TextLabels& gold = corpus.corpus.target;
  const double texts = static_cast<double>(std::max<size_t>(gold.size(), 1));
  Metrics metrics = {{"loss", answers.nll / texts}};
  if (data.format.multi_label) {
    const LabelSetReport report =
        ScoreLabelSets(answers.chosen, gold, labels_->size());
    metrics.emplace_back("micro_f1", 100 * MicroF1(report.classes));
    metrics.emplace_back("macro_f1", 100 * MacroF1(report.classes));
    metrics.emplace_back("subset_accuracy", 100 * report.subset_accuracy);
  } else {
    const ClassReport report =
        ScoreClasses(Single(answers.chosen), Single(gold), labels_->size());
    metrics.emplace_back("accuracy", 100 * report.accuracy);
    metrics.emplace_back("macro_f1", 100 * MacroF1(report.classes));
  }
  return metrics;
}

Metrics ClassifyTask::Validate(const std::string& /*measure*/) const {
  return Score(valid_, Answer({}, valid_, true));
}

void ClassifyTask::VisitPredict(FieldList& v) {
  v.Section("Output");
  v("probabilities", probabilities_,
    "write the probability of every label: label, tab, number, tab, ...");
  v("threshold", threshold_, Range(0, 1),
    "multi_label: least probability of a predicted label");
}

std::vector<ModelAnswer> ClassifyTask::Say(const Answers& answers) const {
  std::vector<ModelAnswer> all;
  for (size_t i = 0; i < answers.chosen.size(); ++i) {
    ModelAnswer& answer = all.emplace_back();
    answer.parts["labels"] = nlohmann::ordered_json::array();
    const auto add = [&](int32_t c) {
      answer.parts["labels"].push_back(
          {{"label", labels_->Name(c)},
           {"probability", answers.probabilities[i][static_cast<size_t>(c)]}});
    };
    if (probabilities_) {
      for (int32_t c = 0; c < labels_->size(); ++c) {
        answer.line +=
            fmt::format("{}{}\t{:.6f}", c > 0 ? "\t" : "", labels_->Name(c),
                        answers.probabilities[i][static_cast<size_t>(c)]);
        add(c);
      }
    } else {
      for (const int32_t c : answers.chosen[i]) {
        answer.line += (answer.line.empty() ? "" : ",") + labels_->Name(c);
        add(c);
      }
    }
  }
  return all;
}

/// Adds a text, or both of a pair, as a line holds them.
void ClassifyTask::AddLine(const std::string& line, const std::string& place,
                           LabelledText& text) const {
  const size_t tab = pairs() ? line.find('\t') : line.npos;
  if (pairs() && tab == line.npos) {
    throw FormatError(
        fmt::format("{}: no tab between the texts of a pair", place));
  }
  text.text.push_back(line.substr(0, tab));
  if (pairs()) text.second.push_back(line.substr(tab + 1));
}

Predictor ClassifyTask::MakePredictor(const Context& ctx, bool /*with_parts*/,
                                      const InputOptions& /*options*/) const {
  return [this, ctx](std::span<const std::string> lines, int64_t first) {
    LabelledText text;
    for (const std::string& line : lines) {
      AddLine(line, InputPlace(first++), text);
    }
    return Say(Answer(ctx, Encode(text, false), false));
  };
}

void ClassifyTask::VisitEvaluate(FieldList& v) {
  v.Section("Data");
  VisitFiles(v, "", "to compare with", compared_);
  // As of training, unless options say otherwise.
  if (!compared_format_) compared_format_ = data.format;
  compared_format_->VisitForm(v);
  v.Section("Measures");
  v("threshold", threshold_, Range(0, 1),
    "multi_label: least probability of a predicted label");
}

std::string ClassifyTask::Table(std::span<const ClassScore> classes) const {
  int width = 5;
  for (int32_t c = 0; c < labels_->size(); ++c) {
    width = std::max(width, DisplayWidth(labels_->Name(c)));
  }
  std::string table = fmt::format("{:<{}} {:>9} {:>9} {:>9} {:>9}\n", "label",
                                  width, "precision", "recall", "F1", "texts");
  for (int32_t c = 0; c < labels_->size(); ++c) {
    const ClassScore& score = classes[static_cast<size_t>(c)];
    const std::string& name = labels_->Name(c);
    table += name;
    table.append(static_cast<size_t>(width - DisplayWidth(name)), ' ');
    table += fmt::format(" {:>9.2f} {:>9.2f} {:>9.2f} {:>9}\n",
                         100 * score.precision(), 100 * score.recall(),
                         100 * score.f1(), score.gold);
  }
  return table;
}

Report ClassifyTask::Evaluate() const {
  LabelledFormat format = compared_format_.value_or(data.format);
  format.multi_label = data.format.multi_label;
  const LabelledText text = ReadLabelled(compared_, format);
  if (text.pairs() != pairs()) {
    throw ConfigError(
        pairs() ? "the model reads pairs of texts; name the column of the "
                  "second with --second-column"
                : "the model reads single texts; leave --second-column 0");
  }
  const LabelledCorpus corpus = Encode(text, true);
  const TextLabels& gold = corpus.corpus.target;
  const auto start = Clock::now();
  const Answers answers = Answer({}, corpus, true);
  Report report;
  report.heading = fmt::format(
      "{} in {:.1f} s", Counted(std::ssize(gold), "text"), SecondsSince(start));
  for (const auto& [key, value] : Score(corpus, answers)) {
    std::string label = key;
    std::replace(label.begin(), label.end(), '_', ' ');
    const bool loss = key == "loss";
    report.figures.push_back({key, label, value, loss ? 3 : 2, loss ? "" : "%",
                              loss ? "per text" : ""});
  }
  std::vector<ClassScore> classes;
  if (data.format.multi_label) {
    classes = ScoreLabelSets(answers.chosen, gold, labels_->size()).classes;
  } else {
    const ClassReport scores =
        ScoreClasses(Single(answers.chosen), Single(gold), labels_->size());
    classes = scores.classes;
    report.details["confusion"] = scores.confusion;
    if (labels_->size() == 2) {
      std::vector<double> second;
      for (const auto& p : answers.probabilities) second.push_back(p[1]);
      report.figures.push_back({"auc", "ROC AUC",
                                100 * RocAuc(second, Single(gold)), 2, "%",
                                "of label " + labels_->Name(1)});
    }
  }
  report.details["texts"] = gold.size();
  for (int32_t c = 0; c < labels_->size(); ++c) {
    const ClassScore& score = classes[static_cast<size_t>(c)];
    report.details["labels"].push_back({{"label", labels_->Name(c)},
                                        {"precision", 100 * score.precision()},
                                        {"recall", 100 * score.recall()},
                                        {"f1", 100 * score.f1()},
                                        {"texts", score.gold}});
  }
  report.text = Table(classes);
  return report;
}

}  // namespace heed
