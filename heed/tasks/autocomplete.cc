#include "heed/tasks/autocomplete.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <istream>
#include <numeric>
#include <ostream>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/base/timing.h"
#include "heed/data/batches.h"
#include "heed/data/input_lines.h"
#include "heed/data/pair_files.h"
#include "heed/kernels/gather.h"
#include "heed/kernels/topk.h"
#include "heed/tasks/text_vocabulary.h"
#include "heed/train/progress.h"

namespace heed {
namespace {

constexpr const char* kCharactersFile = "characters.txt";
constexpr const char* kWordsFile = "words.txt";
constexpr int64_t kLinesAtOnce = 64;
// Rows of scores in memory together.
constexpr int64_t kRowsAtOnce = 1024;
// Copies of a text of which each is differentiated at another character.
constexpr int64_t kGuessesAtOnce = 32;
constexpr int kSuggestions = 3;
constexpr int32_t kNoWord = -1;

/// The first characters of a text, or the last that begin with a space.
std::string Cut(const std::string& typed, int length, bool from_end) {
  const auto characters = Utf8Characters(typed);
  const auto most = static_cast<size_t>(length);
  if (characters.size() <= most) return typed;
  std::string result;
  if (!from_end) {
    for (size_t i = 0; i < most; ++i) result += characters[i];
    return result;
  }
  size_t begin = characters.size() - most;
  while (begin + 1 < characters.size() && characters[begin] != " ") ++begin;
  if (characters[begin] != " ") begin = characters.size() - most;
  for (size_t i = begin; i < characters.size(); ++i) result += characters[i];
  return result;
}

/// How many characters belong to each word.
std::vector<int64_t> CharactersOfWords(const Corpus& corpus, int64_t words) {
  std::vector<int64_t> counts(static_cast<size_t>(words));
  for (const std::vector<int32_t>& sequence : corpus.target) {
    for (const int32_t word : sequence) {
      if (word != kNoWord) ++counts[static_cast<size_t>(word)];
    }
  }
  return counts;
}

/// Guesses of the rows of scores [R, V] against targets [R].
void AddGuesses(const Tensor& scores, const int32_t* targets,
                const int32_t* seen, TypingScore& sum) {
  Tensor values;
  Tensor ids;
  Tensor log_sum;
  const int k = std::min<int>(kSuggestions, static_cast<int>(scores.cols()));
  kernels::TopK(scores, k, values, ids, &log_sum);
  for (int64_t r = 0; r < scores.rows(); ++r) {
    const int32_t word = targets[r];
    const int32_t* best = ids.row<int32_t>(r);
    const auto bucket = std::min<size_t>(static_cast<size_t>(seen[r]),
                                         TypingScore::kMostSeen + 1);
    for (TypingScore::Counts* counts : {&sum.all, &sum.seen[bucket]}) {
      ++counts->characters;
      counts->first += best[0] == word ? 1 : 0;
      counts->third += std::find(best, best + k, word) != best + k ? 1 : 0;
      counts->nll += log_sum.data<double>()[r] -
                     static_cast<double>(scores.row<float>(r)[word]);
    }
  }
}

}  // namespace

void TypingDataConfig::Visit(FieldList& v) {
  v("texts", texts, Any{"FILE"}, "training text, line by line (.gz too)")
      .Main();
  v("valid_texts", valid_texts, Any{"FILE"}, "validation text").Main();
  v.Require({{"texts"}});
  VisitTextColumns(v, columns);
  v("form", form, OneOf{"letters", "lowercase", "as_is"},
    "lower case with spaces in the place of all but letters, lower case alone, "
    "or as it is");
  v("unit", unit, OneOf{"lines", "stream"},
    "each line begins anew, or follows the line before it");
  v("length", length, Range(2, 100000),
    "maximum characters of a sequence, which holds whole words");
  v("words", words, Range(1, 1000000),
    "most frequent words, which are predicted; others are not in the loss");
  v("min_count", min_count, Range(1, 1000000), "rarer words are not predicted");
  v.Section("Batches");
  v("batch_texts", batch_texts, Range(0, 1000000),
    "sequences per batch at most; 0: no limit")
      .Alias("batch_size")
      .Alias("bs");
  v("batch_characters", batch_characters, Range(1, 10000000),
    "characters per batch, padding included");
}

TypingOptions TypingDataConfig::Options() const {
  return {ParseTypedForm(form), length, unit == "lines"};
}

double TypingScore::Counts::First() const {
  return static_cast<double>(first) /
         static_cast<double>(std::max<int64_t>(characters, 1));
}

double TypingScore::Counts::Third() const {
  return static_cast<double>(third) /
         static_cast<double>(std::max<int64_t>(characters, 1));
}

double TypingScore::Counts::Loss() const {
  return nll / static_cast<double>(std::max<int64_t>(characters, 1));
}

void AutocompleteTask::Visit(FieldList& v) {
  v.Section("Data");
  data.Visit(v);
  encoder.VisitName(v, "encoder of the characters");
  v("embedding", embedding, Range(0, 16384),
    "features of a character; 0: as units, or as width");
  encoder->Visit(v);
}

void AutocompleteTask::SetDefaults(TrainingConfig& training) const {
  training.optimizer.label_smoothing = 0;
}

void AutocompleteTask::Resolve() {
  encoder->Fill({.causal = true, .length = data.length});
  if (embedding == 0) embedding = static_cast<int>(encoder->features());
}

void AutocompleteTask::ReadExamples() {
  if (data.texts.empty()) throw ConfigError("--texts is needed");
  SetText(ReadAllLines(data.texts, data.columns),
          ReadAllLines(data.valid_texts, data.columns));
}

void AutocompleteTask::SetText(const std::vector<std::string>& train,
                               const std::vector<std::string>& valid) {
  train_text_ = TypedSequences(train, data.Options());
  valid_text_ = TypedSequences(valid, data.Options());
}

void AutocompleteTask::LearnVocabularies() {
  codec_ = TypingCodec::Learn(train_text_, data.words, data.min_count);
}

ModelFiles AutocompleteTask::Files() const {
  return {{kCharactersFile, codec_->characters().Serialize()},
          {kWordsFile, codec_->words().Serialize()}};
}

void AutocompleteTask::SetFiles(const ModelFiles& files,
                                const std::string& folder) {
  const auto read = [&](const char* name, VocabularyKind kind) {
    return Vocabulary::Parse(FindFile(files, folder, name), kind,
                             PathIn(folder, name));
  };
  codec_.emplace(read(kCharactersFile, VocabularyKind::kCharacters),
                 read(kWordsFile, VocabularyKind::kWords));
  if (codec_->word_count() == 0) {
    throw FormatError(PathIn(folder, kWordsFile) + ": no word");
  }
}

std::vector<std::pair<std::string, int64_t>> AutocompleteTask::Sizes() const {
  return {{"characters", codec_->characters().size()},
          {"words", codec_->word_count()}};
}

void AutocompleteTask::MakeModel(uint64_t seed) {
  model_ = std::make_unique<Autocomplete>(
      *encoder,
      AutocompleteSizes{codec_->characters().size(), codec_->word_count(),
                        embedding},
      seed);
}

void AutocompleteTask::EncodeExamples() {
  train_ = codec_->Encode(train_text_);
  valid_ = codec_->Encode(valid_text_);
  // A resumed run reads its weights after this.
  model_->StartFrom(CharactersOfWords(train_, codec_->word_count()));
}

std::string AutocompleteTask::Summary() const {
  int64_t characters = 0;
  int64_t unknown = 0;
  for (const std::vector<int32_t>& words : train_.target) {
    characters += std::ssize(words);
    unknown += std::count(words.begin(), words.end(), kNoWord);
  }
  return fmt::format(
      "{} of {}, {} for validation; {}, to which {:.1f} % of the characters "
      "belong",
      Counted(train_.size(), "sequence"), Counted(characters, "character"),
      valid_.size(), Counted(codec_->word_count(), "word"),
      100.0 * static_cast<double>(characters - unknown) /
          static_cast<double>(std::max<int64_t>(characters, 1)));
}

std::string AutocompleteTask::CheckSum() const {
  return CheckSumOf(train_text_) + CheckSumOf(valid_text_);
}

std::vector<std::vector<int64_t>> AutocompleteTask::PlanEpoch(uint64_t seed,
                                                              int epoch) const {
  return PlanBatches(train_, {data.batch_characters, data.batch_texts}, seed,
                     epoch);
}

int64_t AutocompleteTask::Units(std::span<const int64_t> examples) const {
  int64_t units = 0;
  for (const int64_t i : examples) {
    const std::vector<int32_t>& words = train_.target[static_cast<size_t>(i)];
    units +=
        std::ssize(words) - std::count(words.begin(), words.end(), kNoWord);
  }
  // What is divided by this is 0 where no word is known.
  return std::max<int64_t>(units, 1);
}

/// Padded at the end.
struct AutocompleteTask::Batch {
  Tensor characters;  // i32 [B, S]
  Tensor lengths;     // i32 [B]
  Tensor words;       // i32 [B, S], −1: none
};

AutocompleteTask::Batch AutocompleteTask::MakeBatch(
    const Corpus& corpus, std::span<const int64_t> examples) const {
  const int64_t B = std::ssize(examples);
  int64_t S = 0;
  for (const int64_t i : examples) {
    S = std::max(S, std::ssize(corpus.source[static_cast<size_t>(i)]));
  }
  Batch batch = {Tensor::Full({B, S}, kPad, DType::kI32),
                 Tensor({B}, DType::kI32),
                 Tensor::Full({B, S}, kNoWord, DType::kI32)};
  for (int64_t b = 0; b < B; ++b) {
    const auto i = static_cast<size_t>(examples[static_cast<size_t>(b)]);
    const std::vector<int32_t>& ids = corpus.source[i];
    std::copy(ids.begin(), ids.end(), batch.characters.row<int32_t>(b));
    const std::vector<int32_t>& words = corpus.target[i];
    std::copy(words.begin(), words.end(), batch.words.row<int32_t>(b));
    batch.lengths.data<int32_t>()[b] = static_cast<int32_t>(ids.size());
  }
  return batch;
}

BatchLoss AutocompleteTask::Loss(const Context& ctx,
                                 std::span<const int64_t> examples,
                                 const LossOptions& options) const {
  CrossEntropyOptions entropy;
  entropy.smoothing = options.smoothing;
  entropy.scale = options.scale;
  const Batch batch = MakeBatch(train_, examples);
  CrossEntropyLoss loss =
      model_->Loss(ctx, batch.characters, batch.lengths, batch.words, entropy);
  return {std::move(loss.loss), loss.nll * options.scale};
}

TypingScore AutocompleteTask::ScoreOf(const std::vector<std::string>& text,
                                      const Corpus& corpus) const {
  TypingScore score;
  for (const auto& indices :
       PlanBatches(corpus, {data.batch_characters, data.batch_texts}, 0, 0)) {
    const Batch batch = MakeBatch(corpus, indices);
    const Tensor states =
        model_->States({}, batch.characters, batch.lengths).value();
    const Tensor rows =
        states.Reshape({states.dim(0) * states.dim(1), states.dim(2)});
    std::vector<int32_t> places, targets, seen;
    for (size_t b = 0; b < indices.size(); ++b) {
      const auto i = static_cast<size_t>(indices[b]);
      const std::vector<int32_t> typed = CharactersSeen(text[i]);
      for (size_t s = 0; s < typed.size(); ++s) {
        const int32_t word = corpus.target[i][s];
        if (word == kNoWord) {
          ++score.unknown;
          continue;
        }
        places.push_back(static_cast<int32_t>(
            static_cast<int64_t>(b) * states.dim(1) + static_cast<int64_t>(s)));
        targets.push_back(word);
        seen.push_back(typed[s]);
      }
    }
    for (int64_t begin = 0; begin < std::ssize(places); begin += kRowsAtOnce) {
      const int64_t end = std::min(begin + kRowsAtOnce, std::ssize(places));
      const std::vector<int32_t> some(places.begin() + begin,
                                      places.begin() + end);
      const Tensor chosen =
          kernels::Gather(rows, Tensor::Of(some, {end - begin}));
      AddGuesses(model_->Scores({}, chosen).value(), targets.data() + begin,
                 seen.data() + begin, score);
    }
  }
  return score;
}

TypingScore AutocompleteTask::Score(
    const std::vector<std::string>& lines) const {
  const std::vector<std::string> text = TypedSequences(lines, data.Options());
  if (text.empty()) {
    throw ConfigError(
        fmt::format("autocomplete: no word in {} lines", lines.size()));
  }
  return ScoreOf(text, codec_->Encode(text));
}

Metrics AutocompleteTask::Validate(const std::string& /*measure*/) const {
  const TypingScore score = ScoreOf(valid_text_, valid_);
  return {{"accuracy", 100 * score.all.First()}, {"loss", score.all.Loss()}};
}

std::vector<std::vector<Suggestion>> AutocompleteTask::Likeliest(
    const Tensor& scores, int count) const {
  Tensor values;
  Tensor ids;
  Tensor log_sum;
  const int k = std::min<int>(count, static_cast<int>(scores.cols()));
  kernels::TopK(scores, k, values, ids, &log_sum);
  std::vector<std::vector<Suggestion>> all;
  for (int64_t r = 0; r < scores.rows(); ++r) {
    std::vector<Suggestion>& row = all.emplace_back();
    for (int i = 0; i < k; ++i) {
      row.push_back({codec_->Word(ids.row<int32_t>(r)[i]),
                     std::exp(static_cast<double>(values.row<float>(r)[i]) -
                              log_sum.data<double>()[r])});
    }
  }
  return all;
}

std::vector<std::vector<Suggestion>> AutocompleteTask::SuggestAll(
    const Context& ctx, const std::vector<std::string>& texts,
    int count) const {
  Corpus corpus;
  std::vector<int64_t> all;
  for (const std::string& text : texts) {
    const std::string typed =
        Cut(TypedText(text, ParseTypedForm(data.form)), data.length, true);
    all.push_back(corpus.size());
    corpus.source.push_back(codec_->Characters(typed));
    corpus.target.emplace_back();
  }
  const Batch batch = MakeBatch(corpus, all);
  const Tensor states =
      model_->States(ctx, batch.characters, batch.lengths).value();
  Tensor last({states.dim(0), states.dim(2)}, states.dtype());
  for (int64_t b = 0; b < states.dim(0); ++b) {
    last[b].CopyFrom(states[b][batch.lengths.data<int32_t>()[b] - 1]);
  }
  return Likeliest(model_->Scores(ctx, last).value(), count);
}

std::vector<Suggestion> AutocompleteTask::Suggest(const std::string& text,
                                                  int count) const {
  return SuggestAll({}, {text}, count).front();
}

Connectivity AutocompleteTask::Remember(const std::string& text,
                                        const std::string& name) const {
  const std::string typed =
      Cut(TypedText(text, ParseTypedForm(data.form)), data.length, false);
  const std::vector<int32_t> ids = codec_->Characters(typed);
  const std::vector<int32_t> words = codec_->Words(typed);
  const int64_t T = std::ssize(ids);
  Connectivity c;
  c.model = name;
  for (const std::string_view character : Utf8Characters(typed)) {
    c.characters.emplace_back(character);
  }
  for (const int32_t word : words) {
    c.words.push_back(word == kNoWord ? "" : codec_->Word(word));
  }
  c.values.resize(static_cast<size_t>(T * T));
  const Tensor characters = Tensor::Of(ids, {T});
  for (int64_t begin = 0; begin < T; begin += kGuessesAtOnce) {
    std::vector<int64_t> places(
        static_cast<size_t>(std::min(kGuessesAtOnce, T - begin)));
    std::iota(places.begin(), places.end(), begin);
    const Tensor norms = model_->InputGradients(
        characters, places, [&](const Context& ctx, const Var& states) {
          const Var scores = model_->Scores(ctx, states);
          auto suggestions = Likeliest(scores.value(), kSuggestions);
          std::move(suggestions.begin(), suggestions.end(),
                    std::back_inserter(c.suggestions));
          Tensor one = Tensor::Zeros(scores.shape(), DType::kF32);
          for (int64_t b = 0; b < scores.dim(0); ++b) {
            const int32_t word = words[static_cast<size_t>(begin + b)];
            const float* row = scores.value().row<float>(b);
            one.row<float>(
                b)[word != kNoWord
                       ? word
                       : std::max_element(row, row + scores.dim(1)) - row] = 1;
          }
          return Autocomplete::Output{scores, one};
        });
    for (size_t b = 0; b < places.size(); ++b) {
      const int64_t t = places[b];
      const double* row = norms.row<double>(static_cast<int64_t>(b));
      std::copy(row, row + t + 1,
                c.values.begin() + static_cast<std::ptrdiff_t>(t * T));
    }
  }
  return c;
}

void AutocompleteTask::VisitPredict(FieldList& v) {
  v.Section("Output");
  v("best", best_, Range(1, 1000),
    "words for each line, likeliest first: word, tab, probability, tab, ...");
}

InputReading AutocompleteTask::reading() const {
  InputReading reading;
  reading.window = kLinesAtOnce;
  reading.defaults.long_lines = LongLines::kCutStart;
  return reading;
}

Predictor AutocompleteTask::MakePredictor(
    const Context& ctx, bool /*with_parts*/,
    const InputOptions& /*options*/) const {
  return [this, ctx](std::span<const std::string> lines, int64_t /*first*/) {
    std::vector<ModelAnswer> answers;
    for (const std::vector<Suggestion>& suggestions :
         SuggestAll(ctx, {lines.begin(), lines.end()}, best_)) {
      ModelAnswer& answer = answers.emplace_back();
      answer.parts["completions"] = nlohmann::ordered_json::array();
      for (const Suggestion& s : suggestions) {
        answer.line +=
            fmt::format("{}{}\t{:.6f}", answer.line.empty() ? "" : "\t", s.word,
                        s.probability);
        answer.parts["completions"].push_back(
            {{"word", s.word}, {"probability", s.probability}});
      }
    }
    return answers;
  };
}

void AutocompleteTask::VisitEvaluate(FieldList& v) {
  v.Section("Data");
  v("texts", compared_, Any{"FILE"}, "text to guess, line by line (.gz too)");
  v.Require({{"texts"}});
  VisitTextColumns(v, compared_columns_);
  v.Section("Measures");
  v("by_length", plot_file_, Any{"FILE"},
    "draw the accuracy by characters typed (.svg)");
}

Report AutocompleteTask::Evaluate() const {
  if (compared_.empty()) throw ConfigError("--texts is needed");
  const std::vector<std::string> lines =
      ReadAllLines(compared_, compared_columns_);
  const auto start = Clock::now();
  const TypingScore score = Score(lines);
  Report report;
  report.heading =
      fmt::format("{}, {} of unknown words, in {:.1f} s",
                  Counted(score.all.characters + score.unknown, "character"),
                  score.unknown, SecondsSince(start));
  report.figures = {{"accuracy", "accuracy", 100 * score.all.First(), 2, "%",
                     "of guesses after each character and space"},
                    {"accuracy_3", "accuracy of 3", 100 * score.all.Third(), 2,
                     "%", "the word is one of the likeliest three"},
                    {"loss", "loss", score.all.Loss(), 4, "",
                     "per character, natural logarithm"}};
  report.details = {{"characters", score.all.characters},
                    {"unknown", score.unknown}};
  report.text = fmt::format("{:>6} {:>11} {:>8} {:>8} {:>8}\n", "typed",
                            "characters", "first %", "of 3 %", "loss");
  Series curve;
  for (size_t i = 0; i < score.seen.size(); ++i) {
    const TypingScore::Counts& counts = score.seen[i];
    const bool more = i > TypingScore::kMostSeen;
    report.text +=
        fmt::format("{:>5}{} {:>11} {:>8.2f} {:>8.2f} {:>8.4f}\n", i,
                    more ? "+" : " ", counts.characters, 100 * counts.First(),
                    100 * counts.Third(), counts.Loss());
    report.details["typed"].push_back({{"seen", i},
                                       {"or_more", more},
                                       {"characters", counts.characters},
                                       {"first", 100 * counts.First()},
                                       {"third", 100 * counts.Third()},
                                       {"loss", counts.Loss()}});
    if (more) continue;
    curve.x.push_back(static_cast<double>(i));
    curve.y.push_back(100 * counts.First());
  }
  if (!plot_file_.empty()) {
    report.curve = std::move(curve);
    report.axes = {"Guesses of the word that is being typed",
                   "characters typed", "% right"};
  }
  return report;
}

}  // namespace heed
