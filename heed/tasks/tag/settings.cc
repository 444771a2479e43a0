#include <fmt/format.h>

#include <limits>
#include <set>
#include <utility>

#include "heed/data/table.h"
#include "heed/data/tagged_tables.h"
#include "heed/tasks/pretrained.h"
#include "heed/tasks/tag/tag.h"
#include "heed/tasks/text_vocabulary.h"

namespace heed {
namespace {

constexpr const char* kTagsFile = "tags.txt";
constexpr const char* kIntentsFile = "intents.txt";

void VisitTexts(FieldList& v, const std::string& key,
                std::vector<std::string>& texts, const std::string& help) {
  v(key, texts, Any{"FILE"}, help).Main();
}

LabelSet LabelsOf(std::vector<std::vector<std::string>> labels) {
  LabelledText text;
  text.labels = std::move(labels);
  return LabelSet(text);
}

std::set<std::string> NamesOf(const LabelSet& labels) {
  std::set<std::string> names;
  for (int32_t id = 0; id < labels.size(); ++id) names.insert(labels.Name(id));
  return names;
}

std::vector<Words> WordsOf(std::span<const TaggedSentence> sentences) {
  std::vector<Words> words;
  for (const TaggedSentence& sentence : sentences) {
    words.push_back(sentence.words);
  }
  return words;
}

}  // namespace

TaskRow TagTask() {
  TaskRow row;
  row.name = "tag";
  row.description = "a tag for each word: parts of speech, names, slots";
  row.settings = [] { return std::make_unique<TagSettings>(); };
  row.answer_label = "Tags";
  row.examples = {{"Angela Merkel visited Paris in May 2017 .", "en"},
                  {"I like the small red house .", "en"}};
  row.training = {"--texts train.conll --valid-texts valid.conll"};
  return row;
}

int64_t TagConfig::words_at_once() const {
  constexpr int kDefaultWords = 2000;
  if (ReadsPieces(encoder.name())) return std::numeric_limits<int64_t>::max();
  return LimitWithin(encoder->positions(),
                     input.max_length > 0 ? input.max_length : kDefaultWords);
}

std::string TagSettings::TextsHelp(const std::string& purpose) const {
  return fmt::format(
      "files of tagged words {} (.gz too); of .csv and .jsonl the columns "
      "words and tags",
      purpose);
}

void TagSettings::Visit(FieldList& v) {
  v.Section("Data");
  VisitTexts(v, "texts", data.texts, TextsHelp("for training"));
  v.Require({{"texts"}});
  VisitTexts(v, "valid_texts", data.valid_texts, TextsHelp("for validation"));
  if (choose_columns()) data.columns.Visit(v);
  v("max_length", input.max_length, Range(0, 1000000),
    "words (BERT: subword tokens, special tokens included) that are read "
    "together; longer sentences are read in parts; 0: 2000, of a BERT as many "
    "as it has positions")
      .Alias("max_len");
  const bool pieces = ReadsPieces(encoder.name());
  if (pieces) {
    input.vocabulary.Visit(v, WithWordPieceNames({}));
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
    "probability that an entity of a training sentence is replaced by another "
    "one of its type, each time anew");
  if (!pieces) {
    v("rare_word_dropout", data.rare_word_dropout, Range(0, 1e6),
      "A: a word that occurs N times in the training text is taken for an "
      "unknown one with probability A / (A + N), so that names are read by "
      "what stands around them; 0: none");
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

void TaggingPrediction::Visit(FieldList& v) {
  v.Section("Input and output");
  v("input", input, OneOf{"lines", "columns"},
    "lines: a sentence a line, words between spaces; writes a tag for each "
    "word. columns: as for training, with or without tags; writes them with "
    "the tags in their column");
  v("keep_tags", keep_tags,
    "columns: keep the tags that are there, and write the model's in a new "
    "last column, as conlleval reads them");
  if (choose_columns) columns.Visit(v);
  v("probabilities", probabilities,
    "lines: write TAG:PROBABILITY for each word");
}

void TaggingEvaluation::Visit(FieldList& v) {
  v.Section("Data");
  VisitTexts(v, "texts", texts, texts_help);
  if (choose_columns) columns.Visit(v);
  v.Require({{"texts"}});
}

TaggingPrediction TagSettings::prediction() const {
  TaggingPrediction options;
  options.columns = data.columns;
  options.choose_columns = choose_columns();
  return options;
}

InputReading TagSettings::ReadingWith(const TaggingPrediction& options) const {
  InputReading reading;
  reading.defaults.long_lines = LongLines::kWhole;
  reading.whole = options.input == "columns";
  return reading;
}

TaggingEvaluation TagSettings::evaluation() const {
  return {{}, TextsHelp("to compare with"), data.columns, choose_columns()};
}

void TagSettings::SetDefaults(TrainingConfig& training) const {
  training.optimizer.learning_rate = 2e-3;
  training.optimizer.label_smoothing = 0;
  training.optimizer.schedule = "cosine";
  training.optimizer.warmup = 100;
  training.run.epochs = 15;
  const double rate = FindModel(encoder.name()).fine_tuning_rate;
  if (rate == 0) return;
  training.optimizer.learning_rate = rate;
  training.optimizer.schedule = "linear";
}

void TagSettings::Resolve() {
  input.vocabulary.Resolve();
  encoder->Fill({});
}

void TagSettings::TakePretrained() {
  TakeEncoder(pretrained, encoder, input.vocabulary);
}

std::vector<TaggedSentence> TagSettings::ReadText(
    const std::string& path, const TagColumns& columns) const {
  if (!TableFormOf(path).empty()) {
    return ReadTaggedTable(path, {"words", "tags"});
  }
  return ReadTagged(path, columns).sentences;
}

std::vector<TaggedSentence> TagSettings::ReadTexts(
    const std::vector<std::string>& paths, const TagColumns& columns) const {
  std::vector<TaggedSentence> sentences;
  for (const std::string& path : paths) {
    std::vector<TaggedSentence> text = ReadText(path, columns);
    std::move(text.begin(), text.end(), std::back_inserter(sentences));
  }
  return sentences;
}

TagData TagSettings::ReadData() const {
  return {ReadTexts(data.texts, data.columns),
          ReadTexts(data.valid_texts, data.columns)};
}

std::unique_ptr<TagModel> TagSettings::Learn(const TagData& read,
                                             uint64_t seed) const {
  LabelSet tags = LabelsOf(TagsOf(read.train));
  std::optional<LabelSet> intents;
  if (with_intents()) {
    std::vector<std::vector<std::string>> labels;
    for (const TaggedSentence& s : read.train) labels.push_back({s.label});
    intents = LabelsOf(std::move(labels));
  }
  const auto make = [&](std::unique_ptr<const TagInput> words) {
    return std::make_unique<TagModel>(*this, std::move(words), std::move(tags),
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

std::unique_ptr<TagModel> TagSettings::Open(const ModelFiles& files,
                                            const std::string& folder,
                                            uint64_t seed) const {
  const auto labels = [&](const char* file) {
    return LabelSet::Parse(FindFile(files, folder, file), PathIn(folder, file));
  };
  std::optional<LabelSet> intents;
  if (with_intents()) intents = labels(kIntentsFile);
  return std::make_unique<TagModel>(
      *this, FindTagInput(input, encoder, files, folder), labels(kTagsFile),
      std::move(intents), seed);
}

TagModel::TagModel(TagConfig settings, std::unique_ptr<const TagInput> read,
                   LabelSet tag_set, std::optional<LabelSet> intent_set,
                   uint64_t seed)
    : config(std::move(settings)),
      words(std::move(read)),
      tags(std::move(tag_set)),
      intents(std::move(intent_set)),
      notation(NotationOf(NamesOf(tags))),
      parameters_(seed, DType::kF32, config.encoder->precision()),
      network(Scope(parameters_, ""), config.tagger,
              {tags.size(), intents ? intents->size() : 0},
              words->MakeEncoder(Scope(parameters_, ""), *config.encoder,
                                 intents.has_value())) {}

ModelFiles TagModel::Files() const {
  ModelFiles files = words->Files();
  files[kTagsFile] = tags.Serialize();
  if (intents) files[kIntentsFile] = intents->Serialize();
  return files;
}

std::vector<std::pair<std::string, int64_t>> TagModel::Sizes() const {
  std::vector<std::pair<std::string, int64_t>> sizes = words->Sizes();
  sizes.emplace_back("tags", tags.size());
  if (intents) sizes.emplace_back("intents", intents->size());
  return sizes;
}

}  // namespace heed
