// Small models of every task with random weights, and inputs for them.
#ifndef HEED_TASKS_EXPLAIN_TESTING_H_
#define HEED_TASKS_EXPLAIN_TESTING_H_

#include <cmath>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "course/data/generators.h"
#include "heed/base/testing.h"
#include "heed/tasks/run.h"
#include "heed/tasks/testing.h"

namespace heed {

/// A model of any task with random weights, and an input for it.
struct ExplainCase {
  std::string name;
  std::string task;
  std::string model;
  OptionTexts settings;
  std::map<std::string, std::string> files;  // option: content
  std::string text;
  int64_t maps;
  bool aligned;
  /// Writes files into the folder that "{}" stands for in settings.
  Generator data = {};
};

inline void PrintTo(const ExplainCase& c, std::ostream* out) { *out << c.name; }

inline std::string Reviews() {
  return "pos\ta good film\nneg\ta bad film\npos\tgood plot and cast\n";
}
inline std::string Tagged() {
  return "Anna\tB-PER\neats\tO\n\nAnna\tB-PER\neats\tO\nin\tO\nParis\tB-LOC\n";
}
inline std::string SeriesFile(int rows = 60) {
  std::string csv = "date,a,b\n";
  for (int i = 0; i < rows; ++i) {
    csv += "day" + std::to_string(i) + "," + std::to_string(std::sin(i)) + "," +
           std::to_string(i % 7) + "\n";
  }
  return csv;
}
inline std::string Patients() {
  return R"({"visits": [["a", "b"], ["c"]], "times": [0, 3], "label": 1}
{"visits": [["c", "a"]], "times": [2], "label": 0}
)";
}
inline std::string RatedReviews() {
  return "ann\tlamp\t5\tbright light\nann\tdesk\t4\tplain but solid\n"
         "bob\tlamp\t1\twent dark\nbob\tchair\t2\tit hurts\n";
}
inline std::string FewPassages() {
  return "1 Ann ate .\n2 Bob ran home .\n3 Who ran ?\tBob\n";
}
/// An idx file of this shape. The bytes are letters, which JSON can hold.
inline std::string IdxOf(const std::vector<int>& shape) {
  std::string bytes("\0\0\x08", 3);
  bytes += static_cast<char>(shape.size());
  size_t size = 1;
  for (const int extent : shape) {
    bytes += std::string("\0\0\0", 3) + static_cast<char>(extent);
    size *= static_cast<size_t>(extent);
  }
  for (size_t i = 0; i < size; ++i) {
    bytes += static_cast<char>('0' + i * 29 % 71);
  }
  return bytes;
}
/// A WAV file of 8 bits that is also a text in ASCII: no byte above 127.
inline std::string WavOfText() {
  const auto word = [](uint32_t value) {
    std::string bytes;
    for (int i = 0; i < 4; ++i) bytes += static_cast<char>(value >> (8 * i));
    return bytes;
  };
  constexpr uint32_t kSamples = 0x340;  // all bytes of the header below 128
  // PCM of one channel, frames of a byte and 8 bits.
  std::string wav = "RIFF" + word(36 + kSamples) + "WAVEfmt " + word(16) +
                    word(0x10001) + word(8000) + word(8000) + word(0x80001) +
                    "data" + word(kSamples);
  for (uint32_t i = 0; i < kSamples; ++i) {
    wav += static_cast<char>(64 + 50 * std::sin(0.0005 * i * i));
  }
  return wav;
}
inline std::string Pairs() {
  return "a b c\tc b a\nb a\ta b\nc c a\ta c c\na a\ta a\n";
}

