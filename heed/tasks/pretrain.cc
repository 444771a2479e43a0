#include "heed/tasks/pretrain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <istream>
#include <numeric>
#include <ostream>
#include <string_view>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/base/timing.h"
#include "heed/data/input_lines.h"
#include "heed/data/labelled.h"
#include "heed/data/pair_files.h"
#include "heed/data/table.h"
#include "heed/io/file.h"
#include "heed/kernels/normalizers.h"
#include "heed/text/sentences.h"
#include "heed/train/progress.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kMaskedTextsAtOnce = 64;
/// Of what is hidden in text that is only measured.
constexpr uint64_t kMeasureSeed = 1;

double Share(double part, int64_t all) {
  return part / static_cast<double>(std::max<int64_t>(1, all));
}

BertText InputOf(const PretrainingBatch& batch) {
  return {batch.ids, batch.lengths, batch.segments};
}

BertTargets TargetsOf(const PretrainingBatch& batch) {
  return {batch.rows, batch.labels, batch.next};
}

Tensor Probabilities(const Var& scores) {
  return kernels::Softmax(scores.value());
}

}  // namespace

void PretrainDataConfig::Visit(FieldList& v) {
  v.Section("Data");
  v("texts", texts, Any{"FILE"},
    "training text (.gz too): one sentence a line, a blank line between "
    "documents; a row of .csv and .jsonl is a document")
      .Main();
  v("valid_texts", valid_texts, Any{"FILE"}, "validation text").Main();
  v.Require({{"texts"}});
  VisitTextColumns(v, columns);
  v("max_length", instances.max_length, Range(5, 1000000),
    "tokens of a pair of segments, special tokens included")
      .Alias("max_len");
  v("short_rate", instances.short_rate, Range(0, 1),
    "share of the documents that are cut into shorter pairs");
  v("mask_rate", instances.mask_rate, Range(0, 1),
    "share of tokens to predict");
  v("max_predictions", instances.max_predictions, Range(1, 1000000),
    "tokens of a pair to predict at most");
  v("duplicates", instances.duplicates, Range(1, 1000),
    "times that the text is cut and masked, each time differently; an epoch "
    "reads them all");
  vocabulary.Visit(v, {"wordpiece", "wordpiece_cased"});
  v.Section("Batches");
  v("batch_tokens", batch_tokens, Range(1, 10000000),
    "tokens per batch, padding included");
  v("batch_texts", batch_texts, Range(0, 1000000),
    "pairs per batch at most; 0: no limit")
      .Alias("batch_size")
      .Alias("bs");
}

void PretrainTask::Visit(FieldList& v) {
  data.Visit(v);
  model.VisitName(v, "which BERT");
  model->Visit(v);
}

// As the paper, but for a step size and a warm-up of small models and texts.
void PretrainTask::SetDefaults(TrainingConfig& training) const {
  training.optimizer.optimizer = "adamw";
  training.optimizer.bias_correction = false;
  training.optimizer.epsilon = 1e-6;
  training.optimizer.learning_rate = 5e-4;
  training.optimizer.schedule = "linear";
  training.optimizer.warmup = 1000;
  training.optimizer.label_smoothing = 0;
  training.run.epochs = 4;
}

void PretrainTask::Resolve() {
  data.vocabulary.Resolve();
  model->Fill({});
  const int positions = model->positions();
  if (positions > 0 && data.instances.max_length > positions) {
    throw ConfigError(fmt::format(
        "max_length: {} tokens, but the model knows {} positions; choose "
        "--max-positions {}",
        data.instances.max_length, positions, data.instances.max_length));
  }
  if (model->segments() != 2) {
    throw ConfigError(
        fmt::format("segments: a pair has 2, not {}", model->segments()));
  }
}

std::vector<std::string> PretrainTask::ReadTexts(
    const std::vector<std::string>& paths,
    const std::vector<std::string>& columns) const {
  std::vector<std::string> all;
  const auto add = [&](std::string_view line) {
    all.push_back(data.vocabulary.lowercase ? Lowercase(line)
                                            : std::string(line));
  };
  for (const std::string& path : paths) {
    const bool table = !TableFormOf(path).empty();
    for (const std::string& line : ReadAllLines({path}, columns)) {
      if (!table) {
        add(line);
        continue;
      }
      // A row is a document.
      for (const std::string_view sentence : SplitSentences(line)) {
        add(TrimBlanks(sentence));
      }
      add("");
    }
    add("");  // a document ends with its file
  }
  return all;
}

void PretrainTask::ReadExamples() {
  if (data.texts.empty()) throw ConfigError("--texts is needed");
  SetText(ReadTexts(data.texts, data.columns),
          ReadTexts(data.valid_texts, data.columns));
}

void PretrainTask::SetText(std::vector<std::string> train,
                           std::vector<std::string> valid) {
  train_text_ = std::move(train);
  valid_text_ = std::move(valid);
}

void PretrainTask::LearnVocabularies() {
  vocabulary_ = data.vocabulary.Learn(train_text_);
}

