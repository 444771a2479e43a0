
#include "heed/tasks/lm/language.h"

namespace heed::lm {
TaskRow Task() {
  TaskRow row;
  row.name = "lm";
  row.description = "predict, continue and complete plain text";
  row.gives_reader = true;
  row.settings = [] { return std::make_unique<Settings>(); };
  row.answer_label = "Completions";
  row.prompt = "Type the start of a sentence and press Enter";
  // The final space requests the next word.
  row.examples = {{"The man who was sitting on the ", "en"},
                  {"Once upon a time there ", "en"}};
  row.training = {"--texts train.txt --valid-texts valid.txt"};
  return row;
}

void DataConfig::Visit(FieldList& v) {
  v.Section("Data");
  PlainTextFiles::Visit(v);
  v("unit", unit,
    "treat each line as a separate text (lines), or all lines as one text "
    "(stream)");
  v("length", length, Range(1, 1000000),
    "maximum tokens of a training sequence; longer texts are split");
  large.Visit(v, "texts", "--texts");
  vocabulary.Visit(v, {"unigram", "bpe", "words", "characters", "tokenizer"});
  VisitBatches(v, "tokens", batch_tokens, "texts", batch_texts);
}

void Prediction::Visit(FieldList& v) {
  v.Section("Output");
  v("mode", mode,
    "complete the last word of each line, which may be half typed (word, tab, "
    "probability, tab, ...); continue each line with the most probable tokens, "
    "or with samples if --temperature, --top-k, --top-p or --samples is given; "
    "sample continuations; or write its log-probability, tokens and "
    "perplexity; auto: continue with the vocabulary of an imported model, else "
    "complete");
  v.Section("Completion");
  completion.Visit(v);
  v.Section("Sampling");
  v("samples", decode.nbest, Range(1, 100), "continuations of each line")
      .Alias("nbest");
  v("temperature", decode.temperature, Range(0.01, 100),
    "sampling temperature: above 1 more varied, below 1 closer to greedy");
  v("top_k", decode.top_k, Range(0, 1000000),
    "sample from this many of the most probable tokens; 0: all");
  v("top_p", decode.top_p, Range(0.001, 1),
    "sample from the most probable tokens that together reach this "
    "probability");
  v("length", decode.max_length, Range(0, 100000),
    "maximum tokens of a continuation; 0: 64")
      .Alias("max_length")
      .ServedUpTo(kServedTokens);
  v("min_length", decode.min_length, Range(0, 100000),
    "minimum tokens of a continuation before it may end")
      .ServedUpTo(kServedTokens);
  v("repetition_penalty", decode.repetition_penalty, Range(0.01, 100),
    "divide the scores of tokens that occur already by this number (negative "
    "scores are multiplied); 1: off");
  v("no_repeat_ngrams", decode.no_repeat_ngrams, Range(0, 1000),
    "never repeat this many tokens in a row; 0: off")
      .Alias("no_repeat_ngram_size");
  v("seed", decode.seed, "random seed of the samples");
}

void Evaluation::Visit(FieldList& v) {
  text.Visit(v);
  v.Section("Measures");
  v("complete", complete, Range(0, 1000000),
    "also complete about this many words, after 0 to 3 letters");
  completion.Visit(v);
}

void Settings::Visit(FieldList& v) {
  data.Visit(v);
  model.VisitName(v, "architecture: a recurrent network or a Transformer");
  model->Visit(v);
}

void Settings::Resolve() {
  (void)data.large.Weights(data.texts.size());
  data.vocabulary.Resolve();
  model->Fill(data.length);
  data.length = LimitWithin(model->positions(), data.length);
}

InputReading Settings::Reading(const Prediction& options) const {
  InputReading reading;
  reading.window = 64;
  // A continuation needs only the end of a line; a score needs all of it.
  reading.defaults.long_lines =
      options.mode == Mode::kScore ? LongLines::kWhole : LongLines::kCutStart;
  return reading;
}

std::unique_ptr<Model> Settings::MakeModel(const PlainText& text,
                                           uint64_t seed) const {
  const TextVocabularyConfig& vocabulary_config = data.vocabulary;
  if (!text.store) {
    return std::make_unique<Model>(*this, vocabulary_config.Learn(text.train),
                                   seed);
  }
  const nlohmann::ordered_json options = {
      vocabulary_config.vocabulary, vocabulary_config.lowercase,
      vocabulary_config.vocabulary_size, vocabulary_config.min_count,
      vocabulary_config.normalization};
  const ModelFiles files = text.store->Kept("vocabulary", options, [&] {
    return ModelFiles{{vocabulary_config.FileName(),
                       vocabulary_config.Learn(text.train).Serialize()}};
  });
  return Open(files, data.large.token_files, seed);
}
}  // namespace heed::lm