inline std::vector<ExplainCase> ExplainCases() {
  const OptionTexts words = {{"vocabulary", "words"}};
  const auto with = [](OptionTexts a, const OptionTexts& b) {
    a.insert(b.begin(), b.end());
    return a;
  };
  const OptionTexts small_rnn = {{"units", "8"}, {"embedding", "6"}};
  const OptionTexts text_rnn = {{"units", "8"}};
  return {
      {"Transformer",
       "translate",
       "transformer-tiny",
       with(with(words, kSmallTransformer), {{"layers", "2"}}),
       {{"tsv", Pairs()}},
       "a b c",
       6,
       true},
      {"Bahdanau",
       "translate",
       "bahdanau",
       with(words, small_rnn),
       {{"tsv", Pairs()}},
       "c a b",
       1,
       true},
      {"LuongReversed",
       "translate",
       "luong",
       with(with(words, small_rnn), {{"reverse_source", "yes"}}),
       {{"tsv", Pairs()}},
       "c a b",
       1,
       true},
      {"Fixed",
       "translate",
       "fixed",
       with(words, small_rnn),
       {{"tsv", Pairs()}},
       "a b c",
       0,
       false},
      {"ClassifyRnn",
       "classify",
       "rnn",
       with(words, text_rnn),
       {{"texts", Reviews()}},
       "a good cast",
       2,
       true},
      {"ClassifyDocuments",
       "classify",
       "han",
       {{"units", "6"}, {"embedding", "5"}, {"min_count", "1"}},
       {{"texts", Reviews()}},
       "A good cast. The plot is bad! Good.",
       3,
       true},
      {"ClassifyDocumentsOfPieces",
       "classify",
       "han",
       {{"units", "6"},
        {"embedding", "5"},
        {"pooling", "max"},
        {"vocabulary", "bpe"},
        {"vocabulary_size", "40"}},
       {{"texts", Reviews()}},
       "a good cast. no plot",
       0,
       false},
      {"ClassifyBert",
       "classify",
       "bert-tiny",
       with(with({{"vocabulary", "wordpiece"}, {"pooling", "cls"}},
                 kSmallTransformer),
            {{"layers", "1"}}),
       {{"texts", Reviews()}},
       "a good cast",
       1,
       true},
      {"TagRnn",
       "tag",
       "rnn",
       text_rnn,
       {{"texts", Tagged()}},
       "Anna eats in Paris",
       1,
       true},
      {"TagBert",
       "tag",
       "bert-tiny",
       with(kSmallTransformer, {{"layers", "1"}}),
       {{"texts", Tagged()}},
       "Anna eats in Paris",
       1,
       true},
      {"LanguageRnn",
       "lm",
       "rnn",
       with(words, text_rnn),
       {{"texts", "a b c\nb a c\n"}},
       "a b",
       1,
       true},
      {"LanguageTransformer",
       "lm",
       "transformer-tiny",
       with(with(words, kSmallTransformer), {{"layers", "2"}}),
       {{"texts", "a b c\nb a c\n"}},
       "a b",
       2,
       true},
      {"LanguageSubwords",
       "lm",
       "rnn",
       with(text_rnn, {{"vocabulary", "bpe"}, {"vocabulary_size", "30"}}),
       {{"texts", "low lower lowest\nnew newer newest\n"}},
       "low newer",
       1,
       true},
      {"Autocomplete",
       "autocomplete",
       "rnn",
       text_rnn,
       {{"texts", "the cat sat\nthe dog ran\n"}},
       "the c",
       0,
       false},
      {"AutocompleteAttending",
       "autocomplete",
       "rnn",
       with(text_rnn, {{"self_attention", "causal"}}),
       {{"texts", "the cat sat\nthe dog ran\n"}},
       "the dog ",
       1,
       true},
      {"Forecast",
       "forecast",
       "patchtst",
       {{"lookback", "16"},
        {"horizon", "4"},
        {"patch", "4"},
        {"patch_stride", "4"},
        {"layers", "1"}},
       {{"series", SeriesFile()}},
       SeriesFile(),
       1,
       false},
      {"ForecastLinear",
       "forecast",
       "patchtst-linear",
       {{"lookback", "16"},
        {"horizon", "4"},
        {"patch", "4"},
        {"patch_stride", "2"},
        {"layers", "1"}},
       {{"series", SeriesFile()}},
       SeriesFile(),
       1,
       false},
      {"ForecastFar",  // more targets than ConcatColumns takes parts
       "forecast",
       "rnn",
       {{"lookback", "16"},
        {"horizon", "10"},
        {"patch", "1"},
        {"patch_stride", "1"},
        {"forecast_from", "last"},
        {"independent_columns", "no"},
        {"units", "6"}},
       {{"series", SeriesFile(160)}},
       SeriesFile(160),
       1,
       true},
      {"Slots",
       "slots",
       "rnn",
       text_rnn,
       {{"texts.seq.in", "show cheap flights\nbook a table\n"},
        {"texts.seq.out", "O B-price O\nO O B-what\n"},
        {"texts.label", "show\nbook\n"}},
       "book cheap flights",
       2,
       true},
      {"Retrieve",
       "retrieve",
       "rnn",
       with(text_rnn, {{"pooling", "attention"}}),
       {{"corpus", "1\ta good film\n2\ta bad plot\n"},
        {"queries", "q\tgood film\n"},
        {"relevant", "q\t1\n"}},
       "good film\ta good plot",
       2,
       true},
      {"Nodes",
       "nodes",
       "gat",
       {{"heads", "2"}, {"units", "3"}},
       {{"edges", "0 1\n1 2\n0 3\n3 4\n"},
        {"features", "0 1\n1 2\n0 2\n0\n1\n"},
        {"labels", "a\nb\na\nb\na\n"},
        {"train", "0\n1\n"}},
       "1",
       2,
       true},
      {"Pretrain",
       "pretrain",
       "bert-tiny",
       with(kSmallTransformer, {{"layers", "1"}, {"vocabulary_size", "60"}}),
       {{"texts", "a good film\nthe plot was bad\n\nmore of it\nand so on\n"}},
       "a [MASK] film",
       1,
       true},
      {"Visits",
       "visits",
       "retain",
       {{"units", "6"}, {"embedding", "5"}, {"times", "yes"}},
       {{"patients", Patients()}},
       R"({"visits": [["b"], ["c", "a"], ["a"]], "times": [1, 2, 5]})",
       1,
       true},
      {"Algorithm",
       "algorithm",
       "ntm",
       {{"problem", "copy"},
        {"bits", "3"},
        {"max_length", "3"},
        {"units", "8"},
        {"memory_slots", "6"},
        {"memory_features", "4"}},
       {},
       "101 011",
       2,
       true},
      {"Images",
       "images",
       "patches",
       with(kSmallTransformer, {{"layers", "1"}, {"patch", "2"}}),
       {{"images", IdxOf({3, 4, 6})},
        {"labels", std::string("\0\0\x08\1\0\0\0\3\0\1\0", 11)}},
       IdxOf({4, 6}),
       2,
       true},
      {"ImagesWithoutAttention",
       "images",
       "conv",
       {{"filters", "2"}, {"units", "4"}, {"cell", "2"}},
       {{"images", IdxOf({3, 4, 6})},
        {"labels", std::string("\0\0\x08\1\0\0\0\3\0\1\0", 11)}},
       IdxOf({4, 6}),
       0,
       false},
      {"Captions",
       "caption",
       "sat",
       {{"images", "{}/train.tsv"},
        {"image_size", "16"},
        {"filters", "2"},
        {"units", "6"},
        {"embedding", "6"},
        {"dropout", "0"}},
       {},
       IdxOf({16, 16}),
       1,
       true,
       SceneData()},
      {"Speech",
       "speech",
       "arsg",
       {{"recordings", "{}/train.tsv"},
        {"bands", "8"},
        {"units", "6"},
        {"embedding", "6"},
        {"dropout", "0"}},
       {},
       WavOfText(),
       1,
       true,
       VoiceData()},
      {"Order",
       "order",
       "triplet",
       {{"frames", "{}/train"},
        {"colours", "grey"},
        {"frame_size", "24"},
        {"filters", "2"},
        {"cell", "24"}},
       {},
       IdxOf({24, 72}),
       0,
       false,
       SpriteData(24)},
      {"Ratings",
       "ratings",
       "mpcn",
       {{"embedding", "6"}, {"pointers", "2"}, {"min_count", "1"}},
       {{"reviews", RatedReviews()}},
       "ann\tlamp",
       10,
       true},
      {"RatingsByGates",
       "ratings",
       "dattn",
       {{"embedding", "6"},
        {"document", "12"},
        {"local_filters", "3"},
        {"filters", "2"},
        {"hidden", "5"},
        {"min_count", "1"}},
       {{"reviews", RatedReviews()}},
       "ann\tlamp",
       0,
       false},
      {"Read",
       "read",
       "sum",
       {{"units", "6"}, {"embedding", "5"}, {"hops", "2"}},
       {{"passages", FewPassages()}},
       "Ann ate. Bob ran home!\tWho ran?",
       2,
       true},
      {"VisitsWithoutAttention",
       "visits",
       "gru",
       {{"units", "6"}, {"embedding", "5"}},
       {{"patients", Patients()}},
       R"({"visits": [["b"], ["c", "a"], ["a"]]})",
       0,
       false},
  };
}

/// Makes a model with random weights from the settings of a case.
inline LoadedModel ModelOf(const ExplainCase& c, TemporaryFolder& folder) {
  LoadedModel loaded;
  loaded.settings = TaskNamed(c.task).settings();
  TaskSettings& task = *loaded.settings;
  task.ChooseModel(c.model);
  OptionTexts settings = c.settings;
  if (c.data.write) c.data.Sized({3, 1, 1}).WriteTo(folder.path().string());
  for (auto& [key, value] : settings) {
    if (!value.starts_with("{}")) continue;
    value = folder.path().string() + value.substr(2);
  }
  for (const auto& [option, content] : c.files) {
    const std::string path = folder.Put(option, content);
    // Several files of one option are named by what their names share.
    const size_t dot = option.find('.');
    settings[option.substr(0, dot)] =
        dot == option.npos ? path : folder.Path(option.substr(0, dot));
  }
  FieldList fields;
  task.Visit(fields);
  SetValues(fields, settings);
  task.Resolve();
  loaded.model = task.MakeModel(*task.ReadDataset(), 7);
  return loaded;
}

}  // namespace heed

#endif  // HEED_TASKS_EXPLAIN_TESTING_H_