ModelFiles PretrainTask::Files() const {
  return {{data.vocabulary.FileName(), vocabulary_->Serialize()}};
}

void PretrainTask::SetFiles(const ModelFiles& files,
                            const std::string& folder) {
  vocabulary_ = data.vocabulary.Find(files, folder);
}

void PretrainTask::MakeModel(uint64_t seed) {
  seed_ = seed;
  model_ = model->MakePretraining(vocabulary_->size(), seed);
}

PretrainingCorpus PretrainTask::Encode(std::span<const std::string> lines,
                                       int duplicates, uint64_t seed) const {
  PretrainingOptions options = data.instances;
  options.duplicates = duplicates;
  options.seed = seed;
  return MakePretrainingCorpus(EncodeDocuments(lines, *vocabulary_),
                               *vocabulary_, options);
}

void PretrainTask::EncodeExamples() {
  train_ = Encode(train_text_, data.instances.duplicates, seed_);
  if (has_valid()) valid_ = Encode(valid_text_, 1, kMeasureSeed);
}

std::string PretrainTask::Summary() const {
  return fmt::format(
      "{} from {} read {}, {} for validation; vocabulary of {} tokens{}",
      Counted(train_.corpus.size(), "pair"),
      Counted(std::ssize(train_text_), "line"),
      Counted(data.instances.duplicates, "time"),
      Counted(valid_.corpus.size(), "pair"), vocabulary_->size(),
      LearntSizeNote(vocabulary_->size(), data.vocabulary.vocabulary_size));
}

std::string PretrainTask::CheckSum() const {
  return CheckSumOf(train_text_) + CheckSumOf(valid_text_);
}

std::vector<std::vector<int64_t>> PretrainTask::PlanEpoch(uint64_t seed,
                                                          int epoch) const {
  return PlanBatches(train_.corpus, Batches(), seed, epoch);
}

BatchLoss PretrainTask::Loss(const Context& ctx,
                             std::span<const int64_t> examples,
                             const LossOptions& options) const {
  const PretrainingBatch batch =
      MakePretrainingBatch(train_, examples, *vocabulary_);
  // The loss is a mean over words and one over texts; a batch counts as much as
  // it has texts.
  const double scale = options.scale * static_cast<double>(examples.size());
  BertLoss loss = model_->Loss(ctx, InputOf(batch), TargetsOf(batch),
                               {scale, options.smoothing});
  const double nll = Share(loss.words.nll, loss.words.tokens) +
                     Share(loss.next.nll, loss.next.tokens);
  return {std::move(loss.loss), nll * scale};
}

double PretrainTask::Score::word_loss() const {
  return Share(words_nll, words);
}
double PretrainTask::Score::next_loss() const { return Share(next_nll, texts); }
double PretrainTask::Score::word_accuracy() const {
  return Share(static_cast<double>(words_correct), words);
}
double PretrainTask::Score::next_accuracy() const {
  return Share(static_cast<double>(next_correct), texts);
}

PretrainTask::Score PretrainTask::ScoreOf(
    const PretrainingCorpus& corpus) const {
  Score score;
  for (const auto& indices : PlanBatches(corpus.corpus, Batches(), 0, 0)) {
    const PretrainingBatch batch =
        MakePretrainingBatch(corpus, indices, *vocabulary_);
    const BertLoss loss =
        model_->Loss(Context(), InputOf(batch), TargetsOf(batch), {});
    score.words_nll += loss.words.nll;
    score.words += loss.words.tokens;
    score.words_correct += loss.words.correct;
    score.next_nll += loss.next.nll;
    score.texts += loss.next.tokens;
    score.next_correct += loss.next.correct;
  }
  score.random =
      std::count(corpus.random_next.begin(), corpus.random_next.end(), true);
  return score;
}

std::vector<MeasureInfo> PretrainTask::Measures() const {
  return {{"loss", false}, {"word_accuracy", true}, {"next_accuracy", true}};
}

Metrics PretrainTask::Validate(const std::string& /*measure*/) const {
  const Score score = ScoreOf(valid_);
  return {{"loss", score.word_loss() + score.next_loss()},
          {"word_accuracy", 100 * score.word_accuracy()},
          {"next_accuracy", 100 * score.next_accuracy()}};
}

void PretrainTask::VisitPredict(FieldList& v) {
  v.Section("Output");
  v("mode", mode_, OneOf{"words", "next"},
    "for each [MASK] of a line, the likeliest words (word, tab, probability, "
    "tab, ...; ||| between several); or, for lines of text, tab, text, the "
    "probability that the second follows the first");
  v("candidates", candidates_, Range(1, 1000), "words for each [MASK]");
}

