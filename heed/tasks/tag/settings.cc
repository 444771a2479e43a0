#include <fmt/format.h>

#include <limits>
#include <utility>

#include "heed/data/table.h"
#include "heed/data/tagged_tables.h"
#include "heed/tasks/pretrained.h"
#include "heed/tasks/tag/tag.h"
#include "heed/tasks/text_vocabulary.h"

namespace heed::tag {
namespace {

void VisitTexts(FieldList& v, const std::string& key,
                std::vector<std::string>& texts, const std::string& help) {
  v(key, texts, Any{"FILE"}, help).Main();
}

LabelSet LabelsOf(std::vector<std::vector<std::string>> labels) {
  LabelledText text;
  text.labels = std::move(labels);
  return LabelSet(text);
}

std::vector<Words> WordsOf(std::span<const TaggedSentence> sentences) {
  std::vector<Words> words;
  for (const TaggedSentence& sentence : sentences) {
    words.push_back(sentence.words);
  }
  return words;
}

}  // namespace

TaskRow Task() {
  TaskRow row;
  row.name = "tag";
  row.description = "a tag for each word: parts of speech, names, slots";
  row.settings = [] { return std::make_unique<Settings>(); };
  row.answer_label = "Tags";
  row.examples = {{"Angela Merkel visited Paris in May 2017 .", "en"},
                  {"I like the small red house .", "en"}};
  row.training = {"--texts train.conll --valid-texts valid.conll"};
  return row;
}

int64_t Config::words_at_once() const {
  constexpr int kDefaultWords = 2000;
  if (ReadsPieces(encoder.name())) return std::numeric_limits<int64_t>::max();
  return LimitWithin(encoder->positions(),
                     input.max_length > 0 ? input.max_length : kDefaultWords);
}

std::string Settings::TextsHelp(const std::string& purpose) const {
  return fmt::format(
      "files of tagged words {} (.gz too); of .csv and .jsonl the columns "
      "words and tags",
      purpose);
}

void Settings::Visit(FieldList& v) {
  v.Section("Data");
  VisitTexts(v, "texts", data.texts, TextsHelp("for training"));
  v.Require({{"texts"}});
  VisitTexts(v, "valid_texts", data.valid_texts, TextsHelp("for validation"));
  if (choose_columns()) data.columns.Visit(v);
  v("max_length", input.max_length, Range(0, 1000000),
    "maximum words (BERT: subword tokens, special tokens included) to read "
    "together; longer sentences are split; 0: 2000 (BERT: its positions)")
      .Alias("max_len");
  const bool pieces = ReadsPieces(encoder.name());
  if (pieces) {
    input.vocabulary.Visit(v, WithWordPieceNames({"tokenizer"}));
  } else {
    input.words.Visit(v);
  }
  v.Section("Batches");
  v("batch_words", data.batch_words, Range(1, 10000000),
    "words (BERT: subword tokens) per batch, padding included");
  v("batch_sentences", data.batch_sentences, Range(0, 1000000),
    "sentences per batch at most; 0: no limit")
      .Alias("batch_size")
      .Alias("bs");
  v("replace_mentions", data.replace_mentions, Range(0, 1),
    "probability of replacing an entity of a training sentence by another of "
    "its type, drawn anew each time");
  if (!pieces) {
    v("rare_word_dropout", data.rare_word_dropout, Range(0, 1e6),
      "replace a word that occurs n times in the training text by the unknown "
      "word with probability X / (X + n), so that names are recognised by "
      "their context; 0: never");
  }
  encoder.VisitName(v,
                    "encoder of a sentence; BERT reads subword tokens, others "
                    "word features");
  if (!pieces) input.features.Visit(v);
  tagger.Visit(v);
  for (const char* key :
       {"intent_weight", "intent_informs_tags", "joint_intents"}) {
    if (with_intents()) break;
    v.If(key, false, "a task with intents (see heed list tasks)");
  }
  encoder->Visit(v);
}

void Prediction::Visit(FieldList& v) {
  v.Section("Input and output");
  v("input", input,
    "lines: one sentence a line, words separated by spaces; writes a tag for "
    "each word. columns: the format of training, tags optional; writes it with "
    "the predicted tags");
  v("keep_tags", keep_tags,
    "columns: keep existing tags, and write predicted ones in a new last "
    "column, as conlleval expects");
  if (choose_columns) columns.Visit(v);
  v("probabilities", probabilities,
    "lines: write TAG:PROBABILITY for each word");
}

void Evaluation::Visit(FieldList& v) {
  v.Section("Data");
  VisitTexts(v, "texts", texts, texts_help);
  if (choose_columns) columns.Visit(v);
  v.Require({{"texts"}});
}

Prediction Settings::prediction() const {
  Prediction options;
  options.columns = data.columns;
  options.choose_columns = choose_columns();
  return options;
}

InputReading Settings::Reading(const Prediction& options) const {
  InputReading reading;
  reading.defaults.long_lines = LongLines::kWhole;
  reading.whole = options.input == SentenceInput::kColumns;
  return reading;
}

Evaluation Settings::evaluation() const {
  return {{}, TextsHelp("to compare with"), data.columns, choose_columns()};
}

void Settings::SetDefaults(TrainingConfig& training) const {
  training.optimizer.learning_rate = 2e-3;
  training.optimizer.label_smoothing = 0;
  training.optimizer.schedule = Schedule::kCosine;
  training.optimizer.warmup = 100;
  training.run.epochs = 15;
  const double rate = FindModel(encoder.name()).fine_tuning_rate;
  if (rate == 0) return;
  training.optimizer.learning_rate = rate;
  training.optimizer.schedule = Schedule::kLinear;
}

void Settings::Resolve() {
  input.vocabulary.Resolve();
  encoder->Fill({});
}

void Settings::TakePretrained() {
  TakeEncoder(pretrained, encoder, input.vocabulary);
}

std::vector<TaggedSentence> Settings::ReadText(
    const std::string& path, const TagColumns& columns) const {
  if (!TableFormOf(path).empty()) {
    return ReadTaggedTable(path, {"words", "tags"});
  }
  return ReadTagged(path, columns).sentences;
}

std::vector<TaggedSentence> Settings::ReadTexts(
    const std::vector<std::string>& paths, const TagColumns& columns) const {
  std::vector<TaggedSentence> sentences;
  for (const std::string& path : paths) {
    std::vector<TaggedSentence> text = ReadText(path, columns);
    std::move(text.begin(), text.end(), std::back_inserter(sentences));
  }
  return sentences;
}

Data Settings::Read() const {
  return {ReadTexts(data.texts, data.columns),
          ReadTexts(data.valid_texts, data.columns)};
}

std::unique_ptr<Model> Settings::MakeModel(const Data& read,
                                           uint64_t seed) const {
  LabelSet tags = LabelsOf(TagsOf(read.train));
  std::optional<LabelSet> intents;
  if (with_intents()) {
    std::vector<std::vector<std::string>> labels;
    for (const TaggedSentence& s : read.train) labels.push_back({s.label});
    intents = LabelsOf(std::move(labels));
  }
  const auto make = [&](std::unique_ptr<const TagInput> words) {
    return std::make_unique<Model>(*this, std::move(words), std::move(tags),
                                   std::move(intents), seed);
  };
  if (pretrained.empty()) {
    return make(LearnTagInput(input, encoder, WordsOf(read.train)));
  }
  const PretrainedEncoder start = ReadPretrained(pretrained);
  auto model = make(MakePieceInput(input, encoder, start.vocabulary));
  CopyPretrained(start, model->parameters());
  return model;
}
}  // namespace heed::tag
