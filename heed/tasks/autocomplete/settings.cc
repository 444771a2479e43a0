#include <utility>

#include "heed/base/errors.h"
#include "heed/tasks/autocomplete/autocomplete.h"
#include "heed/tasks/text_vocabulary.h"

namespace heed {
namespace {

constexpr const char* kTypedCharactersFile = "characters.txt";
constexpr const char* kTypedWordsFile = "words.txt";

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

}  // namespace

TaskRow AutocompleteTask() {
  TaskRow row;
  row.name = "autocomplete";
  row.description = "the word that is being typed, after each character";
  row.settings = [] { return std::make_unique<AutocompleteSettings>(); };
  row.answer_label = "Completions";
  row.prompt = "Type the start of a sentence and press Enter";
  // A space asks for the next word.
  row.examples = {{"the man who was sitting on the ", "en"},
                  {"once upon a ti", "en"}};
  row.training = {"--texts train.txt --valid-texts valid.txt"};
  return row;
}

void TypingDataConfig::Visit(FieldList& v) {
  v.Section("Data");
  PlainTextFiles::Visit(v);
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
  VisitBatches(v, "characters", batch_characters, "sequences", batch_texts);
}

TypingOptions TypingDataConfig::Options() const {
  return {ParseTypedForm(form), length, unit == "lines"};
}

void AutocompletePrediction::Visit(FieldList& v) {
  v.Section("Output");
  v("best", best, Range(1, 1000),
    "words for each line, most probable first: word, tab, probability, tab, "
    "...");
}

void AutocompleteEvaluation::Visit(FieldList& v) {
  text.Visit(v);
  v.Section("Measures");
  v("by_length", by_length, Any{"FILE"},
    "draw the accuracy by characters typed (.svg)");
}

void AutocompleteSettings::Visit(FieldList& v) {
  data.Visit(v);
  encoder.VisitName(v, "encoder of the characters");
  v("embedding", embedding, Range(0, 16384),
    "features of a character; 0: as units, or as width");
  encoder->Visit(v);
}

void AutocompleteSettings::Resolve() {
  encoder->Fill({.causal = true, .length = data.length});
  data.length = LimitWithin(encoder->positions(), data.length);
  if (embedding == 0) embedding = static_cast<int>(encoder->features());
}

PlainText AutocompleteSettings::Typed(const PlainText& lines) const {
  return {TypedSequences(lines.train, data.Options()),
          TypedSequences(lines.valid, data.Options())};
}

std::unique_ptr<AutocompleteModel> AutocompleteSettings::Learn(
    const PlainText& sequences, uint64_t seed) const {
  auto model = std::make_unique<AutocompleteModel>(
      *this, TypingCodec::Learn(sequences.train, data.words, data.min_count),
      seed);
  const TypingCodec& codec = model->codec;
  model->network.StartFrom(
      CharactersOfWords(codec.Encode(sequences.train), codec.word_count()));
  return model;
}

std::unique_ptr<AutocompleteModel> AutocompleteSettings::Open(
    const ModelFiles& files, const std::string& folder, uint64_t seed) const {
  TypingCodec codec(
      FindVocabulary(files, folder, kTypedCharactersFile,
                     VocabularyKind::kCharacters),
      FindVocabulary(files, folder, kTypedWordsFile, VocabularyKind::kWords));
  if (codec.word_count() == 0) {
    throw FormatError(PathIn(folder, kTypedWordsFile) + ": no word");
  }
  return std::make_unique<AutocompleteModel>(*this, std::move(codec), seed);
}

AutocompleteModel::AutocompleteModel(AutocompleteConfig settings,
                                     TypingCodec learnt, uint64_t seed)
    : config(std::move(settings)),
      codec(std::move(learnt)),
      network(*config.encoder,
              {codec.characters().size(), codec.word_count(), config.embedding},
              seed) {}

ModelFiles AutocompleteModel::Files() const {
  return {{kTypedCharactersFile, codec.characters().Serialize()},
          {kTypedWordsFile, codec.words().Serialize()}};
}

}  // namespace heed
