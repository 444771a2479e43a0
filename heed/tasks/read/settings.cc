#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "heed/tasks/plain_text.h"
#include "heed/tasks/read/read.h"

namespace heed::read {

TaskRow Task() {
  TaskRow row;
  row.name = "read";
  row.description = "the word of a passage that answers a question about it";
  row.settings = [] { return std::make_unique<Settings>(); };
  row.input = {.name = "passage", .several_lines = true, .json_lines = true};
  row.input_label = "Passage and question";
  row.prompt =
      "A passage, a sentence per line or all in one, and a question about it";
  row.examples = {
      {"Anna took the lamp.\nBen went to the garden.\n"
       "Anna went to the cellar.\tWhere is the lamp?",
       "en"}};
  row.training = {
      "--passages train.jsonl --valid-passages valid.jsonl --hops 2"};
  return row;
}

void DataConfig::Visit(FieldList& v) {
  v.Section("Data");
  v("passages", passages, Any{"FILE"},
    "questions for training, each with its passage and its answer (.gz too)")
      .Main();
  v.Require({{"passages"}});
  v("valid_passages", valid_passages, Any{"FILE"},
    "questions for validation, which select the best weights")
      .Main();
  v("format", format,
    "jsonl: {\"passage\": ..., \"question\": ..., \"answer\": ..., "
    "\"candidates\": [...]}; babi or cbt: numbered lines as bAbI or the "
    "Children's Book Test; auto: by each file");
  v("max_length", max_length, Range(0, 1000000),
    "maximum words to read of a passage; 0: all")
      .Alias("max_len");
  vocabulary.Visit(v, {"words"});
  vectors.Visit(v);
  VisitBatches(v, "words", batch_words, "questions", batch_texts);
}

void Prediction::Visit(FieldList& v) {
  v.Section("Input");
  v("format", format,
    "jsonl: a question a line, as JSON or as passage, tab, question; babi or "
    "cbt: numbered lines, answers optional; auto: numbered lines if the first "
    "one has the number 1");
  v.Section("Output");
  v("answers", answers, Range(1, 1000),
    "answers of each question, the highest-scoring first; of more than one "
    "with their probabilities: answer, tab, number, tab, ...");
}

InputReading Settings::Reading(const Prediction& options) const {
  InputReading reading;
  reading.defaults.long_lines = LongLines::kStructured;
  if (options.format == PassageFormat::kAuto) {
    reading.whole_if = IsNumberedStory;
  } else {
    reading.whole = options.format != PassageFormat::kJsonl;
  }
  return reading;
}

void Evaluation::Visit(FieldList& v) {
  v.Section("Data");
  v("passages", passages, Any{"FILE"}, "questions to answer").Main();
  v.Require({{"passages"}});
  v("format", format, "as of training");
}

void Settings::Visit(FieldList& v) {
  data.Visit(v);
  model.VisitName(v, "architecture");
  model->Visit(v);
}

void Settings::SetDefaults(TrainingConfig& training) const {
  training.optimizer.optimizer = OptimizerKind::kAdam;
  training.optimizer.learning_rate = 3e-3;
  training.optimizer.schedule = Schedule::kConstant;
  training.optimizer.warmup = 0;
  training.run.epochs = 10;
}

void Settings::Resolve() {
  data.vocabulary.Resolve();
  model->Fill();
}

Data Settings::Read() const {
  Data read;
  if (!data.valid_passages.empty()) {
    read.valid = ReadPassages(data.valid_passages, data.format);
  }
  read.train = ReadPassages(data.passages, data.format);
  return read;
}

std::unique_ptr<Model> Settings::MakeModel(const Data& read,
                                           uint64_t seed) const {
  std::vector<std::string> lines;
  for (const PassageQuestion& question : read.train) {
    for (const std::string* text : {&question.passage, &question.question}) {
      lines.push_back(fmt::format("{}", fmt::join(PassageWords(*text), " ")));
    }
  }
  return std::make_unique<Model>(*this, data.vocabulary.Learn(std::move(lines)),
                                 data.vectors.Read(), seed);
}
}  // namespace heed::read
