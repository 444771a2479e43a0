#include "heed/tasks/tag.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/base/timing.h"
#include "heed/data/batches.h"
#include "heed/data/input_lines.h"
#include "heed/data/table.h"
#include "heed/tasks/pretrain.h"
#include "heed/tasks/pretrained.h"
#include "heed/tasks/text_vocabulary.h"
#include "heed/train/progress.h"

namespace heed {
namespace {

constexpr const char* kTagsFile = "tags.txt";
constexpr const char* kIntentsFile = "intents.txt";
constexpr int64_t kSentencesAtOnce = 256;
constexpr int32_t kUnknownLabel = -1;

using Tags = std::vector<std::vector<std::string>>;

Tags TagsOf(std::span<const TaggedSentence> sentences) {
  Tags tags;
  for (const TaggedSentence& sentence : sentences) {
    tags.push_back(sentence.tags);
  }
  return tags;
}

std::vector<Words> WordsOf(std::span<const TaggedSentence> sentences) {
  std::vector<Words> words;
  for (const TaggedSentence& sentence : sentences) {
    words.push_back(sentence.words);
  }
  return words;
}

LabelSet LabelsOf(Tags labels) {
  LabelledText text;
  text.labels = std::move(labels);
  return LabelSet(text);
}

/// Numbers of labels; those that training did not have have none.
class LabelIds {
 public:
  explicit LabelIds(const LabelSet& labels) {
    for (int32_t id = 0; id < labels.size(); ++id) ids_[labels.Name(id)] = id;
  }
  int32_t operator()(const std::string& label) const {
    const auto found = ids_.find(label);
    return found == ids_.end() ? kUnknownLabel : found->second;
  }

