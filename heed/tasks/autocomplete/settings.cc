
#include "heed/base/at.h"
#include "heed/tasks/autocomplete/autocomplete.h"
#include "heed/tasks/text_vocabulary.h"

namespace heed::autocomplete {
namespace {

/// Number of characters with each word as target.
std::vector<int64_t> CharactersOfWords(const Corpus& corpus, int64_t words) {
  std::vector<int64_t> counts(static_cast<size_t>(words));
  for (const std::vector<int32_t>& sequence : corpus.target) {
    for (const int32_t word : sequence) {
      if (word != kNoWord) ++At(counts, word);
    }
  }
  return counts;
}

}  // namespace

TaskRow Task() {
  TaskRow row;
  row.name = "autocomplete";
  row.description = "the word that is being typed, after each character";
  row.settings = [] { return std::make_unique<Settings>(); };
  row.answer_label = "Completions";
  row.prompt = "Type the start of a sentence and press Enter";
  // A final space requests the next word.
  row.examples = {{"the man who was sitting on the ", "en"},
                  {"once upon a ti", "en"}};
  row.training = {"--texts train.txt --valid-texts valid.txt"};
  return row;
}

void DataConfig::Visit(FieldList& v) {
  v.Section("Data");
  PlainTextFiles::Visit(v);
  v("form", form,
    "letters: lower case, and spaces instead of all but letters; lowercase: "
    "lower case only; as_is: unchanged text");
  v("unit", unit,
    "treat each line as a separate text (lines), or all lines as one text "
    "(stream)");
  v("length", length, Range(2, 100000),
    "maximum characters of a sequence, which holds whole words");
  v("words", words, Range(1, 1000000),
    "number of most frequent words to predict; others are not in the loss");
  v("min_count", min_count, Range(1, 1000000),
    "do not predict words that occur fewer than N times");
  VisitBatches(v, "characters", batch_characters, "sequences", batch_texts);
}

TypingOptions DataConfig::Options() const {
  return {form, length, unit == TextUnit::kLines};
}

void Prediction::Visit(FieldList& v) {
  v.Section("Output");
  v("best", best, Range(1, 1000),
    "words for each line, most probable first: word, tab, probability, tab, "
    "...");
}

void Evaluation::Visit(FieldList& v) {
  text.Visit(v);
  v.Section("Measures");
  v("by_length", by_length, Any{"FILE"},
    "draw the accuracy by characters typed (.svg)");
}

void Settings::Visit(FieldList& v) {
  data.Visit(v);
  encoder.VisitName(v, "encoder of the characters");
  v("embedding", embedding, Range(0, 16384),
    "features of a character; 0: as units, or as width");
  encoder->Visit(v);
}

void Settings::Resolve() {
  encoder->Fill({.causal = true, .length = data.length});
  data.length = LimitWithin(encoder->positions(), data.length);
  if (embedding == 0) embedding = static_cast<int>(encoder->features());
}

PlainText Settings::Typed(const PlainText& lines) const {
  return {TypedSequences(lines.train, data.Options()),
          TypedSequences(lines.valid, data.Options())};
}

std::unique_ptr<Model> Settings::MakeModel(const PlainText& sequences,
                                           uint64_t seed) const {
  auto model = std::make_unique<Model>(
      *this, TypingCodec::Learn(sequences.train, data.words, data.min_count),
      seed);
  const TypingCodec& codec = model->codec;
  model->network.StartFrom(
      CharactersOfWords(codec.Encode(sequences.train), codec.word_count()));
  return model;
}
}  // namespace heed::autocomplete