BertText PretrainTask::TextOf(const std::string& line, bool pair,
                              int64_t number) const {
  const size_t tab = pair ? line.find('\t') : line.npos;
  if (pair && tab == line.npos) {
    throw FormatError(InputPlace(number) + ": no tab between the two texts");
  }
  const std::string second = pair ? line.substr(tab + 1) : "";
  const MarkedText text =
      MarkText(*vocabulary_, line.substr(0, tab), pair ? &second : nullptr,
               {model->positions(), data.vocabulary.lowercase});
  const int64_t S = std::ssize(text.ids);
  Tensor segments = Tensor::Zeros({1, S}, DType::kI32);
  std::fill(segments.data<int32_t>() + text.first, segments.data<int32_t>() + S,
            1);
  return {Tensor::Of(text.ids, {1, S}),
          Tensor::Full({1}, static_cast<double>(S), DType::kI32), segments};
}

ModelAnswer PretrainTask::Words(const Context& ctx,
                                const BertText& text) const {
  std::vector<int32_t> rows;
  for (int64_t i = 0; i < text.ids.numel(); ++i) {
    if (text.ids.data<int32_t>()[i] == vocabulary_->special().mask) {
      rows.push_back(static_cast<int32_t>(i));
    }
  }
  ModelAnswer answer = {"", {{"masks", Json::array()}}};
  if (rows.empty()) return answer;
  const Tensor p = Probabilities(model_->TokenLogits(
      ctx, model_->States(ctx, text), Tensor::Of(rows, {std::ssize(rows)})));
  const int count = std::min(candidates_, vocabulary_->size());
  std::vector<std::string> of_mask;
  for (int64_t r = 0; r < p.dim(0); ++r) {
    const float* row = p.row<float>(r);
    std::vector<int32_t> ids(static_cast<size_t>(p.dim(1)));
    std::iota(ids.begin(), ids.end(), 0);
    std::partial_sort(ids.begin(), ids.begin() + count, ids.end(),
                      [row](int32_t a, int32_t b) { return row[a] > row[b]; });
    std::vector<std::string> words;
    Json candidates = Json::array();
    for (int i = 0; i < count; ++i) {
      const int32_t id = ids[static_cast<size_t>(i)];
      words.push_back(
          fmt::format("{}\t{:.6f}", vocabulary_->Piece(id), row[id]));
      candidates.push_back(
          {{"word", vocabulary_->Piece(id)}, {"probability", row[id]}});
    }
    answer.parts["masks"].push_back(std::move(candidates));
    of_mask.push_back(fmt::format("{}", fmt::join(words, "\t")));
  }
  answer.line = fmt::format("{}", fmt::join(of_mask, " ||| "));
  return answer;
}

ModelAnswer PretrainTask::Next(const Context& ctx, const BertText& text) const {
  const Tensor p =
      Probabilities(model_->NextScores(ctx, model_->States(ctx, text)));
  const float probability = p.data<float>()[0];
  return {fmt::format("{:.6f}", probability), {{"probability", probability}}};
}

InputReading PretrainTask::reading() const {
  InputReading reading;
  reading.window = kMaskedTextsAtOnce;
  return reading;
}

Predictor PretrainTask::MakePredictor(const Context& ctx, bool /*with_parts*/,
                                      const InputOptions& /*options*/) const {
  return [this, ctx](std::span<const std::string> lines, int64_t first) {
    const bool next = mode_ == "next";
    std::vector<ModelAnswer> answers;
    for (const std::string& line : lines) {
      ctx.CheckCancelled();
      const BertText text = TextOf(line, next, first++);
      answers.push_back(next ? Next(ctx, text) : Words(ctx, text));
    }
    return answers;
  };
}

void PretrainTask::VisitEvaluate(FieldList& v) {
  v.Section("Data");
  v("texts", compared_, Any{"FILE"},
    "text (.gz too): one sentence a line, a blank line between documents");
  v.Require({{"texts"}});
  VisitTextColumns(v, compared_columns_);
}

Report PretrainTask::Evaluate() const {
  if (compared_.empty()) throw ConfigError("--texts is needed");
  const PretrainingCorpus corpus =
      Encode(ReadTexts(compared_, compared_columns_), 1, kMeasureSeed);
  const auto start = Clock::now();
  const Score score = ScoreOf(corpus);
  Report report;
  report.heading =
      fmt::format("{}, {} to predict in {:.1f} s", Counted(score.texts, "pair"),
                  Counted(score.words, "word"), SecondsSince(start));
  const double random = Share(static_cast<double>(score.random), score.texts);
  report.figures = {
      {"word_accuracy", "word accuracy", 100 * score.word_accuracy(), 2, "%",
       "of hidden words"},
      {"word_perplexity", "word perplexity", std::exp(score.word_loss()), 3, "",
       "of hidden words"},
      {"next_accuracy", "next accuracy", 100 * score.next_accuracy(), 2, "%",
       fmt::format("always the commoner answer: {:.2f} %",
                   100 * std::max(random, 1 - random))},
      {"loss", "loss", score.word_loss() + score.next_loss(), 4, "",
       "per word and per pair, natural logarithm"}};
  report.details = {{"pairs", score.texts},
                    {"words", score.words},
                    {"random_next", score.random}};
  return report;
}

}  // namespace heed
