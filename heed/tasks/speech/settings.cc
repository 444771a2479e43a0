#include <fmt/format.h>

#include <utility>

#include "heed/base/errors.h"
#include "heed/data/spoken_digits.h"
#include "heed/tasks/speech/speech.h"

namespace heed::speech {
namespace {

void VisitSpeechSource(FieldList& v, const std::string& prefix,
                       SpeechSource& source, const std::string& what) {
  constexpr double kMostStrings = 1e7;
  constexpr double kMostSpeakers = 1000;
  v(prefix + "recordings", source.recordings, Any{"FILE"},
    what +
        ": a list with path, tab and text on each line; behind another tab "
        "there may be the speaker")
      .Main();
  v(prefix + "speakers", source.speakers, Range(0, kMostSpeakers),
    what + ": digits of so many speakers, who are made up by number")
      .Main();
  v(prefix + "strings", source.strings, Range(0, kMostStrings),
    what +
        ": so many strings that are made of them, words of one speaker with "
        "gaps; 0: as they are")
      .Main();
}

void CheckStringLengths(int shortest, int longest) {
  if (shortest <= longest) return;
  throw ConfigError("shortest: strings of {} to {} words", shortest, longest);
}

/// A string that a made-up speaker says, as an example of what a model reads.
InputExample StringExample(int64_t number) {
  InputExample example;
  const std::string name = fmt::format("digits-{}.wav", number + 1);
  example.text = name;
  example.file = [name, number] {
    const Recordings digits = MakeSpokenDigits({.speakers = 4, .seed = 9});
    const Recording said =
        WordStrings(digits, {.longest = 6, .seed = 9}).At(number);
    return NamedBytes{name, kSoundTypes[0],
                      EncodeWav(said.samples, digits.rate)};
  };
  return example;
}

}  // namespace

TaskRow Task() {
  TaskRow row;
  row.name = "speech";
  row.description = "what is said in a sound, in words";
  row.settings = [] { return std::make_unique<Settings>(); };
  row.input = {"audio", InputKind::Line::kPath, kSoundTypes};
  row.input.most_bytes = kMostSoundBytes;
  row.input_label = "Sound";
  row.answer_label = "Text";
  row.prompt = "Choose or drop a sound, or record one";
  constexpr int64_t kExamples = 4;
  for (int64_t i = 0; i < kExamples; ++i) {
    row.examples.push_back(StringExample(i));
  }
  row.training = {"--recordings train.tsv --valid-recordings valid.tsv"};
  return row;
}

void DataConfig::Visit(FieldList& v) {
  v.Section("Data");
  VisitSpeechSource(v, "", train, "for training");
  v.Require({{"recordings"}, {"speakers"}});
  VisitSpeechSource(v, "valid_", valid, "for validation");
  const bool strings = train.strings > 0 || valid.strings > 0;
  v("shortest", shortest, Range(1, 1000), "the fewest words of a string")
      .If(strings, "--strings");
  v("longest", longest, Range(1, 1000),
    "the most; one of a word is as it was recorded")
      .If(strings, "--strings");
  v("string_seed", string_seed,
    "seed of strings and speakers for training; the next one is of "
    "validation")
      .If(strings || train.speakers > 0 || valid.speakers > 0,
          "--strings or --speakers");
  sound.Visit(v);
  changes.Visit(v);
  v("max_seconds", max_seconds, Range(1, kMostSoundSeconds),
    "longer sounds are not learned from");
  v("batch_sounds", batch_sounds, Range(1, 1000000), "sounds per batch")
      .Alias("batch_size")
      .Alias("bs");
  vocabulary.Visit(v, {"words", "unigram", "bpe", "characters"});
}

void Prediction::Visit(FieldList& v) {
  VisitSearch(v, "texts", "sound",
              "a word in a tenth of a second, others one a frame");
  v("times", times,
    "print words with their start and end in seconds, by attention");
}

void Evaluation::Visit(FieldList& v) {
  v.Section("Data");
  VisitSpeechSource(v, "", source, "to compare with");
  v.Require({{"recordings"}, {"speakers"}});
  v("shortest", shortest, Range(1, 1000), "the fewest words of a string");
  v("longest", longest, Range(1, 1000), "the most");
  v("repeat", repeat, Range(1, 100), "how often each string is said");
  v("string_seed", string_seed, "seed of strings and speakers");
  Prediction::Visit(v);
}

void Settings::Visit(FieldList& v) {
  data.Visit(v);
  model.VisitName(v, "what reads the frames and writes");
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
  read.train = data.train.Read(data.sound.rate, strings);
  if (!data.valid.empty()) {
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
