
#include <string_view>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/data/pair_files.h"
#include "heed/data/table.h"
#include "heed/tasks/pretrain/pretrain.h"
#include "heed/text/sentences.h"

namespace heed::pretrain {
namespace {

constexpr int64_t kMaskedTextsAtOnce = 64;
constexpr int kStartLength = 32;

}  // namespace

TaskRow Task() {
  TaskRow row;
  row.name = "pretrain";
  row.description =
      "masked language model and next sentence prediction, as BERT";
  row.settings = [] { return std::make_unique<Settings>(); };
  row.answer_label = "Hidden words";
  row.prompt = "Type a sentence with [MASK] for each hidden word";
  row.examples = {{"A man is [MASK] on a green bench .", "en"},
                  {"Two children [MASK] in the park .", "en"}};
  row.gives_encoder = true;
  row.training = {"--texts documents.txt"};
  return row;
}

void DataConfig::Visit(FieldList& v) {
  v.Section("Data");
  PlainTextFiles::Visit(
      v,
      "training text (.gz too): one sentence a line, a blank line between "
      "documents; a row of .csv and .jsonl is a document");
  v("max_length", instances.max_length, Range(5, 1000000),
    "tokens of a pair of segments, special tokens included")
      .Alias("max_len");
  v("start_length", start_length, Range(0, 1000000),
    "tokens of a pair in the first start_epochs: learned positions learn "
    "sooner from short pairs; 0: 32 for a new model with learned positions, "
    "else max_length");
  v("start_epochs", start_epochs, Range(0, 1000000),
    "epochs, or part of one, with pairs of start_length; 0: none");
  v("short_rate", instances.short_rate, Range(0, 1),
    "share of documents to cut into shorter pairs");
  v("mask_rate", instances.mask_rate, Range(0, 1),
    "share of tokens to predict");
  v("max_predictions", instances.max_predictions, Range(1, 1000000),
    "tokens of a pair to predict at most");
  v("duplicates", instances.duplicates, Range(1, 1000),
    "number of times to cut and mask the text, each time differently; an epoch "
    "reads all of them");
  v("next_sentence", instances.next_sentence,
    "read pairs of segments and predict whether the second follows the first, "
    "as BERT; no: masked words of one segment alone, as RoBERTa");
  vocabulary.Visit(v, WithWordPieceNames({"tokenizer"}));
  VisitBatches(v, "tokens", batch_tokens, "pairs", batch_texts);
}

void Prediction::Visit(FieldList& v) {
  v.Section("Output");
  v("mode", mode,
    "for each [MASK] of a line, the most probable words (word, tab, "
    "probability, "
    "tab, ...; ||| between several); or, for lines of text, tab, text, the "
    "probability that the second follows the first");
  v("candidates", candidates, Range(1, 1000), "words for each [MASK]")
      .ServedUpTo(100);
}

InputReading Settings::Reading(const Prediction& /*options*/) const {
  InputReading reading;
  reading.window = kMaskedTextsAtOnce;
  return reading;
}

void Evaluation::Visit(FieldList& v) {
  EvaluatedText::Visit(
      v, "text (.gz too): one sentence a line, a blank line between documents");
}

void Settings::Visit(FieldList& v) {
  data.Visit(v);
  model.VisitName(v, "size of BERT");
  model->Visit(v);
}

// Sets the training options of the paper, except for a learning rate and a
// warm-up for small models and texts.
void Settings::SetDefaults(TrainingConfig& training) const {
  training.optimizer.optimizer = OptimizerKind::kAdamW;
  training.optimizer.bias_correction = false;
  training.optimizer.epsilon = 1e-6;
  training.optimizer.learning_rate = 5e-4;
  training.optimizer.schedule = Schedule::kLinear;
  training.optimizer.warmup = 1000;
  training.optimizer.label_smoothing = 0;
  training.run.epochs = 4;
}

void Settings::Resolve() {
  data.vocabulary.Resolve();
  model->Fill({});
  const int positions = model->positions();
  if (positions > 0 && data.instances.max_length > positions) {
    throw ConfigError(
        "max_length: {} tokens, but the model knows {} positions; choose "
        "--max-positions {}",
        data.instances.max_length, positions, data.instances.max_length);
  }
  if (data.instances.next_sentence && model->segments() != 2) {
    throw ConfigError("segments: a pair has 2, not {}", model->segments());
  }
}

int Settings::StartLength() const {
  const bool fresh = pretrained.empty() && model->positions() > 0;
  const int length =
      data.start_length == 0 && fresh ? kStartLength : data.start_length;
  const bool shorter = length < data.instances.max_length;
  return shorter && data.start_epochs > 0 ? length : 0;
}

std::vector<std::string> Settings::ReadTexts(
    const std::vector<std::string>& paths,
    const std::vector<std::string>& columns) const {
  std::vector<std::string> all;
  const auto add = [&](std::string_view line) {
    all.push_back(data.vocabulary.lowercase ? Lowercase(line)
                                            : std::string(line));
  };
  for (const std::string& path : paths) {
    const bool table = !TableFormOf(path).empty();
    for (const std::string& line : ReadAllLines({path}, columns)) {
      if (!table) {
        add(line);
        continue;
      }
      // Each row is a document.
      for (const std::string_view sentence : SplitSentences(line)) {
        add(TrimBlanks(sentence));
      }
      add("");
    }
    add("");  // a document ends with its file
  }
  return all;
}

PlainText Settings::Read() const {
  PlainText read;
  read.train = ReadTexts(data.texts, data.columns);
  if (!data.valid_texts.empty()) {
    read.valid = ReadTexts(data.valid_texts, data.columns);
  }
  return read;
}

std::unique_ptr<Model> Settings::MakeModel(const PlainText& read,
                                           uint64_t seed) const {
  return std::make_unique<Model>(*this, data.vocabulary.Learn(read.train),
                                 seed);
}
}  // namespace heed::pretrain
