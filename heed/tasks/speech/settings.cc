#include <fmt/format.h>

#include <utility>

#include "heed/base/errors.h"
#include "heed/tasks/made_up_data.h"
#include "heed/tasks/sample_files.h"
#include "heed/tasks/speech/speech.h"

namespace heed::speech {
namespace {

void VisitSpeechSource(FieldList& v, const std::string& prefix,
                       SpeechSource& source, const std::string& what) {
  constexpr double kMaxStrings = 1e7;
  v(prefix + "recordings", source.recordings, Any{"FILE"},
    what +
        ": a list with path, tab and text on each line; optionally tab and "
        "speaker")
      .Main();
  v(prefix + "strings", source.strings, Range(0, kMaxStrings),
    what +
        ": number of strings to join from recordings of single words of one "
        "speaker, with gaps; 0: use recordings unchanged")
      .Main();
}

void CheckStringLengths(int shortest, int longest) {
  if (shortest <= longest) return;
  throw ConfigError("shortest: strings of {} to {} words", shortest, longest);
}

}  // namespace

TaskRow Task() {
  TaskRow row;
  row.name = "speech";
  row.description = "the words that are spoken in a recording";
  row.settings = [] { return std::make_unique<Settings>(); };
  row.input = {"audio", InputKind::Line::kPath, kSoundTypes};
  row.input.max_bytes = kMaxSoundBytes;
  row.input_label = "Sound";
  row.answer_label = "Text";
  row.prompt = "Choose or drop a sound, or record one";
  row.examples = SampleInputs("digits-", kSoundTypes[0]);
  row.training = {"--recordings train.tsv --valid-recordings valid.tsv"};
  return row;
}

void DataConfig::Visit(FieldList& v) {
  v.Section("Data");
  VisitSpeechSource(v, "", train, "for training");
  v.Require({{"recordings"}});
  VisitSpeechSource(v, "valid_", valid, "for validation");
  RemoveMadeUpData(v, {"speakers", "valid_speakers"}, "--recordings", "voices");
  const bool strings = train.strings > 0 || valid.strings > 0;
  v("shortest", shortest, Range(1, 1000), "minimum words of a string")
      .If(strings, "--strings");
  v("longest", longest, Range(1, 1000),
    "maximum words of a string; a string of one word is the recording itself")
      .If(strings, "--strings");
  v("string_seed", string_seed,
    "random seed of strings for training; validation uses the next one")
      .If(strings, "--strings");
  sound.Visit(v);
  changes.Visit(v);
  v("max_seconds", max_seconds, Range(1, kMaxSoundSeconds),
    "drop training sounds of more than N seconds");
  v("batch_sounds", batch_sounds, Range(1, 1000000), "sounds per batch")
      .Alias("batch_size")
      .Alias("bs");
  vocabulary.Visit(v, {"words", "unigram", "bpe", "characters"});
}

void Prediction::Visit(FieldList& v) {
  VisitSearch(v, "texts", "sound",
              "one word per tenth of a second, or another token per frame");
  v("times", times,
    "print words with their start and end in seconds, by attention");
}

void Evaluation::Visit(FieldList& v) {
  v.Section("Data");
  VisitSpeechSource(v, "", source, "to compare with");
  v.Require({{"recordings"}});
  RemoveMadeUpData(v, {"speakers"}, "--recordings", "voices");
  v("shortest", shortest, Range(1, 1000), "minimum words of a string");
  v("longest", longest, Range(1, 1000), "the most");
  v("repeat", repeat, Range(1, 100), "how often each string is said");
  v("string_seed", string_seed, "seed of strings");
  Prediction::Visit(v);
}

void Settings::Visit(FieldList& v) {
  data.Visit(v);
  model.VisitName(v, "architecture");
  model->Visit(v);
}

void Settings::SetDefaults(TrainingConfig& training) const {
  training.optimizer.learning_rate = 2e-3;
  training.optimizer.schedule = Schedule::kCosine;
  training.optimizer.warmup = 200;
  training.optimizer.label_smoothing = 0;
  training.run.epochs = 20;
}

void Settings::Resolve() {
  CheckStringLengths(data.shortest, data.longest);
  data.vocabulary.Resolve();
  (void)LogMel(data.sound);
  model->Fill();
}

Data Settings::Read() const {
  Data read;
  StringOptions strings = data.Strings();
  RequireFiles(data.train.recordings, "--recordings", "voices");
  read.train = data.train.Read(data.sound.rate, strings);
  if (!data.valid.recordings.empty()) {
    ++strings.seed;
    read.valid = data.valid.Read(data.sound.rate, strings);
  }
  return read;
}

std::unique_ptr<Model> Settings::MakeModel(const Data& read,
                                           uint64_t seed) const {
  std::vector<std::string> texts;
  for (const Recording& one : read.train.recordings().all) {
    texts.push_back(one.text);
  }
  return std::make_unique<Model>(*this, data.vocabulary.Learn(std::move(texts)),
                                 seed);
}
}  // namespace heed::speech