 private:
  std::unordered_map<std::string, int32_t> ids_;
};

std::string CheckSumOfSentences(std::span<const TaggedSentence> sentences) {
  std::vector<std::string> lines;
  for (const TaggedSentence& s : sentences) {
    lines.push_back(fmt::format("{}\t{}\t{}", fmt::join(s.words, " "),
                                fmt::join(s.tags, " "), s.label));
  }
  return CheckSumOf(lines);
}

/// Sentences in parts, and which sentence each is a part of.
struct DividedSentences {
  std::vector<TaggedSentence> parts;
  std::vector<size_t> sentence;
};

/// Where to cut the words from `begin` on: behind the end of a sentence if
/// there is one in the second half, else where no entity goes on.
int64_t CutOf(const TaggedSentence& sentence, int64_t begin, int64_t limit) {
  const auto word = [&](int64_t i) -> const std::string& {
    return sentence.words[static_cast<size_t>(i)];
  };
  const int64_t end = begin + limit;
  for (int64_t i = end; i > begin + limit / 2; --i) {
    const std::string& last = word(i - 1);
    if (last == "." || last == "!" || last == "?" || last == "。") return i;
  }
  for (int64_t i = end; i > begin + limit / 2 && !sentence.tags.empty(); --i) {
    const std::string& tag = sentence.tags[static_cast<size_t>(i)];
    if (!tag.starts_with("I-") && !tag.starts_with("E-")) return i;
  }
  return end;
}

/// Sentences of more words than `limit` in parts, with a warning that counts
/// them from `first`.
DividedSentences Divide(std::span<const TaggedSentence> sentences,
                        int64_t limit, int64_t first = 0) {
  DividedSentences divided;
  for (size_t i = 0; i < sentences.size(); ++i) {
    const TaggedSentence& whole = sentences[i];
    const int64_t size = std::ssize(whole.words);
    if (size > limit) {
      Warn(fmt::format(
          "sentence {} has {} words; it is read in parts of at most {}",
          first + static_cast<int64_t>(i) + 1, size, limit));
    }
    int64_t begin = 0;
    do {
      const int64_t end =
          size - begin > limit ? CutOf(whole, begin, limit) : size;
      TaggedSentence& part = divided.parts.emplace_back();
      part.words.assign(whole.words.begin() + begin, whole.words.begin() + end);
      if (!whole.tags.empty()) {
        part.tags.assign(whole.tags.begin() + begin, whole.tags.begin() + end);
      }
      part.label = whole.label;
      divided.sentence.push_back(i);
      begin = end;
    } while (begin < size);
  }
  return divided;
}

/// A table with a line for each type of entity.
std::string TableOf(const TaggingScore& score) {
  int width = 4;
  for (const auto& [type, counts] : score.types) {
    width = std::max(width, DisplayWidth(type));
  }
  std::string table = fmt::format("{:<{}} {:>9} {:>9} {:>9} {:>9}\n", "type",
                                  width, "precision", "recall", "F1", "gold");
  for (const auto& [type, counts] : score.types) {
    table += type;
    table.append(static_cast<size_t>(width - DisplayWidth(type)), ' ');
    table +=
        fmt::format(" {:>9.2f} {:>9.2f} {:>9.2f} {:>9}\n", counts.Precision(),
                    counts.Recall(), counts.F1(), counts.gold);
  }
  return table;
}

}  // namespace

void TagTask::VisitTexts(FieldList& v, const std::string& key,
                         std::vector<std::string>& texts,
                         const std::string& purpose) const {
  v(key, texts, Any{"FILE"},
    fmt::format("files of tagged words {} (.gz too); of .csv and .jsonl the "
                "columns words and tags",
                purpose))
      .Main();
}

void TagTask::Visit(FieldList& v) {
  v.Section("Data");
  VisitTexts(v, "texts", data.texts, "for training");
  v.Require({{"texts"}});
  VisitTexts(v, "valid_texts", data.valid_texts, "for validation");
  VisitFormat(v, data.columns);
  v("max_length", input.max_length, Range(0, 1000000),
    "words (BERT: subword tokens, special tokens included) that are read "
    "together; longer sentences are read in parts; 0: 2000, of a BERT as many "
    "as it has positions")
      .Alias("max_len");
  const bool pieces = ReadsPieces(encoder.name());
  if (pieces) {
    input.vocabulary.Visit(v, {"wordpiece", "wordpiece_cased"});
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
  encoder->Visit(v);
}

void TagTask::SetDefaults(TrainingConfig& training) const {
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

void TagTask::Resolve() {
  input.vocabulary.Resolve();
  encoder->Fill({});
}

std::vector<TaggedSentence> TagTask::ReadText(const std::string& path,
                                              const TagColumns& columns) const {
  if (!TableFormOf(path).empty()) {
    return ReadTaggedTable(path, {"words", "tags"});
  }
  return ReadTagged(path, columns).sentences;
}

/// Of what is evaluated or predicted: as of training unless options say else.
TagColumns& TagTask::UsedColumns() {
  if (!columns_) columns_ = data.columns;
  return *columns_;
}

/// How many words a model of features reads together. A BERT divides sentences
/// by their pieces.
int64_t TagTask::WordsAtOnce() const {
  constexpr int64_t kDefaultWords = 2000;
  if (ReadsPieces(encoder.name())) return std::numeric_limits<int64_t>::max();
  return input.max_length > 0 ? input.max_length : kDefaultWords;
}

std::vector<TaggedSentence> TagTask::ReadTexts(
    const std::vector<std::string>& paths, const TagColumns& columns) const {
  std::vector<TaggedSentence> sentences;
  for (const std::string& path : paths) {
    std::vector<TaggedSentence> text = ReadText(path, columns);
    std::move(text.begin(), text.end(), std::back_inserter(sentences));
  }
  return sentences;
}

bool TagTask::CanStartFrom(const std::string& task) const {
  return task == name() || task == PretrainTask().name();
}

void TagTask::ReadExamples() {
  if (data.texts.empty()) throw ConfigError("--texts is needed");
  SetText(ReadTexts(data.texts, data.columns),
          ReadTexts(data.valid_texts, data.columns));
}

void TagTask::SetText(std::vector<TaggedSentence> train,
                      std::vector<TaggedSentence> valid) {
  train_text_ = Divide(train, WordsAtOnce()).parts;
  valid_text_ = Divide(valid, WordsAtOnce()).parts;
  entities_ = SpellEntities(TagsOf(train_text_));
}

void TagTask::LearnVocabularies() {
  tags_ = LabelsOf(TagsOf(train_text_));
  if (with_intents()) {
    Tags intents;
    for (const TaggedSentence& s : train_text_) intents.push_back({s.label});
    intents_ = LabelsOf(std::move(intents));
  }
  if (!pretrained.empty()) return StartFromPretrained();
  words_ = LearnTagInput(input, encoder, WordsOf(train_text_));
}

/// What the weights were made for replaces what the settings say.
void TagTask::StartFromPretrained() {
  const Pretrained start = ReadPretrained(pretrained);
  encoder = ModelChoice<EncoderSettings>(start.model);
  input.vocabulary = start.vocabulary_config;
  words_ = MakePieceInput(input, encoder, start.vocabulary);
}

ModelFiles TagTask::Files() const {
  ModelFiles files = words_->Files();
  files[kTagsFile] = tags_->Serialize();
  if (intents_) files[kIntentsFile] = intents_->Serialize();
  return files;
}

void TagTask::SetFiles(const ModelFiles& files, const std::string& folder) {
  const auto labels = [&](const char* file) {
    return LabelSet::Parse(FindFile(files, folder, file), PathIn(folder, file));
  };
  words_ = FindTagInput(input, encoder, files, folder);
  tags_ = labels(kTagsFile);
  if (with_intents()) intents_ = labels(kIntentsFile);
}

std::vector<std::pair<std::string, int64_t>> TagTask::Sizes() const {
  std::vector<std::pair<std::string, int64_t>> sizes = words_->Sizes();
  sizes.emplace_back("tags", tags_->size());
  if (intents_) sizes.emplace_back("intents", intents_->size());
  return sizes;
}

void TagTask::MakeModel(uint64_t seed) {
  parameters_ =
      std::make_unique<ParameterSet>(seed, DType::kF32, encoder->precision());
  const Scope scope(*parameters_, "");
  model_ = std::make_unique<Tagger>(
      scope, tagger,
      TaggerSizes{tags_->size(), intents_ ? intents_->size() : 0},
      words_->MakeEncoder(scope, *encoder, with_intents()));
}

void TagTask::StartWeights() {
  CopyPretrained(ReadPretrained(pretrained), *parameters_);
}

TagTask::Encoded TagTask::Encode(
    std::span<const TaggedSentence> sentences) const {
  const LabelIds tag_ids(*tags_);
  Encoded encoded;
  TagSentences read = words_->Encode(WordsOf(sentences));
  encoded.batch = std::move(read.batch);
  encoded.plan.source = std::move(read.ids);
  for (const TaggedSentence& sentence : sentences) {
    encoded.words.push_back(std::ssize(sentence.words));
    std::vector<int32_t>& tags = encoded.plan.target.emplace_back();
    for (const std::string& tag : sentence.tags) tags.push_back(tag_ids(tag));
  }
  if (!intents_) return encoded;
  const LabelIds intent_ids(*intents_);
  for (const TaggedSentence& sentence : sentences) {
    encoded.intents.push_back(intent_ids(sentence.label));
  }
  return encoded;
}

/// That those of the training text are among the model's: it may go on from
/// another text.
void TagTask::CheckLabels() const {
  const auto check = [](const LabelIds& ids, const std::string& label) {
    if (ids(label) != kUnknownLabel) return;
    throw FormatError(fmt::format(
        "the training text has the label '{}', which the model does not know",
        label));
  };
  const LabelIds tags(*tags_);
  for (const TaggedSentence& sentence : train_text_) {
    for (const std::string& tag : sentence.tags) check(tags, tag);
  }
  if (!intents_) return;
  const LabelIds intents(*intents_);
  for (const TaggedSentence& s : train_text_) check(intents, s.label);
}

void TagTask::EncodeExamples() {
  if (data.replace_mentions > 0) {
    if (!entities_) {
      throw ConfigError(
          "replace_mentions: the tags of the training text spell no entities "
          "(O, B-TYPE, I-TYPE)");
    }
    mentions_.emplace(train_text_);
  }
  CheckLabels();
  train_ = Encode(train_text_);
  valid_ = Encode(valid_text_);
  // As of all features, a BERT has no use for it.
  if (data.rare_word_dropout > 0 && !ReadsPieces(encoder.name())) {
    rare_words_.emplace(train_.plan.source, data.rare_word_dropout);
  }
}

std::string TagTask::Summary() const {
  std::vector<std::string> sizes;
  for (const auto& [what, size] : Sizes()) {
    const bool pieces = ReadsPieces(encoder.name()) && what == "vocabulary";
    sizes.push_back(fmt::format(
        "{} {}{}", size, what,
        pieces ? LearntSizeNote(size, input.vocabulary.vocabulary_size) : ""));
  }
  return fmt::format("{}, {} for validation; {}",
                     Counted(std::ssize(train_text_), "sentence"),
                     valid_text_.size(), fmt::join(sizes, ", "));
}

std::string TagTask::CheckSum() const {
  return CheckSumOfSentences(train_text_) + CheckSumOfSentences(valid_text_);
}

std::vector<std::vector<int64_t>> TagTask::PlanEpoch(uint64_t seed,
                                                     int epoch) const {
  return PlanBatches(train_.plan, {data.batch_words, data.batch_sentences},
                     seed, epoch);
}

int64_t TagTask::Units(std::span<const int64_t> examples) const {
  int64_t words = 0;
  for (const int64_t i : examples)
    words += train_.words[static_cast<size_t>(i)];
  return words;
}

TagBatch TagTask::MakeBatch(const Encoded& sentences,
                            std::span<const int64_t> indices) const {
  TagBatch batch;
  batch.sentences = sentences.batch(indices);
  batch.tags =
      Tensor::Full(batch.sentences.shape(), kUnknownLabel, DType::kI32);
  batch.intents =
      Tensor::Full({std::ssize(indices)}, kUnknownLabel, DType::kI32);
  for (size_t b = 0; b < indices.size(); ++b) {
    const auto i = static_cast<size_t>(indices[b]);
    const std::vector<int32_t>& tags = sentences.plan.target[i];
    std::copy(tags.begin(), tags.end(),
              batch.tags.row<int32_t>(static_cast<int64_t>(b)));
    if (intents_) batch.intents.data<int32_t>()[b] = sentences.intents[i];
  }
  return batch;
}

TagBatch TagTask::TrainingBatch(const Context& ctx,
                                std::span<const int64_t> examples) const {
  if (ctx.rng == nullptr) return MakeBatch(train_, examples);
  TagBatch batch = mentions_ ? ReplacedBatch(*ctx.rng, examples)
                             : MakeBatch(train_, examples);
  if (rare_words_) rare_words_->Apply(batch.sentences.words.words, *ctx.rng);
  return batch;
}

TagBatch TagTask::ReplacedBatch(Rng& rng,
                                std::span<const int64_t> examples) const {
  std::vector<TaggedSentence> sentences;
  std::vector<int64_t> places;
  for (const int64_t i : examples) {
    places.push_back(std::ssize(places));
    sentences.push_back(mentions_->Replace(train_text_[static_cast<size_t>(i)],
                                           data.replace_mentions, rng));
  }
  return MakeBatch(Encode(sentences), places);
}

BatchLoss TagTask::Loss(const Context& ctx, std::span<const int64_t> examples,
                        const LossOptions& options) const {
  TagLoss loss = model_->Loss(ctx, TrainingBatch(ctx, examples),
                              {options.scale, options.smoothing});
  return {std::move(loss.loss), loss.nll * options.scale};
}

double TagTask::LossOf(const Encoded& sentences) const {
  double nll = 0;
  for (const auto& indices : PlanBatches(
           sentences.plan, {data.batch_words, data.batch_sentences}, 0, 0)) {
    nll += model_->Loss({}, MakeBatch(sentences, indices), {}).nll;
  }
  const int64_t words = std::accumulate(sentences.words.begin(),
                                        sentences.words.end(), int64_t{0});
  return nll / static_cast<double>(std::max<int64_t>(words, 1));
}

std::vector<TagTask::Tagged> TagTask::AnswerAll(
    const Context& ctx, const Encoded& sentences) const {
  std::vector<Tagged> answers(sentences.plan.source.size());
  for (const auto& indices : PlanBatches(
           sentences.plan, {data.batch_words, data.batch_sentences}, 0, 0)) {
    const TagPrediction p = model_->Predict(ctx, MakeBatch(sentences, indices));
    for (size_t b = 0; b < indices.size(); ++b) {
      const auto row = static_cast<int64_t>(b);
      const auto i = static_cast<size_t>(indices[b]);
      Tagged& answer = answers[i];
      for (int64_t t = 0; t < sentences.words[i]; ++t) {
        answer.tags.push_back(tags_->Name(p.tags.row<int32_t>(row)[t]));
        answer.probabilities.push_back(
            static_cast<double>(p.tag_probabilities.row<float>(row)[t]));
      }
      if (intents_) {
        answer.intent = intents_->Name(p.intents.data<int32_t>()[b]);
      }
    }
  }
  return answers;
}

std::vector<TagTask::Tagged> TagTask::TagAll(
    const Context& ctx, std::span<const TaggedSentence> sentences,
    int64_t first) const {
  const DividedSentences divided = Divide(sentences, WordsAtOnce(), first);
  std::vector<Tagged> parts = AnswerAll(ctx, Encode(divided.parts));
  if (parts.size() == sentences.size()) return parts;
  std::vector<Tagged> all(sentences.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    Tagged& whole = all[divided.sentence[i]];
    const auto append = [](auto& to, auto& from) {
      std::move(from.begin(), from.end(), std::back_inserter(to));
    };
    append(whole.tags, parts[i].tags);
    append(whole.probabilities, parts[i].probabilities);
    if (whole.intent.empty()) whole.intent = parts[i].intent;
  }
  return all;
}

std::vector<MeasureInfo> TagTask::Measures() const {
  std::vector<MeasureInfo> measures;
  // With intents, tags alone would choose a model too early.
  if (with_intents()) measures.push_back({"joint_accuracy", true});
  if (entities_) measures.push_back({"f1", true});
  measures.push_back({"accuracy", true});
  measures.push_back({"sentence_accuracy", true});
  if (with_intents()) measures.push_back({"intent_accuracy", true});
  measures.push_back({"loss", false});
  return measures;
}

Metrics TagTask::Score(std::span<const TaggedSentence> gold,
                       const std::vector<Tagged>& answers) const {
  const Tags right = TagsOf(gold);
  Tags tags;
  for (const Tagged& answer : answers) tags.push_back(answer.tags);
  const TaggingScore score = ScoreTags(right, tags);
  Metrics metrics;
  if (SpellEntities(right)) {
    metrics = {{"f1", score.entities.F1()},
               {"precision", score.entities.Precision()},
               {"recall", score.entities.Recall()}};
  }
  metrics.emplace_back("accuracy", score.WordAccuracy());
  metrics.emplace_back("sentence_accuracy", score.SentenceAccuracy());
  if (!with_intents()) return metrics;
  double intents = 0;
  double joint = 0;
  for (size_t i = 0; i < gold.size(); ++i) {
    if (answers[i].intent != gold[i].label) continue;
    intents += 1;
    joint += answers[i].tags == gold[i].tags ? 1 : 0;
  }
  const double percent =
      100 / static_cast<double>(std::max<size_t>(gold.size(), 1));
  metrics.emplace_back("intent_accuracy", intents * percent);
  metrics.emplace_back("joint_accuracy", joint * percent);
  return metrics;
}

Metrics TagTask::Validate(const std::string& /*measure*/) const {
  Metrics metrics = {{"loss", LossOf(valid_)}};
  const Metrics scores = Score(valid_text_, AnswerAll({}, valid_));
  metrics.insert(metrics.end(), scores.begin(), scores.end());
  return metrics;
}

void TagTask::VisitEvaluate(FieldList& v) {
  v.Section("Data");
  VisitTexts(v, "texts", compared_, "to compare with");
  VisitFormat(v, UsedColumns());
  v.Require({{"texts"}});
}

Report TagTask::Evaluate() const {
  if (compared_.empty()) throw ConfigError("--texts is needed");
  const std::vector<TaggedSentence> gold =
      ReadTexts(compared_, columns_.value_or(data.columns));
  const auto start = Clock::now();
  const std::vector<Tagged> answers = TagAll({}, gold);
  Report report;
  report.heading =
      fmt::format("{} in {:.1f} s", Counted(std::ssize(gold), "sentence"),
                  SecondsSince(start));
  for (const auto& [key, value] : Score(gold, answers)) {
    std::string label = key == "f1" ? "F1" : key;
    std::replace(label.begin(), label.end(), '_', ' ');
    report.figures.push_back(
        {key, label, value, 2, "%",
         key == "f1" ? "of entities, as conlleval counts them" : ""});
  }
  report.figures.push_back({"loss", "loss",
                            LossOf(Encode(Divide(gold, WordsAtOnce()).parts)),
                            4, "", "per word"});
  Tags tags;
  for (const Tagged& answer : answers) tags.push_back(answer.tags);
  const TaggingScore score = ScoreTags(TagsOf(gold), tags);
  report.details["sentences"] = score.sentences;
  report.details["words"] = score.words;
  if (!SpellEntities(TagsOf(gold))) return report;
  for (const auto& [type, counts] : score.types) {
    report.details["types"].push_back({{"type", type},
                                       {"precision", counts.Precision()},
                                       {"recall", counts.Recall()},
                                       {"f1", counts.F1()},
                                       {"gold", counts.gold}});
  }
  report.text = TableOf(score);
  return report;
}

}  // namespace heed
