#include <utility>

#include "heed/data/documents.h"
#include "heed/tasks/classify/classify.h"
#include "heed/tasks/plain_text.h"

namespace heed::classify {
namespace {
/// Maximum length of a document, to bound memory and time. Units: tokens
constexpr int kLongestDocument = 20000;

void VisitFiles(FieldList& v, const std::string& prefix,
                const std::string& purpose, LabelledFiles& files) {
  v(prefix + "texts", files.texts, Any{"FILE"},
    "files of labelled texts " + purpose + " (.gz too)")
      .Main();
  if (prefix.empty()) v.Require({{"texts"}});
  v(prefix + "labels", files.labels, Any{"FILE"},
    "format lines: a file of labels for each file of texts");
  v(prefix + "folds", files.folds, Any{"FOLDS"},
    "format docs: use only documents of these folds, such as 0-7,9");
}

}  // namespace

TaskRow Task() {
  TaskRow row;
  row.name = "classify";
  row.description = "labels of texts and of pairs of texts";
  row.settings = [] { return std::make_unique<Settings>(); };
  row.answer_label = "Label";
  row.examples = {{"A warm, clever film that I would gladly see again.", "en"},
                  {"Dull from start to finish.", "en"}};
  row.training = {"--texts train.tsv --valid-texts valid.tsv"};
  return row;
}

void DataConfig::Visit(FieldList& v, bool documents) {
  v.Section("Data");
  VisitFiles(v, "", "for training", train);
  VisitFiles(v, "valid_", "for validation", valid);
  format.Visit(v);
  v("max_length", max_length, Range(0, 1000000),
    "truncate texts to N tokens, special tokens included; 0: no limit")
      .Alias("max_len");
  vocabulary.Visit(v, WithWordPieceNames({"unigram", "bpe", "words",
                                          "characters", "tokenizer"}));
  if (documents) {
    vectors.Visit(v);
  }
  VisitBatches(v, "tokens", batch_tokens, "texts", batch_texts);
}

void Prediction::Visit(FieldList& v) {
  v.Section("Output");
  v("probabilities", probabilities,
    "write the probability of every label: label, tab, number, tab, ...");
  v("threshold", threshold, Range(0, 1),
    "multi_label: minimum probability of a predicted label");
}

void Evaluation::Visit(FieldList& v) {
  v.Section("Data");
  VisitFiles(v, "", "to compare with", files);
  format.VisitForm(v);
  v.Section("Measures");
  v("threshold", threshold, Range(0, 1),
    "multi_label: minimum probability of a predicted label");
}

void Settings::ChooseModel(const std::string& name) {
  const bool before = documents();
  encoder.Choose(name);
  if (documents() == before) return;
  // Resets the defaults that differ for documents, which are longer and read
  // word by word.
  const DataConfig usual;
  data.vocabulary = usual.vocabulary;
  data.max_length = usual.max_length;
  data.batch_tokens = usual.batch_tokens;
  data.batch_texts = usual.batch_texts;
  if (!documents()) return;
  data.vocabulary.vocabulary = "words";
  data.vocabulary.min_count = 2;
  data.vocabulary.lowercase = true;
  data.max_length = kLongestDocument;
  data.batch_tokens = 16384;
  data.batch_texts = 32;
}

InputKind Settings::input_kind() const {
  InputKind kind = TaskSettings::input_kind();
  if (documents()) {
    kind.name = "document";
    kind.several_lines = true;
  }
  return kind;
}

InputReading Settings::Reading(const Prediction& /*options*/) const {
  InputReading reading;
  // A long document is truncated to max_length. A pair has two texts, which are
  // cut separately.
  reading.defaults.long_lines =
      documents() ? LongLines::kWhole : LongLines::kCutFields;
  return reading;
}

void Settings::Visit(FieldList& v) {
  data.Visit(v, documents());
  encoder.VisitName(v, "encoder of a text");
  classifier.Visit(v);
  encoder->Visit(v);
}

void Settings::Resolve() {
  data.vocabulary.Resolve();
  encoder->Fill({});
  data.max_length = LimitWithin(encoder->positions(), data.max_length);
  data.vectors.Check(data.vocabulary);
}

void Settings::TakePretrained() {
  if (!TakeEncoder(pretrained, encoder, data.vocabulary)) return;
  classifier.pooling = PoolingKind::kCls;
  classifier.pooler = true;
}

Data Settings::Read() const {
  Data read;
  if (!data.valid.texts.empty()) {
    read.valid = ReadLabelled(data.valid, data.format);
  }
  read.train = ReadLabelled(data.train, data.format);
  WarnOfLoneLabels(read.train, data.format);
  return read;
}

std::unique_ptr<Model> Settings::MakeModel(const Data& read,
                                           uint64_t seed) const {
  LabelSet labels(read.train);
  if (!pretrained.empty()) {
    const PretrainedEncoder start = ReadPretrained(pretrained);
    auto model = std::make_unique<Model>(*this, start.vocabulary,
                                         std::move(labels), nullptr, seed);
    CopyPretrained(start, model->parameters());
    return model;
  }
  std::vector<std::string> lines = read.train.text;
  lines.insert(lines.end(), read.train.second.begin(), read.train.second.end());
  if (documents() && data.vocabulary.vocabulary == "words") {
    for (std::string& line : lines) line = SpacedWords(line);
  }
  return std::make_unique<Model>(*this, data.vocabulary.Learn(std::move(lines)),
                                 std::move(labels), data.vectors.Read(), seed);
}

Evaluation Settings::evaluation() const {
  Evaluation options;
  options.format = data.format;
  return options;
}
}  // namespace heed::classify
