#include "heed/tasks/language.h"

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
#include "heed/data/pair_files.h"
#include "heed/decode/sample.h"
#include "heed/models/transformer.h"
#include "heed/tasks/translation_loss.h"
#include "heed/train/progress.h"

namespace heed {
namespace {

constexpr int64_t kPromptsAtOnce = 64;
constexpr int kMostLetters = 3;

bool IsBlank(const std::string& line) { return SplitWhitespace(line).empty(); }

}  // namespace

void LanguageDataConfig::Visit(FieldList& v) {
  v.Section("Data");
  v("texts", texts, Any{"FILE"}, "training text, line by line (.gz too)")
      .Main();
  v("valid_texts", valid_texts, Any{"FILE"}, "validation text").Main();
  v.Require({{"texts"}});
  VisitTextColumns(v, columns);
  v("unit", unit, OneOf{"lines", "stream"},
    "each line begins anew, or follows the line before it");
  v("length", length, Range(1, 1000000), "tokens after which a text is cut");
  vocabulary.Visit(v, {"unigram", "bpe", "words", "characters"});
  v.Section("Batches");
  v("batch_tokens", batch_tokens, Range(1, 10000000),
    "tokens per batch, padding included");
  v("batch_texts", batch_texts, Range(0, 1000000),
    "texts per batch at most; 0: no limit")
      .Alias("batch_size")
      .Alias("bs");
}

void LanguageTask::Visit(FieldList& v) {
  data.Visit(v);
  model.VisitName(
      v, "what predicts the next token: a recurrent network or a Transformer");
  model->Visit(v);
}

void LanguageTask::SetDefaults(TrainingConfig& training) const {
  training.optimizer.label_smoothing = 0;
}

void LanguageTask::Resolve() {
  data.vocabulary.Resolve();
  model->Fill(data.length);
}

void LanguageTask::ReadExamples() {
  if (data.texts.empty()) throw ConfigError("--texts is needed");
  SetText(ReadAllLines(data.texts, data.columns),
          ReadAllLines(data.valid_texts, data.columns));
}

void LanguageTask::SetText(std::vector<std::string> train,
                           std::vector<std::string> valid) {
  train_text_ = std::move(train);
  valid_text_ = std::move(valid);
}

void LanguageTask::LearnVocabularies() {
  vocabulary_ = data.vocabulary.Learn(train_text_);
}

ModelFiles LanguageTask::Files() const {
  return {{data.vocabulary.FileName(), vocabulary_->Serialize()}};
}

void LanguageTask::SetFiles(const ModelFiles& files,
                            const std::string& folder) {
  vocabulary_ = data.vocabulary.Find(files, folder);
}

void LanguageTask::MakeModel(uint64_t seed) {
  model_ = model->Make(vocabulary_->size(), seed);
}

TextBlockOptions LanguageTask::Blocks() const {
  return {data.length, data.unit == "stream", data.vocabulary.lowercase};
}

void LanguageTask::EncodeExamples() {
  train_ = EncodeTextBlocks(train_text_, *vocabulary_, Blocks());
}

std::string LanguageTask::Summary() const {
  return fmt::format(
      "{} of up to {} tokens from {}, {} for validation; vocabulary of {} "
      "tokens{}",
      Counted(train_.size(), "text"), data.length,
      Counted(std::ssize(train_text_), "line"),
      Counted(std::ssize(valid_text_), "line"), vocabulary_->size(),
      LearntSizeNote(vocabulary_->size(), data.vocabulary.vocabulary_size));
}

std::string LanguageTask::CheckSum() const {
  return CheckSumOf(train_text_) + CheckSumOf(valid_text_);
}

std::vector<std::vector<int64_t>> LanguageTask::PlanEpoch(uint64_t seed,
                                                          int epoch) const {
  return PlanBatches(train_, {data.batch_tokens, data.batch_texts}, seed,
                     epoch);
}

int64_t LanguageTask::Units(std::span<const int64_t> examples) const {
  int64_t tokens = 0;
  for (const int64_t i : examples) {
    tokens += std::ssize(train_.target[static_cast<size_t>(i)]);
  }
  return tokens;
}

BatchLoss LanguageTask::Loss(const Context& ctx,
                             std::span<const int64_t> examples,
                             const LossOptions& options) const {
  CrossEntropyOptions entropy;
  entropy.smoothing = options.smoothing;
  entropy.scale = options.scale;
  CrossEntropyLoss loss =
      TranslationLoss(*model_, ctx, MakeBatch(train_, examples), entropy);
  return {std::move(loss.loss), loss.nll * options.scale};
}

LanguageScore LanguageTask::Score(const Context& ctx,
                                  const std::vector<std::string>& lines) const {
  const Corpus corpus = EncodeTextBlocks(lines, *vocabulary_, Blocks());
  const LossSum sum =
      CorpusLoss(ctx, *model_, corpus, {data.batch_tokens, data.batch_texts});
  LanguageScore score;
  score.nll = sum.nll;
  score.tokens = sum.tokens;
  for (const std::vector<int32_t>& ids : corpus.target) {
    score.unknown += std::count(ids.begin(), ids.end(), kUnk);
  }
  score.text = MeasureText(lines);
  return score;
}

Metrics LanguageTask::Validate(const std::string& /*measure*/) const {
  const LanguageScore score = Score({}, valid_text_);
  return {{"loss", score.loss()},
          {"perplexity", score.perplexity()},
          {"bits_per_character", score.bits_per_character()}};
}

void LanguageTask::VisitPredict(FieldList& v) {
  v.Section("Output");
  v("mode", mode_, OneOf{"complete", "sample", "score"},
    "complete the last word of each line, which may be half typed (word, tab, "
    "probability, tab, ...); continue each line by sampling; or write its "
    "log-probability, tokens and perplexity");
  v.Section("Completion");
  completion_.Visit(v);
  v.Section("Sampling");
  v("samples", decode_.nbest, Range(1, 100), "continuations of each line");
  v("temperature", decode_.temperature, Range(0.01, 100),
    "above 1: more even; below: closer to the likeliest");
  v("top_k", decode_.top_k, Range(0, 1000000),
    "sample from this many of the most probable tokens; 0: all");
  v("top_p", decode_.top_p, Range(0.001, 1),
    "sample from the most probable tokens that together reach this "
    "probability");
  v("length", decode_.max_length, Range(0, 100000),
    "maximum tokens of a continuation; 0: 64");
  v("seed", decode_.seed, "random seed of the samples");
}

ModelAnswer LanguageTask::Completions(const Context& ctx,
                                      const std::string& line) const {
  const Completer completer(*model_, *vocabulary_, completion_);
  ModelAnswer answer;
  answer.parts["completions"] = nlohmann::ordered_json::array();
  for (const Completion& completion :
       completer.Complete(line, ctx.cancellation)) {
    answer.line += fmt::format("{}{}\t{:.6f}", answer.line.empty() ? "" : "\t",
                               completion.word, completion.probability);
    answer.parts["completions"].push_back(
        {{"word", completion.word}, {"probability", completion.probability}});
  }
  return answer;
}

ModelAnswer LanguageTask::Samples(const Context& ctx, const std::string& line,
                                  int64_t number) const {
  constexpr int kDefaultLength = 64;
  const Encoded prompt = vocabulary_->EncodeWithPieces(line);
  const int64_t S = std::ssize(prompt.ids);
  DecodeOptions options = decode_;
  options.sample = true;
  options.length_penalty = 0;
  options.max_length_factor = 0;
  if (options.max_length == 0) options.max_length = kDefaultLength;
  const std::vector<int64_t> numbers = {number};
  const auto samples =
      heed::Sample(*model_,
                   {Tensor::Of(prompt.ids, {S, 1}),
                    Tensor::Full({1}, static_cast<double>(S), DType::kI32)},
                   options, numbers, {}, {{}, {ctx.cancellation}});
  std::vector<std::string> texts;
  for (const Hypothesis& hypothesis : samples.at(0)) {
    std::vector<std::string> pieces = prompt.pieces;
    for (const int32_t token : hypothesis.tokens) {
      pieces.push_back(vocabulary_->Piece(token));
    }
    texts.push_back(vocabulary_->DecodePieces(pieces));
  }
  return {fmt::format("{}", fmt::join(texts, "\n")), {{"samples", texts}}};
}

ModelAnswer LanguageTask::ScoreOf(const Context& ctx,
                                  const std::string& line) const {
  const LanguageScore score =
      IsBlank(line) ? LanguageScore() : Score(ctx, {line});
  return {fmt::format("{:.4f}\t{}\t{:.4f}", 0 - score.nll, score.tokens,
                      score.perplexity()),
          {{"log_probability", 0 - score.nll},
           {"tokens", score.tokens},
           {"perplexity", score.perplexity()}}};
}

InputReading LanguageTask::reading() const {
  InputReading reading;
  reading.window = kPromptsAtOnce;
  // What is continued is the end of a line; what is scored is all of it.
  reading.defaults.long_lines =
      mode_ == "score" ? LongLines::kWhole : LongLines::kCutStart;
  return reading;
}

Predictor LanguageTask::MakePredictor(const Context& ctx, bool /*with_parts*/,
                                      const InputOptions& /*options*/) const {
  return [this, ctx](std::span<const std::string> lines, int64_t first) {
    std::vector<ModelAnswer> answers;
    for (const std::string& line : lines) {
      const std::string text =
          data.vocabulary.lowercase ? Lowercase(line) : line;
      answers.push_back(mode_ == "complete" ? Completions(ctx, text)
                        : mode_ == "sample" ? Samples(ctx, text, first)
                                            : ScoreOf(ctx, text));
      ++first;
    }
    return answers;
  };
}

void LanguageTask::VisitEvaluate(FieldList& v) {
  v.Section("Data");
  v("texts", compared_, Any{"FILE"}, "text to predict, line by line (.gz too)");
  v.Require({{"texts"}});
  VisitTextColumns(v, compared_columns_);
  v.Section("Measures");
  v("complete", completed_words_, Range(0, 1000000),
    "also complete about this many words, after 0 to 3 letters");
  completion_.Visit(v);
}

Report LanguageTask::Evaluate() const {
  if (compared_.empty()) throw ConfigError("--texts is needed");
  std::vector<std::string> lines = ReadAllLines(compared_, compared_columns_);
  if (data.vocabulary.lowercase) {
    for (std::string& line : lines) line = Lowercase(line);
  }
  const auto start = Clock::now();
  const LanguageScore score = Score({}, lines);
  Report report;
  report.heading = fmt::format(
      "{}, {} ({} unknown) in {:.1f} s", Counted(score.text.lines, "line"),
      Counted(score.tokens, "token"), score.unknown, SecondsSince(start));
  report.figures = {
      {"perplexity", "perplexity", score.perplexity(), 3, "",
       "per token, teacher forcing"},
      {"word_perplexity", "word perplexity", score.word_perplexity(), 3, "",
       "per white-space word and line end, teacher forcing"},
      {"bits_per_character", "bits per character", score.bits_per_character(),
       4, "", "line ends included, teacher forcing"},
      {"loss", "loss", score.loss(), 4, "", "per token, natural logarithm"}};
  report.details = {{"lines", score.text.lines},
                    {"tokens", score.tokens},
                    {"unknown", score.unknown},
                    {"words", score.text.words},
                    {"characters", score.text.characters}};
  if (completed_words_ == 0) return report;
  const Completer completer(*model_, *vocabulary_, completion_);
  report.text = fmt::format("{:>7} {:>8} {:>8} {:>9}\n", "letters", "words",
                            "first %", "first 3 %");
  for (const CompletionAccuracy& a :
       MeasureCompletion(completer, lines, completed_words_)) {
    const double words = static_cast<double>(std::max<int64_t>(a.words, 1));
    const double first = 100 * static_cast<double>(a.first) / words;
    const double third = 100 * static_cast<double>(a.third) / words;
    report.text += fmt::format("{:>7} {:>8} {:>8.2f} {:>9.2f}\n", a.letters,
                               a.words, first, third);
    report.details["completion"].push_back({{"letters", a.letters},
                                            {"words", a.words},
                                            {"first", first},
                                            {"third", third}});
  }
  return report;
}

std::vector<CompletionAccuracy> MeasureCompletion(
    const Completer& completer, const std::vector<std::string>& lines,
    int words) {
  int64_t all = 0;
  for (const std::string& line : lines)
    all += std::ssize(SplitWhitespace(line));
  const int64_t step = std::max<int64_t>(1, all / words);
  std::vector<CompletionAccuracy> result(kMostLetters + 1);
  for (int letters = 0; letters <= kMostLetters; ++letters) {
    result[static_cast<size_t>(letters)].letters = letters;
  }
  int64_t number = 0;
  for (const std::string& line : lines) {
    for (const std::string_view word : SplitWhitespace(line)) {
      if (number++ % step != 0) continue;
      const auto before = static_cast<size_t>(word.data() - line.data());
      size_t typed = 0;  // bytes
      const auto characters = Utf8Characters(word);
      for (CompletionAccuracy& a : result) {
        const auto letters = static_cast<size_t>(a.letters);
        if (letters >= characters.size()) break;
        const auto best = completer.Complete(
            std::string_view(line).substr(0, before + typed));
        const auto place =
            std::find_if(best.begin(), best.end(),
                         [&](const Completion& c) { return c.word == word; });
        ++a.words;
        a.first += place == best.begin() && place != best.end() ? 1 : 0;
        a.third += place - best.begin() < 3 && place != best.end() ? 1 : 0;
        typed += characters[letters].size();
      }
    }
  }
  return result;
}

}  // namespace heed
