#include <utility>

#include "heed/base/text.h"
#include "heed/tasks/lm/language.h"

namespace heed {
TaskRow LanguageTask() {
  TaskRow row;
  row.name = "lm";
  row.description = "predict, continue and complete plain text";
  row.gives_reader = true;
  row.settings = [] { return std::make_unique<LanguageSettings>(); };
  row.answer_label = "Completions";
  row.prompt = "Type the start of a sentence and press Enter";
  // The space asks for the next word.
  row.examples = {{"The man who was sitting on the ", "en"},
                  {"Once upon a time there ", "en"}};
  row.training = {"--texts train.txt --valid-texts valid.txt"};
  return row;
}

void LanguageDataConfig::Visit(FieldList& v) {
  v.Section("Data");
  PlainTextFiles::Visit(v);
  v("unit", unit, OneOf{"lines", "stream"},
    "each line begins anew, or follows the line before it");
  v("length", length, Range(1, 1000000), "tokens after which a text is cut");
  large.Visit(v, "texts", "--texts");
  vocabulary.Visit(v, {"unigram", "bpe", "words", "characters"});
  VisitBatches(v, "tokens", batch_tokens, "texts", batch_texts);
}

void LanguagePrediction::Visit(FieldList& v) {
  v.Section("Output");
  v("mode", mode, OneOf{"complete", "sample", "score"},
    "complete the last word of each line, which may be half typed (word, tab, "
    "probability, tab, ...); continue each line by sampling; or write its "
    "log-probability, tokens and perplexity");
  v.Section("Completion");
  completion.Visit(v);
  v.Section("Sampling");
  v("samples", decode.nbest, Range(1, 100), "continuations of each line");
  v("temperature", decode.temperature, Range(0.01, 100),
    "of sampling: above 1 more varied, below 1 nearer to greedy");
  v("top_k", decode.top_k, Range(0, 1000000),
    "sample from this many of the most probable tokens; 0: all");
  v("top_p", decode.top_p, Range(0.001, 1),
    "sample from the most probable tokens that together reach this "
    "probability");
  v("length", decode.max_length, Range(0, 100000),
    "maximum tokens of a continuation; 0: 64");
  v("seed", decode.seed, "random seed of the samples");
}

void LanguageEvaluation::Visit(FieldList& v) {
  text.Visit(v);
  v.Section("Measures");
  v("complete", complete, Range(0, 1000000),
    "also complete about this many words, after 0 to 3 letters");
  completion.Visit(v);
}

void LanguageSettings::Visit(FieldList& v) {
  data.Visit(v);
  model.VisitName(
      v, "what predicts the next token: a recurrent network or a Transformer");
  model->Visit(v);
}

void LanguageSettings::Resolve() {
  (void)data.large.Weights(data.texts.size());
  data.vocabulary.Resolve();
  model->Fill(data.length);
  data.length = LimitWithin(model->positions(), data.length);
}

InputReading LanguageSettings::ReadingWith(
    const LanguagePrediction& options) const {
  InputReading reading;
  reading.window = 64;
  // What is continued is the end of a line; what is scored is all of it.
  reading.defaults.long_lines =
      options.mode == "score" ? LongLines::kWhole : LongLines::kCutStart;
  return reading;
}

std::unique_ptr<LanguageTaskModel> LanguageSettings::Learn(
    const PlainText& text, uint64_t seed) const {
  const TextVocabularyConfig& learnt = data.vocabulary;
  if (!text.store) {
    return std::make_unique<LanguageTaskModel>(*this, learnt.Learn(text.train),
                                               seed);
  }
  const nlohmann::ordered_json options = {
      learnt.vocabulary, learnt.lowercase, learnt.vocabulary_size,
      learnt.min_count, learnt.normalization};
  const ModelFiles files = text.store->Kept("vocabulary", options, [&] {
    return ModelFiles{
        {learnt.FileName(), learnt.Learn(text.train).Serialize()}};
  });
  return Open(files, data.large.token_files, seed);
}

std::unique_ptr<LanguageTaskModel> LanguageSettings::Open(
    const ModelFiles& files, const std::string& folder, uint64_t seed) const {
  return std::make_unique<LanguageTaskModel>(
      *this, data.vocabulary.Find(files, folder), seed);
}

LanguageTaskModel::LanguageTaskModel(LanguageConfig settings, Vocabulary learnt,
                                     uint64_t seed)
    : config(std::move(settings)),
      vocabulary(std::move(learnt)),
      network(config.model->Make(vocabulary.size(), seed)) {}

std::string LanguageTaskModel::Cased(std::string text) const {
  return config.data.vocabulary.lowercase ? Lowercase(text) : std::move(text);
}

std::string LanguageTaskModel::Normalized(std::string line) const {
  return vocabulary.Normalized(Cased(std::move(line)));
}

}  // namespace heed
