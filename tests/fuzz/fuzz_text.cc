// Text formats: settings, links, tables of words and numbers. The first byte
// selects the format.
#include <nlohmann/json.hpp>
#include <sstream>

#include "heed/base/config.h"
#include "heed/base/json.h"
#include "heed/base/text.h"
#include "heed/data/bm25.h"
#include "heed/data/conll.h"
#include "heed/data/corpus.h"
#include "heed/data/documents.h"
#include "heed/data/input_lines.h"
#include "heed/data/labelled.h"
#include "heed/data/pair_files.h"
#include "heed/data/recordings.h"
#include "heed/data/retrieval.h"
#include "heed/data/series_file.h"
#include "heed/data/shortlist.h"
#include "heed/data/sound.h"
#include "heed/data/table.h"
#include "heed/data/visits.h"
#include "heed/io/yaml.h"
#include "heed/metrics/aer.h"
#include "heed/serve/api_keys.h"
#include "heed/text/word_vectors.h"
#include "tests/fuzz/fuzz.h"

namespace heed::fuzz {
namespace {

struct Settings {
  bool flag = false;
  int count = 3;
  int64_t steps = 0;
  uint64_t seed = 1;
  double rate = 0.1;
  std::string name = "adam";
  std::vector<std::string> kinds;

  void Visit(FieldList& v) {
    v("flag", flag, "");
    v("count", count, Range(1, 10), "");
    v("steps", steps, "");
    v("seed", seed, "");
    v("rate", rate, UpToBelow(0, 1), "");
    v("name", name, OneOf{"adam", "sgd"}, "");
    v("kinds", kinds, OneOf{"a", "b"}, "");
  }
};

void ReadSettings(std::string_view text) {
  const nlohmann::ordered_json json = ParseJson(text, "input");
  // Parsing with low limits gives an equal result or an error.
  MayRefuse([&] {
    const JsonLimits few = {
        .bytes = 4000, .values = 20, .names = 5, .depth = 3};
    Require(ParseJson(text, "input", few) == json, "the same within limits");
  });
  // Parsed JSON can be printed, even with text that is not UTF-8.
  const std::string printed =
      json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  Require(!printed.empty(), "printed");
  Settings settings;
  FromJson(settings, json, "input");
  Check(settings);
}

std::vector<std::string> LinesOf(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

void ReadTables(std::string_view text, const TagColumns& columns) {
  const TaggedText tagged = ParseTagged(LinesOf(text), "input", columns);
  std::vector<std::vector<std::string>> tags;
  for (const auto& places : tagged.places)
    tags.emplace_back(places.size(), "X");
  Require(!WithTags(tagged, tags).empty(), "text with tags");
}

void ReadRows(std::string_view text, const std::string& form) {
  const auto reader = MakeTableReader(form, {"a", "b"}, "input");
  int64_t number = 0;
  for (const std::string& line : LinesOf(text)) {
    const auto row = reader->Add(line, ++number);
    Require(!row || row->size() == 2, "a text for each column");
  }
  reader->Finish();
}

std::string InFile(std::string_view text) {
  static const Folder folder;
  return folder.Put("text", text);
}

void ReadFileOfLines(std::string_view text) {
  const std::string path = InFile(text);
  int64_t last = 0;
  ForEachLine(path, [&](std::string_view line, int64_t number) {
    Require(number == ++last, "numbers of lines");
    Require(line.find('\n') == std::string_view::npos, "one line");
    return true;
  });
}

void ReadLabels(std::string_view text, const char* format) {
  LabelledFormat how;
  how.format = format;
  const std::string path = InFile(text);
  (void)ReadLabelled({.texts = {path}, .labels = {path}}, how);
}

// Reads a document with and without known sentence boundaries.
void ReadDocument(std::string_view text) {
  static const Vocabulary words = Vocabulary::Parse(
      "<pad>\n<unk>\n<s>\n</s>\na\nb\n.\n", VocabularyKind::kWords, "words");
  const std::vector<size_t> begins = FindSentences(text);
  for (size_t i = 0; i + 1 < begins.size(); ++i) {
    Require(begins[i] < begins[i + 1], "ascending");
  }
  for (const int max_length : {0, 3}) {
    const MarkedDocument document =
        MarkDocument(words, text, begins, max_length, /*lowercase=*/true);
    int64_t tokens = 0;
    for (const int32_t size : document.sentences) {
      Require(size > 0, "a sentence has tokens");
      tokens += size;
    }
    Require(tokens == std::ssize(document.ids) && tokens > 0, "all tokens");
    Require(document.pieces.size() == document.ids.size(), "their pieces");
    Require(max_length == 0 || tokens <= max_length, "not too long");
  }
}

// Reads a table of translations with two vocabularies.
void ReadLexicon(std::string_view text) {
  static const Vocabulary words = Vocabulary::Parse(
      "<pad>\n<unk>\n<s>\n</s>\na\nb\nc\n", VocabularyKind::kWords, "words");
  const Shortlist list = Shortlist::ReadLexicon(InFile(text), words, words, {});
  Require(!list.Outputs(std::vector<int32_t>{4, 5}).empty(), "outputs");
}

// Reads standard input, as lines or as a table; invalid input gives an empty
// answer.
void ReadInput(std::string_view text, const char* form) {
  InputOptions options;
  options.max_line = 40;
  options.on_error = OnError::kEmpty;
  options.form = form;
  options.columns = {"a", "b"};
  std::istringstream in{std::string(text)};
  int64_t next = 0;
  const NoWarnings silence;
  AnswerLines(
      in, 3, options,
      [&](const std::vector<std::string>& lines, int64_t first) {
        Require(first == next, "in their turn");
        next += std::ssize(lines);
        for (const std::string& line : lines) {
          Require(IsValidUtf8(line) && line.size() <= 160, "lines of UTF-8");
          Require(line.find('\n') == std::string::npos, "one line");
        }
      },
      [&](int64_t index, const std::string& reason) {
        Require(index == next++ && !reason.empty(), "refused in its turn");
      });
}

void ReadKeys(std::string_view text) {
  ApiKeys keys(InFile(text));
  (void)keys.Find("key");
  Require(!keys.Find("").has_value(), "no empty key");
}

// Reads text collections and the relevant pairs of their queries.
void ReadRetrieval(std::string_view bytes) {
  static const Folder folder;
  const std::vector<std::string_view> parts = Parts(bytes, 3);
  const TextCollection queries = ReadTexts({folder.Put("queries", parts[0])});
  const std::string links = folder.Put("links", parts[1]);
  MayRefuse([&] { (void)ReadRelevantPairs({links}, queries, queries); });
  (void)ReadCandidateLists({links}, queries, queries);
}

// Reads a list of recordings in the folder of one sound, a.wav.
void ReadListOfRecordings(std::string_view text) {
  static const Folder folder;
  constexpr int kRate = 8000;
  static const std::string sound = folder.Put(
      "a.wav", EncodeWav(std::vector<float>{0, 0.5f, -0.5f, 0.25f}, kRate));
  // Paths to other folders are not tested.
  if (text.find('/') != std::string_view::npos) return;
  const Recordings read = ReadRecordings(folder.Put("list", text), kRate);
  for (const Recording& one : read.all) {
    Require(one.samples.size() == 4, "the sound that is named");
    Require(!SplitWhitespace(one.text).empty(), "what is said in it");
  }
  const WordStrings strings(read, {});
  Require(!strings.At(0).text.empty(), "a string of them");
}

// Reads questions with their candidate texts.
void ReadQuestions(std::string_view text) {
  TextCollection questions, texts;
  const auto read = ReadAnswers({InFile(text)}, questions, texts);
  int64_t candidates = 0;
  for (const RetrievalQuery& query : read) {
    candidates += std::ssize(query.candidates);
  }
  Require(candidates == texts.size(), "a candidate for each text");
  const Bm25Statistics words(texts.texts());
  const auto query_counts = words.Count(questions.texts());
  for (const CountedWords& one : words.Count(texts.texts())) {
    for (const CountedWords& question : query_counts) {
      for (const double shared : OverlapFeatures(question, one)) {
        Require(shared >= 0 && shared <= 1, "a share of words");
      }
    }
  }
}

void ReadStatistics(std::string_view text) {
  const std::string written = Bm25Statistics::Parse(text, "input").Serialize();
  Require(Bm25Statistics::Parse(written, "again").Serialize() == written,
          "the same again");
}

// Reads a patient from a line of JSON and checks the round trip.
void ReadPatient(std::string_view text) {
  const VisitRecord record = ParseVisits(text, "input");
  const std::string line = VisitLine(record);
  Require(VisitLine(ParseVisits(line, "input")) == line, "the same again");
  Require(record.times.empty() || record.times.size() == record.visits.size(),
          "a time for each visit");
  const CodeTable codes = LearnCodes({{record}, {"input"}}, 1);
  const Patient patient = Encode(record, codes, UnknownCodes::kRefuse, "input");
  Require(patient.visits() == std::ssize(record.visits), "all visits");
  Require(CodeTable::Parse(codes.ToText(), "codes").codes() == codes.codes(),
          "codes as they are written");
}

void Read(uint8_t what, std::string_view text) {
  TagColumns columns;
  switch (what) {
    case 't':
      return (void)PairFiles{.tsv = {InFile(text)}}.Read("");
    case 'L':
      return ReadLabels(text, "tsv");
    case 'D':
      return ReadLabels(text, "docs");
    case 'I':
      return ReadLabels(text, "imdb");
    case 'q':
      return ReadRetrieval(text);
    case 'r':
      return ReadListOfRecordings(text);
    case 'A':
      return ReadQuestions(text);
    case 'B':
      return ReadStatistics(text);
    case 'S':
      return (void)Shortlist::Read(InFile(text), 6, 6);
    case 'x':
      return ReadLexicon(text);
    case 'i':
      return ReadInput(text, "lines");
    case 'd':
      return ReadDocument(text);
    case 'C':
      return ReadInput(text, "csv");
    case 'J':
      return ReadInput(text, "jsonl");
    case 'k':
      return ReadKeys(text);
    case 'j':
      return ReadSettings(text);
    case 'y':
      return (void)ParseYaml(text, "input");
    case 'p':
      return (void)ParseAlignment(text, "input", 1);
    case 'g':
      return (void)ParseGoldAlignment(text, "input", 1);
    case 'l':
      return ReadFileOfLines(text);
    case 's':
      return (void)ParseTimeSeries(text, "input");
    case 'P':
      return ReadPatient(text);
    case 'K':
      return (void)CodeTable::Parse(text, "input");
    case 'v':
      return (void)WordVectors::Read(InFile(text), 1000);
    case 'V':
      return (void)WordVectors::Parse(text, "input");
    case 'a':
      return (void)LabelSet::Parse(text, "input");
    case 'c':
      return ReadRows(text, "csv");
    case 'o':
      return ReadRows(text, "jsonl");
    case 'u':
      columns.format = "conllu";
      return ReadTables(text, columns);
    default:
      columns.format = "conll";
      return ReadTables(text, columns);
  }
}

}  // namespace
}  // namespace heed::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return heed::fuzz::ReadKind(data, size, heed::fuzz::Read);
}
